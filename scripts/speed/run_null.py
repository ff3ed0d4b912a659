"""Run an example with environments that do nothing, which shows what its framework costs.

    python scripts/speed/run_null.py examples/sb3_maskable_ppo.py --decisions 8192

Spaces, options and lengths of games are those of the real environments; every observation is the first one, and no move
changes anything. What follows the script's name are arguments of the example.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv

DECISIONS = 24
"""Decisions of a seat in one game, about as many as in a random game of the default game."""


def again(observation: Any) -> Any:
    """The same observation, in a new dict if it is one, because TorchRL puts more into it."""
    return dict(observation) if isinstance(observation, dict) else observation


class NullTable:
    """Methods of a table at which nothing happens."""

    def reset(self: Any, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; only the first is a real one."""
        if not hasattr(self, "_seen"):
            real_reset(self, seed=seed)
            self._seen = real_observe(self, self.agent_selection)
            self._info = self.infos[self.agent_selection]
        self._reset_bookkeeping()
        self.infos = dict.fromkeys(self.agents, self._info)
        self._left = DECISIONS * len(self.agents)

    def observe(self: Any, agent: str) -> Any:
        """The first observation."""
        return again(self._seen)

    def step(self: Any, action: int | None) -> None:
        """Pass the turn, or end the game."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(None)
            return
        self._left -= 1
        if self._left:
            self.agent_selection = self.agents[self._left % len(self.agents)]
        else:
            self.terminations = dict.fromkeys(self.agents, True)


class NullSeat:
    """Methods of a seat at which nothing happens."""

    def reset(self: Any, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start a game; only the first is a real one."""
        if not hasattr(self, "_first"):
            self._first = real_seat_reset(self, seed=seed)
        self._left = DECISIONS
        observation, info = self._first
        return again(observation), info

    def step(self: Any, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Count down to the end of the game."""
        self._left -= 1
        observation, info = self._first
        return again(observation), 0.0, self._left == 0, False, info

    def action_masks(self: Any) -> Any:
        """The first mask."""
        return self._first[1]["action_mask"]


class NullSeats:
    """Methods of many seats at which nothing happens; they end all games at once and restart them in the same step."""

    def reset(self: Any, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start games; only the first are real ones."""
        self._first, self._left = real_seats_reset(self, seed=seed), DECISIONS
        return self._first

    def step(self: Any, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Count down to the end of the games."""
        self._left = self._left - 1 or DECISIONS
        observations, info = self._first
        ended = np.full(self.num_envs, self._left == DECISIONS)
        return observations, np.zeros(self.num_envs), ended, np.zeros(self.num_envs, np.bool_), info


real_reset, real_observe = TableEnv.reset, TableEnv.observe
real_seat_reset, real_seats_reset = SeatEnv.reset, SeatVectorEnv.reset


def main(example: Path, arguments: list[str]) -> None:
    """Replace the methods of all environments and run the example as a program."""
    for real, null in ((TableEnv, NullTable), (SeatEnv, NullSeat), (SeatVectorEnv, NullSeats)):
        for name in {"reset", "step", "observe", "action_masks"} & vars(null).keys():
            setattr(real, name, vars(null)[name])
    sys.argv = [str(example), *arguments]
    sys.path.insert(0, str(example.parent))
    runpy.run_path(str(example), run_name="__main__")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
