"""What holds in every position of every game of Black Spy, whatever is done to the environment."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import numpy as np
from hypothesis import settings
from hypothesis.stateful import initialize

from blackjacky_env import black_spy_v0
from tests.any_game import SEEDS, AnyGame, Snapshot, Tastes
from tests.games.black_spy.options import options_of_games
from tests.games.black_spy.rigging import DECK, full

CARDS = Counter(map(full, DECK))
LIMITS = {3: 200, 4: 150, 5: 120, 6: 100}  # B9
CALLS = [f"call {colour}" for colour in ("blue", "yellow", "green", "red")]
CHOICES = ["60 points for each of the others", "minus 60 points for me"]


class AnyBlackSpy(AnyGame):
    """Games of any options."""

    module = black_spy_v0
    tastes: ClassVar[Tastes] = {
        "any": lambda legal: legal,
        "black": lambda legal: {max(legal)},
        "low": lambda legal: {min(legal, key=lambda card: card % 11)},
        "high": lambda legal: {max(legal, key=lambda card: card % 11)},
    }

    @initialize(options=options_of_games(), seed=SEEDS)
    def sit_down(self, options: dict[str, Any], seed: int) -> None:
        self.options = options
        self.begin(seed, options)

    def check_start(self, table: Snapshot) -> None:
        """B2: nothing is played, nobody has points."""
        assert (table["deal"], table["trick"], table["table"], table["pile"]) == (0, 0, [], [])
        assert table["totals"] == [0] * self.players
        assert table["winners"] == []
        early = self.options["call_colour"] and self.options["call_timing"] == "before_pass"
        assert table["phase"] == ("call" if early else "pass")

    def check_position(self, table: Snapshot) -> None:
        """Cards, tricks and points fit each other."""
        assert 0 <= table["deal"] < self.options["max_deals"]
        piles = [*table["hands"], *table["played"], table["pile"]]
        assert Counter(card for pile in piles for card in pile) == CARDS  # B1
        self.check_hands(table)
        self.check_taken(table)
        if table["phase"] == "over":
            assert table["winners"] == [q for q, total in enumerate(table["totals"]) if total == min(table["totals"])]
            assert max(table["totals"]) >= LIMITS[self.players] or table["deal"] == self.options["max_deals"] - 1
            return
        assert not table["winners"]
        assert max(table["totals"]) < LIMITS[self.players]
        self.check_mask(table)

    def check_hands(self, table: Snapshot) -> None:
        """B2, B3, V3: sizes of hands, cards that move in threes."""
        size, lying = 60 // self.players - table["trick"], dict(table["table"])
        if table["phase"] != "take":
            assert [len(hand) for hand in table["hands"]] == [size - (q in lying) for q in range(self.players)]
            assert not table["pile"]
        if table["phase"] in ("play", "choose", "over"):
            assert {len(cards) for cards in table["passed"]} == ({3} if table["pass_to"] else {0})
            assert Counter(c for cards in table["passed"] for c in cards) == Counter(
                c for cards in table["received"] for c in cards
            )
        for hand, chosen, lacks in zip(table["hands"], table["chosen"], table["lacks"], strict=True):
            assert not Counter(chosen) - Counter(hand)
            assert not any(colour in lacks or int(number) in lacks for colour, number in map(str.split, hand))
        if table["red_star"] is not None:
            assert "red 1" in table["hands"][table["red_star"]]

    def check_taken(self, table: Snapshot) -> None:
        """B7: points, black cards and coloured 7s agree with a plain count of the cards that lie in tricks."""
        taken = Counter(card for cards in table["played"] for card in cards)
        taken.subtract(card for _, card in table["table"])
        spies = [card for card in taken.elements() if card.endswith(" 7") and not card.startswith("black")]
        assert sum(table["good_spies_taken"]) == len(spies)
        assert sum(table["black_taken"]) == sum(count for card, count in taken.items() if card.startswith("black"))
        assert sum(table["points"]) == sum(self.points(card) for card in taken.elements())

    def points(self, card: str) -> int:
        """B7, V1, V2."""
        colour, number = card.split()
        if colour == "black":
            return {7: 10, 8: 2, 9: 3, 10: 4, 11: 5}.get(int(number), 1)
        never = self.options["moon_choice"] and self.options["moon_choice_spies"] == "never_scored"
        return -5 if number == "7" and not never and not self.options["no_good_spies"] else 0

    def check_mask(self, table: Snapshot) -> None:
        """What may be done, in other words than the rules'."""
        if not self.env.agents:
            return
        mask = self.env.observe(f"player_{table['player']}")["action_mask"]
        assert {self.env.action_name(action) for action in np.flatnonzero(mask)} == self.allowed(table)

    def allowed(self, table: Snapshot) -> set[str]:
        """B3 .. B5, V2 .. V5, O4."""
        hand = table["hands"][table["player"]]
        if table["phase"] == "take":
            return {*table["pile"]}
        if table["phase"] in ("call", "choose"):
            return {*(CALLS if table["phase"] == "call" else CHOICES)}
        if table["phase"] == "pass":
            return {*(Counter(hand) - Counter(table["chosen"][table["player"]]))}
        return {*(self.led(table, hand) if not table["table"] else self.followed(table, hand))}

    def led(self, table: Snapshot, hand: list[str]) -> list[str]:
        """B4, V4, O4."""
        if table["trick"] > 0:
            return hand
        if self.options["call_colour"]:
            return [card for card in hand if card.startswith(table["called"])]
        return [card for card in hand if not card.startswith("black")] or hand

    def followed(self, table: Snapshot, hand: list[str]) -> list[str]:
        """B5, V5."""
        (colour, number), last = table["table"][0][1].split(), table["table"][-1][1].split()[1]
        basic = [card for card in hand if card.split()[0] == colour or card.split()[1] == number]
        extra = [card for card in hand if card.split()[1] == last] if self.options["rank_follow"] else []
        if basic or (self.options["rank_follow_strict"] and extra):
            return basic + extra
        return hand

    def check_change(self, before: Snapshot, after: Snapshot) -> None:
        """B9: totals change when a deal is scored, and only then; points are paid as they change."""
        gained = [new - old for old, new in zip(before["totals"], after["totals"], strict=True)]
        if after["deal"] == before["deal"] and after["phase"] != "over":
            assert gained == [0] * self.players
            assert after["dealer"] == before["dealer"]
        elif not self.options["exact_limit"]:
            assert gained == after["last_deal"]
        if self.env.reward == "points":
            assert self.rewards() == [-points for points in gained]
        else:
            self.check_result(after, self.rewards())


AnyBlackSpy.TestCase.settings = settings(max_examples=25, stateful_step_count=20)


class TestAnyBlackSpy(AnyBlackSpy.TestCase):
    """Hypothesis plays."""
