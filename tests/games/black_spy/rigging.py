"""Rigged deals, so that a test of a rule reads like the rule; cards are written ``"b1"`` .. ``"k11"``, k for black."""

import functools
from collections import Counter

import numpy as np

from blackjacky_env import black_spy_v0
from blackjacky_env.games.black_spy.state import STATE
from tests.games.rigged import RiggedTable

LETTERS = {"b": "blue", "y": "yellow", "g": "green", "r": "red", "k": "black"}
KINDS = [f"{letter}{rank}" for letter in LETTERS for rank in range(1, 12)]  # in the order of the actions
DECK = KINDS + ["k7"] * 5  # B1
PICKS = 3  # B3, V3
SIZES = {3: 20, 4: 15, 5: 12, 6: 10}  # B2
LIMITS = {3: 200, 4: 150, 5: 120, 6: 100}  # B9
OTHERS, MYSELF = "60 points for each of the others", "minus 60 points for me"  # V2
CARDS = DECK  # by the numbers of the record
PHASES = {"take": 0, "call": 1, "pass": 2, "play": 3}
names = STATE.names or ()
OPTIONS = names[names.index("num_players") : names.index("phase")]


def full(card):
    return f"{LETTERS[card[0]]} {card[1:]}"


def short(name):
    """The card ``"r7"`` for ``"red 7"``; other names stay."""
    colour, _, rank = name.partition(" ")
    letters = [letter for letter, known in LETTERS.items() if known == colour]
    return f"{letters[0]}{rank}" if letters else name


def cards_of(counts):
    return [card for card, count in zip(KINDS, counts, strict=True) for _ in range(count)]


def filled_up(hands, size):
    """Hands of ``size`` cards that begin with these; the rest of the deck fills them up in the order of the actions."""
    wanted = [hand.split() for hand in hands]
    rest = Counter(DECK)
    rest.subtract(card for hand in wanted for card in hand)
    assert min(rest.values()) >= 0, rest
    cards = iter(sorted(rest.elements(), key=KINDS.index))
    return [hand + [next(cards) for _ in range(size - len(hand))] for hand in wanted]


def deck_of(hands, first=0, pile=()):
    """The deck, as the environment reads it, that deals these hands by seat, and this pile (V3)."""
    n = len(hands)
    dealt = [hands[(first + i) % n][place] for place in range(len(hands[0])) for i in range(n)]
    return [full(card) for card in [*pile, *dealt]]


