"""Evaluate the shipped agents again, for example after a change to a bot, and update the results in their cards.

    python scripts/documents/measure_trained.py --games 20000

To ship an agent, copy weights, card and learning curve from its run folder to the game's folder `trained` and add it to
the game's `GameKit`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro
from make_results import shipped_cards
from tqdm import tqdm

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import results_table
from blackjacky_agents.files import write_json
from blackjacky_agents.learning.agent_file import read_card


@dataclass(frozen=True)
class Args:
    """Evaluate the shipped agents again and update the results in their cards."""

    games: int = 20_000
    """Number of games per table size and bot."""
    threads: int = 2
    """Number of CPU threads."""


def main(args: Args) -> None:
    """Evaluate all shipped agents."""
    paths = [path for cards in shipped_cards().values() for path in cards]
    for path in tqdm(paths, "measuring", unit="agent"):
        measure(path, args.games, args.threads)
    print("cards written; run: python scripts/documents/generate.py")


def measure(path: Path, games: int, threads: int) -> None:
    """Evaluate an agent against the current bots and update its card."""
    card = read_card(path)
    game = card["game"]
    bots = [make_agent(name, game) for name in bot_names(game)]
    rows = results_table(make_agent(f"ppo:{path.as_posix()}", game), bots, games, threads, game)
    write_json(path.with_suffix(".json"), {**card, "results": rows})


if __name__ == "__main__":
    main(tyro.cli(Args))
