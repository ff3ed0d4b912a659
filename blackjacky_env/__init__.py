"""Multi-agent card games as PettingZoo and Gymnasium environments; importing registers them."""

from __future__ import annotations

import importlib
from types import ModuleType

import gymnasium
import pettingzoo

from blackjacky_env.engine.batch import make_batch
from blackjacky_env.engine.game import IllegalActionError
from blackjacky_env.envs.playouts import playout
from blackjacky_env.games import GAMES
from blackjacky_env.replay import replay_html

__version__ = "0.1.0"
__all__ = ["IllegalActionError", "make_batch", "playout", "replay_html"]
_MODULES = {f"{name}_v0": f"blackjacky_env.{name}_v0" for name in GAMES}
__all__ += list(_MODULES)


def __getattr__(name: str) -> ModuleType:
    """Import a game's module when it is first used."""
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    raise AttributeError(f"module 'blackjacky_env' has no attribute {name!r}")


def _register(name: str) -> None:
    """Register a game: ``blackjacky/black_jacky-v0`` for PettingZoo, ``blackjacky/BlackJackySeat-v0`` for Gymnasium."""
    pettingzoo.register("aec", f"blackjacky/{name}-v0", f"{_MODULES[f'{name}_v0']}:env")
    gymnasium.register(
        f"blackjacky/{name.title().replace('_', '')}Seat-v0",
        entry_point="blackjacky_env.envs.seat:SeatEnv",
        vector_entry_point="blackjacky_env.envs.vector:SeatVectorEnv",
        kwargs={"game": name},
    )


for _name in GAMES:
    _register(_name)
