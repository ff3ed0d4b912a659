"""Show on an NVIDIA GPU that it plays the same games as the CPU, and measure how fast it plays and learns.

    pip install -e '.[train,cuda,peers]' -e examples/leduc_poker
    python -m scripts.speed.benchmark_gpu --write                      half an hour
    python -m scripts.speed.benchmark_gpu --stages training --write    one stage again

Stages: every table of every game and every bot is played on both, and results are compared; games are stepped and
played out; Pgx is measured beside them if it is installed for GPUs; agents learn by self-play. With ``--write`` the
rows go to results/speed_gpu.json. Exit status 1: something differs; 2: there is no GPU.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro
from tqdm import tqdm

from blackjacky_agents.storage.files import write_json
from blackjacky_env import make_batch, playout
from blackjacky_env.envs import TableEnv, find_compiled
from blackjacky_env.envs.opponents import compiled_names
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.play import play_out
from blackjacky_env.play.batch import new_states
from scripts.results import save

try:
    import numba_cuda
    from numba import cuda

    from blackjacky_env.play.gpu import check_gpu
except ImportError as missing:
    sys.exit(f"error: {missing}")

ARRAYS = ("observations", "action_masks", "current_player", "seeds", "rewards", "terminated", "cumulative_rewards")
COMPARED, COMPARED_STEPS = 256, 400  # games of each table, and steps of each, of the first 40 of which all is compared
SIZES = (2**12, 2**16, 2**20)  # games stepped at once
STEPS = 16  # of each game in a launch of run_random
PLAYOUTS = 2**18
ROUNDS = 5  # of each measurement, after one that is not counted; the median counts

Row = dict[str, Any]  # as the page shows it: a column for each number of games, or the median of a measurement
Found = tuple[list[Row], str]  # The rows of a stage, and how they were made.
Stage = Literal["equality", "speed", "pgx", "training"]


@dataclass(frozen=True)
class Args:
    """Show on an NVIDIA GPU that it plays the same games as the CPU, and measure how fast it plays and learns."""

    stages: tuple[Stage, ...] = ("equality", "speed", "pgx", "training")
    """Stages to run; of the others the results in the folder are taken."""
    seconds: int = 300  # Seconds of training for each game.
    folder: Path = Path("runs/gpu")  # Folder for the results and the trained agent.
    write: bool = False  # Write the results to results/speed_gpu.json.


def main(args: Args) -> None:
    """Run the stages, and keep and print what each has found."""
    try:
        check_gpu()
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    args.folder.mkdir(parents=True, exist_ok=True)
    stages: dict[str, Callable[[], Found]] = {"equality": compare_all, "speed": measure_all, "pgx": measure_pgx}
    stages["training"] = partial(train_all, args)
    for stage in args.stages:
        rows, note = stages[stage]()
        write_json(args.folder / f"{stage}.json", {"rows": rows, "note": note})
    paths = [path for stage in stages if (path := args.folder / f"{stage}.json").exists()]
    found = [json.loads(path.read_text("utf-8")) for path in paths]
    rows = sorted((row for each in found for row in each["rows"]), key=lambda row: "median" in row)
    note = " ".join(each["note"] for each in found)
    print(*rows, note, sep="\n")
    if args.write:
        gpu = cuda.get_current_device().name
        versions = {"GPU": gpu.decode() if isinstance(gpu, bytes) else gpu, "numba-cuda": numba_cuda.__version__}
        save("speed_gpu", rows, what=note, seed=1, versions=versions)


def row_of(game: str, what: str, value: float, unit: str) -> Row:
    """The row of a measurement that does not depend on the number of games."""
    return {"game": game, "what": what, "median": round(value, 1), "unit": unit}


def compare_all() -> Found:
    """Compare all tables and bots of all games; most of the time is compiling, in a process for each core."""
    bots = [(name, bot) for name in GAMES for bot in compiled_names(name) if ":" not in bot]
    paid = [(name, reward) for name in GAMES for reward in ("win", get_game(name).score_reward)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        asked = [pool.submit(compare_bot, *case) for case in sorted(bots, key=lambda case: case[1] == "random")]
        asked += [pool.submit(compare_tables, *case) for case in paid]  # bots take longest
        rows = [answer.result() for answer in tqdm(as_completed(asked), total=len(asked), unit=" comparisons")]
    how = f"{COMPARED} games on each table with {COMPARED_STEPS} steps each, and {COMPARED} playouts."
    rows.sort(key=lambda row: (row["game"], row["what"]))
    return rows, f"{len(rows)} comparisons succeeded: {how}"


def tables_of(name: str) -> list[dict[str, Any]]:
    """Every variant and table size of a game."""
    variants = get_game(name).variants
    return [{"game": name, "variant": each.name, "num_players": size} for each in variants for size in each.sizes]


def compare_tables(name: str, reward: str) -> Row:
    """Compare games on all tables of a game, array by array; rewards are changes of score, or paid at the end."""
    for options in tables_of(name):
        on_cpu, on_gpu = (
            make_batch(num_games=COMPARED, seed=1, reward=reward, per_seat=True, backend=backend, **options)
            for backend in ("cpu", "cuda")
        )
        for step in range(40):
            check_equal(on_cpu, on_gpu, f"{options}, step {step}")
            actions = on_cpu.random_actions()
            on_cpu.step(actions)
            on_gpu.step(on_gpu.random_actions())
        for batch in (on_cpu, on_gpu):
            batch.run_random(COMPARED_STEPS - 40)
        check_equal(on_cpu, on_gpu, f"{options}, step {COMPARED_STEPS}")
    what = f"tables on which games are those of the CPU, bit for bit, reward `{reward}`"
    return row_of(name, what, len(tables_of(name)), "tables")


def check_equal(on_cpu: Any, on_gpu: Any, where: str) -> None:
    """`ValueError` if an array of two batches differs."""
    for name in ARRAYS:
        if not np.array_equal(getattr(on_cpu, name), getattr(on_gpu, name).copy_to_host()):
            raise ValueError(f"{name} differ from the CPU's: {where}")


def compare_bot(name: str, bot: str) -> Row:
    """Play out the start of a game on each table of a game, on both: the share of games with the same result."""
    same = []
    for options in tables_of(name):
        env = TableEnv(**options)
        env.reset(seed=1)
        on_cpu = playout(env.get_state(), bot, COMPARED)
        on_gpu: Any = playout(env.get_state(), bot, COMPARED, backend="cuda")
        same.append((on_cpu == on_gpu.copy_to_host()).all(axis=-1).mean())
    if bot == "random" and min(same) < 1:
        raise ValueError("playouts differ from the CPU's")
    return row_of(name, f"playouts of `{bot}` that are those of the CPU", 100 * float(np.mean(same)), "%")


def measure_all() -> Found:
    """Steps and playouts of all games."""
    rows: list[Row] = []
    for name in tqdm(GAMES, unit=" games"):
        rows += [*measure_steps(name), *measure_playouts(name)]
    return rows, f"Steps and playouts: medians of {ROUNDS} rounds."


def measure_steps(name: str) -> Iterator[Row]:
    """Rows of one game: within a kernel, and from Python."""
    calls: dict[str, tuple[int, Callable[[Any], object]]] = {
        f"`run_random({STEPS})`": (STEPS, lambda batch: batch.run_random(STEPS)),
        "`random_actions` and `step(check=False)`": (1, lambda batch: batch.step(batch.random_actions(), check=False)),
        "`random_actions` and `step`": (1, lambda batch: batch.step(batch.random_actions())),
    }
    for what, (steps, call) in calls.items():
        found = {}
        for count in SIZES:
            batch = make_batch(name, count, backend="cuda")
            found[f"{count:,} games"] = round(count * steps / seconds(partial(call, batch)) / 1e6, 1)
        yield {"game": name, "million steps a second": what, **found}


def measure_playouts(name: str) -> Iterator[Row]:
    """Rows of one game: whole games between `random`, whose length is measured on the CPU."""
    game, env = get_game(name), TableEnv(name)
    env.reset(seed=0)
    state = env.get_state()
    taken = seconds(lambda: playout(state, "random", PLAYOUTS, backend="cuda"))
    agent, count = find_compiled(name, "random"), 4096
    states, seats = new_states(game, [game.default_players] * count, game.variants[0].name, {}), game.max_players
    decisions = play_out(game, states, np.arange(count), np.zeros((count, seats), np.int64), [agent]).decisions
    yield row_of(name, f"playouts of `random` from the start, {PLAYOUTS:,}", PLAYOUTS / taken, "games/s")
    yield row_of(name, "the same", PLAYOUTS * float(decisions.mean()) / taken / 1e6, "million actions/s")


def measure_pgx() -> Found:
    """Pgx's games on the same GPU, if it is there."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # otherwise it takes most of the GPU's memory
    try:
        import jax
        import pgx
    except ImportError as missing:
        return [], f"Pgx was not measured: {missing}."
    from scripts.speed.peers import pgx_games

    if jax.default_backend() != "gpu":
        return [], f"Pgx was not measured: JAX {jax.__version__} finds no GPU."
    rows: list[Row] = []
    for name in ("leduc_holdem", "sparrow_mahjong"):
        rows.append({"game": f"Pgx `{name}`", "million steps a second": "`step` with `auto_reset`"})
        for count in SIZES:
            games = pgx_games(name, 0, count)
            steps = next(games)  # compiles
            rows[-1][f"{count:,} games"] = round(steps / seconds(partial(next, games)) / 1e6, 1)
    return rows, f"Pgx {pgx.__version__} with JAX {jax.__version__}: medians of {ROUNDS} rounds."


