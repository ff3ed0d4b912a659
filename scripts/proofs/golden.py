"""Files in the games' test folders that record what the games do: written again, or compared."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from blackjacky_agents.files import write_file
from blackjacky_env.games import GAMES

FOLDER = Path(__file__).parents[2] / "tests" / "games"
LINES_OF_DIFFERENCE = 30


@dataclass(frozen=True)
class Args:
    """Record what the games do in their test folders, or compare it with what is recorded there."""

    game: str | None = None
    """Only this game; by default all."""
    check: bool = False
    """Write nothing; show differences, and fail if there are any."""
    folder: Path = FOLDER
    """Folder of the games' test folders."""


def write_or_check(args: Args, make_files: Callable[[str], Iterable[tuple[str, str]]], script: str) -> None:
    """Write or check the files of the games: (path relative to the games' test folders, text)."""
    stale = []
    for name, new in (file for game in (GAMES if args.game is None else [args.game]) for file in make_files(game)):
        path = args.folder / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if new == old:
            continue
        stale.append(name)
        if args.check:
            print(difference(name, old, new))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, new)
            print(f"{name} written")
    if stale and args.check:
        sys.exit(f"{', '.join(stale)} out of date; if intended, run: python scripts/proofs/{script}")


def difference(name: str, old: str, new: str) -> str:
    """The first lines of the difference between two versions of a file."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), name, name, "as written", "as it is now", n=0, lineterm=""
    )
    return "\n".join(islice(lines, LINES_OF_DIFFERENCE))
