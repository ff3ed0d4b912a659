"""A second game, so small that it can be read at a glance, whose observation needs int16: `GAME` is its declaration.

Everybody is dealt one of six cards. In turn each bids nothing or one or two times the stake, seeing earlier bids and
points. Who holds the highest card gets what the others bid, and they lose it. After three rounds most points win. In a
duel, which is for two players only, bids count twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.engine.compiling import inlined, record_dtype, zeros
from blackjacky_env.engine.game import Game, Hidden, Rules, SeatFields, Variant, Words
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.engine.options import Range
from blackjacky_env.engine.random import draw, stream

SEATS, CARDS, BIDS, ROUNDS = 3, 6, 3, 3
NOT_YET, OVER = -1, -1
FOR_DEALS, FOR_STARTS = 1, 2  # purposes of random numbers
STATE = record_dtype(
    [
        ("key", "u8"),
        ("num_players", "i1"),
        ("duel", "i1"),
        ("stake", "i2"),
        ("player", "i1"),
        ("start_player", "i1"),
        ("round_number", "i1"),
        ("deals", "i1"),
        ("cards", "i1", (SEATS,)),
        ("bids", "i1", (SEATS,)),
        ("points", "i2", (SEATS,)),
        ("winners", "i1", (SEATS,)),
    ]
)
LAYOUT = Layout(
    [
        Part("num_players", (), 2, SEATS, "players"),
        Part("duel", (), 0, 1, "whether it is a duel"),
        Part("stake", (), 1, 1000, "what a bid of 1 is worth"),
        Part("round", (), 0, ROUNDS, "rounds played"),
        Part("start_player", (), 0, SEATS - 1, "seat who bids first"),
        Part("card", (), 0, CARDS - 1, "my card"),
        Part("on_turn", (SEATS,), 0, 1, "whose turn it is"),
        Part("bids", (SEATS,), NOT_YET, BIDS - 1, "bids; -1: not yet"),
        Part("points", (SEATS,), -12_000, 12_000, "points"),
        Part("winners", (SEATS,), 0, 1, "who has won"),
    ]
)


# ---------------------------------------------------------------- rules


@inlined
def begin(s, key, start_player):
    s.key = key
    s.round_number = 0
    s.deals = 0
    s.points[:] = 0
    s.winners[:] = 0
    drawn = draw(stream(key, FOR_STARTS, 0, 0), 0) % np.uint64(s.num_players)
    s.start_player = np.int64(drawn) if start_player < 0 else start_player
    deal(s)


@inlined
def deal(s):
    draws = stream(s.key, FOR_DEALS, s.round_number, 0)
    first = np.int64(draw(draws, 0) % np.uint64(CARDS))
    step = 1 if draw(draws, 1) & np.uint64(1) else CARDS - 1
    for i in range(s.num_players):
        s.cards[(s.start_player + i) % s.num_players] = (first + i * step) % CARDS
    begin_bidding(s)


@inlined
def begin_bidding(s):
    s.bids[:] = NOT_YET
    s.player = s.start_player
    s.deals = s.round_number + 1


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
    s.round_number += 1
    s.start_player = (int(s.start_player) + 1) % s.num_players
    if s.round_number < ROUNDS:
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
def is_over(s):
    return s.player == OVER


@inlined
def returns(s, rewards):
    winners = 0
    for seat in range(s.num_players):
        winners += s.winners[seat]
    losers = s.num_players - winners
    if losers > 0:
        for seat in range(s.num_players):
            rewards[seat] = 1.0 / winners if s.winners[seat] else -1.0 / losers


@inlined
def score(s, seat):
    return int(s.points[seat])


# ---------------------------------------------------------------- what a seat sees

_AT = {name: part.offset for name, part in LAYOUT.parts.items()}
_PLAYERS, _DUEL, _STAKE, _ROUND, _START, _CARD = (
    _AT[name] for name in ("num_players", "duel", "stake", "round", "start_player", "card")
)
_TURN, _BIDS, _POINTS, _WINNERS = (_AT[name] for name in ("on_turn", "bids", "points", "winners"))


@inlined
def encode(s, seat, out):
    out[:] = 0
    out[_PLAYERS], out[_DUEL], out[_STAKE], out[_ROUND] = s.num_players, s.duel, s.stake, s.round_number
    out[_START] = (int(s.start_player) - seat) % s.num_players
    out[_CARD] = s.cards[seat]
    if s.player != OVER:
        out[_TURN + (int(s.player) - seat) % s.num_players] = 1
    for relative in range(s.num_players):
        q = (seat + relative) % s.num_players
        out[_BIDS + relative], out[_POINTS + relative] = s.bids[q], s.points[q]
        out[_WINNERS + relative] = s.winners[q]


@inlined
def sample(observation, bits, s):
    s.key = draw(bits, 0)
    s.num_players, s.duel = observation[_PLAYERS], observation[_DUEL]
    s.stake, s.round_number = observation[_STAKE], observation[_ROUND]
    s.start_player = observation[_START]
    s.player = OVER
    s.deals = 0
    s.cards[:] = 0
    s.bids[:] = 0
    s.points[:] = 0
    s.winners[:] = 0
    step = 1 if draw(bits, 1) & np.uint64(1) else CARDS - 1
    for q in range(s.num_players):
        place = (q - int(s.start_player)) % s.num_players
        own = (0 - int(s.start_player)) % s.num_players
        s.cards[q] = (int(observation[_CARD]) + (place - own) * step) % CARDS
        s.bids[q], s.points[q] = observation[_BIDS + q], observation[_POINTS + q]
        s.winners[q] = observation[_WINNERS + q]
        if observation[_TURN + q]:
            s.player = q


def sample_state(observation, rng):
    states = zeros(1, STATE)
    sample(np.asarray(observation, LAYOUT.dtype), rng.integers(2**64, dtype=np.uint64), states[0])
    return states


def vary_hidden(s, settled, seat, rng):
    """Deal the others' cards in the other direction; a spectator knows none."""
    own = rng.integers(s["num_players"]) if seat is None else seat
    first = rng.integers(CARDS) if seat is None else int(s["cards"][seat])
    step = 1 if rng.integers(2) else CARDS - 1
    for q in range(s["num_players"]):
        s["cards"][q] = (first + (q - int(own)) * step) % CARDS


