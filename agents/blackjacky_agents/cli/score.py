"""``blackjacky score``: the score of an agent in the fixed protocol of a game, from 0 (random) to 100 (champion)."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.arena.card_check import check_games, read_entry, read_score_card
from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.arena.protocol import ZERO, Protocol, find_protocol
from blackjacky_agents.arena.score_card import Entry, ScoreFile, badge, describe_entry, in_words, make_card
from blackjacky_agents.arena.scoring import (
    Results,
    ScoreResult,
    deals_of,
    games_of,
    jobs,
    measure_references,
    play_protocol,
    score,
    time_moves,
)
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.options import GameArgs, R, command_line, progress_bar, read_arguments
from blackjacky_agents.external.subprocess_agent import MOVE_TIMEOUT, START_TIMEOUT, SubprocessAgent
from blackjacky_agents.files import only_writer, versions, write_file, write_json
from blackjacky_agents.registry import make_agent
from blackjacky_agents.reports import machine, markdown_table
from blackjacky_env.checks import check_integer
from blackjacky_env.draw import printable

UNFINISHED = "deals.jsonl"  # the file of an unfinished score


@dataclass(frozen=True, kw_only=True)
class Args(GameArgs[R]):
    """Score an agent in the fixed protocol of a game: 0 is random play, 100 the shipped champion.

    The agent plays copies and mixtures of all shipped agents at tables of several sizes, every deal once in each seat.
    Scores in the same protocol can be compared. Rules other than the game's usual ones get a protocol of their own.

    $ blackjacky score ppo:runs/NAME
    $ blackjacky score my_agents:Careful --protocol full
    $ blackjacky score "cmd:node agent.js" --move-timeout 2
    $ blackjacky score --check results/GAME/scores/NAME.json
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")] = ""
    """Name, `ppo:PATH`, `package.module:NAME` (your class or function) or `cmd:COMMAND` (a program); not needed with
    --check."""
    protocol: Literal["trial", "quick", "full"] = "quick"
    """Length: trial to check that the agent works, quick for development, full for publication."""
    move_timeout: float = MOVE_TIMEOUT
    """Seconds that a program has for a move."""
    start_timeout: float = START_TIMEOUT
    """Seconds that a program has to start."""
    threads: int | None = None
    """Number of CPU cores, by default all; a class or program runs once on each. The score does not depend on it."""
    cluster: str | None = None
    """Play on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; the score does not depend on it."""
    out: Path | None = None
    """Folder for score.json and badge.svg, by default runs/scores/GAME/AGENT."""
    resume: bool = False
    """Resume an interrupted run; the agent must be the same."""
    by: str = ""
    """For the table of standings: who made the agent."""
    link: str = ""
    """For the table of standings: an https address that says more about the agent."""
    kind: str = ""
    """For the table of standings: what kind of agent it is; by default what is known about it."""
    network: str = ""
    """For the table of standings: the size of its network; known for trained agents."""
    training: str = ""
    """For the table of standings: what its training cost; known for trained agents."""
    check: Path | None = None
    """Check this card instead: its numbers, a sample of its games and, with AGENT, the agent's decisions."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    if args.check is not None:
        print(check(args))
        return 0
    with checking_input():
        protocol, agent = prepare(args)
        entry = entry_of(args, agent)
        if not protocol.references:
            protocol = calibrated(protocol, args)
    folder = args.out or Path("runs") / "scores" / args.game / folder_name(args.agent)
    with only_writer(folder):
        results, seconds = play(protocol, agent, args, folder)
        result = score(protocol, deals_of(protocol, results))
        run = {
            "command": command_line(program, arguments),
            "date": datetime.now(UTC).date().isoformat(),
            "seconds": seconds,
            "move_microseconds": move_times(protocol, agent, results),
            "machine": machine(),
            "versions": versions(),
        }
        write_json(folder / "score.json", make_card(protocol, args.protocol, agent, entry, results, run))
        write_file(folder / "badge.svg", badge(f"{protocol.name} {args.protocol}", result.score))
        (folder / UNFINISHED).unlink()
    print(report(protocol, args, result, run, folder))
    return 0


def prepare(args: Args[Any]) -> tuple[Protocol, Agent]:
    """The protocol and the agent; `ValueError` for invalid options."""
    if args.threads is not None:
        check_integer("--threads", args.threads, 1, 1024)
    if not args.agent:
        raise ValueError("name an AGENT to score, or a card to check with --check")
    protocol = find_protocol(args.game, args.variant, args.rule_options, args.preset_players)
    return protocol, make(args, args.game)


def make(args: Args[Any], game: str) -> Agent:
    """The agent that the command line names."""
    if args.agent.startswith("cmd:"):
        return SubprocessAgent(args.agent.removeprefix("cmd:"), game, args.move_timeout, args.start_timeout)
    return make_agent(args.agent, game)


def entry_of(args: Args[Any], agent: Agent) -> Entry:
    """The agent's entry in the table of standings; `ValueError` for a text that it cannot have."""
    known = describe_entry(agent, args.by, args.link)
    said = {name: text for name in ("kind", "network", "training") if (text := getattr(args, name))}
    return read_entry(asdict(replace(known, **said)))


