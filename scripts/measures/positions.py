"""Measure again what the choices of agents cost in the instructive positions of results/GAME/positions.json.

    python -m scripts.measures.positions --game GAME

A position is the record of a game up to a decision. Its actions are those that the strongest bot, the champion and
search choose there. Champions play all of them on to the end of the game, in the same sampled positions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import tyro

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.intervals import Z
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.search.playing_on import WIN, play_on
from blackjacky_env.games import DEFAULT
from blackjacky_env.replay import new_table
from scripts.results import path_of, save


@dataclass(frozen=True)
class Args:
    """Measure again what the choices of agents cost in instructive positions."""

    game: str = DEFAULT  # Name of the game.
    samples: int = 4000  # Sampled positions.
    search: str = "search:400"  # The search that is asked.


def main(args: Args) -> None:
    """Measure all positions of a game."""
    before = json.loads(path_of("positions", args.game).read_text("utf-8"))
    rows = [measured(row["record"], args) for row in before["rows"]]
    save("positions", rows, game=args.game, seed=0, weights=["champion"], settings={"samples": args.samples})


def measured(record: dict[str, Any], args: Args) -> dict[str, Any]:
    """The choices of the agents in a position, and what each costs, in winning probability; the best one first."""
    env = new_table(record)
    env.replay(record)
    seen, chosen = env.observe(env.agent_selection), dict[str, int]()
    for name in (bot_names(args.game)[-1], "champion", args.search):
        agent = make_agent(name, args.game)
        agent.reset(0)
        chosen[name] = int(agent.act(seen))
    actions = sorted(set(chosen.values()))
    champion = make_compiled_agent("champion", args.game)
    shares = play_on(champion, seen["observation"], actions, args.samples)[:, :, WIN, 0]
    best = int(shares.mean(axis=0).argmax())
    lost = shares[:, [best]] - shares
    halves = Z * lost.std(axis=0, ddof=1) / np.sqrt(args.samples)
    costs = [
        {"mean": round(mean, 6), "low": round(mean - half, 6), "high": round(mean + half, 6)}
        for mean, half in zip(lost.mean(axis=0).tolist(), halves.tolist(), strict=True)
    ]
    order = np.argsort(lost.mean(axis=0), kind="stable")
    kept = {"actions": [actions[each] for each in order], "costs": [costs[each] for each in order]}
    return {"record": record, **kept, "chosen": chosen}


if __name__ == "__main__":
    main(tyro.cli(Args))
