"""Play the ladder of every game again: one of each agent against copies of each other one, as it was published.

    python scripts/documents/play_ladders.py
    python scripts/documents/play_ladders.py --game GAME --games 1000

Table sizes and numbers of games are those of agents/results/GAME/ladder.json, into which the report goes; a game
without this file is played at all its table sizes. Games are kept in runs/ladder-GAME; a stopped ladder goes on there.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import tyro
from make_results import RESULTS
from parts import ROOMS, ROOT

from blackjacky_agents.cli import run
from blackjacky_env.games import get_game

USUAL_GAMES = 24_000


@dataclass(frozen=True)
class Args:
    """Play the ladder of every game again, as it was published."""

    game: str | None = None
    """This game only."""
    games: int | None = None
    """Games at each table size, by default as many as were published."""


def main(args: Args) -> int:
    """Play; returns the exit status."""
    for game in ROOMS if args.game is None else [args.game]:
        path = RESULTS / game / "ladder.json"
        path.parent.mkdir(exist_ok=True)
        status = run("tournament", command(game, path.relative_to(ROOT), args.games), "blackjacky tournament")
        if status:
            return status
    return 0


def command(game: str, path: Path, games: int | None = None) -> list[str]:
    """The arguments of `blackjacky tournament` that play the ladder kept in ``path``, relative to the repository."""
    sizes, count = [*map(str, sizes_of(game))], USUAL_GAMES
    if (ROOT / path).exists():
        tables = json.loads((ROOT / path).read_text(encoding="utf-8"))["tables"]
        sizes, count = [str(table["num_players"]) for table in tables], min(table["games"] for table in tables)
    where = ["--output", f"runs/ladder-{game}", "--ladder", path.as_posix()]
    return ["--game", game, "--lineups", "copies", "--players", *sizes, "--games", str(games or count), *where]


def sizes_of(game: str) -> list[int]:
    """All table sizes that a variant of the game allows."""
    return sorted({size for variant in get_game(game).variants for size in variant.sizes})


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
