"""Rigged games: decks and draws as people write them, and the integers that rules deal."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from blackjacky_env.checks import card_key, check_integer, few
from blackjacky_env.declare.game import Game
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.step import DRAWN, OVER

Cards = Sequence[tuple[int, int | str]]
"""All cards of a deck: their integers, and their names in snapshots."""


@dataclass
class Rigging:
    """What `reset` has rigged of a game."""

    start_player: int = DRAWN
    decks: dict[str, list[list[int]]] = field(default_factory=dict)
    """By reset option, the decks of the first deals, top first, or the outcomes of their draws."""

    def begin(self, game: Game, states: Any, key: int) -> None:
        """`GameFunctions.begin` of a rigged game."""
        game_functions(game).begin(states, np.uint64(key), self.start_player)
        self._redeal(game, states)

    def step(self, game: Game, states: Any, action: int, paid: Any, observation: Any, mask: Any) -> int:
        """`GameFunctions.step` of a rigged game."""
        functions, deals = game_functions(game), states["deals"][0]
        flags = functions.step(states, action, paid, observation, mask)
        if self.decks and states["deals"][0] > deals:
            self._redeal(game, states)
            if not flags & OVER:
                functions.look(states, int(states["player"][0]), observation, mask)
        return flags

    def _redeal(self, game: Game, states: Any) -> None:
        """After a deal: repeat it from its rigged decks, if it has any."""
        deals = int(states["deals"][0])
        for name, decks in self.decks.items():
            if deals <= len(decks):
                deck = np.array(decks[deals - 1], np.int64 if name == "draws" else np.int8)
                game_functions(game).redeal[name](states, deck)

    def written(self, game: Game, num_players: int, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options of `reset` that rig a game like this, JSON-ready."""
        written: dict[str, Any] = {} if self.start_player == DRAWN else {"start_player": self.start_player}
        for name, decks in self.decks.items():
            cards = _cards(game, name, num_players, options)
            names = [dict(enumerate(each)) for each in cards] if name == "draws" else [dict(cards)] * len(cards)
            written[name] = [[each[card] for each, card in zip(names, deck, strict=True)] for deck in decks]
        return written


def read_rigging(game: Game, num_players: int, options: Mapping[str, Any], given: Mapping[str, Any]) -> Rigging:
    """What the options ``given`` to `reset` rig at a table with these rule options.

    Others are ignored with a `UserWarning`. Raises `TypeError` or `ValueError` if they are no mapping, or a start
    player, deck or draw is invalid.
    """
    decks = [*filter(None, game_functions(game).redeal)]
    warn_of_ignored(given, ["start_player", *decks], stacklevel=4)
    rigging = Rigging()
    if given.get("start_player") is not None:
        rigging.start_player = check_integer("start_player", given["start_player"], 0, num_players - 1)
    for name in decks:
        if given.get(name) is not None:
            cards, read = _cards(game, name, num_players, options), _read_draws if name == "draws" else _read_deck
            try:
                most = game.fields.fields["deals"].high
                rigging.decks[name] = [read(cards, deck) for deck in _list_of_decks(name, given[name], most)]
            except (TypeError, ValueError) as error:
                raise type(error)(f"reset option {name!r}: {error}") from None
    return rigging


def warn_of_ignored(given: Any, allowed: Sequence[str], stacklevel: int = 3) -> None:
    """A `UserWarning` for each of the options ``given`` to a `reset` that it ignores; `TypeError` for no mapping."""
    told = f"allowed are {', '.join(map(repr, allowed)) or 'none here'}"
    if not isinstance(given, Mapping):
        raise TypeError(f"options={given!r} is not a mapping; {told}")
    for name in given:
        if name not in allowed:
            warnings.warn(f"reset option {name!r} is ignored; {told}", UserWarning, stacklevel=stacklevel)


def _cards(game: Game, deck: str, num_players: int, options: Mapping[str, Any]) -> Any:
    """The `Cards` of a deck that `reset` can rig, or the outcomes of each draw; ``deck``: the name of the option."""
    if game.draws is not None:
        return game.draws(num_players, options)
    if deck in game.extra_decks:
        return game.extra_decks[deck].cards(num_players)
    return [(card, game.card_names[card]) for card in game.whole_deck(num_players, options)]


def _list_of_decks(name: str, deck: Any, most: int) -> list[Any]:
    try:
        first = next(iter(deck)) if len(deck) else None  # an iterator, which has no length, would lose it
        decks = [deck] if isinstance(first, str) or not hasattr(first, "__iter__") else list(islice(deck, most + 1))
    except (TypeError, StopIteration):
        whole = "draws" if name == "draws" else "cards, top first"
        raise ValueError(f"{name}={deck!r} is neither a list of all {whole}, nor a list of such lists") from None
    if len(decks) > most:
        raise ValueError(f"there are more decks than deals; allowed are at most {most}")
    return decks


def _read_draws(outcomes: Sequence[Sequence[int | str]], drawn: Iterable[Any]) -> list[int]:
    """What each draw brings, given by names in any case, as integers from 0 on; `ValueError` for what it cannot."""
    given, read = list(islice(drawn, len(outcomes) + 1)), []
    if len(given) != len(outcomes):
        raise ValueError(f"there are too {'few' if len(given) < len(outcomes) else 'many'}; needed are {len(outcomes)}")
    for number, (names, outcome) in enumerate(zip(outcomes, given, strict=True)):
        if card_key(outcome) not in (known := [*map(card_key, names)]):
            raise ValueError(f"draw {number} is {outcome!r}; allowed are {few(names)}")
        read.append(known.index(card_key(outcome)))
    return read


def _read_deck(cards: Cards, deck: Iterable[Any]) -> list[int]:
    """A deck, given by names in any case, as integers, top first.

    Raises `TypeError` if it is not a collection, `ValueError` naming what is no card, missing or too many.
    """
    known = {card_key(name): name for _, name in cards}
    read = []
    for card in islice(deck, 2 * len(cards)):  # enough to say what is wrong with a longer one
        if card_key(card) not in known:
            raise ValueError(f"{card!r} is not a card; allowed are {few(known.values())}")
        read.append(known[card_key(card)])
    missing, surplus = Counter(name for _, name in cards), Counter(read)
    missing, surplus = missing - surplus, surplus - missing
    if missing or surplus:
        places = list(known.values())
        too_few, too_many = (sorted(each.elements(), key=places.index) for each in (missing, surplus))
        raise ValueError(
            f"the deck is not the whole deck: missing {too_few}, too many {too_many}; "
            f"allowed are all {len(cards)} cards, top first"
        )
    copies: dict[Any, list[int]] = {}
    for number, name in reversed(cards):
        copies.setdefault(name, []).append(number)
    return [copies[name].pop() for name in read]
