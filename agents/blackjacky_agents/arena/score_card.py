"""The files of a score: a card (JSON), a badge (SVG), and the finished jobs of one that was interrupted.

A card holds what was won in every game, from which all its numbers follow, and all moves of a sample of games. The
sample is drawn from the results, so nobody can choose results and sample independently of each other
(`blackjacky_agents.arena.card_check`).
"""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.arena.protocol import Protocol
from blackjacky_agents.arena.results_file import describe_agent
from blackjacky_agents.arena.scoring import DIGITS, Job, Played, Results, deals_of, jobs, score, wins_by_table
from blackjacky_agents.arena.table import decode_actions
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_agents.files import write_file
from blackjacky_agents.games import get_kit
from blackjacky_agents.intervals import Estimate
from blackjacky_agents.networks.agent_file import read_card
from blackjacky_agents.reports import duration, ready_for_json
from blackjacky_agents.search.searchers import SEARCHERS
from blackjacky_env.games import get_game
from blackjacky_env.reading import MAX_DATA, parse_json, read_file

FORMAT = 2
"""Version of the card; 1 held no games."""
SAMPLED = 12
"""Games per table whose moves are in the card, rounded up to whole deals."""
_LETTER = 6.6  # width of an average letter in a badge
_HEIGHT = 20
_COLOURS = {90: "#2e7d32", 60: "#5b7312", 30: "#8a5d00", -math.inf: "#a4402c"}  # white text has a contrast of 5 on each


@dataclass(frozen=True)
class Entry:
    """What its author says about an agent, for the table of standings; every text may be empty."""

    kind: str
    """What kind of agent it is."""
    by: str
    """Who made it."""
    link: str
    """An https address where more is said about it."""
    network: str
    """Size of its network."""
    training: str
    """What its training cost."""


def make_card(
    protocol: Protocol, length: str, agent: Agent, entry: Entry, results: Results, run: Mapping[str, Any]
) -> dict[str, Any]:
    """The card of a score, JSON-ready; ``run``: what may differ when it is repeated, such as command and machine."""
    wins = wins_by_table(protocol, results)
    card: dict[str, Any] = {
        "format": FORMAT,
        "agent": identity(agent),
        "entry": asdict(entry),
        "game": protocol.game,
        "protocol": {"name": protocol.name, "length": length, "sha256": protocol.sha256},
        "options": protocol.options,
        **ready_for_json(asdict(score(protocol, deals_of(protocol, results)))),
        "package": package(),
        "run": dict(run),
    }
    moves = _moves_by_game(results)
    for number, (table, sample) in enumerate(zip(card["tables"], sampled_games(protocol, length, wins), strict=True)):
        table |= {"wins": wins[number], "moves": [moves[number, game] for game in sample]}
    return card


def _moves_by_game(results: Results) -> dict[tuple[int, int], str]:
    """The moves of each game, by the index of its table and its number there."""
    found = {}
    for job, played in results.items():
        first = job.first * (len(played.moves) // job.deals)
        found.update({(job.table, first + number): text for number, text in enumerate(played.moves)})
    return found


def sampled_games(protocol: Protocol, length: str, wins: Sequence[str]) -> list[list[int]]:
    """Numbers of the games of each table whose moves a card holds, in order, given what was won in all games.

    They are all games of the deals with the lowest hashes of deal and results.
    """
    seed = hashlib.sha256(json.dumps([protocol.sha256, length, *wins]).encode()).hexdigest()
    found = []
    for number, table in enumerate(protocol.tables):
        keys = [
            hashlib.sha256(f"{seed} {number} {deal}".encode()).digest() for deal in range(protocol.deals(table, length))
        ]
        deals = sorted(sorted(range(len(keys)), key=keys.__getitem__)[: -(-SAMPLED // table.num_players)])
        found.append([deal * table.num_players + turn for deal in deals for turn in range(table.num_players)])
    return found


def describe_entry(agent: Agent, by: str = "", link: str = "") -> Entry:
    """An entry with what can be found out about the agent."""
    card = _card_of_weights(agent)
    if card is None:
        return Entry(_kind(agent), by, link, "", "")
    sizes = card["layers"]
    weights = sum((size + 1) * following for size, following in pairwise(sizes))
    network = f"{' x '.join(map(str, sizes[1:-1]))} ({weights:,} weights)"
    number = card.get("machine", {}).get("cores")
    cores = f" on {number} cores" if number else ""
    told = {"steps", "seconds"} <= card.keys()
    training = f"{card['steps']:,} steps, {duration(card['seconds'])}{cores}" if told else ""
    return Entry("network", by, link, network, training)


def _kind(agent: Agent) -> str:
    if isinstance(agent, PythonAgent | SubprocessAgent):
        return "class" if isinstance(agent, PythonAgent) else "program"
    kind = agent.name.partition(":")[0]
    return {**dict.fromkeys(SEARCHERS, "search"), "solved": "solution"}.get(kind, "bot")


def identity(agent: Agent) -> dict[str, Any]:
    """The agent's name and, as far as known, hashes of what it is made of."""
    if isinstance(agent, PythonAgent):
        return {"name": agent.name, "source": agent.source()}
    card = _card_of_weights(agent)
    return {**describe_agent(agent), **({} if card is None else {"weights": card["sha256"]})}


def _card_of_weights(agent: Agent) -> dict[str, Any] | None:
    """The card of a trained agent; None for others."""
    if not isinstance(agent, CompiledAgent):
        return None
    trained = get_kit(agent.game).trained
    if agent.name not in trained and not agent.name.startswith("ppo:"):
        return None
    return read_card(trained.get(agent.name, agent.name.removeprefix("ppo:")))


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
        self._setup = {"agent": identity(agent), "protocol": protocol.sha256, "length": length}
        self._protocol = protocol
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
        try:
            first, *lines, rest = read_file(self.path, MAX_DATA).split(b"\n")
            if rest:
                write_file(self.path, b"\n".join([first, *lines, b""]))
            setup, rows = dict(parse_json(first)), [parse_json(line) for line in lines]
            results = {
                Job(*row["job"]): Played(row["wins"], tuple(row["moves"]), tuple(row["microseconds"])) for row in rows
            }
            complete = all(tuple(job) in self._jobs and self._fits(job, played) for job, played in results.items())
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

    def _fits(self, job: Job, played: Played) -> bool:
        players, size = self._protocol.tables[job.table].num_players, get_game(self._protocol.game).num_actions
        numbers = all(type(each) in (int, float) for each in played.microseconds)
        games = len(played.moves) == job.deals * players and all(decode_actions(each, size) for each in played.moves)
        return numbers and games and are_wins(played.wins, job.deals * players, players)


def are_wins(wins: object, games: int, players: int) -> bool:
    """Whether ``wins`` are the results of so many games at a table of this size, see `DIGITS`."""
    return isinstance(wins, str) and len(wins) == games and set(wins) <= set(DIGITS[: players + 1])
