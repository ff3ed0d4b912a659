"""Judge the positions of docs/positions.md again, by long playouts: results/GAME/positions.json.

    python -m scripts.measures.positions --game GAME

The positions are those of the file. In each one the actions that were compared, and what bot, champion and search now
choose, are played out by the champion from the same sampled positions; costs are differences of winning probability.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro
from tqdm import tqdm

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.intervals import student
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.search.playing_on import WIN, play_on
from blackjacky_env.games import DEFAULT
from blackjacky_env.replay import new_table
from scripts.results import load, save

SEARCH = "search:400"


@dataclass(frozen=True)
class Args:
    """Judge a game's positions again."""

    game: str = DEFAULT  # Name of the game.
    samples: int = 4_000  # Sampled positions of each judgement.
    seed: int = 1  # Random seed of the samples.
    threads: int = 2  # Number of CPU threads; results do not depend on it.


def main(args: Args) -> None:
    """Judge all positions, and write them with the costliest mistakes first."""
    before, bot = load("positions", args.game, to_show=False), bot_names(args.game)[-1]
    if before is None:
        sys.exit(f"error: results/{args.game}/positions.json is missing; it has the positions that are judged")
    rows = [judged(row["record"], row["actions"], (bot, "champion", SEARCH), args) for row in tqdm(before["rows"])]
    rows.sort(key=lambda row: -max(cost_of(row, bot), cost_of(row, "champion")))
    settings = {"bot": bot, "champion": "champion", "samples": args.samples}
    save("positions", rows, game=args.game, seed=args.seed, weights=["champion"], settings=settings)


def judged(record: dict[str, Any], compared: Sequence[int], names: Sequence[str], args: Args) -> dict[str, Any]:
    """One position: its actions, the best first, what each costs, and what agents choose."""
    env = new_table(record)
    env.replay(record)
    seen = env.observe(env.agent_selection)
    chosen = {name: first_choice(name, args.game, seen) for name in names}
    actions = [*dict.fromkeys([*compared, *chosen.values()])]
    champion = make_compiled_agent("champion", args.game)
    played = play_on(champion, seen["observation"], actions, args.samples, args.seed, args.threads)[:, :, WIN, 0]
    order = np.argsort(-played.mean(axis=0), kind="stable")
    costs = [cost(played[:, order[0]] - played[:, action]) for action in order]
    return {"record": record, "actions": [actions[i] for i in order], "costs": costs, "chosen": chosen}


def cost_of(row: dict[str, Any], name: str) -> float:
    """What an agent's choice costs."""
    return float(row["costs"][row["actions"].index(row["chosen"][name])]["mean"])


def first_choice(name: str, game: str, seen: dict[str, npt.NDArray[Any]]) -> int:
    """What an agent does whose random numbers begin here, so that it can be asked again."""
    agent = make_agent(name, game)
    agent.reset(0)
    return int(agent.act(seen))


def cost(differences: npt.NDArray[np.float64]) -> dict[str, float]:
    """The mean of differences in the same samples, with its 95 % interval."""
    mean, count = float(differences.mean()), len(differences)
    half = student(0.975, count - 1) * float(differences.std(ddof=1)) / count**0.5
    return {"mean": round(mean, 6), "low": round(mean - half, 6), "high": round(mean + half, 6)}


if __name__ == "__main__":
    main(tyro.cli(Args))
