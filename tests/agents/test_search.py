"""Search: legal, repeatable, blind to what is hidden, right where the best move is certain; also a script."""

import copy
import dataclasses
import pickle
from functools import cache

import numba
import numpy as np
import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.games import get_kit
from blackjacky_agents.search import searchers
from blackjacky_agents.search.guided import best_of, give_up, improved, new_trial, weigh
from blackjacky_agents.search.playing_on import make_imagine
from blackjacky_agents.search.searchers import Searcher, TimedSearcher
from blackjacky_env.compiled.compiling import compiled, entry, zeros
from blackjacky_env.compiled.random import draw
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.games.black_jacky.state import RECORD
from tests.agents.positions import FAMILY, Positions, positions
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import one_round
from tests.plain_mode import printed_in_plain_mode

NAMES = ("rollout:3", "ismcts:20", "search:20")
FIRST = "search"
"""The kind of search that `make test` takes; to compile another kind takes up to half a minute."""
SMALL = {"max_card": 3, "hand_size": 1, "tricks": (), "hearts": 1}


@cache
def searcher(name):
    return make_agent(name)


def seeded(name, seed=0):
    searcher(name).reset(seed)
    return searcher(name)


def each_of(*names):
    return [pytest.param(name, marks=[] if name.startswith(FIRST) else pytest.mark.prove) for name in names]


def act(name, table):
    return seeded(name).act(table.env.observe(table.env.agent_selection))


@cache
def family():
    """Some positions of every kind: all phases, sizes, variants and options at the ends of their ranges."""
    parts = [positions(games=5, moves=80, seed=1, **options) for options in FAMILY]
    return Positions(*(np.concatenate([array[::11] for array in arrays]) for arrays in zip(*parts, strict=True)))


@pytest.mark.parametrize("name", each_of(*NAMES))
def test_the_same_seed_makes_the_same_legal_moves_and_copies_go_on_alike(name):
    observations, masks = family()
    agent = seeded(name, 3)
    first = agent.act_batch(observations, masks).tolist()
    assert masks[np.arange(len(masks)), first].all()
    twin = copy.deepcopy(agent)
    second = agent.act_batch(observations, masks).tolist()
    assert twin.act_batch(observations, masks).tolist() == second
    assert seeded(name, 3).act_batch(observations, masks).tolist() == first != second


@pytest.mark.parametrize("name", each_of("rollout:40", "ismcts:200", "search:200"))
def test_a_move_that_wins_with_certainty_is_found_and_one_that_loses_is_not_made(name):
    for hands in ([[3], [3]], [[3], [1]], [[2], [3]]):
        # The other has knocked with one card, at most a 3: with two cards I have more. Nobody can be bust.
        table = one_round(hands, start=1, **SMALL).play(do.NO_TRICK, do.KNOCK, do.NO_TRICK)
        assert act(name, table) == do.DRAW
        assert table.play(do.DRAW)["winners"] == [0]
    table = one_round([(8, 8), (7, 7)], top=1, start=0, hearts=1, bust_at=10).play(do.NO_TRICK)
    assert act(name, table) == do.swap_discard(8)  # any other card than the 8 leaves me bust


def test_positions_come_in_proportion_to_their_likelihood_however_much_a_sample_draws():
    """Draw number 100 decides what is hidden; whether a position is accepted must not depend on it."""

    @compiled
    def sample(observation, bits, s):
        s.key = draw(bits, 0)
        s.player = draw(bits, 100) >> np.uint64(63)

    @compiled
    def likelihood(s):
        return 0.5 if s.player else 1.0

    game = get_game(DEFAULT)
    searched = dataclasses.replace(game, rules=dataclasses.replace(game.rules, sample=sample))
    imagine = make_imagine(searched, likelihood)

    @entry
    def count(observation, chain, simulations):
        less_likely, before = 0, 0.0
        for number in range(simulations):
            before = imagine(observation, np.uint64(7), number, 0, chain, before)
            less_likely += chain[0].player
        return less_likely

    found = count(np.zeros(game.layout.size, game.layout.dtype), zeros(2, game.state_dtype), 6000)
    assert 1850 < found < 2150  # a third of them, give or take four standard errors


def test_few_results_leave_the_choice_to_the_network_and_many_or_ones_without_noise_do_not():
    for count, noise, square, best in ((4, 0.5, 1, 0), (10_000, 0.5, 1, 1), (4, 0.1, 0.0016, 1)):
        trial = new_trial()
        trial.sums[1], trial.squares[:3], trial.counts[:3] = 0.04 * count, square * count, count
        trial.chances[:3], trial.actions[:3], trial.size[:2] = [0.6, 0.3, 0.1], [0, 1, 2], 3
        weigh(trial, noise)
        assert (best_of(trial), trial.worth[0]) == (best, 0)
        assert improved(trial, 3).argmax() == best
        give_up(trial)  # the worse half, but not the network's favourite
        assert trial.size[:2].tolist() == [3, 2]
        assert set(trial.actions[:2].tolist()) == {0, 1}


