"""Play the published ladder of every game again: each agent against copies of every other.

    python scripts/documents/play_ladders.py
    python scripts/documents/play_ladders.py --game GAME --games 1000

Table sizes and numbers of games are taken from agents/results/GAME/ladder.json, which is then replaced; a game without
this file is played at all table sizes. Games are stored in runs/ladder-GAME, so that an interrupted ladder is resumed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import tyro
from parts import RESULTS, ROOMS, ROOT

from blackjacky_agents.cli import run
from blackjacky_env.games import get_game

USUAL_GAMES = 24_000


@dataclass(frozen=True)
class Args:
    """Play the published ladder of every game again."""

    game: str | None = None
    """Play this game only."""
    games: int | None = None
    """Number of games per table size; by default as published."""
    cluster: str | None = None
    """Play on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; games do not depend on it."""


def main(args: Args) -> int:
    """Play the ladders; returns the exit status."""
    for game in ROOMS if args.game is None else [args.game]:
        path = RESULTS / game / "ladder.json"
        path.parent.mkdir(exist_ok=True)
        cluster = [] if args.cluster is None else ["--cluster", args.cluster]
        arguments = [*command(game, path.relative_to(ROOT), args.games), *cluster]
        status = run("tournament", arguments, "blackjacky tournament")
        if status:
            return status
    return 0


def command(game: str, path: Path, games: int | None = None) -> list[str]:
    """The arguments of `blackjacky tournament` for the ladder in ``path``, relative to the repository."""
    every = {size for variant in get_game(game).variants for size in variant.sizes}
    sizes, count = [*map(str, sorted(every))], USUAL_GAMES
    if (ROOT / path).exists():
        tables = json.loads((ROOT / path).read_text(encoding="utf-8"))["tables"]
        sizes, count = [str(table["num_players"]) for table in tables], min(table["games"] for table in tables)
    where = ["--output", f"runs/ladder-{game}", "--ladder", path.as_posix()]
    return ["--game", game, "--lineups", "copies", "--players", *sizes, "--games", str(games or count), *where]


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
