"""Targets of arrays that come back: checkpoints that are restored, and states of many games.

An input says what is changed in arrays that are whole: dtypes, shapes, entries. What is taken is played on from.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from gymnasium.vector import AutoresetMode

from blackjacky_agents.learning.league.games import draw_seating
from blackjacky_agents.learning.league.pool import Opponent
from blackjacky_agents.learning.league.run import League
from blackjacky_agents.learning.ppo import PPORun
from blackjacky_agents.learning.run import TrainingRun
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.settings import league_settings_of, presets_of, self_play_settings_of
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.table import Table
from blackjacky_env.engine.reading import parse_json
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import DEFAULT, GAMES, get_game
from tests.fuzzing.target import Target, folder

Arrays = Mapping[str, npt.NDArray[Any]]


class Subject(NamedTuple):
    """Something that can be restored."""

    arrays: Arrays
    state: Mapping[str, Any]  # kept beside them
    games: str  # the name of the array of records, if there is one
    dtype: np.dtype[Any]  # of the records
    restore: Callable[[Arrays, Any], object]  # restores these, and goes on for a while


def _seeds_of(subjects: Mapping[str, Subject], count: int) -> list[bytes]:
    """Inputs that change nothing: entries of some arrays are what they are, so that mutators change them a little."""
    rng, made = Random(0), []
    for name, subject in subjects.items():
        for _ in range(count):
            arrays = {}
            for key, array in subject.arrays.items():
                flat = _records(subject, array) if key == subject.games else array
                entries = [_entry(flat, rng) for _ in range(6 if key == subject.games else rng.randrange(2))]
                arrays[key] = [entries, str(array.dtype), list(array.shape)]
            made.append(json.dumps({"of": name, "arrays": arrays, "state": subject.state}).encode())
    return made


def _records(subject: Subject, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.reshape(-1).view(subject.dtype)


def _entry(array: npt.NDArray[Any], rng: Random) -> list[Any]:
    """A place in an array, or a record and a field in it, and what stands there."""
    if array.dtype.names is None:
        i = rng.randrange(max(array.size, 1))
        return [i, array.reshape(-1)[i].item() if array.size else 0]
    i, field = rng.randrange(len(array)), rng.choice(array.dtype.names)
    return [i, field, *_entry(np.array(array[i][field]), rng)]


def _restore(subjects: Mapping[str, Subject], data: bytes) -> None:
    content = parse_json(data)
    try:
        subject = subjects[content["of"]]
        arrays = {str(name): _changed(subject, name, *each) for name, each in content["arrays"].items()}
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"this is no input: {error!r}") from None
    subject.restore(arrays, content.get("state"))


def _changed(subject: Subject, name: str, entries: list[list[Any]], dtype: Any, shape: Any) -> Any:
    """An array as it is kept, with other entries, or if dtype or shape differ zeros, which take no memory."""
    kept = subject.arrays.get(name)
    if kept is None or (dtype, shape) != (str(kept.dtype), list(kept.shape)):
        zero = np.zeros((), dtype)
        return np.broadcast_to(zero, shape) if math.prod(shape) < 2**40 else zero
    array = kept.copy()
    for i, *entry in entries:
        if name == subject.games:
            field, *within = entry
            record = _records(subject, array)[i : i + 1]
            values = np.array(record[field][0])
            _put(values, *within)
            record[field] = values
        else:
            _put(array, i, *entry)
    return array


def _put(array: npt.NDArray[Any], i: int, value: Any) -> None:
    """Change an entry; NumPy refuses what is no such number."""
    if array.dtype == np.bool_:
        array.view(np.uint8).reshape(-1)[i] = value
    else:
        array.reshape(-1)[i] = value


# ---------------------------------------------------------------- states of many games


@cache
def _vectors() -> dict[str, Subject]:
    return {f"{game} {mode}": _vector(game, mode) for game in GAMES for mode in ("NextStep", "SameStep", "Disabled")}


def _vector(name: str, mode: str) -> Subject:
    game, loses = get_game(name), "lose" if mode == "Disabled" else "raise"
    sizes = (game.variants[0].min_players, game.variants[0].max_players)
    env = SeatVectorEnv(name, 3, ["random"], sizes, autoreset_mode=mode, on_illegal=loses, threads=1)
    env.reset(seed=5)
    _play(env, 8)
    kept = env.get_state()

    def restore(arrays: Arrays, state: Any) -> None:
        before = env.get_state()
        try:
            env.set_state(arrays)
        except (ValueError, TypeError):
            if any(not np.array_equal(array, before[name]) for name, array in env.get_state().items()):
                raise AssertionError("a refused state has changed the games") from None
            raise
        _play(env, 6)
        env.set_state(kept)

    return Subject(kept, {}, "states", game.state_dtype, restore)


def _play(env: SeatVectorEnv, steps: int) -> None:
    """Random legal actions in all games that go on."""
    rng = np.random.default_rng(0)
    for _ in range(steps):
        over = ~env.action_masks().any(axis=1)
        if over.any() and env.metadata["autoreset_mode"] is AutoresetMode.DISABLED:
            env.reset(options={"reset_mask": over})
        masks = env.action_masks()
        env.step(np.argmax(rng.random(masks.shape) * masks, axis=1))


# ---------------------------------------------------------------- checkpoints

_LEAGUE: dict[str, Any] = {"hidden_sizes": (4,), "bots": ("random",), "threads": 1, "pool_size": 2, "encoding": "raw"}
SMALL = {**_LEAGUE, "num_envs": 3, "n_steps": 4, "batch_size": 4, "advice_logit": 0}


@cache
def checkpoints() -> dict[str, Subject]:
    """One of each kind, by name."""
    return {"self_play": _self_play(), "sb3": _sb3(), "league": _league(), "mccfr": _solver()}


def _kept(run: TrainingRun, games: str, go_on: Callable[[], object]) -> Subject:
    """A training as it is now."""
    arrays = {name: np.array(array) for name, array in run._arrays().items()}

    def restore(given: Arrays, state: Any) -> None:
        run._restore(dict(given), state if isinstance(state, dict) else {})
        go_on()

    return Subject(arrays, json.loads(json.dumps(run._state())), games, run.game.state_dtype, restore)


def _self_play() -> Subject:
    run = SelfPlay(replace(self_play_settings_of(DEFAULT), **SMALL), folder(), "")
    run.snapshots = [run.agent(greedy=False)]
    for _ in range(2):
        run._play_on()
        run._update(run._next_stretch())

    def go_on() -> None:
        run._begin([*run.opponents, *run.snapshots])
        run._next_stretch()

    return _kept(run, "games.states", go_on)


def _sb3() -> Subject:
    run = PPORun(replace(presets_of(DEFAULT)["sb3"], **SMALL), folder(), "")
    run.snapshots = [run.agent(greedy=False)]
    run.env.reset()
    run._seat_opponents()
    run.model._last_episode_starts = np.ones(run.env.num_envs, np.bool_)
    _learn(run.model.policy.optimizer)
    return _kept(run, "games.states", lambda: [_play(batch, 6) for batch in run.env.batches])


def _league() -> Subject:
    run = League(replace(league_settings_of(DEFAULT), **_LEAGUE, buffer_size=10, init_from=""), folder(), "")
    run.pool.add(Opponent("snapshot 1", run.agent(greedy=False)))
    for optimizer in run.learner._optimizers.values():
        _learn(optimizer)
    return _kept(run, "", lambda: draw_seating(run.settings, run.pool.probabilities(), run.rng))


def _learn(optimizer: torch.optim.Optimizer) -> None:
    """One step, after which there are moments."""
    for parameter in optimizer.param_groups[0]["params"]:
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()


def _solver() -> Subject:
    size, variant, options = get_game(DEFAULT).choose_preset("mini-1", None, None, {})
    solver = SampledSolver(Table.of(DEFAULT, size, variant, **options), memory=2**18)
    solver.run(1)

    def restore(arrays: Arrays, state: Any) -> None:
        solver.restore(dict(arrays))
        solver.run(1)

    return Subject({name: array.copy() for name, array in solver.save().items()}, {}, "", np.dtype([]), restore)


TARGETS = (
    Target(
        "vector_state",
        lambda data: _restore(_vectors(), data),
        (ValueError, TypeError),
        lambda: _seeds_of(_vectors(), 5),
    ),
    Target(
        "restored_checkpoint",
        lambda data: _restore(checkpoints(), data),
        (ValueError, TypeError),
        lambda: _seeds_of(checkpoints(), 15),
    ),
)
