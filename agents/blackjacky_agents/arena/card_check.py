"""Checks of score cards, which anybody may have written: every value is checked, and a sample of games is replayed.

What is checked: types and sizes; that the protocol is a published one; that all numbers follow from what was won in
each game; that the games whose moves are in the card follow from the protocol's deals, from the rules and from the
decisions of the protocol's agents, and end as the card says; and, for an agent that is at hand, its own decisions. The
sample of games depends on all results, so changed results need the moves of other games than those that were played.

What nobody can check: that an agent that is not at hand has looked at nothing but its observations, since the deals of
a protocol are public.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.arena.protocol import ZERO, Protocol, pinned_agent, published, shipped_weights
from blackjacky_agents.arena.score_card import FORMAT, Entry, are_wins, describe_entry, identity, sampled_games
from blackjacky_agents.arena.scoring import (
    Job,
    JobPlayer,
    ScoreResult,
    jobs,
    make_table,
    score,
    shares_of_deals,
    wins_of,
)
from blackjacky_agents.arena.table import Table, decode_actions, encode_actions
from blackjacky_agents.intervals import Integers
from blackjacky_agents.networks.agent_file import load_agent
from blackjacky_agents.reports import ready_for_json
from blackjacky_env.checks import check_choice, check_integer
from blackjacky_env.compiled import CompiledPolicy, PythonPolicy
from blackjacky_env.declare import IllegalActionError
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.play import expand_games, new_decisions, play_logged
from blackjacky_env.reading import parse_json, read_file

MAX_CHARACTERS = {"kind": 30, "by": 60, "link": 200, "network": 60, "training": 60}
"""Length of each text of an `Entry`."""
FRESH = 2
"""Deals per table, beside those in the card, that an agent at hand plays again."""
_MAX_NAME = 120  # characters of an agent's name
_SHOWN = 60  # characters of a refused value that are quoted
_LINK = re.compile(r"https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(/[A-Za-z0-9._~/%?=+#-]*)?")
_CLOSE = 2e-6  # numbers are rounded to six decimals
_KEYS = {
    *("format", "agent", "entry", "game", "protocol", "options"),
    *("score", "tables", "games", "deals", "package", "run"),
}


@dataclass(frozen=True)
class ScoreCard:
    """A card whose numbers follow from its games; the games themselves are checked by `check_games`."""

    agent: Mapping[str, Any]
    """Name and hashes."""
    entry: Entry
    protocol: Protocol
    length: str
    result: ScoreResult
    wins: tuple[str, ...]
    """What was won in each game of each table, see `blackjacky_agents.arena.scoring.DIGITS`."""
    moves: tuple[tuple[str, ...], ...]
    """The moves of the sampled games of each table."""
    version: str
    """Version of the package that played the games."""
    day: date
    """When they were played."""
    microseconds: float
    """Median time of a move."""

    @property
    def name(self) -> str:
        """The agent's name."""
        return str(self.agent["name"])


@dataclass
class Checked:
    """What `check_games` has done."""

    games: int = 0
    """Games of the card that were played again from their moves."""
    decisions: int = 0
    """Games that the agent itself played again."""
    notes: tuple[str, ...] = ()
    """What could not be compared, and why."""


# ---------------------------------------------------------------- reading


def read_score_card(path: Path) -> ScoreCard:
    """The card in a file; `ValueError` says what is wrong with it. No game is played."""
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}; name the score.json of a score")
    try:
        return _read(parse_json(read_file(path)))
    except (ValueError, TypeError, OverflowError) as error:  # overflow: an integer beyond floating point
        raise ValueError(f"the card {str(path)!r} is refused: {error}") from None


