"""``blackjacky tournament``: win rates, ratings and pairwise results with 95 % intervals, from duplicate deals."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from blackjacky_agents import agent_names
from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.arena.standings import standings
from blackjacky_agents.arena.tournament import MAX_GAMES, Tournament
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.options import GameArgs, R, check_writable, command_line, read_arguments
from blackjacky_agents.cli.tournament_report import Report, markdown_report
from blackjacky_agents.files import only_writer, write_file
from blackjacky_agents.registry import parse_agents
from blackjacky_agents.reports import progress_bar, ready_for_json, where
from blackjacky_env.checks import check_integer
from blackjacky_env.envs import MAX_SEED
from blackjacky_env.games import get_game


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Run a tournament with duplicate deals: win rates, ratings and pairwise results with 95 % intervals.

    Games are written to OUTPUT/N_players.jsonl for each table size, one per line, and the report to OUTPUT/report.md
    and report.json. Repeat the command to resume an interrupted tournament, or to add games with a larger --games.

    $ blackjacky tournament --agents counter,ppo:runs/NAME --players 4 --lineups copies --until 0.01
    $ blackjacky tournament --tables 'counter,random*3' 'counter*2,random*2' --games 4000
    """

    agents: str | None = None
    """Two or more agents; by default all of the game. `ppo:PATH` is a trained agent."""
    players: tuple[int, ...] | None = None
    """Table sizes, with a separate tournament for each; by default the game's usual one."""
    lineups: Literal["mixed", "copies"] = "mixed"
    """mixed: balanced line-ups of different agents; copies: each agent against copies of each other one."""
    tables: tuple[str, ...] = ()
    """Explicit line-ups instead, such as `counter,random*3`, all of the same size."""
    games: int = 10_000
    """Maximum number of games per table size, rounded up to complete deals of every line-up."""
    until: float | None = None
    """Stop when the 95 % interval of every agent's win rate has at most this width (0 .. 1)."""
    duplicate: bool = True
    """Play every deal once per seat, rotating the agents; otherwise every game has its own deal."""
    seed: int = 0
    """Random seed of the deals and seatings."""
    threads: int | None = None
    """Number of CPU cores, by default all; games do not depend on it."""
    cluster: str | None = None
    """Play on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; games do not depend on it."""
    output: Path = Path("runs/tournament")
    """Folder for games and report."""
    ladder: Path | None = None
    """Also write the report to this file (JSON)."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        tournaments = prepare(args)
    goals = [-(-args.games // each.cycle) * each.cycle for each in tournaments]
    play_all(tournaments, goals, args, f"{args.output}; repeat the command to resume", args.until)
    report = make_report(tournaments, args, command_line(program, arguments))
    text, content = markdown_report(report), json.dumps(report, indent=1) + "\n"
    write_file(args.output / "report.md", text + "\n")
    for path in filter(None, (args.output / "report.json", args.ladder)):
        write_file(path, content)
    print(text)
    return 0


# ---------------------------------------------------------------- playing


def prepare(args: Args[Any]) -> list[Tournament]:
    """The tournament of each table size; `ValueError` for invalid options."""
    check_integer("--games", args.games, 1, MAX_GAMES)
    check_integer("--seed", args.seed, 0, MAX_SEED)
    if args.threads is not None:
        check_integer("--threads", args.threads, 1, 1024)
    if args.until is not None and not 0 < args.until < 1:
        raise ValueError(f"--until {args.until} is out of range; allowed are widths above 0 and below 1")
    check_writable("--ladder", args.ladder)
    names, sizes, lineups = read_agents(args)
    for size in sizes:
        args.check_players(size)
    if args.output.is_dir():
        with only_writer(args.output):  # said before games are read, which may take long
            pass
    rules, tournaments = {"variant": args.variant, "game": args.game, **args.rule_options}, []
    for size in sizes:
        results = args.output / f"{size}_players.jsonl"
        tournaments.append(Tournament(names, size, lineups, args.seed, results, args.duplicate, **rules))
        count, needed = len(tournaments[-1].table.lineups), 2 * tournaments[-1].cycle
        if args.games < needed:
            raise ValueError(
                f"--games {args.games} are too few for tables of {size}: two deals of each of {count:,} line-ups "
                f"are {needed:,} games; --tables selects fewer line-ups"
            )
    return tournaments


def read_agents(args: Args[Any]) -> tuple[list[str], tuple[int, ...], str | list[list[str]]]:
    """Names, table sizes and line-ups; `ValueError` for options that contradict each other."""
    if args.tables and (args.agents is not None or args.players is not None or args.lineups != "mixed"):
        raise ValueError("--tables says who sits where: leave out --agents, --players and --lineups")
    if not args.tables:
        game = get_game(args.game)
        usual, _ = game.choose_table(args.preset_players, args.variant)
        sizes = (usual,) if args.players is None else tuple(dict.fromkeys(args.players))
        if not sizes:
            allowed = f"{game.min_players} .. {game.max_players}"
            raise ValueError(f"--players names no table size; allowed are {allowed}")
        names = agent_names(game.name) if args.agents is None else parse_agents(args.agents, "--agents")
        return names, sizes, args.lineups
    lineups = [parse_agents(table, "--tables") for table in args.tables]
    return list(dict.fromkeys(name for lineup in lineups for name in lineup)), (len(lineups[0]),), lineups


def play_all(
    tournaments: Sequence[Tournament], goals: Sequence[int], args: Any, where: str | None, until: float | None = None
) -> None:
    """Play the missing games, with a progress bar, up to the ``goals``, as `Tournament.play` does.

    ``args``: ``threads`` and ``cluster`` of a command; ``where``: the end of the sentence "Games are saved in ..." that
    follows Ctrl-C; None: they are not.
    """
    done, before = sum(min(goal, each.played) for goal, each in zip(goals, tournaments, strict=True)), 0
    try:
        with joined(args.cluster, args.threads) as cluster, progress_bar(sum(goals), done=done) as bar:
            for each, goal in zip(tournaments, goals, strict=True):
                bar.set_postfix_str(f"{each.table.num_players} players", refresh=False)

                def show(played: int, before: int = before) -> None:
                    bar.update(before + played - bar.n)

                each.play(goal, until, args.threads, show, cluster)
                show(goal)  # also games skipped by ``until``
                before += goal
    except KeyboardInterrupt:
        if where is not None:
            print(f"\nGames are saved in {where}.", file=sys.stderr)
        raise


# ---------------------------------------------------------------- the report


def make_report(tournaments: Sequence[Tournament], args: Args[Any], command: str) -> Report:
    """The report on all table sizes, JSON-ready."""
    return {
        "command": command,
        "game": args.game,
        "machine": where(),
        "seed": args.seed,
        "variant": tournaments[0].table.variant,
        "lineups": "named" if args.tables else args.lineups,
        "duplicate": args.duplicate,
        "until": args.until,
        "score": tournaments[0].score,
        "seconds": round(sum(tournament.seconds for tournament in tournaments), 1),
        "tables": [ready_for_json(asdict(standings(each.games(), args.seed))) for each in tournaments],
    }
