"""Kuhn poker (H. W. Kuhn, "A Simplified Two-Person Poker", 1950), the smallest game: `GAME` is its declaration.

There are three cards, J < Q < K. Two players ante a chip and get a card each. In turn they pass or bet a chip; a
pass after a bet loses the pot. After a matched bet, or two passes, the higher card wins it.
"""

# ruff: noqa: F403, F405

from blackjacky_env.extending import *

PASS, BET, START, NAMES = 0, 1, -1, ("J", "Q", "K")
RECORD = Fields(
    [Variant("classic", 2, 2, default_players=2)],
    fields=[
        role("player", "to act"),
        role("first", "that acts first", always=True),
        number("before", START, BET, "the action before the last: 0 none, 1 pass, 2 bet", plus=1),
        number("last", START, BET, "the last action: 0 none, 1 pass, 2 bet", plus=1),
        own("cards", 0, 2, "my card: 0 J, 1 Q, 2 K", cards="each"),
        by_seat("winners", 0, 1, "has won"),
        hidden("deals", 0, 1),
    ],
    observed=["player first before last cards winners"],
)


@inlined
def begin(s, key, start_player):
    s.key, s.deals, s.before, s.last, s.winners[:] = key, 1, START, START, 0
    chance = stream(key, 0, 0, 0)
    s.player = s.first = start_seat(key, start_player, 2)
    s.cards[0] = below(draw(chance, 1), 3)
    s.cards[1] = (s.cards[0] + 1 + below(draw(chance, 2), 2)) % 3


@inlined
def redeal(s, deck):
    s.cards[s.first], s.cards[1 - s.first] = deck[0], deck[1]


@inlined
def legal(s, mask):
    mask[:] = s.player != NOBODY


@inlined
def apply(s, action):
    s.before, s.last, s.player = s.last, action, 1 - s.player


@inlined
def is_settled(s):
    return s.before == BET or (s.before == PASS and s.last == PASS)


@inlined
def settle(s):
    gives_up = s.before == BET and s.last == PASS
    s.winners[s.player if gives_up else int(s.cards[1] > s.cards[0])] = 1
    s.player = NOBODY


@inlined
def returns(s, rewards):
    rewards[0] = (1 if s.winners[0] else -1) * (2 if s.last == BET else 1) / 2
    rewards[1] = -rewards[0]


_sample_shown = make_sample(RECORD)


@inlined
def sample(observation, bits, s):
    _sample_shown(observation, s)
    s.key, s.deals = draw(bits, 0), 1
    s.cards[1] = (s.cards[0] + 1 + below(draw(bits, 1), 2)) % 3


ACTIONS = Actions([ActionInfo("pass"), ActionInfo("bet")], {"pass": "pass", "bet": "bet"})
GAME = Game(
    name="kuhn_poker",
    title="Kuhn poker",
    version=0,
    num_actions=2,
    fields=RECORD,
    card_names=NAMES,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, returns, make_encode(RECORD), sample),
    words=plain_words(RECORD, ACTIONS, names={"cards": NAMES}),
)
