"""What `scripts/speed/bench.py` measures, as cases of pytest-benchmark; pytest collects them only when they are named.

A case runs its call once to compile and once to be measured; a round is a run of all cases. What a case found is in its
``extra_info``, under the names of docs/speed.md. Calls on one thread count CPU seconds, others those of the clock.
``BENCH_SCALE`` shortens them: 0.001 only shows that they work.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_env import make_batch
from blackjacky_env.envs import GameModule
from blackjacky_env.games import DEFAULT, GAMES

SCALE = float(os.environ.get("BENCH_SCALE", "1"))
SEED = 0
CPU = pytest.mark.benchmark(timer=time.process_time)
MANY, PLAYERS = 4096, 4
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
Benchmark = Any  # pytest-benchmark's fixture, which has no types


def note(benchmark: Benchmark, name: str, unit: str, call: Callable[[], Any], amount: int | None = None) -> None:
    """Measure a call and note its rate: of ``amount``, or of the number that the call returns."""
    found = benchmark.pedantic(call, rounds=1, warmup_rounds=1)
    made = found if amount is None else amount
    benchmark.extra_info[f"{name} [{unit}]"] = made / max(benchmark.stats.stats.mean, 1e-9)


def of(game: str) -> str:
    """The name of a game in a line; nothing for the default game."""
    return "" if game == DEFAULT else f" of `{game}`"


def threads_of(number: int) -> str:
    """A number of threads, in words."""
    return f"{number} thread{'s' * (number > 1)}"


def random_games(env: Any, choose: Callable[[Any], Any]) -> Iterator[int]:
    """Play games in the documented AEC loop, with a choice from the legal actions; yields the moves of each."""
    env.reset(seed=SEED)
    while True:
        env.reset()
        made = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(choose(np.flatnonzero(observation["action_mask"])))
            made += 1
        yield made


def random_moves(env: Any, moves: int) -> int:
    """Play at random; returns the number of moves, at least so many."""
    made, games = 0, random_games(env, np.random.default_rng(SEED).choice)
    while made < moves:
        made += next(games)
    return made


@CPU
@pytest.mark.parametrize("game", GAMES)
def test_loop(benchmark: Benchmark, game: str) -> None:
    env = GameModule(game).env(num_players=PLAYERS)
    note(benchmark, f"loop: `{game}_v0.env()`", "moves/s", lambda: random_moves(env, int(50_000 * SCALE)))


@CPU
@pytest.mark.parametrize("name", ["classic/connect_four-v3", "classic/leduc_holdem-v4"])
def test_loop_of_pettingzoo(benchmark: Benchmark, name: str) -> None:
    pytest.importorskip("rlcard", reason="install the extra `bench`")
    import pettingzoo

    env = pettingzoo.make("aec", name)
    note(benchmark, f"loop: `{name}`", "moves/s", lambda: random_moves(env, int(8_000 * SCALE)))


def random_play(benchmark: Benchmark, game: str, games: int, threads: int) -> None:
    """Random legal actions in compiled code, with mask and observation written at every step."""
    batch = make_batch(game, games, num_players=PLAYERS, seed=SEED, threads=threads)
    steps = int(2e6 * SCALE) // games + 1
    name = f"`run_random`{of(game)}: {games:,} game{'s' * (games > 1)}, {PLAYERS} players, {threads_of(threads)}"
    note(benchmark, name, "steps/s", lambda: batch.run_random(steps), games * steps)
    if threads == 1 and games == MANY:
        arrays = next(value for value in vars(batch).values() if hasattr(value, "mask_words"))
        size = sum(array.nbytes for array in arrays) / MANY
        benchmark.extra_info[f"memory of a game{of(game)} in a batch [bytes]"] = size


@CPU
@pytest.mark.parametrize(("game", "games"), [(DEFAULT, 1), *((game, MANY) for game in GAMES)])
def test_random_play(benchmark: Benchmark, game: str, games: int) -> None:
    random_play(benchmark, game, games, threads=1)


@pytest.mark.parametrize("threads", range(2, CORES + 1))
@pytest.mark.parametrize("game", GAMES)
def test_random_play_on_threads(benchmark: Benchmark, game: str, threads: int) -> None:
    random_play(benchmark, game, MANY, threads)


def test_steps_from_python(benchmark: Benchmark) -> None:
    batch = make_batch(DEFAULT, MANY, num_players=PLAYERS, seed=SEED, threads=CORES)
    steps = int(2e6 * SCALE) // MANY + 1

    def seconds_of_steps() -> float:
        seconds = 0.0
        for _ in range(steps):
            actions = batch.random_actions()
            started = time.perf_counter()
            batch.step(actions)
            seconds += time.perf_counter() - started
        return seconds

    seconds = benchmark.pedantic(seconds_of_steps, rounds=1, warmup_rounds=1)
    name = f"`step` from Python: {MANY:,} games, {PLAYERS} players, {threads_of(CORES)}"
    benchmark.extra_info[f"{name} [steps/s]"] = MANY * steps / seconds


@CPU
def test_decisions_of_one_seat(benchmark: Benchmark) -> None:
    env: Any = gymnasium.make("blackjacky/BlackJackySeat-v0", disable_env_checker=True).unwrapped
    count = int(5_000 * SCALE) + 1

    def decide() -> None:
        mask = env.reset(seed=SEED)[1]["action_mask"]
        for _ in range(count):
            mask = (env.step(mask.argmax())[4] if mask.any() else env.reset()[1])["action_mask"]

    note(benchmark, "one seat through Gymnasium", "decisions/s", decide, count)


@CPU
def test_decisions_of_one_seat_in_many_games(benchmark: Benchmark) -> None:
    env: Any = gymnasium.make_vec("blackjacky/BlackJackySeat-v0", num_envs=1024, threads=1)
    count = int(200 * SCALE) + 1

    def decide() -> None:
        _, info = env.reset(seed=SEED)
        for _ in range(count):
            *_, info = env.step(info["action_mask"].argmax(axis=1))

    note(benchmark, "one seat in 1,024 games through Gymnasium, 1 thread", "decisions/s", decide, 1024 * count)


@CPU
@pytest.mark.parametrize(("name", "games"), [("random", 50_000), ("counter", 500)])
def test_whole_games_between_bots(benchmark: Benchmark, name: str, games: int) -> None:
    games = int(games * SCALE) + 1
    agents, seating = [make_agent(name)], np.zeros((games, PLAYERS), np.int64)
    play = partial(play_games, agents, seating, seed=SEED, threads=1)
    note(benchmark, f"playouts of {PLAYERS} `{name}`", "games/s", play, games)


@CPU
def test_a_decision_of_a_bot(benchmark: Benchmark) -> None:
    env, agent = GameModule(DEFAULT).env(num_players=PLAYERS), make_agent("counter")
    seen: list[Any] = []
    env.reset(seed=SEED)
    while len(seen) < int(2_000 * SCALE) + 10:
        observation: Any
        observation, _, terminated, _, _ = env.last()
        if terminated:
            env.reset()
            continue
        seen.append(observation)
        env.step(agent.act(observation))
    benchmark.pedantic(lambda: list(map(agent.act, seen)), rounds=1, warmup_rounds=1)
    microseconds = 1e6 * benchmark.stats.stats.mean / len(seen)
    benchmark.extra_info["one decision of `counter` through `act` [µs]"] = microseconds


FIRST = """
import time
started = time.perf_counter()
from blackjacky_env import {game}_v0
env = {game}_v0.env()
env.reset(seed=0)
observation, *_ = env.last()
print(time.perf_counter() - started)
env.step(int(observation["action_mask"].argmax()))
print(time.perf_counter() - started)
"""


@pytest.mark.parametrize("game", GAMES)
def test_start(benchmark: Benchmark, tmp_path: Path, game: str) -> None:
    def start() -> list[float]:
        told = subprocess.run(
            [sys.executable, "-c", FIRST.format(game=game)], env=environment, stdout=subprocess.PIPE, check=True
        )
        return [float(number) for number in told.stdout.split()]

    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    cold, warm = benchmark.pedantic(lambda: (start(), start()), rounds=1)
    for cache, numbers in (("an empty", cold), ("a warm", warm)):
        for event, number in zip(("first observation", "first move made"), numbers, strict=True):
            benchmark.extra_info[f"start{of(game)} with {cache} compile cache: `import` to {event} [s]"] = number
