"""``blackjacky solve``: the equilibrium of a small table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from blackjacky_agents.agent import Agent
from blackjacky_agents.cli.arguments import (
    GameArgs,
    R,
    ThreadsArgs,
    check_positive,
    command_line,
    read_arguments,
    resume_with,
    time_bar,
)
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.reports import markdown_table, progress_bar
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solution import FOLDER
from blackjacky_agents.solving.solving_run import GIB, Algorithm, Limits, SolveSettings, SolvingRun, read_settings
from blackjacky_agents.solving.strategies import Worth, worth_of
from blackjacky_agents.solving.views import tree_and_views
from blackjacky_agents.storage.checkpoint import has_checkpoint
from blackjacky_agents.storage.files import only_writer
from blackjacky_env.checks import check_integer


@dataclass(frozen=True, kw_only=True)
class Args(ThreadsArgs, GameArgs[R]):
    """Solve a small table: find strategies for all seats that nobody gains from leaving alone.

    The whole tree of the game is built, so that values and the exploitability are exact; rule options make tables small
    enough. A tree that does not fit into --memory is refused; mccfr needs none. The folder runs/solved/GAME/NAME holds
    checkpoints and the solution, which plays as the agent `solved:NAME`. Ctrl-C stops, --resume continues.

    $ blackjacky solve --table mini-2
    $ blackjacky solve --table mini-3 --minutes 5 --name mine
    $ blackjacky evaluate --table mini-3 --agents solved:mine,counter
    """

    players: int | None = None
    """Table size; by default that of the named table, or the variant's."""
    algorithm: Algorithm = "dcfr"
    """dcfr, cfr+ and cfr use the whole tree; mccfr samples games, for tables whose tree does not fit."""
    exploitability: float = 1e-4
    """Stop when the strategies are this close to an equilibrium: the mean gain of a seat's best response. Not measured
    with mccfr; `blackjacky exploit --exact` does that afterwards, where the tree fits."""
    minutes: float = 10.0
    """Stop after this time."""
    iterations: int | None = None
    """Stop after so many iterations, for results that can be repeated exactly."""
    memory: float = 4.0
    """GiB for the tree, or with mccfr for the information states that are kept."""
    seed: int = 0
    """Random seed of mccfr; the others draw nothing."""
    name: str = ""
    """Name of the folder, runs/solved/GAME/NAME; by default that of the named table, or a number."""
    resume: Path | None = None
    """Continue the run in this folder, with its settings, to the limits given now."""

    def unused(self) -> dict[str, str]:
        """As `GameArgs.unused`."""
        resumed = None if self.resume is None else read_settings(self.resume)[0]
        is_sampled = (resumed or self).algorithm == "mccfr"
        found = {"with mccfr": "threads exploitability"} if is_sampled else {"without mccfr": "seed"}
        if resumed is not None:
            found["with --resume"] = self.all_but("resume threads exploitability minutes iterations")
        return found


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with ExitStack() as held:
        with checking_input():
            limits = check_limits(args)
            settings, folder, command = chosen(args, command_line(program, arguments))
            with progress_bar(None, "tree", unit=" nodes") as bar:
                run = SolvingRun(
                    settings, folder, command, args.threads, progress=lambda nodes: bar.update(nodes - bar.n)
                )
            held.enter_context(only_writer(folder))
            complaints = run.begin()
        for complaint in complaints:
            print(complaint, file=sys.stderr)
        if run.tree is not None:
            print(said_tree(run.tree), flush=True)
        try:
            with checking_input():
                solve(run, limits)
        except KeyboardInterrupt:
            print(f"Stopped at {run.solver.iterations:,} iterations; {resume_with('solve', run.folder)}")
            return 130
    print(report(run))
    return 0


def check_limits(args: Args[Any]) -> Limits:
    """The limits; `ValueError` for invalid ones."""
    check_positive("--memory", args.memory)
    check_positive("--minutes", args.minutes)
    if not args.exploitability >= 0:
        raise ValueError(f"--exploitability {args.exploitability} is out of range; allowed are numbers from 0 on")
    if args.iterations is not None:
        check_integer("--iterations", args.iterations, 1, 2**53)
    return Limits(60 * args.minutes, args.iterations or float("inf"), args.exploitability)


