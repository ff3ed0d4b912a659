"""Show on an NVIDIA GPU that it plays the same games as the CPU, and measure how fast it plays and learns.

    pip install -e '.[train,cuda]'
    python scripts/speed/benchmark_gpu.py --write                      a quarter of an hour; writes docs/speed.md
    python scripts/speed/benchmark_gpu.py --stages training --write    one stage again

Stages: every table of every game and every bot is played on both, and results are compared; games are stepped and
played out; Pgx is measured beside them if it is installed for GPUs; examples/ppo_batch.py trains an agent, which plays
against the one of the preset ``full``. Each stage keeps in a file what it has measured when it is interrupted.
Exit status 1: something differs; 2: there is no GPU.
"""

from __future__ import annotations

import csv
import importlib.util
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
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro
from tqdm import tqdm

from blackjacky_agents import games as agents_of_games
from blackjacky_agents.files import write_json
from blackjacky_agents.reports import markdown_table, show_part
from blackjacky_env import make_batch, playout
from blackjacky_env.engine.batch import new_states
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import play_out
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.opponents import compiled_names, find_compiled
from blackjacky_env.games import DEFAULT, GAMES, get_game

try:
    import numba_cuda
    from numba import cuda

    from blackjacky_env.engine.backend_cuda import check_gpu, make_padded_board
except ImportError as missing:
    sys.exit(f"error: {missing}")
from peers import pgx_games

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "speed.md"
FULL = Path(agents_of_games.__file__).parent / DEFAULT / "trained" / "full.safetensors"
COMPARED = ("observations", "action_masks", "current_player", "seeds", "rewards", "terminated")
STEPS = 16  # of each game in a launch of run_random
COPIED_BYTES = 2**30
PGX_GAMES = ("leduc_holdem", "sparrow_mahjong")

Row = tuple[str, str, int, float, str]
"""Game, what, number of games at once (0: does not matter), value, unit."""
Found = tuple[list[Row], str]
"""The rows of a stage until now, and how they were made."""
Stage = Literal["equality", "speed", "pgx", "training"]


@dataclass(frozen=True)
class Args:
    """Show on an NVIDIA GPU that it plays the same games as the CPU, and measure how fast it plays and learns."""

    stages: tuple[Stage, ...] = ("equality", "speed", "pgx", "training")
    """Stages to run; the page keeps earlier results of the others."""
    compared: int = 256
    """Games of each table that are compared with the CPU's."""
    compared_steps: int = 400
    """Steps of each of them, after each of the first 40 of which all arrays are compared."""
    num_games: tuple[int, ...] = (2**12, 2**16, 2**20)
    """Games stepped at once."""
    playouts: int = 2**18
    """Playouts of a position."""
    rounds: int = 5
    """Rounds of each measurement, after one that is not counted; the table has their median."""
    seconds: int = 300
    """Seconds of training."""
    folder: Path = Path("runs/gpu")
    """Folder for the results of each stage, and the trained agent."""
    write: bool = False
    """Write the tables into docs/speed.md."""


def main(args: Args) -> None:
    """Run the stages, print the results of all, and write them if asked to."""
    try:
        check_gpu()
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    args.folder.mkdir(parents=True, exist_ok=True)
    functions = {"equality": compare_all, "speed": measure_all, "pgx": measure_pgx, "training": train}
    for stage in args.stages:
        for rows, note in functions[stage](args):
            write_json(args.folder / f"{stage}.json", {"rows": rows, "note": f"{note} {device_name()}."})
    show_part(PAGE, "gpu", page(args.folder, list(functions)), args.write)


def page(folder: Path, stages: list[str]) -> str:
    """The tables of all results, and how they were made."""
    files = [folder / f"{stage}.json" for stage in stages]
    found = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]
    rows = [row for each in found for row in each["rows"]]
    others = [[game, what, f"{value:,.1f}", unit] for game, what, games, value, unit in rows if not games]
    counts = sorted({games for _, _, games, _, _ in rows if games})
    steps: dict[tuple[str, str], dict[int, str]] = {}
    for game, what, games, value, unit in rows:
        if games:
            steps.setdefault((game, what), {})[games] = f"{value:,.1f}{unit}"
    by_count = [[*what, *(cells.get(count, "") for count in counts)] for what, cells in steps.items()]
    tables = [
        markdown_table(["game", "million steps a second", *(f"{count:,} games" for count in counts)], by_count),
        "In brackets: of what is possible if each byte is moved once, at the speed at which memory is copied.",
        markdown_table(["game", "what", "median", "unit"], others),
    ]
    notes = "\n".join(f"- {each['note']}" for each in found)
    return "\n\n".join([*tables, f"`python scripts/speed/benchmark_gpu.py`:\n\n{notes}"])


# ---------------------------------------------------------------- the same games


