"""The same seed and the same actions give the same game, in every environment and every process."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence

from blackjacky_env.testing.errors import Skipped, Spot
from blackjacky_env.testing.readouts import Env, Readout, compare, readout
from blackjacky_env.testing.trial import RecordedGame, Trial, check

UNKNOWN = 3
"""Exit status of the new process if it cannot import ``make_env``."""

_TIMEOUT = 600.0  # seconds


@check
def check_same_process(trial: Trial, spot: Spot) -> None:
    """Two environments of one process, stepped in turns, play the same game to its end."""
    for seed in trial.seeds:
        env, twin = trial.begin(spot, seed), trial.begin(spot, seed)
        _play_together(trial, spot, env, twin, "in one environment", "in another of the same seed")


@check
def check_after_other_games(trial: Trial, spot: Spot) -> None:
    """An environment that has played other games, one to its end and one in part, plays like a new one."""
    for seed in trial.seeds:
        env, used = trial.begin(spot, seed), trial.begin(spot, seed + trial.games)
        for action in trial.moves(used, spot, seed + trial.games):
            used.step(action)
        used.reset(seed=seed + 1)
        for _, action in zip(range(seed % 7), trial.moves(used, spot, seed + 1), strict=False):
            used.step(action)
        spot.begin(seed)
        used.reset(seed=seed)
        _play_together(trial, spot, env, used, "in a new environment", "in one that has played other games")


def _play_together(trial: Trial, spot: Spot, env: Env, twin: Env, here: str, there: str) -> None:
    compare(spot, readout(env), readout(twin), here, there)
    for action in trial.moves(env, spot, spot.seed or 0):
        env.step(action)
        twin.step(action)
        compare(spot, readout(env), readout(twin), here, there)


@check
def check_other_process(trial: Trial, spot: Spot) -> None:
    """New processes, each with a different PYTHONHASHSEED, play the same games."""
    task = _task(trial, games := list(trial.recorded_games(spot)))
    expected = [readouts(trial, spot, game) for game in games]
    for hash_seed in trial.hash_seeds:
        played = _play_elsewhere(task, hash_seed, spot)
        for game, here, there in zip(games, expected, played, strict=True):
            spot.begin(game.seed)
            _compare_all(spot, here, there, f"in a new process with PYTHONHASHSEED={hash_seed}")


def readouts(trial: Trial, spot: Spot, game: RecordedGame) -> list[Readout]:
    """Readouts of a whole game: at its start and after each action."""
    env = trial.begin(spot, game.seed)
    seen = [readout(env)]
    for action in game.moves(env, spot):
        env.step(action)
        seen.append(readout(env))
    return seen


def digests(seen: Readout) -> Readout:
    """A readout with every text replaced by its hash."""
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in seen.items()}


def _compare_all(spot: Spot, here: Sequence[Readout], there: Sequence[Readout], where: str) -> None:
    for step, (seen, elsewhere) in enumerate(zip(here, there, strict=True), start=-1):
        spot.step = None if step < 0 else step
        own = digests(seen)
        for name in [*own, *elsewhere]:
            if own.get(name) != elsewhere.get(name):
                spot.fail(f"{name} is {seen.get(name, 'missing')[:200]} here, but not {where}")


def _task(trial: Trial, games: list[RecordedGame]) -> bytes:
    try:
        task = pickle.dumps((trial.make_env, [tuple(game) for game in games]))
    except (pickle.PicklingError, AttributeError, TypeError):
        task = b"__main__"
    if b"__main__" in task:
        raise Skipped(
            "a new process cannot import this make_env: give 'module:function', a function at the top of a module, "
            "or a functools.partial of one"
        )
    return task


def _play_elsewhere(task: bytes, hash_seed: int, spot: Spot) -> list[list[Readout]]:
    path = os.pathsep.join(dict.fromkeys([*filter(None, sys.path), os.getcwd()]))  # noqa: PTH109  # sys.path is text
    done = subprocess.run(
        [sys.executable, "-m", "blackjacky_env.testing.elsewhere"],
        check=False,
        input=task,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        timeout=_TIMEOUT,
    )
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode == UNKNOWN:
        raise Skipped(f"a new process cannot import this make_env: {errors[-1]}")
    if done.returncode:
        spot.fail(f"a new process with PYTHONHASHSEED={hash_seed} ended with: {errors[-1] if errors else 'no message'}")
    played: list[list[Readout]] = json.loads(done.stdout)
    return played
