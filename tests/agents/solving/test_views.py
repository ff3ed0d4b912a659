"""Views: who is asked by them does as if asked state by state; their floor; memory."""

from unittest import mock

import numpy as np
import pytest

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.bots import random_bot
from blackjacky_agents.games import find_encoding
from blackjacky_agents.networks.network import action_probabilities, network_agent, pack
from blackjacky_agents.registry import make_agent
from blackjacky_agents.solving import asking, game_tree, views
from blackjacky_agents.solving import walk as walks
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.game_tree import MemoryNeededError, walk_through
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import worth_of
from blackjacky_agents.solving.views import floor, tree_and_views
from tests.agents.solving.tables import by_key, table, tree, views_of, with_examples
from tests.policies import last_legal


def agents_of(game):
    """A network, a deterministic bot and `random`, how each is asked once, and what is said of it."""
    rng, encoding = np.random.default_rng(0), find_encoding("raw", game.name)
    sizes = [(encoding.size, 8), (8, game.num_actions)]
    layers = [(rng.normal(0, 0.3, each).astype(np.float32), np.zeros(each[1], np.float32)) for each in sizes]
    yield network_agent(game.name, encoding, pack(layers, greedy=False)), action_probabilities, "probabilities"
    last = CompiledAgent("last", game.name, last_legal)
    bot = last if game.name == "kuhn_poker" else make_agent("counter", game.name)
    yield bot, lambda agent, seen, mask: np.eye(mask.shape[1])[agent.act_batch(seen, mask)], "deterministic"
    random = CompiledAgent("random", game.name, random_bot.choose)
    yield random, lambda agent, seen, mask: mask / mask.sum(), "probabilities"


def asked_one_by_one(given, agent, ask):
    """The probabilities of legal actions in every information state, by its key."""
    found = {}

    def look(walk):
        count = int(walk.counts[walks.NUM_SHOWN])
        keys = walk.states.keys[int(walk.counts[walks.NUM_STATES]) - count :]
        for i in range(count):
            mask = walk.shown.masks[i : i + 1]
            found[keys[i].tobytes()] = ask(agent, walk.shown.observations[i : i + 1], mask)[mask > 0]

    walk_through(given, np.inf, look, shows=True)
    return found


MINI = (("black_jacky", "mini-2"), ("schwarze_katze", "mini-1"))


@pytest.mark.parametrize("named", [("kuhn",), *(pytest.param(each, marks=pytest.mark.prove) for each in MINI)])
def test_asked_by_views_an_agent_does_as_if_asked_state_by_state(named, monkeypatch):
    """In many small parts, as at large tables."""
    given = table(*named) if named == ("kuhn",) else SmallTable.of(named[0], table=named[1])
    monkeypatch.setattr(game_tree, "_NODES", 100)
    monkeypatch.setattr(asking, "_TOGETHER", 50)
    with with_examples():
        found, seen = tree_and_views(given)
        assert seen.observations.dtype == given.game.layout.dtype
        assert len(np.unique(np.hstack([seen.observations, seen.masks]), axis=0)) == len(seen.masks) <= found.num_states
        for agent, ask, how in agents_of(given.game):
            asked, expected = ask_views(seen, agent), asked_one_by_one(given, agent, ask)
            assert asked.how == how
            got = {key: chances for seat in by_key(found, asked.strategies) for key, chances in seat.items()}
            assert got.keys() == expected.keys()
            assert all(np.allclose(chances, expected[key], atol=1e-12) for key, chances in got.items())


LOSSES = (("kuhn", 0, 1e-3), ("six", 0, 1e-3), ("leduc", 0.01, 0.05), ("three-sided", 0.01, 0.05))


@pytest.mark.prove
@pytest.mark.parametrize(("name", "low", "high"), LOSSES)
def test_the_floor_is_above_0_where_a_view_does_not_show_all_that_matters(name, low, high):
    """Observations of Leduc poker and of Liar's dice forget bids; those of mini-2, six, only what does not matter."""
    solver = Solver(tree(name), "cfr+")
    solver.run(300)
    found = floor(tree(name), views_of(name), 300)
    assert low <= found < high
    assert worth_of(tree(name), solver.average()).exploitability < max(low, high / 2)


def test_views_that_do_not_fit_into_memory_are_refused():
    """They count beside what the walk itself needs."""
    given, enough = table("kuhn"), 2**40
    with pytest.raises(MemoryNeededError, match="does not fit into 0 MiB"):
        tree_and_views(given, 1000)
    tree_and_views(given, enough)
    huge = mock.patch.object(views, "_BYTES_OF_VIEW", enough)
    with huge, pytest.raises(MemoryNeededError, match=r"does not fit into 1024.0 GiB: .* take"):
        tree_and_views(given, enough)