def test_any_network_can_guide_and_what_is_none_is_refused():
    seen, shipped = positions(games=1, moves=8), get_kit(DEFAULT).trained["champion"]
    agents = [seeded(f"search:20+{name}", 1) for name in ("champion", f"ppo:{shipped}")]
    assert len({str(agent.act_batch(*seen)) for agent in agents}) == 1
    with pytest.raises(ValueError, match="only a trained network can guide"):
        make_agent("search:20+counter")
    with pytest.raises(ValueError, match="'champ' for black_jacky; did you mean 'champion'"):
        make_agent("search:20+champ")


TIMED = [pytest.param(name, marks=pytest.mark.prove) for name in ("search:0.02s", "ismcts:0.02s")]


def surely_draws():
    return one_round([[3], [1]], start=1, **SMALL).play(do.NO_TRICK, do.KNOCK, do.NO_TRICK)


@pytest.mark.parametrize("name", ["search:50", *TIMED])
def test_it_explains_itself(name):
    agent = make_agent(name)
    agent.reset(0)
    assert agent.explain(surely_draws().env.observe("player_0")).probabilities.argmax() == do.DRAW
    seen = zip(*positions(games=1, moves=40), strict=True)
    thoughts = [agent.explain({"observation": observed, "action_mask": mask}) for observed, mask in seen]
    assert [each.probabilities.sum() for each in thoughts] == pytest.approx([1] * 40)
    wins = [each.win for each in thoughts if each.win is not None]  # None where the network is sure of one action
    assert wins
    assert 0 <= min(wins) <= max(wins) <= 1


@pytest.mark.parametrize("name", TIMED)
def test_it_searches_as_long_as_it_may(name, monkeypatch):
    agent, seen = make_agent(name), surely_draws().env.observe("player_0")
    assert isinstance(agent, TimedSearcher)
    agent.reset(0)
    assert [twin.act(seen) for twin in (agent, copy.deepcopy(agent), pickle.loads(pickle.dumps(agent)))] == [
        do.DRAW
    ] * 3
    assert agent.act_batch(seen["observation"][None], seen["action_mask"][None]).tolist() == [do.DRAW]
    single = np.zeros_like(seen["action_mask"])
    single[do.KNOCK] = 1
    assert agent.act({**seen, "action_mask": single}) == do.KNOCK
    clock = [0.0]
    monkeypatch.setattr(searchers.time, "perf_counter", lambda: clock[0])

    def act(searcher, observation):
        clock[0] += searcher.parameters[0] / 100_000  # 2,000 simulations in the 0.02 seconds
        return do.DRAW

    monkeypatch.setattr(Searcher, "act", act)
    agent.act(seen)
    assert 1000 < agent.searcher.parameters[0] < 2000
    assert 0.017 < clock[0] <= 0.02
    monkeypatch.setattr(Searcher, "act", lambda searcher, _: clock.append(clock.pop() + 1e-9))
    agent.act(seen)
    assert clock[0] < 0.021, "there is nothing left to search for"


@pytest.mark.parametrize("kind", ["rollout", "ismcts", "search"])
def test_a_budget_that_is_none_is_named_with_what_is_allowed(kind):
    budgets = ["", "0", "x", "-1", "1.5", "1000001", "1e3", " 5", "10 ", "²", "1_000"]
    budgets += ["s", "0s", "0.0s", "-1s", "nans", "infs", "1e-3s", "3601s", "1ss", ".5s"]
    for budget in budgets if kind != "rollout" else [*budgets, "1s"]:
        with pytest.raises(ValueError, match=rf"^agent '{kind}:{budget}': '{budget}' is not a budget; "):
            make_agent(f"{kind}:{budget}")


def test_an_observation_that_cannot_be_is_refused():
    seen = positions(games=2, moves=3)
    wrong = seen.observations.copy()
    offset = RECORD.layout.parts["phase"].offset
    wrong[-1, offset : offset + len(RECORD.fields["phase"].choices)] = 0  # nothing is decided
    for name in (*NAMES, "ismcts:1s", "search:1s"):
        with pytest.raises(ValueError, match="no legal position matches this observation"):
            make_agent(name).act_batch(wrong, seen.masks)
        with pytest.raises(ValueError, match="the action mask allows an action that is illegal"):
            make_agent(name).act_batch(seen.observations, np.ones_like(seen.masks))


def choices():
    seen = positions(games=2, moves=12, seed=5, hand_size=3, bust_at=30, num_players=[2, 3])
    agents = [seeded(name) for name in (*bot_names(DEFAULT), *NAMES)]
    return [agent.act_batch(seen.observations[::4], seen.masks[::4]).tolist() for agent in agents]


@pytest.mark.prove
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_plain_python_and_compiled_code_find_the_same():
    assert printed_in_plain_mode(__file__).strip() == str(choices())


if __name__ == "__main__":
    print(choices())
