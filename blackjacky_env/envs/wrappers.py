"""Wrappers that scale observations to float32 by the ranges that the game declares.

Each entry is divided by the largest magnitude that its part of the layout allows, so 0 stays 0 and all entries lie in
[-1, 1], or in [0, 1] where the part has no negative values. Masks and the format, flat or dict, are unchanged.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from blackjacky_env.engine.layout import Layout
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv

Scaled = Any
"""An observation with a float32 vector: the vector itself or a dict of it and the mask."""


class _Scaling:
    def __init__(self, layout: Layout) -> None:
        self.largest = layout.largest
        self._vectors = spaces.Box(layout.low / self.largest, layout.high / self.largest, dtype=np.float32)

    def space(self, own: spaces.Space[Any]) -> spaces.Space[Any]:
        if isinstance(own, spaces.Dict):
            return spaces.Dict({**own, "observation": self._vectors})
        return self._vectors

    def __call__(self, seen: Any) -> Scaled:
        if isinstance(seen, dict):
            return {**seen, "observation": self(seen["observation"])}
        return np.divide(seen, self.largest, dtype=np.float32)


class ScaledTable(BaseWrapper[str, Scaled, int]):
    """A PettingZoo table whose ``observation`` is float32 in [-1, 1]; ``action_mask`` is unchanged.

    Examples:
        >>> from blackjacky_env import black_jacky_v0
        >>> from blackjacky_env.envs.wrappers import ScaledTable
        >>> env = ScaledTable(black_jacky_v0.env())

    Raises:
        TypeError: ``env`` is not an environment of this package, or another wrapper has changed its observations.
    """

    def __init__(self, env: AECEnv[str, Any, int]) -> None:
        table = getattr(env, "unwrapped", env)
        if not isinstance(table, TableEnv):
            raise TypeError(f"{env} is not a PettingZoo environment of this package: its ranges are not declared")
        super().__init__(env)
        self._scaling = _Scaling(table.game.layout)
        self.observation_spaces = {}
        for agent in table.possible_agents:
            own = table.observation_space(agent)
            _refuse_changed(env, env.observation_space(agent), own)
            self.observation_spaces[agent] = self._scaling.space(own)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The same space for every agent: the table's, with a float32 ``observation``."""
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Scaled | None:
        """The observation of ``agent``, scaled."""
        seen = super().observe(agent)
        return None if seen is None else self._scaling(seen)


class ScaledSeat(gymnasium.ObservationWrapper[Scaled, Any, Any], RecordConstructorArgs):
    """A Gymnasium seat whose observation is float32 in [-1, 1]; ``info["action_mask"]`` is unchanged.

    Examples:
        >>> import blackjacky_env, gymnasium
        >>> from blackjacky_env.envs.wrappers import ScaledSeat
        >>> env = ScaledSeat(gymnasium.make("blackjacky/BlackJackySeat-v0"))

    Raises:
        TypeError: ``env`` is not an environment of this package, or another wrapper has changed its observations.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        seat = getattr(env, "unwrapped", env)
        if not isinstance(seat, SeatEnv):
            raise TypeError(f"{env} is not a Gymnasium environment of this package: its ranges are not declared")
        RecordConstructorArgs.__init__(self)  # makes `gymnasium.make(env.spec)` work
        gymnasium.ObservationWrapper.__init__(self, env)
        _refuse_changed(env, env.observation_space, seat.observation_space)
        self._scaling = _Scaling(seat.table.game.layout)
        self.observation_space = self._scaling.space(seat.observation_space)

    def observation(self, observation: Any) -> Scaled:
        """The observation, scaled."""
        return self._scaling(observation)


def _refuse_changed(env: object, space: object, own: object) -> None:
    if space != own:
        raise TypeError(f"the observations of {env} were changed by another wrapper: put this one inside it")
