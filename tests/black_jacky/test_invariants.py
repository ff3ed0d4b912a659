"""What holds in every position of every game of the family, whatever is done to the environment."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from blackjacky_env import IllegalActionError, black_jacky_v0
from tests.black_jacky.games import SEEDS, options_of_games
from tests.black_jacky.rigging import KNOCK, NO_TRICK, all_cards, cards_on_table
from tests.envs.playing import fingerprint

Snapshot = dict[str, Any]

# R5, R7, P3, P4: what a settlement may make of a status. Nobody comes back from "out".
CHANGES = {("saloon", "wanted"), ("saloon", "out"), ("wanted", "saloon"), ("wanted", "out")}
TASTES = {
    "knocks": lambda legal: legal & {NO_TRICK, KNOCK} or legal,
    "any": lambda legal: legal,
    "hoards": lambda legal: legal - {1, KNOCK} or legal,
    "tricks": lambda legal: legal - {NO_TRICK, KNOCK} or legal,
}


def through_pickle(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


def through_state(env: Any) -> Any:
    other = black_jacky_v0.env(**env.config_dict())
    other.set_state(env.get_state())
    return other


class AnyGame(RuleBasedStateMachine):
    """Games of any options, played, copied, saved, drawn and disturbed in any order."""

    states = Bundle("states")

    @initialize(options=options_of_games(), seed=SEEDS)
    def sit_down(self, options: dict[str, Any], seed: int) -> None:
        self.env = black_jacky_v0.env(render_mode="ansi", **options)
        self.env.reset(seed=seed)
        self.first_hearts, self.players = options["hearts"], options["num_players"]

    # ---------------------------------------------------------------- what is done

    @property
    def table(self) -> Snapshot:
        return self.env.snapshot()

    @property
    def legal(self) -> set[int]:
        return set(np.flatnonzero(self.env.infos[self.env.agent_selection]["action_mask"]).tolist())

    def act(self, action: int) -> None:
        before = self.table
        self.env.step(action)
        check_change(before, self.table)
        self.check_rewards(before, self.table)

    def is_over(self) -> bool:
        return not self.env.agents or all(self.env.terminations.values())

    @rule(number=st.integers(0, 60))
    def move(self, number: int) -> None:
        if not self.is_over():
            self.act(sorted(self.legal)[number % len(self.legal)])

    @rule(taste=st.sampled_from(list(TASTES)), moves=st.sampled_from([400, 30, 5]), seed=st.integers(0, 2**32 - 1))
    def play_on(self, taste: str, moves: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(moves):
            if self.is_over():
                return
            self.act(int(rng.choice(sorted(TASTES[taste](self.legal)))))
            self.look()

    @rule(action=st.integers(-1, 61) | st.integers() | st.floats() | st.text() | st.booleans() | st.none())
    def be_refused(self, action: Any) -> None:
        if self.is_over() or (type(action) is int and action in self.legal):
            return
        before = fingerprint(self.env)
        with pytest.raises((IllegalActionError, TypeError)):
            self.env.step(action)
        assert fingerprint(self.env) == before

    @rule(how=st.sampled_from([copy.deepcopy, through_pickle, through_state]))
    def go_on_with_a_copy(self, how: Any) -> None:
        other = how(self.env)
        assert fingerprint(other) == fingerprint(self.env)
        self.env = other

    @rule(target=states)
    def save(self) -> tuple[bytes, str]:
        return self.env.get_state(), fingerprint(self.env)

    @rule(saved=states)
    def go_back(self, saved: tuple[bytes, str]) -> None:
        state, digest = saved
        self.env.set_state(state)
        assert fingerprint(self.env) == digest

    @rule(seed=SEEDS)
    def imagine(self, seed: int) -> None:
        """A sampled position is a position like any other."""
        if not self.env.agents:
            return
        seat = seed % self.players
        vector = self.env.observe(f"player_{seat}")["observation"]
        other = black_jacky_v0.env(**self.env.config_dict())
        other.set_state(black_jacky_v0.sample_state(vector, np.random.default_rng(seed)))
        before, self.env = self.env, other
        self.look()
        self.env = before

    @rule()
    def draw_it(self) -> None:
        before = fingerprint(self.env)
        text = self.env.render()
        assert text is not None
        assert max(map(len, text.splitlines())) <= 80
        assert fingerprint(self.env) == before

    @precondition(lambda self: self.is_over())
    @rule(seed=st.none() | SEEDS)
    def leave_and_start_again(self, seed: int | None) -> None:
        while self.env.agents:
            self.env.step(None)
        assert self.table["phase"] == "over"
        self.env.reset(seed=seed)
        assert self.table["hearts"] == [self.first_hearts] * self.players
        assert self.table["round"] == self.table["turn"] == 0

    # ---------------------------------------------------------------- what holds

    @invariant()
    def look(self) -> None:
        """All that must hold in a position."""
        table = self.table
        self.check_cards(table)
        self.check_hearts(table)
        self.check_turns(table)
        self.check_who_acts(table)

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

    def check_who_acts(self, table: Snapshot) -> None:
        """Exactly one player may act, unless the game is over; nothing is truncated."""
        if not self.env.agents:
            return
        able = [agent for agent in self.env.agents if self.env.observe(agent)["action_mask"].any()]
        assert able == ([] if table["phase"] == "over" else [f"player_{table['player']}"])
        assert self.env.agent_selection in (able or self.env.agents)
        assert set(self.env.terminations.values()) == {table["phase"] == "over"}
        assert not any(self.env.truncations.values())
        for agent in self.env.agents:
            assert self.env.observation_space(agent).contains(self.env.observe(agent))

    def check_rewards(self, before: Snapshot, after: Snapshot) -> None:
        """The result is shared out at the end and sums to 0; hearts are paid as they change."""
        rewards = [self.env.rewards[f"player_{q}"] for q in range(self.players)]
        if self.env.reward == "hearts":
            assert rewards == [new - old for old, new in zip(before["hearts"], after["hearts"], strict=True)]
            return
        won, lost = len(after["winners"]), self.players - len(after["winners"])
        assert sum(rewards) == pytest.approx(0)
        for q, reward in enumerate(rewards):
            shares = 0 if not won or not lost else 1 / won if q in after["winners"] else -1 / lost
            assert reward == pytest.approx(shares)


def check_change(before: Snapshot, after: Snapshot) -> None:
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


AnyGame.TestCase.settings = settings(max_examples=120, stateful_step_count=30)


class TestAnyGame(AnyGame.TestCase):
    """Hypothesis plays."""
