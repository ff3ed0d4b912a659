"""Score the shipped agents of a game as `blackjacky score` does, and keep their cards in results/GAME/scores.

    python -m scripts.measures.scores --game GAME
    python -m scripts.measures.scores --game GAME --agents champion ismcts:50 --protocol full

Agents that already have a card of the current protocol and of this length are skipped, and an interrupted score is
resumed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path, PurePath

import tyro

from blackjacky_agents import agent_names
from blackjacky_agents.arena.card_check import read_score_card
from blackjacky_agents.arena.protocol import find_protocol
from blackjacky_agents.cli import run
from blackjacky_agents.files import write_file
from blackjacky_env.games import DEFAULT
from scripts.results import AGENTS, RESULTS, ROOT, shipped


@dataclass(frozen=True)
class Args:
    """Score the shipped agents of a game, and keep their cards."""

    game: str = DEFAULT
    """Name of the game."""
    protocol: str = "quick"
    """Length of the protocol."""
    agents: tuple[str, ...] = ()
    """Score these agents only; by default all shipped ones. Search takes long."""
    threads: int = 2
    """Number of CPU threads; scores do not depend on it."""


def main(args: Args) -> int:
    """Score all missing agents; returns the exit status."""
    own = agent_names(args.game)
    folder = (AGENTS / args.game / "trained").relative_to(ROOT).as_posix()
    others = [f"ppo:{folder}/{name}.safetensors" for name in shipped(args.game) if name not in own]
    for name in args.agents or (*own, *others):
        if status := score(name, args):
            return status
    return 0


def score(name: str, args: Args) -> int:
    """Score an agent that has no card yet; returns the exit status."""
    protocol, stem = find_protocol(args.game), PurePath(name.removeprefix("ppo:")).stem.replace(":", "-")
    path = RESULTS / args.game / "scores" / f"{stem}.json"
    old = read_score_card(path) if path.exists() else None
    if old and (old.protocol, old.length) == (protocol, args.protocol):
        return 0
    out = Path("runs") / "scores" / args.game / stem
    command = [name, "--game", args.game, "--protocol", args.protocol, "--threads", str(args.threads)]
    command += ["--out", out.as_posix(), "--by", "The Blackjacky authors"]
    status = run("score", command + ["--resume"] * (out / "deals.jsonl").exists(), "blackjacky score")
    if status == 0:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, (out / "score.json").read_bytes())
    return status


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
