"""The table of docs/frameworks.md, from examples/frameworks.json, which measure_frameworks.py writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from parts import DOCS, ROOT, Part

from blackjacky_agents.reports import markdown_table, where_run

EXAMPLES = ROOT / "examples"
RESULTS = EXAMPLES / "frameworks.json"


class Framework(NamedTuple):
    """A framework, and the example that shows it."""

    name: str
    """Of the example's learning curve."""
    title: str
    package: str
    """Its name in the package index."""
    environment: str
    """examples/requirements/ENVIRONMENT.txt lists what it is installed with."""
    example: str
    works: str
    """What the example shows to work."""
    has_null: bool = True
    """Whether run_null.py can put an environment that does nothing under the example."""


FRAMEWORKS = [
    Framework(
        "sb3",
        "sb3-contrib",
        "sb3-contrib",
        "sb3",
        "sb3_maskable_ppo.py",
        "`make_vec_env(id)`, `MaskablePPO` finds the masks",
    ),
    Framework(
        "sb3_selfplay",
        "sb3-contrib, self-play",
        "sb3-contrib",
        "sb3",
        "sb3_selfplay.py",
        "the learner's own policy in all other seats",
    ),
    Framework(
        "rllib",
        "RLlib",
        "ray",
        "rllib",
        "rllib_selfplay.py",
        "`PettingZooEnv`, one policy for all seats, RLlib's masking module; the vector is renamed for it",
    ),
    Framework(
        "torchrl",
        "TorchRL",
        "torchrl",
        "torchrl",
        "torchrl_ppo.py",
        "`GymEnv(id)`, `ActionMask`, `MaskedCategorical`, without a wrapper",
    ),
    Framework(
        "tianshou",
        "Tianshou",
        "tianshou",
        "tianshou",
        "tianshou_dqn.py",
        "`PettingZooEnv`, one DQN for all seats, masks; returns to the end of the game",
    ),
    Framework(
        "supersuit",
        "SuperSuit",
        "supersuit",
        "supersuit",
        "supersuit_sb3.py",
        "its wrappers, on flat observations, with `MaskablePPO` inside",
    ),
    Framework(
        "agilerl",
        "AgileRL",
        "agilerl",
        "agilerl",
        "agilerl_ppo.py",
        "`make_vec(id)`, `PPO` finds the masks; with PettingZoo 1.26",
    ),
    Framework(
        "openspiel",
        "OpenSpiel",
        "open_spiel",
        "openspiel",
        "openspiel_dqn.py",
        "`load_game`, its DQN with the legal actions; CFR, MCTS, IS-MCTS and NFSP in "
        "[openspiel_algorithms.py](../examples/openspiel_algorithms.py)",
        has_null=False,
    ),
]


def parts() -> Iterator[Part]:
    """The table, with where and how it was measured."""
    found = json.loads(RESULTS.read_text("utf-8"))
    text = f"{table(found['frameworks'])}\n\n{where_run(found['where'])}."
    yield Part(DOCS / "frameworks.md", "frameworks", text)


def table(found: Mapping[str, Any]) -> str:
    """A row for each framework with results."""
    heading = ["framework", "version", "example", "lines", "what works", "steps/s", "null", "win rate", "date"]
    return markdown_table(heading, [row(each, found[each.name]) for each in FRAMEWORKS if each.name in found])


def row(framework: Framework, result: Mapping[str, Any]) -> list[object]:
    """The row of one framework."""
    path = EXAMPLES / framework.example
    last = result["curve"][-1] if result["curve"] else None
    won = f"{100 * last['win_rate']:.0f} % after {last['decisions']:,.0f}" if last else ""
    return [
        framework.title,
        result["version"],
        link(path),
        len(path.read_text("utf-8").splitlines()),
        framework.works,
        f"{result['steps_per_second']:,.0f}",
        f"{result['null_steps_per_second']:,.0f}" if framework.has_null else "",
        won,
        result["date"],
    ]


def link(path: Path) -> str:
    """A link from the page to a file."""
    return f"[{path.name}](../examples/{path.name})"
