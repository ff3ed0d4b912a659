"""Put small tables beside OpenSpiel: the same policies valued by both solvers, and OpenSpiel's NFSP trained there.

    python scripts/documents/measure_openspiel.py                       # what is missing; an hour
    python scripts/documents/measure_openspiel.py --tables mini-1 --minutes 0.5
    python scripts/documents/generate.py                                # the table and pictures of docs/exact.md

Needs the extra `peers`. A table is walked once, node by node, through `blackjacky_env.openspiel`; what the walk finds
is handed to OpenSpiel's C++ as a game in extensive form (EFG), so that its solver and best responses take seconds
where games written in Python take hours. Nothing of that walk comes from our solver.
agents/results/GAME/openspiel.json holds the results, to which every call adds what it lacks; seconds are those of the
CPU, on one thread.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
import torch
import tyro
from measure_exact import RUNS, as_read, rounded
from open_spiel.python import rl_environment
from open_spiel.python.pytorch.nfsp import NFSP
from parts import RESULTS, ROOMS

from blackjacky_agents.files import only_writer, write_json
from blackjacky_agents.reports import typed, where
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.solution import Policy, look_up, strategies_of
from blackjacky_agents.solving.strategies import Strategies, uniform, worth_of
from blackjacky_agents.solving.table import Table
from blackjacky_agents.solving.tree import Tree, build_tree
from blackjacky_env.engine.recall import listener, new_ear
from blackjacky_env.engine.step import NOBODY
from blackjacky_env.openspiel import load_game

MOST_NODES = 1_000_000  # of a table that is walked in Python
MOST_TABLES = 3
THEIRS = 20  # iterations of OpenSpiel's CFR
OURS = 1e-5  # exploitability of the solution that is compared
_GROWTH = 1.3  # seconds from one evaluation of NFSP to the next

Results = list[tuple[int, float]]
Tabular = dict[str, Results]
"""A policy as OpenSpiel writes it: by information state, actions with probabilities."""


@dataclass(frozen=True)
class Args:
    """Put small tables beside OpenSpiel: the same policies valued by both, and OpenSpiel's NFSP trained there."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    tables: tuple[str, ...] = ()
    """Tables by name; by default the three smallest of each game that measure_exact.py has solved."""
    minutes: float = 2.0
    """CPU minutes of NFSP."""


def main(args: Args) -> None:
    """Measure what is missing."""
    torch.set_num_threads(1)
    for game in args.games:
        for name in args.tables or smallest(game):
            with only_writer(RUNS / "openspiel" / game):
                measure(game, name, args)


def smallest(game: str) -> list[str]:
    """The smallest tables of a game."""
    path = RESULTS / game / "exact.json"
    rows = json.loads(path.read_text("utf-8")) if path.exists() else {}
    nodes = {name: row["size"]["nodes"] for name, row in rows.items()}
    return [name for name in sorted(nodes, key=nodes.__getitem__) if nodes[name] <= MOST_NODES][:MOST_TABLES]


def measure(game: str, name: str, args: Args) -> None:
    """Measure what is missing of one table."""
    path, table = RESULTS / game / "openspiel.json", Table.of(game, preset=name)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = json.loads(path.read_text("utf-8")) if path.exists() else {}
    row = rows.get(name, {})
    if row.get("table") != as_read(table.identity()):
        row = {"table": table.identity()}
    rows[name] = row
    work: dict[str, Callable[[Walked, Tree], Any]] = {"agreement": agreement}
    if table.num_players == 2:
        work["nfsp"] = lambda walked, tree: learn(walked, tree, args.minutes)
    missing = [part for part in work if part not in row]
    if not missing:
        return
    walked, tree = Walked(game, name), build_tree(table)
    for part in missing:
        print(f"{game} {name}: {part} ...", flush=True)
        row[part] = work[part](walked, tree)
        row |= {"command": typed("scripts/documents/measure_openspiel.py"), "machine": where()}
        row["openspiel"] = version("open_spiel")
        write_json(path, rows)


