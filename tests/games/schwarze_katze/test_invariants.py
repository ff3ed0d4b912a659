"""What holds in every position of every game of Schwarze Katze, whatever is done to the environment."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from blackjacky_env import schwarze_katze_v0
from tests.any_game import SEEDS, AnyGame, Snapshot, Tastes
from tests.games.schwarze_katze.rigging import CARDS, in_game


@st.composite
def options_of_games(draw: st.DrawFn) -> dict[str, Any]:
    """Draw options of a game; four players come often."""
    return {
        "num_players": draw(st.just(4) | st.integers(3, 10)),
        "reward": draw(st.sampled_from(["win", "points"])),
        "deals": draw(st.integers(1, 3)),
        "heart_ace": draw(st.sampled_from([10, 11])),
        "piatnik_heart_lead": draw(st.booleans()),
    }


class AnySchwarzeKatze(AnyGame):
    """Games of any options."""

    module = schwarze_katze_v0
    tastes: ClassVar[Tastes] = {
        "any": lambda legal: legal,
        "low": lambda legal: {min(legal, key=lambda card: card % 13)},
        "high": lambda legal: {max(legal, key=lambda card: card % 13)},
    }

    @initialize(options=options_of_games(), seed=SEEDS)
    def sit_down(self, options: dict[str, Any], seed: int) -> None:
        self.options = options
        self.all_cards = sorted(in_game(options["num_players"]))
        self.begin(seed, options)

    def check_start(self, table: Snapshot) -> None:
        """K3: nothing is played, nobody has points."""
        assert (table["deal"], table["trick"], table["table"]) == (0, 0, [])
        assert table["totals"] == [0] * self.players
        assert table["leader"] == table["player"] == (table["dealer"] + 1) % self.players

    def check_position(self, table: Snapshot) -> None:
        """Cards, tricks and penalties fit each other."""
        size = 52 // self.players  # K2
        assert 0 <= table["deal"] < self.options["deals"]
        assert sum(table["tricks_taken"]) == table["trick"]
        assert sum(table["penalties"]) <= 124 + self.options["heart_ace"]  # K6
        for tricks, penalty in zip(table["tricks_taken"], table["penalties"], strict=True):
            assert tricks or not penalty
        if table["phase"] == "over":
            assert table["hands"] == [[]] * self.players
            assert table["winners"] == [q for q, total in enumerate(table["totals"]) if total == min(table["totals"])]
            return
        assert not table["winners"]
        lying = dict(table["table"])
        for q, hand in enumerate(table["hands"]):
            assert len(hand) == size - table["trick"] - (q in lying)
            assert hand == sorted(hand, key=CARDS.index)
        shown = [card for hand in table["hands"] for card in hand] + list(lying.values())
        assert len(set(shown)) == len(shown)
        assert set(shown) <= set(self.all_cards)
        assert table["trick"] or sorted(shown) == self.all_cards
        assert [q for q, _ in table["table"]] == [(table["leader"] + i) % self.players for i in range(len(lying))]
        assert table["player"] == (table["leader"] + len(lying)) % self.players
        self.check_mask(table)

    def check_mask(self, table: Snapshot) -> None:
        """K4, K9: what may be played, in other words than the rules'."""
        if not self.env.agents:
            return
        hand = table["hands"][table["player"]]
        if table["table"]:
            may = [card for card in hand if card[-1] == table["table"][0][1][-1]]
        else:
            may = [card for card in hand if card[-1] != "H"] if self.options["piatnik_heart_lead"] else hand
        mask = self.env.observe(f"player_{table['player']}")["action_mask"]
        assert [CARDS[card] for card in np.flatnonzero(mask)] == (may or hand)

    def check_change(self, before: Snapshot, after: Snapshot) -> None:
        """K6, K7: totals change when a deal is scored, and only then; points are paid as they change."""
        scored = after["deal"] > before["deal"] or after["phase"] == "over"
        gained = [new - old for old, new in zip(before["totals"], after["totals"], strict=True)]
        if not scored:
            assert gained == [0] * self.players
            assert (after["deal"], after["dealer"]) == (before["deal"], before["dealer"])
        else:
            assert gained == after["last_deal"]
            without = gained.count(-50)
            assert sum(gained) == 124 + self.options["heart_ace"] - 50 * without
            assert max(0, self.players - 52 // self.players) <= without <= self.players - 1
        if self.env.reward == "points":
            assert self.rewards() == [-points for points in gained]
        else:
            self.check_result(after, self.rewards())


AnySchwarzeKatze.TestCase.settings = settings(max_examples=50, stateful_step_count=25)


class TestAnySchwarzeKatze(AnySchwarzeKatze.TestCase):
    """Hypothesis plays."""
