"""Search: legal everywhere, repeatable, blind to what is hidden, and right where the best move is certain.

This file is also the script that another process runs in plain Python.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cache
from typing import Any

import gymnasium
import numba
import numpy as np
import numpy.typing as npt
import pytest

from blackjacky_agents import CompiledAgent, make_agent
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.network import find_network
from blackjacky_agents.search.config import SearchConfig
from blackjacky_agents.search.guided import NOISE, Trial, best_of, give_up, improved, make_play, new_trial, weigh
from blackjacky_agents.search.searchers import TimedSearcher
from blackjacky_agents.search.tree import steps_of
from blackjacky_env import black_jacky_v0, playout
from blackjacky_env.engine.compiling import compiled, entry, zeros
from blackjacky_env.engine.random import draw
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.games.black_jacky.hidden import vary_hidden
from blackjacky_env.games.black_jacky.state import RECORD
from tests.agents.positions import FAMILY, Positions, positions
from tests.games.black_jacky.rigging import DRAW, KNOCK, NO_TRICK, Table, one_round
from tests.plain_mode import printed_in_plain_mode

NAMES = ("rollout:3", "ismcts:20", "search:20")
SMALL: dict[str, Any] = {"max_card": 3, "hand_size": 1, "tricks": (), "hearts": 1}


@cache
def searcher(name: str) -> CompiledAgent:
    agent = make_agent(name)
    assert isinstance(agent, CompiledAgent)
    return agent


def seeded(name: str, seed: int = 0) -> CompiledAgent:
    searcher(name).reset(seed)
    return searcher(name)


def act(name: str, table: Table) -> int:
    return seeded(name).act(table.env.observe(table.env.agent_selection))


@cache
def family() -> Positions:
    """Some positions of every kind: all phases, sizes, variants and options at the ends of their ranges."""
    parts = []
    for options in FAMILY:
        seen = positions(games=5, moves=80, seed=1, **options)
        tips = np.flatnonzero(seen.masks[:, 56:].any(axis=1))[:4]
        gifts = np.flatnonzero(seen.masks[:, 48:56].any(axis=1))[:6]
        rows = np.concatenate([np.arange(0, len(seen.masks), 13), tips, gifts])
        parts.append((seen.observations[rows], seen.masks[rows]))
    return Positions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_makes_the_same_legal_moves_and_copies_go_on_alike(name: str) -> None:
    observations, masks = family()
    agent = seeded(name, 3)
    first = agent.act_batch(observations, masks).tolist()
    assert masks[np.arange(len(masks)), first].all()
    twins = [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    second = agent.act_batch(observations, masks).tolist()
    assert [twin.act_batch(observations, masks).tolist() for twin in twins] == [second, second]
    assert seeded(name, 3).act_batch(observations, masks).tolist() == first != second


@pytest.mark.parametrize("name", NAMES)
def test_what_is_hidden_changes_no_move(name: str) -> None:
    rng, varied = np.random.default_rng(0), 0
    for seed in range(8):
        table = Table([], players=2 + seed % 5)
        table.env.reset(seed=seed)
        for _ in range(15):
            table.play(int(rng.choice(sorted(table.legal - {KNOCK}) or [KNOCK])))
        expected, before = act(name, table), table["hands"]
        player = table["player"]
        for _ in range(3):
            vary_hidden(table.env.unwrapped._states[0], None, player, rng)
            varied += table["hands"] != before
            assert act(name, table) == expected
    assert varied > 10


@pytest.mark.parametrize("name", ["rollout:40", "ismcts:200", "search:200"])
@pytest.mark.parametrize("hands", [[[3], [3]], [[3], [1]], [[2], [3]]], ids=str)
def test_a_move_that_wins_with_certainty_is_found(name: str, hands: list[list[int]]) -> None:
    """The other has knocked with one card, at most a 3: with two cards I have more. Nobody can be bust."""
    table = one_round(hands, start=1, **SMALL).play(NO_TRICK, KNOCK, NO_TRICK)
    assert act(name, table) == DRAW
    assert table.play(DRAW)["winners"] == [0]


@pytest.mark.parametrize("name", ["rollout:40", "ismcts:200", "search:200"])
def test_a_move_that_loses_with_certainty_is_not_made(name: str) -> None:
    """Any other card than the 8 leaves me bust."""
    table = one_round([(8, 8), (7, 7)], top=1, start=0, hearts=1, bust_at=10).play(NO_TRICK)
    assert act(name, table) == 38 + 8  # the 1 for it
    table.play(38 + 8)
    assert table["hands"][0] == [1, 8]


def test_positions_come_in_proportion_to_their_likelihood_however_much_a_sample_draws() -> None:
    """Draw number 100 decides what is hidden; whether a position is accepted must not depend on it."""

    @compiled
    def sample(observation, bits, s):  # type: ignore[no-untyped-def]  # compiled
        s.key = draw(bits, 0)
        s.player = draw(bits, 100) >> np.uint64(63)

    @compiled
    def likelihood(s):  # type: ignore[no-untyped-def]  # compiled
        return 0.5 if s.player else 1.0

    game = get_game(DEFAULT)
    searched = dataclasses.replace(game, rules=dataclasses.replace(game.rules, sample=sample))
    imagine = steps_of(searched, SearchConfig(likelihood=likelihood)).imagine

    @entry
    def count(observation, chain, simulations):  # type: ignore[no-untyped-def]  # compiled
        less_likely, before = 0, 0.0
        for number in range(simulations):
            before = imagine(observation, np.uint64(7), number, 0, chain, before)
            less_likely += chain[0].player
        return less_likely

    found = count(np.zeros(game.layout.size, game.layout.dtype), zeros(2, game.state_dtype), 6000)
    assert 1850 < found < 2150  # a third of them, give or take four standard errors


def tried(sums: list[float], squares: list[float], count: int, chances: list[float]) -> Trial:
    """A trial of these actions, each in ``count`` positions."""
    trial, size = new_trial(), len(chances)
    trial.actions[:size] = 10 + np.arange(size)
    for name, values in (("sums", sums), ("squares", squares), ("counts", [count] * size), ("chances", chances)):
        getattr(trial, name)[:size] = values
    trial.size[:2] = size
    return trial


PARAMETERS = np.array([100, 0.01, 0.5, 0.01, 0.05, 3], np.float32)
"""Simulations, least chance, noise, scale, spread and proposals."""


def test_few_results_leave_the_choice_to_the_network_and_many_do_not() -> None:
    for count, best in ((4, 10), (10_000, 11)):
        trial = tried([0.1 * count, 0.02 * count, 0.0], [count] * 3, count, [0.6, 0.3, 0.1])
        weigh(trial, PARAMETERS)
        assert best_of(trial) == best
        assert trial.worth[0] == 0
    mean, variance = 0.02, (1 - 0.02**2 + 0.25 / 10_000) / 10_000
    weight = 0.05**2 / (0.05**2 + variance)
    expected = weight * mean + (1 - weight) * 0.01 * np.log(0.5)
    assert trial.worth[1] == pytest.approx(expected, rel=1e-4)


def test_the_less_noise_is_expected_the_fewer_positions_convince() -> None:
    for noise, best in ((0.5, 10), (0.1, 11)):
        trial = tried([0.0, 0.16, 0.0], [0.0, 0.0064, 0.0], 4, [0.6, 0.3, 0.1])  # 0.04 more in each position
        parameters = PARAMETERS.copy()
        parameters[NOISE] = noise
        weigh(trial, parameters)
        assert best_of(trial) == best


def test_the_worse_half_is_given_up_and_the_favourite_kept() -> None:
    trial = tried([0, -30, 30, -10], [100] * 4, 100, [0.4, 0.3, 0.2, 0.1])
    weigh(trial, PARAMETERS)
    give_up(trial)
    assert trial.size[:2].tolist() == [4, 2]
    assert trial.actions[:4].tolist() == [10, 12, 13, 11]
    assert trial.chances[:4].tolist() == [0.4, 0.2, 0.1, 0.3]


def test_without_evidence_the_improved_probabilities_are_the_networks_own() -> None:
    chances = [0.6, 0.3, 0.1]
    trial = tried([0.0] * 3, [10**9] * 3, 1, chances)
    weigh(trial, PARAMETERS)
    found = improved(trial, 20, scale=0.01)
    assert found[10:13] == pytest.approx(chances, abs=1e-3)
    assert found.sum() == pytest.approx(1)
    better = tried([0.0, 3000.0, 0.0], [10_000] * 3, 10_000, chances)
    weigh(better, PARAMETERS)
    assert improved(better, 20, scale=0.01)[11] > 0.9


def test_any_network_can_guide_and_what_is_none_is_refused() -> None:
    seen = positions(games=1, moves=8)
    shipped = get_kit(DEFAULT).trained["champion"]
    agents = [make_agent(f"search:20+{name}") for name in ("champion", f"ppo:{shipped}")]
    for agent in agents:
        agent.reset(1)
    assert len({str(agent.act_batch(*seen)) for agent in agents}) == 1
    with pytest.raises(ValueError, match=r"agent 'search:20\+counter': only a trained network can guide"):
        make_agent("search:20+counter")
    with pytest.raises(ValueError, match="'champ' for black_jacky; did you mean 'champion'"):
        make_agent("search:20+champ")


@pytest.mark.parametrize("network_plays", [True, False])
def test_the_network_plays_in_playouts_or_a_bot_does(network_plays: bool) -> None:
    network, encoding = find_network(searcher("champion"))
    config = get_kit(DEFAULT).search._replace(network_plays=network_plays)
    play = make_play(get_game(DEFAULT), config, encoding)

    def compare(trial, known, bits, parameters):  # type: ignore[no-untyped-def]  # compiled
        play(trial, known, bits, 1, parameters, 50)

    seen = positions(games=1, moves=8)
    results = []
    for scale in (1.0, 0.0):  # of the weights; with 0 the network plays at random
        parameters = network.parameters.copy()
        parameters[2 + int(parameters[1]) + 1 :] *= scale
        trial = new_trial()
        trial.actions[:2] = np.flatnonzero(seen.masks[0])[:2]
        trial.size[:2] = 2
        entry(compare)(trial, seen.observations[0], np.uint64(1), parameters)
        results.append(trial.sums[:2].tolist())
    assert (results[0] != results[1]) == network_plays


@pytest.mark.parametrize("name", ["search:50", "search:0.02s", "ismcts:0.02s"])
def test_it_explains_itself(name: str) -> None:
    table = one_round([[3], [1]], start=1, **SMALL).play(NO_TRICK, KNOCK, NO_TRICK)
    agent = make_agent(name)
    agent.reset(0)
    thoughts = agent.explain(table.env.observe("player_0"))  # type: ignore[attr-defined]  # searchers have it
    assert thoughts is not None
    assert thoughts.probabilities.argmax() == DRAW
    assert thoughts.probabilities.sum() == pytest.approx(1)
    assert thoughts.win is not None


def test_search_plays_in_play_outs() -> None:
    env = black_jacky_v0.env(num_players=2, **SMALL)
    env.reset(seed=0)
    results = playout([env.get_state()], ["ismcts:20", "threshold"], games=30, seed=1)
    again = playout([env.get_state()], ["ismcts:20", "threshold"], games=30, seed=1, threads=1)
    assert results.tolist() == again.tolist()
    assert set(np.unique(results)) <= {-1.0, 0.0, 1.0}


def test_search_plays_the_other_seats_of_a_learner() -> None:
    def rewards() -> list[float]:
        envs = gymnasium.make_vec(
            "blackjacky/BlackJackySeat-v0",
            num_envs=8,
            vectorization_mode="vector_entry_point",
            opponents=["rollout:2"],
            num_players=3,
            **SMALL,
        )
        _, info = envs.reset(seed=0)
        paid = []
        for _ in range(12):
            _, reward, _, _, info = envs.step(last_legal(info["action_mask"]))
            paid += reward.tolist()
        return paid

    def last_legal(masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)

    assert rewards() == rewards()
    assert len(set(rewards())) > 1


@pytest.mark.parametrize("name", ["ismcts:0.02s", "search:0.02s"])
def test_a_time_budget_searches_too(name: str) -> None:
    agent = make_agent(name)
    assert isinstance(agent, TimedSearcher)
    table = one_round([[3], [1]], start=1, **SMALL).play(NO_TRICK, KNOCK, NO_TRICK)
    seen = table.env.observe("player_0")
    agent.reset(0)
    assert agent.act(seen) == DRAW
    assert agent.simulations > 0
    assert [twin.act(seen) for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent)))] == [DRAW, DRAW]
    single = np.zeros_like(seen["action_mask"])
    single[KNOCK] = 1
    assert agent.act({**seen, "action_mask": single}) == KNOCK
    assert agent.simulations == 0
    assert agent.act_batch(seen["observation"][None], seen["action_mask"][None]).tolist() == [DRAW]


def test_a_time_budget_cannot_play_inside_a_batch() -> None:
    env = black_jacky_v0.env(num_players=2)
    env.reset(seed=0)
    with pytest.raises(TypeError, match=r"'ismcts:1s' is not compiled.*'ismcts:SIMULATIONS', 'search:SIMULATIONS'"):
        playout(env.get_state(), "ismcts:1s", games=1)


@pytest.mark.parametrize("budget", ["", "0", "x", "-1", "1.5", "1000001", "1e3", " 5", "10 ", "²", "1_000"])
@pytest.mark.parametrize("kind", ["rollout", "ismcts", "search"])
def test_a_budget_that_is_none_is_named_with_what_is_allowed(kind: str, budget: str) -> None:
    allowed = "playouts per legal action" if kind == "rollout" else "simulations per move, .* seconds per move"
    with pytest.raises(ValueError, match=rf"^agent '{kind}:{budget}': '{budget}' is not a budget; .* {allowed}"):
        make_agent(f"{kind}:{budget}")


@pytest.mark.parametrize("budget", ["s", "0s", "0.0s", "-1s", "nans", "infs", "1e-3s", "3601s", "1ss", ".5s"])
def test_a_time_that_is_none_is_refused(budget: str) -> None:
    with pytest.raises(ValueError, match=r"seconds per move, such as 'ismcts:0\.1s'"):
        make_agent(f"ismcts:{budget}")
    with pytest.raises(ValueError, match="is not a budget"):
        make_agent("rollout:1s")


def test_an_observation_that_cannot_be_is_refused() -> None:
    seen = positions(games=2, moves=3)
    wrong = seen.observations.copy()
    wrong[-1, RECORD.layout.offset("my_hand")] += 1  # a card too many in my hand
    for name in (*NAMES, "ismcts:1s", "search:1s"):
        with pytest.raises(ValueError, match="no legal position matches this observation"):
            make_agent(name).act_batch(wrong, seen.masks)
        with pytest.raises(ValueError, match="the action mask allows an action that is illegal"):
            make_agent(name).act_batch(seen.observations, np.ones_like(seen.masks))


def choices() -> list[list[int]]:
    """What each does in some positions."""
    seen = positions(games=2, moves=12, seed=5, hand_size=3, bust_at=30, num_players=[2, 3])
    return [seeded(name).act_batch(seen.observations[::4], seen.masks[::4]).tolist() for name in NAMES]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_plain_python_and_compiled_code_find_the_same() -> None:
    assert printed_in_plain_mode(__file__).strip() == str(choices())


if __name__ == "__main__":
    print(choices())
