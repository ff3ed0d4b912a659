"""Liar's dice: `GAME` is its declaration.

Two to four players roll dice, each under a cup, and bid in turn how many of all dice show a face.

A bid is of more dice than the last one, or of as many and a higher face. The highest face is wild: it counts as any.

In place of a bid, a player may call the last one. If it was too high the bidder loses, or else the caller does; all
others win.
"""

# ruff: noqa: D103, F403, F405

from dataclasses import dataclass
from typing import Annotated

from blackjacky_env.extending import *

SEATS, DICE, FACES, NONE = 4, 5, 6, -1
CALL = SEATS * DICE * FACES  # the action after all bids: 1 x 1, 1 x 2, ... 2 x 1, ...


@dataclass(frozen=True)
class Options:
    """Rule options."""

    dice: Annotated[int, Range(1, DICE)] = 2
    """Dice of each player."""
    faces: Annotated[int, Range(2, FACES)] = 6
    """Faces of each die."""


RECORD = Fields(
    [Variant("classic", 2, SEATS, default_players=3)],
    options=Options,
    fields=[
        role("player", "to act"),
        number("count", 0, SEATS * DICE, "dice of the last bid, 0: none"),
        number("face", NONE, FACES - 1, "face of the last bid, 0: none", plus=1),
        flag("called", "the last bid has been called"),
        own("cup", NONE, FACES - 1, "my dice, 0: none", (DICE,), plus=1),
        by_seat("shown", NONE, FACES - 1, "dice that a call has shown, 0: none", (DICE,), plus=1),
        by_seat("winners", 0, 1, "has won"),
        hidden("deals", 0, 1),
    ],
    observed=["player count face called cup shown winners"],
)


@inlined
def begin(s, key, start_player):
    s.key, s.deals, s.count, s.face, s.called, s.winners[:] = key, 1, 0, NONE, 0, 0
    s.cup[:], s.shown[:] = NONE, NONE
    s.player = start_seat(key, start_player, s.num_players)
    chance = stream(key, 1, 0, 0)
    for seat in range(s.num_players):
        for die in range(s.dice):
            s.cup[seat, die] = below(draw(chance, seat * DICE + die), s.faces)


@inlined
def redeal(s, draws):
    for seat in range(s.num_players):
        for die in range(s.dice):
            s.cup[seat, die] = draws[seat * s.dice + die]


@inlined
def legal(s, mask):
    for bid in range(CALL):
        count, face = 1 + bid // FACES, bid % FACES
        is_higher = count > s.count or (count == s.count and face > s.face)
        mask[bid] = s.player != NOBODY and is_higher and count <= s.num_players * s.dice and face < s.faces
    mask[CALL] = s.player != NOBODY and s.count > 0


@inlined
def apply(s, action):
    if action == CALL:
        s.called = 1
    else:
        s.count, s.face, s.player = 1 + action // FACES, action % FACES, (s.player + 1) % s.num_players


@inlined
def is_settled(s):
    return s.called


@inlined
def settle(s):
    found, bidder = 0, (s.player + s.num_players - 1) % s.num_players
    for seat in range(s.num_players):
        for die in range(s.dice):
            s.shown[seat, die] = s.cup[seat, die]
            found += s.cup[seat, die] == s.face or s.cup[seat, die] == s.faces - 1
    loser = s.player if found >= s.count else bidder
    for seat in range(s.num_players):
        s.winners[seat] = seat != loser
    s.player = NOBODY


_sample_shown = make_sample(RECORD)


@inlined
def sample(observation, bits, s):
    _sample_shown(observation, s)
    s.key, s.deals, s.cup[1:] = draw(bits, 0), 1, NONE
    for seat in range(1, s.num_players):
        for die in range(s.dice):
            s.cup[seat, die] = s.shown[seat, die] if s.called else below(draw(bits, seat * DICE + die), s.faces)


NAMES = [str(1 + face) for face in range(FACES)]
BIDS = [ActionInfo("bid", number=f"{1 + bid // FACES} x {1 + bid % FACES}") for bid in range(CALL)]
ACTIONS = Actions([*BIDS, ActionInfo("call")], {"bid": "bid {number}", "call": "call"})
GAME = Game(
    name="liars_dice",
    title="Liar's dice",
    version=0,
    num_actions=CALL + 1,
    fields=RECORD,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, share_result, make_encode(RECORD), sample),
    words=plain_words(RECORD, ACTIONS, names=dict.fromkeys(("face", "cup", "shown"), NAMES)),
    draws=lambda num_players, options: [NAMES[: options["faces"]]] * num_players * options["dice"],
)