def visible(s, seat):
    """The fields that the seat sees."""
    seats = range(int(s["num_players"]))
    yield "stake", [()], range(1, 1001)
    yield "cards", [(seat,)], range(CARDS)
    for name, values in (("bids", range(NOT_YET, BIDS)), ("points", range(-100, 100)), ("winners", range(2))):
        yield name, [(q,) for q in seats], values
    if s["player"] != OVER:
        yield "player", [()], seats


# ---------------------------------------------------------------- options and words


@dataclass(frozen=True)
class Options:
    """Rule options."""

    stake: Annotated[int, Range(1, 1000)] = 100
    """What a bid of 1 is worth."""


def write_options(s, num_players, variant, options):
    s["num_players"], s["duel"], s["stake"] = num_players, variant == "duel", options["stake"]


def read_options(s):
    return int(s["num_players"]), "duel" if s["duel"] else "classic", {"stake": int(s["stake"])}


def read_deck(cards, num_players, options):
    deck = [int(card) for card in cards]
    if sorted(deck) != list(range(CARDS)):
        raise ValueError(f"deck={deck} does not hold each card of 0 .. {CARDS - 1} once")
    return deck


def snapshot(s, settled):
    players = int(s["num_players"])
    return {
        "phase": "over" if s["player"] == OVER else "bid",
        "player": int(s["player"]),
        "round": int(s["round_number"]),
        **{name: s[name][:players].tolist() for name in ("cards", "bids", "points")},
        "last_settlement": None if settled is None else {"cards": settled["cards"][:players].tolist()},
        "winners": np.flatnonzero(s["winners"]).tolist(),
    }


def view(table, seat):
    return {**table, "cards": [card if q == seat else None for q, card in enumerate(table["cards"])]}


ACTIONS = Actions((ActionInfo("bid", number=bid) for bid in range(BIDS)), {"bid": "bid {number}"})


def why_illegal(s, action):
    return "the game is over"


def draw_text(seen, options, colour):
    return f"round {seen['round']}, points {seen['points']}, bids {seen['bids']}, cards {seen['cards']}"


GAME = Game(
    name="tiny",
    title="Tiny",
    version=0,
    variants=(Variant("classic", 2, SEATS, default_players=SEATS), Variant("duel", 2, 2, default_players=2)),
    num_actions=BIDS,
    state_dtype=STATE,
    table_fields=tuple(name for name in STATE.names if name != "key"),
    layout=LAYOUT,
    score_reward="points",
    options=Options,
    write_options=write_options,
    read_options=read_options,
    card_names=tuple(range(CARDS)),
    read_deck=read_deck,
    seat_fields=SeatFields(("cards", "bids", "points", "winners"), ("player", "start_player")),
    sample_state=sample_state,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, is_over, returns, score, encode, sample),
    words=Words(snapshot, view, ACTIONS, why_illegal, draw_text, "round", "last_settlement", ("bid", "over")),
    hidden=Hidden(vary_hidden, visible),
    table_low=-12_000,
)
