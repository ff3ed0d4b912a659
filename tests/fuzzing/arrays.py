"""The target of checkpoints that are restored; an input names one, or says by which changes. What is taken plays on."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np

from blackjacky_agents.learning.league.league_run import League
from blackjacky_agents.learning.league.pool import PoolMember
from blackjacky_agents.learning.league.seating import draw_seating
from blackjacky_agents.learning.sb3 import PPORun
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import league_settings_of, presets_of
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.storage.checkpoint import load_checkpoint
from blackjacky_env.games import DEFAULT, get_game
from tests.fuzzing.games import change_entry
from tests.fuzzing.mutators import changed_value
from tests.fuzzing.target import Target, folder


class Subject(NamedTuple):
    arrays: Mapping
    state: object  # kept beside them
    restore: Callable  # restores these, and goes on for a while


def _restore(data):
    subjects, name, rng = checkpoints(), data.decode(errors="replace"), Random(data)
    subject = subjects.get(name) or rng.choice(list(subjects.values()))
    arrays, state = {key: array.copy() for key, array in subject.arrays.items()}, deepcopy(subject.state)
    for _ in range(0 if name in subjects else rng.choice((1, 1, 2, 4))):
        if state and rng.random() < 0.3:
            state = changed_value(state, None, rng)
        else:
            _change(arrays, rng.choice([*subject.arrays]), subject, rng)
    subject.restore(arrays, state)


def _change(arrays, name, subject, rng):
    """Change an entry of an array, give it another type and shape, or leave it out."""
    array, way = subject.arrays[name], rng.random()
    if way < 0.1:
        arrays.pop(name, None)
    elif way < 0.3:
        shape = [rng.choice((size, 0, 1, size + 1, 2**40)) for size in array.shape]
        dtype = rng.choice((array.dtype, np.float64, np.int64, np.bool_, np.uint8))
        arrays[name] = np.broadcast_to(np.zeros((), dtype), rng.choice((array.shape, shape, [*shape, 1], [])))
    else:
        arrays[name] = changed = array.copy()
        change_entry(changed, rng)


def _play(env, steps):
    rng = np.random.default_rng(0)
    for _ in range(steps):
        masks = env.action_masks()
        env.step(np.argmax(rng.random(masks.shape) * masks, axis=1))


_LEAGUE = {"hidden_sizes": (4,), "bots": ("random",), "threads": 1, "pool_size": 2, "encoding": "raw"}
SMALL = {**_LEAGUE, "num_envs": 3, "n_steps": 4, "batch_size": 4}


@cache
def checkpoints():
    return {"self_play": _self_play(), "sb3": _sb3(), "league": _league(), "mccfr": _solver()}


def _kept(run, go_on):
    """A training as it is now."""
    run.snapshots = [run.agent(greedy=False)]
    arrays, state, _ = load_checkpoint(run.save().parent)

    def restore(given, state):
        with suppress(KeyError):
            run.restore(dict(given), state if isinstance(state, dict) else {})
        go_on()

    return Subject(arrays, state, restore)


def _self_play():
    run = SelfPlay(replace(presets_of(DEFAULT)["scratch"], **SMALL), folder(), "")
    collector = run._new_collector(3)

    def go_on():
        run._take(collector.collect(*run._next_players()))
        run._update()

    return _kept(run, go_on)


def _sb3():
    run = PPORun(replace(presets_of(DEFAULT)["sb3"], **SMALL), folder(), "")
    run.env.reset()

    def go_on():
        run._seat_opponents()
        _play(run.env.games, 6)

    return _kept(run, go_on)


def _league():
    run = League(replace(league_settings_of(DEFAULT), **_LEAGUE, buffer_size=10, init_from=""), folder(), "")
    run.pool.add(PoolMember("snapshot 1", run.agent(greedy=False)))
    return _kept(run, lambda: draw_seating(run.settings, run.pool.probabilities(), run.rng))


def _solver():
    size, variant, options = get_game(DEFAULT).find_table("mini-1", None, None, {})
    solver = SampledSolver(SmallTable.of(DEFAULT, size, variant, **options), memory=2**18)
    solver.run(1)

    def restore(arrays, state):
        solver.restore(dict(arrays))
        solver.run(1)

    return Subject({name: array.copy() for name, array in solver.save().items()}, {}, restore)


TARGETS = (
    Target(
        "restored_checkpoint", _restore, (ValueError, TypeError), lambda: [name.encode() for name in checkpoints()], 2.0
    ),
)
