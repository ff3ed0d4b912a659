"""What Hypothesis does to games of every kind: play, copy, save and disturb them, in any order.

Whatever was done, the game that is left is played again by the reference implementation, which must agree with every
position on its way.
"""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from blackjacky_env import IllegalActionError
from tests.envs.playing import fingerprint
from tests.games.fixtures import check_invariants
from tests.reference.declaration import Reference
from tests.reference.registry import REFERENCES
from tests.reference.side_by_side import replay

SEEDS = st.integers(0, 2**63 - 1)
COMPARED = 150
"""Actions that are compared with the reference implementation, which is slow."""


class AnyGame(RuleBasedStateMachine):
    """Games of any options."""

    states = Bundle("states")
    reference: ClassVar[Reference]

    @initialize(data=st.data(), reward=st.integers(0, 1), seed=SEEDS)
    def sit_down(self, data: st.DataObject, reward: int, seed: int) -> None:
        reference = self.reference
        players = data.draw(st.sampled_from(reference.sizes()))
        options = reference.any_options(data.draw(st.randoms(use_true_random=False)), players)
        self.options = {**options, "reward": reference.rewards[reward]}
        self.env = reference.environment.env(**self.options)
        self.policies = [*reference.policies.values(), *reference.steering.values()]
        self.seed, self.players = seed, players
        self.env.reset(seed=seed)

    def teardown(self) -> None:
        if hasattr(self, "env"):
            record, other = self.env.record(), self.reference.environment.env(**self.options)
            other.replay(json.loads(json.dumps(record)))
            assert other.snapshot() == self.env.snapshot()
            replay(record, self.options, COMPARED)

    # ---------------------------------------------------------------- what is done

    @property
    def legal(self) -> set[int]:
        return set(np.flatnonzero(self.env.infos[self.env.agent_selection]["action_mask"]).tolist())

    def is_over(self) -> bool:
        return not self.env.agents or all(self.env.terminations.values())

    def scores(self) -> list[int]:
        return [self.env.game.rules.score(self.env._states[0], seat) for seat in range(self.players)]

    def act(self, action: int) -> None:
        """Every action pays what the score has changed, or the result at the end, which is shared out and sums to 0."""
        before = self.scores()
        self.env.step(action)
        rewards = [self.env.rewards[agent] for agent in self.env.possible_agents]
        if self.env.reward != "win":
            assert rewards == [new - old for old, new in zip(before, self.scores(), strict=True)]
            return
        won = self.env.snapshot()["winners"]
        shares = {True: len(won), False: len(won) - self.players}
        even = not won or len(won) == self.players
        assert rewards == pytest.approx([0 if even else 1 / shares[q in won] for q in range(self.players)])

    @rule(number=st.integers(0, 60))
    def move(self, number: int) -> None:
        if not self.is_over():
            self.act(sorted(self.legal)[number % len(self.legal)])

    @rule(policy=st.integers(0, 60), moves=st.sampled_from([400, 30, 5]), seed=st.integers(0, 2**32 - 1))
    def play_on(self, policy: int, moves: int, seed: int) -> None:
        choose, rng = self.policies[policy % len(self.policies)], np.random.default_rng(seed)
        for _ in range(moves):
            if self.is_over():
                return
            self.act(int(rng.choice(sorted(choose(self.legal)))))
            self.look()

    @rule(action=st.integers(-1, 75) | st.integers() | st.floats() | st.text() | st.booleans() | st.none())
    def be_refused(self, action: Any) -> None:
        if self.is_over() or (type(action) is int and action in self.legal):
            return
        before = fingerprint(self.env)
        with pytest.raises((IllegalActionError, TypeError)):
            self.env.step(action)
        assert fingerprint(self.env) == before

    @rule(how=st.sampled_from(["deepcopy", "pickle", "state"]))
    def go_on_with_a_copy(self, how: str) -> None:
        other = copy.deepcopy(self.env) if how == "deepcopy" else pickle.loads(pickle.dumps(self.env))
        if how == "state":
            other = self.reference.environment.env(**self.env.config_dict())
            other.set_state(self.env.get_state())
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

    @precondition(lambda self: self.is_over())
    @rule(seed=st.none() | SEEDS)
    def leave_and_start_again(self, seed: int | None) -> None:
        while self.env.agents:
            self.env.step(None)
        assert self.env.snapshot()["phase"] == "over"
        self.env.reset(seed=seed)
        assert self.reference.deal_number(self.env.snapshot()) == 0

    # ---------------------------------------------------------------- what holds

    @invariant()
    def look(self) -> None:
        """Exactly one player may act, unless the game is over, and then somebody may have won; nothing is truncated.

        What is true of every position of the game is true of this one.
        """
        if not self.env.agents:
            return
        check_invariants(self.env.game, self.env._states[: 1 + self.env._has_settled])
        table = self.env.snapshot()
        over = table["phase"] == "over"
        able = [agent for agent in self.env.agents if self.env.observe(agent)["action_mask"].any()]
        assert able == ([] if over else [f"player_{table['player']}"])
        assert self.env.agent_selection in (able or self.env.agents)
        assert set(self.env.terminations.values()) == {over}
        assert not any(self.env.truncations.values())
        assert over or not table["winners"]
        for agent in self.env.agents:
            assert self.env.observation_space(agent).contains(self.env.observe(agent))


@pytest.mark.prove
@pytest.mark.parametrize("game", REFERENCES)
def test_whatever_is_done_to_a_game_it_stays_one(game):
    case = type(game, (AnyGame,), {"reference": REFERENCES[game]}).TestCase
    case.settings = settings(max_examples=40, stateful_step_count=25)
    case().runTest()
