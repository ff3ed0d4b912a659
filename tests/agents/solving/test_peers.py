"""OpenSpiel as a yardstick: its solvers come as far as ours, and it finds the same exploitability of what ours learn.

Skipped where it is not installed.
"""

import numpy as np
import pytest

from blackjacky_agents.learning.deep_cfr import DeepCfr, DeepCfrSettings
from blackjacky_agents.networks.network import action_probabilities
from blackjacky_agents.registry import make_agent
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solution import SolvedAgent
from blackjacky_agents.solving.strategies import worth_of
from blackjacky_agents.solving.views import tree_and_views
from tests.agents.solving.tables import table, tree, views_of

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    discounted_cfr,
    external_sampling_mccfr,
    outcome_sampling_mccfr,
)
from open_spiel.python.algorithms.exploitability import exploitability  # noqa: E402

from blackjacky_env.openspiel import load_game  # noqa: E402  # needs pyspiel

pytestmark = pytest.mark.prove

CHIPS = {"kuhn": 2, "leduc": 13}
"""What a result of 1 is worth: OpenSpiel counts chips, and we in units of the most that can be lost."""
SOLVERS = {"cfr": cfr.CFRSolver, "cfr+": cfr.CFRPlusSolver, "dcfr": discounted_cfr.DCFRSolver}


def ours(name, agent):
    """Exploitability in chips of an agent at our table."""
    strategies = ask_views(views_of(name), agent).strategies
    return CHIPS[name] * worth_of(tree(name), strategies).exploitability


@pytest.mark.parametrize("variant", SOLVERS)
@pytest.mark.parametrize(("name", "iterations"), [("kuhn", 300), ("leduc", 20)])
def test_after_each_number_of_iterations_solvers_are_as_far_from_equilibrium_as_openspiels(name, iterations, variant):
    game, solver = pyspiel.load_game(f"{name}_poker"), Solver(tree(name), variant)
    theirs = SOLVERS[variant](game)
    for done in range(1, iterations + 1):
        theirs.evaluate_and_update_policy()
        solver.run(1)
        if done in (1, 5, iterations):
            found = CHIPS[name] * worth_of(tree(name), solver.average()).exploitability
            assert found == pytest.approx(exploitability(game, theirs.average_policy()), abs=1e-8)


@pytest.mark.parametrize(
    ("name", "by_outcome", "iterations", "close"),
    [
        ("kuhn", False, 4_000, 0.05),
        ("kuhn", True, 20_000, 0.06),
        ("leduc", False, 3_000, 0.9),
        ("leduc", True, 15_000, 1.5),
    ],
)
def test_after_as_many_sampled_games_both_are_close_to_an_equilibrium(name, by_outcome, iterations, close):
    """OpenSpiel has no linear weights, so the same games are worth less to it."""
    game, kind = pyspiel.load_game(f"{name}_poker"), external_sampling_mccfr.ExternalSamplingSolver
    np.random.seed(0)  # noqa: NPY002  # what OpenSpiel draws from
    theirs = (outcome_sampling_mccfr.OutcomeSamplingSolver if by_outcome else kind)(game)
    for _ in range(iterations):
        theirs.iteration()
    solver = SampledSolver(table(name), memory=2**22, by_outcome=by_outcome)
    solver.run(iterations)
    found = ours(name, SolvedAgent("sampled", table(name).game.name, solver.policy(), {"complete": False}))
    assert found < close
    assert exploitability(game, theirs.average_policy()) < close


class Asked(policy.Policy):
    """An agent as OpenSpiel asks for policies: by what the player to act sees, and by what it recalls.

    ``chances``: (observations, masks, keys) -> probabilities.
    """

    def __init__(self, game, chances):
        super().__init__(game, [*range(game.num_players())])
        self.chances, self.known = chances, {}

    def action_probabilities(self, state, player_id=None):
        player = state.current_player() if player_id is None else player_id
        recalled, legal = state.information_state_string(player), state.legal_actions(player)
        if recalled not in self.known:
            seen = np.array([state.observation_tensor(player)]).astype(np.int8)
            mask = np.array([state.legal_actions_mask(player)], np.int8)
            key = np.frombuffer(bytes.fromhex(recalled.split()[1]), np.uint64)[None]
            found = self.chances(seen, mask, key)[0]
            self.known[recalled] = {action: float(found[action]) for action in legal}
        return self.known[recalled]


def agents(small):
    """`random`, a bot, what sampled games have solved and a network have learnt; and how they are asked."""
    solver, deep = SampledSolver(small, memory=2**24), DeepCfr(small, DeepCfrSettings(average_updates=100))
    solver.run(200)
    deep.run(10_000)
    solution = SolvedAgent("sampled", small.game.name, solver.policy(), {**small.identity(), "complete": False})
    bot, network = make_agent("counter"), deep.agent()
    yield make_agent("random"), lambda seen, mask, key: mask / mask.sum()
    yield bot, lambda seen, mask, key: np.eye(mask.shape[1])[bot.act_batch(seen, mask)]
    yield solution, solution.probabilities
    yield network, lambda seen, mask, key: action_probabilities(network, seen, mask)


@pytest.mark.parametrize("name", ["mini-1", "mini-2"])
def test_openspiel_finds_the_same_exploitability_on_all_histories_of_our_game(name):
    small = SmallTable.of("black_jacky", table=name)
    (found, views), game = tree_and_views(small), load_game(table=name, cards="all", start_player=0)
    for agent, chances in agents(small):
        expected = worth_of(found, ask_views(views, agent).strategies).exploitability
        assert exploitability(game, Asked(game, chances)) == pytest.approx(expected, abs=1e-6)
