"""Solve the small tables that games declare, and measure how far every agent is from perfect play there.

    python scripts/documents/measure_exact.py                          # everything that is missing; hours
    python scripts/documents/measure_exact.py --tables mini-1 mini-2 --minutes 1
    python scripts/documents/generate.py                               # the tables and pictures of docs/exact.md

agents/results/GAME/exact.json holds the results, to which every call adds what it lacks: the size and value of each
table, the exploitability and the costliest habits of agents, and how exploitability falls with the seconds of solvers
and of PPO by self-play. Everything runs on one thread, and seconds are those of the CPU, so that they do not depend on
what else the machine does. What was interrupted goes on when the command is repeated.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import tyro
from parts import RESULTS, ROOMS, ROOT

from blackjacky_agents import make_agent
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.files import only_writer, write_json
from blackjacky_agents.games import agent_names
from blackjacky_agents.learning.run import Clock
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.settings import SelfPlaySettings, presets_of
from blackjacky_agents.reports import typed, where
from blackjacky_agents.solving.asking import ask_everywhere
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.habits import costliest_habits
from blackjacky_agents.solving.run import GIB, Limits, SolveSettings, SolvingRun, read_progress
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.strategies import Strategies, Worth, worth_of
from blackjacky_agents.solving.table import Table
from blackjacky_agents.solving.tree import Tree, build_tree
from blackjacky_env.games import get_game

RUNS = ROOT / "runs" / "exact"
SOLVERS = ("cfr", "cfr+", "dcfr", "mccfr")
MOST_FOR_SAMPLED = 1.0
"""GiB for the information states that sampled games meet."""
LEARNER = "ppo"
PRESET = "scratch"
"""The training preset of the learner: PPO by self-play."""


@dataclass(frozen=True)
class Args:
    """Solve the small tables that games declare, and measure how far every agent is from perfect play there."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    tables: tuple[str, ...] = ()
    """Tables by name; by default all."""
    agents: tuple[str, ...] = ("search:25", "ismcts:100")
    """Agents beside the bots and the champion."""
    curves: tuple[str, ...] = (*SOLVERS, LEARNER)
    """Solvers and learners whose progress is measured."""
    minutes: float = 5.0
    """CPU minutes of each solver and learner."""
    exploitability: float = 1e-5
    """How close to an equilibrium the solution is that gives the value."""
    samples: int = 16
    """Answers in each information state, of agents that draw their actions."""
    most_asked: int = 100_000
    """Information states of the largest table at which slow agents, such as search, are asked."""
    memory: float = 6.0
    """GiB for a tree."""


def main(args: Args) -> None:
    """Measure what is missing."""
    for game in args.games:
        with only_writer(RUNS / game):
            for name in get_game(game).presets:
                if not args.tables or name in args.tables:
                    measure(game, name, args)


class Notes:
    """What is known about a table, in the results of its game; every change is written at once."""

    def __init__(self, game: str, name: str) -> None:
        self._path, self._name = RESULTS / game / "exact.json", name
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self.rows: dict[str, Any] = json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}
        self.row: dict[str, Any] = self.rows.setdefault(name, {})

    def add(self, part: str, find: Callable[[], Any], of: dict[str, Any] | None = None) -> None:
        """Find a part of the row, or of one of its parts, that is missing."""
        holder = self.row if of is None else of
        if part in holder:
            return
        print(f"{self._path.parent.name} {self._name}: {part} ...", flush=True)
        holder[part] = find()
        self.row |= {"command": typed("scripts/documents/measure_exact.py"), "machine": where()}
        write_json(self._path, self.rows)


def measure(game: str, name: str, args: Args) -> None:
    """Measure what is missing of one table."""
    table, notes, folder = Table.of(game, preset=name), Notes(game, name), RUNS / game / name
    if notes.row and not is_of(notes.row, table):
        print(f"{game} {name} is another table than it was: measuring it anew")
        notes.row.clear()
        shutil.rmtree(folder, ignore_errors=True)
    begun = time.process_time()
    tree = build_tree(table, args.memory * GIB)
    seconds = time.process_time() - begun
    notes.add("size", lambda: size_of(tree, seconds))
    compile_solvers(tree)
    best = solve(tree, folder / "solution", "dcfr", args)
    solution = best.strategies()
    assert best.worth is not None
    assert solution is not None
    notes.add("solution", lambda: {**best.facts(), **found(best.worth)})
    agents, curves = notes.row.setdefault("agents", {}), notes.row.setdefault("curves", {})
    slow = args.agents if tree.num_states <= args.most_asked else ()
    for agent in (*agent_names(game), *slow):
        notes.add(agent, lambda agent=agent: distance(tree, make_agent(agent, game), args, solution), agents)
    for solver in args.curves:
        if solver in SOLVERS:
            notes.add(solver, lambda solver=solver: curve(tree, folder / solver, solver, args), curves)
        else:
            notes.add(LEARNER, lambda: learn(tree, folder / LEARNER, args), curves)


