"""Let agents play a tournament with duplicate deals: win rates, ratings, who beats whom, each with its 95 % interval.

    python scripts/tournament.py --agents counter,trickster,threshold,random --players 2 4 --games 20000
    python scripts/tournament.py --agents counter,ppo:runs/NAME --players 4 --lineups copies --until 0.01
    python scripts/tournament.py --tables counter,random*3 counter,threshold*3 --games 4000

The games of each table size are kept in OUTPUT/N_players.jsonl, one line each, and what they say in OUTPUT/report.md,
report.json and report.svg. Stopped, it goes on when the same command is given again; more games can be asked for then.
--replay plays one of the games once more and prints it as env.record() does, for env.unwrapped.replay().
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import tyro
from rule_options import read_arguments
from tournament_report import Report, draw, ladder, markdown_report, ready_for_json
from tqdm import tqdm

from blackjacky_agents import agent_names
from blackjacky_agents.arena.standings import standings
from blackjacky_agents.arena.tournament import MAX_GAMES, Tournament
from blackjacky_agents.files import write_file
from blackjacky_agents.registry import parse_agents
from blackjacky_agents.reports import replace_part, where
from blackjacky_env.engine.game import check_integer
from blackjacky_env.envs.aec import MAX_SEED
from blackjacky_env.games import get_game

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Args(Generic[R]):
    """Let agents play a tournament with duplicate deals."""

    game: str = "black_jacky"
    """The game."""
    agents: str | None = None
    """Two agents or more, by name, all that the game has by default; `ppo:PATH` is one that you have trained."""
    players: tuple[int, ...] | None = None
    """Table sizes, each a tournament of its own; the game's usual one by default."""
    lineups: Literal["mixed", "copies"] = "mixed"
    """All tables at which every agent has as many seats as every other, or one more; or one of each agent against
    copies of each other one."""
    tables: tuple[str, ...] = ()
    """These line-ups instead, such as `counter,random*3`; all of one size."""
    games: int = 10_000
    """Games at each table size at most, rounded up to whole deals of every line-up."""
    until: float | None = None
    """Stop as soon as the 95 % interval of every agent's win rate is this narrow, from end to end."""
    duplicate: bool = True
    """Play every deal once for each seat, the agents moving round; without, each game has its own cards."""
    seed: int = 0
    """All games follow from it."""
    threads: int | None = None
    """Cores to use, all by default; they change nothing in games of compiled agents."""
    variant: str | None = None
    """The variant, the game's first by default; in Black Jacky classic (the whole game) or schnell_duell."""
    rules: Annotated[R, tyro.conf.arg(name="")]
    """Rule options."""
    sighted: float | None = None
    """What an agent with sight of all cards wins in the same line-ups (0 .. 1): shows how far each agent is on the way
    from `random`, which has to play, to there."""
    output: Path = Path("runs/tournament")
    """Where games and report are kept."""
    replay: int | None = None
    """Play nothing; print this game (from 0) of those that are kept."""
    ladder: Path | None = None
    """Keep the report in this file (JSON) too, and write its tables into README.md beside it, between the markers that
    are called like the file."""
    check: bool = False
    """Play nothing; fail if README.md beside --ladder does not show what that file holds."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        args = read_arguments(Args, arguments)
        if args.check:
            return check(args)
        tournaments = prepare(args)
        if args.replay is not None:
            print(json.dumps(tournaments[0].replay(args.replay)))
            return 0
        play(tournaments, args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nStopped; {args.output} keeps what was played, and the same command goes on.", file=sys.stderr)
        return 130
    report = make_report(tournaments, args, f"python scripts/tournament.py {shlex.join(arguments)}".strip())
    print(keep(report, args))
    return 0


# ---------------------------------------------------------------- playing


def prepare(args: Args[Any]) -> list[Tournament]:
    """The tournament of each table size; `ValueError` says what cannot be played."""
    check_integer("--games", args.games, 1, MAX_GAMES)
    check_integer("--seed", args.seed, 0, MAX_SEED)
    if args.threads is not None:
        check_integer("--threads", args.threads, 1, 1024)
    if args.until is not None and not 0 < args.until < 1:
        raise ValueError(f"--until {args.until} is out of range; allowed are widths above 0 and below 1")
    names, sizes, lineups = read_agents(args)
    if args.sighted is not None and "random" not in names:
        raise ValueError("--sighted needs `random` among the agents: the way begins there")
    if args.replay is not None and len(sizes) > 1:
        raise ValueError(f"--replay needs one table size, not --players {' '.join(map(str, sizes))}")
    where_kept = [args.output / f"{size}_players.jsonl" for size in sizes]
    for path in where_kept:
        if args.replay is not None and not path.exists():
            raise ValueError(f"--replay: there is no {path}")
    tournaments = [
        Tournament(names, size, lineups, args.seed, path, args.duplicate, args.variant, args.game, **asdict(args.rules))
        for size, path in zip(sizes, where_kept, strict=True)
    ]
    for tournament in tournaments:
        check_enough(tournament, args)
    return tournaments


def read_agents(args: Args[Any]) -> tuple[list[str], tuple[int, ...], str | list[list[str]]]:
    """Names, table sizes and line-ups."""
    if not args.tables:
        game = get_game(args.game)
        sizes = (game.default_players,) if args.players is None else tuple(dict.fromkeys(args.players))
        if not sizes:
            allowed = f"{game.min_players} .. {game.max_players}"
            raise ValueError(f"--players names no table size; allowed are {allowed}")
        names = agent_names(game.name) if args.agents is None else parse_agents(args.agents, "--agents")
        return names, sizes, args.lineups
    lineups = [parse_agents(table, "--tables") for table in args.tables]
    return list(dict.fromkeys(name for lineup in lineups for name in lineup)), (len(lineups[0]),), lineups


def check_enough(tournament: Tournament, args: Args[Any]) -> None:
    """`ValueError` if there are too few games for an interval."""
    lineups, needed = len(tournament.table.lineups), 2 * tournament.cycle
    if args.replay is None and args.games < needed:
        raise ValueError(
            f"--games {args.games} are too few for tables of {tournament.table.num_players}: two deals of each of "
            f"{lineups:,} line-ups are {needed:,} games; fewer line-ups can be named by --tables"
        )


def play(tournaments: Sequence[Tournament], args: Args[Any]) -> None:
    """Play what is missing."""
    goals = [-(-args.games // tournament.cycle) * tournament.cycle for tournament in tournaments]
    done = sum(min(goal, tournament.played) for goal, tournament in zip(goals, tournaments, strict=True))
    pause = 0.1 if sys.stderr.isatty() else 30
    with tqdm(total=sum(goals), initial=done, unit=" games", mininterval=pause) as bar:
        for number, tournament in enumerate(tournaments):
            bar.set_postfix_str(f"{tournament.table.num_players} players", refresh=False)
            before = sum(goals[:number])

            def show(played: int, before: int = before) -> None:
                bar.update(before + played - bar.n)

            tournament.play(args.games, args.until, args.threads, show)
            bar.update(sum(goals[: number + 1]) - bar.n)  # also what --until has spared


# ---------------------------------------------------------------- what is said


def make_report(tournaments: Sequence[Tournament], args: Args[Any], command: str) -> Report:
    """What the games of all table sizes say, JSON-ready."""
    return {
        "command": command,
        "machine": where(),
        "seed": args.seed,
        "variant": args.variant,
        "lineups": "named" if args.tables else args.lineups,
        "duplicate": args.duplicate,
        "until": args.until,
        "score": tournaments[0].score,
        "sighted": args.sighted,
        "seconds": round(sum(tournament.seconds for tournament in tournaments), 1),
        "tables": [ready_for_json(asdict(standings(each.games(), args.seed))) for each in tournaments],
    }


def keep(report: Report, args: Args[Any]) -> str:
    """Write the report to all its places; returns it as Markdown."""
    text = markdown_report(report)
    write_file(args.output / "report.md", text + "\n")
    write_file(args.output / "report.json", json.dumps(report, indent=1) + "\n")
    draw(report, args.output / "report.svg")
    if args.ladder is not None:
        write_file(args.ladder, json.dumps(report, indent=1) + "\n")
        readme = args.ladder.with_name("README.md")
        write_file(readme, replace_part(readme.read_text(encoding="utf-8"), args.ladder.stem, ladder(report)))
    return text


def check(args: Args[Any]) -> int:
    """The exit status: 1 if the README is not made from the ladder's file."""
    if args.ladder is None or not args.ladder.exists():
        raise ValueError(f"--check needs --ladder with a file that exists, not {args.ladder}")
    readme = args.ladder.with_name("README.md")
    text = readme.read_text(encoding="utf-8")
    try:
        part = ladder(json.loads(args.ladder.read_text(encoding="utf-8")))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{args.ladder} is no report of this script: {error!r}") from None
    if replace_part(text, args.ladder.stem, part) == text:
        return 0
    print(f"{readme} does not show what {args.ladder.name} holds; run: make ladder", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
