"""A small game with everything that can go wrong, healthy or with one planted fault.

Three players take coins. Who takes k coins is paid k; then a die is cast, and on a 0 he is out alone, loses 2, and the
others are paid 1. The rest of the game is over after 20 turns, or when one is left. Every player has a secret number.
"""

import copy
import pickle
from functools import partial

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

PLAYERS = ("player_0", "player_1", "player_2")
MOST = 3  # coins that may be taken at once
TURNS = 20


class IllegalError(Exception):
    pass


class Toy(AECEnv):
    metadata = {"name": "toy_v0"}
    FIELDS = ("rng", "coins", "secrets", "turn", "agents", "agent_selection", "rewards", "_cumulative_rewards")
    FIELDS += ("terminations", "truncations", "infos", "_skip_agent_selection")
    generator = np.random.default_rng(0)  # of all toys with a shared generator

    def __init__(self, fault=""):
        super().__init__()
        self.fault = fault
        self.possible_agents = list(PLAYERS)
        self.agents = []
        self.rng = None
        self.turn = 0
        self.buffer = np.zeros(6, np.int8)
        part = {
            # a float space contains integers, by Gymnasium's `contains`
            "observation": spaces.Box(-1, 100, (6,), np.float32 if fault == "another dtype" else np.int8),
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
            self.rng, Toy.generator = np.random.default_rng(seed), np.random.default_rng(seed)
        self.agents = list(PLAYERS)
        self.coins = np.array([5])
        self.secrets = self.deal()
        self.turn = self.turn % 10 if self.fault == "turns left over" else 0
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos = {agent: {} for agent in PLAYERS}
        self._skip_agent_selection = None
        self.agent_selection = PLAYERS[0]
        self.masks = {}

    def deal(self):
        if self.fault == "order of a set":
            return np.array([int(name.split()[1]) for name in {f"number {number}" for number in range(1, 90)}][:3])
        return self.rng.integers(1, 6, size=3)

    def observe(self, agent):
        if self.fault == "looking draws":
            self.rng.integers(2)
        alive = [player in self.agents and not self.terminations[player] for player in PLAYERS]
        turn = 101 - self.turn if self.fault == "out of range" else self.turn
        seen = np.array([self.secrets[PLAYERS.index(agent)], self.coins[0], turn, *alive], np.int8)
        if self.fault == "one buffer":
            self.buffer[:] = seen
            seen = self.buffer
        if self.fault == "an entry missing off turn" and agent != self.agent_selection:
            seen = seen[:-1]
        return {"observation": seen, "action_mask": self.mask(agent)}

    def last(self, observe=True):
        seen, *others = super().last(observe)
        if observe and self.fault == "an old observation":
            seen["observation"][1] = 5
        return seen, *others

    def mask(self, agent):
        if self.fault == "everybody sees one mask":
            agent = self.agent_selection
        on_turn = agent == self.agent_selection and not self.terminations[agent]
        most = self.coins[0] + (self.fault == "wide mask")
        mask = np.array([on_turn and coins <= most for coins in range(MOST + 1)], np.int8)
        if self.fault == "narrow mask":
            mask[MOST] = 0
        if self.fault == "empty mask" and most < 2:
            mask[:] = 0
        if self.fault == "own array":
            return self.masks.setdefault((self.turn, agent, self.agent_selection), mask)
        return mask

    def state(self):
        return np.array([*self.secrets, self.coins[0], self.turn])

    def check(self, action):
        taken = abs(action) if self.fault == "negative action" else action
        if not 0 <= taken <= min(MOST, self.coins[0]):
            if self.fault == "a refusal draws":  # which can be seen only later
                self.cast()
            raise IllegalError(f"{action} coins cannot be taken from {self.coins[0]}")

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if self.fault == "silent refusal" and not self.mask(agent)[action]:
            action = 0
        self.check(action)
        if self.fault != "sums kept":
            self._cumulative_rewards[agent] = 0.0
        if self.fault != "rewards kept":
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
        return (Toy.generator if self.fault == "shared generator" else self.rng).integers(8)

    def next_alive(self, agent):
        after = self.agents[self.agents.index(agent) + 1 :] + self.agents
        return next(player for player in after if not self.terminations[player])

    def eliminate(self, agent):
        for player in self.agents:
            self.rewards[player] += -2 if player == agent else 1
        self.terminations[agent] = True
        if self.fault == "no last step":
            self.agents.remove(agent)
            for books in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
                del books[agent]

    def get_state(self):
        left_out = {"state without sums": "_cumulative_rewards", "state without generator": "rng"}.get(self.fault)
        return pickle.dumps({name: getattr(self, name) for name in self.FIELDS if name != left_out})

    def set_state(self, state):
        vars(self).update(pickle.loads(state))

    def __getstate__(self):
        lost = self.fault == "generator lost in a pickle"
        return {**vars(self), "rng": np.random.default_rng(0)} if lost else vars(self)

    def __deepcopy__(self, memo):
        other, shared = copy.copy(self), {"coins"} if self.fault == "coins shared with a copy" else set()
        vars(other).update({name: copy.deepcopy(vars(self)[name], memo) for name in vars(self).keys() - shared})
        return other

    def render(self):
        return None


WideMask = partial(Toy, "wide mask")
