"""Liar's dice for two to four players: `GAME` is its declaration.

Everybody rolls dice under a cup. In turn each bids how many dice under all cups show a face, always more than before:
a larger number, or the same number of a higher face. The highest face is wild: it counts as every other one. Instead
of bidding, a player may call the last bid. If it was too high, the bidder loses a die, otherwise the caller; all roll
again, and the loser begins. Whoever loses the last die loses the game, and the others win it.
"""

# ruff: noqa: D103, F403, F405

from dataclasses import dataclass
from typing import Annotated

from blackjacky_env.extending import *

SEATS, DICE, FACES, NONE = 4, 5, 6, -1
CALL = SEATS * DICE * FACES  # an action after those of bids, which begin with "1 x 1", "1 x 2"
FOR_DICE = 1  # a purpose of random numbers; who starts is drawn for purpose 0


@dataclass(frozen=True)
class Options:
    """Rule options."""

    dice: Annotated[int, Range(1, DICE)] = 2
    """Dice that everybody begins with."""
    faces: Annotated[int, Range(2, FACES)] = 6
    """Faces of a die."""
    wild: bool = True
    """Whether the highest face counts as every other one."""


RECORD = Fields(
    [Variant("classic", 2, SEATS, default_players=3)],
    options=Options,
    fields=[
        role("player", "to act"),
        number("rolled", 0, SEATS * DICE, "dice under all cups"),
        number("count", 0, SEATS * DICE, "the last bid: how many dice, 0: none"),
        number("face", NONE, FACES - 1, "the last bid: the face, 0: none", plus=1),
        flag("called", "1: the last bid has been called"),
        by_seat("left", 0, DICE, "dice left"),
        own("cup", NONE, FACES - 1, "the faces of my dice, 0: no die", (DICE,), plus=1),
        by_seat("shown", NONE, FACES - 1, "the dice at the last call, 0: none", (DICE,), plus=1),
        by_seat("winners", 0, 1, "has won"),
        hidden("deals", 0, SEATS * DICE),
    ],
    observed=["player rolled count face called left cup shown winners"],
)


@inlined
def begin(s, key, start_player):
    s.key, s.deals, s.winners[:], s.left[:], s.shown[:] = key, 0, 0, 0, NONE
    s.player = start_seat(key, start_player, s.num_players)
    for seat in range(s.num_players):
        s.left[seat] = s.dice
    roll(s)


@inlined
def roll(s):
    chance = stream(s.key, FOR_DICE, s.deals, 0)
    s.deals, s.rolled, s.count, s.face, s.called, s.cup[:] = s.deals + 1, 0, 0, NONE, 0, NONE
    for seat in range(s.num_players):
        for die in range(s.left[seat]):
            s.cup[seat, die] = below(draw(chance, s.rolled), s.faces)
            s.rolled += 1


@inlined
def redeal(s, dice):
    number = 0
    for seat in range(s.num_players):
        for die in range(s.left[seat]):
            s.cup[seat, die] = dice[number]
            number += 1


@inlined
def legal(s, mask):
    is_running = s.player != NOBODY
    for bid in range(CALL):
        count, face = 1 + bid // FACES, bid % FACES
        is_higher = count > s.count or (count == s.count and face > s.face)
        mask[bid] = is_running and is_higher and count <= s.rolled and face < s.faces
    mask[CALL] = is_running and s.count > 0


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
    found = 0
    for seat in range(s.num_players):
        for die in range(s.left[seat]):
            found += s.cup[seat, die] == s.face or (s.wild and s.cup[seat, die] == s.faces - 1)
    loser = s.player if found >= s.count else (s.player + s.num_players - 1) % s.num_players
    s.shown[:] = s.cup
    s.left[loser] -= 1
    s.player = loser if s.left[loser] else NOBODY
    for seat in range(s.num_players):
        s.winners[seat] = s.player == NOBODY and seat != loser
    if s.player != NOBODY:
        roll(s)


_sample_shown = make_sample(RECORD)


@inlined
def sample(observation, bits, s):
    _sample_shown(observation, s)
    s.key, s.deals = draw(bits, 0), s.num_players * s.dice - s.rolled + 1
    for seat in range(1, s.num_players):
        for die in range(DICE):
            under = below(draw(bits, seat * DICE + die), s.faces) if die < s.left[seat] else NONE
            s.cup[seat, die] = s.shown[seat, die] if s.called else under


FACE_NAMES = [str(1 + face) for face in range(FACES)]
BIDS = [ActionInfo("bid", number=f"{1 + bid // FACES} x {1 + bid % FACES}") for bid in range(CALL)]
GAME = Game(
    name="liars_dice",
    title="Liar's dice",
    version=0,
    num_actions=CALL + 1,
    fields=RECORD,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, share_result, make_encode(RECORD), sample),
    words=plain_words(
        RECORD,
        Actions([*BIDS, ActionInfo("call")], {"bid": "bid {number}", "call": "call"}),
        names=dict.fromkeys(("face", "cup", "shown"), FACE_NAMES),
    ),
    draws=Draws(
        lambda num_players, options: [FACE_NAMES[: options["faces"]]] * (num_players * options["dice"]), "rolled"
    ),
)
