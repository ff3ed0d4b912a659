"""Score the agents of every game as `blackjacky score` does, and keep their cards in agents/results/GAME/scores.json.

    python scripts/documents/score_agents.py
    python scripts/documents/score_agents.py --game GAME --agents champion ismcts:50 --protocol full

Agents that already have a card of the current protocol and of this length are skipped, and an interrupted score is
resumed, so an interrupted script goes on where it stopped. `scripts/documents/generate.py` makes the tables of
docs/results.md from the cards.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import tyro
from make_results import RESULTS, shipped_cards
from parts import ROOMS, ROOT

from blackjacky_agents import agent_names
from blackjacky_agents.arena.protocol import find_protocol
from blackjacky_agents.cli import run
from blackjacky_agents.files import write_file
from blackjacky_agents.games import get_kit


@dataclass(frozen=True)
class Args:
    """Score the agents of every game and keep their cards."""

    game: str | None = None
    """Score the agents of this game only."""
    protocol: str = "quick"
    """Length of the protocol."""
    agents: tuple[str, ...] = ()
    """Score these agents only; by default all shipped ones. Search takes long."""
    threads: int = 2
    """Number of CPU threads; scores do not depend on it."""
    results: Path = RESULTS
    """Folder of the results, GAME/scores.json."""


def main(args: Args) -> int:
    """Score all missing agents; returns the exit status."""
    for game in ROOMS if args.game is None else [args.game]:
        path = args.results / game / "scores.json"
        sha256 = find_protocol(game).sha256
        kept = json.loads(path.read_text("utf-8")) if path.exists() else []
        cards = [card for card in kept if card["protocol"]["sha256"] == sha256]
        names = args.agents or names_of(game)
        for name in names:
            if any((card["agent"]["name"], card["protocol"]["length"]) == (name, args.protocol) for card in cards):
                continue
            status = run("score", command(game, name, args), "blackjacky score")
            if status:
                return status
            new = json.loads((folder(game, name) / "score.json").read_text("utf-8"))
            cards = [*(card for card in cards if card["agent"]["name"] != name), new]
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, json.dumps(cards, indent=1) + "\n")
    return 0


def names_of(game: str) -> list[str]:
    """All shipped agents, networks that are not in the game's kit by their path."""
    weights = [path for path in shipped_cards()[game] if path not in get_kit(game).trained.values()]
    return [*agent_names(game), *(f"ppo:{path.relative_to(ROOT).as_posix()}" for path in weights)]


def command(game: str, name: str, args: Args) -> list[str]:
    """The arguments of `blackjacky score`."""
    out = folder(game, name)
    resume = ["--resume"] if (out / "deals.jsonl").exists() else []
    threads = ["--threads", str(args.threads)]
    return [name, "--game", game, "--protocol", args.protocol, *threads, "--out", out.as_posix(), *resume]


def folder(game: str, name: str) -> Path:
    """Where a score is written before its card is kept."""
    return Path("runs") / "scores" / game / name.replace(":", "-").replace("/", "-")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
