"""The learning curve of an example: from time to time its policy plays whole games in the arena, against random agents.

Decisions are counted as frameworks count them, so curves of different frameworks can be compared. A curve is a file
``runs/frameworks/NAME.csv``, which `make frameworks` keeps in results/frameworks.json.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blackjacky_agents import make_agent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.reports import percent

FOLDER = Path("runs/frameworks")
Choose = Callable[[np.ndarray, np.ndarray], Any]
"""The number of an action, from the vector (float32, (K,)) and the mask (bool, (A,)) of one observation."""


@dataclass
class Learned:
    """A policy of any framework as an agent of the arena."""

    choose: Choose
    name: str = "learned"

    def reset(self, seed: int | None = None) -> None:
        """Nothing to reseed: the framework draws the policy's actions."""

    def act(self, observation: dict[str, np.ndarray]) -> int:
        """The policy's action."""
        return int(self.choose(observation["observation"].astype(np.float32), observation["action_mask"].astype(bool)))

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The policy's actions, (N,)."""
        seen = zip(observations, masks, strict=True)
        return np.array([self.act({"observation": vector, "action_mask": mask}) for vector, mask in seen])


class LearningCurve:
    """Win rates against random agents by number of decisions; time spent on evaluation does not count as training.

    Args:
        name: name of the file.
        every: decisions between two points.
        games: games of a point; 1,000 give a win rate to within 3 percentage points.
        game: name of the game.
        num_players: players at the table.
    """

    def __init__(
        self, name: str, every: int, games: int = 1_000, game: str = "black_jacky", num_players: int = 4
    ) -> None:
        self.path, self.every, self.games = FOLDER / f"{name}.csv", every, games
        self.game, self.num_players = game, num_players
        self.rows: list[dict[str, Any]] = []
        self._next = 0
        self._seconds = self._cpu_seconds = 0.0
        self._start()

    def add(self, decisions: int, choose: Choose) -> None:
        """Add a point if one is due after this number of decisions."""
        if decisions < self._next:
            return
        self._seconds += time.perf_counter() - self._started
        self._cpu_seconds += time.process_time() - self._cpu_started
        self._next = decisions - decisions % self.every + self.every
        random = [make_agent("random", self.game)]
        score = against_copies(Learned(choose), random, self.num_players, self.games, seed=10**6, game=self.game)[0]
        row = {"decisions": decisions, "seconds": round(self._seconds, 3), "cpu_seconds": round(self._cpu_seconds, 3)}
        self.rows.append(row | {"win_rate": score.win_rate, "low": score.low, "high": score.high, "games": score.games})
        self._write()
        won = f"{percent(score.win_rate)} ({percent(score.low)} .. {percent(score.high)})"
        print(f"{decisions:>9,} decisions: wins {won}", flush=True)
        self._start()

    def _start(self) -> None:
        self._started, self._cpu_started = time.perf_counter(), time.process_time()

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.rows[0])
            writer.writeheader()
            writer.writerows(self.rows)
