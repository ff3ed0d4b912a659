"""The reference implementation of Black Spy: plain objects, no speed, nothing shared with the engine.

The rules are generators, which read from the first deal to the last and yield a `Question` wherever a player decides.
The numbers in the comments (B1 .. O4) are those of the rules in `blackjacky_env/games/black_spy/README.md`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from tests.reference.parts import AskingGame, Question, seat_of

Card = str
"""Colour and number, such as `red 1`. The six black 7s look alike."""

BLACK = "black"
COLOURS = ("blue", "yellow", "green", "red")
NUMBERS = range(1, 12)
KINDS = [f"{colour} {number}" for colour in (*COLOURS, BLACK) for number in NUMBERS]
ACTION = {card: action for action, card in enumerate(KINDS)}
COLOUR = {card: card.split()[0] for card in KINDS}
NUMBER = {card: int(card.split()[1]) for card in KINDS}
BLACK_SPY, RED_STAR = "black 7", "red 1"
GOOD_SPIES = tuple(f"{colour} 7" for colour in COLOURS)
ALL_CARDS = [*KINDS, *[BLACK_SPY] * 5]  # B1
ALL_BLACK = 16

LIMITS = {3: 200, 4: 150, 5: 120, 6: 100}  # B9
MOON = 60  # B8
SEATS_AWAY = {"left": 1, "right": -1, "across": 2}
CYCLES = {
    "left_right_across": ("left", "right", "across"),
    "left_across_right": ("left", "across", "right"),
    "left": ("left",),
}  # B3

# Actions beside the cards
CALL, OTHERS, MYSELF = 55, 59, 60


def value(card):
    """B7: a good spy's as it is without V1 and V2."""
    number = NUMBER[card]
    if COLOUR[card] != BLACK:
        return -5 if number == 7 else 0
    if number < 7:
        return 1
    return 10 if number == 7 else number - 6


def in_order(cards):
    """As hands are written down."""
    return sorted(cards, key=ACTION.__getitem__)


@dataclass(eq=False)
class Player:
    seat: int
    total: int = 0
    hand: list[Card] = field(default_factory=list)
    chosen: list[Card] = field(default_factory=list)
    """To be passed; still in the hand."""
    passed: list[Card] = field(default_factory=list)
    received: list[Card] = field(default_factory=list)
    left: list[Card] = field(default_factory=list)
    """In the mole's pile, for those who took after this player."""
    played: list[Card] = field(default_factory=list)
    lacks: set[str | int] = field(default_factory=set)
    """Colours and numbers of which everybody knows that the player has none."""
    tricks: list[Card] = field(default_factory=list)
    black_taken: int = 0
    good_spies_taken: int = 0
    points: int = 0

    def clear(self):
        """Put everything back that belongs to one deal only."""
        vars(self).update(vars(Player(self.seat, self.total)))

    def has(self, colour_or_number):
        return any(colour_or_number in (COLOUR[card], NUMBER[card]) for card in self.hand)

    def without_chosen(self):
        """O2: what may still be chosen."""
        rest = list(self.hand)
        for card in self.chosen:
            rest.remove(card)
        return rest


def cards(choice):
    return {ACTION[card]: card for card in choice}


class LastThree(NamedTuple):
    """V3: the last player got them without a decision."""


class Passed(NamedTuple):
    """B3: the cards that have been passed."""

    cards: list[Card]


class Skipped(NamedTuple):
    """V4: so many players do not have the colour called."""

    players: int


class NothingButBlack(NamedTuple):
    """O4."""


class LastNumberPlayed(NamedTuple):
    """V5: a card that is legal for this reason only; there was no other kind of legal card: `forced`."""

    forced: bool


class Trick(NamedTuple):
    """B6: all its cards and the one that has won."""

    played: list[Card]
    best: Card


class Moon(NamedTuple):
    """B8."""

    good_spies_score: bool


class Halved(NamedTuple):
    """V6."""


