"""``blackjacky benchmark``: how exploitable what an algorithm learns at a small table is, by decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from blackjacky_agents.benchmark.algorithms import find_algorithm, settings_of
from blackjacky_agents.benchmark.runs import Runs, run_all
from blackjacky_agents.benchmark.tasks import due_at
from blackjacky_agents.cli.arguments import (
    GameArgs,
    R,
    ThreadsArgs,
    check_positive,
    check_writable,
    command_line,
    read_arguments,
)
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.reports import machine, markdown_table, progress_bar
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solving_run import GIB
from blackjacky_agents.storage.files import only_writer, versions, write_json
from blackjacky_env.checks import check_integer
from blackjacky_env.reading import parse_json


@dataclass(frozen=True, kw_only=True)
class Args(ThreadsArgs, GameArgs[R]):
    """Let an algorithm learn a small table, and measure its policies exactly, by the decisions that it has made.

    A decision is a move of a player who has more than one legal action. Exploitability is the mean gain of a seat's
    best response: 0 in an equilibrium. Each seed is a run, on a core of its own. The folder runs/benchmark/NAME holds
    the runs: ended ones are not repeated, one that was interrupted begins again.

    $ blackjacky benchmark --table mini-2 --algorithm mccfr
    $ blackjacky benchmark --table mini-3 --algorithm ppo --seeds 8 --decisions 10000000
    $ blackjacky benchmark --table mini-2 --algorithm my_module:my_algorithm --settings rate=0.1
    """

    players: int | None = None
    """Table size; by default that of the named table, or the variant's."""
    algorithm: str = "ppo"
    """ppo, mmd, rnad, nfsp, psro, deep_cfr, mccfr, outcome, dcfr, or yours as module:function, which yields (decisions,
    agent)."""
    settings: tuple[str, ...] = ()
    """Settings of the algorithm, such as ent_coef=0.2; values are JSON. Defaults are those chosen at tune-1, tune-2."""
    seeds: int = 3
    """Number of runs."""
    first_seed: int = 100
    """Seed of the first run; the others follow."""
    decisions: float = 1e6
    """Decisions of each run."""
    points: int = 9
    """Number of measurements of each run, at equal distances on a log scale from a hundredth of the decisions."""
    memory: float = 4.0
    """GiB for the tree in each process."""
    name: str = ""
    """Name of the folder, runs/benchmark/NAME; by default those of table and algorithm."""
    output: Path | None = None
    """Write all measurements to this file (JSON)."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        runs = prepare(args)
    seeds = range(args.first_seed, args.first_seed + args.seeds)
    total = args.seeds * runs.due[-1]
    with only_writer(runs.folder), progress_bar(total, args.algorithm, unit=" decisions") as bar:
        with checking_input():
            runs.begin()
        with checking_input():
            jobs, cores = [(runs, seed) for seed in seeds], min(args.threads, args.seeds)
            run_all(jobs, cores, lambda: bar.update(min(sum(map(runs.decisions, seeds)), total) - bar.n))
        rows = [row for seed in seeds for row in runs.rows(seed)]
    if args.output is not None:
        facts = {"command": command_line(program, arguments), "machine": machine(), "versions": versions()}
        write_json(args.output, {**facts, "algorithm": args.algorithm, "settings": dict(runs.settings), "rows": rows})
    print(report(rows, len(runs.due)))
    return 0


def prepare(args: Args[Any]) -> Runs:
    """The runs; `ValueError` or `TypeError` for invalid options."""
    check_integer("--seeds", args.seeds, 1, 1000)
    check_integer("--first-seed", args.first_seed, 0, 2**31 - 1 - args.seeds)
    check_integer("--points", args.points, 1, 1000)
    check_positive("--memory", args.memory)
    check_writable("--output", args.output)
    if not 1 <= args.decisions <= 1e12 or args.decisions % 1:
        raise ValueError(f"--decisions {args.decisions:g} is out of range; allowed are 1 .. 1e12, whole")
    find_algorithm(args.algorithm)
    table = SmallTable.of(args.game, args.players, args.variant, args.table, **args.rule_options)
    folder = args.name or "-".join([args.game, args.table or "table", args.algorithm.replace(":", "-")])
    return Runs(
        game=args.game,
        players=table.num_players,
        variant=table.variant,
        options=table.options,
        algorithm=args.algorithm,
        settings=settings_of(args.algorithm, dict(map(setting, args.settings))),
        due=due_at(int(args.decisions), args.points),
        memory=args.memory * GIB,
        folder=Path("runs") / "benchmark" / folder,
    )


def setting(given: str) -> tuple[str, Any]:
    """Name and value of a setting such as ``"rate=0.1"``; `ValueError` for anything else."""
    name, equals, value = given.partition("=")
    try:
        if not equals or not name.isidentifier():
            raise ValueError
        return name, parse_json(value.encode())
    except ValueError:
        raise ValueError(f"--settings {given!r} is no NAME=VALUE, with a number or other JSON as value") from None


def report(rows: Sequence[dict[str, Any]], points: int) -> str:
    """A table of exploitability by decisions, over all seeds."""
    cells = []
    for point in range(points):
        own = rows[point::points]
        found = sorted(row["exploitability"] for row in own)
        spread = f"{found[0]:.5f} .. {found[-1]:.5f}"
        seconds = f"{median(row['cpu_seconds'] for row in own):.1f}"
        cells.append([f"{own[0]['decisions']:,}", f"**{median(found):.5f}**", spread, seconds])
    heading = ["decisions", "exploitability, median", "lowest .. highest", "CPU seconds, median"]
    told = f"{markdown_table(heading, cells)}\n\nOf {len(rows) // points} seeds."
    if averaged := [row["averaged"] for row in rows if "averaged" in row]:
        told += f" Mean of the policies of the second half: {median(averaged):.5f}."
    return told
