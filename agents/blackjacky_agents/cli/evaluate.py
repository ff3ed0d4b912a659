"""``blackjacky evaluate``: win rates of agents that play each other at one table in shuffled seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blackjacky_agents import make_agent
from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.arena.evaluation import Score, shares_at_one_table
from blackjacky_agents.arena.workers import in_order, tasks_ahead
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.options import GameArgs, R, check_writable, command_line, progress_bar, read_arguments
from blackjacky_agents.files import versions, write_json
from blackjacky_agents.intervals import Floats, of_games
from blackjacky_agents.registry import parse_agents
from blackjacky_agents.reports import markdown_table, rate_cells
from blackjacky_env.checks import check_integer
from blackjacky_env.envs import TableEnv

CHUNK = 2048  # games between two updates of the progress bar; the seating depends on it


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Evaluate agents against each other at one table, with seats shuffled for each game.

    Prints win rates with 95 % confidence intervals. Agents of the same name share a row with their mean per seat.

    $ blackjacky evaluate --players 'counter,random*3' --games 10000
    """

    players: str
    """Agents, one per seat: `random*2` takes two seats, `ppo:PATH` is a trained agent."""
    games: int = 10_000
    """Number of games."""
    seed: int = 0
    """Random seed: game i has seed SEED + i."""
    threads: int = 2
    """Number of CPU threads; results do not depend on it."""
    cluster: str | None = None
    """Play on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; results do not depend on it."""
    output: Path | None = None
    """Write the results to this file (JSON)."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        names = parse_agents(args.players, "--players")
        variant = check(args, len(names))
        agents = [make_agent(name, args.game) for name in names]
    scores = play(names, agents, args)
    given = {name: value for name, value in asdict(args).items() if name != "output"}
    facts = {"command": command_line(program, arguments), **given, "variant": variant, "versions": versions()}
    if args.output is not None:
        rows = [{"agent": name, "seats": names.count(name), **asdict(score)} for name, score in scores.items()]
        write_json(args.output, {**facts, "results": rows})
    table = f"{score_table(scores, Counter(names))}\n\n{how_it_was_made(facts)}"
    print(table)
    return 0


def check(args: Args[Any], num_players: int) -> str:
    """The variant played; `ValueError` for an invalid option."""
    check_integer("--games", args.games, 1, 2**31)
    check_integer("--seed", args.seed, 0, 2**63 - 1 - args.games)
    check_integer("--threads", args.threads, 1, 256)
    check_writable("--output", args.output)
    args.check_players(num_players)
    return TableEnv(args.game, num_players, args.variant, **args.rule_options).variant


# ---------------------------------------------------------------- playing


def play(names: Sequence[str], agents: Sequence[Agent], args: Args[Any]) -> dict[str, Score]:
    """Play all games; returns the score by agent name, per seat for agents with several."""
    rules = {"game": args.game, "variant": args.variant, **args.rule_options}
    won, squares, nobody = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0), 0
    if args.cluster is None and all(isinstance(agent, CompiledAgent) for agent in agents):
        shares_at_one_table(agents, 1, args.seed, **rules)  # compiles, which is no part of the games' speed
    with progress_bar(args.games) as bar:
        for shares in play_chunks(agents, args, rules, bar.update):
            for name in won:
                together = shares[:, [other == name for other in names]].sum(axis=1)
                won[name] += together.sum()
                squares[name] += np.square(together).sum()
            nobody += int((shares.sum(axis=1) == 0).sum())
    return {
        name: mean_of_seats(won[name], squares[name], nobody, args.games, seats, len(names))
        for name, seats in Counter(names).items()
    }


def play_chunks(
    agents: Sequence[Agent], args: Args[Any], rules: Mapping[str, Any], progress: Callable[[int], object]
) -> Iterator[Floats]:
    """The results of all chunks, in order."""
    games, seed, starts = args.games, args.seed, range(0, args.games, CHUNK)

    def play_chunk(start: int, threads: int = 1, progress: Callable[[int], object] = lambda games: None) -> Floats:
        return shares_at_one_table(agents, min(CHUNK, games - start), seed + start, threads, progress=progress, **rules)

    with joined(args.cluster, args.threads) as cluster:
        if cluster is None:
            yield from (play_chunk(start, args.threads, progress) for start in starts)
            return
        for shares in in_order((cluster.submit(play_chunk, start) for start in starts), lambda: tasks_ahead(cluster)):
            progress(len(shares))
            yield shares


def mean_of_seats(won: float, squares: float, nobody: int, games: int, seats: int, num_players: int) -> Score:
    """The score per seat of an agent in ``seats`` seats.

    The seats of one table do not win independently, so the interval is that of their joint share of the win divided by
    their number. ``won`` and ``squares`` are the sums of these joint shares and of their squares over ``games``.
    """
    together = won / games
    low, high = (bound / seats for bound in of_games(together, squares / games, games))
    return Score(games, together / seats, low, high, 1 / num_players, nobody / games)


# ---------------------------------------------------------------- output


def score_table(scores: Mapping[str, Score], seats: Mapping[str, int]) -> str:
    """The scores as a Markdown table."""
    rows = [
        [
            f"{name} x{seats[name]}, each" if seats[name] > 1 else name,
            *rate_cells(asdict(score)),
            f"{score.nobody:.1%}",
            f"{score.games:,}",
        ]
        for name, score in scores.items()
    ]
    return markdown_table(["agent", "win rate", "95 % interval", "par", "no winner", "games"], rows)


def how_it_was_made(facts: Mapping[str, Any]) -> str:
    """Command, seed, variant and versions in one line."""
    numbers = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return f"`{facts['command']}`: seed {facts['seed']}, {facts['variant']}, {numbers}."
