"""``blackjacky evaluate``: win rates of agents that play each other at one table in shuffled seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from blackjacky_agents import make_agent
from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.arena.evaluation import Score, agent_score, shares_at_one_table
from blackjacky_agents.arena.fixture import Failures
from blackjacky_agents.cli.arguments import (
    ClusterArgs,
    FailureArgs,
    GameArgs,
    R,
    ThreadsArgs,
    check_writable,
    command_line,
    read_arguments,
)
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.intervals import Floats
from blackjacky_agents.registry import parse_agents
from blackjacky_agents.reports import failures_told, markdown_table, percent, progress_bar, rate_cells
from blackjacky_agents.storage.files import versions, write_json
from blackjacky_env.checks import check_integer
from blackjacky_env.envs import TableEnv


@dataclass(frozen=True, kw_only=True)
class Args(FailureArgs, ClusterArgs, ThreadsArgs, GameArgs[R]):
    """Evaluate agents against each other at one table, with seats shuffled for each game.

    Prints win rates with 95 % confidence intervals. Agents of the same name share a row with their mean per seat.

    $ blackjacky evaluate --agents 'counter,random*3' --games 10000
    """

    agents: str
    """Agents, one per seat: `random*2` takes two seats, `ppo:PATH` is a trained agent."""
    games: int = 10_000
    """Number of games."""
    seed: int = 0
    """Random seed: game i has seed SEED + i."""
    output: Path | None = None
    """Write the results to this file (JSON)."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        names = parse_agents(args.agents, "--agents")
        variant = check(args, len(names))
        agents = [make_agent(name, args.game) for name in names]
    with progress_bar(args.games) as bar, joined(args.cluster, args.threads) as cluster:
        failures = None if args.on_failure == "stop" else Failures()
        rules = {"game": args.game, "variant": args.variant, "failures": failures, **args.rule_options}
        shares = shares_at_one_table(
            agents, args.games, args.seed, args.threads, progress=bar.update, cluster=cluster, **rules
        )
    scores = {name: score_per_seat(shares, [each == name for each in names]) for name in names}
    given = {name: value for name, value in asdict(args).items() if name not in ("output", "threads")}
    facts = {"command": command_line(program, arguments), **given, "variant": variant, "versions": versions()}
    if args.output is not None:
        rows = [{"agent": name, "seats": names.count(name), **asdict(score)} for name, score in scores.items()]
        write_json(args.output, {**facts, "failures": failures or {}, "results": rows})
    numbers = ", ".join(f"{name} {number}" for name, number in versions().items())
    how = f"`{facts['command']}`: seed {args.seed}, {variant}, {numbers}."
    print(f"{score_table(scores, Counter(names))}\n\n{failures_told(failures or {})}{how}")
    return 0


def check(args: Args[Any], num_players: int) -> str:
    """The variant played; `ValueError` for an invalid option."""
    check_integer("--games", args.games, 1, 10**7)
    check_integer("--seed", args.seed, 0, 2**63 - 1 - args.games)
    check_writable("--output", args.output)
    args.check_players(num_players)
    return TableEnv(args.game, num_players, args.variant, **args.rule_options).variant


def score_per_seat(shares: Floats, seats: Sequence[bool]) -> Score:
    """The score per seat of an agent in some seats, from all shares of the win, (N, P).

    The seats of one table do not win independently, so the interval is that of their joint share of the win divided by
    their number.
    """
    count = sum(seats)
    together = agent_score(shares[:, seats].sum(axis=1), shares.sum(axis=1) == 0, len(seats))
    return replace(together, win_rate=together.win_rate / count, low=together.low / count, high=together.high / count)


# ---------------------------------------------------------------- output


def score_table(scores: Mapping[str, Score], seats: Mapping[str, int]) -> str:
    """The scores as a Markdown table."""
    rows = [
        [
            f"{name} x{seats[name]}, each" if seats[name] > 1 else name,
            *rate_cells(asdict(score)),
            percent(score.nobody),
            f"{score.games:,}",
        ]
        for name, score in scores.items()
    ]
    return markdown_table(["agent", "win rate", "95 % interval", "par", "no winner", "games"], rows)
