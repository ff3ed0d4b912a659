"""Where a second of training goes, and learned decisions per second beside MaskablePPO, CleanRL's PPO and Pgx's.

    python scripts/speed/time_training.py              # print; minutes on a quiet machine
    python scripts/speed/time_training.py --write      # into docs/speed.md

Every round runs all trainings one after the other, each in a process of its own with the same number of threads, so
that other load is spread over all of them. A learned decision is one that the learner is trained on. Compiling and the
final evaluation are not counted, tests during training are.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as blackjacky train does

import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np
import torch
import tyro

from blackjacky_agents.learning.collecting import Stretch
from blackjacky_agents.learning.network import _logits_entry, encode_all, layers_of, pack
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.settings import SelfPlaySettings, presets_of
from blackjacky_agents.reports import machine, markdown_table, show_part
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "speed.md"
_TIMES = 5  # calls whose median is taken


@dataclass
class Args:
    """Where a second of training goes, and learned decisions per second beside other learners."""

    seconds: float = 60  # of each training
    rounds: int = 3  # of all trainings
    write: bool = False  # into docs/speed.md
    only: tuple[str, ...] = ()  # trainings whose name contains one of these


def main(args: Args) -> None:
    """Measure, and print or write the tables."""
    chosen = {name: train for name, train in trainings().items() if any(part in name for part in args.only or [""])}
    rates: dict[str, list[float]] = {name: [] for name in chosen}
    for number in range(args.rounds):
        for name, train in chosen.items():
            rate = train(args.seconds)
            rates[name].append(rate)
            print(f"round {number + 1}: {name}: {rate:,.0f} decisions/s", flush=True)
    show_part(PAGE, "training", report(args, rates), args.write)


# ---------------------------------------------------------------- trainings side by side


def trainings() -> dict[str, Callable[[float], float]]:
    """Learned decisions per second of each training that is installed, given its duration in seconds."""
    same = presets_of(DEFAULT)["scratch"]
    assert isinstance(same, SelfPlaySettings)
    alike = ["--hidden-sizes", *map(str, same.hidden_sizes), "--batch-size", same.batch_size]
    alike += ["--n-epochs", same.n_epochs, "--num-envs", same.num_envs, "--n-steps", same.n_steps]
    alike += ["--players", "4", "--steps", 10**9]
    found = {
        "`scratch`": lambda seconds: ours(seconds, "scratch"),
        "MaskablePPO with the settings of `scratch`": lambda seconds: ours(seconds, "sb3", *map(str, alike)),
        "`sb3`: MaskablePPO": lambda seconds: ours(seconds, "sb3"),
        "`quick`: rollouts of every plausible action": lambda seconds: ours(seconds, "quick"),
        "[ppo_batch.py](../examples/ppo_batch.py), in the style of CleanRL": example,
    }
    if find_spec("pgx") and find_spec("optax"):
        found["PPO in JAX on Pgx's `bridge_bidding`"] = pgx
    return found


def ours(seconds: float, preset: str, *more: str) -> float:
    """A preset of Black Jacky."""
    with tempfile.TemporaryDirectory() as folder:
        few = ["--eval-games", "200", "--final-eval-games", "1", "--name", "timed", "--log", "csv"]
        run(["scripts/train.py", "--preset", preset, "--minutes", str(seconds / 60), *few, *more], folder)
        return float(json.loads((Path(folder) / "runs/timed/results.json").read_text())["times"]["steps_per_second"])


def example(seconds: float) -> float:
    """The example, with two threads."""
    with tempfile.TemporaryDirectory() as folder:
        few = ["--threads", "2", "--total-timesteps", str(10**9), "--final-eval-games", "1", "--eval-every", str(10**6)]
        run(["examples/ppo_batch.py", "--seconds", f"{seconds:.0f}", *few], folder)
        with (Path(folder) / "runs/ppo_batch/learning_curve.csv").open() as file:
            last = list(csv.DictReader(file))[-1]
        return int(last["steps"]) / int(last["seconds"])


def pgx(seconds: float) -> float:
    """The comparison with Pgx."""
    told = run(["scripts/speed/pgx_ppo.py", "--seconds", str(seconds)], ".")
    [rate] = re.findall(r"(\d+) decisions per second", told)
    return float(rate)


def run(command: Sequence[str], folder: str) -> str:
    """What a script prints, started in a folder."""
    script, *arguments = command
    done = subprocess.run(
        [sys.executable, str(ROOT / script), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


# ---------------------------------------------------------------- where a second goes


def parts_of_a_decision() -> dict[str, float]:
    """Microseconds of one core for each part of a learned decision of `scratch`, after a short training."""
    settings = replace(presets_of(DEFAULT)["scratch"], steps=1_000_000, eval_games=1, threads=1, log=())
    assert isinstance(settings, SelfPlaySettings)
    with tempfile.TemporaryDirectory() as folder:
        trained = SelfPlay(settings, Path(folder), "")
        trained.train()
    torch.set_num_threads(1)
    packed, lineups = pack(layers_of(trained.network), False), trained._draw_lineups()
    opponents = [*trained.opponents, *trained.snapshots]
    stretches: list[Stretch] = []
    playing = timed(lambda: stretches.append(trained._collector.collect(packed, opponents, lineups)))
    stretch = stretches[-1]
    count = stretch.actions.size
    batch = make_batch(DEFAULT, count)
    features = timed(lambda: encode_all(trained.encoding, batch.observations, batch.action_masks))
    shown = stretch.inputs.reshape(count, -1)
    out = np.empty((count, trained.game.num_actions), np.float32)
    network = timed(lambda: _logits_entry()(shown, packed, out))
    learning = timed(lambda: trained._update(stretch))
    rows = [torch.from_numpy(array.reshape(-1, *array.shape[2:])) for array in stretch]
    chosen = torch.split(torch.randperm(count), settings.batch_size)
    gathering = settings.n_epochs * timed(lambda: [[row[some] for row in rows] for some in chosen])
    batches = [[row[some] for row in rows] for some in chosen]
    with torch.no_grad():
        forward = settings.n_epochs * timed(lambda: [trained.network(each[0]) for each in batches])
    stepping = settings.n_epochs * len(chosen) * timed(trained._optimizer.step)
    parts = {
        "playing: rules, masks, observations, opponents": playing - features - network,
        "playing: features": features,
        "playing: the network": network,
        "learning: gathering minibatches": gathering,
        "learning: the network, forward": forward,
        "learning: loss, backward": learning - gathering - forward - stepping,
        "learning: Adam": stepping,
    }
    return {name: 1e6 * seconds / count for name, seconds in parts.items()}


def timed(work: Callable[[], object]) -> float:
    """The median seconds of a call."""
    work()
    found = []
    for _ in range(_TIMES):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return median(found)


# ---------------------------------------------------------------- the page


def report(args: Args, rates: dict[str, list[float]]) -> str:
    """The tables, with how they were made."""
    first = next(iter(rates.values()))
    speeds = [
        [name, f"**{median(each):,.0f}**", f"{min(each):,.0f} .. {max(each):,.0f}", ratio(first, each)]
        for name, each in rates.items()
    ]
    parts = parts_of_a_decision()
    total = sum(parts.values())
    costs = [[name, f"{cost:.2f}", f"{cost / total:.0%}"] for name, cost in parts.items()]
    packages = ("torch", "stable-baselines3", "sb3-contrib", "pgx", "jax")
    versions = ", ".join(f"{name} {version(name)}" for name in packages if find_spec(name.replace("-", "_")))
    where = machine()
    how = (
        f"`python scripts/speed/time_training.py --seconds {args.seconds:g} --rounds {args.rounds}`: medians of "
        f"{args.rounds} interleaved rounds on {where['processor']}, {where['cores']} cores; {versions}."
    )
    return "\n\n".join(
        [
            markdown_table(["training", "learned decisions/s", "lowest .. highest", "`scratch` to it"], speeds),
            how,
            markdown_table(["a decision of `scratch`, one core", "µs", "share"], costs),
            f"Together {total:.2f} µs of one core; playing and learning share the cores.",
        ]
    )


def ratio(first: Sequence[float], other: Sequence[float]) -> str:
    """The median of the ratios of each round."""
    return f"{median(a / b for a, b in zip(first, other, strict=True)):.1f}"


if __name__ == "__main__":
    main(tyro.cli(Args))
