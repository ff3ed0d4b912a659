"""``blackjacky solve``: the equilibrium of a small table."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.checkpoint import has_checkpoint
from blackjacky_agents.cli.errors import WrongInputError, checking_input
from blackjacky_agents.cli.options import (
    GameArgs,
    R,
    command_line,
    read_arguments,
    resume_with,
    shown_in,
    time_bar,
    tree_bar,
)
from blackjacky_agents.files import only_writer
from blackjacky_agents.reports import markdown_table
from blackjacky_agents.solving.estimate import estimate
from blackjacky_agents.solving.parts import MOST_PARTS
from blackjacky_agents.solving.run import GIB, Algorithm, Limits, SolveSettings, SolvingRun, read_settings
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import FOLDER
from blackjacky_agents.solving.table import Table
from blackjacky_env.checks import check_integer

_PARTS = 16  # of a round, on a cluster
_MERGED = 8  # ends that may have the same sequences, at the most
_INSTEAD = ", or sample games with --algorithm mccfr --no-measure"


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Solve a small table: find strategies for all seats that nobody gains from leaving alone.

    The whole tree of the game is built, so that values and the exploitability are exact; rule options make tables small
    enough. Says first how large the tree is about, and refuses one that does not fit into --memory. The folder
    runs/solved/GAME/NAME holds checkpoints, progress and the solution, which plays as the agent `solved:NAME`. Ctrl-C
    stops, --resume continues.

    $ blackjacky solve --preset mini-2
    $ blackjacky solve --preset mini-3 --minutes 5 --name mine
    $ blackjacky evaluate --preset mini-3 --players solved:mine,counter
    """

    players: int | None = None
    """Table size; by default the variant's."""
    algorithm: Algorithm = "dcfr"
    """dcfr, cfr+ and cfr use the whole tree; mccfr samples games, for tables whose tree does not fit."""
    exploitability: float = 1e-4
    """Stop when the strategies are this close to an equilibrium: the mean gain of a seat's best response."""
    minutes: float = 10.0
    """Stop after this time."""
    iterations: int | None = None
    """Stop after so many iterations, for results that can be repeated exactly."""
    memory: float = 4.0
    """GiB for the tree, or with mccfr for the information states that are kept."""
    measure: bool = True
    """With mccfr: build the tree as well, to measure the exploitability."""
    estimate: bool = False
    """Only estimate the size of the tree."""
    seed: int = 0
    """Random seed of mccfr; the others draw nothing."""
    parts: int = 0
    """With mccfr: parts that sample on their own in every round; with --cluster by default 16. The solution depends on
    it, but not on threads and nodes."""
    cluster: str | None = None
    """With mccfr: sample on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`."""
    threads: int = 2
    """Number of CPU threads; the solution does not depend on it."""
    name: str = ""
    """Name of the folder, runs/solved/GAME/NAME; by default that of the preset, or a number."""
    resume: Path | None = None
    """Continue the run in this folder, with its settings, to the limits given now."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with ExitStack() as held:
        with checking_input():
            limits = check_limits(args)
            if args.resume is None:
                table = table_of(args)
                if args.estimate or args.measure or args.algorithm != "mccfr":
                    memory = math.inf if args.estimate else args.memory
                    print(said_size(table, memory, _INSTEAD), flush=True)
                if args.estimate:
                    return 0
            run = make_run(args, command_line(program, arguments), held)
            run.cluster = held.enter_context(joined(args.cluster, args.threads))
            with tree_bar("tree") as bar:
                complaints = run.prepare(shown_in(bar))
        for complaint in complaints:
            print(complaint, file=sys.stderr)
        print(said_tree(run), flush=True)
        try:
            solve(run, limits)
        except KeyboardInterrupt:
            print(f"Stopped at {run.solver.iterations:,} iterations; {resume_with('solve', run.folder)}")
            return 130
    print(report(run))
    return 0


def check_limits(args: Args[Any]) -> Limits:
    """The limits; `ValueError` for invalid ones."""
    check_integer("--threads", args.threads, 1, 256)
    check_integer("--seed", args.seed, 0, 2**63 - 1)
    for name in ("memory", "minutes"):
        if not getattr(args, name) > 0:
            raise ValueError(f"--{name} {getattr(args, name)} is out of range; allowed are numbers above 0")
    if not args.exploitability >= 0:
        raise ValueError(f"--exploitability {args.exploitability} is out of range; allowed are numbers from 0 on")
    check_integer("--parts", args.parts, 0, MOST_PARTS)
    if args.resume is None and args.algorithm != "mccfr" and (args.parts or args.cluster):
        raise ValueError("--parts and --cluster are for --algorithm mccfr; the others walk a tree on this machine")
    if args.iterations is not None:
        check_integer("--iterations", args.iterations, 1, 2**53)
    return Limits(60 * args.minutes, args.iterations or float("inf"), args.exploitability)


def make_run(args: Args[Any], command: str, held: ExitStack) -> SolvingRun:
    """The new or resumed run, whose folder's only writer this process is while the context ``held`` lasts.

    Raises `ValueError` for a folder or a table that cannot be used.
    """
    if args.resume is not None:
        if args.players is not None or args.preset or args.variant or args.rule_options:
            raise ValueError(
                "--resume goes on at the table of its run: leave out --players, --preset, --variant and rule options"
            )
        settings, started = read_settings(args.resume)
        if args.parts not in (0, settings.parts):
            raise ValueError(f"--resume goes on with --parts {settings.parts}, as the run was started")
        if args.cluster and not settings.parts:
            raise ValueError("this run was started without --parts, so that nodes of a cluster have nothing to sample")
        held.enter_context(only_writer(args.resume))
        return SolvingRun(settings, args.resume, started, args.threads)
    table = table_of(args)
    settings = SolveSettings(
        game=args.game,
        players=table.num_players,
        variant=table.variant,
        rule_options=dict(table.options),
        algorithm=args.algorithm,
        seed=args.seed,
        memory=args.memory,
        measure=args.measure,
        parts=args.parts or (_PARTS if args.cluster else 0),
    )
    folder = new_folder(args.game, args.name or args.preset or "")
    held.enter_context(only_writer(folder))
    return SolvingRun(settings, folder, command, args.threads)


def table_of(args: Args[Any]) -> Table:
    """The table that is asked for; `ValueError` if there is none."""
    return Table.of(args.game, args.players, args.variant, args.preset, **args.rule_options)


def new_folder(game: str, name: str) -> Path:
    """The folder of a new run; `ValueError` if one of this name has a checkpoint."""
    if name:
        folder = FOLDER / game / name
        if has_checkpoint(folder / "checkpoints"):
            raise ValueError(f"there is a run in {str(folder)!r}: continue it with --resume, or choose another --name")
        return folder
    return next(folder for number in count(1) if not (folder := FOLDER / game / str(number)).exists())


def solve(run: SolvingRun, limits: Limits) -> None:
    """Iterate up to the limits, with a bar over the time."""
    with time_bar(limits.seconds, "solving") as bar:

        def show(run: SolvingRun) -> None:
            bar.n = min(run.seconds, limits.seconds)
            close = "" if run.worth is None else f", exploitability {run.worth.exploitability:.2g}"
            bar.set_postfix_str(f"{run.solver.iterations:,} iterations{close}")

        run.solve(limits, show)


# ---------------------------------------------------------------- output


def said_size(table: Table, memory: float, alternative: str = "") -> str:
    """The estimated size of the tree in words.

    Args:
        table: the table.
        memory: GiB that are allowed for it.
        alternative: what else could be done if it does not fit.

    Raises `WrongInputError` if it certainly does not fit.
    """
    with tree_bar("estimating the size of the tree") as bar:
        size = estimate(table, progress=lambda done: bar.update(done - bar.n))
    said = f"About {size.nodes:.2g} nodes (± {size.error:.0%}), for which about {size.bytes / GIB:.2g} GiB are needed"
    if size.bytes / (1 + 2 * size.error) > _MERGED * memory * GIB:
        raise WrongInputError(
            f"{said}: far more than --memory {memory:g}; choose rule options with fewer cards, hearts or turns, "
            f"or allow more memory{alternative}"
        )
    return f"{said}."


def said_tree(run: SolvingRun) -> str:
    """The size of the tree in words."""
    if run.tree is None:
        return "Sampling games without a tree, so that the exploitability is not known."
    tree = run.tree
    return (
        f"{tree.num_nodes:,} nodes, {tree.num_states:,} information states, {tree.num_ends:,} different ends, "
        f"{tree.nbytes / 2**20:,.1f} MiB."
    )


def report(run: SolvingRun) -> str:
    """Values and gains by seat, and where the solution is."""
    name = run.folder.name if run.folder.parent.parent == FOLDER else str(run.folder)
    where = f"{run.solver.iterations:,} iterations in {run.seconds:,.1f} s; it plays as `solved:{name}`."
    if isinstance(run.solver, SampledSolver):
        where += f" It knows {run.solver.num_states:,} information states"
        where += (
            f"; {run.solver.left_out:,} visits of others found no place in --memory." if run.solver.left_out else "."
        )
    if run.worth is None:
        return where
    rows = [
        [f"player_{seat}", f"{value:+.6f}", f"{gain:.2g}"]
        for seat, (value, gain) in enumerate(zip(run.worth.values, run.worth.gains, strict=True))
    ]
    table = markdown_table(["seat", "value", "gain of a best response"], rows)
    return f"{table}\n\nExploitability {run.worth.exploitability:.2g} after {where}"