def compare_all(args: Args) -> Iterator[Found]:
    """Compare all tables and bots of all games; most of the time is compiling, in a process for each core."""
    bots = [(name, bot) for name in GAMES for bot in compiled_names(name) if not bot.endswith(":")]
    paid = [(name, reward) for name in GAMES for reward in ("win", get_game(name).score_reward)]
    rows: list[Row] = []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        asked = {pool.submit(compare_bot, *case, args): case for case in sorted(bots, key=is_random)}
        asked |= {pool.submit(compare_tables, *case, args): case for case in paid}
        answers = tqdm(as_completed(asked), total=len(asked), unit=" comparisons")
        for ended, answer in enumerate(answers, start=1):
            if error := answer.exception():
                tqdm.write(f"{asked[answer]}: {error!r}")
                continue
            rows.append(answer.result())
            note = (
                f"{ended} of {len(asked)} comparisons had ended: {args.compared} games on each table, with"
                f" {args.compared_steps} steps each, after each of the first 40 of which all arrays are compared, and"
                f" {args.compared} playouts on each table."
            )
            yield sorted(rows), note
    if len(rows) < len(asked):
        sys.exit(f"error: {len(asked) - len(rows)} comparisons of {len(asked)} failed")


def is_random(case: tuple[str, str]) -> bool:
    """Whether a bot is the one that compiles soonest, which may start last."""
    return case[1] == "random"


def compare_tables(name: str, reward: str, args: Args) -> Row:
    """Compare games on all tables of a game; rewards are changes of score, or paid at the end."""
    tables = list(tables_of(name))
    for options in tables:
        compare(options, reward, args.compared, args.compared_steps)
    return name, f"tables on which games are those of the CPU, bit for bit, reward `{reward}`", 0, len(tables), "tables"


def tables_of(name: str) -> Iterator[dict[str, Any]]:
    """Every variant and table size of a game."""
    for variant in get_game(name).variants:
        for size in variant.sizes:
            yield {"game": name, "variant": variant.name, "num_players": size}


def compare(options: dict[str, Any], reward: str, num_games: int, steps: int) -> None:
    """Play the same games on both and exit with a message if an array differs."""
    on_cpu, on_gpu = (
        make_batch(num_games=num_games, seed=1, reward=reward, per_seat=True, backend=backend, **options)
        for backend in ("cpu", "cuda")
    )
    for step in range(40):
        check_equal(on_cpu, on_gpu, f"{options}, step {step}")
        actions = on_cpu.random_actions()
        on_cpu.step(actions)
        on_gpu.step(on_gpu.random_actions())
    for batch in (on_cpu, on_gpu):
        batch.run_random(max(0, steps - 40))
    check_equal(on_cpu, on_gpu, f"{options}, step {steps}")


def compare_bot(name: str, bot: str, args: Args) -> Row:
    """Play out the start of a game on each table of a game, on both: the share of games with the same result."""
    same = []
    for options in tables_of(name):
        env = TableEnv(**options)
        env.reset(seed=1)
        on_cpu, on_gpu = (playout(env.get_state(), bot, args.compared, backend=on) for on in ("cpu", "cuda"))
        same.append((on_cpu == on_gpu.copy_to_host()).all(axis=-1).mean())
    if bot == "random" and min(same) < 1:
        sys.exit("error: playouts differ from the CPU's")
    return name, f"playouts of `{bot}` that are those of the CPU", 0, 100 * float(np.mean(same)), "%"


def check_equal(on_cpu: Any, on_gpu: Any, where: str) -> None:
    """Exit with a message if an array of two batches differs."""
    for name in (*COMPARED, "cumulative_rewards"):
        theirs = getattr(on_gpu, name).copy_to_host()
        if not np.array_equal(getattr(on_cpu, name), theirs):
            sys.exit(f"error: {name} differ from the CPU's: {where}")


# ---------------------------------------------------------------- speed


def measure_all(args: Args) -> Iterator[Found]:
    """Steps and playouts of all games, and the memory's speed, which bounds them."""
    here, there = (cuda.device_array(COPIED_BYTES, np.int8) for _ in range(2))
    bandwidth = COPIED_BYTES * 2 / seconds(partial(there.copy_to_device, here), args.rounds)
    rows: list[Row] = [("", "memory copied, read and written", 0, bandwidth / 1e9, "GB/s")]
    for name in tqdm(GAMES, unit=" games"):
        rows += [*measure_steps(name, bandwidth, args), *measure_playouts(name, args)]
        yield rows, f"Steps, playouts and memory: medians of {args.rounds} rounds."


def measure_steps(name: str, bandwidth: float, args: Args) -> Iterator[Row]:
    """Rows of one game: within a kernel, and from Python."""
    moved = bytes_of_step(get_game(name))
    for count in args.num_games:
        batch: Any = make_batch(name, count, backend="cuda")
        calls: dict[str, tuple[int, Callable[[], object]]] = {
            f"`run_random({STEPS})`": (STEPS, partial(batch.run_random, STEPS)),
            "`random_actions` and `step(check=False)`": (1, partial(random_step, batch, check=False)),
            "`random_actions` and `step`": (1, partial(random_step, batch)),
        }
        for what, (steps, call) in calls.items():
            speed = count * steps / seconds(call, args.rounds)
            yield name, what, count, speed / 1e6, f" ({speed * moved / bandwidth:.1%})"


