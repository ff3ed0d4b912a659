"""Solve a table by sampled games in parts: in one process, on a cluster, and on one that loses a node.

    python scripts/proofs/sample_parts.py            print the table
    python scripts/proofs/sample_parts.py --write    the same, and the table goes into docs/exact.md

Needs the extra `cluster`. The nodes are processes of this machine with one CPU each, as in lose_nodes.py. Exit status
0: all solutions in parts are equal; 1: they are not.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import lose_nodes
import tyro

from blackjacky_agents.reports import markdown_table, show_part, typed, where, where_run
from blackjacky_agents.solving.parts import PartedSolver
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import strategies_of
from blackjacky_agents.solving.strategies import worth_of
from blackjacky_agents.solving.table import Table
from blackjacky_agents.solving.tree import Tree, build_tree
from blackjacky_env.games import DEFAULT, get_game

PAGE = Path(__file__).parents[2] / "docs" / "exact.md"


@dataclass(frozen=True)
class Args:
    """Solve a table by sampled games in parts: in one process, on a cluster, and on one that loses a node."""

    preset: str = "mini-3"
    """Table by name."""
    iterations: int = 20_000
    """Iterations, rounded up to whole rounds."""
    parts: int = 4
    """Parts of a round."""
    nodes: int = 2
    """Number of nodes, with one CPU each."""
    memory: float = 0.05
    """GiB for information states."""
    write: bool = False
    """Write the table into docs/exact.md."""


def main(args: Args) -> int:
    """Solve, compare, print and write; returns the exit status."""
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")
    table = Table.of(DEFAULT, preset=args.preset)
    tree, given = build_tree(table), (table, 0, args.memory * 2**30)
    rows = [row_of("one process, without parts", SampledSolver(*given), args, tree)]
    for name, threads in (("one thread", 1), (f"{args.nodes} threads", args.nodes)):
        solver = parted(args, given, threads)
        rows.append(row_of(name, solver, args, tree))
    with lose_nodes.new_cluster(lose_nodes.Args(nodes=args.nodes)) as (cluster, nodes, executor):

        def kill_one() -> None:
            cluster.remove_node(nodes.pop(0), allow_graceful=False)
            nodes.append(lose_nodes.add_node(cluster))

        parted(args, given, 1, executor).run(1)  # nodes have loaded the compiled code
        solver = parted(args, given, 1, executor)
        rows.append(row_of(f"{args.nodes} nodes", solver, args, tree))
        solver = parted(args, given, 1, executor)
        rows.append(row_of(f"{args.nodes} nodes, one killed and replaced", solver, args, tree, kill_one))
    show_part(PAGE, "parts", report(args, rows), args.write)
    return int(len({row[-1] for row in rows[1:]}) > 1)


def parted(args: Args, given: tuple[Any, ...], threads: int, cluster: Any = None) -> PartedSolver:
    """A solver in parts."""
    return PartedSolver(*given, threads, args.parts, cluster)


def row_of(
    name: str, solver: SampledSolver, args: Args, tree: Tree, between: Callable[[], None] = lambda: None
) -> list[str]:
    """A row of the table; ``between`` is called while the solver runs."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(1) as other:
        running = other.submit(solver.run, args.iterations)
        between()
        running.result()
    rate = solver.iterations / (time.perf_counter() - begun)
    policy = solver.policy()
    distance = worth_of(tree, strategies_of(tree, policy)).exploitability
    digest = sha256(b"".join(array.tobytes() for array in policy)).hexdigest()
    return [name, f"{solver.iterations:,}", f"{rate:,.0f}", f"{distance:.2g}", f"`{digest[:16]}`"]


def report(args: Args, rows: list[list[str]]) -> str:
    """The table as Markdown, and what was run."""
    heading = ["sampled by", "iterations", "per second", "exploitability", "solution"]
    return (
        f"{markdown_table(heading, rows)}\n\n"
        f"`{args.preset}` of {get_game(DEFAULT).title} in {args.parts} parts; the machine was "
        f"busy with other work, so that only large differences in speed mean something. "
        f"`{typed('scripts/proofs/sample_parts.py')}` on {where_run(where())}."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
