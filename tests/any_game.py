"""What Hypothesis does to a game of any kind: play, copy, save, imagine, draw and disturb it, in any order."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from blackjacky_env import IllegalActionError
from tests.envs.playing import fingerprint

SEEDS = st.integers(0, 2**63 - 1)
Snapshot = dict[str, Any]
Tastes = Mapping[str, Callable[[set[int]], set[int]]]


class AnyGame(RuleBasedStateMachine):
    """Games of any options; a game's own class sits down and says what holds."""

    states = Bundle("states")
    module: Any
    """The game's module, such as `black_jacky_v0`."""
    tastes: ClassVar[Tastes] = {"any": lambda legal: legal}
    """Ways to play: (legal actions) -> the actions to choose from."""

    def begin(self, seed: int, options: dict[str, Any]) -> None:
        """Sit down."""
        self.env = self.module.env(render_mode="ansi", **options)
        self.env.reset(seed=seed)
        self.players = self.env.num_players

    def check_position(self, table: Snapshot) -> None:
        """What holds in every position."""
        raise NotImplementedError

    def check_change(self, before: Snapshot, after: Snapshot) -> None:
        """What one action may do."""
        raise NotImplementedError

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
        self.check_change(before, self.table)

    def is_over(self) -> bool:
        return not self.env.agents or all(self.env.terminations.values())

    @rule(number=st.integers(0, 60))
    def move(self, number: int) -> None:
        if not self.is_over():
            self.act(sorted(self.legal)[number % len(self.legal)])

    @rule(taste=st.integers(0, 60), moves=st.sampled_from([400, 30, 5]), seed=st.integers(0, 2**32 - 1))
    def play_on(self, taste: int, moves: int, seed: int) -> None:
        choose, rng = list(self.tastes.values())[taste % len(self.tastes)], np.random.default_rng(seed)
        for _ in range(moves):
            if self.is_over():
                return
            self.act(int(rng.choice(sorted(choose(self.legal)))))
            self.look()

    @rule(action=st.integers(-1, 61) | st.integers() | st.floats() | st.text() | st.booleans() | st.none())
    def be_refused(self, action: Any) -> None:
        if self.is_over() or (type(action) is int and action in self.legal):
            return
        before = fingerprint(self.env)
        with pytest.raises((IllegalActionError, TypeError)):
            self.env.step(action)
        assert fingerprint(self.env) == before

    def through_state(self, env: Any) -> Any:
        other = self.module.env(**env.config_dict())
        other.set_state(env.get_state())
        return other

    @rule(how=st.sampled_from(["deepcopy", "pickle", "state"]))
    def go_on_with_a_copy(self, how: str) -> None:
        ways = {
            "deepcopy": copy.deepcopy,
            "pickle": lambda env: pickle.loads(pickle.dumps(env)),
            "state": self.through_state,
        }
        other = ways[how](self.env)
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
        """A sampled position is a position like any other, and looks the same to its player."""
        if not self.env.agents:
            return
        vector = self.env.observe(f"player_{seed % self.players}")["observation"]
        other = self.module.env(**self.env.config_dict())
        other.set_state(self.module.sample_state(vector, np.random.default_rng(seed)))
        assert np.array_equal(other.observe("player_0")["observation"], vector)
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
        self.check_start(self.table)

    def check_start(self, table: Snapshot) -> None:
        """What holds where a game begins."""
        raise NotImplementedError

    # ---------------------------------------------------------------- what holds

    @invariant()
    def look(self) -> None:
        """All that must hold in a position."""
        self.check_who_acts(self.table)
        self.check_position(self.table)

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

    def check_result(self, after: Snapshot, rewards: list[float]) -> None:
        """Reward "win": the result is shared out at the end and sums to 0."""
        won, lost = len(after["winners"]), self.players - len(after["winners"])
        assert sum(rewards) == pytest.approx(0)
        for q, reward in enumerate(rewards):
            shares = 0 if not won or not lost else 1 / won if q in after["winners"] else -1 / lost
            assert reward == pytest.approx(shares)

    def rewards(self) -> list[float]:
        """What the last action brought, by seat."""
        return [self.env.rewards[f"player_{q}"] for q in range(self.players)]
