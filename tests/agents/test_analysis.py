"""Analyses of recorded games: chances of winning from what each player could know, and moves that cost some of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.learning.network import find_network
from blackjacky_agents.search import analysis
from blackjacky_agents.search.analysis import analyse
from blackjacky_agents.search.outcomes import outcomes
from blackjacky_agents.search.tree import NONE
from blackjacky_agents.thoughts import champion_of, explain, replay
from blackjacky_env import replay_html
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.replay import new_table
from tests.games.black_jacky.rigging import NO_TRICK, one_round
from tests.replay.reading import film_in, random_game


def champion(game: str) -> CompiledAgent:
    found = champion_of(game)
    assert found is not None
    return found


def analysed(record: dict[str, Any], playouts: int | None = 8, **options: Any) -> analysis.Analysis:
    """The analysis by the champion, with its own thoughts on every move."""
    agent = champion(record["game"])
    return analyse(record, agent, list(replay(new_table(record), record["actions"], agent)), playouts, **options)


@pytest.mark.parametrize("game", GAMES)
def test_every_player_has_an_estimate_at_every_position_up_to_the_result(game: str) -> None:
    env = random_game(game, seed=3)
    record, players = env.record(), env.num_players
    thoughts, curve = analysed(record)
    assert curve.wins.shape == (len(record["actions"]) + 1, players)
    assert ((curve.wins >= 0) & (curve.wins <= 1)).all()
    assert abs(curve.wins[:-1].sum(axis=1).mean() - 1) < 0.15  # they do not know the same
    winners = env.snapshot()["winners"] or range(players)
    assert curve.wins[-1].tolist() == [(seat in winners) / len(winners) for seat in range(players)]
    assert "8 samples of the hidden cards, in which champion plays on" in curve.note
    film = film_in(replay_html(record, thoughts=thoughts, curve=curve))
    for step, ((seat, *_), mind) in enumerate(zip(film["moves"], film["thoughts"], strict=True)):
        assert mind["by"] == "champion"
        assert mind["win"] == pytest.approx(film["wins"][step][seat], abs=1e-3)
        assert (mind["cost"] is None) == mind["chances"][0][2]


@pytest.mark.parametrize("game", GAMES)
def test_the_same_record_has_the_same_analysis_with_any_number_of_threads_at_the_largest_table(game: str) -> None:
    record = random_game(game, most=40, num_players=get_game(game).max_players).record()
    (one, curve), (other, same) = (analysed(record, threads=threads) for threads in (1, 3))
    assert curve.wins.shape == (41, get_game(game).max_players)
    np.testing.assert_array_equal(curve.wins, same.wins)
    assert [mind and mind.cost for mind in one] == [mind and mind.cost for mind in other]


def test_estimates_use_nothing_that_the_player_cannot_know() -> None:
    """Other cards in the hands of others: only their estimates differ."""
    hands = ([[1, 2], [8, 8], [7, 7]], [[1, 2], [3, 4], [7, 7]])
    ours, theirs = (analysed(one_round(cards, top=5).play(NO_TRICK).env.record(), 32).curve.wins[0] for cards in hands)
    assert (ours == theirs).tolist() == [True, False, True]


@pytest.mark.parametrize("game", GAMES)
def test_what_an_agent_does_comes_to_the_same_as_telling_it_to(game: str) -> None:
    env, agent = random_game(game, most=25), champion(game)
    seen = env.observe(env.agent_selection)
    found = outcomes(agent, seen["observation"], [NONE, agent.act(seen)], 10)
    assert found.shape == (10, 2)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


@pytest.mark.parametrize("game", GAMES)
def test_who_plays_as_badly_as_can_be_makes_clear_mistakes_and_champions_make_none_or_fewer(game: str) -> None:
    env, agent = random_game(game, most=0), champion(game)
    while not all(env.terminations.values()) and len(env.record()["actions"]) < 80:
        seen = env.observe(env.agent_selection)
        mind = explain(agent, seen)
        assert mind is not None
        unlikely = np.where(seen["action_mask"] == 1, mind.probabilities, np.inf).argmin()
        env.step(int(unlikely) if env.agent_selection == "player_0" else agent.act(seen))
    film = film_in(replay_html(env.record(), thoughts=analysed(env.record(), 64).thoughts))
    costs = [(seat, mind["cost"]) for (seat, *_), mind in zip(film["moves"], film["thoughts"], strict=True)]
    clear = Counter(seat for seat, cost in costs if cost and cost[1] > 0)
    if find_network(agent)[1].drawn:  # it mixes, and does not always take the most probable action
        assert clear.most_common(1)[0][0] == 0
    else:
        assert set(clear) == {0}
        assert not any(cost for seat, cost in costs if seat)


def test_intervals_of_a_game_rarely_find_a_mistake_where_there_is_none() -> None:
    """40 moves that cost nothing, with 48 samples each: some interval is beside 0 in about 5 % of the games at most."""
    env = random_game("black_jacky", most=0)
    course = analysis._Course(env, [], [])
    questions = [analysis._Question(step, 0, (0, 1)) for step in range(40)]
    rng, found, games = np.random.default_rng(1), 0, 400
    for _ in range(games):
        costs = analysis._costs(course, questions, list(rng.normal(size=(40, 48, 2)) / 10))
        found += any(not low <= 0 <= high for _, low, high in costs.values())
    assert 0 < found <= 0.08 * games


def test_in_long_games_the_others_are_asked_now_and_then_and_all_stays_within_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analysis, "_FOR_WINS", 400)
    monkeypatch.setattr(analysis, "_FOR_MOVES", 640)
    record = random_game("black_jacky", seed=5).record()
    moves, players = len(record["actions"]), 4
    thoughts, curve = analysed(record, None)
    asked = ~np.isnan(curve.wins[:-1])
    assert asked.sum() * analysis._FEWEST_FOR_WINS < 400 + moves * analysis._FEWEST_FOR_WINS
    assert asked.sum() < moves * players / 2
    film = film_in(replay_html(record, thoughts=thoughts, curve=curve))
    assert all(asked[step, seat] for step, (seat, *_) in enumerate(film["moves"]))
    judged = [mind for mind in film["thoughts"] if mind["cost"]]
    left = [mind for mind in film["thoughts"] if not mind["cost"] and not mind["chances"][0][2]]
    assert len(judged) == 10
    assert left


def test_moves_without_thoughts_have_no_cost_and_the_curve_goes_on() -> None:
    record = random_game("black_jacky", most=20).record()
    thoughts, curve = analyse(record, champion("black_jacky"), [None] * 20, 4)
    assert thoughts == [None] * 20
    assert not np.isnan(curve.wins[:-1]).any()
    assert np.isnan(curve.wins[-1]).all()  # the game goes on


def test_a_number_of_playouts_that_cannot_be_is_named() -> None:
    with pytest.raises(ValueError, match="playouts=1 is out of range"):
        analysed(random_game("black_jacky", most=3).record(), 1)