def _read(card: Any) -> ScoreCard:
    if not isinstance(card, dict):
        raise ValueError("it is not a JSON object")
    if card.get("format") != FORMAT:
        raise ValueError(
            f"format={_quoted(card.get('format'))} is not {FORMAT}, the format of cards with games; score the agent "
            "again with this version of blackjacky"
        )
    _check_keys("the card", card, _KEYS)
    protocol, length = _read_protocol(card)
    tables = _list("tables", card["tables"])
    if len(tables) != len(protocol.tables):
        raise ValueError(f"it has {len(tables)} tables; {protocol.name} has {len(protocol.tables)}")
    wins = tuple(_read_wins(protocol, length, number, table) for number, table in enumerate(tables))
    deals = [shares_of_deals(won, place.num_players) for won, place in zip(wins, protocol.tables, strict=True)]
    result = score(protocol, deals)
    _check_numbers(card, tables, result)
    run, agent = _object("run", card["run"]), _read_agent(card["agent"])
    times = _object("run.move_microseconds", run.get("move_microseconds"))
    return ScoreCard(
        agent,
        read_entry(card["entry"]),
        protocol,
        length,
        result,
        wins,
        _read_moves(protocol, length, wins, tables),
        check_text("package.version", _object("package", card["package"]).get("version"), 30),
        _read_day(run.get("date")),
        _positive("run.move_microseconds.median", times.get("median")),
    )


def _read_protocol(card: Mapping[str, Any]) -> tuple[Protocol, str]:
    game = check_choice("game", card["game"], list(GAMES))
    own = _object("protocol", card["protocol"])
    _check_keys("protocol", own, {"name", "length", "sha256"})
    known = published(game)
    protocol = known.get(own["sha256"]) if isinstance(own["sha256"], str) else None
    if protocol is None:
        listed = ", ".join(f"{each.name} ({sha256[:16]})" for sha256, each in known.items()) or "none"
        raise ValueError(
            f"its protocol {_quoted(own['name'])} with the hash {_quoted(own['sha256'])[:18]} is not published; "
            f"published are {listed}. Score the agent again without --variant and rule options, or update blackjacky"
        )
    if own["name"] != protocol.name:
        raise ValueError(f"protocol.name={_quoted(own['name'])} has the hash of {protocol.name}")
    if card["options"] != protocol.options:
        raise ValueError(f"options={_quoted(card['options'])} are not those of {protocol.name}, {protocol.options}")
    return protocol, check_choice("protocol.length", own["length"], list(protocol.games))


def _read_wins(protocol: Protocol, length: str, number: int, table: Any) -> str:
    place, where = protocol.tables[number], f"tables[{number}]"
    table = _object(where, table)
    names = {"players", "variant", "opponents", "games", "win_rate", "par", "score", "wins", "moves"}
    _check_keys(where, table, names)
    for name, own in (("players", place.num_players), ("variant", place.variant), ("opponents", place.against)):
        if table[name] != own:
            raise ValueError(f"{where}.{name}={_quoted(table[name])} is not {own!r}, as in {protocol.name}")
    games = protocol.deals(place, length) * place.num_players
    if not are_wins(table["wins"], games, place.num_players):
        raise ValueError(
            f"{where}.wins must be {games:,} characters, one for each game: 0, or the number of winners, up to "
            f"{place.num_players}, if the agent is one of them"
        )
    return str(table["wins"])


def _check_numbers(card: Mapping[str, Any], tables: Sequence[Mapping[str, Any]], result: ScoreResult) -> None:
    """Raise `ValueError` for the first number that does not follow from the games."""
    expected = ready_for_json(asdict(result))
    for number, own in enumerate(expected.pop("tables")):
        for name, value in own.items():
            _compare(f"tables[{number}].{name}", tables[number][name], value)
    for name, value in expected.items():
        _compare(name, card[name], value)


