"""Solve the small tables that a game declares, and measure how far its agents are from perfect play there.

    python -m scripts.measures.exact --game GAME                # what is missing, or of other weights
    python -m scripts.measures.exact --tables mini-1 --minutes 1

results/GAME/exact.json has the size and value of each table, the floor of its views, and the exploitability of agents.
A table that has been solved by today's rules is not solved again: only agents are asked, in minutes where solving takes
an hour or two, and the row has the commit that solved it. Everything runs on one thread; seconds are those of the CPU.
"""

from __future__ import annotations

import functools
import json
import math
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tyro

from blackjacky_agents import make_agent
from blackjacky_agents.games import agent_names
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solving_run import GIB, Limits, SolveSettings, SolvingRun
from blackjacky_agents.solving.strategies import Worth, worth_of
from blackjacky_agents.solving.views import Views, floor, tree_and_views
from blackjacky_env.games import DEFAULT, get_game
from scripts.measures.benchmark import PLAN
from scripts.results import commit, earlier, other_weights, path_of, save


@dataclass(frozen=True)
class Args:
    """Solve the small tables of a game, and measure how far its agents are from perfect play there."""

    game: str = DEFAULT  # Name of the game.
    tables: tuple[str, ...] = ()  # Tables by name; by default all but those at which settings are chosen.
    minutes: float = 15.0  # CPU minutes of the solver.
    exploitability: float = 1e-5  # How close to an equilibrium the solution is that gives the value.
    samples: int = 16  # Answers in each information state, of agents that draw their actions.
    iterations: int = 1000  # Of CFR+ with states tied that look alike, for the floor of the views.
    memory: float = 9.0  # GiB for a tree.


def main(args: Args) -> None:
    """Measure what is missing; every table is written at once."""
    solved, tune = solved_tables(args.game), tomllib.loads(PLAN.read_text("utf-8"))["tune"]
    unreported = tune["tables"] if args.game == tune["game"] else ()
    for name in args.tables or [name for name in get_game(args.game).tables if name not in unreported]:
        row, asked = solved.get(name, {}), agent_names(args.game)
        if set(asked) <= set(row.get("agents", ())):
            continue
        print(f"{args.game} {name} ...", flush=True)
        table = SmallTable.of(args.game, table=name)
        begun = time.process_time()
        tree, views = tree_and_views(table, args.memory * GIB)
        row = row or {"table": name, **solve(tree, views, time.process_time() - begun, args), "solved at": commit()}
        row["agents"] = {each: ask(tree, views, each, args) for each in asked}
        command = f"python -m scripts.measures.exact --game {args.game}" if args == Args(args.game, args.tables) else ""
        facts: dict[str, Any] = {"game": args.game, "seed": 0, "weights": ["champion"], "command": command}
        save("exact", [row], replaces=functools.partial(is_of, name), **facts)


def is_of(name: str, row: Mapping[str, Any]) -> bool:
    """Whether a row is that of a table."""
    return bool(row["table"] == name)


def solved_tables(game: str) -> dict[str, dict[str, Any]]:
    """The rows of a result with the floor, by table, without the agents if these were others."""
    path = path_of("exact", game)
    runs = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []
    rows = {}
    for run in runs:
        changed = earlier(run, game)
        others: dict[str, Any] = {"agents": {}} if changed or other_weights(run, game) else {}
        for row in run["rows"] if "rules" not in changed else ():
            if "floor" in row:
                rows[row["table"]] = {"solved at": run["commit"], **row, **others}
    return rows


def solve(tree: GameTree, views: Views, seconds: float, args: Args) -> dict[str, Any]:
    """Size and value of a table, and the floor of its views; ``seconds``: of building the tree."""
    table = tree.table
    Solver(tree).run(1)  # compiled before its clock starts
    with TemporaryDirectory() as folder:
        settings = SolveSettings(
            game=table.game.name,
            players=table.num_players,
            variant=table.variant,
            rule_options=dict(table.options),
            algorithm="dcfr",
            memory=args.memory,
        )
        run = SolvingRun(settings, Path(folder), "scripts.measures.exact", clock=time.process_time, tree=tree)
        run.solve(Limits(60 * args.minutes, math.inf, args.exploitability))
    assert run.worth is not None
    sizes = {"nodes": tree.num_nodes, "information_states": tree.num_states, "ends": tree.num_ends}
    lowest = {"exploitability": rounded(floor(tree, views, args.iterations)), "iterations": args.iterations}
    return {
        "size": {**table.identity(), **sizes, "bytes": tree.nbytes, "seconds": rounded(seconds)},
        "solution": {**run.facts(), **found(run.worth)},
        "floor": {**lowest, "views": len(views.masks)},
    }


def ask(tree: GameTree, views: Views, name: str, args: Args) -> dict[str, Any]:
    """What could be gained against an agent, and how its policy was found."""
    agent = make_agent(name, tree.table.game.name)
    asked = ask_views(views, agent, args.samples)
    return {**found(worth_of(tree, asked.strategies)), "how": asked.how}


def found(worth: Worth) -> dict[str, Any]:
    """Values and gains, JSON-ready."""
    values, gains = ([rounded(each) for each in numbers] for numbers in worth)
    return {"values": values, "gains": gains, "exploitability": rounded(worth.exploitability)}


def rounded(number: float) -> float:
    """A number with six digits, however small it is."""
    return float(f"{number:.6g}")


if __name__ == "__main__":
    main(tyro.cli(Args))
