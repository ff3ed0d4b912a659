"""Kuhn poker (H. W. Kuhn, "A Simplified Two-Person Poker", 1950): `GAME` is the game, `KIT` has a bot for it.

There are three cards, J < Q < K. Two players ante one chip and get a card each. The first player checks or bets another
chip; after a check the second player has the same choice. A player who faces a bet folds and loses the pot, or calls.
After a call or two checks the higher card wins the pot. `value` computes what a hand is worth to the first player.
"""

import numpy as np

from blackjacky_agents.kit import GameKit
from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.engine.compiling import compiled, inlined, record_dtype, zeros
from blackjacky_env.engine.game import Game, Hidden, Rules, SeatFields, Variant, Words
from blackjacky_env.engine.layout import Layout, Part
from blackjacky_env.engine.random import below, draw, shuffle, stream

# ---------------------------------------------------------------- state

CARDS = ("J", "Q", "K")
ACTIONS = ("check", "bet", "fold", "call")
CHECK, BET, FOLD, CALL = range(4)
NO_ACTION, NOBODY, UNSEEN = -1, -1, -1
FOR_START, FOR_DECK = 0, 1  # purposes of random numbers
STATE = record_dtype(
    [
        *[("key", "u8"), ("num_players", "i1"), ("player", "i1"), ("deals", "i1"), ("winners", "i1", (2,))],
        *[("first", "i1"), ("last", "i1")],  # the first player, the last action
        ("cards", "i1", (3,)),  # of each player, and the one left over
    ]
)

# ---------------------------------------------------------------- rules


@inlined
def begin(s, key, start_player):
    """Both players ante and are dealt a card."""
    s.key, s.deals, s.last = key, 1, NO_ACTION
    s.first = below(draw(stream(key, FOR_START, 0, 0), 0), 2) if start_player < 0 else start_player
    s.player = s.first
    s.winners[:] = 0
    for card in range(3):
        s.cards[card] = card
    shuffle(s.cards, 3, stream(key, FOR_DECK, 0, 0))


@inlined
def redeal(s, deck):
    """The first player gets the top card."""
    s.cards[s.first], s.cards[1 - s.first], s.cards[2] = deck[0], deck[1], deck[2]


@inlined
def legal(s, mask):
    """Fold or call after a bet, otherwise check or bet."""
    running, facing_bet = s.player != NOBODY, s.last == BET
    mask[CHECK] = mask[BET] = running and not facing_bet
    mask[FOLD] = mask[CALL] = running and facing_bet


@inlined
def apply(s, action):
    """The last action says all about the betting."""
    s.last, s.player = action, 1 - s.player


@inlined
def is_settled(s):
    """After a fold, a call or two checks."""
    return s.last in (FOLD, CALL) or (s.last == CHECK and s.player == s.first)


@inlined
def settle(s):
    """The pot goes to whoever did not fold, or to the higher card."""
    winner = s.player if s.last == FOLD else int(s.cards[1] > s.cards[0])
    s.winners[winner] = 1
    s.player = NOBODY


@inlined
def is_over(s):
    """A game is one hand."""
    return s.player == NOBODY


@inlined
def score(s, seat):
    """Chips won: 0 before the end, then the ante of the loser, and the bet if it was called."""
    if s.player != NOBODY:
        return 0
    stake = 2 if s.last == CALL else 1
    return stake if s.winners[seat] else -stake


@inlined
def returns(s, rewards):
    """Chips won, in units of the highest stake, 2."""
    for seat in range(2):
        rewards[seat] = score(s, seat) / 2


# ---------------------------------------------------------------- what a player sees

LAYOUT = Layout(
    [
        Part("card", (), 0, 2, "my card: 0 J, 1 Q, 2 K"),
        Part("other_card", (), UNSEEN, 2, "the other player's card; -1: not shown"),
        Part("first", (), 0, 1, "who acts first: 0 me, 1 the other player"),
        Part("player", (), NOBODY, 1, "who is to act; -1: the game is over"),
        Part("last", (), NO_ACTION, CALL, "the last action; -1: none"),
        Part("winners", (2,), 0, 1, "who has won"),
    ]
)
CARD, OTHER_CARD, FIRST, PLAYER, LAST, WINNERS = map(LAYOUT.offset, LAYOUT.parts)


@inlined
def is_showdown(s):
    """Whether both cards are face up."""
    return s.player == NOBODY and s.last != FOLD


@inlined
def encode(s, seat, out):
    """The observation of a seat."""
    out[CARD] = s.cards[seat]
    out[OTHER_CARD] = s.cards[1 - seat] if is_showdown(s) else UNSEEN
    out[FIRST] = s.first != seat
    out[PLAYER] = NOBODY if s.player == NOBODY else s.player != seat
    out[LAST] = s.last
    out[WINNERS], out[WINNERS + 1] = s.winners[seat], s.winners[1 - seat]


@inlined
def sample(observation, bits, s):
    """A position that looks like this to seat 0: a card that is not shown is one of the other two."""
    s.key, s.num_players, s.deals = draw(bits, 0), 2, 1
    s.first, s.player, s.last = observation[FIRST], observation[PLAYER], observation[LAST]
    s.cards[0], s.cards[1] = observation[CARD], observation[OTHER_CARD]
    if s.cards[1] == UNSEEN:
        s.cards[1] = (s.cards[0] + 1 + below(draw(bits, 1), 2)) % 3
    s.cards[2] = 3 - s.cards[0] - s.cards[1]
    s.winners[0], s.winners[1] = observation[WINNERS], observation[WINNERS + 1]


