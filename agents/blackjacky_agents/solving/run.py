"""A run of a solver in a folder: settings, progress, checkpoints, and the solution."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy.typing as npt

from blackjacky_agents.checkpoint import MOST_COUNTED, MOST_SECONDS, has_checkpoint, load_checkpoint, save_checkpoint
from blackjacky_agents.files import versions, write_file, write_json
from blackjacky_agents.reports import machine
from blackjacky_agents.solving import cfr
from blackjacky_agents.solving.parts import MOST_PARTS, PartedSolver
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import SOLUTION_FILE, policy_of, save_solution, strategies_of
from blackjacky_agents.solving.strategies import Strategies, Worth, worth_of
from blackjacky_agents.solving.table import Table
from blackjacky_agents.solving.tree import Progress, Tree, build_tree
from blackjacky_agents.stopping import stop_gently
from blackjacky_env.checks import check_choice, check_integer, check_number
from blackjacky_env.reading import MAX_DATA, MAX_LIST, parse_json, read_file

if TYPE_CHECKING:
    from blackjacky_agents.arena.cluster import ClusterExecutor

Algorithm = Literal["dcfr", "cfr+", "cfr", "mccfr"]
GIB = 2**30
PROGRESS_FILE = "progress.jsonl"
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
    measure: bool = True
    """With ``"mccfr"``: build the tree as well, to measure the exploitability."""
    parts: int = 0
    """With ``"mccfr"``: parts of a round (`blackjacky_agents.solving.parts`); 0: it is not cut into parts."""

    @property
    def table(self) -> Table:
        """The table; `TypeError` or `ValueError` say what is allowed."""
        return Table.of(self.game, self.players, self.variant, **self.rule_options)


class _Solver(Protocol):
    iterations: int

    def run(self, iterations: int) -> None: ...
    def save(self) -> dict[str, npt.NDArray[Any]]: ...
    def restore(self, kept: dict[str, npt.NDArray[Any]]) -> None: ...


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
    """Solves a table in a folder, of which this process must be the only writer.

    Args:
        settings: what to solve, and how.
        folder: for checkpoints, progress and the solution.
        command: the command line, for the card.
        threads: CPU threads; the solution does not depend on it.
        clock: what ``seconds`` are measured with.
    """

    cluster: ClusterExecutor | None = None
    """Samples the parts of rounds, if there is one, instead of this machine."""

    def __init__(
        self,
        settings: SolveSettings,
        folder: Path,
        command: str,
        threads: int = 1,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.settings, self.folder, self.command, self.threads = settings, folder, command, threads
        self.clock = clock
        self.table = settings.table
        self.tree: Tree | None = None
        self.seconds = 0.0
        """Of solving, without building the tree and evaluations."""
        self.worth: Worth | None = None
        """At the last evaluation."""
        self.interrupted = False
        self._piece = 1  # iterations between two looks at the clock
        self.solver: _Solver

    def prepare(self, progress: Progress = lambda fraction, nodes: None, tree: Tree | None = None) -> list[str]:
        """Build the tree, and continue from the newest checkpoint, if there is one; returns complaints about others.

        ``tree``: that of the table, if it has been built already.
        """
        write_json(self.folder / "config.json", self._config())
        self.tree = tree
        if tree is None and (self.settings.algorithm != "mccfr" or self.settings.measure):
            self.tree = build_tree(self.table, self.settings.memory * GIB, progress)
        self.solver = self._make_solver()
        if not has_checkpoint(self.folder / "checkpoints"):
            (self.folder / PROGRESS_FILE).unlink(missing_ok=True)
            return []
        most = int(self.settings.memory * GIB)
        arrays, state, complaints = load_checkpoint(self.folder / "checkpoints", max(MAX_DATA, most))
        seconds = check_number("seconds of the checkpoint", state.get("seconds"), 0, MOST_SECONDS)
        self.solver.restore(arrays)
        self.seconds = seconds
        self._measure()
        self._cut_progress()
        return complaints

    def _config(self) -> dict[str, Any]:
        return {"command": self.command, "settings": asdict(self.settings), "versions": versions()}

    def _make_solver(self) -> _Solver:
        settings = self.settings
        if settings.algorithm == "mccfr":
            given = (self.table, settings.seed, settings.memory * GIB, self.threads)
            return PartedSolver(*given, settings.parts, self.cluster) if settings.parts else SampledSolver(*given)
        assert self.tree is not None
        return cfr.Solver(self.tree, settings.algorithm, self.threads)

    def solve(self, limits: Limits, report: Callable[[SolvingRun], object] = lambda run: None) -> None:
        """Do iterations up to a limit, then write the solution; ``report`` is called between them.

        Ctrl-C or SIGTERM leaves a checkpoint after whole iterations, then raises `KeyboardInterrupt`.
        """
        with stop_gently(self, "these iterations"):
            self._iterate(limits, report)
        self.save()
        if self.interrupted:
            raise KeyboardInterrupt
        self.write_solution()

    def _iterate(self, limits: Limits, report: Callable[[SolvingRun], object]) -> None:
        saved = time.perf_counter()
        while not limits.are_reached(self.seconds, self.solver.iterations, self.worth):
            goal = int(max(self.solver.iterations + 1, self.solver.iterations * _GROWTH))
            self._run_to(int(min(goal, limits.iterations)), limits.seconds, report)
            if self.interrupted:
                return
            self._measure()
            self._note()
            report(self)
            if time.perf_counter() - saved > _SAVE_EVERY:
                self.save()
                saved = time.perf_counter()

    def _run_to(self, goal: int, seconds: float, report: Callable[[SolvingRun], object]) -> None:
        """Do iterations in pieces that are short enough to look at the clock, and to be interrupted, between them."""
        while self.solver.iterations < goal and self.seconds < seconds and not self.interrupted:
            begun = self.clock()
            self.solver.run(min(self._piece, goal - self.solver.iterations))
            took = self.clock() - begun
            self.seconds += took
            if took < _PIECE / 2:
                self._piece *= 2
            elif took > 2 * _PIECE:
                self._piece = max(1, self._piece // 2)
            report(self)

    def strategies(self) -> Strategies | None:
        """The average strategies; None without a tree."""
        if self.tree is None:
            return None
        if isinstance(self.solver, SampledSolver):
            return strategies_of(self.tree, self.solver.policy())
        assert isinstance(self.solver, cfr.Solver)
        return self.solver.average()

    def _measure(self) -> None:
        strategies = self.strategies()
        if self.tree is not None and strategies is not None:
            self.worth = worth_of(self.tree, strategies, self.threads)

    def _note(self) -> None:
        """Add the last evaluation to the progress."""
        with (self.folder / PROGRESS_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(self.facts()) + "\n")

    def _cut_progress(self) -> None:
        """Leave out what came after the checkpoint, and a line that was cut short."""
        file = self.folder / PROGRESS_FILE
        lines = read_progress(self.folder) if file.is_file() else []
        kept = [line for line in lines if line["iterations"] <= self.solver.iterations]
        write_file(file, "".join(json.dumps(line) + "\n" for line in kept))

    def facts(self) -> dict[str, Any]:
        """How far the run is, JSON-ready."""
        worth = self.worth
        found = {} if worth is None else {**worth._asdict(), "exploitability": worth.exploitability}
        kept = {}
        if isinstance(self.solver, SampledSolver):
            kept = {"states": self.solver.num_states, "left_out": self.solver.left_out}
        return {"iterations": self.solver.iterations, "seconds": round(self.seconds, 6), **kept, **found}

    def save(self) -> None:
        """Write a checkpoint."""
        save_checkpoint(
            self.folder / "checkpoints", self.solver.iterations, self.solver.save(), {"seconds": self.seconds}
        )

    def write_solution(self) -> None:
        """Write the solution and its card."""
        strategies = self.strategies()
        if isinstance(self.solver, SampledSolver):
            policy = self.solver.policy()
        else:
            assert self.tree is not None
            assert strategies is not None
            policy = policy_of(self.tree, strategies)
        size, tree = {}, self.tree
        if tree is not None:
            size = {"nodes": tree.num_nodes, "information_states": tree.num_states, "ends": tree.num_ends}
        facts = {"algorithm": self.settings.algorithm, "seed": self.settings.seed, **size, **self.facts()}
        save_solution(
            self.folder / SOLUTION_FILE,
            policy,
            self.table,
            complete=not isinstance(self.solver, SampledSolver),
            **facts,
            command=self.command,
            machine=machine(),
            versions=versions(),
        )


def read_settings(folder: Path) -> tuple[SolveSettings, str]:
    """The settings and the command of the run in a folder; `ValueError` if there is none."""
    try:
        config = parse_json(read_file(folder / "config.json"))
        return _checked(SolveSettings(**config["settings"])), str(config["command"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"there is no run of a solver in {str(folder)!r}: {error}") from None


def _checked(settings: SolveSettings) -> SolveSettings:
    """``settings``; `TypeError` or `ValueError` if no command has written them."""
    check_choice("algorithm", settings.algorithm, get_args(Algorithm))
    check_integer("seed", settings.seed, 0, 2**63 - 1)
    check_integer("parts", settings.parts, 0, MOST_PARTS)
    if not isinstance(settings.memory, int | float) or not 0 < settings.memory < float("inf"):
        raise ValueError(f"memory={settings.memory!r} is no number of GiB above 0")
    if not isinstance(settings.rule_options, dict):
        raise TypeError(f"rule_options={settings.rule_options!r} are no options by name")
    _ = settings.table
    return settings


def read_progress(folder: Path) -> list[dict[str, Any]]:
    """The evaluations of a run, oldest first, up to a line that was cut short or is damaged."""
    lines = []
    for text in read_file(folder / PROGRESS_FILE, MAX_LIST).splitlines():
        try:
            line = parse_json(text)
            check_number("iterations", line["iterations"], 0, MOST_COUNTED)
        except (ValueError, TypeError, KeyError):
            break
        lines.append(line)
    return lines
