"""Rigged deals, so that a test of a rule reads like the rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from blackjacky_env import schwarze_katze_v0

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS = [rank + suit for suit in "CDHS" for rank in RANKS]
LOW = [rank + suit for rank in RANKS for suit in "CDS"]  # in the order in which they are taken out (K2)


def in_game(players: int) -> list[str]:
    """K2."""
    out = LOW[: 52 % players]
    return [card for card in CARDS if card not in out]


def deck_of(hands: Sequence[Iterable[str]]) -> list[str]:
    """The deck that deals these hands, that of the leader first; what is missing of a hand is filled up."""
    wanted = [list(hand) for hand in hands]
    named = [card for hand in wanted for card in hand]
    rest = [card for card in in_game(len(wanted)) if card not in named]
    size = 52 // len(wanted)
    for hand in wanted:
        while len(hand) < size:
            hand.append(rest.pop())
    return [hand[i] for i in range(size) for hand in wanted]


class Table:
    """A game in which player_0 leads the first trick of the first deal, with these hands of all players."""

    def __init__(self, *hands: str, leader: int = 0, **options: Any) -> None:
        self.env = schwarze_katze_v0.env(num_players=len(hands), **{"deals": 1, "reward": "points", **options})
        deck = deck_of([hand.split() for hand in hands])
        self.env.reset(seed=0, options={"start_player": leader, "deck": deck})

    @property
    def now(self) -> dict[str, Any]:
        """The snapshot."""
        return self.env.snapshot()

    @property
    def legal(self) -> set[str]:
        """The cards that the player to act may play."""
        return {CARDS[card] for card in np.flatnonzero(self.env.last()[0]["action_mask"])}

    def play(self, cards: str) -> Table:
        """Play cards such as ``"2C 3C"`` one after the other."""
        for card in cards.split():
            self.env.step(CARDS.index(card))
        return self

    def finish(self) -> Table:
        """Play to the end, everybody the first legal card."""
        while self.now["phase"] != "over":
            self.env.step(int(np.flatnonzero(self.env.last()[0]["action_mask"])[0]))
        return self

    def rewards(self) -> list[float]:
        """What the last action brought each player."""
        return [self.env.rewards[agent] for agent in self.env.possible_agents]

    def seen(self, seat: int) -> dict[str, Any]:
        """The parts of what a player sees."""
        return schwarze_katze_v0.decode(self.env.observe(f"player_{seat}")["observation"])
