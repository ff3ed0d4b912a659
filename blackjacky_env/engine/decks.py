"""Decks as people write them, for rigged deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blackjacky_env.engine.checks import card_key, few
from blackjacky_env.engine.game import Game


def read_deck(game: Game, cards: Iterable[Any], num_players: int, options: Mapping[str, Any]) -> list[int]:
    """A deck for a rigged deal as integers, top first.

    Args:
        game: the game.
        cards: all cards of `Game.deck`, top first, named as in snapshots; letters may be small or large.
        num_players: the table size.
        options: the rule options in force.

    Raises:
        TypeError: ``cards`` is not a collection.
        ValueError: naming what is no card, or which cards are missing and which are too many.
    """
    whole, names = game.whole_deck(num_players, options), game.card_names
    known = {card_key(names[card]): names[card] for card in whole}
    deck = []
    for card in cards:
        if card_key(card) not in known:
            raise ValueError(f"{card!r} is not a card; allowed are {few(known.values())}")
        deck.append(known[card_key(card)])
    missing, surplus = Counter(names[card] for card in whole), Counter(deck)
    missing, surplus = missing - surplus, surplus - missing
    if missing or surplus:
        raise ValueError(
            f"the deck is not the whole deck: missing {_sorted(missing, names)}, too many {_sorted(surplus, names)}; "
            f"allowed are all {len(whole)} cards, top first"
        )
    copies: dict[Any, list[int]] = {}
    for card in reversed(whole):
        copies.setdefault(names[card], []).append(card)
    return [copies[name].pop() for name in deck]


def _sorted(cards: Counter[Any], names: Sequence[Any]) -> list[Any]:
    return sorted(cards.elements(), key=names.index)
