"""Copies are faithful: they look like the original, continue like it, and share nothing with it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

from blackjacky_env.testing.errors import Skipped, Spot
from blackjacky_env.testing.readouts import Env, Readout, compare, first_difference, readout
from blackjacky_env.testing.trial import RecordedGame, Trial, check

_RESETS = 3  # without a seed, after a game


@check
def check_deepcopy(trial: Trial, spot: Spot) -> None:
    """`copy.deepcopy` at random moments."""
    _check_copies(trial, spot, lambda env, seed: _try("copy.deepcopy", copy.deepcopy, env))


@check
def check_pickle(trial: Trial, spot: Spot) -> None:
    """Pickling and unpickling at random moments."""
    _check_copies(trial, spot, lambda env, seed: _try("pickle", _through_pickle, env))


@check
def check_state(trial: Trial, spot: Spot) -> None:
    """`get_state` at random moments, and `set_state` in an environment that is in the middle of another game."""
    raw = trial.make().unwrapped
    if not (hasattr(raw, "get_state") and hasattr(raw, "set_state")):
        raise Skipped("the environment has no get_state and set_state")

    def through_state(env: Env, seed: int) -> Env:
        original: Any = env.unwrapped
        state, other = original.get_state(), trial.make()
        other.reset(seed=seed + 1)
        for _, action in zip(range(seed % 5), trial.moves(other, Spot(spot.check), seed + 1), strict=False):
            other.step(action)
        receiver: Any = other.unwrapped
        receiver.set_state(state)
        return other

    _check_copies(trial, spot, through_state)


def _through_pickle(env: Env) -> Any:
    return pickle.loads(pickle.dumps(env))  # noqa: S301  # the data comes from dumps in the same line


def _try(name: str, make_copy: Callable[[Env], Any], env: Env) -> Env:
    try:
        other: Env = make_copy(env)
    except (TypeError, pickle.PicklingError, AttributeError, NotImplementedError) as error:
        raise Skipped(f"{name} is refused: {type(error).__name__}: {error}") from None
    return other


def _check_copies(trial: Trial, spot: Spot, make_copy: Callable[[Env, int], Env]) -> None:
    """Compare copies at random moments and afterwards; original and copy take turns to continue first."""
    for game in trial.recorded_games(spot):
        reproducible = _resets_are_reproducible(trial, spot, game)
        for number, moment in enumerate(trial.some_moments(game)):
            env = trial.replay(spot, game, moment)
            before = readout(env)
            other = make_copy(env, game.seed)
            compare(spot, before, _look(spot, other), "in the original", "in the copy")
            compare(spot, before, readout(env), "before it was copied", "after it was copied")
            pair = [(env, "the original"), (other, "the copy")]
            _play_on(spot, game, moment, pair[:: 1 - 2 * (number % 2)])
            if reproducible:
                _reset_both(spot, env, other)


def _look(spot: Spot, other: Env) -> Readout:
    try:
        return readout(other)
    except Exception as error:  # noqa: BLE001  # a broken copy may raise anything
        spot.fail(f"inspecting the copy raises {type(error).__name__}: {error}")


def _play_on(spot: Spot, game: RecordedGame, moment: int, pair: list[tuple[Env, str]]) -> None:
    (first, first_name), (second, second_name) = pair
    before, seen = readout(second), []
    alike = f"in {second_name}, which continues with the same actions"
    for action in game.moves(first, spot, moment):
        first.step(action)
        seen.append(readout(first))
    changed = f"after {first_name} has continued"
    compare(spot, before, readout(second), f"in {second_name}", changed)
    for action, expected in zip(game.moves(second, spot, moment), seen, strict=True):
        second.step(action)
        compare(spot, expected, readout(second), f"in {first_name}", alike)
    compare(spot, seen[-1], readout(first), f"in {first_name}", f"after {second_name} has continued")


def _reset_both(spot: Spot, env: Env, other: Env) -> None:
    spot.step, spot.agent = None, None
    for _ in range(_RESETS):
        env.reset()
        other.reset()
        compare(
            spot, readout(env), readout(other), "in the original", "in the copy, after both were reset without a seed"
        )


def _resets_are_reproducible(trial: Trial, spot: Spot, game: RecordedGame) -> bool:
    """Whether resets without a seed follow from the seeded one: only then must copies agree after them."""
    env, twin = trial.replay(spot, game), trial.replay(spot, game)
    for _ in range(_RESETS):
        env.reset()
        twin.reset()
        if first_difference(readout(env), readout(twin), "", ""):
            return False
    return True
