"""A small game with everything that can go wrong, and faulty versions of it, one fault each.

Three players take coins. Who takes k coins is paid k; then a die is cast, and on a 0 he is out alone, loses 2, and the
others are paid 1. The rest of the game is over after 20 turns, or when one is left. Every player has a secret number.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

PLAYERS = ("player_0", "player_1", "player_2")
MOST = 3  # coins that may be taken at once
TURNS = 20


class IllegalError(Exception):
    pass


class Toy(AECEnv):
    metadata: ClassVar[dict[str, Any]] = {"name": "toy_v0"}
    FIELDS = ("rng", "coins", "secrets", "turn", "agents", "agent_selection", "rewards", "_cumulative_rewards")
    FIELDS += ("terminations", "truncations", "infos", "_skip_agent_selection")

    def __init__(self):
        super().__init__()
        self.possible_agents = list(PLAYERS)
        self.agents = []
        self.rng = None
        part = {
            "observation": spaces.Box(-1, 100, (6,), np.int8),
            "action_mask": spaces.Box(0, 1, (MOST + 1,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(part) for agent in PLAYERS}
        self.action_spaces = {agent: spaces.Discrete(MOST + 1) for agent in PLAYERS}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        if seed is not None or self.rng is None:
            self.rng = np.random.default_rng(seed)
        self.agents = list(PLAYERS)
        self.coins = np.array([5])
        self.secrets = self.deal()
        self.turn = 0
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos = {agent: {} for agent in PLAYERS}
        self._skip_agent_selection = None
        self.agent_selection = PLAYERS[0]

    def deal(self):
        return self.rng.integers(1, 6, size=3)

    def observe(self, agent):
        alive = [player in self.agents and not self.terminations[player] for player in PLAYERS]
        seen = np.array([self.secrets[PLAYERS.index(agent)], self.coins[0], self.turn, *alive], np.int8)
        return {"observation": seen, "action_mask": self.mask(agent)}

    def mask(self, agent):
        on_turn = agent == self.agent_selection and not self.terminations[agent]
        return np.array([on_turn and coins <= self.coins[0] for coins in range(MOST + 1)], np.int8)

    def state(self):
        return np.array([*self.secrets, self.coins[0], self.turn])

    def check(self, action):
        if not 0 <= action <= min(MOST, self.coins[0]):
            raise IllegalError(f"{action} coins cannot be taken from {self.coins[0]}")

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self.check(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.coins -= action
        self.coins += self.rng.integers(3)
        self.turn += 1
        self.rewards[agent] += action
        following = self.next_alive(agent)
        if self.cast() == 0:
            self.eliminate(agent)
        self._accumulate_rewards()
        if self.turn == TURNS or sum(not self.terminations[player] for player in self.agents) <= 1:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = following
        self._deads_step_first()

    def cast(self):
        return self.rng.integers(8)

    def next_alive(self, agent):
        after = self.agents[self.agents.index(agent) + 1 :] + self.agents
        return next(player for player in after if not self.terminations[player])

    def eliminate(self, agent):
        for player in self.agents:
            self.rewards[player] += -2 if player == agent else 1
        self.terminations[agent] = True

    def get_state(self):
        return pickle.dumps({name: getattr(self, name) for name in self.FIELDS})

    def set_state(self, state):
        self.__dict__.update(pickle.loads(state))

    def render(self):
        return None


# Determinism


class SharedGenerator(Toy):
    """All instances draw from one generator."""

    generator = np.random.default_rng(0)

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        if seed is not None:
            SharedGenerator.generator = np.random.default_rng(seed)

    def cast(self):
        return SharedGenerator.generator.integers(8)


class HashOrder(Toy):
    """Numbers are dealt in the order of a set of strings."""

    def deal(self):
        return np.array([int(name.split()[1]) for name in {f"number {number}" for number in range(1, 90)}][:3])


class LeftOver(Toy):
    """A reset forgets to begin the turns anew."""

    def reset(self, seed=None, options=None):
        turn = getattr(self, "turn", 0)
        super().reset(seed, options)
        self.turn = turn % 10


# Copies


class SharedArray(Toy):
    """A deep copy has its coins in common with the original."""

    def __deepcopy__(self, memo):
        other = copy.copy(self)
        for name in self.FIELDS:
            if name != "coins":
                setattr(other, name, copy.deepcopy(getattr(self, name), memo))
        return other


class LostGenerator(Toy):
    """A pickled environment has a new generator."""

    def __getstate__(self):
        return {**self.__dict__, "rng": np.random.default_rng(0)}


class ForgottenSums(Toy):
    """A state lacks the cumulative rewards."""

    FIELDS = tuple(name for name in Toy.FIELDS if name != "_cumulative_rewards")


class ForgottenGenerator(Toy):
    """A state lacks the generator, which nothing shows at once."""

    FIELDS = tuple(name for name in Toy.FIELDS if name != "rng")


# Actions


class WideMask(Toy):
    """One coin more than there is."""

    def mask(self, agent):
        on_turn = agent == self.agent_selection and not self.terminations[agent]
        return np.array([on_turn and coins <= self.coins[0] + 1 for coins in range(MOST + 1)], np.int8)


class NarrowMask(Toy):
    """Three coins may be taken, but the mask says no."""

    def mask(self, agent):
        return super().mask(agent) * np.array([1, 1, 1, 0], np.int8)


class EmptyMask(Toy):
    """With fewer than two coins the mask allows nothing."""

    def mask(self, agent):
        return super().mask(agent) * np.int8(self.coins[0] >= 2)


class NegativeAction(Toy):
    """-1 counts from the end, as NumPy has it."""

    def check(self, action):
        super().check(abs(action))


class SilentRefusal(Toy):
    """An illegal action is taken for a 0."""

    def step(self, action):
        super().step(action if action is None or self.mask(self.agent_selection)[action] else 0)


class DieCast(Toy):
    """An illegal action casts the die, which can be seen only later."""

    def check(self, action):
        try:
            super().check(action)
        except IllegalError:
            self.cast()
            raise


# Rewards


class RewardsKept(Toy):
    """Rewards of earlier steps are paid again."""

    def _clear_rewards(self):
        pass


class SumsKept(Toy):
    """Cumulative rewards do not begin anew at an agent's step."""

    def step(self, action):
        sums = dict(self._cumulative_rewards)
        agent = self.agent_selection
        done = self.terminations[agent]
        super().step(action)
        if not done:
            self._cumulative_rewards[agent] += sums[agent]