def sample_state(observation, rng):
    """The same for Python: a record array, shape (1,)."""
    states = zeros(1, STATE)
    sample(np.asarray(observation, LAYOUT.dtype), rng.integers(2**64, dtype=np.uint64), states[0])
    return states


def vary_hidden(s, settled, seat, rng):
    """Deal the cards that the seat has not seen again, to prove that no observation depends on them."""
    unseen = [] if is_showdown(s) else [place for place in range(3) if place != seat]
    s["cards"][unseen] = rng.permutation(s["cards"][unseen])
    if settled is not None:
        settled["cards"] = s["cards"]


def visible(s, seat):
    """Fields that the seat sees, which entries, and their values, to prove that its observation shows them."""
    yield "cards", [(seat,)], range(3)
    yield "first", [()], (0, 1)
    yield "last", [()], range(NO_ACTION, CALL + 1)
    yield "winners", [(0,), (1,)], (0, 1)


# ---------------------------------------------------------------- words


def snapshot(s, settled):
    """Everything on the table."""
    over = s["player"] == NOBODY
    return {
        "phase": "over" if over else "play",
        "player": int(s["player"]),
        "round": int(over),
        "cards": [CARDS[card] for card in s["cards"][:2]],
        "last_action": None if s["last"] == NO_ACTION else ACTIONS[s["last"]],
        "last_settlement": {"chips": [score(s, seat) for seat in range(2)]} if over else None,
        "winners": np.flatnonzero(s["winners"]).tolist(),
    }


def view(table, seat):
    """The table as a seat knows it: the other card is hidden until a showdown."""
    if table["phase"] == "over" and table["last_action"] != "fold":
        return table
    return {**table, "cards": [card if q == seat else None for q, card in enumerate(table["cards"])]}


def why_illegal(s, action):
    """Why an action is not legal now."""
    if s["player"] == NOBODY:
        return "the hand is over"
    return "there is a bet to fold or call" if s["last"] == BET else "nobody has bet"


def draw_text(seen, options, colour):
    """The table for a terminal."""
    hands = ", ".join(f"player_{q} has {card or '?'}" for q, card in enumerate(seen["cards"]))
    return f"{hands}; last action: {seen['last_action'] or 'none'}"


def write_options(s, num_players, variant, options):
    """There are none but the number of players."""
    s["num_players"] = num_players


def read_deck(cards, num_players, options):
    """The deck as numbers, top first."""
    deck = list(cards)
    if len(deck) != 3 or set(deck) != set(CARDS):
        raise ValueError(f"deck={deck} does not hold each of {', '.join(CARDS)} once")
    return [CARDS.index(card) for card in deck]


# ---------------------------------------------------------------- the game

GAME = Game(
    name="kuhn_poker",
    title="Kuhn poker",
    version=0,
    variants=(Variant("classic", 2, 2, default_players=2),),
    num_actions=len(ACTIONS),
    state_dtype=STATE,
    table_fields=tuple(name for name in STATE.names if name != "key"),
    layout=LAYOUT,
    score_reward="chips",
    write_options=write_options,
    read_options=lambda s: (2, "classic", {}),
    card_names=CARDS,
    read_deck=read_deck,
    sample_state=sample_state,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, is_over, returns, score, encode, sample),
    words=Words(
        *(snapshot, view, Actions((ActionInfo(name) for name in ACTIONS), {name: name for name in ACTIONS})),
        *(why_illegal, draw_text, "round", "last_settlement", ("play", "over")),
    ),
    seat_fields=SeatFields(by_seat=("cards", "winners"), seats=("player", "first")),
    state_ranges={"player": (-1, 1), "first": (0, 1), "last": (-1, 3), "cards": (0, 2)},
    hidden=Hidden(vary_hidden, visible),
)

# ---------------------------------------------------------------- a bot


THIRDS = ((1, 0, 3), (0, 1, 3), (0, 2, 3))  # to bet; to call as the second player; as the first; by card


@compiled
def equilibrium(observation, mask, random_state, parameters):
    """One of Kuhn's optimal strategies, which no opponent can exploit."""
    situation = mask[CALL] * (2 - observation[FIRST])
    is_bold = below(draw(random_state, 0), 3) < THIRDS[situation][observation[CARD]]
    return (CALL if is_bold else FOLD) if mask[CALL] else (BET if is_bold else CHECK)


KIT = GameKit(bots={"equilibrium": (equilibrium,)}, opponents="equilibrium")

# ---------------------------------------------------------------- its value


def value(iterations=300):
    """Chips a hand for the first player between average policies of CFR in OpenSpiel; the limit is -1/18."""
    from open_spiel.python.algorithms import cfr, expected_game_score

    from blackjacky_env.openspiel import load_game

    game = load_game("kuhn_poker", cards=" ".join(CARDS), start_player=0)
    solver = cfr.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policies = [solver.average_policy()] * 2
    return 2 * expected_game_score.policy_value(game.new_initial_state(), policies)[0]  # `returns` is in units of 2
