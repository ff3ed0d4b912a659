"""The reference implementation of Black Jacky: plain objects, no speed, nothing shared with the engine.

The numbers in the comments (R1, T3, S2, ...) are those of the rules in `blackjacky_env/games/black_jacky/README.md`.
"""

from dataclasses import dataclass, field
from itertools import combinations

Cards = list[int]

NO_TRICK = 0
CHOOSE_TWO = 9  # .. 23: a 3 and two relative seats
PUT_PLUS_ONE = 24  # .. 29: a 6 and one relative seat
DRAW = 30
SWAP_WITH_DRAW_PILE = 30  # + value
SWAP_WITH_DISCARD_PILE = 38  # + value
KNOCK = 47
GIVE = 47  # + value
TIP = 55  # + relative seat
PAIRS = list(combinations(range(6), 2))


@dataclass
class Player:
    seat: int
    hearts: int
    black_heart: bool = False
    status: str = "saloon"
    hand: Cards = field(default_factory=list)
    display: Cards = field(default_factory=list)
    knocked: bool = False
    tip: int | None = None

    @property
    def in_saloon(self):
        return self.hearts > 0  # R5

    @property
    def active(self):
        return self.in_saloon and not self.knocked  # R6

    def tenths(self, plus_one):
        """S1: the sum of hand and laid-out cards in tenths; laid 5s count 0 (T5), laid 8s 8.1 (T8)."""
        laid = sum({5: 0, 8: 81}.get(value, 10 * value) for value in self.display)
        return 10 * sum(self.hand) + laid + (10 if plus_one else 0)

    def clear(self):
        self.hand, self.display, self.knocked, self.tip = [], [], False, None


class Known:
    """What every observer is sure of: `known[observer][holder][value]`, observer None is a spectator."""

    def __init__(self, num_players):
        self.seats = range(num_players)
        self.observers = [*self.seats, None]
        self.forget()

    def __getitem__(self, observer):
        return self._counts[observer]

    def forget(self):
        """A new deal clears all."""
        self._counts = {observer: [[0] * 9 for _ in self.seats] for observer in self.observers}

    def seen(self, holder, value):
        """Everybody saw the holder take this card."""
        for observer in set(self.observers) - {holder}:
            self._counts[observer][holder][value] += 1

    def gone(self, holder, value):
        """Everybody saw this card leave the holder's hand."""
        for observer in set(self.observers) - {holder}:
            self._less(observer, holder, value)

    def exchanged(self, a, x, b, y):
        """Player a gave x and b gave y; to others each of them may have given any card."""
        for observer in set(self.observers) - {a, b}:
            self._less(observer, a, *range(1, 9))
            self._less(observer, b, *range(1, 9))
        self._less(a, b, y)
        self._less(b, a, x)
        self._counts[a][b][x] += 1
        self._counts[b][a][y] += 1

    def _less(self, observer, holder, *values):
        counts = self._counts[observer][holder]
        for value in values:
            counts[value] = max(0, counts[value] - 1)


@dataclass
class Exchange:
    """A trick 3 that waits for its cards; `pair` and `given` stand in the order of giving."""

    trickster: int
    pair: list[int]
    given: list[int | None] = field(default_factory=lambda: [None, None])


