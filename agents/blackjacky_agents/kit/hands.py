"""What the value networks of trick-taking games in which points are bad see of a seat, and when they are asked.

They see its hand, and the cards of all other hands together. They are asked after every fifth trick only: with answers
after every trick, search does not find as much as with whole deals.

A state record ``s`` has the fields ``num_players``, ``leader`` and ``where``, see `blackjacky_env.games.trick_taking`,
and ``deal_number``, ``trick`` and ``totals``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from blackjacky_agents.kit.search import Value, to_rewards
from blackjacky_agents.kit.value_networks import write_lead
from blackjacky_env.compiled import compiled, scratch
from blackjacky_env.declare import Part

LOWEST = 4  # cards of a suit, of which each is compared with the others'
_TRICKS_BETWEEN = 5  # answers
_LAST = 4  # tricks
_LEADER, _BETWEEN, _BEFORE_LEADER = range(3)  # `turn`
_TRICKS, _HELD, _BELOW = 13, 6, 8  # divisors


def hand_parts(seats: int, suits: int, ranks: int, copies: int = 1) -> list[Part]:
    """The features of `make_write_hand`, for a deck with up to so many copies of a card."""
    return [
        Part("num_players", (seats,), 0, 1, "one-hot, from 1"),
        Part("tricks_left", (), 0, 2, "tricks to come / 13"),
        Part("last_tricks", (_LAST,), 0, 1, "one-hot: 1 .. 4 tricks to come"),
        Part("turn", (3,), 0, 1, "one-hot: leads, plays in between, plays last"),
        Part("mine", (suits * ranks,), 0, copies, "number of these cards in the hand"),
        Part("theirs", (suits * ranks,), 0, copies, "number of these cards in all other hands"),
        Part("suits", (suits,), 0, 4, "cards of each suit in the hand / 6"),
        Part(
            *("below", (suits, LOWEST), -1, 4),
            "of the lowest four cards of each suit: lower ones in all other hands / 8; no card: -1/4",
        ),
    ]


def make_write_hand(at: Any, suits: int, ranks: int, kind_of: Callable[[int], int]) -> Callable[..., None]:
    """Compiled (s, p, left, out): the features of seat p with so many tricks to come, into ``out`` (float32, zeros).

    ``at``: offsets of the features. ``kind_of``: compiled (card) -> suit * ranks + rank.
    """
    mine, theirs, below = at.mine, at.theirs, at.below

    def write_hand(s, p, left, out):  # type: ignore[no-untyped-def]  # compiled
        n = int(s.num_players)
        out[at.num_players + n - 1] = 1.0
        out[at.tricks_left] = left / _TRICKS
        if left <= _LAST:
            out[at.last_tricks + left - 1] = 1.0
        after = (p - int(s.leader)) % n
        turn = _LEADER if after == 0 else _BEFORE_LEADER if after == n - 1 else _BETWEEN
        out[at.turn + turn] = 1.0
        for card in range(len(s.where)):
            place = int(s.where[card])
            if place == p:
                out[mine + kind_of(card)] += 1.0
            elif 0 <= place < n:
                out[theirs + kind_of(card)] += 1.0
        for suit in range(suits):
            held, lower = 0, 0.0
            for kind in range(suit * ranks, suit * ranks + ranks):
                for _ in range(int(out[mine + kind])):
                    if held < LOWEST:
                        out[below + LOWEST * suit + held] = lower / _BELOW
                    held += 1
                lower += out[theirs + kind]
            for i in range(held, LOWEST):
                out[below + LOWEST * suit + i] = -0.25
            out[at.suits + suit] = held / _HELD

    return compiled(write_hand)


def lead_parts(bound: int, now: str) -> list[Part]:
    """The features of `make_write_leads`; ``now``: what "lead_now" means."""
    meaning = "total below the lowest and the mean of the others / spread of those to come"
    return [Part("lead", (2,), -bound, bound, meaning), Part("lead_now", (2,), -bound, bound, now)]


def make_write_leads(
    at: Any, seats: int, spread_of: Callable[[Any], float], points_of: Callable[[Any, int], int]
) -> Callable[..., None]:
    """Compiled (s, out): how far each seat is ahead, into ``out`` (float32, (players, features), zeros).

    ``spread_of``: compiled (s) -> the spread of the points still to come. ``points_of``: compiled (s, p) -> what is
    added to the total of p if the deal ends now.
    """
    lead, lead_now = at.lead, at.lead_now

    def write_leads(s, out):  # type: ignore[no-untyped-def]  # compiled
        n, spread = int(s.num_players), spread_of(s)
        before, now = scratch(seats, np.float64), scratch(seats, np.float64)
        for p in range(n):
            before[p] = -int(s.totals[p])
            now[p] = before[p] - points_of(s, p)
        for p in range(n):
            write_lead(before, n, p, spread, out[p, lead : lead + 2])
            write_lead(now, n, p, spread, out[p, lead_now : lead_now + 2])

    return compiled(write_leads)


def make_formula(spread_of: Callable[[Any], float]) -> Value:
    """Compiled (s, result): fill ``result``, float64, with the expected "win" rewards when a deal has just begun.

    A Luce choice model ("Individual Choice Behavior", 1959) of the totals: the chance of winning is a player's fraction
    of all weights, and a weight is exp(-points / ``spread_of(s)``).
    """

    def formula(s, result):  # type: ignore[no-untyped-def]  # compiled
        n, lowest, total, spread = int(s.num_players), int(s.totals[0]), 0.0, spread_of(s)
        for p in range(n):
            lowest = min(lowest, int(s.totals[p]))
        for p in range(n):
            result[p] = np.exp((lowest - int(s.totals[p])) / spread)
            total += result[p]
        to_rewards(result, n, total)

    return compiled(formula)


def stages_of(tricks: int) -> int:
    """Into how many parts a deal of so many tricks is cut."""
    return -(-tricks // _TRICKS_BETWEEN)


def make_stage(hand_size: Callable[[Any], int], most_tricks: int) -> Callable[..., int]:
    """Compiled (s) -> a number that changes after every fifth trick, but not after the last, when a deal is scored.

    ``hand_size``: compiled (s) -> tricks of a deal, up to ``most_tricks``.
    """
    most = stages_of(most_tricks)

    def stage(s):  # type: ignore[no-untyped-def]  # compiled
        return int(s.deal_number) * most + min(int(s.trick), int(hand_size(s)) - 1) // _TRICKS_BETWEEN

    return compiled(stage)


@compiled
def begins(s):  # type: ignore[no-untyped-def]  # compiled
    """Whether a deal has just begun."""
    return s.trick == 0
