"""Score cards: the winners of all games of a score, and all moves of a sample of them, so that others can check it.

All numbers of a card follow from the winners. The games whose moves are in the card are drawn by a hash of all winners,
so changed winners need the moves of other games than those that were played. These games are played again: cards are
dealt by the protocol, its bots decide, and the agent's moves have to be legal. An agent that is at hand is scored
again, and has to play the same games.

What nobody can check: that an agent that is not at hand has looked at nothing but its observations, since the deals of
a protocol are public.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date as Date  # noqa: N812 - also the name of a field
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field, StringConstraints

from blackjacky_agents.agent import FAILURES, Agent, CompiledAgent
from blackjacky_agents.arena.fixture import Failures, LineupFixture, decode_actions, encode_actions
from blackjacky_agents.arena.protocol import (
    Protocol,
    Rounded,
    TableScore,
    find_protocol,
    score,
    total,
    tournaments,
    win_rates,
)
from blackjacky_agents.arena.results_file import describe_agent
from blackjacky_agents.arena.standings import PlayedDeals
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_agents.games import get_kit
from blackjacky_agents.networks.agent_file import read_card
from blackjacky_agents.registry import make_agent
from blackjacky_agents.search.searchers import SEARCHERS
from blackjacky_agents.storage.checked import Checked, in_short
from blackjacky_env.compiled import PythonPolicy
from blackjacky_env.declare import IllegalActionError
from blackjacky_env.games import get_game
from blackjacky_env.play import NONE, FailedGames, play_out
from blackjacky_env.reading import MAX_CARD

SAMPLED = 12
"""Games of each line-up whose moves are in a card, rounded up to whole deals."""
_MAX_DEALS = 100_000  # of a line-up


_TEXT = r"^[^\p{C}\p{Zl}\p{Zp}]*$"  # characters that can be printed
_HTTPS = r"^(https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(/[\w.~/%?=+#-]*)?)?$"
Text = Annotated[str, StringConstraints(max_length=120, pattern=_TEXT)]
Short = Annotated[str, StringConstraints(max_length=60, pattern=_TEXT)]


class Entry(Checked):
    """What is said about an agent in the table of standings; every text may be empty."""

    kind: Short = ""
    by: Short = ""
    """Who made it."""
    link: Annotated[str, StringConstraints(pattern=_HTTPS)] = ""
    """An https address where more is said about it."""


class PlayedGames(Checked):
    """The games of one tournament of a score."""

    players: int
    winners: Annotated[str, StringConstraints(pattern="^[0-9a-f]*$")]
    """The winners of each game as a set of seats, in hexadecimal digits, one for every four seats."""
    moves: tuple[str, ...]
    """All actions of the sampled games, see `blackjacky_agents.arena.fixture.encode_actions`."""
    failures: Annotated[str, StringConstraints(pattern=f"^[0-{len(FAILURES)}]*$")] = ""
    """How the agent failed in each game, a digit as in `Results.failures`, so that all others won; empty: in none."""


class Circumstances(Checked):
    """What may differ when a score is repeated."""

    command: str
    date: Date
    seconds: Annotated[float, Field(ge=0)]
    move_microseconds: Annotated[float, Field(ge=0, lt=1e12)]
    """Mean time of a move."""
    machine: dict[str, Any]
    versions: dict[str, Short]


class ScoreCard(Checked):
    """The card of a score."""

    format: Literal[3]
    agent: dict[Text, Text | None]
    """Name and hashes."""
    entry: Entry
    game: str
    protocol: str
    """The SHA-256 of the protocol."""
    games: Annotated[int, Field(ge=1, le=_MAX_DEALS)]
    """Number of games of each line-up."""
    score: Rounded
    tables: tuple[TableScore, ...]
    played: tuple[PlayedGames, ...]
    run: Circumstances

    @property
    def name(self) -> str:
        """The agent's name."""
        return str(self.agent["name"])

    @property
    def failures(self) -> Failures:
        """How often the agent failed."""
        found = Counter(FAILURES[int(kind) - 1] for each in self.played for kind in each.failures if kind != "0")
        return {self.name: found} if found else {}


# ---------------------------------------------------------------- making


