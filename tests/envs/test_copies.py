"""Copies of environments can be played and share nothing, wherever the memory of their pickles lies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_env import make_batch
from blackjacky_env.declare.game import Game
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from tests.envs.playing import assert_same, fresh
from tests.play.test_batch import arrays

Copied = Callable[[Any], Any]


def pickled(env: Any) -> Any:
    """A copy through a pickle."""
    return pickle.loads(pickle.dumps(env))


def from_an_object_store(env: Any) -> Any:
    """A copy whose buffers lie apart in read-only memory, at odd addresses."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[memoryview(b"\0" + buffer.raw())[1:] for buffer in buffers])


def with_shared_buffers(env: Any) -> Any:
    """A copy whose buffers are the memory of the original."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=buffers)


COPIES = [copy.copy, copy.deepcopy, pickled, from_an_object_store, with_shared_buffers]
in_every_way = pytest.mark.parametrize("copied", COPIES)


def arrays_of(thing: Any) -> list[np.ndarray[Any, Any]]:
    """All arrays among an object's attributes."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, dict):
        return [array for entry in thing.values() for array in arrays_of(entry)]
    if isinstance(thing, tuple | list):
        return [array for entry in thing for array in arrays_of(entry)]
    return []


def play(env: Any, steps: int) -> list[Any]:
    """Rewards and masks of the first legal actions at a table."""
    told = []
    for _ in range(steps):
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
        told.append((env.agent_selection, dict(env.rewards), env.last()[0]["action_mask"].tolist()))
    return told


@in_every_way
def test_a_copied_table_goes_on_alone(game: Game, copied: Copied) -> None:
    env = fresh(1, game.name)
    play(env, 3)
    other = copied(env)
    before = env.snapshot()
    told = play(other, 5)
    assert env.snapshot() == before
    assert play(env, 5) == told
    assert env.record() == other.record()


@in_every_way
def test_a_copied_seat_goes_on_alone(copied: Copied) -> None:
    env = SeatEnv("black_jacky", opponents=["champion", "counter"], num_players=3, seat=0)
    _, info = env.reset(seed=1)
    other = copied(env)
    action, before = info["action_mask"].argmax(), env.table.snapshot()
    after = other.step(action)
    assert env.table.snapshot() == before
    assert_same(env.step(action)[:2], after[:2])
    assert_same(env.reset()[0], other.reset()[0])


@in_every_way
def test_copied_seats_go_on_alone(copied: Copied) -> None:
    env = SeatVectorEnv("black_jacky", 4, opponents=["champion", "threshold"], num_players=3, hearts=1)
    _, info = env.reset(seed=1)
    other = copied(env)
    before, mask = copy.deepcopy(vars(env)["_states"]), info["action_mask"]
    after = [other.step(mask.argmax(axis=1))]
    assert_same(env._states, before)
    for step in range(20):
        again = env.step(mask.argmax(axis=1))
        assert_same(after[step][:3], again[:3])
        mask = again[4]["action_mask"]
        after.append(other.step(mask.argmax(axis=1)))


@in_every_way
@pytest.mark.parametrize("options", [{"copy": True}, {"copy": False}], ids=str)
def test_a_copied_batch_goes_on_alone(copied: Copied, options: dict[str, Any]) -> None:
    batch = make_batch("black_jacky", 4, num_players=3, seed=1, hearts=1, **options)
    other, before = copied(batch), arrays(batch)
    other.run_random(50)
    assert_same(arrays(batch), before)
    batch.run_random(50)
    for each in (other, batch):
        each.step(each.random_actions())
    assert_same(arrays(other), arrays(batch))


@pytest.mark.parametrize("copied", [from_an_object_store, with_shared_buffers])
def test_a_copied_agent_has_its_parameters_for_itself(copied: Copied) -> None:
    agent: Any = make_agent("champion")
    other = copied(agent)
    assert other.parameters.flags.writeable
    assert other.parameters.flags.aligned
    assert not np.shares_memory(other.parameters, agent.parameters)
    np.testing.assert_array_equal(other.parameters, agent.parameters)


def test_nothing_of_a_copy_lies_in_foreign_memory() -> None:
    for each in (fresh(), SeatVectorEnv("black_jacky", 3), make_batch("black_jacky", 3)):
        pairs = list(zip(arrays_of(vars(each)), arrays_of(vars(from_an_object_store(each))), strict=True))
        assert pairs
        for original, array in pairs:
            assert array.flags.writeable
            assert array.flags.aligned or not original.flags.aligned
