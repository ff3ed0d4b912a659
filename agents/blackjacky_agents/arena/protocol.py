"""Protocols of scores: fixed tables, opponents and deals, with the results of the two agents that define the scale.

A protocol belongs to one game and has a version, as in ``GAME/1``. It pins all agents that it names, and through their
decisions the rules, by hashes, so that scores in the same protocol can be compared wherever they were made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.table import Table
from blackjacky_agents.games import agent_names, bot_names, get_kit
from blackjacky_agents.networks.agent_file import load_agent, read_card
from blackjacky_agents.registry import make_agent, make_compiled_agent
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.reading import parse_json, read_file

ZERO = "random"
"""The agent with score 0."""
LENGTHS = {"trial": 12, "quick": 1600, "full": 16000}
"""Games per table of each length of a protocol; a shorter one is the beginning of a longer one."""
_PINNED_GAMES = 8  # of copies, whose actions identify a bot


@dataclass(frozen=True)
class ScoreTable:
    """A table that the scored agent sits down at; in each deal it plays once in every seat."""

    num_players: int
    variant: str
    opponents: tuple[str, ...]
    """Names of the other agents, one per seat."""

    @property
    def against(self) -> str:
        """The opponents in short, such as ``"counter*3"``."""
        return in_short(self.opponents)


@dataclass(frozen=True)
class Rate:
    """A measured win rate and its standard error."""

    win_rate: float
    error: float


@dataclass(frozen=True)
class Protocol:
    """Everything that a score depends on, except the agent."""

    name: str
    """``GAME/VERSION``."""
    game: str
    options: dict[str, Any]
    """Rule options that differ from their defaults."""
    seed: int
    """The table at index i has the seed ``seed + i``."""
    games: dict[str, int]
    """Games per table by length, rounded up to whole deals."""
    hundred: str
    """The agent with score 100."""
    tables: tuple[ScoreTable, ...]
    agents: dict[str, str]
    """Identity of every agent in it: the SHA-256 of a trained agent's weights file, or of a bot's decisions."""
    references: dict[str, tuple[Rate, ...]]
    """Results of `ZERO` and `hundred` at each table, from other deals than those of scores."""
    reference_games: int
    """Number of games per table that `references` were measured with."""

    @property
    def sha256(self) -> str:
        """The hash of the whole protocol."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def deals(self, table: ScoreTable, length: str) -> int:
        """Number of deals at a table, at least 2; each is played once in every seat."""
        return max(2, -(-self.games[length] // table.num_players))


def find_protocol(
    game: str = DEFAULT,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    num_players: int | None = None,
) -> Protocol:
    """The published protocol of a game; without one, or for other rules, one without references (`custom_protocol`).

    Raises `ValueError` for an unknown game, variant or option, and if an installed agent or the rules differ from those
    that the protocol pins.
    """
    path = get_kit(game).score
    if path is None or variant is not None or options or num_players is not None:
        return custom_protocol(game, variant, options or {}, num_players)
    protocol = read_protocol(path)
    check_pins(protocol)
    return protocol


def custom_protocol(
    game: str, variant: str | None = None, options: Mapping[str, Any] | None = None, num_players: int | None = None
) -> Protocol:
    """A protocol made from the game's agents, without references.

    At the smallest, the usual and the largest table, or at that of ``num_players`` alone, the opponents are copies of
    each agent in turn, and a mixture of the strongest. Raises `ValueError` if the game has no agent but `random`.
    """
    names, options = agent_names(game), dict(options or {})
    if len(names) < 2:
        raise ValueError(f"{game} has no agent but {ZERO!r} to compare with; declare one in its GameKit")
    protocol = Protocol(
        name=f"{game}/custom",
        game=game,
        options=options,
        seed=1,
        games=dict(LENGTHS),
        hundred=names[-1],
        tables=tuple(_tables(game, variant, num_players, names)),
        agents={name: identity_of(name, game) for name in names},
        references={},
        reference_games=0,
    )
    for table in protocol.tables:
        get_game(game).check_options(table.num_players, table.variant, options)
    return protocol


def _tables(game: str, variant: str | None, num_players: int | None, names: Sequence[str]) -> list[ScoreTable]:
    declared = get_game(game)
    among = [each for each in declared.variants if variant in (None, each.name)]
    usual, _ = declared.choose_table(num_players, variant)
    sizes = [usual]
    if num_players is None:
        sizes = sorted({min(each.min_players for each in among), usual, max(each.max_players for each in among)})
    tables = []
    for size in sizes:
        chosen = declared.choose_variant((size,), variant).name
        lineups = [(name,) * (size - 1) for name in names]
        if size > 2:
            lineups.append(tuple(islice(cycle(reversed(names)), size - 1)))
        tables += [ScoreTable(size, chosen, lineup) for lineup in lineups]
    return tables


def in_short(names: Sequence[str]) -> str:
    """Names as `blackjacky_agents.registry.parse_agents` reads them, such as ``"counter,random*2"``."""
    counts = {name: names.count(name) for name in names}
    return ",".join(name if count == 1 else f"{name}*{count}" for name, count in counts.items())


# ---------------------------------------------------------------- pinned agents


def identity_of(name: str, game: str) -> str:
    """The SHA-256 of a shipped agent's weights file; for a bot, that of its actions in games between copies."""
    trained = get_kit(game).trained
    if name in trained:
        return str(read_card(trained[name])["sha256"])
    size, variant = get_game(game).choose_table()
    options = get_game(game).check_options(size, variant, {})
    table = Table(game, variant, size, options, (make_agent(name, game),), ((0,) * size,), 0, False)
    actions = [table.actions(number) for number in range(_PINNED_GAMES)]
    return hashlib.sha256(json.dumps(actions).encode()).hexdigest()


def check_pins(protocol: Protocol) -> None:
    """Raise `ValueError` for the first agent that is missing or not the one that the protocol pins."""
    known = agent_names(protocol.game)
    for name, pinned in protocol.agents.items():
        if name not in known:
            raise ValueError(
                f"the protocol {protocol.name} needs the agent {name!r}, which {protocol.game} does not have"
            )
        own = identity_of(name, protocol.game)
        if own != pinned:
            what = "weights" if name in get_kit(protocol.game).trained else "decisions, or the rules,"
            raise ValueError(
                f"the {what} of {name!r} have the hash {own[:16]}, the protocol {protocol.name} pins {pinned[:16]}: a "
                "score would not be comparable with others. Install the version of blackjacky that made those, or, "
                "having changed the agent, make the next version of the protocol with "
                "python -m scripts.measures.protocol"
            )


def pinned_agent(protocol: Protocol, name: str) -> CompiledAgent | None:
    """The agent that a protocol pins by that name; None if this installation does not have it.

    Networks are found by the hash of their weights among all shipped ones of the game, so those of older protocols are
    found under whatever name they have now.
    """
    game, pinned = protocol.game, protocol.agents[name]
    if path := shipped_weights(game).get(pinned):
        return load_agent(path, game, name)
    if name in bot_names(game) and identity_of(name, game) == pinned:
        return make_compiled_agent(name, game)
    return None


def shipped_weights(game: str) -> dict[str, Path]:
    """All weights files in the folders of a game's trained agents, by their SHA-256."""
    folders = {path.parent for path in get_kit(game).trained.values()}
    paths = [path for folder in sorted(folders) for path in sorted(folder.glob("*.safetensors"))]
    return {str(read_card(path)["sha256"]): path for path in paths}


# ---------------------------------------------------------------- files


def published(game: str) -> dict[str, Protocol]:
    """The published protocols of a game by their SHA-256: the current one first, then older ones.

    An older one lies beside the current one, as ``score-VERSION.json``.
    """
    path = get_kit(game).score
    if path is None:
        return {}
    older = sorted(path.parent.glob("score-*.json"), key=lambda each: (len(each.name), each.name), reverse=True)
    return {protocol.sha256: protocol for protocol in map(read_protocol, [path, *older])}


def read_protocol(path: Path) -> Protocol:
    """The protocol in a file; `ValueError` if it is damaged."""
    try:
        content = parse_json(read_file(path))
        protocol = Protocol(**content)
        tables = tuple(ScoreTable(**{**table, "opponents": tuple(table["opponents"])}) for table in content["tables"])
        rates = {name: tuple(Rate(**rate) for rate in rates) for name, rates in content["references"].items()}
        protocol = replace(protocol, tables=tables, references=rates)
        is_complete = set(rates) == {ZERO, protocol.hundred} and all(
            len(each) == len(tables) for each in rates.values()
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} does not hold the protocol of a score: {error!r}") from None
    if not is_complete:
        raise ValueError(f"{path} lacks results of {ZERO!r} or {protocol.hundred!r} at some table")
    return protocol
