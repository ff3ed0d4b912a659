"""Copies are faithful: they look like the original, continue like it, and share nothing with it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import islice
from typing import Any

from blackjacky_env.testing.readouts import Env, first_difference, readout
from blackjacky_env.testing.trial import RecordedGame, Skipped, Trial, check

_RESETS = 3  # without a seed, after a game


@check
def check_deepcopy(trial: Trial) -> None:
    """`copy.deepcopy` at random moments."""
    _check_copies(trial, lambda env, seed: _try("copy.deepcopy", copy.deepcopy, env))


@check
def check_pickle(trial: Trial) -> None:
    """Pickling and unpickling at random moments."""
    _check_copies(trial, lambda env, seed: _try("pickle", _through_pickle, env))


@check
def check_state(trial: Trial) -> None:
    """`get_state` at random moments, and `set_state` in an environment that is in the middle of another game."""
    raw = trial.make().unwrapped
    if not (hasattr(raw, "get_state") and hasattr(raw, "set_state")):
        raise Skipped("the environment has no get_state and set_state")

    def through_state(env: Env, seed: int) -> Env:
        original: Any = env.unwrapped
        state, other = original.get_state(), trial.make()
        other.reset(seed=seed + 1)
        elsewhere = Trial(trial.make_env, policy=trial.policy)
        for action in islice(elsewhere.moves(other, seed + 1), seed % 5):
            other.step(action)
        receiver: Any = other.unwrapped
        receiver.set_state(state)
        return other

    _check_copies(trial, through_state)


def _through_pickle(env: Env) -> Any:
    return pickle.loads(pickle.dumps(env))  # noqa: S301  # the data comes from dumps in the same line


def _try(name: str, make_copy: Callable[[Env], Any], env: Env) -> Env:
    try:
        other: Env = make_copy(env)
    except (TypeError, pickle.PicklingError, AttributeError, NotImplementedError) as error:
        raise Skipped(f"{name} is refused: {type(error).__name__}: {error}") from None
    return other


def _check_copies(trial: Trial, make_copy: Callable[[Env, int], Env]) -> None:
    """Compare copies at random moments and afterwards; original and copy take turns to continue first."""
    for game in trial.recorded_games():
        reproducible = _reset_difference(trial.replay(game), trial.replay(game)) is None
        for number, moment in enumerate(trial.some_moments(game)):
            env = trial.replay(game, moment)
            before = readout(env)
            other = make_copy(env, game.seed)
            try:
                copied = readout(other)
            except Exception as error:  # noqa: BLE001  # a broken copy may raise anything
                trial.fail(f"inspecting the copy raises {type(error).__name__}: {error}")
            trial.compare(before, copied, "in the original", "in the copy")
            trial.compare(before, readout(env), "before it was copied", "after it was copied")
            pair = [(env, "the original"), (other, "the copy")]
            _play_on(trial, game, moment, pair[:: 1 - 2 * (number % 2)])
            trial.place.step, trial.place.agent = None, None
            if reproducible and (difference := _reset_difference(env, other)):
                trial.fail(difference)


def _play_on(trial: Trial, game: RecordedGame, moment: int, pair: list[tuple[Env, str]]) -> None:
    (first, first_name), (second, second_name) = pair
    before = readout(second)
    seen = trial.readouts(first, trial.again(first, game, moment))
    trial.compare(before, readout(second), f"in {second_name}", f"after {first_name} has continued")
    alike = f"in {second_name}, which continues with the same actions"
    for action, expected in zip(trial.again(second, game, moment), seen, strict=True):
        second.step(action)
        trial.compare(expected, readout(second), f"in {first_name}", alike)
    trial.compare(seen[-1], readout(first), f"in {first_name}", f"after {second_name} has continued")


def _reset_difference(env: Env, other: Env) -> str | None:
    """How two environments differ after resets without a seed, which in some do not follow from the seeded one."""
    for _ in range(_RESETS):
        env.reset()
        other.reset()
        there = "in the copy, after both were reset without a seed"
        if difference := first_difference(readout(env), readout(other), "in the original", there):
            return difference
    return None
