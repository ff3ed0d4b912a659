"""Count the lines of Python by folder: code, imports, docstrings and blank lines apart.

python scripts/documents/count_lines.py                     the working tree's last commit
python scripts/documents/count_lines.py --at 520aab3        another commit
python scripts/documents/count_lines.py --named NAME        how often, and in how many files, each field of a game's
                                                            record is named in its rooms on both sides
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import tyro

from blackjacky_agents.reports import markdown_table
from blackjacky_env.games import get_game

ROOT = Path(__file__).parents[2]
ROOMS = ("blackjacky_env/games/", "agents/blackjacky_agents/games/")
FOLDERS = ("blackjacky_env", "agents", "scripts", "tests", "examples")


@dataclass(frozen=True)
class Args:
    """Count lines of Python by folder."""

    at: str = "HEAD"
    """The commit."""
    named: str | None = None
    """Count the names of the fields of this game's record instead."""


def main(args: Args) -> None:
    """Print the table."""
    sources = sources_at(args.at)
    if args.named:
        print(markdown_table(["field", "times", "files"], named(args.named, sources)))
        return
    rows = [[folder, *total(sources, (f"{folder}/",))] for folder in FOLDERS]
    rows.append(["of these in rooms, both sides", *total(sources, ROOMS)])
    print(markdown_table(["folder", "code", "imports", "docstrings", "blank, comments", "lines"], rows))


def sources_at(revision: str) -> dict[str, str]:
    """The Python files of a commit."""
    paths = git("ls-tree", "-r", "--name-only", revision).splitlines()
    return {path: git("show", f"{revision}:{path}") for path in paths if path.endswith(".py")}


def git(*command: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def total(sources: dict[str, str], folders: tuple[str, ...]) -> list[int]:
    """Lines of code, imports, docstrings, blank lines and comments, and all lines, below some folders."""
    counts = Counter[str]()
    for path, source in sources.items():
        if path.startswith(folders):
            counts.update(kinds(source))
    return [counts[kind] for kind in ("code", "import", "docstring", "blank")] + [sum(counts.values())]


def kinds(source: str) -> Counter[str]:
    """How many lines of a file are of each kind."""
    lines = source.splitlines()
    kind = ["blank" if re.match(r"\s*(#|$)", line) else "code" for line in lines]
    for node in ast.walk(ast.parse(source)):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or (is_docstring and isinstance(node.value.value, str)):
            name = "docstring" if is_docstring else "import"
            kind[node.lineno - 1 : node.end_lineno] = [name] * ((node.end_lineno or 0) - node.lineno + 1)
    return Counter(kind)


def named(game: str, sources: dict[str, str]) -> list[list[object]]:
    """By field of a game's record: how often its rooms name it or its part of the observation, and in how many."""
    own = {path: text for path, text in sources.items() if any(path.startswith(f"{room}{game}/") for room in ROOMS)}
    rows: list[list[object]] = []
    for field in get_game(game).fields.fields.values():
        names = f"{field.name}|{field.part or field.name}|(?:AT_|_){field.name.upper()}"
        found = {path: len(re.findall(rf"(?<!\w)(?:{names})(?!\w)", text)) for path, text in own.items()}
        rows.append([f"`{field.name}`", sum(found.values()), sum(map(bool, found.values()))])
    return [*rows, ["all", sum(int(str(row[1])) for row in rows), sum(int(str(row[2])) for row in rows)]]


if __name__ == "__main__":
    main(tyro.cli(Args))
