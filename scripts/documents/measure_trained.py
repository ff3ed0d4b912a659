"""Play the results of shipped agents again, as after a change of a bot, and write them into the agents' cards.

    python scripts/documents/measure_trained.py --games 20000

To ship an agent, copy weights, card and learning curve from its run into the folder `trained` of its game's room, and
name it in the game's `GameKit`.
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
    """Play the results of shipped agents again and write them into the agents' cards."""

    games: int = 20_000
    """Games in each cell of the table."""
    threads: int = 2
    """CPU threads."""


def main(args: Args) -> None:
    """Measure all shipped agents."""
    paths = [path for cards in shipped_cards().values() for path in cards]
    for path in tqdm(paths, "measuring", unit="agent"):
        measure(path, args.games, args.threads)
    print("cards written; run: python scripts/documents/generate.py")


def measure(path: Path, games: int, threads: int) -> None:
    """Play an agent's games against the bots as they are now, and write the results into its card."""
    card = read_card(path)
    game = card["game"]
    bots = [make_agent(name, game) for name in bot_names(game)]
    rows = results_table(make_agent(f"ppo:{path.as_posix()}", game), bots, games, threads, game)
    write_json(path.with_suffix(".json"), {**card, "results": rows})


if __name__ == "__main__":
    main(tyro.cli(Args))
