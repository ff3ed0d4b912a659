"""Make the protocol of a game's scores: pin its bots, and measure `random` and the strongest of them.

    python -m scripts.measures.protocol --game GAME

Writes score.json in the game's folder of agents, once: a scale that moves is none. Repeat the command to resume it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from blackjacky_agents.arena.protocol import custom_protocol
from blackjacky_agents.cli.score import measured
from blackjacky_agents.storage.files import write_file
from scripts.results import AGENTS


@dataclass(frozen=True)
class Args:
    """Make the protocol of a game's scores: pin its bots, and measure `random` and the strongest of them."""

    game: str  # Name of the game.
    games: int = 8_000  # Number of games of each line-up of each of the two bots.
    threads: int = 2  # Number of CPU threads; results do not depend on it.
    cluster: str | None = None  # Address of a Ray cluster.
    folder: Path = AGENTS  # Folder of the games' agents.
    output: Path = Path("runs/protocol")  # Folder of the games that are played.


def main(args: Args) -> int:
    """Make and write the protocol; returns the exit status."""
    path = args.folder / args.game / "score.json"
    if path.exists():
        print(f"error: {path} exists; scores stand still because it never changes", file=sys.stderr)
        return 2
    made = measured(custom_protocol(args.game), args.games, args, args.output / args.game)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, made.model_dump_json(indent=1) + "\n")
    print(f"{path} written: {len(made.tables)} tables, sha256 {made.sha256}")
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
