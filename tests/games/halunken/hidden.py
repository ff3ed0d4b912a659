"""What a seat cannot know, varied, and what it can see: made from the record, since `observation` is under test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from blackjacky_env.declare.fields import Visible
from blackjacky_env.declare.game import State
from blackjacky_env.games.halunken.state import (
    BASIC,
    CARDS,
    DUEL,
    FIELDS,
    HARBOUR,
    JACK,
    LEVELS,
    MOVES,
    NUM_COLOURS,
    OVER,
    PLACE_CAPTAIN,
    PLACE_JACK,
    RECORD,
    TAVERN,
)


def vary_hidden(s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the face-down rogue cards, the order of Black Jack's unseen movement cards, and the cards that
    others have chosen in secret, which may be any that they still have (H4). In ``settled``, the game scored last,
    nothing is chosen in secret.
    """
    _choose_again(s, seat, rng)
    for state in (s, settled):
        if state is not None:
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


def visible(s: State, seat: int) -> Iterator[Visible]:
    """What ``seat`` can see, if it has a meaning now."""
    seats = range(int(s["num_players"]))
    without = {"decision"} | ({"player"} if s["decision"] == OVER else set())
    if s["variant"] == BASIC:
        without |= {"jack", "jack_spent", "jack_laid", "buyer", "bidder", "offers", "to_rob"}
    else:
        yield "numbers", [(JACK,)], range(MOVES + 1)
    yield from RECORD.visible(s, seat, without)
    if s["decision"] != OVER:
        yield "decision", [()], range(PLACE_JACK, OVER)
    yield "values", list(product(seats, range(NUM_COLOURS))), range(78)  # they show in the scores
    yield from _visible_rogues(s, seats)
    yield from _visible_choices(s, seat, seats)


def _visible_rogues(s: State, seats: range) -> Iterator[Visible]:
    heights = s["heights"].tolist()
    yield "heights", [(field,) for field in range(FIELDS)], range(LEVELS + 1)
    if s["decision"] != PLACE_CAPTAIN:
        tops = [(FIELDS * (LEVELS - height) + field,) for field, height in enumerate(heights) if height]
        yield "deck", tops, range(CARDS)
    taken = [(card,) for card in range(CARDS) if s["where"][card] != TAVERN]
    yield "where", taken, (*seats, HARBOUR, TAVERN)


def _visible_choices(s: State, seat: int, seats: range) -> Iterator[Visible]:
    for q in seats:
        if q != seat:
            yield "choices", [(q,)], range(1, MOVES + 1) if s["choices"][q] == 0 else (0,)
    if s["variant"] == DUEL:
        known = s["buyer"] == seat
        yield "jack_choice", [()], range(MOVES + 1) if known else (0,) if s["jack_choice"] else range(1, MOVES + 1)
