"""What is true of every position of Halunken & Spelunken: what no observation shows whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blackjacky_env.games.halunken.state import (
    BASIC,
    BID,
    CARDS,
    CHOOSE,
    CHOOSE_FOR_JACK,
    COLOURS,
    DUEL,
    FIELDS,
    GIVE,
    HAPPENED,
    JACK_MOVES,
    LEVELS,
    MOVES,
    NOBODY,
    NUM_COLOURS,
    OVER,
    PLACE_CAPTAIN,
    PLACE_JACK,
    ROB,
    SEATS,
    SETTLEMENT,
    STANDARD,
    TAVERN,
    VALUES,
)
from tests.games.fixtures import Fact


def facts(s: Any) -> Iterator[Fact]:
    yield all(row[0] in HAPPENED for row in s.happened[: s.happenings]), "what has happened has a name"
    yield from _facts_of_rogues(s)
    revealed = s.decision not in {PLACE_CAPTAIN, PLACE_JACK, BID, CHOOSE_FOR_JACK, CHOOSE}
    yield from _facts_of_jacks_cards(s, revealed)
    for p in range(s.num_players):
        yield sum(s.spent[p]) == s.round_number + revealed, "everybody spends a card in each round (H3)"
        yield not s.choices[p] or not s.spent[p][s.choices[p] - 1], "players choose cards that they have (H3)"
    choosing = s.decision in {CHOOSE, CHOOSE_FOR_JACK}
    asked = (s.player - s.opener) % s.num_players if choosing else 0
    chosen = [s.choices[(s.opener + i) % s.num_players] > 0 for i in range(s.num_players)]
    yield chosen == [i < asked for i in range(s.num_players)], "players choose in order (H9)"


def _facts_of_rogues(s: Any) -> Iterator[Fact]:
    yield sorted(s.deck) == [*range(CARDS)], "the deck has every rogue card once (H1)"
    for i, card in enumerate(s.deck):
        level, field = divmod(i, FIELDS)
        yield (s.where[card] == TAVERN) == (level >= LEVELS - s.heights[field]), "the top cards are taken first (H6)"
    yield [s.where.count(place) for place in range(SEATS + 1)] == s.counts, "cards are counted"
    for p in range(SEATS):
        own = [card for card in range(CARDS) if s.where[card] == p]
        for colour in range(NUM_COLOURS):
            values = [int(VALUES[card]) for card in own if COLOURS[card] == colour]
            yield [len(values), sum(values)] == [s.colours[p][colour], s.values[p][colour]], "values are added up (C1)"


def _facts_of_jacks_cards(s: Any, revealed: bool) -> Iterator[Fact]:
    """J4, D3: Black Jack's movement cards."""
    count = {STANDARD: JACK_MOVES, BASIC: 0, DUEL: MOVES}[s.variant]
    deck = [*range(1, count + 1)], [0] * (JACK_MOVES - count)
    yield (sorted(s.jack_deck[:count]), s.jack_deck[count:]) == deck, "he has every movement card once (J1, D1)"
    spent = [i + 1 for i in range(JACK_MOVES) if s.jack_spent[i]]
    if s.variant == STANDARD:
        done = s.decision in {SETTLEMENT, OVER} or (s.decision in {ROB, GIVE} and s.to_rob[0] != NOBODY)
        yield spent == sorted(s.jack_deck[: s.round_number + done]), "his cards are spent in order (J4)"
    else:
        in_all = s.round_number + revealed if s.variant == DUEL else 0
        yield len(spent) == in_all and max(spent, default=0) <= count, "he spends a card in each round (D3)"
    yield (
        not s.jack_choice or (s.variant == DUEL and not s.jack_spent[s.jack_choice - 1]),
        "he has the card chosen (D3)",
    )