class Table(RiggedTable):
    """A game with these hands of all players in the first deal; what is missing of a hand is filled up.

    ``first``: the seat left of the dealer. With ``passed`` three cards have been passed to the left already, and these
    are the hands after that; without it they are the hands dealt.
    """

    module = black_spy_v0

    def __init__(self, *hands, first=0, passed=True, **options):
        n = len(hands)
        dealt = filled_up(hands, 60 // n)
        if passed:
            dealt = [hand[:-PICKS] + dealt[(p + 1) % n][-PICKS:] for p, hand in enumerate(dealt)]
        rigged = {"start_player": first, "deck": deck_of(dealt, first)}
        super().__init__(rigged, num_players=n, **{"reward": "points", **options})
        for i in range(n * passed):
            self.play(" ".join(dealt[(first + i) % n][-PICKS:]))

    @property
    def legal(self):
        """The cards, and other actions, that the player to act may choose."""
        return {short(self.env.action_name(action)) for action in self.actions}

    def hand(self, seat):
        return [short(name) for name in self.now["hands"][seat]]

    def play(self, cards):
        """Choose cards such as ``"r7 k11"`` one after the other."""
        return self.take(*cards.split())

    def full_name(self, action):
        return full(action) if action in KINDS else action

    def arrange(self, **fields):
        """Set fields of the record; those by seat are filled up with 0."""
        records = self.records()
        for name, value in fields.items():
            room = records[0][name]
            records[0][name] = [*value, *[0] * (len(room) - len(value))] if np.ndim(room) else value
        self.put(records[:1])
        return self


def dealt(players, **options):
    """A game in which nothing has been done; everybody has cards of each colour."""
    return Table(*(" ".join(DECK[p::players]) for p in range(players)), passed=False, **options)


def last_card(players, **options):
    """A game in which one card of the first deal is left to play."""
    fields = np.frombuffer(_before_last_card(players), STATE)[0]
    game = dealt(players, **options)
    return game.arrange(**{name: fields[name] for name in STATE.names or () if name not in OPTIONS})


@functools.cache
def _before_last_card(players):
    game = dealt(players)
    while sum(map(len, game.now["hands"])) > 1:
        game.first_legal()
    return game.records()[0].tobytes()


def second_deal(players, **options):
    """A game with a mole in its second deal (V3)."""
    return last_card(players, mole=True, **options).first_legal()


def laid_out(*hands, phase="play", player=0, pile="", played=(), passed=(), taken=(), lacks=(), **fields):
    """A position with these hands by seat, and this pile; whatever is not named has been played by player_0.

    ``played``: (seat, cards); ``passed``: (giver, receiver, cards); ``taken``: (place in the order of taking from 0,
    holder, cards); ``lacks``: (seat, colours and numbers that it is known not to have); ``fields``: fields of the
    record, and options of the game.
    """
    record = {name: fields.pop(name) for name in names if name in fields and name not in OPTIONS}
    where = np.full(60, 32)
    spies = iter([50, *range(55, 60)])
    for place, cards in [*enumerate(hands), (16, pile), *((32 + seat, cards) for seat, cards in played)]:
        where[[next(spies) if card == "k7" else KINDS.index(card) for card in cards.split()]] = place
    passed_by, taken_at = np.full(60, -1), np.zeros(60, int)
    for marks, blank, told in ((passed_by, -1, passed), (taken_at, 0, [(1 + place, q, c) for place, q, c in taken])):
        for mark, holder, cards in told:
            for card in cards.split():
                at = (np.array(CARDS) == card) & (where % 32 == holder) & (marks == blank)
                marks[np.flatnonzero(at)[0]] = mark
    colours, ranks = np.zeros((6, 5), int), np.zeros((6, 11), int)
    for seat, told in lacks:
        colours[seat, ["bygrk".index(lack) for lack in told.split() if not lack.isdigit()]] = 1
        ranks[seat, [int(lack) - 1 for lack in told.split() if lack.isdigit()]] = 1
    return dealt(len(hands), **fields).arrange(
        **{
            "phase": PHASES[phase],
            "player": player,
            "leader": player if phase == "play" else -1,
            "trick": 60 // len(hands) - max(len(hand.split()) for hand in hands),
            "where": where,
            "passed_by": passed_by,
            "taken_at": taken_at,
            "colour_voids": colours,
            "rank_voids": ranks,
            **record,
        }
    )


def moon(spies=(4, 0, 0), shooter=0, **options):
    """A table of three at which a player has just taken all black cards; ``spies``: coloured 7s that each has taken."""
    black = [16 * (p == shooter) for p in range(3)]
    points = [5 * (black[p] - spies[p]) for p in range(3)]  # 16 black cards have 80
    game = laid_out("b3", "b2", "b1", black_taken=black, spies_taken=spies, points=points, **options)
    return game.play("b3 b2 b1")


COLOURLESS = "k1 k2 k3 y1 y2 y3 y4 y6 y8 y9 y10 y11 g1 g2 g3"
"""15 cards without blue, red, 5 and 7."""
BLACKS = "k11 k10 k9 k8 k7 k7 k7 k7 k7 k7 k6 k5 k4 k3 k2 k1"


def shooter(**options):
    """Return a table of three at which player_0 leads and has all black cards; the red 11 takes the first trick."""
    return Table(f"r1 r11 r10 r9 {BLACKS}", "b7 y7", "g7 r7", **options)


def shoot(game):
    """Play until player_0 of `shooter` has taken all tricks and with them all black cards."""
    for card in f"r11 {BLACKS} r10 r9 r1".split():
        game.play(card).first_legal(2)
    return game
