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
from blackjacky_agents.arena.tournaments import MAX_GAMES, Tournament
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
from blackjacky_agents.registry import parse_agents
from blackjacky_agents.reports import (
    duration,
    failures_told,
    markdown_table,
    percent,
    progress_bar,
    ready_for_json,
    share,
    where,
    where_run,
)
from blackjacky_agents.storage.files import write_file
from blackjacky_env.checks import check_integer
from blackjacky_env.envs import MAX_SEED
from blackjacky_env.games import get_game

Result = dict[str, Any]
"""`standings.Standings` of one table size, JSON-ready."""
SHOWN_LINEUPS = 30  # more are left out of the report


@dataclass(frozen=True, kw_only=True)
class Args(FailureArgs, ClusterArgs, ThreadsArgs, GameArgs[R]):
    """Run a tournament with duplicate deals: win rates, ratings and pairwise results with 95 % intervals.

    Games are written to OUTPUT/N_players.jsonl for each table size, one per line, and the report to OUTPUT/report.md
    and report.json. Repeat the command to resume an interrupted tournament, or to add games with a larger --games.

    $ blackjacky tournament --agents counter,ppo:runs/NAME --players 4 --lineups copies --until 0.01
    $ blackjacky tournament --seats 'counter,random*3' 'counter*2,random*2' --games 4000
    """

    agents: str | None = None
    """Two or more agents; by default all of the game. `ppo:PATH` is a trained agent."""
    players: tuple[int, ...] | None = None
    """Table sizes, with a separate tournament for each; by default the game's usual one."""
    lineups: Literal["mixed", "copies"] = "mixed"
    """mixed: balanced line-ups of different agents; copies: each agent against copies of each other one."""
    seats: tuple[str, ...] = ()
    """Explicit line-ups instead, such as `counter,random*3`, all of the same size."""
    games: int = 10_000
    """Maximum number of games per table size, rounded up to complete deals of every line-up."""
    until: float | None = None
    """Stop when the 95 % interval of every agent's win rate has at most this width (0 .. 1)."""
    duplicate: bool = True
    """Play every deal once per seat, rotating the agents; otherwise every game has its own deal."""
    seed: int = 0
    """Random seed of the deals and seatings."""
    output: Path = Path("runs/tournament")
    """Folder for games and report."""
    ladder: Path | None = None
    """Also write the report to this file (JSON)."""

    def unused(self) -> dict[str, str]:
        """As `GameArgs.unused`."""
        return super().unused() | ({"with --seats": "agents players lineups"} if self.seats else {})


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        tournaments = prepare(args)
    goals = [-(-args.games // each.cycle) * each.cycle for each in tournaments]
    before = sum(each.played for each in tournaments)
    play_all(tournaments, goals, args, f"{args.output}; repeat the command to resume", args.until)
    report = {
        "command": command_line(program, arguments),
        "game": args.game,
        "machine": where(),
        "seed": args.seed,
        "variant": tournaments[0].fixture.variant,
        "lineups": "named" if args.seats else args.lineups,
        "duplicate": args.duplicate,
        "until": args.until,
        "score": tournaments[0].fixture.score,
        "new_games": sum(each.played for each in tournaments) - before,
        "seconds": round(sum(each.seconds for each in tournaments), 1),
        "tables": [
            {**ready_for_json(asdict(standings(each.games()))), "failures": each.count_failures()}
            for each in tournaments
        ],
    }
    text, content = markdown_report(report), json.dumps(report, indent=1) + "\n"
    write_file(args.output / "report.md", text + "\n")
    for path in filter(None, (args.output / "report.json", args.ladder)):
        write_file(path, content)
    print(text)
    return 0


def prepare(args: Args[Any]) -> list[Tournament]:
    """The tournament of each table size; `ValueError` for invalid options."""
    check_integer("--games", args.games, 1, MAX_GAMES)
    check_integer("--seed", args.seed, 0, MAX_SEED)
    if args.until is not None and not 0 < args.until < 1:
        raise ValueError(f"--until {args.until} is out of range; allowed are widths above 0 and below 1")
    check_writable("--ladder", args.ladder)
    names, sizes, lineups = read_agents(args)
    rules, tournaments = {"variant": args.variant, "game": args.game, **args.rule_options}, []
    for size in sizes:
        args.check_players(size)
        results = args.output / f"{size}_players.jsonl"
        tournaments.append(Tournament(names, size, lineups, args.seed, results, args.duplicate, **rules))
        if args.games < (needed := 2 * tournaments[-1].cycle):
            raise ValueError(
                f"--games {args.games} are too few for tables of {size}: two deals of each line-up are {needed:,} "
                "games; --seats selects fewer line-ups"
            )
    return tournaments


def read_agents(args: Args[Any]) -> tuple[list[str], tuple[int, ...], str | list[list[str]]]:
    """Names, table sizes and line-ups; `ValueError` for unknown agents."""
    if args.seats:
        lineups = [parse_agents(table, "--seats") for table in args.seats]
        return list(dict.fromkeys(name for lineup in lineups for name in lineup)), (len(lineups[0]),), lineups
    usual, _ = get_game(args.game).choose_table(args.table_players, args.variant)
    names = agent_names(args.game) if args.agents is None else parse_agents(args.agents, "--agents")
    return names, tuple(dict.fromkeys(args.players or (usual,))), args.lineups


def play_all(
    tournaments: Sequence[Tournament], goals: Sequence[int], args: Any, where: str | None, until: float | None = None
) -> None:
    """Play up to the ``goals`` as `Tournament.play`, with what ``args`` say beside them; shows a bar.

    ``where``: the end of the sentence "Games are saved in ..." that follows Ctrl-C; None: they are not.
    """
    done, before = sum(min(goal, each.played) for goal, each in zip(goals, tournaments, strict=True)), 0
    try:
        with joined(args.cluster, args.threads) as cluster, progress_bar(sum(goals), done=done) as bar:
            for each, goal in zip(tournaments, goals, strict=True):
                bar.set_postfix_str(f"{each.fixture.num_players} players", refresh=False)

                def show(played: int, before: int = before) -> None:
                    bar.update(before + played - bar.n)

                each.play(goal, until, args.threads, show, cluster, args.on_failure)
                show(goal)  # also games skipped by ``until``
                before += goal
    except KeyboardInterrupt:
        if where is not None:
            print(f"\nGames are saved in {where}.", file=sys.stderr)
        raise


# ---------------------------------------------------------------- the report


def markdown_report(report: dict[str, Any]) -> str:
    """Standings, pairs, cycles and line-ups of every table size."""
    games = sum(table["games"] for table in report["tables"])
    new = f"{report['new_games']:,} of them in {duration(report['seconds'])}"
    sections = [f"{games:,} games, {new}: `{report['command']}` on {where_run(report['machine'])}."]
    for table in report["tables"]:
        players, count = table["num_players"], len(table["lineups"])
        heading = (
            f"**{players} players**, par {percent(1 / players)}; {table['games']:,} games, {table['deals']:,} deals of "
            f"{count:,} line-up{'s' * (count > 1)}; no winner in {percent(table['nobody']['mean'])} of the games:"
        )
        failed = failures_told(table["failures"])
        sections += [heading, standings_table(report["score"], table), f"{failed}{pairs_table(table)}", cycles(table)]
        if report["lineups"] == "copies":
            sections.append(copies_table(table))
        elif 1 < count <= SHOWN_LINEUPS:
            sections.append(lineups_table(table))
    return "\n\n".join([*sections, footnotes(report)])


def standings_table(score: str, table: Result) -> str:
    """The results of every agent; ``score``: what scores are called."""
    rows = []
    for row in best_first(table):
        means = number(row["score"], 2), number(row["rating"], 1)
        rows.append([f"`{row['agent']}`", share(row["win_rate"]), *means, f"{row['games']:,}"])
    return markdown_table(["agent", "win rate", score, "rating", "games"], rows)


def best_first(table: Result) -> list[dict[str, Any]]:
    """The agents of a table by their win rates."""
    return sorted(table["agents"], key=lambda row: -row["win_rate"]["mean"])


def pairs_table(table: Result) -> str:
    """How often each agent (rows) finished ahead of each other one (columns)."""
    names = [row["agent"] for row in best_first(table)]
    found = {(pair["first"], pair["second"]): pair["share"] for pair in table["pairs"]}
    rows = [[f"`{a}`", *("-" if a == b else share(found[a, b]) for b in names)] for a in names]
    return markdown_table(["finishes ahead of", *(f"`{name}`" for name in names)], rows)


def copies_table(table: Result) -> str:
    """Win rates of one agent (rows) against copies of another (columns)."""
    copies = "one" if table["num_players"] == 2 else f"{table['num_players'] - 1} copies of"
    names = [row["agent"] for row in table["agents"]]
    found = {tuple(line["agents"][:2]): line["win_rates"] for line in table["lineups"]}
    rows = [[f"`{a}`", *("-" if a == b else share(found[a, b][a]) for b in names)] for a in names]
    return markdown_table(["agent", *(f"against {copies} `{name}`" for name in names)], rows)


def lineups_table(table: Result) -> str:
    """Win rates in every line-up."""
    rows = []
    for line in table["lineups"]:
        rates = (f"`{name}` {share(rate)}" for name, rate in line["win_rates"].items())
        rows.append([", ".join(f"`{name}`" for name in line["agents"]), f"{line['deals']:,}", ", ".join(rates)])
    return markdown_table(["line-up", "deals", "win rates, each"], rows)


def cycles(table: Result) -> str:
    """Cycles in the pairwise results, as a sentence."""
    if not table["cycles"]:
        return "No cycles: the pairwise results are transitive."
    found = (" beats ".join(f"`{name}`" for name in [*cycle, cycle[0]]) for cycle in table["cycles"])
    return f"Shortest cycles: {'; '.join(found)}."


def footnotes(report: dict[str, Any]) -> str:
    """Explanations of the columns."""
    deals = "the same cards in every rotation" if report["duplicate"] else "independent deals (--no-duplicate)"
    return (
        f"Seed {report['seed']}, {report['variant']}; {deals}. 95 % confidence intervals from the spread of deals. "
        "Win rate: mean of 1 / number of winners for a winner, 0 otherwise; par: 1 / number of players. "
        "Finishes ahead of: fraction of games in which the row's agent won more than the column's, without ties. "
        "Rating: OpenSkill's Plackett-Luce, fitted to all games at once, 25 on average."
    )


def number(estimate: dict[str, Any], digits: int) -> str:
    """A mean with its interval."""
    interval = "" if estimate["low"] is None else f" ({estimate['low']:.{digits}f} .. {estimate['high']:.{digits}f})"
    return f"{estimate['mean']:.{digits}f}{interval}"