# ---------------------------------------------------------------- the walk


@dataclass
class Walked:
    """Everything that can happen at a table, as found through the adapter.

    Args:
        game_name: name of the game.
        preset: name of the table; seat 0 starts.
    """

    game_name: str
    preset: str
    numbers: dict[str, int] = field(default_factory=dict)
    """Of information states, by OpenSpiel's string."""
    seats: list[int] = field(default_factory=list)
    """By information state."""
    keys: list[npt.NDArray[np.uint64]] = field(default_factory=list)
    """The same, as our solver knows it."""
    vectors: list[npt.NDArray[Any]] = field(default_factory=list)
    """Information states as vectors; empty where the table has none."""
    legal: list[list[int]] = field(default_factory=list)
    histories: int = 0

    def __post_init__(self) -> None:
        self.game = load_game(self.game_name, preset=self.preset, cards="all", start_player=0, chance_outcomes=1)
        self._listen, self._ear = listener(self.game.rules.game), new_ear(self.game.rules.game)
        self._local: list[int] = []  # numbers of the information states among those of their seat, from 1
        self._count = [0] * self.game.num_players()
        self._chances, self._payoffs, self._lines = 0, dict[tuple[float, ...], int](), list[str]()
        seats = " ".join(f'"{seat}"' for seat in range(self.game.num_players()))
        self._lines.append(f'EFG 2 R "{self.game_name} {self.preset}" {{ {seats} }}\n""')
        self._follow(self.game.new_initial_state(), np.zeros((self.game.num_players(), 2), np.uint64), None)
        self.efg = pyspiel.load_efg_game("\n".join(self._lines) + "\n")
        self._lines.clear()

    def _follow(self, state: Any, keys: npt.NDArray[np.uint64], pending: tuple[int, int, int] | None) -> None:
        """Write a node and all after it; ``pending``: actor, action and phase that a chance node has interrupted."""
        self.histories += 1
        if state.is_terminal():
            payoffs = tuple(state.returns())
            number = self._payoffs.setdefault(payoffs, len(self._payoffs) + 1)
            self._lines.append(f't "" {number} "" {{ {" ".join(map(repr, payoffs))} }}')
        elif state.is_chance_node():
            outcomes = self._outcomes(state, keys, pending or (NOBODY, 0, 0))
            self._chances += 1
            told = " ".join(f'"{place}" {chance!r}' for place, (_, _, chance) in enumerate(outcomes))
            self._lines.append(f'c "" {self._chances} "" {{ {told} }} 0')
            for after, heard, _ in outcomes:
                self._follow(after, heard, None)
        else:
            seat, number = state.current_player(), self._number(state, keys)
            told = " ".join(f'"{place}"' for place in range(len(self.legal[number])))
            self._lines.append(f'p "" {seat + 1} {self._local[number]} "s{number}" {{ {told} }} 0')
            for action in self.legal[number]:
                taken, after = (seat, action, self.game.rules.phase_of(state._records)), state.child(action)
                if after.is_chance_node():
                    self._follow(after, keys, taken)
                else:
                    self._follow(after, self._heard(after, keys, taken), None)

    def _outcomes(
        self, state: Any, keys: npt.NDArray[np.uint64], taken: tuple[int, int, int]
    ) -> list[tuple[Any, npt.NDArray[np.uint64], float]]:
        """Positions after a chance node, what is known there, and their probabilities.

        Where no card lies face down after a deal, deals that all seats together cannot tell apart are one.
        """
        found: dict[bytes, tuple[Any, npt.NDArray[np.uint64], float]] = {}
        for outcome, chance in state.chance_outcomes():
            after = state.child(outcome)
            heard = self._heard(after, keys, taken)
            alike = heard.tobytes() if self.game.rules.game.pile is None else heard.tobytes() + b"%d" % outcome
            first = found.get(alike, (after, heard, 0.0))
            found[alike] = (first[0], first[1], first[2] + chance)
        return list(found.values())

    def _heard(self, after: Any, keys: npt.NDArray[np.uint64], taken: tuple[int, int, int]) -> npt.NDArray[np.uint64]:
        keys = keys.copy()
        self._listen(after._records, *taken, keys, self._ear)
        return keys

    def _number(self, state: Any, keys: npt.NDArray[np.uint64]) -> int:
        """The number of the information state; it has one key and one set of actions, whatever led there."""
        seat, told, legal = state.current_player(), state.information_state_string(), state.legal_actions()
        if told not in self.numbers:
            self.numbers[told] = len(self.seats)
            self.seats.append(seat)
            self.keys.append(keys[seat])
            self.legal.append(legal)
            self._count[seat] += 1
            self._local.append(self._count[seat])
            if self.game.rules.longest is not None:
                self.vectors.append(state.recalled(seat))
        number = self.numbers[told]
        assert (self.keys[number] == keys[seat]).all(), "the two packages tell information states apart differently"
        assert self.legal[number] == legal
        return number

    # ------------------------------------------------------------ policies

    def theirs(self, tree: Tree, strategies: Strategies) -> Tabular:
        """Strategies of our tree as a policy of OpenSpiel; it has every information state, and no other.

        There an action is the place of ours among the legal ones.
        """
        keys = np.array(self.keys)
        assert len(keys) == tree.num_states, "the two packages find different numbers of information states"
        policy: Tabular = {}
        for seat, (own, states, strategy) in enumerate(zip(tree.seats, tree.states, strategies, strict=True)):
            order = np.lexsort((states.keys[:, 1], states.keys[:, 0]))
            numbers = np.flatnonzero(np.array(self.seats) == seat)
            places, found = look_up(states.keys[order], keys[numbers])
            assert found.all()
            for number, state in zip(numbers, order[places], strict=True):
                span = slice(own.first[state], own.first[state + 1])
                assert states.actions[span].tolist() == self.legal[number]
                policy[self._name(number)] = list(enumerate(strategy[span].tolist()))
        return policy

    def ours(self, tree: Tree, policy: Tabular) -> Strategies:
        """The reverse of `theirs`."""
        named = [policy[self._name(number)] for number in range(len(self.seats))]
        return self.strategies(tree, [[chance for _, chance in sorted(actions)] for actions in named])

    def strategies(self, tree: Tree, chances: list[Any]) -> Strategies:
        """Strategies of our tree by the probabilities of the legal actions in every information state."""
        keys = np.array(self.keys)
        order = np.lexsort((keys[:, 1], keys[:, 0]))
        first = np.cumsum([0, *(len(self.legal[number]) for number in order)])
        actions = np.concatenate([self.legal[number] for number in order]).astype(np.int16)
        given = np.concatenate([chances[number] for number in order])
        return strategies_of(tree, Policy(keys[order], first, actions, given))  # type: ignore[arg-type]  # float64

    def _name(self, number: int) -> str:
        """The string of an information state of the game in extensive form."""
        seat = self.seats[number]
        return f"{seat}-{seat}-{self._local[number]}-s{number}"


