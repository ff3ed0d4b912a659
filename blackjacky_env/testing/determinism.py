"""The same seed and the same actions give the same game, in every environment and every process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import islice

from blackjacky_env.testing.readouts import Env, Readout, readout
from blackjacky_env.testing.trial import RecordedGame, Skipped, Trial, check

_TIMEOUT = 600.0  # seconds


@check
def check_same_process(trial: Trial) -> None:
    """Two environments of one process, stepped in turns, play the same game to its end."""
    for seed in trial.seeds:
        twin = trial.begin(seed)
        _play_together(trial, seed, trial.begin(seed), twin, "in one environment", "in another of the same seed")


@check
def check_after_other_games(trial: Trial) -> None:
    """An environment that has played other games, one to its end and one in part, plays like a new one."""
    for seed in trial.seeds:
        used = trial.begin(seed + trial.games)
        for action in trial.moves(used, seed + trial.games):
            used.step(action)
        used.reset(seed=seed + 1)
        for action in islice(trial.moves(used, seed + 1), seed % 7):
            used.step(action)
        env = trial.begin(seed)
        used.reset(seed=seed)
        _play_together(trial, seed, env, used, "in a new environment", "in one that has played other games")


def _play_together(trial: Trial, seed: int, env: Env, twin: Env, here: str, there: str) -> None:
    trial.compare(readout(env), readout(twin), here, there)
    for action in trial.moves(env, seed):
        env.step(action)
        twin.step(action)
        trial.compare(readout(env), readout(twin), here, there)


@check
def check_other_process(trial: Trial) -> None:
    """New processes, each with a different PYTHONHASHSEED, play the same games."""
    games = list(trial.recorded_games())
    task = _task(trial, games)
    expected = [_watched(trial, game) for game in games]
    for hash_seed in trial.hash_seeds:
        there = f"in a new process with PYTHONHASHSEED={hash_seed}"
        for game, here, elsewhere in zip(games, expected, _play_elsewhere(trial, task, hash_seed), strict=True):
            for step, pair in enumerate(zip(here, elsewhere, strict=True), start=-1):
                trial.place.seed, trial.place.step, trial.place.agent = game.seed, None if step < 0 else step, None
                trial.compare(*pair, "here", there)


def _watched(trial: Trial, game: RecordedGame) -> list[Readout]:
    """What a game shows at its start and after each action."""
    env = trial.begin(game.seed)
    return [readout(env), *trial.readouts(env, trial.again(env, game))]


def _task(trial: Trial, games: list[RecordedGame]) -> bytes:
    try:
        task = pickle.dumps((trial.make_env, games))
    except (pickle.PicklingError, AttributeError, TypeError):
        task = b"__main__"
    if b"__main__" in task:
        raise Skipped(
            "a new process cannot import this make_env: give 'module:function', a function at the top of a module, "
            "or a functools.partial of one"
        )
    return task


def _play_elsewhere(trial: Trial, task: bytes, hash_seed: int) -> list[list[Readout]]:
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
    trial = Trial(make_env)
    pickle.dump([_watched(trial, game) for game in games], out)
