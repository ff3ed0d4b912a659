"""``blackjacky forecast``: how well an agent forecasts who wins, and what the next settlement does to each seat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from tqdm import tqdm

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.arena.forecasting import Scored, Task, by_agent, by_playouts, make_task, par, score, truth_error
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.options import GameArgs, R, check_writable, command_line, progress_bar, read_arguments
from blackjacky_agents.files import versions, write_json
from blackjacky_agents.games import agent_names
from blackjacky_agents.intervals import Estimate
from blackjacky_agents.registry import make_agent
from blackjacky_agents.reports import markdown_table, ready_for_json
from blackjacky_env.checks import check_integer

USUAL = 1000  # playouts of agents that tell no forecast themselves


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Score an agent's forecasts of who wins, and of what the next settlement does to each seat.

    Positions are drawn from games between the game's own agents; the truth is what becomes of them when the strongest
    plays on in all seats. The agent sees what the player to act observes. It tells its own forecast, if it has one, or
    plays out positions with other hidden cards.

    $ blackjacky forecast champion
    $ blackjacky forecast counter --playouts 100 --games 50
    $ blackjacky forecast search:100 --games 50
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Name, `ppo:PATH`, `package.module:NAME` (your class or function) or `cmd:COMMAND` (a program)."""
    playouts: int | None = None
    """Forecast by this many playouts of each position; by default what the agent says itself, or 1000."""
    players: int | None = None
    """Table size; by default the variant's."""
    games: int = 100
    """Number of games, each of which gives one position."""
    truth_playouts: int = 1000
    """Playouts of each position for the truth."""
    seed: int = 0
    """Random seed: game i has seed SEED + i."""
    threads: int = 2
    """Number of CPU threads; results do not depend on it."""
    output: Path | None = None
    """Write the results to this file (JSON)."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        agent = check(args)
        with progress_bar(args.games, "truth") as bar:
            task = task_of(args, bar)
    with checking_input(), progress_bar(args.games, "forecasts") as bar:
        told = forecasts(args, task, agent, bar)
    rows = {"truth": score(task, None), "par": score(task, par(task)), args.agent: score(task, told)}
    if args.output is not None:
        facts = {"command": command_line(program, arguments), "versions": versions(), "players": task.players}
        scored = {name: [asdict(each) for each in found] for name, found in rows.items()}
        write_json(args.output, ready_for_json({**facts, "questions": task.questions, "results": scored}))
    print(report(task, rows, agent_names(args.game)[-1]))
    return 0


def check(args: Args[Any]) -> Agent:
    """The agent; `ValueError` for invalid options."""
    check_integer("--games", args.games, 2, 10**6)
    check_integer("--truth-playouts", args.truth_playouts, 2, 10**6)
    check_integer("--seed", args.seed, 0, 2**62)
    check_integer("--threads", args.threads, 1, 256)
    check_writable("--output", args.output)
    if args.players is not None:
        args.check_players(args.players)
    agent = make_agent(args.agent, args.game)
    if args.playouts is not None:
        check_integer("--playouts", args.playouts, 1, 10**6)
        if not isinstance(agent, CompiledAgent):
            raise ValueError(f"--playouts {args.playouts}: agent {args.agent!r} is not compiled; leave the option out")
    return agent


def task_of(args: Args[Any], bar: tqdm) -> Task:
    """The positions and their truth."""
    return make_task(
        args.game,
        args.players or args.preset_players,
        args.variant,
        args.games,
        args.truth_playouts,
        args.seed,
        args.threads,
        lambda numbers: counted(numbers, bar),
        **args.rule_options,
    )


def forecasts(args: Args[Any], task: Task, agent: Agent, bar: tqdm) -> Any:
    """What the agent says itself, or finds in playouts."""
    speaks = hasattr(agent, "forecast") or hasattr(agent, "explain")
    if isinstance(agent, CompiledAgent) and (args.playouts is not None or not speaks):
        return by_playouts(task, agent, [args.playouts or USUAL], lambda numbers: counted(numbers, bar))[0]
    return by_agent(task, agent, lambda numbers: counted(numbers, bar))


def counted(numbers: Iterable[int], bar: tqdm) -> Iterable[int]:
    """The numbers, each counted by the bar when it is done."""
    for number in numbers:
        yield number
        bar.update()


# ---------------------------------------------------------------- output


def report(task: Task, rows: dict[str, list[Scored]], champion: str) -> str:
    """A table of the scores for each question."""
    parts = []
    for row, question in enumerate(task.questions):
        lines = [cells(name, found[row]) for name, found in rows.items() if row < len(found)]
        parts += [f"Who {question}?", markdown_table(HEADING, lines)]
        parts.append(f"Standard error of a true frequency: {truth_error(task, row):.1%}.")
    parts.append(
        f"{len(task.observations):,} positions of {task.players} players, one from each game. Truth: "
        f"{task.truth.playouts:,} playouts of each by {champion}. Lower is better; excess: over the truth's own score."
    )
    return "\n\n".join(parts)


HEADING = ("forecast by", "log score", "excess", "95 % interval", "Brier score", "excess", "95 % interval")


def cells(name: str, scored: Scored) -> list[str]:
    """A forecaster's row of the table."""
    return [name, *_pair(scored.log, scored.log_excess), *_pair(scored.brier, scored.brier_excess)]


def _pair(score: Estimate, excess: Estimate) -> list[str]:
    known = excess.low < excess.high
    return [f"{score.mean:.3f}", f"{excess.mean:.4f}", f"{excess.low:.4f} .. {excess.high:.4f}" if known else "-"]
