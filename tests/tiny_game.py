"""A second game, so small that it can be read at a glance, whose observation needs int16: `GAME` is its declaration.

Everybody is dealt one of six cards. In turn each bids nothing or one or two times the stake, seeing earlier bids and
points. Who holds the highest card gets what the others bid, and they lose it. After three rounds most points win. In a
duel, which is for two players only, bids count twice.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from blackjacky_env.compiled.compiling import inlined
from blackjacky_env.compiled.random import below, draw, stream
from blackjacky_env.compiled.results import share_result
from blackjacky_env.compiled.shown import make_encode, make_sample
from blackjacky_env.declare.actions import ActionInfo, Actions
from blackjacky_env.declare.fields import Fields, by_seat, flag, hidden, number, own, role
from blackjacky_env.declare.game import Game, Rules, Words
from blackjacky_env.declare.options import Range, Variant

SEATS, CARDS, BIDS, ROUNDS = 3, 6, 3, 3
NOT_YET, OVER = -1, -1
FOR_DEALS, FOR_STARTS = 1, 2  # purposes of random numbers
VARIANTS = (Variant("classic", 2, SEATS, default_players=SEATS), Variant("duel", 2, 2, default_players=2))


@dataclass(frozen=True)
class Options:
    """Rule options."""

    stake: Annotated[int, Range(1, 1000)] = 100
    """What a bid of 1 is worth."""


RECORD = Fields(
    VARIANTS,
    options=Options,
    variant=flag("duel", "whether it is a duel"),
    fields=(
        role("player", "to act", part="to_act"),
        role("start_player", "that bids first", always=True),
        number("round", 0, ROUNDS, "rounds played"),
        hidden("deals", 0, ROUNDS),
        own("cards", 0, CARDS - 1, "my card", part="card"),
        by_seat("bids", NOT_YET, BIDS - 1, "1 + the bid; 0: not yet", plus=1),
        by_seat("points", -12_000, 12_000, "points"),
        by_seat("winners", 0, 1, "who has won"),
    ),
    observed=("round start_player", "card", "to_act bids points winners"),
)
STATE, LAYOUT, AT = RECORD.dtype, RECORD.layout, RECORD.at


@inlined
def begin(s, key, start_player):
    s.key = key
    s.round = 0
    s.deals = 0
    s.points[:] = 0
    s.winners[:] = 0
    drawn = draw(stream(key, FOR_STARTS, 0, 0), 0) % np.uint64(s.num_players)
    s.start_player = np.int64(drawn) if start_player < 0 else start_player
    deal(s)


@inlined
def deal(s):
    draw_cards(s, s.start_player, 0, stream(s.key, FOR_DEALS, s.round, 0))
    begin_bidding(s)


@inlined
def draw_cards(s, start, have, draws):
    """Deal to all but the first so many players from ``start`` on, who have theirs."""
    for i in range(have, s.num_players):
        place = below(draw(draws, i), CARDS - i)  # among the cards that are left
        for card in range(CARDS):
            is_left = True
            for j in range(i):
                is_left = is_left and s.cards[(start + j) % s.num_players] != card
            place -= is_left
            if is_left and place == -1:
                s.cards[(start + i) % s.num_players] = card


@inlined
def begin_bidding(s):
    s.bids[:] = NOT_YET
    s.player = s.start_player
    s.deals = s.round + 1


@inlined
def redeal(s, deck):
    for i in range(s.num_players):
        s.cards[(s.start_player + i) % s.num_players] = deck[i]
    begin_bidding(s)


@inlined
def legal(s, mask):
    for bid in range(BIDS):
        mask[bid] = s.player != OVER


@inlined
def apply(s, action):
    s.bids[s.player] = action
    s.player = (int(s.player) + 1) % s.num_players


@inlined
def is_settled(s):
    settled = s.player != OVER
    for seat in range(s.num_players):
        settled = settled and s.bids[seat] != NOT_YET
    return settled


@inlined
def settle(s):
    highest = 0
    for seat in range(s.num_players):
        if s.cards[seat] > s.cards[highest]:
            highest = seat
    for seat in range(s.num_players):
        paid = int(s.bids[seat]) * int(s.stake) * (2 if s.duel else 1)
        s.points[seat] -= paid
        s.points[highest] += paid
    s.round += 1
    s.start_player = (int(s.start_player) + 1) % s.num_players
    if s.round < ROUNDS:
        deal(s)
    else:
        end(s)


@inlined
def end(s):
    s.player = OVER
    best = s.points[0]
    for seat in range(1, s.num_players):
        best = max(best, s.points[seat])
    for seat in range(s.num_players):
        s.winners[seat] = s.points[seat] == best


@inlined
def score(s, seat):
    return int(s.points[seat])


_sample_shown = make_sample(RECORD)


@inlined
def sample(observation, bits, s):
    s.key = draw(bits, 0)
    _sample_shown(observation, s)
    s.deals = min(int(s.round) + 1, ROUNDS)
    s.cards[1:] = 0
    draw_cards(s, 0, 1, draw(bits, 1))


def snapshot(s, settled):
    players = int(s["num_players"])
    return {
        "phase": "over" if s["player"] == OVER else "bid",
        "player": int(s["player"]),
        "round": int(s["round"]),
        **{name: s[name][:players].tolist() for name in ("cards", "bids", "points")},
        "last_settlement": None if settled is None else {"cards": settled["cards"][:players].tolist()},
        "winners": np.flatnonzero(s["winners"]).tolist(),
    }


def view(table, seat):
    return {**table, "cards": [card if q == seat else None for q, card in enumerate(table["cards"])]}


ACTIONS = Actions((ActionInfo("bid", number=bid) for bid in range(BIDS)), {"bid": "bid {number}"})


def why_illegal(s, action):
    return "the game is over"


GAME = Game(
    name="tiny",
    title="Tiny",
    version=0,
    num_actions=BIDS,
    fields=RECORD,
    score_reward="points",
    card_names=tuple(range(CARDS)),
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, share_result, make_encode(RECORD), sample, score),
    words=Words(snapshot, view, ACTIONS, why_illegal, "round", "last_settlement", ("bid", "over")),
)