def _compare(name: str, found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        found = _object(name, found)
        _check_keys(name, found, set(expected))
        for inner, value in expected.items():
            _compare(f"{name}.{inner}", found[inner], value)
        return
    both = isinstance(expected, int | float) and type(found) in (int, float)
    if (abs(found - expected) > _CLOSE) if both else found != expected:
        raise ValueError(f"{name}={_quoted(found)} does not follow from the games, which give {expected!r}")


def _read_moves(
    protocol: Protocol, length: str, wins: Sequence[str], tables: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, ...], ...]:
    size, found = get_game(protocol.game).num_actions, []
    for number, games in enumerate(sampled_games(protocol, length, wins)):
        where = f"tables[{number}].moves"
        moves = _list(where, tables[number]["moves"])
        if len(moves) != len(games):
            raise ValueError(f"{where} are {len(moves)} games; these results need the moves of {len(games)}")
        for game, text in zip(games, moves, strict=True):
            try:
                actions = decode_actions(text, size)
            except (ValueError, TypeError):
                actions = []
            if not actions or max(actions) >= size or encode_actions(np.array(actions), size) != text:
                raise ValueError(f"{where}: those of game {game} must be actions of {protocol.game} in base64")
        found.append(tuple(moves))
    return tuple(found)


def _read_agent(agent: Any) -> dict[str, Any]:
    agent = _object("agent", agent)
    for name, value in agent.items():
        if value is not None or name == "name":
            check_text(f"agent.{name[:_SHOWN]}", value, _MAX_NAME)
    if not agent.get("name"):
        raise ValueError("agent has no name")
    return dict(agent)


def read_entry(entry: Any) -> Entry:
    """An `Entry` from an object of its texts; `ValueError` for one that is missing, too long or not printable."""
    entry = _object("entry", entry)
    _check_keys("entry", entry, {each.name for each in fields(Entry)})
    for name, most in MAX_CHARACTERS.items():
        check_text(f"entry.{name}", entry[name], most)
    if entry["link"] and not _LINK.fullmatch(entry["link"]):
        raise ValueError(
            f"entry.link={_quoted(entry['link'])} is not an address; allowed are https://HOST/PATH with letters, "
            "digits and ._~/%?=+#-"
        )
    return Entry(**entry)


def check_text(name: str, value: object, most: int) -> str:
    """``value``; `ValueError` if it is not a printable text of at most so many characters."""
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise ValueError(f"{name}={_quoted(value)} is not allowed; allowed are up to {most} printable characters")
    return value


def _read_day(value: object) -> date:
    try:
        return date.fromisoformat(check_text("run.date", value, 10))
    except ValueError:
        raise ValueError(f"run.date={_quoted(value)} is not a date such as 2026-01-31") from None


def _positive(name: str, value: object) -> float:
    if type(value) not in (int, float) or not 0 <= value < 1e12:  # type: ignore[operator]  # it is a number
        raise ValueError(f"{name}={_quoted(value)} is not a number from 0 to 1e12")
    return float(value)  # type: ignore[arg-type]  # it is a number


def _object(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name}={_quoted(value)} is not an object")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name}={_quoted(value)} is not a list")
    return value


def _check_keys(name: str, value: Mapping[str, Any], expected: set[str]) -> None:
    if missing := expected - set(value):
        raise ValueError(f"{name} lacks {', '.join(sorted(missing))}")
    if more := set(value) - expected:
        raise ValueError(f"{name} has {_quoted(min(more))}, which no card has; it has {', '.join(sorted(expected))}")


def _quoted(value: object) -> str:
    text = ascii(value) if not isinstance(value, dict | list) else type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# ---------------------------------------------------------------- playing again


def check_games(card: ScoreCard, agent: Agent | None = None, fresh: int = FRESH) -> Checked:
    """Play the sampled games of a card again from their moves; with an agent at hand, also compare its decisions.

    Args:
        card: the card.
        agent: the agent that it is of, made by whoever checks; None: a shipped one, if the card is of a shipped one.
        fresh: deals per table, beside those in the card, that the agent plays again, 0 .. 10,000. Nobody can know in
            advance which they are.

    Raises `ValueError` for the first game that was not played like this, and for an agent that is not the card's.
    """
    check_integer("fresh", fresh, 0, 10_000)
    protocol = card.protocol
    pinned = {name: pinned_agent(protocol, name) for name in protocol.agents}
    at_hand: dict[str, Agent] = {name: each for name, each in pinned.items() if each is not None}
    if missing := [name for name in pinned if name not in at_hand]:
        _refuse_current(protocol, missing)
    if ZERO in missing:  # its decisions pin the rules, too
        return Checked(notes=(f"all games: the rules have changed since; blackjacky {card.version} can play them",))
    checked = Checked()
    for number, games in enumerate(sampled_games(protocol, card.length, card.wins)):
        _check_table(card, number, games, at_hand)
        checked.games += len(games)
    if missing:
        return replace(checked, notes=(f"decisions at tables with {', '.join(missing)}: they are not installed",))
    if agent is not None:
        _check_identity(card, agent)
    elif (agent := _known_agent(card, at_hand)) is None:
        return replace(checked, notes=("the agent's own decisions: it is not a shipped one; name it to compare them",))
    _check_network(card, agent)
    return replace(checked, decisions=_check_decisions(card, agent, at_hand, fresh))


