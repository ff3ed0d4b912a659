"""``blackjacky score``: one comparable number for any agent, from a tournament with fixed line-ups."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import tyro

from blackjacky_agents.agent import Agent, asked
from blackjacky_agents.arena.protocol import (
    GAMES,
    ZERO,
    Protocol,
    ceiling,
    find_protocol,
    total,
    tournaments,
    win_rates,
    with_references,
)
from blackjacky_agents.arena.score_card import (
    Circumstances,
    Entry,
    ScoreCard,
    check_games,
    kind_of,
    make_card,
    protocol_of,
    read_score_card,
)
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.cli.arguments import (
    ClusterArgs,
    FailureArgs,
    GameArgs,
    R,
    ThreadsArgs,
    command_line,
    read_arguments,
)
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.tournament import play_all
from blackjacky_agents.external.subprocess_agent import MOVE_TIMEOUT, START_TIMEOUT, SubprocessAgent
from blackjacky_agents.games import agent_names
from blackjacky_agents.intervals import Estimate
from blackjacky_agents.registry import make_agent
from blackjacky_agents.reports import duration, failures_told, machine, markdown_table, share
from blackjacky_agents.storage.checked import in_short
from blackjacky_agents.storage.files import only_writer, versions, write_file
from blackjacky_env.checks import check_integer
from blackjacky_env.draw import printable
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import get_game

ENOUGH, SECONDS = 500, 5.0  # moves, and time, after which no other game begins in which moves are timed
REFERENCE_SEED = 1_000_000  # added to the protocol's, so that references and scores have independent deals


@dataclass(frozen=True, kw_only=True)
class Args(FailureArgs, ClusterArgs, ThreadsArgs, GameArgs[R]):
    """Score an agent at the fixed tables of a game: 0 is random play, 100 the strongest bot.

    The agent plays copies and mixtures of the game's bots at tables of several sizes, every deal once in each seat.
    Scores of a game can be compared, whoever made them. Rules other than the game's usual ones get tables of their own.

    $ blackjacky score ppo:runs/NAME
    $ blackjacky score my_agents:Careful --games 16000
    $ blackjacky score "cmd:node agent.js" --games 100 --move-timeout 2
    $ blackjacky score --check results/GAME/scores/NAME.json
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")] = ""
    """Name, `ppo:PATH`, `package.module:NAME` (your class or function) or `cmd:COMMAND` (a program); not needed with
    --check."""
    games: int = GAMES
    """Games of each line-up, rounded up to whole deals; fewer are the beginning of more."""
    move_timeout: float = MOVE_TIMEOUT
    """Seconds that a program has for a move."""
    start_timeout: float = START_TIMEOUT
    """Seconds that a program has to start."""
    output: Path | None = None
    """Folder for score.json and the games, by default runs/scores/GAME/AGENT, with the rules that are not the usual."""
    resume: bool = False
    """Go on with the games in that folder, of a score that was interrupted or had fewer; the agent must be the same."""
    by: str = ""
    """For the table of standings: who made the agent."""
    link: str = ""
    """For the table of standings: an https address that says more about the agent."""
    check: Path | None = None
    """Check this card instead: its numbers, a sample of its games and, with AGENT or a shipped one, all its games."""

    def unused(self) -> dict[str, str]:
        """As `GameArgs.unused`."""
        found = super().unused()
        if not self.agent.startswith("cmd:"):
            found["without a program, cmd:COMMAND"] = "move_timeout start_timeout"
        if self.check is not None:
            found["with --check"] = self.all_but("check threads cluster move_timeout start_timeout")
        return found


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    if args.check is not None:
        print(check(args.check, args))
        return 0
    rules = [args.table, args.variant, *(f"{name}={value}" for name, value in args.rule_options.items())]
    name = folder_name(" ".join([args.agent, *filter(None, rules)]))
    folder = args.output or Path("runs") / "scores" / args.game / name
    with checking_input():
        protocol, agent, entry = prepare(args, folder)
        played = tournaments(protocol, agent, folder)
    begun = time.perf_counter()
    play(played, args.games, args, f"{folder}; repeat it with --resume")
    run = Circumstances(
        command=command_line(program, arguments),
        date=datetime.now(UTC).date(),
        seconds=round(time.perf_counter() - begun, 1),
        move_microseconds=time_of_a_move(protocol, agent, args.on_failure == "lose"),
        machine=machine(),
        versions=versions(),
    )
    card = make_card(protocol, args.games, agent, entry, played, run)
    write_file(folder / "score.json", card.model_dump_json(indent=1) + "\n")
    print(f"{report(protocol, card)}\n\nCard and games: {folder}")
    return 0


def prepare(args: Args[Any], folder: Path) -> tuple[Protocol, Agent, Entry]:
    """The protocol, the agent and its entry in the standings; `ValueError` for invalid options.

    Games of an earlier score are removed from the folder, unless they are to be resumed; those of references stay.
    """
    check_integer("--games", args.games, 1, 100_000)
    if not args.agent:
        raise ValueError("name an AGENT to score, or a card to check with --check")
    protocol = find_protocol(args.game, args.variant, args.rule_options, args.table_players)
    agent = make(args, args.game)
    try:
        entry = Entry(kind=kind_of(agent), by=args.by, link=args.link)
    except ValueError as error:
        raise ValueError(f"--{in_short(error)}") from None
    with only_writer(folder):
        for left in () if args.resume else folder.glob("*_players.jsonl"):
            left.unlink()
    if protocol.tables[0].zero is None:
        protocol = measured(protocol, max(args.games, GAMES), args, folder)
    return protocol, agent, entry


