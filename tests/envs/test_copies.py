"""Copies of environments can be played and share nothing, wherever the memory of their pickles lies."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_env import make_batch
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from tests.envs.playing import assert_same, fresh
from tests.play.test_batch import arrays


def pickled(env):
    return pickle.loads(pickle.dumps(env))


def from_an_object_store(env):
    """A copy whose buffers lie apart in read-only memory, at odd addresses."""
    buffers = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[memoryview(b"\0" + buffer.raw())[1:] for buffer in buffers])


def with_shared_buffers(env):
    """A copy whose buffers are the memory of the original."""
    buffers = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=buffers)


def arrays_of(thing):
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, dict):
        return [array for entry in thing.values() for array in arrays_of(entry)]
    if isinstance(thing, tuple | list):
        return [array for entry in thing for array in arrays_of(entry)]
    return []


def act_at_table(env):
    env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    return [env.agent_selection, dict(env.rewards), env.last()[0]]


def act_in_games(batch):
    batch.run_random(5)
    batch.step(batch.random_actions())
    return arrays(batch)


def act_from_seats(env):
    return env.step(env.action_masks().argmax(axis=-1))[:3]


SEATS = {"num_players": 3, "hearts": 1}
KINDS = {
    "table": (lambda: fresh(1), lambda env: [env.snapshot(), env.record()], act_at_table),
    "seat": (
        lambda: SeatEnv("black_jacky", opponents=["champion", "counter"], num_players=3, seat=0),
        lambda env: [env.table.snapshot()],
        act_from_seats,
    ),
    "seats": (
        lambda: SeatVectorEnv("black_jacky", 4, opponents=["champion", "threshold"], **SEATS),
        lambda env: copy.deepcopy(env._states),
        act_from_seats,
    ),
    **{
        f"batch, copy={given}": (
            partial(make_batch, "black_jacky", 4, seed=1, copy=given, **SEATS),
            arrays,
            act_in_games,
        )
        for given in (True, False)
    },
}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled, from_an_object_store, with_shared_buffers])
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_goes_on_alone(kind, copied):
    """Copies of tables of other games, the conformance kit makes."""
    make, look, act = KINDS[kind]
    env = make()
    if "seat" in kind:
        env.reset(seed=1)
    other, before = copied(env), look(env)
    told = [act(other) for _ in range(20)]
    assert_same(look(env), before)
    for each in told:
        assert_same(act(env), each)
    assert_same(look(env), look(other))


@pytest.mark.parametrize("copied", [from_an_object_store, with_shared_buffers])
def test_a_copied_agent_has_its_parameters_for_itself(copied):
    agent = make_agent("champion")
    other = copied(agent)
    assert other.parameters.flags.writeable
    assert other.parameters.flags.aligned
    assert not np.shares_memory(other.parameters, agent.parameters)
    np.testing.assert_array_equal(other.parameters, agent.parameters)


def test_nothing_of_a_copy_lies_in_foreign_memory():
    for each in (fresh(), SeatVectorEnv("black_jacky", 3), make_batch("black_jacky", 3)):
        pairs = list(zip(arrays_of(vars(each)), arrays_of(vars(from_an_object_store(each))), strict=True))
        assert pairs
        for original, array in pairs:
            assert array.flags.writeable
            assert array.flags.aligned or not original.flags.aligned
