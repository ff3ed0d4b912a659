"""Measure forecasts: how well agents and playouts foresee who wins, and what the next settlement does to whom.

    python scripts/documents/measure_forecasts.py                  # all games; many minutes
    python scripts/documents/measure_forecasts.py --positions 400
    python scripts/documents/generate.py                           # the tables of the documents

agents/results/GAME/forecasts.json holds the results.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

import tyro
from parts import RESULTS, ROOMS

from blackjacky_agents.arena.forecasting import by_agent, by_playouts, make_task, par, score, truth_error
from blackjacky_agents.files import write_json
from blackjacky_agents.games import agent_names, bot_names
from blackjacky_agents.registry import make_agent, make_compiled_agent
from blackjacky_agents.reports import ready_for_json, typed, where
from blackjacky_env.games import get_game


@dataclass(frozen=True)
class Args:
    """Measure forecasts: how well agents and playouts foresee who wins, and what the next settlement does to whom."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    positions: int = 60
    """Positions at the usual table, each from a game of its own."""
    truth_playouts: int = 300
    """Playouts of each position for the truth."""
    playouts: tuple[int, ...] = (100, 1000, 10_000)
    """Playouts of each position for a forecast; the strongest bot plays as many as all but the last of these."""
    search: str = "search:64"
    """An agent that estimates who wins."""
    seed: int = 0
    """Seed of the games."""
    threads: int = 2
    """CPU threads."""


def main(args: Args) -> None:
    """Measure every game at its usual table, and write the results."""
    for name in args.games:
        started = time.process_time()
        champion, bot = agent_names(name)[-1], bot_names(name)[-1]
        task = make_task(name, games=args.positions, playouts=args.truth_playouts, seed=args.seed, threads=args.threads)
        print(f"{name}: truth after {time.process_time() - started:.0f} CPU seconds", flush=True)
        told = {"truth": None, "par": par(task), args.search: by_agent(task, make_agent(args.search, name))}
        for agent, numbers in ((bot, args.playouts[:-1]), (champion, args.playouts)):
            found = by_playouts(task, make_compiled_agent(agent, name), numbers)
            told |= {f"{number:,} playouts by {agent}": each for number, each in zip(numbers, found, strict=True)}
        seconds = time.process_time() - started
        print(f"{name}: {seconds:.0f} CPU seconds", flush=True)
        result = {
            "command": typed("scripts/documents/measure_forecasts.py"),
            "machine": where(),
            "champion": champion,
            "positions": args.positions,
            "truth_playouts": args.truth_playouts,
            "players": task.players,
            "variant": get_game(name).choose_table()[1],
            "cpu_seconds": seconds,
            "questions": task.questions,
            "errors": [truth_error(task, row) for row in range(len(task.questions))],
            "scores": {who: [asdict(each) for each in score(task, forecast)] for who, forecast in told.items()},
        }
        write_json(RESULTS / name / "forecasts.json", ready_for_json(result))


if __name__ == "__main__":
    main(tyro.cli(Args))