class LastRewardLost(Toy):
    """Who is out leaves at once, without a last step."""

    def eliminate(self, agent):
        super().eliminate(agent)
        self.agents.remove(agent)
        for books in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del books[agent]


# Observations


class OutOfRange(Toy):
    """Turns are counted down from 101."""

    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][2] = 101 - self.turn
        return seen


class WrongType(Toy):
    """A dtype that Gymnasium's `contains` would let pass if the space were float."""

    def __init__(self):
        super().__init__()
        part = {"observation": spaces.Box(-1, 100, (6,), np.float32), "action_mask": spaces.Box(0, 1, (4,), np.int8)}
        self.observation_spaces = {agent: spaces.Dict(part) for agent in PLAYERS}


class WrongShape(Toy):
    """Off turn one entry is missing."""

    def observe(self, agent):
        seen = super().observe(agent)
        return seen if agent == self.agent_selection else {**seen, "observation": seen["observation"][:-1]}


class OffTurnMask(Toy):
    """Everybody sees the mask of whoever is on turn."""

    def mask(self, agent):
        return super().mask(self.agent_selection)


class OtherLast(Toy):
    """`last` shows the observation as it was."""

    def last(self, observe=True):
        seen, *others = super().last(observe)
        if observe:
            seen["observation"][1] = 5
        return seen, *others


class LookingCounts(Toy):
    """Looking draws from the generator."""

    def observe(self, agent):
        self.rng.integers(2)
        return super().observe(agent)


class OneBuffer(Toy):
    """All observations are the same array."""

    def __init__(self):
        super().__init__()
        self.buffer = np.zeros(6, np.int8)

    def observe(self, agent):
        seen = super().observe(agent)
        self.buffer[:] = seen["observation"]
        return {**seen, "observation": self.buffer}


class OwnArray(Toy):
    """Writing into the mask changes the game."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.masks = {}

    def mask(self, agent):
        return self.masks.setdefault((self.turn, agent, self.agent_selection), super().mask(agent))
