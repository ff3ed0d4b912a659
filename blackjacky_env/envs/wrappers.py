"""`scaled`: observations as float32 by the ranges that the game declares.

Each entry is divided by the largest magnitude that its part of the layout allows, so 0 stays 0 and all entries lie in
[-1, 1], or in [0, 1] where the part has no negative values. Masks and the format, flat or dict, are unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TransformObservation
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from blackjacky_env.declare.layout import Layout
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv


def scaled(env: Any) -> Any:
    """The same PettingZoo table or Gymnasium seat with vectors that are float32 in [-1, 1]; masks are unchanged.

    Examples:
        >>> import blackjacky_env, gymnasium
        >>> from blackjacky_env import black_jacky_v0
        >>> from blackjacky_env.envs.wrappers import scaled
        >>> table = scaled(black_jacky_v0.env())
        >>> seat = scaled(gymnasium.make("blackjacky/BlackJackySeat-v0"))

    Raises:
        TypeError: ``env`` is not an environment of this package, or another wrapper has changed its observations.
    """
    inner = getattr(env, "unwrapped", env)
    if isinstance(inner, SeatEnv):
        scaling = _Scaling(inner.table.game.layout)
        space = scaling.space(env, env.observation_space, inner.observation_space)
        return TransformObservation(env, scaling, space)
    if isinstance(inner, TableEnv):
        return _ScaledTable(env, inner)
    raise TypeError(f"{env} is not an environment of this package: its ranges are not declared")


class _Scaling:
    def __init__(self, layout: Layout) -> None:
        self.largest = layout.largest
        self._vectors = spaces.Box(layout.low / self.largest, layout.high / self.largest, dtype=np.float32)

    def space(self, env: object, given: spaces.Space[Any], own: spaces.Space[Any]) -> spaces.Space[Any]:
        """The space of scaled observations in place of the ``given`` one of ``env``, which has to be its ``own``."""
        if given != own:
            raise TypeError(f"the observations of {env} were changed by another wrapper: put this one inside it")
        return spaces.Dict({**own, "observation": self._vectors}) if isinstance(own, spaces.Dict) else self._vectors

    def __call__(self, seen: Any) -> Any:
        if isinstance(seen, dict):
            return {**seen, "observation": self(seen["observation"])}
        return np.divide(seen, self.largest, dtype=np.float32)


class _ScaledTable(BaseWrapper[str, Any, int]):
    """Gymnasium's `TransformObservation` for a PettingZoo table."""

    def __init__(self, env: AECEnv[str, Any, int], table: TableEnv) -> None:
        super().__init__(env)
        self._scaling = _Scaling(table.game.layout)
        self.observation_spaces = {
            agent: self._scaling.space(env, env.observation_space(agent), table.observation_space(agent))
            for agent in table.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        return None if seen is None else self._scaling(seen)
