"""The tree of a table: chance, what seats can tell apart, and that it is the game that environments play."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.game_tree import MemoryNeededError, build_tree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import uniform, worth_of
from blackjacky_env.compiled.compiling import compiled, inlined
from blackjacky_env.compiled.random import draw
from blackjacky_env.games import GAMES
from tests.agents.solving.tables import EACH_TABLE, SIX_CARDS, by_key, environment, random_strategies, table, tree


def actions_of(found):
    """For each seat the actions of every information state by its key."""
    seats = by_key(found, tuple(states.actions for states in found.states))
    return [{key: actions.tolist() for key, actions in seat.items()} for seat in seats]


@pytest.mark.prove
def test_the_numbers_of_nodes_and_information_states_are_those_that_are_known():
    found = tree("kuhn")  # six deals, each with four decisions and five ends; a seat sees a card in two positions
    assert (found.num_nodes, found.num_states, found.num_ends) == (54, 12, 30)
    # Southey et al. 2005; with suits there are 936.
    assert [len(states.met) for states in tree("leduc").states] == [144, 144]
    # As in tests/envs/test_openspiel.py, where deals that nobody can tell apart are nodes of their own.
    assert tree("six").num_states == 2401
    assert tree("six").num_nodes < 17_077


@EACH_TABLE
def test_games_meet_known_information_states_and_bring_what_random_play_is_worth(name):
    """Deals, reshuffles, later rounds and results: the mean over games agrees with the tree's exact value."""
    env, known, rng, results = environment(name), actions_of(tree(name)), np.random.default_rng(1), []
    for seed in range(1500):
        env.reset(seed=seed, options={"start_player": 0})
        while not env.terminations[env.agent_selection]:
            agent = env.agent_selection
            legal = np.flatnonzero(env.observe(agent)["action_mask"])
            if seed < 30:
                assert known[int(agent[-1])][env.information_key(agent).tobytes()] == legal.tolist()
            env.step(int(rng.choice(legal)))
        results.append(list(env.rewards.values()))
    means, errors = np.mean(results, axis=0), np.std(results, axis=0) / np.sqrt(len(results))
    exact = worth_of(tree(name), uniform(tree(name))).values
    np.testing.assert_array_less(abs(means - exact), 4 * errors)


def with_rules(name, **rules):
    """A table of a game with some other rules."""
    given = table(name)
    return replace(given, game=replace(given.game, rules=replace(given.game.rules, **rules)))


@cache
def without_pile(game):
    return replace(game, pile=None)


@pytest.mark.prove
@pytest.mark.parametrize("name", ["six", "two hearts"])
def test_the_pile_is_decided_card_by_card_with_the_same_result_as_whole_decks_and_not_read_above_its_count(name):
    """What the game's `Pile` saves is orders of cards that nobody draws, which change nothing."""
    given, lazy, apply = table(name), tree(name), table(name).game.rules.apply
    cards, count = given.game.pile.cards, given.game.pile.count

    def apply_and_soil(s, action):
        apply(s, action)
        for place in range(int(s[count]), len(s[cards])):
            s[cards][place] = draw(s.key, place) & np.uint64(1)

    soiled = with_rules(name, apply=inlined(apply_and_soil))
    for whole in map(build_tree, (replace(given, game=without_pile(given.game)), soiled)):
        assert (whole.num_nodes, whole.num_states, whole.num_ends) == (lazy.num_nodes, lazy.num_states, lazy.num_ends)
        assert actions_of(whole) == actions_of(lazy)
        strategies = random_strategies(lazy)
        assert worth_of(whole, strategies).values == pytest.approx(worth_of(lazy, strategies).values, abs=1e-12)


@pytest.mark.prove
def test_a_game_may_deal_nothing():
    """All dice show the one, so the first player bids two of them, and wins."""
    given = table("three-sided")
    begin = given.game.rules.begin

    def begin_with_ones(s, key, start_player):
        begin(s, key, start_player)
        s.cup[0, 0] = s.cup[1, 0] = 0

    rules = replace(given.game.rules, begin=inlined(begin_with_ones), redeal=None)
    solver = Solver(build_tree(replace(given, game=replace(given.game, rules=rules, draws=None))), "dcfr")
    solver.run(100)
    assert worth_of(solver.tree, solver.average()).values[0] == pytest.approx(1, abs=0.01)


@pytest.mark.prove
def test_chance_that_is_not_declared_results_that_do_not_sum_to_0_and_too_many_deals_are_refused():
    rules, reshuffling = table("leduc").game.rules, table("reshuffling")
    nine = replace(table("dice"), num_players=3, options={"dice": 3, "faces": 6})
    apply, begin, redeal = rules.apply, rules.begin, rules.redeal

    def apply_and_draw(s, action):
        apply(s, action)
        s.raises = draw(s.key, action) & np.uint64(1)

    def begin_and_draw(s, key, start_player):
        begin(s, key, start_player)
        s.winners[0] = draw(s.key, 7) & np.uint64(1)

    def redeal_and_keep(s, deck):
        won = int(s.winners[0])
        redeal(s, deck)
        s.winners[0] = won

    def redeal_and_draw(s, deck):
        redeal(s, deck)
        s.player = draw(s.key, 7) & np.uint64(1)

    def returns(s, rewards):
        rewards[0] = 1.0

    for given, said in (
        (with_rules("leduc", apply=inlined(apply_and_draw)), r"something beside the deck .*; the field raises is \d"),
        (with_rules("leduc", begin=inlined(begin_and_draw), redeal=inlined(redeal_and_keep)), "the field winners is"),
        (with_rules("leduc", redeal=inlined(redeal_and_draw)), "the field player is"),
        (replace(reshuffling, game=without_pile(reshuffling.game)), "cannot be enumerated .*: cards are reshuffled"),
        (with_rules("kuhn", returns=compiled(returns)), "do not sum to 0"),
        (nine, "Liar's dice, 9 draws have 10,077,696 outcomes at this table; allowed are 4,000,000"),
        *(
            (SmallTable.of(game), r"orders at this table; allowed are 4,000,000: .*(Game.pile.*)?, or")
            for game in GAMES
        ),
    ):
        with pytest.raises(ValueError, match=said):
            build_tree(given)


@pytest.mark.prove
def test_a_tree_that_does_not_fit_is_refused_and_progress_counts_its_nodes():
    given, told = SmallTable.of("black_jacky", 2, **{**SIX_CARDS, "max_card": 4, "bust_at": 7}), []
    with pytest.raises(MemoryNeededError, match=r"does not fit into 1 MiB: .* take .*allow more memory"):
        build_tree(given, memory=2**20)
    found = build_tree(given, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == found.num_nodes
    assert len(told) > 1
