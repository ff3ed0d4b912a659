"""Find parameters of a bot, such as the limits of `threshold`, that are a best response to themselves.

    python scripts/tuning/sweep_threshold.py

Every candidate plays against copies of every other one, and the candidate with the lowest regret is chosen: the win
rate of the best response to its copies minus its own win rate against them, 0 if it is its own best response. The first
stage tries all candidates of the grid declared by the game (`GameKit.tuning`), the second refines the best ones in more
games. All pairs play the same deals from the same seats. The table is shown in docs/results.md; parameters are set by
hand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import tyro
from tqdm import tqdm

from blackjacky_agents import CompiledAgent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.files import write_file
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.tuning import BotSweep, Numbers
from blackjacky_agents.reports import markdown_table, replace_part
from blackjacky_env.engine.policies import Policy
from blackjacky_env.games import DEFAULT

SHOWN = 8


@dataclass(frozen=True)
class Args:
    """Find parameters of a bot that are a best response to themselves (about 5 minutes on 2 cores)."""

    game: str = DEFAULT
    """Name of the game."""
    bot: str = "threshold"
    """Name of the bot, for which the game must declare a sweep."""
    games: int = 2000
    """Games per pair in the first stage."""
    fine_games: int = 10000
    """Games per pair in the second stage."""
    finalists: int = 6
    """Number of candidates of the first stage that are refined in the second."""
    seed: int = 0
    """Seed of the first game."""
    threads: int = 2
    """CPU threads; results do not depend on it."""
    readme: Path = Path(__file__).parents[2] / "docs" / "results.md"
    """File for the table."""


class Task(NamedTuple):
    """The bot to be tuned, with its sweep."""

    game: str
    bot: str
    policy: Policy
    sweep: BotSweep

    def agent(self, parameters: Numbers) -> CompiledAgent:
        """The bot with these parameters."""
        return CompiledAgent(self.bot, self.game, self.policy, np.array(parameters, np.float32))


@dataclass(frozen=True)
class Candidate:
    """Parameters with the best response to them."""

    parameters: Numbers
    own: float
    """Win rate against copies of themselves."""
    response: Numbers
    """The best response: the parameters with the highest win rate against copies."""
    response_wins: float

    @property
    def regret(self) -> float:
        """Win rate of the best response minus own win rate."""
        return self.response_wins - self.own


def find_task(game: str, bot: str) -> Task:
    """The sweep declared for the bot; the `ValueError` for unknown bots lists those with a sweep."""
    kit = get_kit(game)
    if bot not in kit.tuning.sweeps:
        allowed = ", ".join(map(repr, kit.tuning.sweeps)) or "none"
        raise ValueError(f"--bot: {game} declares no sweep of {bot!r}; allowed are {allowed}")
    return Task(game, bot, kit.bots[bot][0], kit.tuning.sweeps[bot])


def win_rates(
    responses: Sequence[Numbers], tables: Sequence[Numbers], games: int, task: Task, args: Args
) -> npt.NDArray[np.float64]:
    """Win rates of each response against copies of each table's parameters, (responses, tables)."""
    opponents = [task.agent(parameters) for parameters in tables]
    result = np.zeros((len(responses), len(tables)))
    for i, response in enumerate(tqdm(responses, unit="candidate")):
        scores = against_copies(
            task.agent(response), opponents, task.sweep.num_players, games, args.seed, args.threads, game=task.game
        )
        result[i] = [score.win_rate for score in scores]
    return result


def ranked(responses: Sequence[Numbers], tables: Sequence[Numbers], rates: npt.NDArray[np.float64]) -> list[Candidate]:
    """The tables' parameters by increasing regret, ties by decreasing win rate against copies of themselves."""
    own = [rates[responses.index(parameters), j] for j, parameters in enumerate(tables)]
    best = rates.argmax(axis=0)
    candidates = [
        Candidate(parameters, own[j], responses[best[j]], rates[best[j], j]) for j, parameters in enumerate(tables)
    ]
    return sorted(candidates, key=lambda candidate: (candidate.regret, -candidate.own))


def refine(best: Sequence[Candidate], sweep: BotSweep) -> tuple[list[Numbers], list[Numbers]]:
    """Responses and tables of the second stage: refinements of the best and of their best responses."""

    def refined(of: Iterable[Numbers]) -> list[Numbers]:
        return [each for parameters in of for each in sweep.refine(parameters)]

    tables = refined(candidate.parameters for candidate in best)
    responses = refined(candidate.response for candidate in best)
    return list(dict.fromkeys(tables + responses)), tables


def report(candidates: Sequence[Candidate], args: Args) -> str:
    """The best candidates as a Markdown table, with the command."""
    heading = ["parameters", "win rate against copies", "best response", "its win rate", "regret"]
    rows = (
        [written(c.parameters), f"{c.own:.1%}", written(c.response), f"{c.response_wins:.1%}", f"{c.regret:.1%}"]
        for c in candidates[:SHOWN]
    )
    which = "" if (args.game, args.bot) == (Args.game, Args.bot) else f"--game {args.game} --bot {args.bot} "
    made = (
        f"`python scripts/tuning/sweep_threshold.py {which}--games {args.games} --fine-games {args.fine_games} "
        f"--finalists {args.finalists} --seed {args.seed}`"
    )
    return f"{markdown_table(heading, rows)}\n\nMade by {made}."


def written(parameters: Numbers) -> str:
    """Parameters as written in the bot's source."""
    return ", ".join(map(str, parameters))


def main(args: Args) -> int:
    """Play both stages, write the table and print it; returns the exit status."""
    try:
        task = find_task(args.game, args.bot)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    grid = task.sweep.grid
    first = ranked(grid, grid, win_rates(grid, grid, args.games, task, args))
    responses, tables = refine(first[: args.finalists], task.sweep)
    table = report(ranked(responses, tables, win_rates(responses, tables, args.fine_games, task, args)), args)
    write_file(args.readme, replace_part(args.readme.read_text(encoding="utf-8"), "sweep", table))
    print(table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Args)))