def seconds(call: Callable[[], object]) -> float:
    """Median time of a call, the GPU's work included; a first call, which may compile, is not counted."""
    taken = []
    for _ in range(ROUNDS + 1):
        cuda.synchronize()
        began = time.perf_counter()
        call()
        cuda.synchronize()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken[1:])


def train_all(args: Args) -> Found:
    """The preset ``scratch`` of all games: what takes its time, and how strong a training of `Args.seconds` is."""
    import torch

    if not torch.cuda.is_available():
        return [], f"Training was not measured: PyTorch {torch.__version__} finds no GPU."
    rows = [row for name in GAMES for row in (*measure_phases(name, args.folder), *train(name, args))]
    return rows, f"Training: `blackjacky train --preset scratch --device cuda --minutes {args.seconds / 60:g}`."


def measure_phases(name: str, folder: Path) -> Iterator[Row]:
    """How fast decisions are played, copied into rows, and learned from."""
    from blackjacky_agents.kit.settings import on_gpu
    from blackjacky_agents.learning.self_play import SelfPlay
    from blackjacky_agents.learning.stored_settings import presets_of

    settings: Any = presets_of(name)["scratch"]
    run = SelfPlay(on_gpu(settings), folder, "")
    collector, players = run._new_collector(run.settings.num_envs), run._next_players()
    stretch = collector.collect(*players)
    calls = {
        "played": lambda: collector.collect(*players),
        "copied into rows": lambda: run._take(stretch),
        "learned from": run._update,
    }
    for what, call in calls.items():
        speed = run.settings.num_envs * run.settings.n_steps / seconds(call) / 1e6
        yield row_of(name, f"decisions {what}", speed, "million decisions/s")


def train(name: str, args: Args) -> Iterator[Row]:
    """A training, and its tests against the strongest bot."""
    from blackjacky_agents.learning.training_run import read_progress

    command = f"-m blackjacky_agents train --preset scratch --device cuda --game {name} --minutes {args.seconds / 60}"
    subprocess.run([sys.executable, *command.split()], cwd=args.folder, check=True)
    progress = read_progress(max((args.folder / "runs").iterdir(), key=lambda path: path.stat().st_mtime))
    speed = progress[-1]["steps"] / progress[-1]["seconds"] / 1e6
    yield row_of(name, "training, tests included", speed, "million decisions/s")
    for row in progress[1:]:
        bot, wins = list(row["win_rate"].items())[-1]
        yield row_of(name, f"wins against three of `{bot}` after {row['seconds']:.0f} s", 100 * wins, "%")


if __name__ == "__main__":
    main(tyro.cli(Args))
