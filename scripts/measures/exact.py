"""Solve the small tables that a game declares, and measure how far its agents are from perfect play there.

    python -m scripts.measures.exact --game GAME                # what is missing, or of other weights; minutes
    python -m scripts.measures.exact --tables mini-1 --minutes 1

results/GAME/exact.json has the size and value of each table, the floor of its views, and the exploitability of agents.
Everything runs on one thread, and seconds are those of the CPU.
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
from scripts.results import earlier, other_weights, path_of, save


@dataclass(frozen=True)
class Args:
    """Solve the small tables of a game, and measure how far its agents are from perfect play there."""

    game: str = DEFAULT  # Name of the game.
    tables: tuple[str, ...] = ()  # Tables by name; by default all but those at which settings are chosen.
    minutes: float = 5.0  # CPU minutes of the solver.
    exploitability: float = 1e-5  # How close to an equilibrium the solution is that gives the value.
    samples: int = 16  # Answers in each information state, of agents that draw their actions.
    iterations: int = 1000  # Of CFR+ with states tied that look alike, for the floor of the views.
    memory: float = 6.0  # GiB for a tree.


def main(args: Args) -> None:
    """Measure what is missing; every table is written at once."""
    done, tune = known_tables(args.game), tomllib.loads(PLAN.read_text("utf-8"))["tune"]
    unreported = tune["tables"] if args.game == tune["game"] else ()
    for name in args.tables or [name for name in get_game(args.game).tables if name not in unreported]:
        if name in done:
            continue
        print(f"{args.game} {name} ...", flush=True)
        row = {"table": name, **measure(args.game, name, args)}
        save("exact", [row], game=args.game, seed=0, weights=["champion"], replaces=functools.partial(is_of, name))


def is_of(name: str, row: Mapping[str, Any]) -> bool:
    """Whether a row is that of a table."""
    return bool(row["table"] == name)


def known_tables(game: str) -> set[str]:
    """The tables of a result that is up to date, with the floor and all agents."""
    path, agents = path_of("exact", game), set(agent_names(game))
    runs = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []
    current = [run for run in runs if not other_weights(run, game) and not earlier(run, game)]
    return {row["table"] for run in current for row in run["rows"] if "floor" in row and agents <= set(row["agents"])}


def measure(game: str, name: str, args: Args) -> dict[str, Any]:
    """Size and value of a table, the floor of its views, and the exploitability of agents."""
    table, begun = SmallTable.of(game, table=name), time.process_time()
    tree, views = tree_and_views(table, args.memory * GIB)
    seconds = time.process_time() - begun
    Solver(tree).run(1)  # compiled before its clock starts
    with TemporaryDirectory() as folder:
        settings = SolveSettings(
            game=game,
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
        "agents": {each: ask(tree, views, each, args) for each in agent_names(game)},
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
