"""Kuhn poker (Kuhn, Contributions to the Theory of Games 1950): `GAME` declares it.

Two players ante one chip and get one of three cards each. In turn they pass or bet a chip. Whoever passes after a bet
loses the pot; otherwise the higher card wins it. The first player loses 1/18 chip a game if both play perfectly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.engine.compiling import inlined, record_dtype, zeros
from blackjacky_env.engine.game import Game, Hidden, Rules, SeatFields, Variant, Words
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.engine.random import draw, stream

PASS, BET, NOT_YET, OVER = 0, 1, -1, -1
DEALS = 1  # purpose of random numbers
NAMES = ("jack", "queen", "king")
SINGLE = ("num_players", "player", "start_player", "round_number", "deals", "made")
STATE = record_dtype(
    [
        ("key", "u8"),
        *((name, "i1") for name in SINGLE),
        ("moves", "i1", (3,)),
        *((name, "i1", (2,)) for name in ("cards", "points", "winners")),
    ]
)
LAYOUT = Layout(
    [
        Part("card", (), 0, 2, "my card: jack, queen, king"),
        Part("start_player", (), 0, 1, "seat that acts first"),
        Part("on_turn", (2,), 0, 1, "whose turn it is"),
        Part("moves", (3,), NOT_YET, BET, "passes and bets in order; -1: not yet"),
        Part("points", (2,), -2, 2, "chips won, once the game is over"),
    ]
)
CARD, START, TURN, MOVES, POINTS = (part.offset for part in LAYOUT.parts.values())


# ---------------------------------------------------------------- rules


@inlined
def begin(s, key, start_player):
    s.key, s.round_number, s.deals = key, 0, 1
    draws = stream(key, DEALS, 0, 0)
    s.start_player = np.int64(draw(draws, 0) % np.uint64(2)) if start_player < 0 else start_player
    first, step = np.int64(draw(draws, 1) % np.uint64(3)), np.int64(draw(draws, 2) % np.uint64(2))
    s.cards[s.start_player], s.cards[1 - int(s.start_player)] = first, (first + 1 + step) % 3
    begin_betting(s)


@inlined
def redeal(s, deck):
    s.cards[s.start_player], s.cards[1 - int(s.start_player)] = deck[0], deck[1]
    begin_betting(s)


@inlined
def begin_betting(s):
    s.player, s.made = s.start_player, 0
    s.moves[:] = NOT_YET
    s.points[:] = 0
    s.winners[:] = 0


@inlined
def legal(s, mask):
    mask[:] = s.player != OVER


@inlined
def apply(s, action):
    s.moves[s.made] = action
    s.made += 1
    s.player = 1 - int(s.player)


@inlined
def is_settled(s):
    return s.player != OVER and s.made >= 2 and not (s.made == 2 and s.moves[0] == PASS and s.moves[1] == BET)


@inlined
def is_showdown(moves, made):
    return (made > 0 and moves[made - 1] == BET) or (moves[0] == PASS and moves[1] == PASS)


@inlined
def settle(s):
    winner = 0 if s.cards[0] > s.cards[1] else 1
    if not is_showdown(s.moves, s.made):  # the last to act has folded, and would be next but one
        winner = int(s.player)
    stake = 2 if s.moves[s.made - 1] == BET else 1
    s.points[winner], s.points[1 - winner] = stake, -stake
    s.winners[winner] = 1
    s.round_number, s.player = 1, OVER


@inlined
def is_over(s):
    return s.player == OVER


@inlined
def returns(s, rewards):
    for seat in range(2):
        rewards[seat] = s.points[seat] / 2.0  # results are -1 .. 1


@inlined
def score(s, seat):
    return int(s.points[seat])


# ---------------------------------------------------------------- what a seat sees


@inlined
def encode(s, seat, out):
    out[CARD], out[START] = s.cards[seat], (int(s.start_player) - seat) % 2
    out[MOVES : MOVES + 3] = s.moves
    for relative in range(2):
        q = (seat + relative) % 2
        out[TURN + relative], out[POINTS + relative] = s.player == q, s.points[q]


@inlined
def sample(observation, bits, s):
    s.key, s.num_players, s.deals, s.made = draw(bits, 0), 2, 1, 0
    s.start_player, s.player = observation[START], OVER
    s.moves[:] = observation[MOVES : MOVES + 3]
    for q in range(2):
        s.points[q], s.winners[q] = observation[POINTS + q], observation[POINTS + q] > 0
        s.made += (s.moves[2] != NOT_YET) if q else (s.moves[0] != NOT_YET) + (s.moves[1] != NOT_YET)
        if observation[TURN + q]:
            s.player = q
    s.round_number = s.player == OVER
    own = int(observation[CARD])
    other = (own + 1 + np.int64(draw(bits, 1) % np.uint64(2))) % 3
    if s.player == OVER and is_showdown(s.moves, s.made) and (own > other) != (s.points[0] > 0):
        other = 3 - own - other
    s.cards[0], s.cards[1] = own, other


def sample_state(observation, rng):
    states = zeros(1, STATE)
    sample(np.asarray(observation, LAYOUT.dtype), rng.integers(2**64, dtype=np.uint64), states[0])
    return states


def vary_hidden(s, settled, seat, rng):
    for q in range(2) if seat is None else [1 - seat]:
        s["cards"][q] = rng.choice([card for card in range(3) if card != s["cards"][1 - q]])
    s["key"] = rng.integers(2**64, dtype=np.uint64)


def public_variations(s, seat, rng):
    yield "cards", (seat,), (int(s["cards"][seat]) + 1) % 3
    yield "moves", (0,), 1 - abs(int(s["moves"][0]))
    yield "points", (0,), 2 if s["points"][0] != 2 else 1


# ---------------------------------------------------------------- words


@dataclass(frozen=True)
class Options:
    """Kuhn poker has no rule options."""


def write_options(s, num_players, variant, options):
    s["num_players"] = num_players


def read_options(s):
    return 2, "classic", {}


def read_deck(cards, num_players, options):
    deck = [NAMES.index(card) if card in NAMES else int(card) for card in cards]
    if sorted(deck) != [0, 1, 2]:
        raise ValueError(f"deck={list(cards)} does not hold each of {', '.join(NAMES)} once")
    return deck


def snapshot(s, settled):
    return {
        "phase": "over" if s["player"] == OVER else "bet",
        "player": int(s["player"]),
        "round": int(s["round_number"]),
        "hands": [[NAMES[card]] for card in s["cards"]],
        "moves": [("pass", "bet")[move] for move in s["moves"] if move != NOT_YET],
        "points": s["points"].tolist(),
        "last_settlement": None if settled is None else {"points": settled["points"].tolist()},
        "winners": np.flatnonzero(s["winners"]).tolist(),
    }


def view(table, seat):
    return {**table, "hands": [hand if q == seat else 1 for q, hand in enumerate(table["hands"])]}


def draw_text(seen, options, colour):
    return f"hands {seen['hands']}, moves {' '.join(seen['moves']) or '-'}, points {seen['points']}"


GAME = Game(
    name="kuhn_poker",
    title="Kuhn poker",
    version=0,
    variants=(Variant("classic", 2, 2, default_players=2),),
    num_actions=2,
    state_dtype=STATE,
    table_fields=tuple(name for name in STATE.names if name != "key"),
    layout=LAYOUT,
    score_reward="points",
    options=Options,
    write_options=write_options,
    read_options=read_options,
    card_names=(0, 1, 2),
    read_deck=read_deck,
    seat_fields=SeatFields(("cards", "points", "winners"), ("player", "start_player")),
    sample_state=sample_state,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, is_over, returns, score, encode, sample),
    words=Words(
        snapshot,
        view,
        Actions([ActionInfo("pass"), ActionInfo("bet")], {"pass": "pass", "bet": "bet"}),
        lambda s, action: "the game is over",
        draw_text,
        "round",
        "last_settlement",
        ("bet", "over"),
    ),
    hidden=Hidden(vary_hidden, public_variations),
    table_low=-2,
)


def value(iterations=300):
    """Chips that the first player wins in a game between average policies of CFR: -1/18 in the limit."""
    from open_spiel.python.algorithms import cfr, expected_game_score

    from blackjacky_env.openspiel import load_game

    game = load_game("kuhn_poker", cards="0 1 2", start_player=0)
    solver = cfr.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policies = [solver.average_policy()] * 2
    return 2 * expected_game_score.policy_value(game.new_initial_state(), policies)[0]
