"""Protocols of scores: fixed tables of bots, with the results of the two agents that define the scale.

A score is a tournament with fixed line-ups: the scored agent with copies of each bot in turn, and with a mixture of
them. 0 is `random`, 100 the game's strongest bot, and the ceiling what winning every game would give. Bots never
change: a protocol pins their decisions, and through these the rules, by hashes.

At each table the win rate is rescaled linearly; the score is the mean over the tables. Its 95 % interval includes the
errors of the two results on which the scale rests; the halves of independent intervals are added as Zou and Donner do
it (Statistics in Medicine 2008).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from hashlib import sha256
from itertools import cycle, groupby, islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator

from blackjacky_agents.agent import Agent
from blackjacky_agents.arena.fixture import LineupFixture, encode_actions
from blackjacky_agents.arena.standings import PlayedDeals, lineup_results
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.intervals import Estimate, Z
from blackjacky_agents.registry import make_agent
from blackjacky_agents.storage.checked import Checked, in_short
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.reading import MAX_CARD

ZERO = "random"
"""The agent with score 0."""
GAMES = 1600
"""The usual number of games of a line-up; fewer are the beginning of more."""
_PINNED_GAMES = 8  # of copies, whose actions identify a bot
_CLEAR = 4.0  # standard errors between the references at a table that tells agents apart


def rounded(found: Estimate) -> Estimate:
    """An estimate as it stands in files, so that it is the same wherever it was computed."""
    return Estimate(*(round(each, 6) for each in astuple(found)))


Rounded = Annotated[Estimate, AfterValidator(rounded)]


class ProtocolTable(Checked):
    """A table that the scored agent sits down at; in each deal it plays once in every seat."""

    num_players: int
    variant: str
    opponents: tuple[str, ...]
    """Names of the other agents, one per seat."""
    zero: Rounded | None = None
    """The win rate of `ZERO`, from other deals than those of scores."""
    hundred: Rounded | None = None
    """Likewise of the strongest bot."""

    @property
    def against(self) -> str:
        """The opponents as `blackjacky_agents.registry.parse_agents` reads them, such as ``"counter,random*2"``."""
        counts = {name: self.opponents.count(name) for name in self.opponents}
        return ",".join(name if count == 1 else f"{name}*{count}" for name, count in counts.items())


class Protocol(Checked):
    """Everything that a score depends on, except the agent and the number of games."""

    game: str
    options: dict[str, Any]
    """Rule options that differ from their defaults."""
    seed: int
    """Of the deals of the first tournament; the next one has the next seed."""
    hundred: str
    """The agent with score 100."""
    bots: dict[str, str]
    """The SHA-256 of some decisions of each bot in it."""
    tables: tuple[ProtocolTable, ...]
    """In the order of their sizes; those of one size are line-ups of one tournament."""

    @property
    def sha256(self) -> str:
        """The hash of everything that scores depend on."""
        return sha256(self.model_dump_json().encode()).hexdigest()

    @property
    def groups(self) -> list[list[ProtocolTable]]:
        """The tables of each tournament."""
        return [list(tables) for _, tables in groupby(self.tables, lambda table: table.num_players)]


class TableScore(Checked):
    """The result at one table."""

    players: int
    opponents: str
    win_rate: Rounded
    score: Rounded


# ---------------------------------------------------------------- making and finding protocols


def find_protocol(
    game: str = DEFAULT,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    num_players: int | None = None,
) -> Protocol:
    """The published protocol of a game; without one, or for other rules, one without references (`custom_protocol`).

    Raises `ValueError` for an unknown game, variant or option, and if the rules or a bot differ from those pinned.
    """
    path = get_kit(game).score
    if path is None or not path.exists() or variant is not None or options or num_players is not None:
        return custom_protocol(game, variant, options or {}, num_players)
    protocol = read_protocol(path)
    for name, pinned in protocol.bots.items():
        if name not in bot_names(game) or decisions_of(name, game) != pinned:
            raise ValueError(
                f"the decisions of {name!r}, or the rules of {game}, are not those that its scores are measured with: "
                "take the change back, or give what has changed another name"
            )
    return protocol


def custom_protocol(
    game: str, variant: str | None = None, options: Mapping[str, Any] | None = None, num_players: int | None = None
) -> Protocol:
    """A protocol made from the game's bots, without references; `ValueError` if there is none but `random`.

    At the smallest, the usual and the largest table, or at that of ``num_players`` alone, the opponents are copies of
    each bot in turn, and a mixture of the strongest.
    """
    bots, options, declared = bot_names(game), dict(options or {}), get_game(game)
    if len(bots) < 2:
        raise ValueError(f"{game} has no bot but {ZERO!r} to compare with; declare one in its GameKit")
    sizes = {declared.choose_table(num_players, variant)[0]}
    if num_players is None:
        among = [each for each in declared.variants if variant in (None, each.name)]
        sizes |= {min(each.min_players for each in among), max(each.max_players for each in among)}
    tables: list[ProtocolTable] = []
    for size in sorted(sizes):
        lineups = [(name,) * (size - 1) for name in bots]
        if size > 2:
            lineups.append(tuple(islice(cycle(reversed(bots)), size - 1)))
        chosen = declared.choose_variant((size,), variant).name
        declared.check_options(size, chosen, options)
        tables += (ProtocolTable(num_players=size, variant=chosen, opponents=lineup) for lineup in lineups)
    pins = {name: decisions_of(name, game) for name in bots}
    return Protocol(game=game, options=options, seed=1, hundred=bots[-1], bots=pins, tables=tuple(tables))


def decisions_of(name: str, game: str) -> str:
    """The SHA-256 of a bot's actions in games between copies at the usual table."""
    size, variant = get_game(game).choose_table()
    options = get_game(game).check_options(size, variant, {})
    fixture = LineupFixture(game, variant, size, options, (make_agent(name, game),), 0, ((0,) * size,), False)
    games = [fixture.play(number, 1).actions for number in range(_PINNED_GAMES)]
    texts = [encode_actions(actions, get_game(game).num_actions) for actions in games]
    return sha256(json.dumps(texts).encode()).hexdigest()


