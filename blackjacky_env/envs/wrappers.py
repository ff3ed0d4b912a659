"""Wrappers that scale observations to float32 by the ranges that the game declares.

Each entry is divided by the largest magnitude that its part of the layout allows, so 0 stays 0 and all entries lie in
[-1, 1], or in [0, 1] where the part has no negative values. Masks are unchanged.
"""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from blackjacky_env.engine.layout import Layout
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv

Scaled = npt.NDArray[np.float32]


class _Scaling:
    """Scales vectors of a layout to float32."""

    def __init__(self, layout: Layout) -> None:
        self.largest = layout.largest
        self.space = spaces.Box(layout.low / self.largest, layout.high / self.largest, dtype=np.float32)

    def __call__(self, vector: npt.NDArray[Any]) -> Scaled:
        scaled: Scaled = np.divide(vector, self.largest, dtype=np.float32)
        return scaled


class ScaledTable(BaseWrapper[str, dict[str, npt.NDArray[Any]], int]):
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
            own = cast("spaces.Dict", table.observation_space(agent))
            _refuse_changed(env, env.observation_space(agent), own)
            scaled = spaces.Dict({"observation": self._scaling.space, "action_mask": own["action_mask"]})
            self.observation_spaces[agent] = cast("gymnasium.Space[Any]", scaled)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The same Dict space for every agent: ``observation`` (float32) and ``action_mask`` (int8, 0 or 1)."""
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]] | None:
        """The observation of ``agent``, scaled."""
        seen = super().observe(agent)
        if seen is None:
            return None
        return {**seen, "observation": self._scaling(seen["observation"])}


class ScaledSeat(gymnasium.ObservationWrapper[Scaled, Any, npt.NDArray[Any]], RecordConstructorArgs):
    """A Gymnasium seat whose observation is float32 in [-1, 1]; ``info["action_mask"]`` is unchanged.

    Examples:
        >>> import blackjacky_env, gymnasium
        >>> from blackjacky_env.envs.wrappers import ScaledSeat
        >>> env = ScaledSeat(gymnasium.make("blackjacky/BlackJackySeat-v0"))

    Raises:
        TypeError: ``env`` is not an environment of this package, or another wrapper has changed its observations.
    """

    def __init__(self, env: gymnasium.Env[npt.NDArray[Any], Any]) -> None:
        seat = getattr(env, "unwrapped", env)
        if not isinstance(seat, SeatEnv):
            raise TypeError(f"{env} is not a Gymnasium environment of this package: its ranges are not declared")
        RecordConstructorArgs.__init__(self)  # makes `gymnasium.make(env.spec)` work
        gymnasium.ObservationWrapper.__init__(self, env)
        _refuse_changed(env, env.observation_space, seat.observation_space)
        self._scaling = _Scaling(seat.table.game.layout)
        self.observation_space = self._scaling.space

    def observation(self, observation: npt.NDArray[Any]) -> Scaled:
        """The observation, scaled."""
        return self._scaling(observation)


def _refuse_changed(env: object, space: object, own: object) -> None:
    if space != own:
        raise TypeError(f"the observations of {env} were changed by another wrapper: put this one inside it")