def check(args: Args[Any]) -> str:
    """Check a card; returns what was found, `WrongInputError` says what is wrong with it."""
    assert args.check is not None
    with checking_input():
        if args.preset is not None or args.variant is not None or args.rule_options:
            raise ValueError("--check takes the rules from the card: leave out --preset, --variant and rule options")
        card = read_score_card(args.check)
        game = card.protocol.game
        agent = make(args, game) if args.agent else None
        try:
            checked = check_games(card, agent)
        finally:
            if isinstance(agent, SubprocessAgent):
                agent.close()
    found = (
        f"The numbers follow from {card.result.games:,} games. Played again: {checked.games:,} from their moves, "
        f"{checked.decisions:,} by the agent."
    )
    scores = f"{args.check}: {card.name} scores {in_words(card.result.score)} in {card.protocol.name} {card.length}."
    lines = [scores, found, *(f"Not compared: {note}." for note in checked.notes)]
    return "\n".join(map(printable, lines))


def folder_name(agent: str) -> str:
    """The agent's name as the name of a folder."""
    return re.sub(r"[^\w.=-]+", "-", agent).strip("-.")[:80] or "agent"


# ---------------------------------------------------------------- playing


def calibrated(protocol: Protocol, args: Args[Any]) -> Protocol:
    """A protocol without references, with those measured now; a trial has too few games to measure them."""
    games = max(protocol.games["quick"], protocol.games[args.protocol])
    with progress_bar(None, f"{ZERO} and {protocol.hundred}") as bar:
        return measure_references(protocol, games, args.threads, bar.update)


def play(protocol: Protocol, agent: Agent, args: Args[Any], folder: Path) -> tuple[Results, float]:
    """Play the missing jobs; returns the results of all, and the seconds it took."""
    file = ScoreFile(folder / UNFINISHED, protocol, args.protocol, agent)
    with checking_input():
        results = file.read() if args.resume else file.start()
    every, begun = jobs(protocol, args.protocol, agent), time.perf_counter()
    todo = [job for job in every if job not in results]
    with progress_bar(games_of(protocol, every), "scoring", games_of(protocol, results)) as bar:
        try:
            with joined(args.cluster, args.threads) as cluster:
                for job, played in play_protocol(protocol, agent, todo, args.threads, cluster):
                    results[job] = played
                    file.append(job, played)
                    bar.update(games_of(protocol, [job]))
        except KeyboardInterrupt:
            print(f"\nFinished deals are in {file.path}; repeat the command with --resume.", file=sys.stderr)
            raise
    return results, round(time.perf_counter() - begun, 1)


def move_times(protocol: Protocol, agent: Agent, results: Results) -> dict[str, float]:
    """Median and 95th percentile of the time of a move, in microseconds."""
    if isinstance(agent, CompiledAgent):
        times = np.array(time_moves(protocol, agent))
    else:
        times = np.concatenate([played.microseconds for played in results.values()])
    median, high = np.percentile(times, [50, 95])
    return {"median": round(float(median), 1), "percentile_95": round(float(high), 1)}


# ---------------------------------------------------------------- output


def report(protocol: Protocol, args: Args[Any], result: ScoreResult, run: Mapping[str, Any], folder: Path) -> str:
    """A table of all tables, and the verdict."""
    rows = [
        [
            str(table.players),
            table.variant,
            table.opponents,
            f"{table.win_rate.mean:.1%}",
            f"{table.win_rate.low:.1%} .. {table.win_rate.high:.1%}",
            f"{table.par:.1%}",
            in_words(table.score),
        ]
        for table in result.tables
    ]
    heading = ["players", "variant", "opponents", "win rate", "95 % interval", "par", "score"]
    low, high = result.score.low, result.score.high
    times = run["move_microseconds"]
    verdict = (
        f"{args.agent} scores {result.score.mean:.1f} (95 % interval {low:.1f} .. {high:.1f}) in {protocol.name} "
        f"{args.protocol}, where {ZERO} has 0 and {protocol.hundred} 100: "
        f"{result.games:,} games in {run['seconds']:,} s, "
        f"{times['median']:,} µs a move (95th percentile {times['percentile_95']:,} µs)."
    )
    return "\n\n".join([markdown_table(heading, rows), verdict, f"Card and badge: {folder}"])