def make(args: Args[Any], game: str) -> Agent:
    """The agent that the command line names."""
    if args.agent.startswith("cmd:"):
        return SubprocessAgent(args.agent.removeprefix("cmd:"), game, args.move_timeout, args.start_timeout)
    return make_agent(args.agent, game)


def play(played: Sequence[Tournament], games: int, args: Any, where: str | None) -> None:
    """Play so many games of each line-up, see `play_all`."""
    play_all(played, [total(each, games) for each in played], args, where)


def measured(protocol: Protocol, games: int, args: Any, folder: Path) -> Protocol:
    """A protocol with the results of the two agents of its scale, whose games are kept in folders of their own."""
    other, rates = protocol.model_copy(update={"seed": protocol.seed + REFERENCE_SEED}), []
    for name in (ZERO, protocol.hundred):
        played = tournaments(other, make_agent(name, protocol.game), folder / name)
        play(played, games, args, f"{folder}; repeat the command")
        rates.append(win_rates(each.games(total(each, games)) for each in played))
    return with_references(protocol, *rates)


def time_of_a_move(protocol: Protocol, agent: Agent, may_fail: bool) -> float:
    """Mean time, in microseconds, of moves asked for one by one, against the last line-up of usual size.

    The first move, which may compile, does not count if there are more. No game begins after one in which the agent
    fails, if it ``may_fail``.
    """
    usual = get_game(protocol.game).default_players
    place = next((each for each in reversed(protocol.tables) if each.num_players == usual), protocol.tables[-1])
    env = TableEnv(protocol.game, place.num_players, place.variant, **protocol.options)
    others, times, seed = [make_agent(name, protocol.game) for name in place.opponents], list[float](), 0
    seats, begun = dict(zip(env.possible_agents, [agent, *others], strict=True)), time.perf_counter()
    try:
        while not times or (len(times) < ENOUGH and sum(times) < SECONDS):
            env.reset(seed=(seed := seed + 1))
            for each in seats.values():
                each.reset(seed)
            while not all(env.terminations.values()):
                choose, begun = asked(seats[env.agent_selection], env), time.perf_counter()
                action = choose()
                if env.agent_selection == env.possible_agents[0]:
                    times.append(time.perf_counter() - begun)
                env.step(action)
    except Exception:
        if not may_fail:
            raise
        times = times or [time.perf_counter() - begun]
    return round(1e6 * mean(times[1:] or times), 1)


def check(path: Path, args: Args[Any]) -> str:
    """Check a card; returns what was found, `WrongInputError` says what is wrong with it.

    Nothing is loaded from places that the card names.
    """
    with checking_input():
        card = read_score_card(path)
        replayed = check_games(card)
        note = "The agent itself is not scored again: it is not a shipped one; name it to do so."
        if args.agent or card.name in agent_names(card.game):
            agent = make(args, card.game) if args.agent else make_agent(card.name, card.game)
            protocol = protocol_of(card)
            played = tournaments(protocol, agent)
            play(played, card.games, replace(args, on_failure="lose" if card.failures else "stop"), None)
            if make_card(protocol, card.games, agent, card.entry, played, card.run).played != card.played:
                raise ValueError(
                    f"{agent.name!r} plays other games than those of the card; only an agent whose choices follow from "
                    "what it observes and from the seed given to reset can be compared"
                )
            note = "The agent was scored again, with the same results."
    told = (
        f"{path}: {card.name} scores {in_words(card.score)}. The numbers follow from the winners of all games. "
        f"Played again from their moves: {replayed:,} games. {note}"
    )
    return printable(told)


def folder_name(agent: str) -> str:
    """The agent's name as the name of a folder."""
    return re.sub(r"[^\w.=-]+", "-", agent).strip("-.")[:80] or "agent"


def report(protocol: Protocol, card: ScoreCard) -> str:
    """A table of all tables, and the verdict."""
    cells = [(each.players, each.opponents, share(asdict(each.win_rate)), in_words(each.score)) for each in card.tables]
    verdict = (
        f"{card.name} scores {in_words(card.score)} (95 % interval), where {ZERO} has 0, {protocol.hundred} 100, and "
        f"who wins every game {ceiling(protocol):.0f}. {card.games:,} games of each line-up in "
        f"{duration(card.run.seconds)}, {card.run.move_microseconds:,} µs a move."
    )
    table = markdown_table(["players", "opponents", "win rate", "score"], cells)
    return f"{table}\n\n{failures_told(card.failures)}{verdict}"


def in_words(score: Estimate) -> str:
    """A score with its interval, such as ``"97.3 (96.1 .. 98.6)"``."""
    return f"{score.mean:.1f} ({score.low:.1f} .. {score.high:.1f})"
