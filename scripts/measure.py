"""Make results again as results/results.toml says: those that are missing, or of other weights than are shipped.

python -m scripts.measure                          everything; hours
python -m scripts.measure ladder --game GAME
python -m scripts.measure ladder --again
python -m scripts.pages                            then the tables and pictures of the pages
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from scripts.results import LIST, ROOMS, ROOT, outdated, path_of, save

FOLDER = ROOT / "runs" / "measured"  # What commands write before it is put into the common form.
Entry = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Make results again: those that are missing, or were made with other weights than those that are shipped."""

    names: tyro.conf.Positional[tuple[str, ...]] = ()  # Results by name, as in results/results.toml; by default all.
    game: str | None = None  # Those of this game only.
    again: bool = False  # Make them even if they are there.
    dry: bool = False  # Only print the commands.


def main(args: Args) -> int:
    """Run what is needed; returns the exit status."""
    entries = tomllib.loads(LIST.read_text("utf-8"))
    if unknown := set(args.names) - set(entries):
        print(f"error: no result {', '.join(sorted(unknown))}; there are {', '.join(entries)}", file=sys.stderr)
        return 2
    if args.game not in (None, *ROOMS):
        print(f"error: no game {args.game!r}; there are {', '.join(ROOMS)}", file=sys.stderr)
        return 2
    for name, entry in entries.items():
        for game in entry.get("games", [None]):
            wanted = name in (args.names or entries) and (args.game is None or game == args.game)
            path = path_of(name, game)
            if wanted and (args.again or not path.exists() or outdated(json.loads(path.read_text("utf-8")), game)):
                make(name, entry, game, args.dry)
    return 0


def commands_of(entry: Entry, game: str | None, output: Path) -> list[str]:
    """The commands of an entry for a game."""
    words = {"game": game, "output": output.relative_to(ROOT).as_posix(), **entry.get(game or "", {})}
    return [command.format(**words) for command in entry["commands"]]


def make(name: str, entry: Entry, game: str | None, dry: bool = False) -> None:
    """Run the commands of a result, and write it if they do not; `CalledProcessError` if one of them fails."""
    output = FOLDER / f"{'-'.join(filter(None, (game, name)))}.json"
    commands = commands_of(entry, game, output)
    if not dry:
        output.unlink(missing_ok=True)  # some commands add to it
    for command in commands:
        print(command, flush=True)
        if not dry:
            FOLDER.mkdir(parents=True, exist_ok=True)
            run(command)
    if dry or not any(output.relative_to(ROOT).as_posix() in command for command in commands):
        return
    found = json.loads(output.read_text("utf-8"))
    rows = found[entry["rows"]] if "rows" in entry else found
    settings = {fact: found[fact] for fact in entry.get("settings", ())}
    told = "; ".join(commands)
    facts = {"what": entry["what"], "command": told, "seed": entry.get("seed", 0), "settings": settings}
    print(f"{save(name, rows, game=game, weights=entry.get('weights', ()), **facts).relative_to(ROOT)} written")


def run(command: str) -> None:
    """Run a command at the top of the repository with this Python."""
    words = shlex.split(command)
    start = {"blackjacky": [sys.executable, "-m", "blackjacky_agents"], "python": [sys.executable]}
    subprocess.run([*start[words[0]], *words[1:]], cwd=ROOT, check=True)


if __name__ == "__main__":
    try:
        sys.exit(main(tyro.cli(Args)))
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {shlex.join(error.cmd)} ended with status {error.returncode}; nothing was written")
