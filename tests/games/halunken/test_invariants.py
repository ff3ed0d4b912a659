"""What holds in every position of every game of Halunken & Spelunken, whatever is done to the environment."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from blackjacky_env import halunken_v0
from tests.any_game import SEEDS, AnyGame, Snapshot, Tastes
from tests.games.halunken.rigging import CARDS, FIELDS, state_parts

FIELD, CARD, PASS, MOVE, NAME, HARBOUR, ROB = 0, 14, 56, 57, 65, 72, 73
RUM = "Rum"
SIZES = st.sampled_from([("standard", 4), ("standard", 3), ("basic", 4), ("basic", 3), ("duel", 2), ("duel", 2)])


@st.composite
def options_of_games(draw: st.DrawFn) -> dict[str, Any]:
    """Draw options of a game."""
    variant, players = draw(SIZES)
    return {
        "num_players": players,
        "variant": variant,
        "reward": draw(st.sampled_from(["win", "points"])),
        "rob_count": draw(st.sampled_from(["after_pick", "before_pick"])),
        "three_games": draw(st.booleans()),
        "duel_black_jack": draw(st.sampled_from(["captain", "standard"])),
    }


def plain_score(crew: list[str]) -> int:
    """C1: the best of all colours of which there are most."""
    values = {colour: [int(card[1:]) for card in crew if card[0] == colour] for colour in "RVGY"}
    most = max(map(len, values.values()))
    return sum(map(sum, values.values())) + max(sum(each) for each in values.values() if len(each) == most)


class AnyHalunken(AnyGame):
    """Games of any options."""

    module = halunken_v0
    tastes: ClassVar[Tastes] = {
        "any": lambda legal: legal,
        "first": lambda legal: {min(legal)},  # equal cards, no bids without need
        "bid": lambda legal: legal - {PASS} or legal,
        "crowd": lambda legal: {min(legal)} if min(legal) < CARD else legal,
        "rum": lambda legal: {max(legal)},
    }

    @initialize(options=options_of_games(), seed=SEEDS)
    def sit_down(self, options: dict[str, Any], seed: int) -> None:
        self.options = options
        self.begin(seed, options)

    def check_start(self, table: Snapshot) -> None:
        """H2: nothing is placed or taken."""
        assert (table["phase"], table["game"], table["round"]) == ("place_captain", 0, 0)
        assert table["crews"] == table["spent"] == [[]] * self.players
        assert table["totals"] == table["scores"] == [0] * self.players

    # ---------------------------------------------------------------- positions

    def check_position(self, table: Snapshot) -> None:
        self.check_cards(table)
        self.check_figures(table)
        self.check_movement_cards(table)
        assert table["scores"] == [plain_score(crew) for crew in table["crews"]]
        assert 0 <= table["game"] <= 2 * self.options["three_games"]
        if table["phase"] == "over":
            best = max(table["totals"])
            assert table["winners"] == [q for q, total in enumerate(table["totals"]) if total == best]
            return
        assert not table["winners"]
        self.check_mask(table)

    def check_cards(self, table: Snapshot) -> None:
        """H1, H2: 42 cards; nothing is turned up while captains are placed, and then everything that can be."""
        lying = [card for tavern in table["taverns"] for card in [tavern["top"], *tavern["hidden"]] if card]
        taken = [card for pile in [*table["crews"], table["harbour"]] for card in pile]
        assert sorted(lying + taken) == sorted(CARDS)
        for pile in [*table["crews"], table["harbour"]]:
            assert pile == sorted(pile, key=CARDS.index)
        placing = table["phase"] == "place_captain"
        for tavern in table["taverns"]:
            assert len(tavern["hidden"]) + (tavern["top"] is not None) <= 3
            assert tavern["top"] is None if placing else tavern["top"] or not tavern["hidden"]
        if self.options["variant"] == "basic":
            assert table["harbour"] == []
        self.check_counts(table, state_parts(self.env))

    def check_counts(self, table: Snapshot, state: dict[str, Any]) -> None:
        """The numbers and values that the state vector counts are those of the cards."""
        assert state["counts"][: self.players] == [len(crew) for crew in table["crews"]]
        assert state["counts"][4] == len(table["harbour"])
        for crew, colours, values in zip(table["crews"], state["colours"], state["values"], strict=False):
            of_colour = [[int(card[1:]) for card in crew if card[0] == colour] for colour in "RVGY"]
            assert colours == [len(each) for each in of_colour]
            assert values == [sum(each) for each in of_colour]

    def check_figures(self, table: Snapshot) -> None:
        """H1: one figure on a field, but for a landing that is being resolved."""
        figures = [*table["captains"], table["black_jack"]]
        fields = [field for field in figures if field is not None]
        assert all(0 <= field < FIELDS for field in fields)
        landed = table["mover"] is not None and not table["to_rob"]
        assert len(set(fields)) == len(fields) - landed
        assert (table["black_jack"] is None) == (
            self.options["variant"] == "basic" or table["phase"] in ("place_captain", "place_black_jack")
        )

    def check_movement_cards(self, table: Snapshot) -> None:
        """H3, D1, J6: one card a round."""
        rounds = table["round"] + (table["phase"] in ("name", "take", "take_or_rob", "rob", "give", "over"))
        assert [len(set(map(str, spent))) for spent in table["spent"]] == [rounds] * self.players
        for spent, choice in zip(table["spent"], table["choices"], strict=True):
            assert choice is None or choice not in spent
        assert not any(table["choices"]) or table["phase"] in ("choose", "choose_for_black_jack")
        every = {"basic": [], "duel": [*range(1, 8), RUM], "standard": [*range(1, 13)]}[self.options["variant"]]
        jacks = table["black_jack_deck"] + table["black_jack_spent"]
        assert sorted(map(str, jacks)) == sorted(map(str, every))

    # ---------------------------------------------------------------- legal actions

    def check_mask(self, table: Snapshot) -> None:
        """What may be done, in other words than the rules'."""
        if self.env.agents:
            mask = self.env.observe(f"player_{table['player']}")["action_mask"]
            assert set(np.flatnonzero(mask).tolist()) == self.expected(table, table["player"])

    def expected(self, table: Snapshot, p: int) -> set[int]:
        phase = table["phase"]
        if phase in ("place_captain", "place_black_jack"):
            return set(range(FIELDS)) - {field for field in table["captains"] if field is not None}
        if phase in ("choose", "choose_for_black_jack"):
            spent = table["spent"][p] if phase == "choose" else table["black_jack_spent"]
            return {MOVE + i for i, card in enumerate([*range(1, 8), RUM]) if card not in spent}
        if phase == "name":
            return {NAME + number - 1 for number in range(1, 8) if number not in self.laid(table)}
        if phase == "take_or_rob":
            return {HARBOUR, ROB}
        piles = {"take": table["harbour"], "rob": table["crews"][table["victim"] or 0], "give": table["crews"][p]}
        if phase != "bid":
            return {CARD + CARDS.index(card) for card in piles[phase]}
        offers = [0 if card is None else int(card[1:]) for card in table["offers"]]
        return {PASS} | {CARD + CARDS.index(card) for card in table["crews"][p] if int(card[1:]) > max(offers)}

    def laid(self, table: Snapshot) -> list[Any]:
        """H5, D3."""
        duel = self.options["variant"] == "duel"
        return [*table["laid"], *([table["black_jack_laid"]] if duel else [])]

    # ---------------------------------------------------------------- changes

    def check_change(self, before: Snapshot, after: Snapshot) -> None:
        """C1, H2: rewards; games follow one another; cards move where the rules say."""
        scored = after["game"] > before["game"] or after["phase"] == "over"
        assert after["game"] == before["game"] or (after["round"], before["round"]) == (0, 7)
        earned = [new - old for old, new in zip(before["totals"], after["totals"], strict=True)]
        assert earned == (after["last_game"] if scored else [0] * self.players)
        if after["phase"] == "over":
            assert (after["round"], after["game"]) == (7, 2 * self.options["three_games"])
        if self.env.reward == "points":
            worth = [self.worth(table) for table in (before, after)]
            assert self.rewards() == [new - old for old, new in zip(*worth, strict=True)]
        else:
            self.check_result(after, self.rewards())
        if not scored:
            self.check_moves(before, after)

    def worth(self, table: Snapshot) -> list[int]:
        """Finished games and the one being played."""
        scores = [0] * self.players if table["phase"] == "over" else table["scores"]
        return [total + score for total, score in zip(table["totals"], scores, strict=True)]

    def check_moves(self, before: Snapshot, after: Snapshot) -> None:
        """Taverns only lose cards, and start player and movement cards stay as they are."""
        for old, new in zip(before["taverns"], after["taverns"], strict=True):
            was, is_ = ([card for card in [tavern["top"], *tavern["hidden"]] if card] for tavern in (old, new))
            assert was[len(was) - len(is_) :] == is_
        assert after["start_player"] == before["start_player"]
        for old, new in zip(before["spent"], after["spent"], strict=True):
            assert set(map(str, old)) <= set(map(str, new))


AnyHalunken.TestCase.settings = settings(max_examples=50, stateful_step_count=25)


class TestAnyHalunken(AnyHalunken.TestCase):
    """Hypothesis plays."""