def _refuse_current(protocol: Protocol, missing: Sequence[str]) -> None:
    if protocol.sha256 == next(iter(published(protocol.game))):
        raise ValueError(
            f"this installation has other agents than the protocol {protocol.name}, or other rules "
            f"({', '.join(missing)}); check the card with an unchanged one"
        )


def _known_agent(card: ScoreCard, pinned: Mapping[str, Agent]) -> Agent | None:
    """The shipped agent that a card is of; nothing is loaded from places that the card names."""
    if card.name in pinned:
        return pinned[card.name]
    path = shipped_weights(card.protocol.game).get(str(card.agent.get("weights")))
    return None if path is None else load_agent(path, card.protocol.game)


def _check_identity(card: ScoreCard, agent: Agent) -> None:
    own = identity(agent)
    for name in ("weights", "source"):
        if card.agent.get(name) != own.get(name):
            raise ValueError(
                f"{name} of {agent.name!r}: the hash is {own.get(name)}, in the card {card.agent.get(name)}; name the "
                "agent that the card is of"
            )


def _check_network(card: ScoreCard, agent: Agent) -> None:
    own = describe_entry(agent).network
    if card.entry.network != own:
        raise ValueError(f"entry.network={_quoted(card.entry.network)} is not what {agent.name!r} has, {own!r}")


# ---------------------------------------------------------------- from moves


def _check_table(card: ScoreCard, number: int, games: Sequence[int], pinned: Mapping[str, Agent]) -> None:
    place, size = card.protocol.tables[number], get_game(card.protocol.game).num_actions
    moves = [np.array(decode_actions(text, size), np.int64) for text in card.moves[number]]
    opponents = {name: pinned.get(name, pinned[ZERO]) for name in place.opponents}
    table = make_table(card.protocol, number, pinned[ZERO], opponents)
    play = _replay if set(place.opponents) <= set(pinned) else _replay_by_rules
    where = f"the table of {place.num_players} against {place.against}"
    seeds, seats = map(np.concatenate, zip(*(table.schedule(game, 1) for game in games), strict=True))
    try:
        winners = play(table, games, seeds, seats, moves)
    except (ValueError, IllegalActionError) as error:
        raise ValueError(f"{where}: {error}") from None
    for game, won in zip(games, wins_of(winners, seats), strict=True):
        if won != card.wins[number][game]:
            said = card.wins[number][game]
            raise ValueError(f"{where}, game {game}: the result is {said} in the card, and {won} after its moves")


def _replay(
    table: Table, games: Sequence[int], seeds: Integers, seats: Integers, moves: Sequence[Integers]
) -> npt.NDArray[np.bool_]:
    """Winners (N, num_players) of games in which agent 0 repeats its moves and the others decide for themselves."""
    recorded = _Recorded(games, moves)
    policies: list[PythonPolicy | CompiledPolicy] = [
        PythonPolicy("the agent of the card", recorded.act_batch, recorded.hear)
    ]
    policies += [(each.policy, each.parameters) for each in table.agents[1:] if isinstance(each, CompiledAgent)]
    states, seating = table.begin(seats)
    played = play_logged(get_game(table.game), states, seeds, seating, policies)
    for place, count in enumerate(played.decisions):
        recorded.compare(place, played.log[place, :count])
        if count < len(moves[place]):
            raise ValueError(f"game {games[place]}: it is over after {count} of its {len(moves[place])} moves")
    return _winners(table, states)


