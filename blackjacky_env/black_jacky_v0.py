"""Black Jacky, version 0: ``env``, ``raw_env`` (the same), and what belongs to its observations."""

from __future__ import annotations

from blackjacky_env.envs.module import GameModule

__all__ = ["decode", "describe_observation", "env", "raw_env", "sample_state"]

_module = GameModule("black_jacky")
env = _module.env
raw_env = env  # the environment checks order and actions itself: there are no wrappers to leave out
describe_observation, decode, sample_state = _module.describe_observation, _module.decode, _module.sample_state