class ReferenceGame:
    """One table of Black Jacky. The caller supplies every deck and every reshuffled draw pile."""

    def __init__(
        self,
        num_players,
        variant="classic",
        *,
        max_card=8,
        bust_at=21,
        hand_size=2,
        hearts=None,
        tricks=(1, 2, 3, 4, 5, 6, 7, 8),
        max_turns_per_round=100,
    ):
        if hearts is None:
            hearts = 3 if num_players <= 3 else 2  # R2
        self.variant = variant
        self.max_card = max_card
        self.cards = [value for value in range(1, max_card + 1) for _ in range(value)]  # R1
        self.bust_at = bust_at
        self.hand_size = hand_size
        self.tricks = set(tricks)
        self.max_turns = max_turns_per_round
        self.first_hearts = hearts
        self.players = [Player(seat, hearts) for seat in range(num_players)]
        self.known = Known(num_players)
        self.reshuffle = list

    def start(self, start_player, deal):
        """Begin the first round (R3); `deal(round)` gives all cards of a round, top first."""
        self.deal = deal
        self.round = 0
        self.start_player = start_player
        self.last_settlement = None
        self.over = False
        self.winners = []
        self.player = start_player
        self.paid = [0] * len(self.players)
        self._begin_round()

    def clockwise(self, seat):
        return self.players[seat:] + self.players[:seat]

    def saloon(self):
        return [player for player in self.players if player.in_saloon]

    def _send_home(self):
        for player in self.players:
            if not player.in_saloon:
                player.status = "out"

    def next_in_saloon(self, seat):
        return next(player.seat for player in self.clockwise(seat)[1:] if player.in_saloon)

    def relative(self, seat):
        """The player who sits so many seats to the left of the one who acts."""
        return self.clockwise(self.player)[seat]

    @property
    def actor(self):
        assert self.player is not None, "the game is over"
        return self.players[self.player]

    @property
    def turn_player(self):
        """Whose turn it is; in an exchange that of the player who laid the 3."""
        if self.exchange is not None:
            return self.exchange.trickster
        return self.player if self.phase in {"trick", "zock"} else None

    def _begin_round(self):
        for player in self.players:
            player.clear()
        self.draw_pile = []
        self.discards = []  # top last
        self.plus_one = None  # S3d
        self.first_knocker = None
        self.last_turns = None
        self.ends_after_turn = False
        self.exchange = None
        self.turn = 0
        self.known.forget()
        self._tip_or_deal()

    def _tip_or_deal(self):
        for player in self.clockwise(self.start_player):  # P2
            if player.status == "wanted" and player.tip is None:
                self.phase, self.player = "tip", player.seat
                return
        self._deal()

    def _deal(self):
        """R4: cards go one at a time clockwise from the start player, then one is turned up."""
        deck = list(self.deal(self.round))
        assert sorted(deck) == self.cards, "a deck must hold all cards"
        for _ in range(self.hand_size):
            for player in self.clockwise(self.start_player):
                if player.in_saloon:
                    player.hand.append(deck.pop(0))
        self.discards = [deck.pop(0)]
        self.draw_pile = deck
        self.phase, self.player = "trick", self.start_player

    def _finish_turn(self):
        self.turn += 1
        if self.last_turns and self.player in self.last_turns:
            self.last_turns.remove(self.player)
        all_had_their_last_turn = self.last_turns == []  # R12
        limit_reached = self.turn == self.max_turns  # R15
        if self.ends_after_turn or all_had_their_last_turn or limit_reached:
            self._settle()
        else:
            self.phase, self.player = "trick", self.next_in_saloon(self.actor.seat)

    def legal_actions(self):
        if self.phase == "tip":
            return {TIP + seat for seat in range(1, len(self.players)) if self.relative(seat).in_saloon}  # P1
        if self.phase == "trick":
            return self._legal_tricks()
        if self.phase == "exchange":
            return {GIVE + value for value in self.actor.hand}
        if self.phase == "zock":
            return self._legal_zocks()
        return set()

    def _legal_tricks(self):
        actions = {NO_TRICK}  # R8
        for value in self.tricks.intersection(self.actor.hand):
            if value == 3:
                actions |= self._legal_pairs() or {value}
            elif value == 6:
                actions |= self._legal_places_of_plus_one() or {value}
            else:
                actions.add(value)  # R9
        return actions

    def _legal_pairs(self):
        """T3: two active players with a hand card, counted after the 3 was laid."""
        seats = enumerate(self.clockwise(self.actor.seat))
        able = {seat for seat, player in seats if player.active and len(player.hand) > (player is self.actor)}
        return {CHOOSE_TWO + number for number, pair in enumerate(PAIRS) if able.issuperset(pair)}

    def _legal_places_of_plus_one(self):
        """T6: any active player, unless the card lies before one who has knocked."""
        if self.plus_one is not None and not self.players[self.plus_one].active:
            return set()
        return {PUT_PLUS_ONE + seat for seat in range(len(self.players)) if self.relative(seat).active}

    def _legal_zocks(self):
        hand = self.actor.hand
        actions = {KNOCK} | {SWAP_WITH_DISCARD_PILE + value for value in hand}  # R10, R11
        if self._can_draw():
            actions |= {DRAW} | {SWAP_WITH_DRAW_PILE + value for value in hand}
        return actions

    def step(self, action):
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal in phase {self.phase}")
        self.paid = [0] * len(self.players)
        if self.phase == "tip":
            self.actor.tip = self.relative(action - TIP).seat
            self._tip_or_deal()
        elif self.phase == "trick":
            self._trick(action)
        elif self.phase == "exchange":
            self._give(action - GIVE)
        else:
            self._zock(action)

    def _trick(self, action):
        self.phase = "zock"
        if action == NO_TRICK:
            return
        value = _card_of(action)
        self.actor.hand.remove(value)
        self.actor.display.append(value)
        self.known.gone(self.actor.seat, value)
        if value == 1:
            self.ends_after_turn = True  # T1
        elif value == 2:
            for player in self.players:
                player.knocked = False
            self.first_knocker = self.last_turns = None  # T2: as if nobody had knocked
        elif value == 3 and action != 3:
            self._choose_two(PAIRS[action - CHOOSE_TWO])
        elif value == 4:
            self._next_active_player_draws()
        elif value == 6 and action != 6:
            self.plus_one = self.relative(action - PUT_PLUS_ONE).seat  # T6
        elif value == 7 and self._can_draw():  # T7: the top of the draw pile goes face up on the discard pile
            self.discards.append(self._take_from_draw_pile())
        # T5 and T8 are reckoned at settlement

    def _choose_two(self, pair):
        """T3: the trickster gives first if chosen, else the nearer clockwise from him."""
        first, second = (self.relative(seat).seat for seat in pair)
        self.exchange = Exchange(self.actor.seat, [first, second])
        self.phase, self.player = "exchange", first

    def _next_active_player_draws(self):
        """T4: the next active player clockwise, at last the trickster himself."""
        if not self._can_draw():
            return  # R14
        others_first = [*self.clockwise(self.actor.seat)[1:], self.actor]
        next_active = next(player for player in others_first if player.active)
        next_active.hand.append(self._take_from_draw_pile())

    def _give(self, value):
        exchange = self.exchange
        exchange.given[exchange.pair.index(self.actor.seat)] = value
        if None in exchange.given:
            self.player = exchange.pair[1]
            return
        self.exchange = None
        self.phase, self.player = "zock", exchange.trickster
        a, b = (self.players[seat] for seat in exchange.pair)
        x, y = exchange.given
        a.hand.remove(x)
        b.hand.remove(y)
        a.hand.append(y)
        b.hand.append(x)
        self.known.exchanged(a.seat, x, b.seat, y)

    def _zock(self, action):
        if action == DRAW:
            self.actor.hand.append(self._take_from_draw_pile())
        elif action == KNOCK:
            self._knock()
        elif action <= SWAP_WITH_DISCARD_PILE:
            self._swap(action - SWAP_WITH_DRAW_PILE, from_discard_pile=False)
        else:
            self._swap(action - SWAP_WITH_DISCARD_PILE, from_discard_pile=True)
        self._finish_turn()

    def _swap(self, old, from_discard_pile):
        """R10: the old card is set aside, a new one taken, then the old one is discarded."""
        me = self.actor
        me.hand.remove(old)
        self.known.gone(me.seat, old)
        new = self.discards.pop() if from_discard_pile else self._take_from_draw_pile()
        me.hand.append(new)
        if from_discard_pile:
            self.known.seen(me.seat, new)
        self.discards.append(old)

    def _knock(self):
        """R12: the first knock gives every other player in the saloon exactly one more turn."""
        self.actor.knocked = True
        if self.first_knocker is None:
            self.first_knocker = self.actor.seat
            self.last_turns = [player.seat for player in self.clockwise(self.actor.seat)[1:] if player.in_saloon]

    def _can_draw(self):
        return bool(self.draw_pile) or len(self.discards) > 1  # R14

    def _take_from_draw_pile(self):
        """R14: an empty draw pile is made anew from all of the discard pile but its top card."""
        if not self.draw_pile:
            self.draw_pile = list(self.reshuffle(self.discards[:-1]))
            del self.discards[:-1]
        return self.draw_pile.pop(0)

    def _settle(self):
        """S3, in its order."""
        sums = {player.seat: player.tenths(self.plus_one == player.seat) for player in self.saloon()}
        bust = [seat for seat, tenths in sums.items() if tenths >= 10 * self.bust_at]  # S2: all who are bust;
        losers = bust or [seat for seat, tenths in sums.items() if tenths == min(sums.values())]  # else all the lowest
        self.last_settlement = {
            "sums": [sums.get(player.seat) for player in self.players],
            "losers": losers,
            "hands": [sorted(player.hand) for player in self.players],
            "displays": [sorted(player.display) for player in self.players],
        }
        for player in (self.players[seat] for seat in losers):  # S3a
            player.hearts -= 1
            self.paid[player.seat] -= 1
            if player.hearts == 0:
                player.status = "out" if player.black_heart else "wanted"  # R7
        for player in self.players:
            if player.tip in losers:  # S3b, P3: who named a loser is back with a black heart
                player.hearts, player.black_heart, player.status = 1, True, "saloon"
                self.paid[player.seat] += 1
        if self._game_is_over():  # S3c
            self._end(sums)
            return
        if len(self.saloon()) == 2:  # P4
            self._send_home()
        self.start_player = self.next_in_saloon(self.start_player)  # S3e
        self.round += 1
        self._begin_round()

    def _game_is_over(self):
        if self.variant == "schnell_duell":
            return len(self.saloon()) < len(self.players)  # Q1
        return len(self.saloon()) <= 1  # E1, E2

    def _end(self, sums):
        if self.variant == "schnell_duell":
            self.winners = self._winners_of_schnell_duell(sums)
        else:
            self.winners = [player.seat for player in self.saloon()]
        self._send_home()
        self.over = True
        self.phase, self.player = "over", None
        self.last_turns = None if self.first_knocker is None else []

    def _winners_of_schnell_duell(self, sums):
        """Q2: most hearts, then the highest sum that is not bust, then all of them."""
        most = max(player.hearts for player in self.players)
        tied = [player.seat for player in self.players if player.hearts == most]
        rank = {seat: sums[seat] if sums[seat] < 10 * self.bust_at else -1 for seat in tied}
        return [seat for seat in tied if rank[seat] == max(rank.values())]

    def snapshot(self):
        return {
            "phase": self.phase,
            "player": self.player,
            "round": self.round,
            "turn": self.turn,
            "start_player": self.start_player,
            "hearts": [player.hearts for player in self.players],
            "black_hearts": [player.black_heart for player in self.players],
            "status": [player.status for player in self.players],
            "hands": [sorted(player.hand) for player in self.players],
            "displays": [sorted(player.display) for player in self.players],
            "known": [[self._sure(seat, holder) for holder in self.known.seats] for seat in self.known.seats],
            "public": [self._sure(None, holder) for holder in self.known.seats],
            "draw_pile": list(self.draw_pile),
            "discard_top": self.discards[-1] if self.discards else None,
            "discards": sorted(self.discards),
            "plus_one": self.plus_one,
            "knocked": [player.knocked for player in self.players],
            "first_knocker": self.first_knocker,
            "last_turns": None if self.last_turns is None else list(self.last_turns),
            "ends_after_turn": self.ends_after_turn,
            "exchange": None if self.exchange is None else {**vars(self.exchange), "given": list(self.exchange.given)},
            "tips": [player.tip for player in self.players],
            "last_settlement": self.last_settlement,
            "winners": list(self.winners),
        }

    def view(self, seat):
        """The snapshot as the player on this seat may know it; None: a spectator."""
        seen = self.snapshot()
        seen["draw_pile"] = len(self.draw_pile)
        seen["hands"] = [sorted(p.hand) if p.seat == seat else len(p.hand) for p in self.players]
        seen["known"] = [self._sure(seat, holder) for holder in self.known.seats]
        if seen["exchange"]:
            pair, given = seen["exchange"]["pair"], seen["exchange"]["given"]
            seen["exchange"]["given"] = [
                value if value is None or giver == seat else "hidden" for giver, value in zip(pair, given, strict=True)
            ]
        return seen

    def _sure(self, observer, holder):
        """The values that somebody, None: a spectator, is sure another player holds."""
        counts = self.known[observer][holder]
        return [value for value in range(1, 9) if observer != holder for _ in range(counts[value])]


def _card_of(action):
    if action >= PUT_PLUS_ONE:
        return 6
    return 3 if action >= CHOOSE_TWO else action
