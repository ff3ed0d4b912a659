"""What a seat cannot know, varied, and what it can see: made from the record, since `observation` is under test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blackjacky_env.declare.fields import State, Visible
from blackjacky_env.games.schwarze_katze.state import CARDS, OVER, RANKS, RECORD
from blackjacky_env.games.trick_taking import ASIDE, NOT_IN_DECK, PLAYED

_SWAPS = 200


def vary_hidden(s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Give the cards in other hands than that of ``seat`` (None: a spectator) to others who may hold them.

    Hand sizes stay, and nobody gets a card of a suit in which they have a known void. In ``settled``, the deal scored
    last, nothing is hidden.
    """
    where, voids = s["where"], s["voids"].tolist()
    held = [card for card in range(CARDS) if 0 <= where[card] < NOT_IN_DECK and where[card] != seat]
    for i, j in rng.integers(len(held), size=(_SWAPS, 2)).tolist() if held else []:
        a, b = held[i], held[j]
        p, q = int(where[a]), int(where[b])
        if not voids[q][a // RANKS] and not voids[p][b // RANKS]:
            where[a], where[b] = q, p


def visible(s: State, seat: int) -> Iterator[Visible]:
    """What ``seat`` can see, if it has a meaning now."""
    yield from RECORD.visible(s, seat, {"phase", "player"} if s["phase"] == OVER else {"phase"})
    played = [PLAYED + q for q in range(s["num_players"])]
    yield "where", [(card,) for card in range(CARDS) if s["where"][card] == seat], (ASIDE, *played)
    yield "where", [(card,) for card in range(CARDS) if s["where"][card] >= PLAYED], (seat, *played)
