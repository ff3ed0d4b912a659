"""Rigged deals, so that a test of a rule reads like the rule; cards are written ``"b1"`` .. ``"k11"``, k for black."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from blackjacky_env import black_spy_v0
from blackjacky_env.engine import table
from blackjacky_env.games.black_spy.rules import STATE

LETTERS = {"b": "blue", "y": "yellow", "g": "green", "r": "red", "k": "black"}
KINDS = [f"{letter}{rank}" for letter in LETTERS for rank in range(1, 12)]  # in the order of the actions
DECK = KINDS + ["k7"] * 5  # B1
PICKS = 3  # B3, V3


def full(card: str) -> str:
    """The name of a card in the environment."""
    return f"{LETTERS[card[0]]} {card[1:]}"


def short(name: str) -> str:
    """The card ``"r7"`` for ``"red 7"``; other names stay."""
    colour, _, rank = name.partition(" ")
    letters = [letter for letter, known in LETTERS.items() if known == colour]
    return f"{letters[0]}{rank}" if letters else name


def cards_of(counts: Sequence[int]) -> list[str]:
    """The cards of an array by card."""
    return [card for card, count in zip(KINDS, counts, strict=True) for _ in range(count)]


def filled_up(hands: Sequence[str], size: int) -> list[list[str]]:
    """Hands of ``size`` cards that begin with these; the rest of the deck fills them up in the order of the actions."""
    wanted = [hand.split() for hand in hands]
    rest = Counter(DECK)
    rest.subtract(card for hand in wanted for card in hand)
    assert min(rest.values()) >= 0, rest
    cards = iter(sorted(rest.elements(), key=KINDS.index))
    return [hand + [next(cards) for _ in range(size - len(hand))] for hand in wanted]


def deck_of(hands: Sequence[Sequence[str]], first: int = 0, pile: Sequence[str] = ()) -> list[str]:
    """The deck, as the environment reads it, that deals these hands by seat, and this pile (V3)."""
    n = len(hands)
    dealt = [hands[(first + i) % n][place] for place in range(len(hands[0])) for i in range(n)]
    return [full(card) for card in [*pile, *dealt]]


class Table:
    """A game with these hands of all players in the first deal; what is missing of a hand is filled up.

    ``first``: the seat left of the dealer. With ``passed`` three cards have been passed to the left already, and these
    are the hands after that; without it they are the hands dealt.
    """

    def __init__(self, *hands: str, first: int = 0, passed: bool = True, **options: Any) -> None:
        n = len(hands)
        self.env = black_spy_v0.env(num_players=n, **{"reward": "points", **options})
        dealt = filled_up(hands, 60 // n)
        if passed:
            dealt = [hand[:-PICKS] + dealt[(p + 1) % n][-PICKS:] for p, hand in enumerate(dealt)]
        self.env.reset(seed=0, options={"start_player": first, "deck": deck_of(dealt, first)})
        for i in range(n * passed):
            self.play(" ".join(dealt[(first + i) % n][-PICKS:]))

    @property
    def now(self) -> dict[str, Any]:
        """The snapshot."""
        return self.env.snapshot()

    @property
    def asked(self) -> tuple[str, int | None]:
        """The phase, and the player to act."""
        return self.now["phase"], self.now["player"]

    @property
    def legal(self) -> set[str]:
        """The cards, and other actions, that the player to act may choose."""
        mask = self.env.last()[0]["action_mask"]
        return {short(self.env.action_name(action)) for action in np.flatnonzero(mask)}

    def hand(self, seat: int) -> list[str]:
        """A player's cards."""
        return [short(name) for name in self.now["hands"][seat]]

    def play(self, cards: str) -> Table:
        """Choose cards such as ``"r7 k11"`` one after the other."""
        for card in cards.split():
            self.env.step(KINDS.index(card))
        return self

    def say(self, name: str) -> Table:
        """Another action, such as ``"call red"``."""
        self.env.step(self.env.parse_action(name))
        return self

    def first_legal(self, actions: int = 1) -> Table:
        """Take the first legal action, so many times."""
        for _ in range(actions):
            self.env.step(int(np.argmax(self.env.last()[0]["action_mask"])))
        return self

    def finish_deal(self) -> Table:
        """Play until the deal is scored, everybody the first legal action."""
        deal = self.now["deal"]
        while self.now["deal"] == deal and self.now["phase"] != "over":
            self.first_legal()
        return self

    def rewards(self) -> list[float]:
        """What the last action brought each player."""
        return [self.env.rewards[agent] for agent in self.env.possible_agents]

    def seen(self, seat: int) -> dict[str, Any]:
        """The parts of what a player sees."""
        return black_spy_v0.decode(self.env.observe(f"player_{seat}")["observation"])

    def arrange(self, **fields: Any) -> Table:
        """Set fields of the record; those by seat are filled up with 0."""
        header, data = table.unpack(self.env.get_state())
        records = table.read_records(header, data, STATE)
        for name, value in fields.items():
            room = records[0][name]
            records[0][name] = [*value, *[0] * (len(room) - len(value))] if np.ndim(room) else value
        selected = f"player_{records[0]['player']}"
        header["history"] |= {"actions": None, "rigged": {}, "deals": 0, "agent_selection": selected}
        self.env.set_state(table.pack(header, records[:1]))
        return self


def dealt(players: int, **options: Any) -> Table:
    """A game in which nothing has been done; everybody has cards of each colour."""
    return Table(*(" ".join(DECK[p::players]) for p in range(players)), passed=False, **options)


def last_card(players: int, **options: Any) -> Table:
    """A game in which one card of the first deal is left to play."""
    game = dealt(players, **options)
    game.env.set_state(_before_last_card(players, tuple(options.items())))
    return game


@functools.cache
def _before_last_card(players: int, options: tuple[tuple[str, Any], ...]) -> bytes:
    game = dealt(players, **dict(options))
    while sum(map(len, game.now["hands"])) > 1:
        game.first_legal()
    state: bytes = game.env.get_state()
    return state


def second_deal(players: int, totals: Sequence[int] = (), **options: Any) -> Table:
    """A game with a mole in its second deal (V3), with these totals before the first one was scored."""
    return last_card(players, mole=True, **options).arrange(totals=totals).first_legal()


BLACKS = "k11 k10 k9 k8 k7 k7 k7 k7 k7 k7 k6 k5 k4 k3 k2 k1"


def shooter(**options: Any) -> Table:
    """Return a table of three at which player_0 leads and has all black cards; the red 11 takes the first trick."""
    return Table(f"r1 r11 r10 r9 {BLACKS}", "b7 y7", "g7 r7", **options)


def shoot(game: Table) -> Table:
    """Play until player_0 of `shooter` has taken all tricks and with them all black cards."""
    for card in f"r11 {BLACKS} r10 r9 r1".split():
        game.play(card).first_legal(2)
    return game


def moon_with_spies_elsewhere(**options: Any) -> Table:
    """Return a table of three: player_0 has just taken all black cards, player_1 blue, red and yellow 7."""
    game = Table(f"b1 y1 g11 r2 {BLACKS}", "r1 b7 y7 g2", "r7 g7 y2 g3", **options)
    game.play("b7 r7 b1 y7 y2 y1 g2 g3 g11")
    for card in f"{BLACKS} r2".split():
        game.play(card).first_legal(2)
    return game
