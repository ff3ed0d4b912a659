"""Analyses of recorded games: chances of winning from what each player could know, and moves that cost some of it."""

from collections import Counter

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.networks.network import find_network
from blackjacky_agents.search.analysis import analyse
from blackjacky_agents.search.explaining import champion_of, explain, replay
from blackjacky_agents.search.playing_on import WIN, play_on
from blackjacky_env import replay_html
from blackjacky_env.games import GAMES, get_game
from blackjacky_env.play import NONE
from blackjacky_env.replay import new_table
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import Table, deal, losing, one_round
from tests.replay.reading import film_in, random_game

pytestmark = pytest.mark.prove


def analysed(record, playouts=8, **options):
    """The analysis by the champion, with its own thoughts on every move."""
    agent = champion_of(record["game"])
    return analyse(record, agent, list(replay(new_table(record), record["actions"], agent)), playouts, **options)


@pytest.mark.parametrize("game", GAMES)
def test_every_player_has_an_estimate_at_every_position_up_to_the_result(game):
    env = random_game(game, seed=3)
    record, players = env.record(), env.num_players
    thoughts, curve = analysed(record)
    assert curve.wins.shape == (len(record["actions"]) + 1, players)
    assert ((curve.wins >= 0) & (curve.wins <= 1)).all()
    assert abs(curve.wins[:-1].sum(axis=1).mean() - 1) < 0.15  # they do not know the same
    winners = env.snapshot()["winners"] or range(players)
    assert curve.wins[-1].tolist() == [(seat in winners) / len(winners) for seat in range(players)]
    film = film_in(replay_html(record, thoughts=thoughts, curve=curve))
    for step, ((seat, *_), mind) in enumerate(zip(film["moves"], film["thoughts"], strict=True)):
        assert mind["win"] == pytest.approx(film["wins"][step][seat], abs=1e-3)
        assert (mind["cost"] is None) == mind["chances"][0][2]


@pytest.mark.parametrize("game", GAMES)
def test_the_same_record_has_the_same_analysis_with_any_number_of_threads_at_the_largest_table(game):
    record = random_game(game, most=40, num_players=get_game(game).max_players).record()
    (one, curve), (other, same) = (analysed(record, threads=threads) for threads in (1, 3))
    assert curve.wins.shape == (41, get_game(game).max_players)
    np.testing.assert_array_equal(curve.wins, same.wins)
    assert [mind and mind.cost for mind in one] == [mind and mind.cost for mind in other]


def test_estimates_use_nothing_that_the_player_cannot_know():
    """Other cards in the hands of others: only their estimates differ."""
    hands = ([[1, 2], [8, 8], [7, 7]], [[1, 2], [3, 4], [7, 7]])
    ours, theirs = (
        analysed(one_round(cards, top=5).play(do.NO_TRICK).env.record(), 32).curve.wins[0] for cards in hands
    )
    assert (ours == theirs).tolist() == [True, False, True]


@pytest.mark.parametrize("game", GAMES)
def test_who_plays_as_badly_as_can_be_makes_clear_mistakes_and_champions_make_none_or_fewer(game):
    env, agent = random_game(game, most=0), champion_of(game)
    while not all(env.terminations.values()) and len(env.record()["actions"]) < 80:
        seen = env.observe(env.agent_selection)
        mind = explain(agent, seen)
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


def test_a_network_plays_on_to_find_its_chance_to_win():
    """player_1 has one heart of three left, so player_0 is better off, whatever the cards."""
    decks = [losing([1], range(2)), losing([1], range(2), start=1), deal([[2, 6], [3, 5]], start=1)]
    table, champion, chances = Table(decks, players=2).knock_all().knock_all(), make_agent("champion"), {}
    assert table["hearts"] == [3, 1]
    for _ in range(2):
        agent = table.env.agent_selection
        vector = table.env.observe(agent)["observation"]
        chances[agent], again = (play_on(champion, vector, (NONE,), 200)[:, 0, WIN, 0].mean() for _ in range(2))
        assert chances[agent] == again
        table.play(do.NO_TRICK, do.KNOCK)
    assert chances["player_0"] > 0.75
    assert chances["player_1"] < 0.35
