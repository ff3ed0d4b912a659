"""Results in one form: what a measurement found, and how; one JSON file each, below results/.

``results/KIND.json``, or ``results/GAME/KIND.json`` for what belongs to a game, holds an object with

- ``what``: a sentence that says what the rows are,
- ``settings``: facts that all rows have in common, if there are any,
- ``runs``: an object for each command that made rows, with

  - ``command``, ``seed``, ``commit``, ``date``, ``minutes``, ``machine``, ``versions``: how they were made,
  - ``weights``: SHA-256 of the weights of every trained agent that they depend on,
  - ``fingerprints``: of what was measured, such as rules and bots (`fingerprints_of`),
  - ``rows``: objects. Those that are shown as they are have the headings of their table as names.

Score cards of agents, ``results/GAME/scores/NAME.json``, have a form of their own (`blackjacky score --check`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from blackjacky_agents import bot_names
from blackjacky_agents.reports import ready_for_json, typed, where
from blackjacky_agents.storage.files import write_file
from blackjacky_env.games import DEFAULT, GAMES

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
LIST = RESULTS / "results.toml"  # How results are made again.
AGENTS = ROOT / "agents" / "blackjacky_agents" / "games"
ROOMS = {name: room for name in GAMES if (room := ROOT / "blackjacky_env" / "games" / name).is_dir()}
"""Folders of the games in this repository, by name."""

_BEGUN = time.monotonic()
Result = dict[str, Any]
Row = Mapping[str, Any]


def path_of(kind: str, game: str | None = None) -> Path:
    """The file of a result."""
    return RESULTS / (game or "") / f"{kind}.json"


def load(kind: str, game: str | None = None, *, to_show: bool = True) -> Result | None:
    """A result, with the rows of all its runs as ``rows``; None if it has not been measured.

    `ValueError` if it is ``to_show`` and was made with other weights than are shipped.
    """
    path = path_of(kind, game)
    if not path.exists():
        return None
    result: Result = json.loads(path.read_text("utf-8"))
    for run in result["runs"]:
        if to_show and (others := other_weights(run, game)):
            raise ValueError(f"{path.relative_to(RESULTS.parent)} was made with other weights of {', '.join(others)}")
        run["earlier"] = earlier(run, game)
    return {**result, "path": path, "rows": [row for run in result["runs"] for row in run["rows"]]}


def save(
    kind: str,
    rows: Sequence[Row],
    *,
    what: str = "",
    command: str = "",
    game: str | None = None,
    seed: int | None = None,
    weights: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    versions: Mapping[str, str] | None = None,
    minutes: float | None = None,
    replaces: Callable[[Row], bool] = lambda _: True,
) -> Path:
    """Write the rows of one command in place of those in the file that it ``replaces``; returns the path.

    By default ``what`` is the sentence of results.toml, ``command`` the module that this process runs, with its
    arguments, and ``minutes`` the age of this process. ``weights`` are trained agents of the game that the rows depend
    on, ``versions`` those of packages beside Python, Numba and NumPy.
    """
    path, listed = path_of(kind, game), tomllib.loads(LIST.read_text("utf-8")).get(kind, {})
    machine, running = where(), sys.modules["__main__"].__spec__
    run = {
        "command": command or typed(f"-m {running.name if running else ''}"),
        "seed": seed,
        "commit": commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "minutes": round((time.monotonic() - _BEGUN) / 60 if minutes is None else minutes, 1),
        "versions": {**machine.pop("versions"), **(versions or {})},
        "machine": machine,
        "weights": {name: shipped(game)[name] for name in weights},
        "fingerprints": {each: fingerprints_of(game)[each] for each in listed.get("measures", ("rules",))},
        "rows": list(rows),
    }
    before = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []
    kept = [{**each, "rows": [row for row in each["rows"] if not replaces(row)]} for each in before]
    head = {"what": what or listed["what"], **({"settings": settings} if settings else {})}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, as_text(head, [each for each in [*kept, run] if each["rows"] or each is run]))
    return path


def as_text(head: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> str:
    """A result as JSON, with a line for each row."""
    parts = []
    for run in runs:
        facts = {name: fact for name, fact in run.items() if name != "rows"}
        lines = ",\n".join(f"   {json.dumps(ready_for_json(dict(row)), ensure_ascii=False)}" for row in run["rows"])
        told = json.dumps(ready_for_json(facts), indent=1, ensure_ascii=False).removesuffix("\n}").replace("\n", "\n  ")
        parts.append(f'  {told},\n   "rows": [\n{lines}\n   ]\n  }}')
    text = json.dumps(ready_for_json(dict(head)), indent=1, ensure_ascii=False).removesuffix("\n}")
    return text + ',\n "runs": [\n' + ",\n".join(parts) + "\n ]\n}\n"


@cache
def shipped(game: str | None) -> dict[str, str]:
    """SHA-256 of the weights of trained agents of a game, by default `DEFAULT`, by name."""
    folder = AGENTS / (game or DEFAULT) / "trained"
    return {path.stem: sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.safetensors"))}


@cache
def fingerprints_of(game: str | None) -> dict[str, str]:
    """Short hashes of what results measure, of a game or of all: `rules`, `bots`, `search` and `samples`.

    They are made of tests/games/NAME/fingerprints.json, which tests compare with what the games do: `rules` of whole
    games as numbers, `bots` and `search` of decisions, `samples` of positions sampled from observations.
    """
    found: dict[str, list[str]] = {"rules": [], "bots": [], "search": [], "samples": []}
    for name in ROOMS if game is None else [game]:
        lines = json.loads((ROOT / "tests" / "games" / name / "fingerprints.json").read_text("utf-8"))
        for what, hashed in lines.items():
            if kind := _kind_of(what, name):
                found[kind].append(f"{what} {hashed}")
    return {kind: sha256("\n".join(lines).encode()).hexdigest()[:16] for kind, lines in found.items()}


def _kind_of(what: str, game: str) -> str:
    """What a line of the fingerprints belongs to; empty if nothing here depends on it alone."""
    first, _, agent = what.partition("decisions of ")
    if agent:
        return "bots" if agent in bot_names(game) else "search" if ":" in agent else ""
    return {"batch": "rules", "sampled": "samples"}.get(first.partition(",")[0], "")


def other_weights(run: Mapping[str, Any], game: str | None) -> list[str]:
    """Trained agents that are shipped with other weights than those that rows were made with."""
    now = shipped(game)
    return [name for name, weights in run["weights"].items() if now.get(name, weights) != weights]


def earlier(run: Mapping[str, Any], game: str | None) -> list[str]:
    """What has changed since rows were made, such as `rules`."""
    now = fingerprints_of(game)
    return [each for each, fingerprint in run["fingerprints"].items() if fingerprint != now[each]]


def minutes_of(name: str, game: str | None) -> float | None:
    """How long the commands of a result took; None if that is not known."""
    if not (path := path_of(name, game)).exists():
        return None
    found = [run["minutes"] for run in json.loads(path.read_text("utf-8"))["runs"]]
    return None if None in found else sum(found)


def commit() -> str:
    """The commit of this tree, in short; empty outside a repository."""
    done = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, check=False)
    return done.stdout.decode().strip()


def aged(result: Result) -> str:
    """A note of what has changed since a result was measured, such as ``" (of earlier rules)"``, else empty."""
    changed = dict.fromkeys(what for run in result["runs"] for what in run["earlier"])
    return f" (of earlier {', '.join(changed)})" if changed else ""


def made_by(result: Result) -> str:
    """The file of a result, which has its commands and versions, and the commits and dates of its runs, in Markdown."""
    return f"`{result['path'].relative_to(RESULTS.parent).as_posix()}`: {'; '.join(dict.fromkeys(_runs(result)))}."


def _runs(result: Result) -> Iterator[str]:
    for run in result["runs"]:
        machine = run["machine"]
        on = [
            machine.get("processor", machine.get("system")),
            *([f"{machine['cores']} cores"] if "cores" in machine else []),
        ]
        yield f"commit `{run['commit']}`, {run['date']}, {', '.join(on)}{aged({'runs': [run]})}"
