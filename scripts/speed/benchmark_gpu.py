"""Show on an NVIDIA GPU that it plays the same games as the CPU, and measure how fast.

    pip install -e '.[cli,cuda]'
    python scripts/speed/benchmark_gpu.py            a few minutes, most of them compiling
    python scripts/speed/benchmark_gpu.py --write    write the table into docs/speed.md

First every table of every game is played on both, and all arrays are compared; then games are stepped and played out.
Exit status 1: something differs, or there is no GPU.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from tqdm import tqdm

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part
from blackjacky_env import make_batch, playout
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game

try:
    from numba import cuda

    from blackjacky_env.engine.backend_cuda import check_gpu
except ImportError as missing:
    sys.exit(f"error: {missing}")
from assemble_kernels import bytes_of_step

PAGE = Path(__file__).parents[2] / "docs" / "speed.md"
SHOWN = ("observations", "action_masks", "current_player", "seeds", "rewards", "terminated")
STEPS = 16  # of each game in a launch of run_random
COPIED = 2**30  # bytes

Row = tuple[str, str, float, str]
"""Game, what, value, unit."""


@dataclass(frozen=True)
class Args:
    """Show on an NVIDIA GPU that it plays the same games as the CPU, and measure how fast."""

    compared: int = 256
    """Games of each table that are compared with the CPU's."""
    compared_steps: int = 400
    """Steps of each of them, after each of the first 40 of which all arrays are compared."""
    num_games: tuple[int, ...] = (2**12, 2**16, 2**20)
    """Games stepped at once."""
    playouts: int = 2**16
    """Playouts of a position."""
    rounds: int = 5
    """Of each measurement, after one that is not counted; the table has their median."""
    write: bool = False
    """Write the table into docs/speed.md."""


def main(args: Args) -> None:
    """Compare, measure, print, and write if asked to."""
    try:
        check_gpu()
    except RuntimeError as error:
        sys.exit(f"error: {error}")
    cases = list(tables())
    for options in tqdm(cases, unit=" tables"):
        compare(options, args.compared, args.compared_steps)
        compare_playouts(options, args.compared)
    bandwidth = COPIED * 2 / seconds(copier(), args.rounds)
    rows: list[Row] = [("", "memory copied, read and written", bandwidth / 1e9, "GB/s")]
    for name in tqdm(GAMES, unit=" games"):
        rows += measure(name, bandwidth, args)
    table = markdown_table(["game", "what", "median", "unit"], [[g, w, f"{v:,.1f}", u] for g, w, v, u in rows])
    how = (
        f"`python scripts/speed/benchmark_gpu.py`: medians of {args.rounds} rounds on {device_name()}. On each of"
        f" {len(cases)} tables {args.compared} games, {args.compared_steps} steps each, and {args.compared} playouts"
        " were those of the CPU, bit for bit."
    )
    print(f"{table}\n\n{how}")
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "gpu", f"{table}\n\n{how}"))


def tables() -> Iterator[dict[str, Any]]:
    """Every variant and table size of every game."""
    for name in GAMES:
        for variant in get_game(name).variants:
            for size in variant.sizes:
                yield {"game": name, "variant": variant.name, "num_players": size}


def compare(options: dict[str, Any], num_games: int, steps: int) -> None:
    """Play the same games on both and exit with a message if an array differs; rewards are changes of score."""
    score_reward = get_game(options["game"]).score_reward
    batches = [
        make_batch(num_games=num_games, seed=1, reward=reward, per_seat=True, backend=backend, **options)
        for reward, backend in product(("win", score_reward), ("cpu", "cuda"))
    ]
    for on_cpu, on_gpu in (batches[:2], batches[2:]):
        for step in range(40):
            check_equal(on_cpu, on_gpu, f"{options}, step {step}")
            actions = on_cpu.random_actions()
            on_cpu.step(actions)
            on_gpu.step(on_gpu.random_actions())
        for batch in (on_cpu, on_gpu):
            batch.run_random(max(0, steps - 40))
        check_equal(on_cpu, on_gpu, f"{options}, step {steps}")


def compare_playouts(options: dict[str, Any], games: int) -> None:
    """Play out the start of a game on both and exit with a message if a result differs."""
    env = TableEnv(**options)
    env.reset(seed=1)
    on_cpu, on_gpu = (playout(env.get_state(), "random", games, backend=backend) for backend in ("cpu", "cuda"))
    if not np.array_equal(on_cpu, on_gpu.copy_to_host()):
        sys.exit(f"error: playouts differ from the CPU's: {options}")


def check_equal(on_cpu: Any, on_gpu: Any, where: str) -> None:
    """Exit with a message if an array of two batches differs."""
    for name in (*SHOWN, "cumulative_rewards"):
        theirs = getattr(on_gpu, name).copy_to_host()
        if not np.array_equal(getattr(on_cpu, name), theirs):
            sys.exit(f"error: {name} differ from the CPU's: {where}")


def measure(name: str, bandwidth: float, args: Args) -> Iterator[Row]:
    """Rows of one game."""
    moved = bytes_of_step(get_game(name))
    for count in args.num_games:
        batch: Any = make_batch(name, count, backend="cuda")
        games = f"{count:,} games"

        def checked(batch: Any = batch) -> None:
            batch.step(batch.random_actions())

        def unchecked(batch: Any = batch) -> None:
            batch.step(batch.random_actions(), check=False)

        def run(batch: Any = batch) -> None:
            batch.run_random(STEPS)

        yield (
            name,
            f"`run_random({STEPS})`, {games}",
            count * STEPS / seconds(run, args.rounds) / 1e6,
            "million steps/s",
        )
        speed = count / seconds(unchecked, args.rounds)
        yield name, f"`random_actions` and `step(check=False)`, {games}", speed / 1e6, "million steps/s"
        yield name, "the same, of the bound by memory", 100 * speed * moved / bandwidth, "%"
        yield (
            name,
            f"`random_actions` and `step`, {games}",
            count / seconds(checked, args.rounds) / 1e6,
            "million steps/s",
        )
    env = TableEnv(name)
    env.reset(seed=0)
    state = env.get_state()
    taken = seconds(lambda: playout(state, "random", args.playouts, backend="cuda"), args.rounds)
    yield name, f"playouts of `random` from the start, {args.playouts:,}", args.playouts / taken, "games/s"


def copier() -> Callable[[], None]:
    """Copies memory on the GPU."""
    here, there = (cuda.device_array(COPIED, np.int8) for _ in range(2))
    return lambda: there.copy_to_device(here)


def seconds(call: Callable[[], object], rounds: int) -> float:
    """Median time of a call, the GPU's work included; a first call, which may compile, is not counted."""
    times = []
    for _ in range(rounds + 1):
        cuda.synchronize()
        began = time.perf_counter()
        call()
        cuda.synchronize()
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def device_name() -> str:
    """The GPU."""
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


if __name__ == "__main__":
    main(tyro.cli(Args))