class _Recorded:
    """Repeats one player's moves in games of which all moves are known."""

    def __init__(self, games: Sequence[int], moves: Sequence[Integers]) -> None:
        self._games, self._moves = games, moves
        self._next = 0

    def hear(self, place: int, played: npt.NDArray[np.integer[Any]]) -> None:
        """Find the next move of a game; `ValueError` if there is none, or if the game went differently so far."""
        self.compare(place, played)
        if len(played) == len(self._moves[place]):
            self._refuse(place, f"it is not over after its {len(played)} moves")
        self._next = int(self._moves[place][len(played)])

    def compare(self, place: int, played: npt.NDArray[np.integer[Any]]) -> None:
        """Raise `ValueError` unless the known moves begin with those that were played."""
        known = self._moves[place]
        both = min(len(played), len(known))
        differing = np.flatnonzero(played[:both] != known[:both])
        if len(differing):
            first = differing[0]
            self._refuse(place, f"move {first} is {known[first]}, where an opponent chooses {played[first]}")
        if len(played) > len(known):
            self._refuse(place, f"it is not over after its {len(known)} moves")

    def _refuse(self, place: int, why: str) -> NoReturn:
        raise ValueError(f"game {self._games[place]}: {why}")

    def act_batch(self, observations: npt.NDArray[Any], _: npt.NDArray[Any]) -> Integers:
        """The next move of the game that was heard last."""
        return np.full(len(observations), self._next, np.int64)


def _replay_by_rules(
    table: Table, games: Sequence[int], seeds: Integers, seats: Integers, moves: Sequence[Integers]
) -> npt.NDArray[np.bool_]:
    """Winners (N, num_players) of games whose moves only have to be legal."""
    game, (states, _) = get_game(table.game), table.begin(seats)
    for place, own in enumerate(moves):
        one, starts = slice(place, place + 1), np.array([0, len(own)], np.int64)
        decisions = new_decisions(game, len(own))
        expand_games(game, states[one], seeds[one], own.astype(np.uint16), starts, decisions, number=games[place])
    return _winners(table, states)


def _winners(table: Table, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    winners: npt.NDArray[np.bool_] = states["winners"][:, : table.num_players] > 0
    return winners


# ---------------------------------------------------------------- from decisions


def _check_decisions(card: ScoreCard, agent: Agent, opponents: Mapping[str, Agent], fresh: int) -> int:
    """Number of games that the agent has played again; `ValueError` for the first that it plays differently."""
    player, rng, played_again = JobPlayer(card.protocol, agent, opponents), random.SystemRandom(), 0
    for number, games in enumerate(sampled_games(card.protocol, card.length, card.wins)):
        place = card.protocol.tables[number]
        shown = {game // place.num_players for game in games}
        others = [deal for deal in range(card.protocol.deals(place, card.length)) if deal not in shown]
        wanted = shown | {*rng.sample(others, min(fresh, len(others)))}
        known = dict(zip(games, card.moves[number], strict=True))
        for job in _jobs_with(card, agent, number, wanted):
            played, first = player(job), job.first * place.num_players
            for game, (won, moves) in enumerate(zip(played.wins, played.moves, strict=True), first):
                if won != card.wins[number][game] or known.get(game, moves) != moves:
                    raise ValueError(
                        f"the table of {place.num_players} against {place.against}, game {game}: {agent.name!r} plays "
                        "it differently; only an agent whose choices follow from what it observes and from the seed "
                        "given to reset can be compared"
                    )
            played_again += len(played.wins)
    return played_again


def _jobs_with(card: ScoreCard, agent: Agent, number: int, deals: set[int]) -> list[Job]:
    """The jobs in which an agent has played these deals, which a compiled agent can play one by one."""
    if isinstance(agent, CompiledAgent):
        return [Job(number, deal, 1) for deal in sorted(deals)]
    every = [job for job in jobs(card.protocol, card.length, agent) if job.table == number]
    return [job for job in every if deals & {*range(job.first, job.first + job.deals)}]
