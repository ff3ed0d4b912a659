"""Variations of what a seat cannot know and of what it can see, to prove that nothing leaks and nothing is missing.

They are made in the state record, without `observation`, which is under test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from blackjacky_env.engine.game import State
from blackjacky_env.engine.trick_taking import ASIDE, NO_CARD, PLAYED
from blackjacky_env.games.schwarze_katze.rules import CARDS, OVER, RANKS, SUITS

_SWAPS = 200


def vary_hidden(s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Change everything that ``seat`` (None: a spectator) cannot know, in place, to another possible assignment.

    That is the key and the cards in other hands. Hand sizes stay, and nobody gets a card of a suit in which they have a
    known void. In ``settled``, the deal scored last, only the key is hidden.
    """
    where, voids = s["where"], s["voids"].tolist()
    held = [card for card in range(CARDS) if 0 <= where[card] < PLAYED and where[card] != seat]
    for i, j in rng.integers(len(held), size=(_SWAPS, 2)).tolist() if held else []:
        a, b = held[i], held[j]
        p, q = int(where[a]), int(where[b])
        if not voids[q][a // RANKS] and not voids[p][b // RANKS]:
            where[a], where[b] = q, p
    for state in (s, settled):
        if state is not None:
            state["key"] = rng.integers(2**64, dtype=np.uint64)


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
    if s["phase"] != OVER:
        yield "player", [()], seats
    for name in ("dealer", "leader"):
        yield name, [()], seats
    yield "deal_number", [()], range(50)
    yield "trick", [()], range(18)
    yield "table", each, (NO_CARD, *range(CARDS))
    yield "voids", list(product(seats, range(SUITS))), (0, 1)
    yield "tricks_taken", each, range(18)
    yield "penalties", each, range(136)
    yield "totals", each, range(-2500, 6751)
    yield "winners", each, (0, 1)
    own = [(card,) for card in range(CARDS) if s["where"][card] == seat]
    if own:
        yield "where", own, (ASIDE, *(PLAYED + q for q in seats))
    played = [(card,) for card in range(CARDS) if s["where"][card] >= PLAYED]
    if played:
        yield "where", played, (seat, *(PLAYED + q for q in seats))
