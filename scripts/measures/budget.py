"""What methods learn from ten million decisions of whole games, put into results/budget.json.

    python -m scripts.measures.budget                                     # two hours
    python -m scripts.measures.budget --methods sb3 --seeds 3

A decision is a move of a player with more than one legal action. Each training is a process with the command of its
row; then its agent plays the strongest bot. Rows that are up to date are kept; what was interrupted begins again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import tyro

from blackjacky_agents import bot_names
from blackjacky_agents.arena.standings import standings
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.networks.agent_file import load_agent
from blackjacky_agents.storage.files import only_writer
from blackjacky_env.games import DEFAULT
from scripts.results import ROOT, load, save

PLAYERS, SEED = 4, 2 * 10**9
_TRAIN = f"--players {PLAYERS} --minutes 100000 --threads 1 --eval-games 100 --final-eval-games 1 --name {{name}}"
METHODS = {
    "scratch": f"blackjacky train --preset scratch --steps {{steps}} {_TRAIN}",
    "quick": f"blackjacky train --preset quick --steps {{steps}} {_TRAIN}",
    "ppo_batch": "python examples/ppo_batch.py --total-timesteps {steps} --folder runs/{name}",
    "sb3": f"blackjacky train --preset sb3 --steps {{steps}} {_TRAIN}",
}
"""Commands. `ppo_batch` and `sb3` count moves with one legal action, too."""


@dataclass(frozen=True)
class Args:
    """Train methods with several seeds and the same number of decisions, and write what they reach."""

    methods: tuple[str, ...] = tuple(METHODS)  # Methods by name.
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)  # Seeds, one training each.
    decisions: int = 10_000_000  # Decisions of each training.
    games: int = 20_000  # Games afterwards, against copies of the strongest bot.


def main(args: Args) -> None:
    """Train what is missing, one after the other, and write each row."""
    with only_writer(ROOT / "runs" / "budget"):
        for method, seed in ((method, seed) for seed in args.seeds for method in args.methods):
            command, runs = command_of(method, seed, args.decisions), (load("budget") or {"runs": ()})["runs"]
            known = [(row["command"], row["games"]) for run in runs if not run["earlier"] for row in run["rows"]]
            if (command, args.games) not in known:
                print(f"{command} ...", flush=True)
                add(
                    {
                        "method": method,
                        "seed": seed,
                        "decisions": args.decisions,
                        **trained(method, seed, command, args),
                    }
                )


def add(row: dict[str, Any]) -> None:
    """Put a row among the results, in place of that of the same method and seed."""
    facts = {"seed": row["seed"], "minutes": 60 * row["cpu_hours"], "command": "python -m scripts.measures.budget"}
    same = {"method": row["method"], "seed": row["seed"]}.items()
    save("budget", [row], replaces=lambda other: same <= other.items(), **facts)


def command_of(method: str, seed: int, decisions: int) -> str:
    """The command of a training, at the top of the repository."""
    return f"{METHODS[method].format(steps=decisions, name=f'budget-{method}-{seed}')} --seed {seed}"


def trained(method: str, seed: int, command: str, args: Args) -> dict[str, Any]:
    """Run a training, and test its agent against copies of the strongest bot, in duplicate deals."""
    folder, bot, (program, *words) = ROOT / "runs" / f"budget-{method}-{seed}", bot_names(DEFAULT)[-1], command.split()
    shutil.rmtree(folder, ignore_errors=True)
    start = [sys.executable, *["-m", "blackjacky_agents"] * (program != "python")]
    before = os.times()
    one_core = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([*start, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, env=one_core)
    seconds = sum(os.times()[2:4]) - sum(before[2:4])  # of child processes
    agent = load_agent(next(folder.rglob("weights.safetensors")), DEFAULT)
    tournament = Tournament([agent, bot], PLAYERS, [[agent.name, *[bot] * (PLAYERS - 1)]], seed=SEED + seed)
    tournament.play(args.games, threads=1)
    own = standings(tournament.games()).agents[0]
    rate = {"win_rate": own.win_rate.mean, "low": own.win_rate.low, "high": own.win_rate.high}
    return {"command": command, "games": args.games, **rate, "score": own.score.mean, "cpu_hours": seconds / 3600}


if __name__ == "__main__":
    main(tyro.cli(Args))
