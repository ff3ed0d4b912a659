"""Make a game's protocol for `blackjacky score`: pin its agents and measure `random` and the champion.

    python scripts/documents/calibrate_scores.py --game GAME --version 1

Writes score.json in the game's folder of agents. A published version stays as it is: after a change to the rules, to a
bot or to the champion, make the next one, and score the shipped agents again with scripts/documents/score_agents.py.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import tyro
from make_results import AGENTS
from tqdm import tqdm

from blackjacky_agents.arena.protocol import Protocol, custom_protocol, read_protocol
from blackjacky_agents.arena.scoring import games_of, jobs, measure_references
from blackjacky_agents.files import write_json


@dataclass(frozen=True)
class Args:
    """Make a game's protocol for `blackjacky score`: pin its agents and measure `random` and the champion."""

    game: str
    """Name of the game."""
    version: int
    """Version of the protocol, one more than that of the published one."""
    length: str = "full"
    """Length of the measurement."""
    threads: int = 2
    """Number of CPU threads; results do not depend on it."""
    folder: Path = AGENTS
    """Folder of the games' agents."""


def main(args: Args) -> int:
    """Make and write the protocol; returns the exit status."""
    path = args.folder / args.game / "score.json"
    name = f"{args.game}/{args.version}"
    if path.exists() and args.version <= int(read_protocol(path).name.partition("/")[2]):
        print(f"error: {path} holds {read_protocol(path).name}; the next version must be higher", file=sys.stderr)
        return 2
    protocol = calibrated(replace(custom_protocol(args.game), name=name), args)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, asdict(protocol))
    print(f"{path} written: {name}, {len(protocol.tables)} tables, sha256 {protocol.sha256}")
    return 0


def calibrated(protocol: Protocol, args: Args) -> Protocol:
    """The protocol with references."""
    with tqdm(total=2 * games_of(protocol, jobs(protocol, args.length)), desc=protocol.name, unit=" games") as bar:
        return measure_references(protocol, args.length, args.threads, bar.update)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
