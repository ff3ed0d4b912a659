"""Find the parameters of a bot, such as the limits of `threshold`, that are a best response to themselves.

    python scripts/tuning/sweep_threshold.py

One copy of every candidate plays against copies of every other one in all other seats, and the candidate with the least
regret is chosen: what the best response to copies of it wins above what it wins itself, 0 if it is its own best
response. First come all candidates of the grid that the game declares (`GameKit.tuning`), then refinements of the best
in more games. All pairs play the same deals from the same seats. The table goes into agents/README.md; the parameters
are set by hand.
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
    """Find the parameters of a bot that are a best response to themselves (about 5 minutes on 2 cores)."""

    game: str = DEFAULT
    """Game that the bot plays."""
    bot: str = "threshold"
    """Bot whose sweep the game declares."""
    games: int = 2000
    """Games per pair in the first stage."""
    fine_games: int = 10000
    """Games per pair in the second stage."""
    finalists: int = 6
    """How many of the first stage are refined in the second."""
    seed: int = 0
    """Seed of the first game."""
    threads: int = 2
    """CPU threads; results do not depend on it."""
    readme: Path = Path(__file__).parents[2] / "agents" / "README.md"
    """Where the table is written."""


class Task(NamedTuple):
    """The bot, and how its candidates are made."""

    game: str
    bot: str
    policy: Policy
    sweep: BotSweep

    def agent(self, parameters: Numbers) -> CompiledAgent:
        """The bot with these parameters."""
        return CompiledAgent(self.bot, self.game, self.policy, np.array(parameters, np.float32))


@dataclass(frozen=True)
class Candidate:
    """How parameters stand against the best response to them."""

    parameters: Numbers
    own: float
    """What one of the copies wins against the others."""
    response: Numbers
    """What wins most against copies."""
    response_wins: float

    @property
    def regret(self) -> float:
        """What the best response wins more."""
        return self.response_wins - self.own


def find_task(game: str, bot: str) -> Task:
    """What the game declares about the bot; `ValueError` names the bots that can be swept."""
    kit = get_kit(game)
    if bot not in kit.tuning.sweeps:
        allowed = ", ".join(map(repr, kit.tuning.sweeps)) or "none"
        raise ValueError(f"--bot: {game} declares no sweep of {bot!r}; allowed are {allowed}")
    return Task(game, bot, kit.bots[bot][0], kit.tuning.sweeps[bot])


def win_rates(
    responses: Sequence[Numbers], tables: Sequence[Numbers], games: int, task: Task, args: Args
) -> npt.NDArray[np.float64]:
    """What one copy of each response wins against copies of each table's parameters, (responses, tables)."""
    opponents = [task.agent(parameters) for parameters in tables]
    result = np.zeros((len(responses), len(tables)))
    for i, response in enumerate(tqdm(responses, unit="candidate")):
        scores = against_copies(
            task.agent(response), opponents, task.sweep.num_players, games, args.seed, args.threads, game=task.game
        )
        result[i] = [score.win_rate for score in scores]
    return result


def ranked(responses: Sequence[Numbers], tables: Sequence[Numbers], rates: npt.NDArray[np.float64]) -> list[Candidate]:
    """The tables' parameters, least regret first; of equals, those that win more against themselves first."""
    own = [rates[responses.index(parameters), j] for j, parameters in enumerate(tables)]
    best = rates.argmax(axis=0)
    candidates = [
        Candidate(parameters, own[j], responses[best[j]], rates[best[j], j]) for j, parameters in enumerate(tables)
    ]
    return sorted(candidates, key=lambda candidate: (candidate.regret, -candidate.own))


def refine(best: Sequence[Candidate], sweep: BotSweep) -> tuple[list[Numbers], list[Numbers]]:
    """Responses and tables of the second stage: refinements of the best, and of the best responses to them."""

    def refined(of: Iterable[Numbers]) -> list[Numbers]:
        return [each for parameters in of for each in sweep.refine(parameters)]

    tables = refined(candidate.parameters for candidate in best)
    responses = refined(candidate.response for candidate in best)
    return list(dict.fromkeys(tables + responses)), tables


def report(candidates: Sequence[Candidate], args: Args) -> str:
    """The best as a table in Markdown, and how it was made."""
    heading = ["parameters", "win against copies of their own", "best response", "which wins", "regret"]
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
    """As the bot's source writes them."""
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
