"""What agents think of their moves."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.learning.network import action_probabilities
from blackjacky_agents.thoughts import explain, play
from blackjacky_env import black_jacky_v0
from tests.games.black_jacky.rigging import KNOCK, KNOCKS, NO_TRICK, Table, deal, losing, one_round


def positions(players: int = 3, seed: int = 0, count: int = 12) -> list[dict[str, Any]]:
    """Observations of players on turn in a random game."""
    env = black_jacky_v0.env(num_players=players)
    env.reset(seed=seed)
    rng, seen = np.random.default_rng(seed), []
    while len(seen) < count:
        seen.append(env.observe(env.agent_selection))
        env.step(int(rng.choice(np.flatnonzero(seen[-1]["action_mask"]))))
    return seen


def test_a_network_tells_its_chances_and_no_chance_to_win() -> None:
    champion = make_agent("champion")
    for seen in positions():
        thoughts = explain(champion, seen)
        assert thoughts is not None
        chances = action_probabilities(champion, seen["observation"][None], seen["action_mask"][None])[0]
        assert np.array_equal(thoughts.probabilities, chances)
        assert thoughts.probabilities.argmax() == champion.act(seen)
        assert thoughts.win is None


def test_a_network_plays_on_to_find_its_chance_to_win() -> None:
    """player_1 has one heart of three left, so player_0 is better off, whatever the cards."""
    decks = [losing([1], range(2)), losing([1], range(2), start=1), deal([[2, 6], [3, 5]], start=1)]
    table = Table(decks, players=2).knock_all().knock_all()
    assert table["hearts"] == [3, 1]
    champion = make_agent("champion")
    chances = []
    for _ in range(2):
        seen = table.env.observe(table.env.agent_selection)
        thoughts, again = (explain(champion, seen, playouts=200) for _ in range(2))
        assert thoughts is not None
        assert again is not None
        assert thoughts.win == again.win
        chances.append((table.env.agent_selection, thoughts.win or 0))
        table.play(NO_TRICK, KNOCK)
    assert dict(chances)["player_0"] > 0.75
    assert dict(chances)["player_1"] < 0.35
    with pytest.raises(ValueError, match="playouts=-1"):
        explain(champion, positions(count=1)[0], playouts=-1)


@pytest.mark.parametrize("name", ["random", "counter", "rollout:2"])
def test_bots_and_rollouts_tell_nothing(name: str) -> None:
    assert explain(make_agent(name), positions(count=1)[0]) is None


def test_a_search_tells_what_it_will_do_and_is_not_changed_by_telling() -> None:
    agent = make_agent("ismcts:50")
    agent.reset(7)
    silent = copy.deepcopy(agent)
    for seen in positions():
        thoughts = explain(agent, seen)
        assert thoughts is not None
        assert thoughts.probabilities.sum() == pytest.approx(1)
        assert not thoughts.probabilities[seen["action_mask"] == 0].any()
        if seen["action_mask"].sum() > 1:
            assert thoughts.win is not None
            assert 0 <= thoughts.win <= 1
            assert np.allclose(thoughts.probabilities * 50, np.round(thoughts.probabilities * 50))
        assert thoughts.probabilities.argmax() == agent.act(seen) == silent.act(seen)


def test_the_chance_to_win_is_high_with_a_good_hand_and_low_with_a_bad_one() -> None:
    """One heart each and player_1 has knocked with two cards, so at most 16: laying an 8 and keeping the other wins."""
    agent, chances = make_agent("ismcts:200"), []
    for hand in ([8, 8], [1, 2]):
        table = one_round([hand, [7, 7]], start=1, hearts=1, variant="schnell_duell").play(KNOCKS)
        thoughts = explain(agent, table.env.observe("player_0"))
        assert thoughts is not None
        chances.append(thoughts.win or 0)
    assert chances[0] > 0.8
    assert chances[1] < 0.5


def test_who_is_not_on_turn_thinks_nothing() -> None:
    env = black_jacky_v0.env(num_players=3)
    env.reset(seed=0)
    other = next(agent for agent in env.agents if agent != env.agent_selection)
    for name in ("champion", "ismcts:50", "ismcts:0.01s"):
        with pytest.raises(ValueError, match="no action is legal"):
            explain(make_agent(name), env.observe(other))


def test_a_game_is_played_with_a_thought_for_each_move() -> None:
    env = black_jacky_v0.env(num_players=2)
    env.reset(seed=3)
    agents = {"player_0": make_agent("champion"), "player_1": make_agent("threshold")}
    thoughts = list(play(env, agents))
    assert all(env.terminations.values())
    assert len(thoughts) == len(env.record()["actions"])
    assert 0 < sum(each is not None for each in thoughts) < len(thoughts)
    assert list(play(env, agents)) == []
