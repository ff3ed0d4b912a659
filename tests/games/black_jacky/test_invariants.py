"""What holds in every position of every game of Black Jacky, whatever is done to the environment."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from hypothesis import settings
from hypothesis.stateful import initialize

from blackjacky_env import black_jacky_v0
from tests.any_game import SEEDS, AnyGame, Snapshot, Tastes
from tests.games.black_jacky.games import options_of_games
from tests.games.black_jacky.rigging import KNOCK, NO_TRICK, all_cards, cards_on_table

# R5, R7, P3, P4: what a settlement may make of a status. Nobody comes back from "out".
CHANGES = {("saloon", "wanted"), ("saloon", "out"), ("wanted", "saloon"), ("wanted", "out")}


class AnyBlackJacky(AnyGame):
    """Games of any options."""

    module = black_jacky_v0
    tastes: ClassVar[Tastes] = {
        "knocks": lambda legal: legal & {NO_TRICK, KNOCK} or legal,
        "any": lambda legal: legal,
        "hoards": lambda legal: legal - {1, KNOCK} or legal,
        "tricks": lambda legal: legal - {NO_TRICK, KNOCK} or legal,
    }

    @initialize(options=options_of_games(), seed=SEEDS)
    def sit_down(self, options: dict[str, Any], seed: int) -> None:
        self.first_hearts = options["hearts"]
        self.begin(seed, options)

    def check_start(self, table: Snapshot) -> None:
        """R5: everybody has all hearts."""
        assert table["hearts"] == [self.first_hearts] * self.players
        assert table["round"] == table["turn"] == 0

    def check_position(self, table: Snapshot) -> None:
        """All that must hold in a position."""
        self.check_cards(table)
        self.check_hearts(table)
        self.check_turns(table)

    def check_cards(self, table: Snapshot) -> None:
        """R4: all cards are on the table, and nothing is dealt to those who are not in the saloon."""
        if table["phase"] == "tip":
            assert not cards_on_table(table)
            return
        assert cards_on_table(table) == all_cards(self.env.options["max_card"])
        assert table["discard_top"] in table["discards"]
        if table["phase"] != "over":
            for status, hand, display in zip(table["status"], table["hands"], table["displays"], strict=True):
                assert status == "saloon" or not (hand or display)

    def check_hearts(self, table: Snapshot) -> None:
        """R5, R7, P3, P4: hearts, black hearts and status fit each other."""
        in_saloon = table["status"].count("saloon")
        for hearts, black, status in zip(table["hearts"], table["black_hearts"], table["status"], strict=True):
            assert 0 <= hearts <= (1 if black else self.first_hearts)
            assert (hearts > 0) == (status == "saloon")
            assert status != "wanted" or (in_saloon > 2 and not black)
        if self.players <= 3 or self.env.variant == "schnell_duell":
            assert "wanted" not in table["status"]
            assert not any(table["black_hearts"])
        assert bool(table["winners"]) <= (table["phase"] == "over")

    def check_turns(self, table: Snapshot) -> None:
        """R12, R13, R15, S2: rounds and games are bounded, for every settlement costs a heart."""
        all_hearts = self.players * (self.first_hearts + 1)  # with a black one each
        assert table["round"] <= all_hearts - sum(table["hearts"])
        assert table["turn"] <= (self.env.options["max_turns_per_round"] or np.inf)
        knockers = [q for q, knocked in enumerate(table["knocked"]) if knocked]
        assert (table["first_knocker"] in knockers) if knockers else (table["first_knocker"] is None)
        assert (table["last_turns"] is None) == (not knockers)
        if table["phase"] != "over":
            assert {table["status"][q] for q in knockers} <= {"saloon"}
            assert not set(knockers) & set(table["last_turns"] or []) - {table["player"]}

    def check_change(self, before: Snapshot, after: Snapshot) -> None:
        """One action changes what it may; hearts are paid as they change, or the result at the end."""
        check_settlement(before, after)
        if self.env.reward == "hearts":
            assert self.rewards() == [new - old for old, new in zip(before["hearts"], after["hearts"], strict=True)]
        else:
            self.check_result(after, self.rewards())


def check_settlement(before: Snapshot, after: Snapshot) -> None:
    """One action: hearts and status change in settlements only, and only as S2, P3 and P4 say."""
    settled = after["round"] > before["round"] or after["phase"] == "over"
    moved = {pair for pair in zip(before["status"], after["status"], strict=True) if pair[0] != pair[1]}
    if not settled:
        assert not moved
        assert (after["hearts"], after["round"]) == (before["hearts"], before["round"])
        assert after["turn"] == before["turn"] + (before["phase"] == "zock")
        assert after["last_settlement"] == before["last_settlement"]
        return
    assert before["phase"] == "zock"
    assert moved <= CHANGES
    losers = after["last_settlement"]["losers"]
    assert losers
    for q, hearts in enumerate(before["hearts"]):
        returns = before["tips"][q] in losers
        assert after["hearts"][q] == hearts - (q in losers) + returns
        assert after["black_hearts"][q] == (before["black_hearts"][q] or returns)
    if after["phase"] != "over":
        assert (after["round"], after["turn"]) == (before["round"] + 1, 0)
        assert after["status"][after["start_player"]] == "saloon"
        assert after["start_player"] != before["start_player"]


AnyBlackJacky.TestCase.settings = settings(max_examples=120, stateful_step_count=30)


class TestAnyBlackJacky(AnyBlackJacky.TestCase):
    """Hypothesis plays."""