class Ended(NamedTuple):
    """B9."""

    limit_reached: bool


class ReferenceGame(AskingGame):
    """One table of Black Spy. The caller supplies every deck."""

    def __init__(
        self,
        num_players,
        variant="classic",
        *,
        no_good_spies=False,
        moon_choice=False,
        moon_choice_spies="moon_deal_only",
        mole=False,
        mole_replaces_pass=False,
        call_colour=False,
        call_timing="after_pass",
        rank_follow=False,
        rank_follow_strict=False,
        exact_limit=False,
        pass_cycle="left_right_across",
        opener="red_star",
        max_deals=50,
    ):
        self.options = {name: given for name, given in locals().items() if name not in ("self", "variant")}
        self.no_good_spies = no_good_spies
        self.moon_choice = moon_choice
        self.good_spies_score = not (no_good_spies or (moon_choice and moon_choice_spies == "never_scored"))
        self.mole = mole
        self.mole_replaces_pass = mole_replaces_pass
        self.call_timing = call_timing if call_colour else None
        self.rank_follow = rank_follow
        self.strict = rank_follow and rank_follow_strict
        self.exact_limit = exact_limit
        self.cycle = [way for way in CYCLES[pass_cycle] if way != "across" or num_players == 4]
        self.star_opens = opener == "red_star" and not call_colour
        self.max_deals = max_deals
        self.limit = LIMITS[num_players]
        self.players = [Player(seat) for seat in range(num_players)]

    def start(self, start_player, deal):
        """Begin the first deal, with this player left of the dealer; `deal(number)` gives all its cards, top first."""
        self.deck = deal
        self.deal = 0
        self.dealer = self.clockwise(self.players[start_player])[-1]
        self.last_deal = None
        self.winners = []
        self.paid = [0] * len(self.players)
        self.told = []
        self.rules = self._all_deals()
        self.question = next(self.rules)

    @property
    def from_left_of_dealer(self):
        after_the_dealer = self.dealer.seat + 1
        return self.players[after_the_dealer:] + self.players[:after_the_dealer]

    def receiver(self, player):
        """B3: to whom this player passes in this deal."""
        return self.players[(player.seat + SEATS_AWAY[self.pass_to]) % len(self.players)]

    def _all_deals(self):
        while True:
            self._deal_cards()
            yield from self._before_the_tricks()
            yield from self._all_tricks()
            self.last_deal = yield from self._points_of_the_deal()
            self._score()
            if self._is_last_deal():
                break
            self.deal += 1
            self.dealer = self.from_left_of_dealer[0]  # B2
        for player in self.players:
            player.left = []  # O3: forgotten
        lowest = min(player.total for player in self.players)
        self.winners = [player for player in self.players if player.total == lowest]  # B9

    def _deal_cards(self):
        """B2, V3: all cards, one at a time; from the second deal on the first ones are the mole's pile."""
        self.with_pile = self.mole and self.deal > 0
        self.pass_to = self._direction()
        deck, num_players = self.deck(self.deal), len(self.players)
        assert in_order(deck) == in_order(ALL_CARDS), "not the cards of Black Spy"
        laid_aside = 3 * num_players if self.with_pile else 0
        self.pile, dealt = in_order(deck[:laid_aside]), deck[laid_aside:]
        for place, player in enumerate(self.from_left_of_dealer):
            player.clear()
            player.hand = in_order(dealt[place::num_players])
        self.called = None
        self.leader = None
        self.red_star = None
        self.trick = self.picks = 0
        self.table = []

    def _direction(self):
        """B3, V3: in which cards are passed in this deal."""
        if self.with_pile and self.mole_replaces_pass:
            return None
        return self.cycle[self.deal % len(self.cycle)]

    def _before_the_tricks(self):
        """O1."""
        if self.with_pile:
            yield from self._take_from_pile()
        if self.call_timing == "before_pass":
            yield from self._call()
        if self.pass_to:
            yield from self._pass()
        if self.call_timing == "after_pass":
            yield from self._call()

    def _take_from_pile(self):
        """V3, O3: three each; the last player gets the last three."""
        *takers, last = sorted(self.from_left_of_dealer, key=lambda player: -player.total)
        for player in takers:
            for self.picks in range(3):
                card = yield Question("take", player, cards(self.pile))
                self.pile.remove(card)
                player.hand = in_order([*player.hand, card])
            player.left = list(self.pile)
        self.picks = 0
        last.hand = in_order([*last.hand, *self.pile])
        self.pile = []
        self.told.append(LastThree())

    def _call(self):
        """V4."""
        self.called = yield Question("call", self.dealer, dict(enumerate(COLOURS, CALL)))

    def _pass(self):
        """B3, O2: one player chooses after the other, then all cards move together."""
        for player in self.from_left_of_dealer:
            for self.picks in range(3):
                card = yield Question("pass", player, cards(player.without_chosen()))
                player.chosen = in_order([*player.chosen, card])
        self.picks = 0
        for player in self.players:
            player.hand = player.without_chosen()
            self.receiver(player).received = player.passed = player.chosen
            player.chosen = player.left = []  # O3: what was left in the pile is forgotten
        for player in self.players:
            player.hand = in_order([*player.hand, *player.received])
        self.told.append(Passed([card for player in self.players for card in player.passed]))

    def _all_tricks(self):
        self.leader = self._first_leader()
        while self.leader.hand:
            for player in self.clockwise(self.leader):
                card = yield Question("play", player, cards(self._playable(player)))
                self._play(player, card)
            self._end_trick()

    def _first_leader(self):
        """B4, V4."""
        players = self.from_left_of_dealer
        if self.star_opens:
            self.red_star = next(player for player in players if RED_STAR in player.hand)
            return self.red_star
        if not self.called:
            return players[0]
        while not players[0].has(self.called):
            players.pop(0).lacks.add(self.called)
        if len(players) < len(self.players):
            self.told.append(Skipped(len(self.players) - len(players)))
        return players[0]

    def _playable(self, player):
        if self.table:
            return self._follow(player.hand)
        return self._lead(player.hand) if self.trick == 0 else player.hand

    def _lead(self, hand):
        """The first trick of a deal: V4; B4, O4."""
        if self.called:
            return [card for card in hand if COLOUR[card] == self.called]
        return [card for card in hand if COLOUR[card] != BLACK] or hand

    def _follow(self, hand):
        """B5, V5."""
        follows = [card for card in hand if self._follows_first(card)]
        last = [card for card in hand if self._follows_last(card)]
        if follows or self.strict:
            return [*follows, *last] or hand
        return hand

    def _follows_first(self, card):
        """B5."""
        led = self.table[0][1]
        return COLOUR[card] == COLOUR[led] or NUMBER[card] == NUMBER[led]

    def _follows_last(self, card):
        """V5."""
        return self.rank_follow and NUMBER[card] == NUMBER[self.table[-1][1]]

    def _play(self, player, card):
        """O3: a card may tell what its player does not have."""
        if self.table:
            self._note_lack(player, card)
        elif COLOUR[card] == BLACK and self.trick == 0:
            self.told.append(NothingButBlack())
        player.hand.remove(card)
        player.played = in_order([*player.played, card])
        self.table.append((player, card))
        if card == RED_STAR:
            self.red_star = None

    def _note_lack(self, player, card):
        if self._follows_first(card):
            return
        if self._follows_last(card):
            self._tell_of_last_number(player)
            return
        led, last = self.table[0][1], self.table[-1][1]
        player.lacks |= {COLOUR[led], NUMBER[led]}
        if self.strict:
            player.lacks.add(NUMBER[last])

    def _tell_of_last_number(self, player):
        legal = self._playable(player)
        forced = not any(self._follows_first(card) for card in legal)
        if len(legal) < len(player.hand):
            self.told.append(LastNumberPlayed(forced))

    def _end_trick(self):
        """B6: `max` finds the first of several black 7s."""
        led = COLOUR[self.table[0][1]]
        following = [(player, card) for player, card in self.table if COLOUR[card] == led]
        winner, best = max(following, key=lambda entry: NUMBER[entry[1]])
        trick = [card for _, card in self.table]
        winner.tricks += trick
        winner.black_taken += sum(COLOUR[card] == BLACK for card in trick)
        winner.good_spies_taken += sum(card in GOOD_SPIES for card in trick)
        winner.points = sum(self._value(card) for card in winner.tricks)
        self.told.append(Trick(trick, best))
        self.table, self.leader = [], winner
        self.trick += 1

    def _value(self, card):
        """B7, V1, V2."""
        return 0 if card in GOOD_SPIES and not self.good_spies_score else value(card)

    def _points_of_the_deal(self):
        """By seat: B7; with a moon B8, V1, V2."""
        shooter = next((player for player in self.players if player.black_taken == ALL_BLACK), None)
        if shooter is None:
            return [player.points for player in self.players]
        self.told.append(Moon(self.good_spies_score))
        if not self.moon_choice:
            spy = 0 if self.no_good_spies else 5
            return [0 if player is shooter else MOON - spy * player.good_spies_taken for player in self.players]
        myself = yield Question("choose", shooter, {OTHERS: False, MYSELF: True})
        mine, others = (-MOON, 0) if myself else (0, MOON)
        return [mine if player is shooter else others for player in self.players]

    def _score(self):
        """B9, V6."""
        before = [player.total for player in self.players]
        for player, points in zip(self.players, self.last_deal, strict=True):
            player.total += points
            if self.exact_limit and player.total == self.limit:
                player.total //= 2
                self.told.append(Halved())
        self.paid = [then - player.total for player, then in zip(self.players, before, strict=True)]

    def _is_last_deal(self):
        """B9, V6: a total that is exactly the limit has been halved."""
        limit_reached = any(player.total >= self.limit for player in self.players)
        last = limit_reached or self.deal + 1 == self.max_deals
        if last:
            self.told.append(Ended(limit_reached))
        return last

    def step(self, action):
        self.paid, self.told = [0] * len(self.players), []
        self.answer(action)

    def snapshot(self):
        return {
            "phase": self.phase,
            "player": self.player,
            "deal": self.deal,
            "dealer": self.dealer.seat,
            "pass_to": self.pass_to,
            "called": self.called,
            "leader": seat_of(self.leader),
            "trick": self.trick,
            "red_star": seat_of(self.red_star),
            **self._cards_seen(),
            "black_taken": [player.black_taken for player in self.players],
            "good_spies_taken": [player.good_spies_taken for player in self.players],
            "points": [player.points for player in self.players],
            "totals": [player.total for player in self.players],
            "last_deal": self.last_deal,
            "winners": [player.seat for player in self.winners],
        }

    def _cards_seen(self):
        players = self.players
        return {
            "hands": [list(player.hand) for player in players],
            "chosen": [player.chosen for player in players],
            "passed": [player.passed for player in players],
            "received": [player.received for player in players],
            "pile": list(self.pile),
            "left": [player.left for player in players],
            "table": [[player.seat, card] for player, card in self.table],
            "played": [player.played for player in players],
            "lacks": [sorted_lacks(player.lacks) for player in players],
        }

    def view(self, seat):
        """The snapshot as the player on this seat may know it; None: a spectator."""
        seen = self.snapshot()
        for secret in ("hands", "chosen", "passed", "received", "left"):
            seen[secret] = [kept if owner == seat else len(kept) for owner, kept in enumerate(seen[secret])]
        if self.phase != "take" or seat != self.player:
            seen["pile"] = len(seen["pile"])
        return seen


def sorted_lacks(lacks):
    """Colours first, as in the order of the cards."""
    return [each for each in (*COLOURS, BLACK, *NUMBERS) if each in lacks] if lacks else []
