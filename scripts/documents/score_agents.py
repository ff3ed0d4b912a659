"""Score the agents of every game as `blackjacky score` does, and keep their cards in results/GAME/NAME.json.

    python scripts/documents/score_agents.py
    python scripts/documents/score_agents.py --game GAME --agents champion ismcts:50 --protocol full

Agents that already have a card of the current protocol and of this length are skipped, and an interrupted score is
resumed, so an interrupted script goes on where it stopped. Cards of older protocols stay, as NAME-VERSION.json.
`scripts/documents/generate.py` makes docs/standings.md from the cards.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path, PurePath

import tyro
from make_results import shipped_cards
from make_standings import CARDS
from parts import ROOMS, ROOT

from blackjacky_agents import agent_names
from blackjacky_agents.arena.card_check import read_score_card
from blackjacky_agents.arena.protocol import find_protocol
from blackjacky_agents.cli import run
from blackjacky_agents.files import write_file
from blackjacky_agents.games import get_kit

AUTHORS = "The Blackjacky authors"


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
    cards: Path = CARDS
    """Folder of the cards, GAME/NAME.json."""


def main(args: Args) -> int:
    """Score all missing agents; returns the exit status."""
    for game in ROOMS if args.game is None else [args.game]:
        protocol = find_protocol(game)
        for name in args.agents or names_of(game):
            path = args.cards / game / f"{card_name(name)}.json"
            old = read_score_card(path) if path.exists() else None
            if old and (old.protocol, old.length) == (protocol, args.protocol):
                continue
            status = run("score", command(game, name, args), "blackjacky score")
            if status:
                return status
            path.parent.mkdir(parents=True, exist_ok=True)
            if old and old.protocol != protocol:
                path.rename(path.with_stem(f"{path.stem}-{old.protocol.name.partition('/')[2]}"))
            write_file(path, (folder(game, name) / "score.json").read_bytes())
    return 0


def card_name(agent: str) -> str:
    """The name of a card's file: that of the agent, or of the file of its weights."""
    return PurePath(agent.removeprefix("ppo:")).stem.replace(":", "-")


def names_of(game: str) -> list[str]:
    """All shipped agents, networks that are not in the game's kit by their path."""
    weights = [path for path in shipped_cards()[game] if path not in get_kit(game).trained.values()]
    return [*agent_names(game), *(f"ppo:{path.relative_to(ROOT).as_posix()}" for path in weights)]


def command(game: str, name: str, args: Args) -> list[str]:
    """The arguments of `blackjacky score`."""
    out = folder(game, name)
    resume = ["--resume"] if (out / "deals.jsonl").exists() else []
    threads = ["--threads", str(args.threads)]
    out_and_author = ["--out", out.as_posix(), "--by", AUTHORS]
    return [name, "--game", game, "--protocol", args.protocol, *threads, *out_and_author, *resume]


def folder(game: str, name: str) -> Path:
    """Where a score is written before its card is kept."""
    return Path("runs") / "scores" / game / name.replace(":", "-").replace("/", "-")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
