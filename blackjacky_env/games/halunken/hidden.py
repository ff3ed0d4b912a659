"""Variations of what a seat cannot know and of what it can see, to prove that nothing leaks and nothing is missing.

They are made in the state record, without `observation`, which is under test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from blackjacky_env.engine.game import State
from blackjacky_env.games.halunken.rules import (
    BASIC,
    CARDS,
    DUEL,
    FIELDS,
    GAMES,
    HARBOUR,
    JACK,
    JACK_MOVES,
    LEVELS,
    MOVES,
    NO_CARD,
    NOBODY,
    NUM_COLOURS,
    OVER,
    PLACE_CAPTAIN,
    PLACE_JACK,
    ROUNDS,
    TAVERN,
)


def vary_hidden(s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the key, the face-down rogue cards, the order of Black Jack's unseen movement cards, and the cards that
    others have chosen in secret, which may be any that they still have (H4). In ``settled``, the game scored last,
    nothing is chosen in secret.
    """
    _choose_again(s, seat, rng)
    for state in (s, settled):
        if state is not None:
            state["key"] = rng.integers(2**64, dtype=np.uint64)
            _shuffle_places(state["deck"], _face_down(state), rng)
            _shuffle_places(state["jack_deck"], _unseen(state), rng)


def _choose_again(s: State, seat: int | None, rng: np.random.Generator) -> None:
    """H4, D3: the choices of others; Black Jack's card is known to the buyer, who has chosen it."""
    for q in range(s["num_players"]):
        if s["choices"][q] and q != seat:
            s["choices"][q] = 1 + rng.choice(np.flatnonzero(s["spent"][q] == 0))
    if s["jack_choice"] and s["buyer"] != seat:
        s["jack_choice"] = 1 + rng.choice(np.flatnonzero(s["jack_spent"][:MOVES] == 0))


def _shuffle_places(deck: State, places: Sequence[int], rng: np.random.Generator) -> None:
    deck[places] = rng.permutation(deck[places])


def _face_down(s: State) -> list[int]:
    """Places in ``deck`` of the rogue cards that nobody has seen (H2: all that lie in taverns until all are placed)."""
    shown = int(s["decision"] != PLACE_CAPTAIN)
    levels = [range(LEVELS - int(height) + shown, LEVELS) for height in s["heights"]]
    return [FIELDS * level + field for field in range(FIELDS) for level in levels[field]]


def _unseen(s: State) -> list[int]:
    """J1, D1: places in ``jack_deck`` of the movement cards that have not been revealed."""
    return [i for i, move in enumerate(s["jack_deck"]) if move and not s["jack_spent"][move - 1]]


Variation = tuple[str, tuple[int, ...], int]
"""Field, index in it (empty for a scalar field), new value."""


def public_variations(s: State, seat: int, rng: np.random.Generator) -> Iterator[Variation]:
    """For each field that ``seat`` can see, if it has a meaning now, one entry and another value for it.

    Each variation changes a single entry, so the position may be impossible, but it can be encoded.
    """
    for name, indices, values in _visible(s, seat):
        index = indices[int(rng.integers(len(indices)))]
        others = [value for value in values if value != s[name][index]]
        yield name, index, int(rng.choice(others))


Visible = tuple[str, Sequence[tuple[int, ...]], Sequence[int]]
"""Field, indices of entries, possible values of these."""


def _visible(s: State, seat: int) -> Iterator[Visible]:
    seats = range(int(s["num_players"]))
    each = [(q,) for q in seats]
    yield from _visible_progress(s, seats)
    yield "captains", each, (NOBODY, *range(FIELDS))
    yield "spent", list(product(seats, range(MOVES))), (0, 1)
    yield "laid", each, range(MOVES + 1)
    yield "numbers", each, range(MOVES + 1)
    yield "totals", each, range(1849)
    yield "winners", each, (0, 1)
    yield "values", list(product(seats, range(NUM_COLOURS))), range(78)  # they show in the scores
    yield from _visible_rogues(s, seats)
    yield from _visible_choices(s, seat, seats)
    if s["variant"] != BASIC:
        yield from _visible_black_jack(s, seats, each)


def _visible_progress(s: State, seats: range) -> Iterator[Visible]:
    yield "round_number", [()], range(ROUNDS)
    yield "game_number", [()], range(GAMES)
    yield "start_player", [()], seats
    yield "opener", [()], (NOBODY, *seats)
    yield "mover", [()], (NOBODY, *seats, JACK)
    yield "victim", [()], (NOBODY, *seats)
    if s["decision"] != OVER:
        yield "player", [()], seats
        yield "decision", [()], range(PLACE_JACK, OVER)


def _visible_black_jack(s: State, seats: range, each: list[tuple[int]]) -> Iterator[Visible]:
    yield "jack", [()], (NOBODY, *range(FIELDS))
    yield "jack_spent", [(i,) for i in range(JACK_MOVES)], (0, 1)
    yield "jack_laid", [()], range(JACK_MOVES + 1)
    yield "numbers", [(JACK,)], range(MOVES + 1)
    yield "buyer", [()], (NOBODY, *seats)
    yield "bidder", [()], (NOBODY, *seats)
    yield "offers", each, (NO_CARD, *range(CARDS))
    yield "to_rob", each, (NOBODY, *seats)


def _visible_rogues(s: State, seats: range) -> Iterator[Visible]:
    """The cards turned up, how many lie below, and those that somebody has."""
    heights = s["heights"].tolist()
    yield "heights", [(field,) for field in range(FIELDS)], range(LEVELS + 1)
    tops = [(FIELDS * (LEVELS - height) + field,) for field, height in enumerate(heights) if height]
    if tops and s["decision"] != PLACE_CAPTAIN:
        yield "deck", tops, range(CARDS)
    taken = [(card,) for card in range(CARDS) if s["where"][card] != TAVERN]
    if taken:
        yield "where", taken, (*seats, HARBOUR, TAVERN)


def _visible_choices(s: State, seat: int, seats: range) -> Iterator[Visible]:
    """The own choices, and whether others have chosen."""
    yield "choices", [(seat,)], range(MOVES + 1)
    for q in seats:
        if q != seat:
            yield "choices", [(q,)], range(1, MOVES + 1) if s["choices"][q] == 0 else (0,)
    if s["variant"] == DUEL:
        known = s["buyer"] == seat
        yield "jack_choice", [()], range(MOVES + 1) if known else (0,) if s["jack_choice"] else range(1, MOVES + 1)
