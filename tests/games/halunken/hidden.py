"""What a seat cannot know, varied, and what it can see: made from the record, since `observation` is under test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from blackjacky_env.declare.fields import State, Visible
from blackjacky_env.games.halunken import state


def vary_hidden(s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the face-down rogue cards, the order of Black Jack's unseen movement cards, and the cards that
    others have chosen in secret, which may be any that they still have (H4). In ``settled``, the game scored last,
    nothing is chosen in secret.
    """
    _choose_again(s, seat, rng)
    for record in (s, settled):
        if record is not None:
            _shuffle_places(record["deck"], _face_down(record), rng)
            _shuffle_places(record["jack_deck"], _unseen(record), rng)


def _choose_again(s: State, seat: int | None, rng: np.random.Generator) -> None:
    """H4, D3: the choices of others; Black Jack's card is known to the buyer, who has chosen it."""
    for q in range(s["num_players"]):
        if s["choices"][q] and q != seat:
            s["choices"][q] = 1 + rng.choice(np.flatnonzero(s["spent"][q] == 0))
    if s["jack_choice"] and s["buyer"] != seat:
        s["jack_choice"] = 1 + rng.choice(np.flatnonzero(s["jack_spent"][: state.MOVES] == 0))


def _shuffle_places(deck: State, places: Sequence[int], rng: np.random.Generator) -> None:
    deck[places] = rng.permutation(deck[places])


def _face_down(s: State) -> list[int]:
    """Places in ``deck`` of the rogue cards that nobody has seen (H2: all that lie in taverns until all are placed)."""
    shown = int(s["decision"] != state.PLACE_CAPTAIN)
    levels = [range(state.LEVELS - int(height) + shown, state.LEVELS) for height in s["heights"]]
    return [state.FIELDS * level + field for field in range(state.FIELDS) for level in levels[field]]


def _unseen(s: State) -> list[int]:
    """J1, D1: places in ``jack_deck`` of the movement cards that have not been revealed."""
    return [i for i, move in enumerate(s["jack_deck"]) if move and not s["jack_spent"][move - 1]]


def visible(s: State, seat: int) -> Iterator[Visible]:
    """What ``seat`` can see, if it has a meaning now."""
    seats = range(int(s["num_players"]))
    without = {"decision"} | ({"player"} if s["decision"] == state.OVER else set())
    if s["variant"] == state.BASIC:
        without |= {"jack", "jack_spent", "jack_laid", "buyer", "bidder", "offers", "to_rob"}
    else:
        yield "numbers", [(state.JACK,)], range(state.MOVES + 1)
    yield from state.RECORD.visible(s, seat, without)
    if s["decision"] != state.OVER:
        yield "decision", [()], range(state.PLACE_JACK, state.OVER)
    yield "values", list(product(seats, range(state.NUM_COLOURS))), range(78)  # they show in the scores
    yield from _visible_rogues(s, seats)
    yield from _visible_choices(s, seat, seats)


def _visible_rogues(s: State, seats: range) -> Iterator[Visible]:
    heights = s["heights"].tolist()
    yield "heights", [(field,) for field in range(state.FIELDS)], range(state.LEVELS + 1)
    if s["decision"] != state.PLACE_CAPTAIN:
        tops = [(state.FIELDS * (state.LEVELS - height) + field,) for field, height in enumerate(heights) if height]
        yield "deck", tops, range(state.CARDS)
    taken = [(card,) for card in range(state.CARDS) if s["where"][card] != state.TAVERN]
    yield "where", taken, (*seats, state.HARBOUR, state.TAVERN)


def _visible_choices(s: State, seat: int, seats: range) -> Iterator[Visible]:
    for q in seats:
        if q != seat:
            yield "choices", [(q,)], range(1, state.MOVES + 1) if s["choices"][q] == 0 else (0,)
    if s["variant"] == state.DUEL:
        known = s["buyer"] == seat
        yield (
            "jack_choice",
            [()],
            range(state.MOVES + 1) if known else (0,) if s["jack_choice"] else range(1, state.MOVES + 1),
        )
