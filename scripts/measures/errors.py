"""Where the errors of self-play at small tables lie, put into results/errors.json.

    python -m scripts.measures.errors        # some minutes of a CPU

`mini-2` and `mini-3` of Black Jacky differ in two options, which are varied one at a time. Self-play learns each table
with the chosen settings. Then its policy is put together with an equilibrium: one seat of the policy and the other of
the equilibrium, one decision of the game, or the states that the policy itself leads to.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isfunction
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro

from blackjacky_agents.benchmark.algorithms import find_algorithm, settings_of
from blackjacky_agents.benchmark.tasks import Task
from blackjacky_agents.reports import progress_bar
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import Strategies, reach_of, worth_of
from blackjacky_agents.solving.views import tree_and_views
from blackjacky_env.games import DEFAULT
from scripts.results import save

OPTIONS = [
    {"max_turns_per_round": turns, "bust_at": bust} for turns in (3, 4) for bust in (5, 6)
]  # mini-2 first, mini-3 last
ITERATIONS = 1500  # of the solver
LED_TO = 0.01  # states that the policy leads to with at least this probability, if the others and chance do

Chosen = list[npt.NDArray[np.bool_]]
"""By seat: whether an information state is chosen, (I,)."""


@dataclass(frozen=True)
class Args:
    """Measure where the errors of self-play lie."""

    algorithm: str = "ppo"  # Algorithm of the benchmark.
    seeds: tuple[int, ...] = (100, 101, 102, 103, 104)  # Seeds, one run each at each table.
    decisions: int = 1_000_000  # Decisions of each run.


def main(args: Args) -> None:
    """Learn, take apart, and write all rows."""
    rows, first = [], SmallTable.of(DEFAULT, table="mini-2")
    with progress_bar(len(OPTIONS) * len(args.seeds), "errors", unit=" runs") as bar:
        for options in OPTIONS:
            table = SmallTable.of(DEFAULT, first.num_players, first.variant, **{**first.options, **options})
            tree, views = tree_and_views(table)
            solver = Solver(tree)
            solver.run(ITERATIONS)
            for seed in args.seeds:
                task = Task(table, seed, (args.decisions,), tree, views)
                found = taken_apart(tree, learned(args.algorithm, task), solver.average())
                rows.append({**options, "states": tree.num_states, "seed": seed, **found})
                bar.update()
    settings = {"algorithm": args.algorithm, "decisions": args.decisions, **settings_of(args.algorithm, {})}
    save("errors", rows, seed=args.seeds[0], settings=settings)


def learned(algorithm: str, task: Task) -> Strategies:
    """What an algorithm plays after its decisions."""
    made: list[tuple[int, Any]] = [*find_algorithm(algorithm)(task, **settings_of(algorithm, {}))]
    agent = made[-1][1]
    return ask_views(task.views, agent() if isfunction(agent) else agent).strategies


def taken_apart(tree: GameTree, policy: Strategies, equilibrium: Strategies) -> dict[str, Any]:
    """Exploitability of a policy, and of what is the policy in some information states and an equilibrium elsewhere."""
    depth = max(len(each.levels) for each in tree.seats) - 1
    own = [np.searchsorted(each.levels, np.arange(len(each.first) - 1), "right") - 1 for each in tree.seats]

    def of(chosen: Chosen) -> float:
        rows = [
            np.repeat([True, *here], np.diff(each.first, prepend=0))
            for here, each in zip(chosen, tree.seats, strict=True)
        ]
        return float(f"{worth_of(tree, tuple(map(np.where, rows, policy, equilibrium))).exploitability:.4g}")

    everywhere = [np.full(len(each.first) - 1, True) for each in tree.seats]
    led = [
        np.repeat(reach_of(each, mine, np.zeros(len(mine))), np.diff(each.after)) >= LED_TO
        for each, mine in zip(tree.seats, policy, strict=True)
    ]
    return {
        "all": of(everywhere),
        "seat": [of([each & (place == seat) for place, each in enumerate(everywhere)]) for seat in range(len(own))],
        "decision": [of([each == number for each in own]) for number in range(depth)],
        "led to": of(led),
        "not led to": of([~each for each in led]),
    }


if __name__ == "__main__":
    main(tyro.cli(Args))
