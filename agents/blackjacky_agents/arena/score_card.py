"""What is kept of a score: a card (JSON), a badge (SVG), and the finished jobs of one that was interrupted."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from blackjacky_agents.agent import Agent
from blackjacky_agents.arena.intervals import Estimate
from blackjacky_agents.arena.protocol import Protocol
from blackjacky_agents.arena.results_file import describe_agent
from blackjacky_agents.arena.scoring import Job, Played, Results, ScoreResult, jobs
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.files import write_file
from blackjacky_agents.reports import ready_for_json
from blackjacky_env.engine.reading import parse_json

FORMAT = 1
"""Version of the card."""
_LETTER = 6.6  # width of an average letter in a badge
_HEIGHT = 20
_COLOURS = {90: "#2e7d32", 60: "#5b7312", 30: "#8a5d00", -math.inf: "#a4402c"}  # white text has a contrast of 5 on each


def make_card(
    protocol: Protocol, length: str, agent: Agent, result: ScoreResult, run: Mapping[str, Any]
) -> dict[str, Any]:
    """The card of a score, JSON-ready; ``run``: what may differ when it is repeated, such as command and machine."""
    return {
        "format": FORMAT,
        "agent": _identity(agent),
        "game": protocol.game,
        "protocol": {"name": protocol.name, "length": length, "sha256": protocol.sha256},
        "options": protocol.options,
        **ready_for_json(asdict(result)),
        "package": package(),
        "run": dict(run),
    }


def _identity(agent: Agent) -> dict[str, Any]:
    """The agent's name and, as far as known, hashes of what it is made of."""
    if isinstance(agent, PythonAgent):
        return {"name": agent.name, "source": agent.source()}
    return describe_agent(agent)


def package() -> dict[str, Any]:
    """Version of this package; in a clone also the commit, and whether no tracked file differs from it."""
    folder = Path(__file__).parents[1]
    tracked = _git(folder, "ls-files", "--error-unmatch", "__init__.py")
    return {
        "version": version("blackjacky"),
        "commit": _git(folder, "rev-parse", "HEAD") if tracked else None,
        "clean": _git(folder, "status", "--porcelain", "--untracked-files=no", ":/") == "" if tracked else None,
    }


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


# ---------------------------------------------------------------- the badge


def badge(title: str, score: Estimate) -> str:
    """A small SVG with a title and a score with its interval."""
    value = in_words(score)
    left, right = (round(_LETTER * len(text)) + 12 for text in (title, value))
    colour = next(colour for lowest, colour in _COLOURS.items() if score.mean >= lowest)
    label = escape(f"{title}: {value}", {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img" '
        f'aria-label="{label}"><title>{label}</title><clipPath id="r"><rect width="{left + right}" height="{_HEIGHT}" '
        f'rx="3"/></clipPath><g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{colour}"/></g>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{escape(title)}</text><text x="{left + right / 2:g}" y="14">{value}</text>'
        f"</g></svg>\n"
    )


def in_words(score: Estimate) -> str:
    """A score with its interval, such as ``"97.3 (96.1 .. 98.6)"``."""
    return f"{score.mean:.1f} ({score.low:.1f} .. {score.high:.1f})"


# ---------------------------------------------------------------- interrupted scores


class ScoreFile:
    """The finished jobs of a score (JSON Lines), so that an interrupted one can be resumed."""

    def __init__(self, path: Path, protocol: Protocol, length: str, agent: Agent) -> None:
        self.path = path
        self._setup = {"agent": _identity(agent), "protocol": protocol.sha256, "length": length}
        self._jobs = {tuple(job) for job in jobs(protocol, length, agent)}

    def start(self) -> Results:
        """Create the file, or empty it; returns no jobs."""
        write_file(self.path, json.dumps(self._setup) + "\n")
        return {}

    def read(self) -> Results:
        """All complete jobs; a truncated last line is dropped.

        Raises `ValueError` if the file is missing, damaged or of another agent, protocol or length.
        """
        if not self.path.is_file():
            raise ValueError(f"there is no interrupted score to resume: {str(self.path)!r} is missing")
        first, *lines, rest = self.path.read_bytes().split(b"\n")
        if rest:
            write_file(self.path, b"\n".join([first, *lines, b""]))
        try:
            setup, rows = dict(parse_json(first)), [parse_json(line) for line in lines]
            results = {Job(*row["job"]): Played(tuple(row["shares"]), tuple(row["microseconds"])) for row in rows}
            complete = all(tuple(job) in self._jobs and _fits(job, played) for job, played in results.items())
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{str(self.path)!r} is damaged: {error!r}") from None
        for name, own in self._setup.items():
            if setup.get(name) != own:
                raise ValueError(f"{str(self.path)!r} holds a score with {name}={setup.get(name)!r}, not {own!r}")
        if not complete:
            raise ValueError(f"{str(self.path)!r} is damaged: it holds deals that are not part of this score")
        return results

    def append(self, job: Job, played: Played) -> None:
        """Add a finished job."""
        line = json.dumps({"job": job, **played._asdict()}, separators=(",", ":"))
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")


def _fits(job: Job, played: Played) -> bool:
    numbers = all(type(each) in (int, float) for each in (*played.shares, *played.microseconds))
    return numbers and len(played.shares) == job.deals and all(0 <= share <= 1 for share in played.shares)