def make_card(
    protocol: Protocol, games: int, agent: Agent, entry: Entry, played: Sequence[Tournament], run: Circumstances
) -> ScoreCard:
    """The card of a score, from its tournaments, which have been played."""
    results = [each.games(total(each, games)) for each in played]
    winners = [_as_hex(each.winners) for each in results]
    mean, tables = score(protocol, win_rates(results))
    num_actions, in_card = get_game(protocol.game).num_actions, []
    with ThreadPoolExecutor() as threads:
        for each, won, sample in zip(played, winners, sampled_games(protocol, games, winners), strict=True):
            moves = tuple(encode_actions(own, num_actions) for own in threads.map(each.moves, sample))
            failed = each.failures[: total(each, games)].max(axis=1)
            failures = "".join(map(str, failed)) if failed.any() else ""
            in_card.append(PlayedGames(players=each.fixture.num_players, winners=won, moves=moves, failures=failures))
    return ScoreCard(
        format=3,
        agent=identity(agent),
        entry=entry,
        game=protocol.game,
        protocol=protocol.sha256,
        games=games,
        score=mean,
        tables=tables,
        played=tuple(in_card),
        run=run,
    )


def sampled_games(protocol: Protocol, games: int, winners: Sequence[str]) -> list[list[int]]:
    """Numbers of the games of each tournament whose moves a card holds, in order, given the winners of all games.

    They are all games of the deals of each line-up with the lowest hashes of deal and winners.
    """
    seed = hashlib.sha256(json.dumps([protocol.sha256, games, *winners]).encode()).hexdigest()
    found = []
    for number, tables in enumerate(protocol.groups):
        players, lineups = tables[0].num_players, len(tables)
        deals = max(2, -(-games // players)) * lineups
        keys = [hashlib.sha256(f"{seed} {number} {deal}".encode()).digest() for deal in range(deals)]
        chosen = [
            deal
            for lineup in range(lineups)
            for deal in sorted(range(lineup, deals, lineups), key=keys.__getitem__)[: -(-SAMPLED // players)]
        ]
        found.append([deal * players + turn for deal in sorted(chosen) for turn in range(players)])
    return found


def _as_hex(winners: npt.NDArray[np.bool_]) -> str:
    seats = winners.shape[-1]
    sets = winners.reshape(-1, seats) @ (1 << np.arange(seats))
    return "".join(f"{bits:0{-(-seats // 4)}x}" for bits in sets.tolist())


def _from_hex(text: str, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Winners of this shape (.., seats); `ValueError` if the text has another length, or seats that there are not."""
    seats, digits = shape[-1], -(-shape[-1] // 4)
    if len(text) * seats != digits * np.prod(shape):
        raise ValueError(f"its {len(text)} digits are not the winners of {np.prod(shape) // seats} games")
    sets = np.array([int(text[first : first + digits], 16) for first in range(0, len(text), digits)])
    if (sets >> seats).any():
        raise ValueError(f"winners sit in the seats 0 .. {seats - 1}")
    return (sets[:, None] >> np.arange(seats) & 1).reshape(shape) > 0


def identity(agent: Agent) -> dict[str, Any]:
    """The agent's name and, as far as known, hashes of what it is made of."""
    path: Path | str | None = None
    if isinstance(agent, CompiledAgent):
        given = agent.name.removeprefix("ppo:")
        path = get_kit(agent.game).network(agent.name) or (given if given != agent.name else None)
    return {**describe_agent(agent), **({"weights": read_card(path)["sha256"]} if path else {})}


def kind_of(agent: Agent) -> str:
    """The kind of an agent, for the table of standings."""
    if isinstance(agent, PythonAgent | SubprocessAgent):
        return "class" if isinstance(agent, PythonAgent) else "program"
    kinds = {**dict.fromkeys(SEARCHERS, "search"), "solved": "solution"}
    return "network" if "weights" in identity(agent) else kinds.get(agent.name.partition(":")[0], "bot")


# ---------------------------------------------------------------- reading


def read_score_card(path: Path) -> ScoreCard:
    """The card in a file; `ValueError` says what is wrong with it. No game is played."""
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}; name the score.json of a score")
    try:
        card = ScoreCard.read(path, MAX_CARD)
        if not card.agent.get("name"):
            raise ValueError("agent: it has no name")
        protocol = protocol_of(card)
        if (card.score, card.tables) != score(protocol, win_rates(each.games for each in _read(card))):
            raise ValueError("score, tables: these numbers do not follow from the winners of the games")
    except ValueError as error:
        raise ValueError(f"the card {str(path)!r} is refused: {in_short(error)}") from None
    return card


def protocol_of(card: ScoreCard) -> Protocol:
    """The published protocol that a card is of; `ValueError` if it is of another one."""
    protocol = find_protocol(card.game)
    if card.protocol != protocol.sha256:
        raise ValueError(f"protocol: {card.protocol[:16]} is not that of {card.game}, {protocol.sha256[:16]}")
    return protocol


class _Played(NamedTuple):
    """A tournament of a card."""

    fixture: LineupFixture
    games: PlayedDeals
    moves: dict[int, npt.NDArray[np.int64]]
    """By number, of the games whose moves are in the card."""
    failed: npt.NDArray[np.bool_]
    """Whether the agent failed in each game, (N,)."""


def _read(card: ScoreCard) -> list[_Played]:
    """The tournaments of a card; `ValueError` if something is not what it should be.

    The agent itself, which may not be at hand, is a nameless `random`.
    """
    protocol, found = protocol_of(card), []
    agent, num_actions = make_agent("random", card.game), get_game(card.game).num_actions
    made = tournaments(protocol, CompiledAgent(card.name, card.game, agent.policy))  # type: ignore[attr-defined]  # a bot
    if len(card.played) != len(made):
        raise ValueError(f"played: it has {len(card.played)} tournaments, not {len(made)}")
    samples = sampled_games(protocol, card.games, [each.winners for each in card.played])
    for number, (each, played, sample) in enumerate(zip(made, card.played, samples, strict=True)):
        count, players = total(each, card.games), each.fixture.num_players
        shape = (count // players, players, players)
        seats = each.fixture.schedule(0, count)[1].reshape(shape)
        try:
            winners = _from_hex(played.winners, shape)
            moves = [np.array(decode_actions(text, num_actions), np.int64) for text in played.moves]
            failed = _read_failures(played.failures, winners, seats == 0)
        except ValueError as error:
            raise ValueError(f"played.{number}: {error}") from None
        if len(moves) != len(sample):
            raise ValueError(
                f"played.{number}: {len(moves)} games have moves; these winners need the moves of {len(sample)}"
            )
        games = PlayedDeals(each.names, np.array(each.fixture.lineups), seats, winners, np.zeros(shape, np.int64))
        found.append(_Played(each.fixture, games, dict(zip(sample, moves, strict=True)), failed))
    return found


def _read_failures(text: str, winners: npt.NDArray[np.bool_], own: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether the agent, which has its ``own`` seats, failed in each game; `ValueError` if others should have won."""
    games = winners[..., 0].size
    failed = np.array([digit != "0" for digit in text or "0" * games])
    if len(failed) != games:
        raise ValueError(f"its {len(text)} digits are not the failures of {games} games")
    if (winners == own)[failed.reshape(winners.shape[:-1])].any():
        raise ValueError("where the agent failed, all others win")
    return failed


# ---------------------------------------------------------------- playing again


def check_games(card: ScoreCard) -> int:
    """Play the sampled games of a card again from their moves; returns their number.

    Raises `ValueError` for the first game that was not played like this.
    """
    played = _read(card)
    for each in played:
        for game in each.moves:
            _replay(each, game)
    return sum(len(each.moves) for each in played)


def _replay(played: _Played, game: int) -> None:
    """Play a game again in which the agent repeats its moves and the bots decide; `ValueError` if it differs."""
    fixture, moves, made, failed = played.fixture, played.moves[game], 0, bool(played.failed[game])

    def hear(_: int, told: npt.NDArray[np.integer[Any]]) -> None:
        nonlocal made
        made = len(told)

    def repeat(observations: npt.NDArray[Any], _: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        return np.array([moves[made] if made < len(moves) else NONE])

    policies: list[PythonPolicy | CompiledAgent] = [PythonPolicy("the agent of the card", repeat, hear)]
    policies += [each for each in fixture.agents[1:] if isinstance(each, CompiledAgent)]
    seeds, seats = fixture.schedule(game, 1)
    states, seating = fixture.begin(seats)
    won = played.games.winners.reshape(-1, fixture.num_players)[game]
    ended: FailedGames | None = {} if failed else None
    try:
        log = play_out(get_game(fixture.game), states, seeds, seating, policies, failed=ended)
        if not np.array_equal(log.log[0, : log.decisions[0]], moves) or bool(ended) != failed:
            raise ValueError("bots choose other moves than the card says, or it ends elsewhere")
        if not failed and (won != states["winners"][0, : fixture.num_players]).any():
            raise ValueError("others win after its moves than the card says")
    except (ValueError, IllegalActionError) as error:
        raise ValueError(f"game {game} of {fixture.num_players} players: {error}") from None
