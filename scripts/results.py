"""Results in one form: what a measurement found, and how; one JSON file each, below results/.

``results/KIND.json``, or ``results/GAME/KIND.json`` for what belongs to a game, holds an object with

- ``what``: a sentence that says what the rows are,
- ``command``, ``seed``, ``commit``, ``date``, ``machine``, ``versions``: how they were made,
- ``weights``: SHA-256 of the weights of every trained agent that they depend on,
- ``settings``: facts that all rows have in common, if there are any,
- ``rows``: objects. Those that are shown as they are have the headings of their table as names.

Score cards of agents, ``results/GAME/scores/NAME.json``, have a form of their own (`blackjacky score --check`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from blackjacky_agents.reports import ready_for_json, typed, where
from blackjacky_agents.storage.files import write_file
from blackjacky_env.games import GAMES

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
LIST = RESULTS / "results.toml"  # How results are made again.
AGENTS = ROOT / "agents" / "blackjacky_agents" / "games"
ROOMS = {name: room for name in GAMES if (room := ROOT / "blackjacky_env" / "games" / name).is_dir()}
"""Folders of the games in this repository, by name."""

Result = dict[str, Any]


def path_of(kind: str, game: str | None = None) -> Path:
    """The file of a result."""
    return RESULTS / (game or "") / f"{kind}.json"


def load(kind: str, game: str | None = None) -> Result | None:
    """A result; None if it has not been measured. `ValueError` if it was made with other weights than are shipped."""
    path = path_of(kind, game)
    if not path.exists():
        return None
    result: Result = json.loads(path.read_text("utf-8"))
    if others := outdated(result, game):
        raise ValueError(f"{path.relative_to(RESULTS.parent)} was made with other weights of {', '.join(others)}")
    return result


def save(
    kind: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    what: str = "",
    command: str = "",
    game: str | None = None,
    seed: int | None = None,
    weights: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    versions: Mapping[str, str] | None = None,
) -> Path:
    """Write a result, in place of the one before, and return its path.

    By default ``what`` is the sentence of results.toml, and ``command`` the module that this process runs, with its
    arguments. ``weights`` are trained agents of the game that the rows depend on, ``versions`` those of packages beside
    Python, Numba and NumPy.
    """
    machine, running = where(), sys.modules["__main__"].__spec__
    head = {
        "what": what or tomllib.loads(LIST.read_text("utf-8"))[kind]["what"],
        "command": command or typed(f"-m {running.name if running else ''}"),
        "seed": seed,
        "commit": commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {**machine.pop("versions"), **(versions or {})},
        "machine": machine,
        "weights": {name: shipped(game)[name] for name in weights},
        **({"settings": settings} if settings else {}),
    }
    text = json.dumps(ready_for_json(head), indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(ready_for_json(dict(row)), ensure_ascii=False)}" for row in rows)
    path = path_of(kind, game)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, f'{text},\n "rows": [\n{lines}\n ]\n}}\n')
    return path


@cache
def shipped(game: str | None) -> dict[str, str]:
    """SHA-256 of the weights of a game's trained agents, by name."""
    folder = AGENTS / (game or "") / "trained"
    return {path.stem: sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.safetensors"))}


def outdated(result: Mapping[str, Any], game: str | None) -> list[str]:
    """Trained agents that are shipped with other weights than those that a result was made with."""
    now = shipped(game)
    return [name for name, weights in result["weights"].items() if now.get(name, weights) != weights]


def commit() -> str:
    """The commit of this tree, in short; empty outside a repository."""
    done = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, check=False)
    return done.stdout.decode().strip()


def made_by(result: Mapping[str, Any]) -> str:
    """The command, commit, machine and versions of a result, in Markdown."""
    words = str(result["command"]).removeprefix("python ").split()
    module = ROOT / f"{words[1].replace('.', '/')}.py" if words[0] == "-m" else ROOT / words[0]
    gone = module.suffix == ".py" and not module.exists()
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    machine = result["machine"]
    on = [str(machine[fact]) for fact in ("processor", "system") if fact in machine]
    if "cores" in machine:
        on.append(f"{machine['cores']} cores")
    at = f"at commit `{LAST}`" if gone else f"with the tree of `{result['commit']}`"
    return f"`{result['command']}` {at}, {result['date']}: {', '.join([*on, versions])}."


LAST = "9f1bee96"  # The last commit with the scripts that measured once and were then removed.