def read_protocol(path: Path) -> Protocol:
    """The protocol in a file; `ValueError` if it is damaged."""
    try:
        protocol = Protocol.read(path, MAX_CARD)
    except ValueError as error:
        raise ValueError(f"{path} does not hold the protocol of a score: {in_short(error)}") from None
    if not protocol.tables or any(table.zero is None or table.hundred is None for table in protocol.tables):
        raise ValueError(f"{path} lacks results of {ZERO!r} or {protocol.hundred!r} at some table")
    return protocol


# ---------------------------------------------------------------- playing


def tournaments(protocol: Protocol, agent: Agent, folder: Path | None = None) -> list[Tournament]:
    """The tournaments of a score, one for each table size; ``folder``: where their games are kept."""
    made = []
    for number, tables in enumerate(protocol.groups):
        size, bots = tables[0].num_players, dict.fromkeys(name for table in tables for name in table.opponents)
        agents: list[str | Agent] = [agent, *(name for name in bots if name != agent.name)]
        lineups = [[agent.name, *table.opponents] for table in tables]
        results = None if folder is None else folder / f"{size}_players.jsonl"
        rules = {"variant": tables[0].variant, "game": protocol.game, **protocol.options}
        made.append(Tournament(agents, size, lineups, protocol.seed + number, results, **rules))
    return made


def total(tournament: Tournament, games: int) -> int:
    """The number of games of a tournament with so many games of each line-up, in whole deals, at least 2."""
    return max(2, -(-games // tournament.fixture.num_players)) * tournament.cycle


def win_rates(played: Iterable[PlayedDeals]) -> list[Estimate]:
    """The win rate of the agent, the first of each tournament, at every table of a protocol."""
    return [result.win_rates[games.agents[0]] for games in played for result in lineup_results(games)]


# ---------------------------------------------------------------- the scale


def with_references(protocol: Protocol, zero: Sequence[Estimate], hundred: Sequence[Estimate]) -> Protocol:
    """The protocol with the win rates of the two agents of the scale.

    Tables at which they do not differ clearly are left out, since they cannot tell agents apart. Raises `ValueError` if
    none is left.
    """
    tables = tuple(
        ProtocolTable(**{**table.model_dump(), "zero": low, "hundred": high})
        for table, low, high in zip(protocol.tables, zero, hundred, strict=True)
        if high.mean - low.mean > _CLEAR * math.hypot(_error(low), _error(high))
    )
    if not tables:
        raise ValueError(f"{protocol.hundred!r} is nowhere clearly better than {ZERO!r}, so there is no scale")
    return protocol.model_copy(update={"tables": tables})


def score(protocol: Protocol, rates: Sequence[Estimate]) -> tuple[Estimate, tuple[TableScore, ...]]:
    """The score from the win rate at each table, and that of each table."""
    tables = tuple(_table_score(table, rate) for table, rate in zip(protocol.tables, rates, strict=True))
    scores = [each.score for each in tables]
    mean = float(np.mean([each.mean for each in scores]))
    below = math.hypot(*(each.mean - each.low for each in scores)) / len(scores)
    above = math.hypot(*(each.high - each.mean for each in scores)) / len(scores)
    return rounded(Estimate(mean, mean - below, mean + above)), tables


def ceiling(protocol: Protocol) -> float:
    """The score of who wins every game."""
    return score(protocol, [Estimate(1.0, 1.0, 1.0)] * len(protocol.tables))[0].mean


def _table_score(table: ProtocolTable, own: Estimate) -> TableScore:
    zero, hundred = table.zero, table.hundred
    assert zero is not None
    assert hundred is not None
    span = hundred.mean - zero.mean
    at = (own.mean - zero.mean) / span
    # To first order, from the independent errors of all three win rates.
    references = (Z * (1 - at) * _error(zero), Z * at * _error(hundred))
    below, above = (math.hypot(half, *references) / span for half in (own.mean - own.low, own.high - own.mean))
    result = Estimate(100 * at, 100 * (at - below), 100 * (at + above))
    return TableScore(players=table.num_players, opponents=table.against, win_rate=own, score=result)


def _error(found: Estimate) -> float:
    return (found.high - found.low) / 2 / Z
