"""Lists of all deals that a player of Black Spy must believe possible (O3), made from what the player sees alone.

The lists are of the physical cards, the six black 7s told apart: several of them look alike, and that many times as
often such a deal must come.
"""

from collections import Counter
from itertools import chain, combinations, product
from typing import NamedTuple

from tests.games.black_spy.rigging import DECK, KINDS, PICKS, cards_of

PHASES = ("take", "call", "pass", "play", "choose", "over")
PILE = "pile"
Place = int | str


class Card(NamedTuple):
    """A card that the player does not see, and where it may be."""

    name: str
    places: frozenset[Place]
    left: bool
    """Whether the player has left it in the mole's pile."""


class Listing:
    """All deals that fit what a player sees: the parts of the observation."""

    def __init__(self, seen):
        self.seen = seen
        self.n = seen["num_players"]
        self.others = range(1, self.n)
        self.phase = PHASES[seen["phase"].index(1)]
        self.asked = seen["to_act"].index(1) if any(seen["to_act"]) else None
        self.mole = bool(seen["mole"] and seen["deal"] > 0)
        self.before_passing = self.phase in ("take", "pass") or (self.phase == "call" and seen["call_timing"] == 1)
        first = (seen["dealer"].index(1) + 1) % self.n
        taking = sorted(range(self.n), key=lambda q: (-seen["totals"][q], (q - first) % self.n))
        self.place = {q: place for place, q in enumerate(taking)}
        self.passing = {q: (q - first) % self.n for q in range(self.n)}

    def taken(self, q):
        """V3: cards that q has taken from the pile so far."""
        return self.done(q, self.place) if self.phase == "take" else PICKS

    def chosen(self, q):
        """O2: cards that q has chosen to pass so far."""
        return self.done(q, self.passing) if self.phase == "pass" else 0

    def done(self, q, order):
        """Cards chosen so far by q, where players choose in this order."""
        if q == self.asked:
            return int(self.seen["picks"])
        return PICKS if order[q] < order[self.asked or 0] else 0

    def held(self, q):
        count = 60 // self.n - self.seen["trick"] - (self.seen["table"][q] > 0)
        return count - PICKS + self.taken(q) if self.mole else count

    def in_pile(self):
        """Cards in a pile that the player does not see."""
        unseen = self.mole and self.phase == "take" and self.asked != 0
        return PICKS * self.n - sum(map(self.taken, range(self.n))) if unseen else 0

    @property
    def has_left(self):
        """Whether the player remembers what it has left in the pile."""
        remembered = self.mole and self.phase != "over" and (self.before_passing or self.seen["pass_to"] == 0)
        return remembered and (self.phase != "take" or self.place[0] < self.place[self.asked])

    @property
    def later(self):
        """The players who took from the pile, or will, after this one."""
        return [q for q in self.others if self.place[q] > self.place[0]]

    def unseen(self):
        seen, known = self.seen, self.known()
        gone = Counter(cards_of(seen["my_hand"]))
        gone += Counter(card for card, who in zip(KINDS, seen["played"], strict=True) if who)
        gone += Counter({"k7": sum(seen["black_7s_played"])})
        if self.before_passing:
            gone += Counter(cards_of(seen["passed"]))
        if self.phase == "take" and self.asked == 0:
            gone += Counter(cards_of(seen["pile"]))
        rest, left = Counter(DECK) - gone, self.left()
        cards = []
        for name in rest.elements():
            if known[name]:
                where, mine = {known[name].pop()}, False
            else:
                mine = left[name] > 0
                left[name] -= mine
                where = self.allowed(name, mine)
            cards.append(Card(name, frozenset(where), mine))
        return cards

    def known(self):
        """Cards that are known to be with a player, as often as they are."""
        known = {name: [] for name in KINDS}
        if not self.before_passing and self.seen["pass_to"]:
            for name in cards_of(self.seen["passed"]):
                known[name].append(self.seen["pass_to"])
        star = self.seen["red_star"].index(1) if any(self.seen["red_star"]) else 0
        if star:
            known["r1"] = [star]
        return known

    def left(self):
        """Cards left in the pile that nobody has played since, as far as the player can tell."""
        if not self.has_left:
            return Counter()
        left = Counter(cards_of(self.seen["pile"]))
        left["k7"] = max(0, left["k7"] - self.black_7s_played_later())
        return left

    def black_7s_played_later(self):
        return sum(self.seen["black_7s_played"][q] for q in self.later)

    def allowed(self, name, left):
        colour, rank = "bygrk".index(name[0]), int(name[1:]) - 1
        seats = self.later if left else self.others
        able = {q for q in seats if not self.seen["colour_voids"][q][colour] and not self.seen["rank_voids"][q][rank]}
        return able | {PILE} if self.in_pile() and (left or not self.has_left) else able

    def assignments(self):
        """The unseen cards, and a place for each, in every way that fits."""
        cards = self.unseen()
        room = {**{q: self.held(q) for q in self.others}, PILE: self.in_pile()}
        assert sum(room.values()) == len(cards)
        for places in placed(cards, room):
            if self.three_each(cards, places):
                yield cards, places

    def three_each(self, cards, places):
        """O3: whether everybody later has taken three of the cards left, if all of them can still be told."""
        if not self.has_left or (self.seen["pile"][KINDS.index("k7")] and self.black_7s_played_later()):
            return True
        mine = [name for name in cards_of(self.seen["pile"]) if name != "k7"]
        taken = Counter(place for card, place in zip(cards, places, strict=True) if card.left)
        taken.update(self.seen["played"][KINDS.index(name)] - 1 for name in mine)
        return all(taken[q] == self.taken(q) for q in self.later)

    def deals(self):
        """How many assignments of the physical cards look like each deal."""
        found = Counter()
        for cards, places in self.assignments():
            held = {q: [] for q in (*self.others, PILE)}
            for card, place in zip(cards, places, strict=True):
                held[place].append(card.name)
            for chosen in product(*(combinations(range(len(held[q])), self.chosen(q)) for q in self.others)):
                picked = ([held[q][i] for i in some] for q, some in zip(self.others, chosen, strict=True))
                found[tuple(tuple(sorted(part)) for part in chain(held.values(), picked))] += 1
        return found


def placed(cards, room):
    """A place for each card, in every way that fills all places."""
    if not cards:
        yield ()
        return
    for place in cards[0].places:
        if room[place]:
            for others in placed(cards[1:], {**room, place: room[place] - 1}):
                yield place, *others
