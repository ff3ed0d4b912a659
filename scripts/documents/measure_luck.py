"""Measure luck: what seeing all cards wins, and how much of the results the cards and seats decide.

    python scripts/documents/measure_luck.py                    # all games; minutes each
    python scripts/documents/measure_luck.py --deals 100
    python scripts/documents/generate.py                        # the tables of the documents

agents/results/GAME/luck.json holds the results.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

import tyro
from parts import RESULTS, ROOMS

from blackjacky_agents.arena.luck import measure_luck
from blackjacky_agents.files import write_json
from blackjacky_agents.games import get_kit
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import duration, ready_for_json, typed, where
from blackjacky_env.games import get_game


@dataclass(frozen=True)
class Args:
    """Measure luck: what seeing all cards wins, and how much of the results the cards and seats decide."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    players: tuple[int, ...] = ()
    """Table sizes; by default the smallest and the usual one of each game."""
    deals: int = 1000
    """Deals at each table, each with the sighted player in every seat."""
    deals_of_copies: int = 10_000
    """Deals at each table, each played twice without it."""
    simulations: int = 100
    """Simulations of each of its decisions."""
    seed: int = 0
    """Seed of the deals."""
    threads: int = 2
    """CPU threads."""


def main(args: Args) -> None:
    """Measure every table of every game, and write the results."""
    for name in args.games:
        game, champion = get_game(name), list(get_kit(name).trained)[-1]
        tables = []
        for size in args.players or sorted({game.min_players, game.default_players}):
            started = time.perf_counter()
            network = make_compiled_agent(champion, name)
            found = measure_luck(
                network,
                size,
                deals=args.deals,
                deals_of_copies=args.deals_of_copies,
                simulations=args.simulations,
                seed=args.seed,
                threads=args.threads,
            )
            seconds = time.perf_counter() - started
            tables.append({**asdict(found), "seconds": seconds})
            print(f"{name}, {size} players: {found.sighted.mean:.1%} ({duration(seconds)})", flush=True)
        command = typed("scripts/documents/measure_luck.py")
        settings = {"agent": champion, "simulations": args.simulations, "seed": args.seed}
        result = {"command": command, "machine": where(), **settings, "tables": tables}
        write_json(RESULTS / name / "luck.json", ready_for_json(result))


if __name__ == "__main__":
    main(tyro.cli(Args))
