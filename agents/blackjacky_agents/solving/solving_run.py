"""A run of a solver in a folder: settings, checkpoints, and the solution."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from blackjacky_agents.reports import machine
from blackjacky_agents.solving import cfr
from blackjacky_agents.solving.game_tree import GameTree, Progress, build_tree
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solution import SOLUTION_FILE, save_solution
from blackjacky_agents.solving.strategies import Worth, worth_of
from blackjacky_agents.stopping import stop_gently
from blackjacky_agents.storage.checkpoint import MOST_SECONDS, has_checkpoint, load_checkpoint, save_checkpoint
from blackjacky_agents.storage.files import versions, write_json
from blackjacky_env.checks import check_choice, check_integer, check_number
from blackjacky_env.reading import MAX_DATA, parse_json, read_file

Algorithm = Literal["dcfr", "cfr+", "cfr", "mccfr"]
GIB = 2**30
_GROWTH = 1.25  # iterations from one evaluation to the next
_PIECE = 0.5  # seconds between two looks at the clock
_SAVE_EVERY = 120.0  # seconds


@dataclass(frozen=True, kw_only=True)
class SolveSettings:
    """What determines a solution, with the number of iterations."""

    game: str
    players: int
    variant: str
    rule_options: dict[str, Any] = field(default_factory=dict)
    algorithm: Algorithm = "dcfr"
    seed: int = 0
    memory: float = 4.0
    """GiB for the tree, or with ``"mccfr"`` for the information states that are kept."""

    def __post_init__(self) -> None:
        check_choice("algorithm", self.algorithm, get_args(Algorithm))
        check_integer("seed", self.seed, 0, 2**63 - 1)
        if not isinstance(self.memory, int | float) or not 0 < self.memory < float("inf"):
            raise ValueError(f"memory={self.memory!r} is no number of GiB above 0")
        if not isinstance(self.rule_options, dict):
            raise TypeError(f"rule_options={self.rule_options!r} are no options by name")

    @property
    def table(self) -> SmallTable:
        """The table; `TypeError` or `ValueError` say what is allowed."""
        return SmallTable.of(self.game, self.players, self.variant, **self.rule_options)


@dataclass
class Limits:
    """When a run ends: whatever comes first."""

    seconds: float = float("inf")
    iterations: float = float("inf")
    exploitability: float = 0.0

    def are_reached(self, seconds: float, iterations: int, worth: Worth | None) -> bool:
        """Whether one of them is."""
        close = worth is not None and worth.exploitability <= self.exploitability
        return close or seconds >= self.seconds or iterations >= self.iterations


class SolvingRun:
    """Solves a table in a folder, of which this process must be the only writer; nothing is there before `begin`.

    ``clock`` measures the seconds of solving; ``tree`` is that of the table if it has been built already. Raises
    `ValueError` for a table that cannot be solved like this.
    """

    def __init__(
        self,
        settings: SolveSettings,
        folder: Path,
        command: str,
        threads: int = 1,
        clock: Callable[[], float] = time.perf_counter,
        tree: GameTree | None = None,
        progress: Progress = lambda nodes: None,
    ) -> None:
        self.settings, self.folder, self.command, self.threads = settings, folder, command, threads
        self.clock, self.table, self.tree = clock, settings.table, tree
        self._memory = int(settings.memory * GIB)
        self.solver: cfr.Solver | SampledSolver
        if settings.algorithm == "mccfr":
            self.solver = SampledSolver(self.table, settings.seed, self._memory)
        else:
            self.tree = tree or build_tree(self.table, self._memory, progress)
            self.solver = cfr.Solver(self.tree, settings.algorithm, threads)
        self.seconds = 0.0
        """Of solving, without building the tree and evaluations."""
        self.worth: Worth | None = None
        """At the last evaluation; None without a tree."""
        self.interrupted = False
        self._piece = 1  # iterations between two looks at the clock

    def begin(self) -> list[str]:
        """Continue from the newest checkpoint, if there is one; returns complaints about others."""
        config = {"command": self.command, "settings": asdict(self.settings), "versions": versions()}
        write_json(self.folder / "config.json", config)
        if not has_checkpoint(self.folder / "checkpoints"):
            return []
        arrays, state, complaints = load_checkpoint(self.folder / "checkpoints", max(MAX_DATA, self._memory))
        seconds = check_number("seconds of the checkpoint", state.get("seconds"), 0, MOST_SECONDS)
        self.solver.restore(arrays)
        self.seconds = seconds
        self._measure()
        return complaints

    def solve(self, limits: Limits, report: Callable[[SolvingRun], object] = lambda run: None) -> None:
        """Do iterations up to a limit, then write the solution; ``report`` is called between them.

        Ctrl-C or SIGTERM leaves a checkpoint after whole iterations, then raises `KeyboardInterrupt`.
        """
        with stop_gently(self, "these iterations"):
            self._iterate(limits, report)
        self.save()
        if self.interrupted:
            raise KeyboardInterrupt
        size, tree = {}, self.tree
        if tree is not None:
            size = {"nodes": tree.num_nodes, "information_states": tree.num_states, "ends": tree.num_ends}
        facts = {"algorithm": self.settings.algorithm, "seed": self.settings.seed, **size, **self.facts()}
        facts |= {"command": self.command, "machine": machine(), "versions": versions()}
        policy, path = self.solver.policy(), self.folder / SOLUTION_FILE
        save_solution(path, policy, self.table, complete=tree is not None, **facts)

    def _iterate(self, limits: Limits, report: Callable[[SolvingRun], object]) -> None:
        saved = time.perf_counter()
        while not limits.are_reached(self.seconds, self.solver.iterations, self.worth):
            goal = int(min(max(self.solver.iterations + 1, self.solver.iterations * _GROWTH), limits.iterations))
            while self.solver.iterations < goal and self.seconds < limits.seconds:
                self._run_piece(goal)
                report(self)
                if self.interrupted:
                    return
                if time.perf_counter() - saved > _SAVE_EVERY:
                    self.save()
                    saved = time.perf_counter()
            self._measure()
            report(self)

    def _run_piece(self, goal: int) -> None:
        """Do iterations for a time short enough to look at the clock, and to be interrupted, after them."""
        begun = self.clock()
        self.solver.run(min(self._piece, goal - self.solver.iterations))
        took = self.clock() - begun
        self.seconds += took
        if took < _PIECE / 2:
            self._piece *= 2
        elif took > 2 * _PIECE:
            self._piece = max(1, self._piece // 2)

    def _measure(self) -> None:
        if isinstance(self.solver, cfr.Solver):
            self.worth = worth_of(self.solver.tree, self.solver.average(), self.threads)

    def facts(self) -> dict[str, Any]:
        """How far the run is, JSON-ready."""
        told: dict[str, Any] = {"iterations": self.solver.iterations, "seconds": round(self.seconds, 6)}
        if isinstance(self.solver, SampledSolver):
            told |= {"states": self.solver.num_states, "left_out": self.solver.left_out}
        if self.worth is not None:
            told |= {**self.worth._asdict(), "exploitability": self.worth.exploitability}
        return told

    def save(self) -> None:
        """Write a checkpoint."""
        save_checkpoint(
            self.folder / "checkpoints", self.solver.iterations, self.solver.save(), {"seconds": self.seconds}
        )


def read_settings(folder: Path) -> tuple[SolveSettings, str]:
    """The settings and the command of the run in a folder; `ValueError` if there is none."""
    try:
        config = parse_json(read_file(folder / "config.json"))
        settings = SolveSettings(**config["settings"])
        _ = settings.table
        return settings, str(config["command"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"there is no run of a solver in {str(folder)!r}: {error}") from None