def bytes_of_step(game: Game) -> int:
    """Bytes that one step of one game reads and writes, if each is moved once and nothing stays in a cache.

    The record, the count of moves and whether the game had ended are read and written, the action is read, and all that
    a batch shows is written.
    """
    board = make_padded_board(game, 1)
    both = board.states, board.moves
    written = board.observations, board.action_masks, board.current_player, board.rewards, board.terminated
    return (
        2 * sum(array.nbytes for array in both) + sum(array.nbytes for array in written) + np.dtype(np.int64).itemsize
    )


def random_step(batch: Any, **options: bool) -> None:
    """A random action in every game."""
    batch.step(batch.random_actions(), **options)


def measure_playouts(name: str, args: Args) -> Iterator[Row]:
    """Rows of one game: whole games between `random`, whose length is measured on the CPU."""
    game, env = get_game(name), TableEnv(name)
    env.reset(seed=0)
    state = env.get_state()
    taken = seconds(lambda: playout(state, "random", args.playouts, backend="cuda"), args.rounds)
    agent, count = find_compiled(name, "random"), 4096
    states, seats = new_states(game, [game.default_players] * count, game.variants[0].name, {}), game.max_players
    inside = [(agent.policy, agent.parameters)]
    _, decisions = play_out(game, states, np.arange(count), np.zeros((count, seats), np.int64), inside)
    yield name, f"playouts of `random` from the start, {args.playouts:,}", 0, args.playouts / taken, "games/s"
    yield name, "the same", 0, args.playouts * float(decisions.mean()) / taken / 1e6, "million actions/s"


def measure_pgx(args: Args) -> Iterator[Found]:
    """Pgx's games on the same GPU, if it is there."""
    missing = [name for name in ("jax", "pgx") if importlib.util.find_spec(name) is None]
    if missing:
        yield [], f"Pgx was not measured: {' and '.join(missing)} not installed."
        return
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # otherwise it takes most of the GPU's memory
    import jax
    import pgx

    if jax.default_backend() != "gpu":
        yield [], f"Pgx was not measured: JAX {jax.__version__} finds no GPU."
        return
    rows: list[Row] = []
    for name, count in product(PGX_GAMES, args.num_games):
        games = pgx_games(name, 0, count)
        steps = next(games)  # compiles
        taken = statistics.median(timed(partial(next, games)) for _ in range(args.rounds))
        speed = steps / taken / 1e6
        rows.append((f"Pgx `{name}`", "`step` with `auto_reset`", count, speed, ""))
        yield rows, f"Pgx {pgx.__version__} with JAX {jax.__version__}: medians of {args.rounds} rounds."


# ---------------------------------------------------------------- learning


def train(args: Args) -> Iterator[Found]:
    """Self-play on the GPU with examples/ppo_batch.py; its agent plays against three copies of the preset ``full``."""
    import torch

    if not torch.cuda.is_available():
        yield [], f"Training was not measured: PyTorch {torch.__version__} finds no GPU."
        return
    options = {
        "backend": "cuda",
        "num-envs": 2**16,
        "num-steps": 32,
        "num-minibatches": 32,
        "total-timesteps": 10**12,
        "seconds": args.seconds,
        "eval-every": 10**6,
        "opponent": f"ppo:{FULL}",
        "folder": args.folder / "training",
    }
    script = str(ROOT / "examples" / "ppo_batch.py")
    command = [sys.executable, script, *(f"--{name}={value}" for name, value in options.items())]
    subprocess.run(command, check=True)
    curve = args.folder / "training" / "learning_curve.csv"
    last = list(csv.DictReader(curve.read_text(encoding="utf-8").splitlines()))[-1]
    wins, low, high = (100 * float(last[name]) for name in ("win_rate", "low", "high"))
    speed = int(last["steps"]) / int(last["seconds"])
    rows = [
        (DEFAULT, "training, end to end", 0, speed / 1e6, "million steps/s"),
        (DEFAULT, "wins against three of the preset `full` (par: 25)", 0, wins, "%"),
    ]
    note = (
        f"Training: {int(last['steps']):,} decisions in {int(last['seconds'])} s; the agent won {wins:.1f} %"
        f" ({low:.1f} .. {high:.1f}) of {int(last['games']):,} games."
    )
    yield rows, note


# ---------------------------------------------------------------- measuring


def seconds(call: Callable[[], object], rounds: int) -> float:
    """Median time of a call, the GPU's work included; a first call, which may compile, is not counted."""
    return statistics.median([timed(call) for _ in range(rounds + 1)][1:])


def timed(call: Callable[[], object]) -> float:
    """Time of one call, the GPU's work included."""
    cuda.synchronize()
    began = time.perf_counter()
    call()
    cuda.synchronize()
    return time.perf_counter() - began


def device_name() -> str:
    """The GPU, and what compiles for it."""
    name = cuda.get_current_device().name
    return f"{name.decode() if isinstance(name, bytes) else name}, numba-cuda {numba_cuda.__version__}"


if __name__ == "__main__":
    main(tyro.cli(Args))
