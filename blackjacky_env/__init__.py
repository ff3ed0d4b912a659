"""Multi-agent card games as PettingZoo and Gymnasium environments; importing registers them."""

from __future__ import annotations

import importlib
from types import ModuleType

import gymnasium
import pettingzoo

from blackjacky_env.engine.batch import make_batch
from blackjacky_env.engine.game import IllegalActionError
from blackjacky_env.envs.playouts import playout

__version__ = "0.1.0"
__all__ = ["IllegalActionError", "black_jacky_v0", "make_batch", "playout"]


def __getattr__(name: str) -> ModuleType:
    """Import a game's module when it is first used."""
    if name in ("black_jacky_v0", "schwarze_katze_v0"):
        return importlib.import_module(f"blackjacky_env.{name}")
    raise AttributeError(f"module 'blackjacky_env' has no attribute {name!r}")


pettingzoo.register("aec", "blackjacky/black_jacky-v0", "blackjacky_env.black_jacky_v0:env")
gymnasium.register(
    "blackjacky/BlackJackySeat-v0",
    entry_point="blackjacky_env.envs.seat:SeatEnv",
    vector_entry_point="blackjacky_env.envs.vector:SeatVectorEnv",
    kwargs={"game": "black_jacky"},
)
