"""Runs of an algorithm with several seeds, each in a file of its own, one on each core."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from blackjacky_agents.arena.workers import open_workers
from blackjacky_agents.benchmark.algorithms import AVERAGES, find_algorithm
from blackjacky_agents.benchmark.tasks import Task, measured
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.views import Views, tree_and_views
from blackjacky_agents.storage.files import write_json
from blackjacky_env.reading import parse_json, read_file

_LOOK = 0.5  # seconds between two looks at how far runs are
CONFIG = "config.json"
_STARTED: set[Path] = set()
"""Folders of runs of which this process has had one."""


@dataclass(frozen=True)
class Runs:
    """What runs in a folder have in common; called with a seed in each process. JSON-ready but for the folder."""

    game: str
    players: int
    variant: str
    options: Mapping[str, Any]
    algorithm: str
    settings: Mapping[str, Any]
    due: tuple[int, ...]
    memory: float
    """Bytes for tree and views."""
    folder: Path

    def begin(self) -> None:
        """Write down what the runs are; `ValueError` if the folder has runs of other settings or another version."""
        facts = {**asdict(self), "version": SmallTable.of(self.game).game.version}
        kept = {name: fact for name, fact in facts.items() if name not in ("folder", "memory")}
        config, path = parse_json(json.dumps(kept)), self.folder / CONFIG
        if not any(self.folder.glob("seed-*.json")):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(path, config)
        elif not path.exists() or parse_json(read_file(path)) != config:
            raise ValueError(f"{str(self.folder)!r} has runs of something else ({path}); choose another --name")

    def rows(self, seed: int) -> list[dict[str, Any]]:
        """What the run of a seed has measured so far."""
        path = self.folder / f"seed-{seed}.json"
        found: list[dict[str, Any]] = parse_json(read_file(path)) if path.exists() else []
        return found

    def is_done(self, seed: int) -> bool:
        """Whether the run of a seed has ended."""
        return len(self.rows(seed)) == len(self.due)

    def __call__(self, seed: int) -> None:
        """Run a seed from its beginning; errors are those of `measured`."""
        tree, views = _exact(self.game, self.players, self.variant, json.dumps(dict(self.options)), self.memory)
        task, rows, algorithm = Task(tree.table, seed, self.due, tree, views), [], find_algorithm(self.algorithm)
        if self.folder not in _STARTED:  # what it calls is compiled before its clock starts
            _STARTED.add(self.folder)
            deque(measured(algorithm, task._replace(due=(1,)), self.settings), 0)
        for row in measured(algorithm, task, self.settings, self.algorithm not in AVERAGES):
            rows.append({"seed": seed, **row})
            write_json(self.folder / f"seed-{seed}.json", rows)

    def decisions(self, seed: int) -> int:
        """How far the run of a seed is."""
        rows = self.rows(seed)
        return rows[-1]["decisions"] if rows else 0


def run_all(jobs: Sequence[tuple[Runs, int]], cores: int, report: Callable[[], object]) -> None:
    """Run the seeds that have not ended, one on each core; ``report`` is called all the time, and at the end."""
    with open_workers(Runs.__call__, cores, threads=False, apart=True) as workers:
        running = {workers.submit(runs, seed) for runs, seed in jobs if not runs.is_done(seed)}
        while running:
            ended, running = wait(running, _LOOK, "FIRST_EXCEPTION")
            report()
            for each in ended:
                each.result()


@lru_cache(1)  # trees may be large
def _exact(game: str, players: int, variant: str, options: str, memory: float) -> tuple[GameTree, Views]:
    """The tree and the views of a table, once in each process for all runs that follow each other."""
    return tree_and_views(SmallTable.of(game, players, variant, **parse_json(options)), memory)