def is_of(row: dict[str, Any], table: Table) -> bool:
    """Whether a row of results was measured at this table."""
    return all(row["size"].get(fact) == value for fact, value in as_read(table.identity()).items())


def as_read(value: Any) -> Any:
    """``value`` as it is read from JSON."""
    return json.loads(json.dumps(value))


def size_of(tree: Tree, seconds: float) -> dict[str, Any]:
    """Facts about the table and its tree."""
    sizes = {"nodes": tree.num_nodes, "information_states": tree.num_states, "ends": tree.num_ends}
    return {**tree.table.identity(), **sizes, "bytes": tree.nbytes, "seconds": rounded(seconds)}


def found(worth: Worth) -> dict[str, Any]:
    """Values and gains, JSON-ready."""
    values, gains = ([rounded(each) for each in numbers] for numbers in worth)
    return {"values": values, "gains": gains, "exploitability": rounded(worth.exploitability)}


def rounded(number: float) -> float:
    """A number with six digits, however small it is."""
    return float(f"{number:.6g}")


def compile_solvers(tree: Tree) -> None:
    """Compile them before their clocks start."""
    Solver(tree).run(1)
    SampledSolver(tree.table, memory=2**22).run(1)


def solve(tree: Tree, folder: Path, algorithm: Any, args: Args) -> SolvingRun:
    """A run that has solved a table as far as it may; it goes on where it was interrupted."""
    table = tree.table
    folder.mkdir(parents=True, exist_ok=True)
    settings = SolveSettings(
        game=table.game.name,
        players=table.num_players,
        variant=table.variant,
        rule_options=dict(table.options),
        algorithm=algorithm,
        memory=min(args.memory, MOST_FOR_SAMPLED) if algorithm == "mccfr" else args.memory,
    )
    run = SolvingRun(settings, folder, "scripts/documents/measure_exact.py", clock=time.process_time)
    run.prepare(tree=tree)
    run.solve(Limits(60 * args.minutes, math.inf, args.exploitability))
    return run


def curve(tree: Tree, folder: Path, algorithm: str, args: Args) -> list[list[float]]:
    """Seconds and exploitability of a solver."""
    solve(tree, folder, algorithm, args)
    return [[line["seconds"], rounded(line["exploitability"])] for line in read_progress(folder)]


def distance(tree: Tree, agent: Any, args: Args, solution: Strategies | None = None) -> dict[str, Any]:
    """What could be gained against an agent, how its policy was found, and its costliest habits."""
    asked = ask_everywhere(tree.table, agent, args.samples, memory=args.memory * GIB)
    worth = found(worth_of(tree, asked.strategies))
    if solution is None:
        return worth
    habits = costliest_habits(tree, solution, asked.strategies)
    told = [{**each._asdict(), "cost": rounded(each.cost), "corrected": rounded(each.corrected)} for each in habits]
    return {**worth, "how": asked.how, "habits": told}


class Measured(SelfPlay):
    """PPO by self-play whose exploitability is computed at every evaluation, while its clock stands still."""

    tree: Tree
    args: Args
    curve: list[list[float]]

    def evaluate(self) -> dict[str, float]:
        """As `SelfPlay`; the policy is that of training, which draws its actions."""
        self.clock.stop()
        rates = super().evaluate()
        agent: CompiledAgent = self.agent(greedy=False)
        self.curve.append([rounded(self.clock.seconds), distance(self.tree, agent, self.args)["exploitability"]])
        self.clock.set(self.clock.seconds)
        return rates


def learn(tree: Tree, folder: Path, args: Args) -> list[list[float]]:
    """Seconds and exploitability of PPO by self-play at this table."""
    table, usual = tree.table, presets_of(tree.table.game.name)[PRESET]
    assert isinstance(usual, SelfPlaySettings)
    settings = replace(
        usual,
        name=folder.name,
        players=(table.num_players,),
        variant=table.variant,
        rule_options=dict(table.options),
        bots=("random",),
        self_play_fraction=1.0,
        single_opponent_fraction=0.0,
        minutes=args.minutes,
        snapshot_every=200_000,
        eval_games=100,
        final_eval_games=100,
        threads=1,
        log=(),
    )
    folder.mkdir(parents=True, exist_ok=True)
    run = Measured(settings, folder, "scripts/documents/measure_exact.py")
    run.tree, run.args, run.curve, run.clock = tree, args, [], Clock(args.minutes, time.process_time)
    if not run.train():
        raise KeyboardInterrupt  # the curve of a part of a training is no result
    return run.curve


if __name__ == "__main__":
    main(tyro.cli(Args))
