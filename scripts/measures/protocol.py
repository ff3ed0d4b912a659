"""Make a game's protocol for `blackjacky score`: pin its agents and measure `random` and the champion.

    python -m scripts.measures.protocol --game GAME --version 1

Writes score.json in the game's folder of agents. A published version stays as it is, as score-VERSION.json beside the
new one, so that its cards stay valid: after a change to the rules, to a bot or to the champion, make the next one, and
score the shipped agents again (`blackjacky score`).
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.protocol import custom_protocol, read_protocol
from blackjacky_agents.arena.scoring import measure_references
from blackjacky_agents.files import write_file, write_json
from scripts.results import AGENTS


@dataclass(frozen=True)
class Args:
    """Make a game's protocol for `blackjacky score`: pin its agents and measure `random` and the champion."""

    game: str  # Name of the game.
    version: int  # Version of the protocol, one more than that of the published one.
    games: int = 16_000  # Number of games per table of each of the two agents.
    threads: int = 2  # Number of CPU threads; results do not depend on it.
    folder: Path = AGENTS  # Folder of the games' agents.


def main(args: Args) -> int:
    """Make and write the protocol; returns the exit status."""
    path = args.folder / args.game / "score.json"
    name, old = f"{args.game}/{args.version}", read_protocol(path).name if path.exists() else f"{args.game}/0"
    number = int(old.partition("/")[2])
    if args.version <= number:
        print(f"error: {path} holds {old}; the next version must be higher", file=sys.stderr)
        return 2
    with tqdm(desc=name, unit=" games") as bar:
        start = replace(custom_protocol(args.game), name=name)
        protocol = measure_references(start, args.games, args.threads, bar.update)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        write_file(path.with_name(f"score-{number}.json"), path.read_bytes())
    write_json(path, asdict(protocol))
    print(f"{path} written: {name}, {len(protocol.tables)} tables, sha256 {protocol.sha256}")
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
