"""The reference implementation of Schwarze Katze: plain objects, no speed, nothing shared with the engine.

The numbers in the comments (K1 .. K9) are those of the rules in `blackjacky_env/games/schwarze_katze/README.md`.
"""

from dataclasses import dataclass, field

SUITS = "CDHS"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
NO_TRICK = -50


@dataclass(frozen=True)
class Card:
    """One French card: a letter of `SUITS` and one of `RANKS`."""

    suit: str
    rank: str

    @classmethod
    def called(cls, text):
        """The card that is written so: `QS`, `10H`."""
        return cls(text[-1], text[:-1])

    @classmethod
    def numbered(cls, action):
        return cls(SUITS[action // 13], RANKS[action % 13])

    @property
    def number(self):
        return 13 * SUITS.index(self.suit) + self.height

    @property
    def height(self):
        """K1: the ace is the highest."""
        return RANKS.index(self.rank)

    def penalty(self, heart_ace):
        """K6."""
        if self == Card("S", "Q"):
            return 40
        if self.suit != "H":
            return 0
        if self.rank == "A":
            return heart_ace
        return int(self.rank) if self.rank.isdigit() else 10

    def __str__(self):
        return self.rank + self.suit


def all_cards(num_players):
    """K2: everybody gets as many; the lowest that are not hearts are too many."""
    removable = [Card(suit, rank) for rank in RANKS for suit in "CDS"]
    taken_out = removable[: 52 % num_players]
    return [card for card in (Card(suit, rank) for suit in SUITS for rank in RANKS) if card not in taken_out]


def usual_deals(num_players):
    """K7: at least five, and everybody deals equally often."""
    deals = num_players
    while deals < 5:
        deals += num_players
    return deals


@dataclass
class Player:
    """One who plays, with the cards in hand and the tricks taken in this deal."""

    seat: int
    total: int = 0
    hand: list[Card] = field(default_factory=list)
    taken: list[list[Card]] = field(default_factory=list)
    void: set[str] = field(default_factory=set)
    """Suits of which everybody knows that the player has none."""

    def penalty(self, heart_ace):
        """K6: what lies in the tricks taken."""
        return sum(card.penalty(heart_ace) for trick in self.taken for card in trick)

    def clear(self):
        self.hand, self.taken, self.void = [], [], set()


class ReferenceGame:
    """One table of Schwarze Katze. The caller supplies every deck."""

    def __init__(self, num_players, variant="classic", *, heart_ace=11, deals=None, piatnik_heart_lead=False):
        self.variant = variant
        self.heart_ace = heart_ace
        self.deals = usual_deals(num_players) if deals is None else deals
        self.piatnik_heart_lead = piatnik_heart_lead
        self.players = [Player(seat) for seat in range(num_players)]
        self.cards = all_cards(num_players)

    def start(self, start_player, deal):
        """Begin the first deal, in which this player leads; `deal(number)` gives all cards of a deal, top first."""
        self.deal_cards = deal
        self.deal = 0
        self.dealer = self.clockwise(start_player)[-1].seat  # K3
        self.last_deal = None
        self.paid = [0] * len(self.players)
        self.over = False
        self.winners = []
        self._begin_deal()

    def clockwise(self, seat):
        return self.players[seat:] + self.players[:seat]

    def left_of(self, seat):
        return self.clockwise(seat)[1].seat

    @property
    def phase(self):
        return "over" if self.over else "play"

    @property
    def actor(self):
        assert self.player is not None, "the game is over"
        return self.players[self.player]

    def _begin_deal(self):
        """K2, K3: all cards, one at a time, from the player left of the dealer on."""
        for player in self.players:
            player.clear()
        self.player = self.left_of(self.dealer)
        self.leader = self.player
        deck = [Card.called(text) for text in self.deal_cards(self.deal)]
        assert sorted(map(str, deck)) == sorted(map(str, self.cards)), "not the cards of this table"
        while deck:
            for player in self.clockwise(self.leader):
                player.hand.append(deck.pop(0))
        self.trick = 0
        self.table = []
        self.played = {}

    def legal_actions(self):
        if self.over:
            return set()
        hand = self.actor.hand
        if self.table:
            preferred = [card for card in hand if card.suit == self.table[0][1].suit]  # K4
        else:  # K3: any card; K9: hearts only if there is nothing else
            preferred = [card for card in hand if card.suit != "H" or not self.piatnik_heart_lead]
        return {card.number for card in preferred or hand}

    def step(self, action):
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal here")
        self.paid = [0] * len(self.players)
        me, card = self.actor, Card.numbered(action)
        me.hand.remove(card)
        me.void |= self._shown_void(card)
        self.table.append((me.seat, card))
        self.played[card] = me.seat
        self.player = self.left_of(me.seat)
        if len(self.table) == len(self.players):
            self._end_trick()

    def _shown_void(self, card):
        """The suits that the player who plays this card shows not to have."""
        if self.table:
            led = self.table[0][1].suit
            return {led} - {card.suit}  # K4
        return {"C", "D", "S"} if self.piatnik_heart_lead and card.suit == "H" else set()  # K9

    def _end_trick(self):
        """K3, K5: the highest card of the led suit takes the trick and leads the next."""
        led = self.table[0][1].suit
        following = [(card.height, seat) for seat, card in self.table if card.suit == led]
        winner = max(following)[1]
        self.players[winner].taken.append([card for _, card in self.table])
        self.table = []
        self.trick += 1
        self.leader = self.player = winner
        if not self.actor.hand:
            self._end_deal()

    def _end_deal(self):
        """K6, K7."""
        penalties = [player.penalty(self.heart_ace) if player.taken else NO_TRICK for player in self.players]
        for player, penalty in zip(self.players, penalties, strict=True):
            player.total += penalty
            self.paid[player.seat] = -penalty
        self.last_deal = penalties
        if self.deal + 1 == self.deals:
            lowest = min(player.total for player in self.players)
            self.winners = [player.seat for player in self.players if player.total == lowest]  # K8: a tie is shared
            self.over, self.player = True, None
            return
        self.deal += 1
        self.dealer = self.left_of(self.dealer)  # K3
        self._begin_deal()

    def snapshot(self):
        return {
            "phase": self.phase,
            "player": self.player,
            "deal": self.deal,
            "dealer": self.dealer,
            "leader": self.leader,
            "trick": self.trick,
            "hands": [in_order(player.hand) for player in self.players],
            "table": [[seat, str(card)] for seat, card in self.table],
            "tricks_taken": [len(player.taken) for player in self.players],
            "penalties": [player.penalty(self.heart_ace) for player in self.players],
            "totals": [player.total for player in self.players],
            "last_deal": self.last_deal,
            "winners": list(self.winners),
        }

    def view(self, seat):
        """The snapshot as the player on this seat may know it; None: a spectator."""
        seen = self.snapshot()
        seen["hands"] = [hand if owner == seat else len(hand) for owner, hand in enumerate(seen["hands"])]
        return seen


def in_order(cards):
    """As hands are written down: by suit, and within it from the 2 to the ace."""
    return [str(card) for card in sorted(cards, key=lambda card: card.number)]
