"""The reference implementation of Halunken & Spelunken: plain objects, no speed, nothing shared with the engine.

The rules are generators, which read from the first round to the last and yield a `Question` wherever a player decides.
The numbers in the comments (H1 .. D6) are those of the rules in `blackjacky_env/games/halunken/README.md`.
"""

from dataclasses import dataclass, field
from itertools import cycle
from typing import Literal, NamedTuple

from tests.reference.parts import AskingGame, Question, seat_of

Card = str
"""A rogue: a letter of `VALUES` and the value, such as `R15`."""
Movement = int | Literal["Rum"]

RUM = "Rum"
FIELDS = range(14)
NAMES = range(1, 8)
MOVEMENT = (*NAMES, RUM)  # H3
JACK_MOVEMENT = range(1, 13)  # J1
ROUNDS = range(8)  # J6
VALUES = {"R": (*range(4, 12), 15), "V": (*range(3, 12), 14), "G": (*range(2, 12), 13), "Y": range(1, 13)}  # H1
ROGUES = [f"{colour}{number}" for colour, numbers in VALUES.items() for number in numbers]
NUMBER = {card: number for number, card in enumerate(ROGUES)}
PREFERRED = "YGVR"  # J1
JACK = "black_jack"

# Actions
CARD, PASS, MOVE, NAME, TAKE, ROB = 14, 56, 57, 65, 72, 73


def value(card):
    return int(card[1:])


def score(crew):
    """C1: all values, and once more those of the colour that is there most often, the best if there are several."""
    colours = {colour: [] for colour in VALUES}
    for card in crew:
        colours[card[0]].append(value(card))
    most = max(map(len, colours.values()))
    return sum(map(sum, colours.values())) + max(sum(values) for values in colours.values() if len(values) == most)


@dataclass(eq=False)
class Figure:
    cards: list[Movement]
    """Not yet revealed; of Black Jack the top one first."""
    place: int | None = None
    choice: Movement | None = None
    """Chosen in secret."""
    laid: Movement | None = None
    number: Movement = 0
    """Fields still to move in this round."""
    spent: list[Movement] = field(default_factory=list)

    def reveal(self, card):
        self.cards.remove(card)
        self.spent.append(card)
        self.choice, self.laid = None, card


@dataclass(eq=False)
class Player:
    seat: int
    total: int = 0
    captain: Figure = field(default_factory=lambda: Figure([]))
    crew: list[Card] = field(default_factory=list)
    offer: Card | None = None


def cards(choice):
    return {CARD + NUMBER[card]: card for card in choice}


def movements(choice):
    return {MOVE + MOVEMENT.index(card): card for card in choice}


Name = int | str | None
"""A seat for a captain, or `JACK`."""


class Revealed(NamedTuple):
    """H4."""

    laid: list[Movement]


class JackStands(NamedTuple):
    """D4, D6: his card is cancelled."""

    for_whom: int | None
    overtakes: bool


class Landed(NamedTuple):
    """H6."""

    figure: Name
    card: Card | None
    met: Name


class Spared(NamedTuple):
    """H7, J4: the victim has too few cards."""

    overtaken: bool


class CountDecides(NamedTuple):
    """H7: by the other `rob_count` it would be otherwise."""


class BuyerMustBeRobbed(NamedTuple):
    """D5: there is nothing in the harbour."""


class NothingToTake(NamedTuple):
    """J3."""


class Pushed(NamedTuple):
    """H8."""

    fields: int
    before_moving: bool


class JackMoved(NamedTuple):
    """J4: the number that he was to move, and how far he came."""

    number: int
    fields: int


class Ended(NamedTuple):
    """Who led before the last round, and who has won."""

    led: list[int]
    won: list[int]


