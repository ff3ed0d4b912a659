"""Multi-agent card games as PettingZoo and Gymnasium environments; importing registers them."""

from __future__ import annotations

import sys

import gymnasium
import pettingzoo

from blackjacky_env.declare.game import IllegalActionError
from blackjacky_env.envs.batches import make_batch
from blackjacky_env.envs.module import GameModule
from blackjacky_env.envs.playing_out import playout
from blackjacky_env.games import GAMES, module_name, seat_id
from blackjacky_env.replay import replay_html

__version__ = "0.1.0"
__all__ = ["IllegalActionError", "make_batch", "playout", "replay_html"]
_MODULES = {module_name(name): GameModule(name) for name in GAMES}
__all__ += list(_MODULES)
sys.modules.update({f"{__name__}.{name}": module for name, module in _MODULES.items()})  # type: ignore[misc]


def __getattr__(name: str) -> GameModule:
    """The functions of a game, such as ``NAME_v0``."""
    if name not in _MODULES:
        raise AttributeError(f"module 'blackjacky_env' has no attribute {name!r}")
    return _MODULES[name]


def _register(name: str) -> None:
    """Register a game: ``blackjacky/my_game-v0`` for PettingZoo, ``blackjacky/MyGameSeat-v0`` for Gymnasium."""
    version = GAMES[name].version
    if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 on
        pettingzoo.register(
            "aec", f"blackjacky/{name}-v{version}", "blackjacky_env.envs.aec:TableEnv", kwargs={"game": name}
        )
    gymnasium.register(
        seat_id(name),
        entry_point="blackjacky_env.envs.seat:SeatEnv",
        vector_entry_point="blackjacky_env.envs.vector:SeatVectorEnv",
        kwargs={"game": name},
    )


for _name in GAMES:
    _register(_name)
