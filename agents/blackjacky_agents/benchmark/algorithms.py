"""The algorithms of the benchmark, by name; each is a function (task, **settings) that yields policies.

Settings are keyword arguments; `settings_of` has their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from blackjacky_agents.agent import Agent
from blackjacky_agents.benchmark.tasks import Algorithm, Task
from blackjacky_agents.external.python_agent import find_object
from blackjacky_agents.kit.settings import SelfPlaySettings
from blackjacky_agents.learning.stored_settings import with_tuples
from blackjacky_agents.solving import cfr
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import SolvedAgent, TabularPolicy, policy_of
from blackjacky_env.reading import parse_json, read_file

Policies = Iterator[tuple[int, Agent | Callable[[], Agent]]]

SELF_PLAY: Mapping[str, Any] = {
    "hidden_sizes": (64, 64),
    "num_envs": 256,
    "n_steps": 32,
    "batch_size": 1024,
    "ent_coef": 0.1,
    "self_play_fraction": 1.0,
    "gamma": 1.0,
}
"""Settings of self-play at small tables, where those of the presets are too coarse."""
RESPONSES: Mapping[str, Any] = {"num_envs": 64, "n_steps": 16, "batch_size": 256, "n_epochs": 2, "ent_coef": 0.02}
"""What `psro` changes in these, as each of its trainings is short."""


def ppo(task: Task, **settings: Any) -> Policies:
    """Self-play with PPO and an entropy bonus (Schulman et al. 2017); the network sees the observation alone.

    ``settings`` are those of `blackjacky_agents.kit.settings.SelfPlaySettings`.
    """
    from blackjacky_agents.learning.self_play import SelfPlay  # only learners need torch

    run = SelfPlay(_self_play(task, settings), Path(), "")
    updates = run.updates()
    for due in task.due:
        while run.steps < due:
            next(updates)
        yield run.steps, run.agent(greedy=False)


def _self_play(task: Task, settings: Mapping[str, Any]) -> SelfPlaySettings:
    """Settings of self-play at a table, for as many decisions as are wanted."""
    table = task.table
    at_table: dict[str, Any] = {"game": table.game.name, "variant": table.variant, "rule_options": dict(table.options)}
    how = {**SELF_PLAY, "minutes": 1e9, "threads": 1, "log": (), "steps": task.due[-1], **with_tuples(settings)}
    return SelfPlaySettings(players=(table.num_players,), seed=task.seed, **at_table, **how)


def mmd(task: Task, **settings: Any) -> Policies:
    """As `ppo`, held near a moving magnet instead of by an entropy bonus (Sokota et al. 2023)."""
    return ppo(task, **{"magnet_coef": 0.2, "ent_coef": 0.0, "annealed": False, **settings})


def rnad(task: Task, **settings: Any) -> Policies:
    """As `ppo`, with rewards regularised towards a copy of earlier weights (R-NaD, Perolat et al. 2022)."""
    copied = {"magnet_rate": 1.0, "magnet_every": 20}
    return ppo(task, **{"reward_eta": 0.2, "ent_coef": 0.0, "annealed": False, **copied, **settings})


def nfsp(task: Task, **settings: Any) -> Policies:
    """Neural fictitious self-play (Heinrich and Silver 2016); settings are those of `learning.nfsp.NfspSettings`."""
    from blackjacky_agents.learning.nfsp import Nfsp, NfspSettings  # only learners need torch

    run = Nfsp(task.table, NfspSettings(seed=task.seed, steps=task.due[-1], **with_tuples(settings)))
    for due in task.due:
        run.run(due)
        yield run.steps, run.agent()


def psro(task: Task, each: int = 50_000, games: int = 1_000, **settings: Any) -> Policies:
    """Policy-space response oracles (Lanctot et al. 2017) for two players: PPO's responses to mixtures of those before.

    ``each``: decisions of PPO in each training; ``games``: between two policies; ``settings`` as for `ppo`. The
    decisions of all policies count. The game tree serves only to write the mixture down.
    """
    from blackjacky_agents.learning.psro import Psro  # only learners need torch

    run = Psro(task.table, _self_play(task, {**RESPONSES, **settings, "steps": each}), games)
    for due in task.due:
        while run.steps < due:
            run.respond()
        yield run.steps, lambda: _solved(task, policy_of(task.tree, run.strategies(task.tree, task.views)))


def deep_cfr(task: Task, **settings: Any) -> Policies:
    """Deep CFR (Brown et al. 2019); settings are those of `learning.deep_cfr.DeepCfrSettings`.

    Actions that a seat tries count as its decisions, too, as in `mccfr`.
    """
    from blackjacky_agents.learning.deep_cfr import DeepCfr, DeepCfrSettings  # only learners need torch

    run = DeepCfr(task.table, DeepCfrSettings(seed=task.seed, **with_tuples(settings)))
    for due in task.due:
        run.run(due)
        yield run.steps, run.agent()


def mccfr(task: Task, memory: float = 1.0, by_outcome: bool = False) -> Policies:
    """MCCFR with linear weights by external sampling, or by outcomes (`solving.sampled`); ``memory`` in GiB."""
    solver = SampledSolver(task.table, task.seed, memory * 2**30, by_outcome)
    for due in task.due:
        while solver.decisions < due:
            left = (due - solver.decisions) * solver.iterations / max(1, solver.decisions)  # about so many iterations
            solver.run(max(1, int(left / 2)))
        yield solver.decisions, lambda: _solved(task, solver.policy(), complete=False)


def outcome(task: Task, memory: float = 1.0) -> Policies:
    """Outcome-sampling MCCFR, which learns from games as they are played, without going back in them."""
    return mccfr(task, memory, by_outcome=True)


def dcfr(task: Task) -> Policies:
    """Discounted CFR (Brown and Sandholm 2019), which knows the whole tree: the line below those that play.

    An iteration counts as a decision in each information state with more than one legal action.
    """
    solver = cfr.Solver(task.tree, "dcfr")
    each = sum(int((np.diff(seat.first) > 1).sum()) for seat in task.tree.seats)
    for due in task.due:
        solver.run(max(1, -(-due // each) - solver.iterations))
        yield solver.iterations * each, lambda: _solved(task, policy_of(task.tree, solver.average()))


def _solved(task: Task, policy: TabularPolicy, complete: bool = True) -> SolvedAgent:
    return SolvedAgent("solution", task.table.game.name, policy, {**task.table.identity(), "complete": complete})


TUNED: Mapping[str, Any] = parse_json(read_file(Path(__file__).with_name("tuned.json")))
"""By algorithm: ``settings`` chosen at tables of their own by scripts/measures/benchmark.py, and their result there."""
ALGORITHMS: Mapping[str, Algorithm] = {
    "ppo": ppo,
    "mmd": mmd,
    "rnad": rnad,
    "nfsp": nfsp,
    "psro": psro,
    "deep_cfr": deep_cfr,
    "mccfr": mccfr,
    "outcome": outcome,
    "dcfr": dcfr,
}


def settings_of(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of an algorithm that differ from those of its function: those chosen for it, and those given."""
    return {**TUNED.get(name, {}).get("settings", {}), **given}


AVERAGES = {"nfsp", "psro", "deep_cfr", "mccfr", "outcome", "dcfr"}
"""Those whose policies are averages already."""


def find_algorithm(name: str) -> Algorithm:
    """An algorithm by its name, or ``module:function``; `ValueError` if there is none."""
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    if ":" not in name:
        raise ValueError(f"unknown algorithm {name!r}; there are {', '.join(ALGORITHMS)}, and yours as module:function")
    return find_object(name, "algorithm")
