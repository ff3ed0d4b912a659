"""Time solvers beside OpenSpiel's C++ on Leduc poker, in one run on one machine.

    python scripts/speed/time_solvers.py            print the table
    python scripts/speed/time_solvers.py --write    the same, and the table goes into docs/exact.md

Needs the extra `openspiel`. Both solve the same game: equal ranks are alike (OpenSpiel's ``suit_isomorphism``), so that
it has 288 information states. Each pair of rows takes turns, and the median of several rounds counts.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspiel
import tyro

from blackjacky_agents.reports import markdown_table, show_part, where, where_run
from blackjacky_agents.solving.cfr import Solver, Variant
from blackjacky_agents.solving.strategies import worth_of
from blackjacky_agents.solving.table import Table
from blackjacky_agents.solving.tree import build_tree
from blackjacky_env.games import GAMES, Registration

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "exact.md"
GAME = "leduc_poker"
MOST_CHIPS = 13  # what a result of 1 stands for in the example
STATES = 288


@dataclass(frozen=True)
class Args:
    """Time solvers beside OpenSpiel's C++ on Leduc poker."""

    seconds: float = 2.0
    """Seconds of each solver in each round."""
    rounds: int = 5
    """Rounds."""
    write: bool = False
    """Write the table into docs/exact.md."""


def main(args: Args) -> None:
    """Time everything, and print or write the table."""
    sys.path.append(str(ROOT / "examples" / GAME))
    GAMES[GAME] = Registration(f"{GAME}:GAME")
    tree = build_tree(Table.of(GAME))
    assert tree.num_states == STATES
    theirs = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    rows, memory = [], 0.0
    variants: tuple[Variant, ...] = ("cfr", "cfr+")
    for variant in variants:
        other = (pyspiel.CFRSolver if variant == "cfr" else pyspiel.CFRPlusSolver)(theirs)
        own = Solver(tree, variant)
        memory = (tree.nbytes + sum(array.nbytes for array in own.save().values())) / STATES
        rates: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(args.rounds):
            rates["theirs"].append(rate_of(lambda other=other: other.evaluate_and_update_policy(), 1, args.seconds))
            rates["ours"].append(rate_of(lambda own=own: own.run(1000), 1000, args.seconds))
        check(theirs, tree, variant)
        ours, cpp = (statistics.median(rates[name]) for name in ("ours", "theirs"))
        rows.append([variant.upper(), f"{ours:,.0f}", f"{cpp:,.0f}", f"{ours / cpp:,.0f} x"])
    heading = ["algorithm", "this package", "OpenSpiel (C++)", "ratio"]
    told = (
        f"{markdown_table(heading, rows)}\n\nIterations per second on Leduc poker with 288 information states, one "
        f"thread, median of {args.rounds} rounds in turns; {memory:,.0f} bytes per information state here, tree "
        f"included. `python scripts/speed/time_solvers.py --write` on {where_run(where())}."
    )
    show_part(PAGE, "solvers", told, args.write)


def rate_of(work: Callable[[], Any], iterations: int, seconds: float) -> float:
    """Iterations per second of a solver whose ``work`` does so many at once."""
    work()
    done, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        work()
        done += iterations
    return done / (time.perf_counter() - begun)


def check(game: Any, tree: Any, variant: Variant) -> None:
    """Both are the same algorithm: as far from equilibrium after ten iterations."""
    other = (pyspiel.CFRSolver if variant == "cfr" else pyspiel.CFRPlusSolver)(game)
    own = Solver(tree, variant)
    own.run(10)
    for _ in range(10):
        other.evaluate_and_update_policy()
    distance = pyspiel.exploitability(game, other.average_policy())
    assert abs(distance - MOST_CHIPS * worth_of(tree, own.average()).exploitability) < 1e-6, distance


if __name__ == "__main__":
    main(tyro.cli(Args))