def chosen(args: Args[Any], command: str) -> tuple[SolveSettings, Path, str]:
    """Settings, folder and command of the new or resumed run; `ValueError` for what cannot be used."""
    if args.resume is not None:
        settings, command = read_settings(args.resume)
        return settings, args.resume, command
    table = SmallTable.of(args.game, args.players, args.variant, args.table, **args.rule_options)
    settings = SolveSettings(
        game=args.game,
        players=table.num_players,
        variant=table.variant,
        rule_options=dict(table.options),
        algorithm=args.algorithm,
        seed=args.seed,
        memory=args.memory,
    )
    return settings, new_folder(args.game, args.name or args.table or ""), command


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
    with time_bar(limits.seconds) as bar:

        def show(run: SolvingRun) -> None:
            bar.n = min(run.seconds, limits.seconds)
            close = "" if run.worth is None else f", exploitability {run.worth.exploitability:.2g}"
            bar.set_postfix_str(f"{run.solver.iterations:,} iterations{close}")

        run.solve(limits, show)


# ---------------------------------------------------------------- output


def said_tree(tree: GameTree) -> str:
    """The size of a tree in words."""
    return (
        f"{tree.num_nodes:,} nodes, {tree.num_states:,} information states, {tree.num_ends:,} different ends, "
        f"{tree.nbytes / 2**20:,.1f} MiB."
    )


def worth_table(worth: Worth, value: str, gains: str) -> str:
    """Values and gains by seat; ``value`` is the heading of the values, ``gains`` the format of the gains."""
    rows = [
        [f"player_{seat}", f"{value:+.6f}", f"{gain:{gains}}"]
        for seat, (value, gain) in enumerate(zip(worth.values, worth.gains, strict=True))
    ]
    return markdown_table(["seat", value, "gain of a best response"], rows)


def report(run: SolvingRun) -> str:
    """Values and gains by seat, and where the solution is."""
    name = run.folder.name if run.folder.parent.parent == FOLDER else str(run.folder)
    where = f"{run.solver.iterations:,} iterations in {run.seconds:,.1f} s; it plays as `solved:{name}`."
    if isinstance(run.solver, SampledSolver):
        lost = f"; {run.solver.left_out:,} visits of others found no place in --memory" * (run.solver.left_out > 0)
        return f"{where} It knows {run.solver.num_states:,} information states{lost}."
    assert run.worth is not None
    table = worth_table(run.worth, "value", ".2g")
    return f"{table}\n\nExploitability {run.worth.exploitability:.2g} after {where}"


# ---------------------------------------------------------------- `blackjacky exploit --exact`


def exploit_exactly(table: SmallTable, agent: Agent, samples: int, memory: float, threads: int) -> str:
    """Build the tree, ask the agent everywhere, compute all best responses; returns the report.

    ``samples``: answers for each view, of an agent that neither tells its probabilities nor always does the
    same; ``memory``: GiB. Raises `ValueError` if the tree does not fit, or the agent cannot be asked.
    """
    with progress_bar(None, "tree", unit=" nodes") as bar:
        tree, views = tree_and_views(table, memory * GIB, lambda nodes: bar.update(nodes - bar.n))
    asked = ask_views(views, agent, samples)
    worth = worth_of(tree, asked.strategies, threads)
    meaning = "a player who plays perfectly against it wins so much more than the value of the game"
    if table.num_players > 2:
        meaning = "so much would a player gain, on average over the seats, who alone deviates"
    return (
        f"{worth_table(worth, f'value if {agent.name} plays all seats', '.6f')}\n\n"
        f"Exploitability of {agent.name}: {worth.exploitability:.6f}: {meaning}. {said_tree(tree)} "
        f"The agent was asked in all information states ({asked.how})."
    )
