"""Rigged games, so that a test of a rule reads like the rule."""

from itertools import islice

import numpy as np

from blackjacky_env import halunken_v0
from tests.games.rigged import RiggedTable

FIELDS = 14
RANKS = {"R": [*range(4, 12), 15], "V": [*range(3, 12), 14], "G": [*range(2, 12), 13], "Y": [*range(1, 13)]}  # H1
CARDS = [f"{colour}{value}" for colour, values in RANKS.items() for value in values]


def deck_of(taverns):
    """The deck with these cards in these taverns; the others fill the remaining places in the order of the actions."""
    places = [None] * len(CARDS)
    for field, cards in taverns.items():
        for level, card in enumerate(cards.split()):
            places[FIELDS * level + field] = card
    rest = iter([card for card in CARDS if card not in places])
    return [card or next(rest) for card in places]


def every_jack_card(players, first):
    """Black Jack's movement cards with these on top."""
    every = [*range(1, 8), "Rum"] if players == 2 else [*range(1, 13)]
    top = [card if card == "Rum" else int(card) for card in first.split()]
    return top + [card for card in every if card not in top]


class Table(RiggedTable):
    """A game in which player_0 places first, at the beginning of the first round.

    ``captains``: fields by seat; ``taverns``: where these cards lie; ``jack``: the field on which Black Jack is placed;
    ``jack_deck``: his first movement cards.
    """

    module = halunken_v0
    play = RiggedTable.take

    def __init__(self, *captains, taverns=None, jack=13, jack_deck="", **options):
        jacks = every_jack_card(len(captains), jack_deck)
        rigged = {"start_player": 0, "deck": deck_of(taverns or {}), "black_jack_deck": jacks}
        super().__init__(rigged, num_players=len(captains), **{"reward": "points", **options})
        self.play(*(f"field {field}" for field in captains))
        if self.env.unwrapped.variant != "basic":
            self.play(f"field {jack}")

    def nobody_bids(self):
        while self.now["phase"] == "bid":
            self.play("pass")
        return self

    def buys(self, seat, card):
        """This player offers the card, all others pass."""
        while self.now["phase"] == "bid":
            mine = self.now["player"] == seat and self.now["bidder"] is None
            self.play(card if mine else "pass")
        return self

    def choose(self, *cards, jack=None):
        """All choose a movement card, by seat; the buyer of a duel also one for Black Jack."""
        for _ in range(len(cards) + (jack is not None)):
            own = self.now["phase"] == "choose"
            self.play(f"move {cards[self.now['player']] if own else jack}")
        return self

    def arrange(self, crews, harbour="", taverns=None, captains=None, jack=None, **fields):
        """Give everybody these cards, put these into the harbour and the taverns; other cards fill the other taverns.

        The figures move if asked to; ``fields`` of the record are set as they are.
        """
        records = self.records()
        record = records[0]
        for name, value in {"captains": captains, "jack": jack, **fields}.items():
            if value is not None:
                more = len(record[name]) - len(value) if np.ndim(record[name]) == 1 else None
                record[name] = value if more is None else [*value, *[-1] * more]
        lay_out(record, [crew.split() for crew in crews], harbour.split(), taverns or {})
        self.put(records[:1])
        return self


def lay_out(record, crews, harbour, taverns):
    """Lay all cards of a record out anew; cards for which there is no room are out of the game."""
    stacks = {field: cards.split() for field, cards in taverns.items()}
    taken = {card for cards in [*crews, harbour, *stacks.values()] for card in cards}
    rest = iter([card for card in CARDS if card not in taken])
    for field in range(FIELDS):
        stacks.setdefault(field, list(islice(rest, 3)))
    gone = iter(set(CARDS).difference(*stacks.values()))
    for field, cards in stacks.items():
        record["heights"][field] = len(cards)
        for level, card in enumerate([*islice(gone, 3 - len(cards)), *cards]):
            record["deck"][FIELDS * level + field] = CARDS.index(card)
    for name in ("counts", "colours", "values"):
        record[name] = 0
    record["where"] = 5
    for place, cards in enumerate([*crews, *[()] * (4 - len(crews)), harbour]):
        hand_out(record, place, cards)


def hand_out(record, place, cards):
    """Put cards before a seat, or into the harbour (4)."""
    for card in cards:
        record["where"][CARDS.index(card)] = place
        record["counts"][place] += 1
        if place < 4:
            record["colours"][place, "RVGY".index(card[0])] += 1
            record["values"][place, "RVGY".index(card[0])] += int(card[1:])
