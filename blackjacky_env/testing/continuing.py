"""The same seed and the same actions give the same game: in every environment and process, and in every copy."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from blackjacky_env.testing.readouts import Env, Readout, first_difference, readout
from blackjacky_env.testing.trial import RecordedGame, Skipped, Trial

_HASH_SEEDS = (1, 2)
_TIMEOUT = 600.0  # seconds
_RESETS = 3  # without a seed, after a game


def check_same_process(trial: Trial) -> None:
    """A new environment, and one that has played other games, to the end and in part, play the same in lockstep."""
    other = trial.another
    for game in trial.recorded:
        used = trial.replay(other)
        used.reset(seed=other.seed)
        for _ in trial.play(other, used, end=game.seed % 7):
            pass
        env = trial.begin(game.seed)
        used.reset(seed=game.seed)
        for _ in trial.play(game, env, used):
            trial.compare(readout(env), readout(used), "in a new environment", "in one that has played other games")


def check_other_process(trial: Trial) -> None:
    """New processes, each with a different PYTHONHASHSEED, play the same games."""
    expected = _watched(trial, trial.recorded)
    for hash_seed in _HASH_SEEDS:
        there = f"in a new process with PYTHONHASHSEED={hash_seed}"
        found = _play_elsewhere(trial, hash_seed)
        for game, seen, elsewhere in zip(trial.recorded, expected, found, strict=True):
            for step, pair in enumerate(zip(seen, elsewhere, strict=True)):
                trial.where = {"seed": game.seed, "step": step}
                trial.compare(*pair, "here", there)


def _watched(trial: Trial, games: list[RecordedGame]) -> list[list[Readout]]:
    """What each game shows at its start and after each action."""
    return [[readout(env) for _ in trial.play(game, env)] for game in games for env in [trial.begin(game.seed)]]


def _play_elsewhere(trial: Trial, hash_seed: int) -> list[list[Readout]]:
    try:
        task = pickle.dumps((trial.make_env, trial.recorded))
    except (pickle.PicklingError, AttributeError, TypeError):
        task = b"__main__"
    if b"__main__" in task:
        raise Skipped(
            "a new process cannot import this make_env: give 'module:function', a function at the top of a module, "
            "or a functools.partial of one"
        )
    path = os.pathsep.join(dict.fromkeys([*filter(None, sys.path), os.getcwd()]))  # noqa: PTH109  # sys.path is text
    done = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import play_task; play_task()"],
        check=False,
        input=task,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        timeout=_TIMEOUT,
    )
    if done.returncode:
        errors = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        trial.fail(f"a new process with PYTHONHASHSEED={hash_seed} ended with: {errors[-1]}")
    played: list[list[Readout]] = pickle.loads(done.stdout)  # noqa: S301  # written by `play_task`
    return played


def play_task() -> None:
    """In a new process: play the games given on standard input and write what they show to standard output."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # keep the environments' own output apart
    make_env, games = pickle.load(sys.stdin.buffer)  # noqa: S301  # written by the process that started this one
    pickle.dump(_watched(Trial(make_env), games), out)


# ---------------------------------------------------------------- copies


def check_deepcopy(trial: Trial) -> None:
    """`copy.deepcopy` at random moments."""
    _check_copies(trial, copy.deepcopy)


def check_pickle(trial: Trial) -> None:
    """Pickling and unpickling at random moments."""
    _check_copies(trial, lambda env: pickle.loads(pickle.dumps(env)))  # noqa: S301  # from dumps in the same line


def check_state(trial: Trial) -> None:
    """`get_state` at random moments, and `set_state` in an environment that is in the middle of another game."""
    if not (hasattr(trial.make().unwrapped, "get_state") and hasattr(trial.make().unwrapped, "set_state")):
        raise Skipped("the environment has no get_state and set_state")

    def through_state(env: Any) -> Any:
        other: Any = trial.replay(trial.another, 4)
        other.unwrapped.set_state(env.unwrapped.get_state())
        return other

    _check_copies(trial, through_state)


def _check_copies(trial: Trial, make_copy: Callable[[Env], Env]) -> None:
    """Compare copies at random moments and afterwards; original and copy take turns to continue first."""
    for game in trial.recorded:
        reproducible = _reset_difference(trial.replay(game), trial.replay(game)) is None
        for number, moment in enumerate(trial.some_moments(game)):
            env = trial.replay(game, moment)
            before = readout(env)
            try:
                other = make_copy(env)
            except (TypeError, pickle.PicklingError, AttributeError, NotImplementedError) as error:
                raise Skipped(f"copies are refused: {type(error).__name__}: {error}") from None
            try:
                copied = readout(other)
            except Exception as error:  # noqa: BLE001  # a broken copy may raise anything
                trial.fail(f"inspecting the copy raises {type(error).__name__}: {error}")
            trial.compare(before, copied, "in the original", "in the copy")
            trial.compare(before, readout(env), "before it was copied", "after it was copied")
            pair = [(env, "the original"), (other, "the copy")]
            _play_on(trial, game, moment, *pair[:: 1 - 2 * (number % 2)])
            if reproducible and (difference := _reset_difference(env, other)):
                trial.fail(difference)


def _play_on(trial: Trial, game: RecordedGame, moment: int, one: tuple[Env, str], another: tuple[Env, str]) -> None:
    (first, first_name), (second, second_name) = one, another
    before = readout(second)
    seen = [readout(first) for _ in trial.play(game, first, start=moment)]
    trial.compare(before, readout(second), f"in {second_name}", f"after {first_name} has continued")
    alike = f"in {second_name}, which continues with the same actions"
    for expected, _ in zip(seen, trial.play(game, second, start=moment), strict=True):
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
