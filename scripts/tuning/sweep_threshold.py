"""Find the limits of `threshold` that are the best reply to themselves, at tables of four.

    python scripts/tuning/sweep_threshold.py

One copy of every candidate plays against three copies of every other one, and the candidate with the least regret is
chosen: what the best reply to three copies of it wins above what it wins itself, 0 if it is its own best reply. First
come all candidates with the same limit for drawing in a last turn, then the best of them with every such limit and
more games. All pairs play the same deals from the same seats. The table goes into agents/README.md, the limits by
hand into `threshold.LIMITS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tyro
from tqdm import tqdm

from blackjacky_agents import CompiledAgent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.files import write_file
from blackjacky_agents.games.black_jacky.bots import threshold
from blackjacky_agents.reports import markdown_table, replace_part

Limits = tuple[int, int, int, int]
"""As `threshold.LIMITS`: knock from, draw below; in a last turn keep from, draw below; distances below bust_at."""

PLAYERS = 4
FIRST: list[Limits] = [(*limits, 7) for limits in product(range(1, 5), range(3, 7), range(1, 5))]
LAST_DRAW = range(5, 10)
SHOWN = 8


@dataclass(frozen=True)
class Args:
    """Find the limits of `threshold` that are the best reply to themselves (about 5 minutes on 2 cores)."""

    games: int = 2000
    """Games of each pair at first."""
    fine_games: int = 10000
    """Games of each pair of the best."""
    finalists: int = 6
    """How many of the first are looked at more closely."""
    seed: int = 0
    """The first game's seed."""
    threads: int = 2
    """CPU threads; they change nothing in the results."""
    readme: Path = Path(__file__).parents[2] / "agents" / "README.md"
    """Where the table is written."""


@dataclass(frozen=True)
class Candidate:
    """How limits stand against the best reply to them."""

    limits: Limits
    own: float
    """What one of four copies wins."""
    reply: Limits
    """What wins most against three copies."""
    replied: float
    """What that wins."""

    @property
    def regret(self) -> float:
        """What the best reply wins more."""
        return self.replied - self.own


def win_rates(replies: Sequence[Limits], tables: Sequence[Limits], games: int, args: Args) -> npt.NDArray[np.float64]:
    """What one copy of each reply wins against three copies of each table's limits, shape (replies, tables)."""
    opponents = [agent(limits) for limits in tables]
    result = np.zeros((len(replies), len(tables)))
    for i, reply in enumerate(tqdm(replies, unit="candidate")):
        scores = against_copies(agent(reply), opponents, PLAYERS, games, args.seed, args.threads)
        result[i] = [score.win_rate for score in scores]
    return result


def agent(limits: Limits) -> CompiledAgent:
    """`threshold` with these limits."""
    return CompiledAgent("threshold", "black_jacky", threshold.choose, np.array(limits, np.float32))


def ranked(replies: Sequence[Limits], tables: Sequence[Limits], rates: npt.NDArray[np.float64]) -> list[Candidate]:
    """The tables' limits, least regret first; of equals, those that win more against themselves first."""
    own = [rates[replies.index(limits), j] for j, limits in enumerate(tables)]
    best = rates.argmax(axis=0)
    candidates = [Candidate(limits, own[j], replies[best[j]], rates[best[j], j]) for j, limits in enumerate(tables)]
    return sorted(candidates, key=lambda candidate: (candidate.regret, -candidate.own))


def finer(best: Sequence[Candidate]) -> tuple[list[Limits], list[Limits]]:
    """The best limits with every limit for drawing in a last turn; these and the best replies, with every one too."""
    tables = variations(candidate.limits for candidate in best)
    replies = variations(candidate.reply for candidate in best)
    return list(dict.fromkeys(tables + replies)), tables


def variations(of: Iterable[Limits]) -> list[Limits]:
    """The same with every limit for drawing in a last turn."""
    return [(knock, draw, keep, last_draw) for knock, draw, keep, _ in of for last_draw in LAST_DRAW]


def report(candidates: Sequence[Candidate], args: Args) -> str:
    """The best as a table in Markdown, and how it was made."""
    heading = ["limits", "win against three of their own", "best reply", "which wins", "regret"]
    rows = (
        [written(c.limits), f"{c.own:.1%}", written(c.reply), f"{c.replied:.1%}", f"{c.regret:.1%}"]
        for c in candidates[:SHOWN]
    )
    made = (
        f"`python scripts/tuning/sweep_threshold.py --games {args.games} --fine-games {args.fine_games} "
        f"--finalists {args.finalists} --seed {args.seed}`"
    )
    return f"{markdown_table(heading, rows)}\n\nMade by {made}."


def written(limits: Limits) -> str:
    """As `threshold.LIMITS` writes them."""
    return ", ".join(map(str, limits))


def main(args: Args) -> None:
    """Play both rounds, write the table and print it."""
    first = ranked(FIRST, FIRST, win_rates(FIRST, FIRST, args.games, args))
    replies, tables = finer(first[: args.finalists])
    table = report(ranked(replies, tables, win_rates(replies, tables, args.fine_games, args)), args)
    write_file(args.readme, replace_part(args.readme.read_text(encoding="utf-8"), "sweep", table))
    print(table)


if __name__ == "__main__":
    main(tyro.cli(Args))
