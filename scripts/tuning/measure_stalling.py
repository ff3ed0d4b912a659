"""Measure how often learners stall: rounds that go on until `max_turns_per_round` settles them.

    python scripts/tuning/measure_stalling.py

Trains with examples/ppo_batch.py on the scaled observation under several rewards, and writes
agents/results/GAME/stalling.json; `scripts/documents/generate.py` makes the table of docs/results.md from there.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import tyro
from tqdm import tqdm

from blackjacky_agents.files import write_json
from blackjacky_agents.learning.network import encode_all
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT, get_game

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "agents" / "results"
sys.path.append(str(ROOT / "examples"))
import ppo_batch  # noqa: E402 - from the folder of examples

LIMIT = "max_turns_per_round"
SCORE = get_game(DEFAULT).score_reward
KINDS = {
    f'`reward="{SCORE}"`': {"reward": SCORE},
    f'`reward="{SCORE}"`, `gamma=1`': {"reward": SCORE, "gamma": 1.0},
    f'`reward="{SCORE}"`, `{LIMIT}=20`': {"reward": SCORE, "rules": {LIMIT: 20}},
    '`reward="win"`': {},
    '`reward="win"`, `score_shaping=0.3`': {"score_shaping": 0.3},
}
"""Ways to train: what differs from `PLAIN`."""
PLAIN = ppo_batch.Args(score_shaping=0.0, encoding="raw")


@dataclass(frozen=True)
class Args:
    """Measure how often learners stall: rounds that go on until `max_turns_per_round` settles them."""

    updates: tuple[int, ...] = (0, 40, 60, 80)
    """Measure after so many updates of a training, in increasing order."""
    seeds: tuple[int, ...] = (1, 2)
    """Seeds of the trainings of each kind."""
    steps: int = 500
    """Decisions in each of the games of a measurement."""


def main(args: Args) -> None:
    """Train, measure, and write the results."""
    jobs = [(name, seed) for name in KINDS for seed in args.seeds]
    measured = {(name, seed): train(name, seed, args) for name, seed in tqdm(jobs, "training", unit="run")}
    rows = [
        {
            "training": name,
            "stalled": [
                [run[i] for run in (measured[name, seed] for seed in args.seeds)] for i in range(len(args.updates))
            ],
        }
        for name in KINDS
    ]
    command = " ".join(["python scripts/tuning/measure_stalling.py", *sys.argv[1:]])
    per_update = PLAIN.num_steps * PLAIN.num_envs
    decisions = [per_update * update for update in args.updates]
    results = {"command": command, "seeds": len(args.seeds), "decisions": decisions, "rows": rows}
    write_json(RESULTS / DEFAULT / "stalling.json", results)


def train(name: str, seed: int, args: Args) -> list[float]:
    """The fraction of stalled rounds after each of the numbers of updates."""
    trainer = ppo_batch.Trainer(replace(PLAIN, seed=seed, **KINDS[name]))
    found = []
    for update in range(args.updates[-1] + 1):
        if update in args.updates:
            found.append(stalled(trainer, args.steps))
        trainer.update(*trainer.collect())
    return found


@torch.no_grad()
def stalled(trainer: Any, steps: int) -> float:
    """The fraction of rounds that are settled by the limit, with the trained policy, sampled, in all seats."""
    options = trainer.args.rules
    batch = make_batch(trainer.args.game, trainer.args.num_envs, trainer.args.num_players, seed=0, **options)
    parts = get_game(trainer.args.game).layout.parts
    turn, limit = parts["turn"].offset, parts["max_turns"].offset
    rounds = at_limit = 0
    for _ in range(steps):
        obs = torch.from_numpy(encode_all(trainer.encoding, batch.observations, batch.action_masks))
        actions = trainer.agent.get_action_and_value(obs, torch.from_numpy(batch.action_masks).bool())[0]
        before, last = batch.observations[:, turn].copy(), batch.observations[:, limit] - 1
        batch.step(actions.numpy())
        ended = batch.terminated | (batch.observations[:, turn] < before)
        rounds += int(ended.sum())
        at_limit += int((ended & (before >= last)).sum())
    return at_limit / max(1, rounds)


if __name__ == "__main__":
    main(tyro.cli(Args))
