"""Leduc hold'em (F. Southey et al., "Bayes' Bluff: Opponent Modelling in Poker", 2005): `GAME` is its declaration.

There are six cards, two each of J < Q < K. Two players ante a chip and get a card each. They bet, a card is turned up,
and they bet once more. A raise costs 2 chips more than the other has paid, after the open card 4; there are at most
two raises each time. A pair with the open card wins, otherwise the higher card; equal cards split the pot.
"""

from blackjacky_env.extending import (
    NOBODY,
    ActionInfo,
    Actions,
    Fields,
    Game,
    Rules,
    Variant,
    by_seat,
    draw,
    flag,
    hidden,
    inlined,
    make_encode,
    make_sample,
    number,
    own,
    plain_words,
    role,
    shuffle,
    start_seat,
    stream,
)

# ---------------------------------------------------------------- the state, and who sees it

RANKS = ("J", "Q", "K")
DECK = (0, 0, 1, 1, 2, 2)
NO_CARD = -1
OPEN = 2  # the place of the open card in the deck
FOLD, CALL, RAISE = range(3)
MAX_RAISES, MAX_CHIPS = 2, 13
FOR_DECK = 1  # a purpose of random numbers; who starts is drawn for purpose 0

RECORD = Fields(
    [Variant("classic", 2, 2, default_players=2)],
    fields=(
        role("player", "to act; none when the hand is over"),
        role("first", "that acts first", always=True),
        number("betting", 0, 2, "rounds of betting finished"),
        number("actions", 0, 4, "actions in this round of betting"),
        number("raises", 0, MAX_RAISES, "raises in this round of betting"),
        flag("folded", "1: a player has given up"),
        by_seat("chips", 0, MAX_CHIPS, "by seat: chips in the pot"),
        own("cards", 0, 2, "my card: 0 J, 1 Q, 2 K", cards="each"),
        number("open_card", NO_CARD, 2, "1 + the open card, 0: not yet", plus=1, cards="each"),
        by_seat("shown", NO_CARD, 2, "by seat: 1 + the card shown at the end, 0: none", plus=1),
        hidden("deck", 0, 2, (len(DECK),)),  # top first
        by_seat("winners", 0, 1, "1: has won the pot, or a half of it"),
        hidden("deals", 0, 1),
    ),
    observed=["player first betting actions raises folded chips cards open_card shown winners"],
)
_sample_shown = make_sample(RECORD)


# ---------------------------------------------------------------- rules


@inlined
def begin(s, key, start_player):
    """Both players ante, and six cards are shuffled."""
    s.key = key
    s.first = start_seat(key, start_player, 2)
    for place in range(len(DECK)):
        s.deck[place] = DECK[place]
    shuffle(s.deck, len(DECK), stream(key, FOR_DECK, 0, 0))
    redeal(s, s.deck)


@inlined
def redeal(s, deck):
    """The first player gets the top card, the other one the next; the third is turned up later."""
    for place in range(len(DECK)):
        s.deck[place] = deck[place]
    s.cards[s.first], s.cards[1 - s.first] = deck[0], deck[1]
    s.player, s.betting, s.actions, s.raises, s.folded, s.deals = s.first, 0, 0, 0, 0, 1
    s.chips[:] = 1
    s.winners[:] = 0
    s.open_card = NO_CARD
    s.shown[:] = NO_CARD


@inlined
def legal(s, mask):
    """Only a raise can be folded to, and only two raises are allowed."""
    is_running = s.player != NOBODY
    mask[CALL] = is_running
    mask[FOLD] = is_running and s.chips[0] != s.chips[1]
    mask[RAISE] = is_running and s.raises < MAX_RAISES


@inlined
def apply(s, action):
    """A call after another action ends a round of betting."""
    p, other = int(s.player), 1 - int(s.player)
    if action == FOLD:
        s.folded = 1
    else:
        s.chips[p] = s.chips[other] + (2 + 2 * int(s.betting)) * (action == RAISE)
    s.raises += action == RAISE
    s.actions += 1
    s.player = other
    if action == CALL and s.actions > 1:
        s.betting += 1
        if s.betting == 1:
            s.actions, s.raises, s.player, s.open_card = 0, 0, s.first, s.deck[OPEN]


@inlined
def is_settled(s):
    """After a fold, and after the second round of betting."""
    return s.folded or s.betting == 2


@inlined
def settle(s):
    """The pot goes to the player who did not fold, or to the stronger hand."""
    if s.folded:
        s.winners[s.player] = 1
    else:
        worth = (strength(s, 0), strength(s, 1))
        for seat in range(2):
            s.winners[seat], s.shown[seat] = worth[seat] >= worth[1 - seat], s.cards[seat]
    s.player = NOBODY


@inlined
def strength(s, seat):
    """The value of a hand: any pair beats any other hand."""
    return int(s.cards[seat]) + 3 * (s.cards[seat] == s.open_card)


@inlined
def returns(s, rewards):
    """Chips won, in units of the most that can be lost."""
    for seat in range(2):
        rewards[seat] = score(s, seat) / MAX_CHIPS


@inlined
def score(s, seat):
    """Chips won; 0 before the end and when the pot is split."""
    won = int(s.chips[1 - seat]) * int(s.winners[seat]) - int(s.chips[seat]) * int(s.winners[1 - seat])
    return won * (s.winners[0] != s.winners[1])


# ---------------------------------------------------------------- what a player cannot see


@inlined
def sample(observation, bits, s):
    """A position that looks like this to seat 0: unseen cards are random."""
    _sample_shown(observation, s)
    s.key, s.deals = draw(bits, 0), 1
    unseen = 0
    for rank in range(len(RANKS)):
        for _ in range(2 - (s.cards[0] == rank) - (s.shown[1] == rank) - (s.open_card == rank)):
            s.deck[unseen] = rank
            unseen += 1
    shuffle(s.deck, unseen, draw(bits, 1))
    s.cards[1] = s.deck[0] if s.shown[1] == NO_CARD else s.shown[1]
    s.deck[OPEN] = s.deck[1] if s.open_card == NO_CARD else s.open_card


# ---------------------------------------------------------------- words

NAMES = ("fold", "call", "raise")


ACTIONS = Actions([ActionInfo(name) for name in NAMES], {name: name for name in NAMES})

GAME = Game(
    name="leduc_poker",
    title="Leduc poker",
    version=0,
    num_actions=len(NAMES),
    fields=RECORD,
    score_reward="chips",
    card_names=RANKS,
    deck=lambda num_players, options: DECK,
    rules=Rules(begin, redeal, legal, apply, is_settled, settle, returns, make_encode(RECORD), sample, score),
    words=plain_words(RECORD, ACTIONS, names=dict.fromkeys(("cards", "open_card", "shown"), RANKS)),
)
