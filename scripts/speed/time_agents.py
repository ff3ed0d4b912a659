"""Measure how fast the bots decide, and write the table of agents/README.md.

python scripts/speed/time_agents.py           measure
python scripts/speed/time_agents.py --check   only say whether the README shows what agents/timing.json holds
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from blackjacky_agents import CompiledAgent, agent_names, make_agent
from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part, where, where_run
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.engine.play import play_out
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

TIMED_DECISIONS = 4000
AGENTS = Path(__file__).parents[2] / "agents"

Results = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Measure how fast the bots decide, and write the table of agents/README.md."""

    game: str = "black_jacky"
    """The game; --readme and --results say where what is measured in another one belongs."""
    check: bool = False
    """Measure and write nothing; fail if the README is not made from the results."""
    readme: Path = AGENTS / "README.md"
    """Where the table is written."""
    results: Path = AGENTS / "timing.json"
    """Where results are kept."""


def main(args: Args) -> None:
    """Measure and write, or check."""
    text = args.readme.read_text(encoding="utf-8")
    if args.check:
        results = json.loads(args.results.read_text(encoding="utf-8"))
        if replace_part(text, "timing", speeds(results)) != text:
            sys.exit(
                f"{args.readme.name} does not show what {args.results.name} holds; run: scripts/speed/time_agents.py"
            )
        return
    results = timing(args.game)
    write_file(args.results, json.dumps(results, indent=1) + "\n")
    write_file(args.readme, replace_part(text, "timing", speeds(results)))
    print(speeds(results))


def compiled_agent(name: str, game: str) -> CompiledAgent:
    """The bot of that name."""
    agent = make_agent(name, game)
    assert isinstance(agent, CompiledAgent)
    return agent


def timing(game: str) -> Results:
    """Decisions per second and microseconds of one `act` for each bot, at tables of the usual size with its kind."""
    bots = [compiled_agent(name, game) for name in agent_names(game)]
    speed = {
        agent.name: {"decisions_per_second": decisions_per_second(agent), "act_microseconds": act_microseconds(agent)}
        for agent in bots
    }
    return {"machine": where(), "bots": speed}


def decisions_per_second(agent: CompiledAgent, seconds: float = 1.0) -> int:
    """How many decisions one core makes in whole games, rules and observations included."""
    game, games = get_game(agent.game), 50
    states, players, variant = zeros(games, game.state_dtype), game.default_players, game.variants[0].name
    states[:] = game.new_state(players, variant, game.check_options(players, variant, {}))
    seating, cast = np.zeros((games, players), np.int64), [(agent.policy, agent.parameters)]
    play_out(game, states, np.arange(games), seating, cast)  # compiled
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        count += play_out(game, states, np.arange(count, count + games), seating, cast)[1].sum()
    return int(count / (time.perf_counter() - start))


def act_microseconds(agent: CompiledAgent) -> float:
    """The mean time of one `act`, over all decisions of some games."""
    seen = observations(agent, TIMED_DECISIONS)
    for observation in seen:
        agent.act(observation)
    start = time.perf_counter()
    for observation in seen:
        agent.act(observation)
    return round(1e6 * (time.perf_counter() - start) / len(seen), 1)


def observations(agent: CompiledAgent, count: int) -> list[dict[str, Any]]:
    """What the players of such games see when they are to act."""
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


def speeds(results: Results) -> str:
    """How fast the bots decide."""
    heading = ["agent", "decisions per second in a batch, one core", "one `act`"]
    rows = (
        [f"`{name}`", f"{speed['decisions_per_second']:,}", f"{speed['act_microseconds']} µs"]
        for name, speed in results["bots"].items()
    )
    return f"{markdown_table(heading, rows)}\n\nMeasured on {where_run(results['machine'])}."


if __name__ == "__main__":
    main(tyro.cli(Args))
