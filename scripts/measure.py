"""Make results again as results/results.toml says: those that are missing or out of date.

    python -m scripts.measure --stale                  what is out of date, why, and how long it took last
    python -m scripts.measure                          make all that; hours
    python -m scripts.measure ladder --game GAME
    python -m scripts.measure ladder --again
    python -m scripts.pages                            then the tables and pictures of the pages

Out of date is what was made with other weights than those that are shipped, of earlier rules, bots or samples, or by
another command than today's.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from blackjacky_agents.reports import duration
from scripts.results import LIST, ROOMS, ROOT, earlier, minutes_of, other_weights, path_of, save

FOLDER = ROOT / "runs" / "measured"  # What commands write before it is put into the common form.
COUNTS = re.compile(r" --(cores|threads|workers) \d+")  # How many run at once: what they find is the same.
Entry = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Make results again: those that are missing or out of date."""

    names: tyro.conf.Positional[tuple[str, ...]] = ()  # Results by name, as in results/results.toml; by default all.
    game: str | None = None  # Those of this game only.
    again: bool = False  # Make them even if they are up to date.
    stale: bool = False  # Only say which are missing or out of date, why, and how long they took last.
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
    minutes = 0.0
    for name, entry in entries.items():
        for game in entry.get("games", [None]):
            if name not in (args.names or entries) or args.game not in (None, game):
                continue
            reasons = [*dict.fromkeys(why_stale(name, entry, game))]
            if args.stale and reasons:
                took = minutes_of(name, game)
                minutes += took or 0
                told = duration(60 * took) if took else "time unknown"
                print(f"{path_of(name, game).relative_to(ROOT)}: {'; '.join(reasons)} ({told})")
            elif not args.stale and (args.again or reasons):
                make(name, entry, game, args.dry)
    if args.stale and minutes:
        print(f"{duration(60 * minutes)} on two cores, and what has no time yet")
    return 0


def why_stale(name: str, entry: Entry, game: str | None) -> Iterator[str]:
    """Why a result has to be made again; nothing if it is up to date."""
    path = path_of(name, game)
    if not path.exists():
        yield "missing"
        return
    output, runs = output_of(name, game), json.loads(path.read_text("utf-8"))["runs"]
    todays = {COUNTS.sub("", command) for command in commands_of(entry, game, output)}
    made = {COUNTS.sub("", run["command"]): None for run in runs}
    for run in runs:
        yield from (f"other weights of {agent}" for agent in other_weights(run, game))
        yield from (f"of earlier {what}" for what in earlier(run, game))
    yield from (f"made by {shorter(command)!r}" for command in made if command not in todays)
    if any(output.relative_to(ROOT).as_posix() in command and command not in made for command in todays):
        yield "not made by all of its commands"  # the first that failed ended the others, too


def shorter(text: str, most: int = 60) -> str:
    """The first characters of a text."""
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def output_of(name: str, game: str | None) -> Path:
    """Where commands write before it is put into the common form."""
    return FOLDER / f"{'-'.join(filter(None, (game, name)))}.json"


def commands_of(entry: Entry, game: str | None, output: Path) -> list[str]:
    """The commands of an entry for a game."""
    words = {"game": game, "output": output.relative_to(ROOT).as_posix(), **entry.get(game or "", {})}
    return [command.format(**words) for command in entry["commands"]]


def make(name: str, entry: Entry, game: str | None, dry: bool = False) -> None:
    """Run the commands of a result, and write it if they do not; `CalledProcessError` if one of them fails."""
    output, made, begun = output_of(name, game), list[tuple[str, Any, float]](), time.monotonic()
    for command in commands_of(entry, game, output):
        print(command, flush=True)
        if dry:
            continue
        FOLDER.mkdir(parents=True, exist_ok=True)
        output.unlink(missing_ok=True)
        run(command)
        if output.exists():  # the minutes are also those of commands before it that prepared it
            made.append((command, json.loads(output.read_text("utf-8")), (time.monotonic() - begun) / 60))
            begun = time.monotonic()
    for number, (command, found, minutes) in enumerate(made):
        path = save(
            name,
            rows_in(found, entry.get("rows")),
            command=command,
            game=game,
            seed=entry.get("seed", 0),
            settings={fact: found[fact] for fact in entry.get("settings", ())},
            weights=entry.get("weights", ()),
            minutes=minutes,
            replaces=(lambda _: True) if number == 0 else (lambda _: False),
        )
        print(f"{path.relative_to(ROOT)} written", flush=True)


def rows_in(found: Any, name: str | None) -> list[dict[str, Any]]:
    """The rows in what a command has written: under a name, the list, or the object, which is one row."""
    rows = found if name is None else found[name]
    return rows if isinstance(rows, list) else [rows]


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
