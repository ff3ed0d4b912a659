"""Goofspiel with four cards (M. Flood's "Game of Pure Strategy"), a game of secret bids: `GAME` is its declaration.

Two players hold the cards 1 to 4 each. Four prizes, worth 1 to 4, are turned up in random order. For each, one player
bids a card face down, the other one answers, and both cards are turned up: the higher one wins the prize, equal ones
lose it. Most points win.
"""

# ruff: noqa: D103, F403, F405

from blackjacky_env.extending import *

CARDS, NONE = 4, -1
NAMES = (1, 2, 3, 4)
DOWN, ANSWER = range(2)  # phases
RECORD = Fields(
    [Variant("classic", 2, 2, default_players=2)],
    fields=[
        role("player", "to act"),
        role("first", "that bids first", always=True),
        choice("phase", ("down", "answer")),
        number("prize", NONE, CARDS - 1, "1 + the prize, 0: none", plus=1),
        number("left", 0, CARDS, "prizes that lie face down"),
        flag("turned", "1: this prize has been turned up", (CARDS,)),
        by_seat("hands", 0, 1, "1: has not turned up this card", (CARDS,)),
        by_seat("points", 0, 10, "points"),
        own("bid", NONE, CARDS - 1, "1 + the card that I have laid face down, 0: none", plus=1),
        by_seat("winners", 0, 1, "has won"),
        hidden("prizes", 0, CARDS - 1, (CARDS,)),  # the next one last, of those left
        hidden("deals", 0, 1),
    ],
    observed=["player first phase prize left turned hands points bid winners"],
)


@inlined
def begin(s, key, start_player):
    s.key, s.deals = key, 1
    s.first = start_seat(key, start_player, 2)
    for card in range(CARDS):
        s.prizes[card] = card
    shuffle(s.prizes, CARDS, stream(key, 1, 0, 0))
    start(s)


@inlined
def redeal(s, deck):
    for place in range(CARDS):
        s.prizes[CARDS - 1 - place] = deck[place]
    start(s)


@inlined
def start(s):
    s.turned[:], s.hands[:], s.points[:], s.bid[:], s.winners[:], s.left = 0, 1, 0, NONE, 0, CARDS
    turn_up(s)


@inlined
def turn_up(s):
    s.player, s.phase, s.prize = s.first, DOWN, NONE
    if s.left:
        s.left -= 1
        s.prize = s.prizes[s.left]
        s.turned[s.prize] = 1


@inlined
def legal(s, mask):
    for card in range(CARDS):
        mask[card] = s.player != NOBODY and s.hands[s.player, card]


@inlined
def apply(s, action):
    if s.phase == DOWN:
        s.bid[s.first], s.player, s.phase = action, 1 - s.first, ANSWER
        return
    bid = int(s.bid[s.first])
    s.hands[s.first, bid] = s.hands[s.player, action] = 0
    s.bid[s.first] = NONE
    if action != bid:
        s.points[s.player if action > bid else s.first] += 1 + s.prize
    turn_up(s)


@inlined
def is_settled(s):
    return s.prize == NONE


@inlined
def settle(s):
    for seat in range(2):
        s.winners[seat] = s.points[seat] >= s.points[1 - seat]
    s.player = NOBODY


@inlined
def returns(s, rewards):
    rewards[0] = int(s.winners[0]) - int(s.winners[1])
    rewards[1] = -rewards[0]


_sample_shown = make_sample(RECORD)


@inlined
def sample(observation, bits, s):
    _sample_shown(observation, s)
    s.key, s.deals, unseen = draw(bits, 0), 1, 0
    for prize in range(CARDS):
        if not s.turned[prize]:
            s.prizes[unseen] = prize
            unseen += 1
    shuffle(s.prizes, unseen, draw(bits, 1))
    s.bid[1] = NONE
    if s.phase == ANSWER and s.player == 0:
        among = below(draw(bits, 2), unseen + 1)
        for card in range(CARDS):
            if s.hands[1, card]:
                s.bid[1] = card if among == 0 else s.bid[1]
                among -= 1


BIDS = [ActionInfo("bid", card=name, secret=("card",), secret_phases=("down",)) for name in NAMES]
GAME = Game(
    name="goofspiel",
    title="Goofspiel",
    version=0,
    num_actions=CARDS,
    fields=RECORD,
    card_names=NAMES,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, returns, make_encode(RECORD), sample),
    words=plain_words(RECORD, Actions(BIDS, {"bid": "bid {card}"}), names={"prize": NAMES, "bid": NAMES}),
    most_actions=lambda num_players, variant, options: 2 * CARDS,
)
