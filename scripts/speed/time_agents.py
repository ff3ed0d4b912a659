"""Measure decision times of all agents of every game, and write them to agents/results/GAME/timing.json.

    python scripts/speed/time_agents.py
    python scripts/speed/time_agents.py --game GAME

`scripts/documents/generate.py` makes the tables of docs/results.md from there.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from blackjacky_agents import CompiledAgent, agent_names
from blackjacky_agents.agent import check_asked
from blackjacky_agents.files import write_file
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import where
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.engine.play import play_out
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game

TIMED_DECISIONS = 4000
RESULTS = Path(__file__).parents[2] / "agents" / "results"


@dataclass(frozen=True)
class Args:
    """Measure decision times of all agents of every game."""

    game: str | None = None
    """Measure this game only."""
    results: Path = RESULTS
    """Folder of the results, GAME/timing.json."""


def main(args: Args) -> None:
    """Measure, print and write."""
    for game in GAMES if args.game is None else [args.game]:
        folder = args.results / game
        folder.mkdir(parents=True, exist_ok=True)
        measured = timing(game)
        write_file(folder / "timing.json", json.dumps(measured, indent=1) + "\n")
        for name, speed in measured["agents"].items():
            print(
                f"{game} {name}: {speed['decisions_per_second']:,} decisions/s, {speed['act_microseconds']} µs per act"
            )


def timing(game: str) -> dict[str, Any]:
    """Decisions per second and microseconds per `act` of each agent, at the usual table size against its copies."""
    agents = [make_compiled_agent(name, game) for name in agent_names(game)]
    speed = {
        agent.name: {"decisions_per_second": decisions_per_second(agent), "act_microseconds": act_microseconds(agent)}
        for agent in agents
    }
    return {"machine": where(), "agents": speed, "check_microseconds": check_microseconds(agents[0])}


def check_microseconds(agent: CompiledAgent) -> dict[str, float]:
    """The time in which `check_asked` checks one observation, alone and in a batch of `TIMED_DECISIONS`."""
    seen = observations(agent, TIMED_DECISIONS)
    together = (np.array([each[name] for each in seen]) for name in ("observation", "action_mask"))
    vectors, masks = (np.ascontiguousarray(each) for each in together)
    times = {}
    for name, size in (("alone", 1), ("in a batch", TIMED_DECISIONS)):
        batches = [(vectors[i : i + size], masks[i : i + size]) for i in range(0, len(vectors), size)]
        rounds = 1 if size == 1 else 100
        check_asked(agent.name, agent.game, *batches[0])  # compiled
        start = time.process_time()
        for _ in range(rounds):
            for batch in batches:
                check_asked(agent.name, agent.game, *batch)
        times[name] = round(1e6 * (time.process_time() - start) / (rounds * len(vectors)), 2)
    return times


def decisions_per_second(agent: CompiledAgent, seconds: float = 1.0) -> int:
    """Decisions per second of CPU time on one core in whole games, including rules and observations."""
    game, games = get_game(agent.game), 50
    states, players, variant = zeros(games, game.state_dtype), game.default_players, game.variants[0].name
    states[:] = game.new_state(players, variant, game.check_options(players, variant, {}))
    seating, cast = np.zeros((games, players), np.int64), [(agent.policy, agent.parameters)]
    play_out(game, states, np.arange(games), seating, cast)  # compiled
    count, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        count += play_out(game, states, np.arange(count, count + games), seating, cast)[1].sum()
    return int(count / (time.process_time() - start))


def act_microseconds(agent: CompiledAgent) -> float:
    """The mean time of one `act`, over all decisions of some games."""
    seen = observations(agent, TIMED_DECISIONS)
    for observation in seen:
        agent.act(observation)
    start = time.process_time()
    for observation in seen:
        agent.act(observation)
    return round(1e6 * (time.process_time() - start) / len(seen), 1)


def observations(agent: CompiledAgent, count: int) -> list[dict[str, Any]]:
    """Observations of the players to act in such games."""
    env = TableEnv(agent.game)
    seen: list[dict[str, Any]] = []
    env.reset(seed=0)
    agent.reset(0)
    while len(seen) < count:
        observation, _, terminated, _, _ = env.last()
        if terminated:
            env.reset()
            continue
        seen.append(observation)
        env.step(agent.act(observation))
    return seen


if __name__ == "__main__":
    main(tyro.cli(Args))
