"""What rigged games of all kinds share; the reference implementation plays every one of them, too (conftest.py)."""

import re
from math import prod

import numpy as np
import pytest

from blackjacky_env import IllegalActionError
from blackjacky_env.play.states import read_state
from blackjacky_env.testing.tables import state_with
from tests.reference.side_by_side import replay


class RiggedTable:
    """A game that a test rigs and plays."""

    module = None
    """The game's module, such as `black_jacky_v0`."""
    made = None
    """The tables of the test that runs."""

    def __init__(self, rigged, seed=0, **options):
        self.env = self.module.env(**options)
        self.env.reset(seed=seed, options=rigged)
        self.options = {name: value for name, value in options.items() if not name.startswith("render")}
        if self.made is not None:
            self.made.append(self)

    @property
    def now(self):
        return self.env.snapshot()

    @property
    def asked(self):
        return self.now["phase"], self.now["player"]

    @property
    def actions(self):
        mask = self.env.last()[0]["action_mask"]
        assert mask.max() <= 1
        return np.flatnonzero(mask).tolist()

    @property
    def legal(self):
        """The names of the legal actions, or what else tests of the game call them."""
        return set(map(self.env.action_name, self.actions))

    def full_name(self, action):
        """The name of an action as the environment writes it."""
        return action

    def shows(self, **expected):
        """Assert what is ``asked``, ``legal`` (a set, or names such as "R4 Y1"), and entries of the snapshot."""
        if (legal := expected.pop("legal", None)) is not None:
            assert self.legal == (set(legal.split()) if isinstance(legal, str) else legal)
        now = {**self.now, "asked": self.asked}
        assert {name: now[name] for name in expected} == expected
        return self

    def refuses(self, name, reason):
        """Assert that this action is illegal for this reason, and changes nothing."""
        before = self.env.get_state()
        with pytest.raises(IllegalActionError, match=re.escape(reason)):
            self.env.step(self.env.parse_action(self.full_name(name)))
        assert self.env.get_state() == before
        return self

    def take(self, *names):
        for name in names:
            self.env.step(self.env.parse_action(self.full_name(name)))
        return self

    def first_legal(self, actions=1):
        for _ in range(actions):
            self.env.step(self.actions[0])
        return self

    def finish(self, what=""):
        """Play the first legal actions to the end of the game, or until a number of the snapshot (``deal``) changes."""
        number = self.now.get(what)
        while self.now.get(what) == number and self.now["phase"] != "over":
            self.first_legal()
        return self

    def rewards(self):
        return [float(self.env.rewards[agent]) for agent in self.env.possible_agents]

    def seen(self, seat):
        return self.module.decode(self.env.observe(f"player_{seat}")["observation"])

    def state_parts(self):
        """The parts of the state vector by name, as lists or integers."""
        game, vector, parts = self.env.unwrapped.game, self.env.state().tolist(), {}
        for name in game.fields.on_table:
            shape = game.state_dtype[name].shape
            values, vector = vector[: prod(shape)], vector[prod(shape) :]
            parts[name] = np.reshape(values, shape).tolist()
        assert not vector
        return parts

    def records(self):
        return read_state(self.env.unwrapped.game, self.env.get_state())[1]

    def put(self, records):
        """Go on from these records, which must have values in their ranges, without the actions that led there."""
        self.env.set_state(state_with(self.env.unwrapped, records))

    def play_with_reference(self, compared):
        """Play the game again with the reference implementation, unless it is ``compared`` or has no history."""
        try:
            record = self.env.unwrapped.record()
        except RuntimeError:  # a test has arranged a position
            return
        options = {**self.options, "num_players": self.env.num_players}
        if (told := repr((record, options))) not in compared:
            replay(record, options)
            compared.add(told)