# ---------------------------------------------------------------- agreement


def agreement(walked: Walked, tree: Tree) -> dict[str, Any]:
    """Values and exploitability of three policies, by OpenSpiel and by our solver."""
    solver = Solver(tree)
    while solver.iterations < 20_000 and worth_of(tree, solver.average()).exploitability > OURS:
        solver.run(max(100, solver.iterations // 2))
    other = pyspiel.CFRSolver(walked.efg)
    for _ in range(THEIRS):
        other.evaluate_and_update_policy()
    found = other.tabular_average_policy().policy_table()
    return {
        "histories": walked.histories,
        "information_states": len(walked.seats),
        "policies": {
            "random play": both(walked, tree, uniform(tree)),
            f"OpenSpiel's CFR, {THEIRS} iterations": both(walked, tree, walked.ours(tree, found), found),
            f"our solution, {solver.iterations:,} iterations": both(walked, tree, solver.average()),
        },
    }


def both(walked: Walked, tree: Tree, strategies: Strategies, policy: Tabular | None = None) -> dict[str, Any]:
    """The values of all seats and the exploitability, by each."""
    theirs = pyspiel.TabularPolicy(policy or walked.theirs(tree, strategies))
    values = pyspiel.expected_returns(walked.efg.new_initial_state(), theirs, -1, True)
    distance = pyspiel.nash_conv(walked.efg, theirs) / len(values)
    worth = worth_of(tree, strategies)
    differences = [*np.subtract(values, worth.values), distance - worth.exploitability]
    return {
        "openspiel": {"values": values, "exploitability": distance},
        "ours": {"values": list(worth.values), "exploitability": worth.exploitability},
        "difference": float(np.abs(differences).max()),
    }


# ---------------------------------------------------------------- NFSP


def learn(walked: Walked, tree: Tree, minutes: float) -> list[list[float]]:
    """Seconds and exploitability of the average policies of OpenSpiel's NFSP, trained through the adapter."""
    environment = rl_environment.Environment(walked.game)
    environment.seed(0)
    np.random.seed(0)  # noqa: NPY002  # which OpenSpiel's agents use
    size = environment.observation_spec()["info_state"][0]
    agents = [new_agent(seat, size, environment.action_spec()["num_actions"]) for seat in range(2)]
    points, spent, goal = list[list[float]](), 0.0, 1.0
    while spent < 60 * minutes:
        begun = time.process_time()
        while spent + time.process_time() - begun < goal:
            play(environment, agents)
        spent += time.process_time() - begun
        points.append([rounded(spent), rounded(exploitability(walked, tree, agents))])
        goal = min(spent * _GROWTH, 60 * minutes)
    return points


def new_agent(seat: int, size: int, actions: int) -> Any:
    """NFSP with the settings of OpenSpiel's example for Leduc poker, but Adam and buffers for a shorter training."""
    return NFSP(
        seat,
        size,
        actions,
        hidden_layers_sizes=[128],
        reservoir_buffer_capacity=100_000,
        anticipatory_param=0.1,
        batch_size=128,
        rl_learning_rate=1e-3,
        sl_learning_rate=1e-3,
        min_buffer_size_to_learn=500,
        learn_every=32,
        optimizer_str="adam",
        seed=seat,
        replay_buffer_capacity=20_000,
        update_target_network_every=300,
        epsilon_start=0.06,
        epsilon_end=0.001,
        epsilon_decay_duration=50_000,
    )


def play(environment: Any, agents: list[Any]) -> None:
    """One game, from which both learn."""
    step = environment.reset()
    while not step.last():
        output = agents[step.observations["current_player"]].step(step)
        step = environment.step([output.action])
    for agent in agents:
        agent.step(step)


def exploitability(walked: Walked, tree: Tree, agents: list[Any]) -> float:
    """That of the average policies."""
    vectors, seats = np.array(walked.vectors), np.array(walked.seats)
    chances: list[Any] = [None] * len(seats)
    for seat, agent in enumerate(agents):
        numbers = np.flatnonzero(seats == seat)
        with torch.no_grad():
            logits = agent._avg_network(torch.tensor(vectors[numbers].astype(np.float32))).numpy()
        for number, row in zip(numbers, logits, strict=True):
            weights = np.exp(row[walked.legal[number]] - row[walked.legal[number]].max())
            chances[number] = weights / weights.sum()
    return worth_of(tree, walked.strategies(tree, chances)).exploitability


if __name__ == "__main__":
    main(tyro.cli(Args))
