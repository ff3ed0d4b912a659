"""Let agents play each other at one table, the seats shuffled for each game: win rates with 95 % intervals.

    python scripts/evaluate.py --players counter,trickster,random*2 --games 10000

Equal agents share a row, in which everything holds for each of their seats.
"""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import lcm
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import tyro
from rule_options import read_arguments
from tqdm import tqdm

from blackjacky_agents import make_agent
from blackjacky_agents.arena.evaluation import Score, at_one_table, interval
from blackjacky_agents.files import write_file, write_json
from blackjacky_agents.registry import parse_agents
from blackjacky_agents.reports import replace_part
from blackjacky_env.engine.game import check_integer
from blackjacky_env.games import get_game

CHUNK = 2048  # games between two updates of the progress bar; another number gives other seats
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Args(Generic[R]):
    """Let agents play each other at one table, the seats shuffled for each game."""

    players: str
    """Agents, one for each seat: `random*2` is two of them, `ppo:PATH` one that you have trained."""
    game: str = "black_jacky"
    """The game."""
    games: int = 10_000
    """How many games."""
    seed: int = 0
    """Game i has seed SEED + i."""
    threads: int = 2
    """CPU threads; they change nothing in the results."""
    variant: str | None = None
    """The variant, the game's first by default; in Black Jacky classic (the whole game) or schnell_duell."""
    rules: Annotated[R, tyro.conf.arg(name="")]
    """Rule options."""
    output: Path | None = None
    """Keep the results in this file (JSON)."""
    page: Path | None = None
    """Put the table into this document, between the markers `evaluation`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        args = read_arguments(Args, arguments)
        names = read_players(args)
        check(args, len(names))
        scores = play(names, args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    facts = {"command": f"python scripts/evaluate.py {shlex.join(arguments)}", **asdict(args), "versions": versions()}
    del facts["output"], facts["page"]
    if args.output is not None:
        rows = [{"agent": name, "seats": names.count(name), **asdict(score)} for name, score in scores.items()]
        write_json(args.output, {**facts, "results": rows})
    table = f"{markdown_table(scores, Counter(names))}\n\n{how_it_was_made(facts)}"
    if args.page is not None:
        write_file(args.page, replace_part(args.page.read_text("utf-8"), "evaluation", table))
    print(table)
    return 0


def read_players(args: Args[Any]) -> list[str]:
    """The names of the agents, one for each seat."""
    names = parse_agents(args.players, "--players")
    game = get_game(args.game)
    check_integer(f"--players {args.players}: number of players", len(names), game.min_players, game.max_players)
    return names


def check(args: Args[Any], num_players: int) -> None:
    """`ValueError` naming an option that cannot be, its value and what is allowed."""
    check_integer("--games", args.games, 1, 2**31)
    check_integer("--seed", args.seed, 0, 2**63 - 1 - args.games)
    check_integer("--threads", args.threads, 1, 256)
    get_game(args.game).check_options(num_players, str(args.variant), asdict(args.rules))
    if args.output is not None and (args.output.is_dir() or not args.output.parent.is_dir()):
        raise ValueError(f"--output {args.output} cannot be written; needed is a file in a folder that exists")
    if args.page is not None:
        if not args.page.is_file():
            raise ValueError(f"--page {args.page} is no file; needed is a document with the markers `evaluation`")
        replace_part(args.page.read_text("utf-8"), "evaluation", "")


# ---------------------------------------------------------------- playing


def play(names: Sequence[str], args: Args[Any]) -> dict[str, Score]:
    """Play all games; the score of each agent, for equal ones the mean of their seats."""
    agents = [make_agent(name, args.game) for name in names]
    rules = {"game": args.game, "variant": args.variant, **asdict(args.rules)}
    parts = lcm(*range(1, len(names) + 1))  # what each of several winners gets is a whole number of these
    won: Counter[str] = Counter()  # in parts of a game
    nobody = 0
    with tqdm(total=args.games, unit=" games", mininterval=0.1 if sys.stderr.isatty() else 30) as bar:
        for start in range(0, args.games, CHUNK):
            games = min(CHUNK, args.games - start)
            scores = at_one_table(agents, games, args.seed + start, args.threads, **rules)
            for name, score in zip(names, scores, strict=True):
                won[name] += round(score.win_rate * games * parts)
            nobody += round(scores[0].nobody * games)
            bar.update(games)
    return {
        name: mean_of_seats(won[name] / parts, nobody, args.games, seats, len(names))
        for name, seats in Counter(names).items()
    }


def mean_of_seats(won: float, nobody: int, games: int, seats: int, num_players: int) -> Score:
    """The score per seat of equal agents in several ``seats`` who together ``won`` so many ``games``.

    Each game counts once: the seats of one table do not win independently, so the interval is that of their joint
    win rate, divided by their number.
    """
    together = won / games
    low, high = (bound / seats for bound in interval(together, games))
    return Score(games, together / seats, low, high, 1 / num_players, nobody / games)


# ---------------------------------------------------------------- showing


def markdown_table(scores: Mapping[str, Score], seats: Mapping[str, int]) -> str:
    """The scores as a Markdown table."""
    head = ["| agent | win rate | 95 % interval | par | nobody wins | games |", "|:--|--:|:-:|--:|--:|--:|"]
    body = [
        f"| {name}{f' x{seats[name]}, each' if seats[name] > 1 else ''} | {score.win_rate:.1%} "
        f"| {score.low:.1%} .. {score.high:.1%} | {score.par:.1%} | {score.nobody:.1%} | {score.games:,} |"
        for name, score in scores.items()
    ]
    return "\n".join([*head, *body])


def how_it_was_made(facts: Mapping[str, Any]) -> str:
    """Command, seed, variant and versions in one line."""
    numbers = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return f"`{facts['command']}`: seed {facts['seed']}, {facts['variant']}, {numbers}."


if __name__ == "__main__":
    sys.exit(main())