class ReferenceGame(AskingGame):
    """One table of Halunken & Spelunken. The caller supplies every deck."""

    def __init__(
        self, num_players, variant=None, *, rob_count="after_pick", three_games=False, duel_black_jack="captain"
    ):
        self.variant = variant or ("duel" if num_players == 2 else "standard")
        self.before_pick = rob_count == "before_pick"
        self.three_games = three_games
        self.duel_overtakes = duel_black_jack == "standard"
        self.players = [Player(seat) for seat in range(num_players)]
        self.duel = self.variant == "duel"
        self.with_jack = self.variant != "basic"
        self.jack_is_captain = self.duel and not self.duel_overtakes  # D4

    def start(self, start_player, deal):
        """Begin the first game; `deal(number)` gives its rogues, with `"black_jack_deck"` Black Jack's cards."""
        self.deal = deal
        self.start_player = self.players[start_player]
        self.last_game = None
        self.winners = []
        self.points = self.paid = [0] * len(self.players)
        self.rules = self._all_games()
        self.told = []
        self.happened = []
        self.question = next(self.rules)

    @property
    def figures(self):
        return [*(player.captain for player in self.players), self.jack]

    @property
    def laying(self):
        """The figures for whom a movement card is chosen: in a duel Black Jack's too (D3)."""
        return self.figures if self.duel else self.figures[:-1]

    def owner(self, figure):
        """For whom a figure acts; nobody has bought Black Jack: None."""
        if figure is self.jack:
            return self.buyer
        return next(player for player in self.players if player.captain is figure)

    def is_free(self, place):
        """H1."""
        return all(figure.place != place for figure in self.figures)

    def next_free(self, place):
        while not self.is_free(place):
            place = (place + 1) % len(FIELDS)
        return place

    def _all_games(self):
        """C1."""
        for number in range(3 if self.three_games else 1):
            self.game = number
            if number:
                self.start_player = self.clockwise(self.start_player)[1]
            yield from self._one_game()
            self.last_game = [score(player.crew) for player in self.players]
            for player, points in zip(self.players, self.last_game, strict=True):
                player.total += points
        self.winners = self._leaders([player.total for player in self.players])
        self.told.append(Ended(self.led, [player.seat for player in self.winners]))

    def _leaders(self, points):
        return [player for player in self.players if points[player.seat] == max(points)]

    def _one_game(self):
        self._set_up()
        yield from self._place_captains()
        self.first_opener = self.start_player  # H9
        if self.with_jack:
            yield from self._place_jack()
        self.last_buyer = None
        for number in ROUNDS:
            self.round = number
            self.led = [player.seat for player in self._leaders(self._count_points())]
            yield from self._one_round()

    def _set_up(self):
        """H1, H3, J1, D1."""
        deck = list(self.deal(self.game))
        assert sorted(deck) == sorted(ROGUES), "not the rogues of the game"
        self.taverns = [deck[place :: len(FIELDS)] for place in FIELDS]
        self.tops = [None for _ in FIELDS]
        self.harbour = []
        for player in self.players:
            player.captain, player.crew, player.offer = Figure(list(MOVEMENT)), [], None
        self.jack = Figure(list(self.deal(self.game, "black_jack_deck")) if self.with_jack else [])
        self.round = 0
        self.opener = None
        self.buyer = None
        self.bidder = None
        self.mover = None
        self.victim = None
        self.to_rob = []

    def _place_captains(self):
        """H2."""
        for player in self.clockwise(self.start_player):
            place = yield Question("place_captain", player, self._free_fields())
            player.captain.place = place
            player.crew.append(self.taverns[place].pop(0))
            self._happens("takes", player.captain, field=place, card=player.crew[0])
        self.tops = [tavern.pop(0) for tavern in self.taverns]

    def _free_fields(self):
        return {place: place for place in FIELDS if self.is_free(place)}

    def _place_jack(self):
        """J1."""
        cards = {player.crew[0]: player for player in self.players}
        lowest = min(cards, key=lambda card: (value(card), PREFERRED.index(card[0])))
        highest = min(cards, key=lambda card: (-value(card), PREFERRED.index(card[0])))
        self.jack.place = yield Question("place_black_jack", cards[lowest], self._free_fields())
        self.first_opener = cards[highest]

    def _one_round(self):
        self.opener = self.last_buyer or self.first_opener  # J2
        self.buyer = self.bidder = None
        for player in self.players:
            player.offer = None
        if self.with_jack:
            yield from self._hire()
        yield from self._choose()
        self._reveal()
        yield from self._name()
        yield from self._move_all()
        if self.with_jack and not self.jack_is_captain:
            yield from self._jack_overtakes()

    def _hire(self):
        yield from self._duel_auction() if self.duel else self._auction()
        if self.bidder is None:
            return
        self.buyer = self.last_buyer = self.bidder
        self.buyer.crew.remove(self.buyer.offer)
        self.harbour.append(self.buyer.offer)

    def _auction(self):
        """J2."""
        for player in self.clockwise(self.opener):
            yield from self._bid(player)

    def _duel_auction(self):
        """D2."""
        opener, other = self.clockwise(self.opener)
        if not (yield from self._bid(opener)):
            yield from self._bid(other)
            return
        turns = cycle((other, opener))
        while (yield from self._bid(next(turns))):
            pass

    def _bid(self, player):
        """Returns whether the player has made an offer."""
        offered = value(self.bidder.offer) if self.bidder else 0
        higher = cards(card for card in player.crew if value(card) > offered)
        card = yield Question("bid", player, {PASS: None, **higher})
        if card is None:
            return False
        self.bidder, player.offer = player, card
        return True

    def _choose(self):
        """H4, in the order of H9."""
        for player in self.clockwise(self.opener):
            if self.duel and player is self.buyer:  # D3
                self.jack.choice = yield Question("choose_for_black_jack", player, movements(self.jack.cards))
            player.captain.choice = yield Question("choose", player, movements(player.captain.cards))

    def _reveal(self):
        """H4: equal cards cancel each other."""
        for figure in self.laying:
            figure.reveal(figure.choice or figure.cards[0])  # D6: the top one, if nobody has chosen for Black Jack
            self._happens("reveals", figure, number=figure.laid)
        laid = [figure.laid for figure in self.laying]
        self.told.append(Revealed(laid))
        for figure in self.laying:
            figure.number = figure.laid if laid.count(figure.laid) == 1 else 0

    def _name(self):
        """H5, D3, D6."""
        barred = [figure.laid for figure in self.laying]
        for figure in self.laying:
            if figure.number == RUM:
                names = {NAME + number - 1: number for number in NAMES if number not in barred}
                figure.number = yield Question("name", self.owner(figure) or self.opener, names)

    def _move_all(self):
        """H6; D4: Black Jack among the captains, or after them."""
        for figure in self.laying:
            if not figure.number:
                self._stand(figure)
        captains = self.laying if self.jack_is_captain else self.figures[:-1]
        while moving := [figure for figure in captains if figure.number]:
            yield from self._move(min(moving, key=lambda figure: figure.number))

    def _stand(self, figure):
        """H6."""
        self._happens("takes", figure, field=figure.place, card=self._take_tavern_card(figure))
        if figure is self.jack:
            self.told.append(JackStands(seat_of(self.buyer), self.duel_overtakes))

    def _take_tavern_card(self, figure):
        """The figure's owner takes the card turned up where it stands; the next one is turned up."""
        card, hidden = self.tops[figure.place], self.taverns[figure.place]
        if card is None:
            return None
        owner = self.owner(figure)
        (owner.crew if owner else self.harbour).append(card)  # D6
        self.tops[figure.place] = hidden.pop(0) if hidden else None
        return card

    def _move(self, figure):
        """H6."""
        place = (figure.place + figure.number) % len(FIELDS)
        met = next((other for other in self.figures if other.place == place), None)
        number, figure.place, figure.number = figure.number, place, 0
        card = self._take_tavern_card(figure)
        self._happens("moves", figure, number=number, field=place, card=card)
        self.told.append(Landed(self._name_of(figure), card, self._name_of(met)))
        if met is None:
            return
        self._happens("lands_on", met)
        self.mover = figure
        if met is self.jack:
            yield from self._land_on_jack(figure, card)
        else:
            yield from self._land_on_captain(figure, self.owner(met), card)
        self.mover = None
        self._push(met)

    def _land_on_captain(self, figure, victim, card):
        """H7; D4: not if Black Jack works for that captain; D6: nor if he works for nobody."""
        owner = self.owner(figure)
        if owner is None:
            yield from self._give(victim)
        elif owner is not victim and self._may_rob(figure, victim, card):
            yield from self._rob(owner, victim)
        elif owner is not victim:
            self._happens("is_spared", victim.captain)

    def _may_rob(self, figure, victim, card):
        """H7, when the mover has taken this card from the tavern."""
        if not victim.crew:
            return False
        after_pick, most = len(self.owner(figure).crew), len(victim.crew)
        before_pick = after_pick - (card is not None)
        if before_pick <= most < after_pick:
            self.told.append(CountDecides())
        allowed = (before_pick if self.before_pick else after_pick) <= most
        if not allowed:
            self.told.append(Spared(overtaken=False))
        return allowed

    def _rob(self, robber, victim):
        """H7, J4: one card of his choice."""
        self.victim = victim
        card = yield Question("rob", robber, cards(victim.crew))
        victim.crew.remove(card)
        robber.crew.append(card)
        self.victim = None

    def _give(self, victim):
        """J5, D6."""
        if not victim.crew:
            return
        card = yield Question("give", victim, cards(victim.crew))
        victim.crew.remove(card)
        self.harbour.append(card)

    def _push(self, figure):
        """H8."""
        place, figure.place = figure.place, self.next_free(figure.place)
        self._happens("moves_on", figure, field=figure.place)
        self.told.append(Pushed((figure.place - place) % len(FIELDS), before_moving=bool(figure.number)))

    def _land_on_jack(self, figure, card):
        """J3; D5: in a duel the buyer's opponent may rob him instead."""
        player = self.owner(figure)
        if self.duel and self.buyer not in (None, player) and self._may_rob(figure, self.buyer, card):
            if not self.harbour:
                self.told.append(BuyerMustBeRobbed())
            if not self.harbour or (yield Question("take_or_rob", player, {TAKE: False, ROB: True})):
                yield from self._rob(player, self.buyer)
                return
        yield from self._take_from_harbour(player)

    def _take_from_harbour(self, player):
        """J3."""
        if not self.harbour:
            self.told.append(NothingToTake())
            return
        card = yield Question("take", player, cards(self.harbour))
        self.harbour.remove(card)
        player.crew.append(card)

    def _jack_overtakes(self):
        """J4, J5; D4 with `duel_black_jack="standard"`."""
        if not self.duel:
            self.jack.reveal(self.jack.cards[0])
        number = self.jack.number if self.duel else self.jack.laid
        self.jack.number = 0
        if not number:
            return
        self.to_rob = [player for player in self._overtaken(number) if player is not self.buyer]
        self.mover = self.jack
        while self.to_rob:
            yield from self._rob_or_give(self.to_rob[0])
            self.to_rob.pop(0)
        self.mover = None

    def _overtaken(self, number):
        """J4: Black Jack moves; returns the players whose captains he passes or is moved on from, in order."""
        left, self.jack.place = self.jack.place, None
        self.jack.place = self.next_free((left + number) % len(FIELDS))
        far = (self.jack.place - left) % len(FIELDS) or len(FIELDS)
        self.told.append(JackMoved(number, far))
        ahead = {(player.captain.place - left) % len(FIELDS): player for player in self.players}
        passed = [ahead[distance] for distance in sorted(ahead) if distance < far]
        for player in passed:
            self._happens("is_passed", player.captain)
        self._happens("overtakes", self.jack, number=number, field=self.jack.place)
        return passed

    def _rob_or_give(self, victim):
        """J4, J5."""
        if self.buyer is None:
            yield from self._give(victim)
        elif victim.crew and len(victim.crew) >= len(self.buyer.crew):
            yield from self._rob(self.buyer, victim)
        else:
            self._happens("is_spared", victim.captain)
            if victim.crew or self.buyer.crew:
                self.told.append(Spared(overtaken=True))

    def _happens(self, what, figure, **facts):
        self.happened.append({"what": what, "figure": self._name_of(figure), **facts})

    def step(self, action):
        before, self.told, self.happened = self.points, [], []
        self.answer(action)
        self.points = self._count_points()
        self.paid = [now - then for now, then in zip(self.points, before, strict=True)]

    def _count_points(self):
        """By seat: the score as it would be counted now, finished games included."""
        return [player.total + (0 if self.over else score(player.crew)) for player in self.players]

    def snapshot(self):
        return {
            "phase": self.phase,
            "player": self.player,
            "game": self.game,
            "round": self.round,
            "start_player": self.start_player.seat,
            **self._auction_seen(),
            "captains": [player.captain.place for player in self.players],
            "black_jack": self.jack.place,
            **self._rogues_seen(),
            **self._movement_seen(),
            "mover": self._name_of(self.mover),
            "victim": seat_of(self.victim),
            "to_rob": [player.seat for player in self.to_rob],
            "happened": list(self.happened),
            "scores": [score(player.crew) for player in self.players],
            "totals": [player.total for player in self.players],
            "last_game": self.last_game,
            "winners": [player.seat for player in self.winners],
        }

    def _auction_seen(self):
        return {
            "opener": seat_of(self.opener),
            "buyer": seat_of(self.buyer),
            "offers": [player.offer for player in self.players],
            "bidder": seat_of(self.bidder),
        }

    def _rogues_seen(self):
        taverns = zip(self.tops, self.taverns, strict=True)
        return {
            "taverns": [{"top": top, "hidden": list(hidden)} for top, hidden in taverns],
            "crews": [sorted(player.crew, key=NUMBER.__getitem__) for player in self.players],
            "harbour": sorted(self.harbour, key=NUMBER.__getitem__),
        }

    def _movement_seen(self):
        captains = [player.captain for player in self.players]
        return {
            "spent": [in_order(captain.spent) for captain in captains],
            "black_jack_spent": in_order(self.jack.spent),
            "black_jack_deck": list(self.jack.cards),
            "choices": [captain.choice for captain in captains],
            "black_jack_choice": self.jack.choice,
            "laid": [captain.laid for captain in captains],
            "black_jack_laid": self.jack.laid,
            "numbers": [captain.number for captain in captains],
            "black_jack_number": self.jack.number,
        }

    def _name_of(self, figure):
        if figure is None:
            return None
        return JACK if figure is self.jack else seat_of(self.owner(figure))

    def view(self, seat):
        """The snapshot as the player on this seat may know it; None: a spectator."""
        seen = self.snapshot()
        seen["taverns"] = [{**tavern, "hidden": len(tavern["hidden"])} for tavern in seen["taverns"]]
        seen["black_jack_deck"] = len(seen["black_jack_deck"])
        seen["choices"] = [shown(card, seat == owner) for owner, card in enumerate(seen["choices"])]
        seen["black_jack_choice"] = shown(seen["black_jack_choice"], seat is not None and seat == seen["buyer"])
        return seen


def in_order(cards):
    """From the lowest to Rum."""
    return sorted(cards, key=lambda card: 99 if card == RUM else card)


def shown(card, mine):
    """A secret choice as its owner sees it, or another."""
    return card if mine or card is None else "hidden"
