"""Agents, search, tournaments and training with every game, and with a tiny one whose observation needs int16."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blackjacky_agents import CompiledAgent, bot_names, make_agent
from blackjacky_agents.arena.evaluation import at_one_table
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.learning.agent_file import load_agent, save_agent
from blackjacky_agents.learning.encoding import encodings_of
from blackjacky_agents.learning.network import action_probabilities, network_policy, pack
from blackjacky_env import make_batch
from blackjacky_env.engine.game import Game
from blackjacky_env.games import get_game
from tests.agents.positions import random_layers
from tests.every_game import TINY
from tests.policies import Follower

pytestmark = pytest.mark.usefixtures("tiny")


def follower(game: Game) -> PythonAgent:
    """An agent that is not compiled."""
    return PythonAgent(Follower(game=game.name), "follower", game.name)


def test_every_game_has_a_random_agent_and_bots_act_on_its_observations(game: Game) -> None:
    assert bot_names(game.name)[0] == "random"
    batch = make_batch(game.name, 30, seed=1)
    for name in bot_names(game.name):
        agent = make_agent(name, game.name)
        agent.reset(1)
        actions = agent.act_batch(batch.observations, batch.action_masks)
        assert batch.action_masks[np.arange(30), actions].all()
        agent.reset(1)
        wide = agent.act_batch(batch.observations.astype(np.int64), batch.action_masks.astype(np.int32))
        np.testing.assert_array_equal(actions, wide)


@pytest.mark.parametrize("name", ["rollout:4", "ismcts:20", "ismcts:0.01s", "search:8"])
def test_search_plays_every_game(game: Game, name: str) -> None:
    if name == "search:8" and game.name == TINY:
        with pytest.raises(ValueError, match=r"has no trained agent to guide the search; name one: 'search:8\+ppo"):
            make_agent(name, TINY)
        return
    searcher = make_agent(name, game.name)
    searcher.reset(0)
    batch = make_batch(game.name, 3, seed=2)
    for _ in range(6):
        actions = searcher.act_batch(batch.observations, batch.action_masks)
        assert batch.action_masks[np.arange(3), actions].all()
        batch.step(actions)


def test_search_finds_what_is_best_in_a_game_of_int16() -> None:
    """Who holds the highest card of all gains by nothing that he bids himself, and the lowest loses what he bids."""
    batch = make_batch(TINY, 200, num_players=2, seed=3, stake=1000)
    for _ in range(4):  # to the last round, which decides
        batch.step(np.zeros(200, np.int64))
    seen = [get_game(TINY).layout.decode(observation) for observation in batch.observations]
    lowest = np.array([row["card"] == 0 and row["round"] == 2 for row in seen])
    assert lowest.any()
    actions = make_agent("rollout:200", TINY).act_batch(batch.observations[lowest], batch.action_masks[lowest])
    assert (actions == 0).all()


def test_tournaments_of_every_game_keep_scores_and_can_be_replayed(game: Game, tmp_path: Path) -> None:
    looker = Follower(game=game.name)
    agents = ["random", PythonAgent(looker, "follower", game.name)]
    tournament = Tournament(agents, game.min_players, results=tmp_path / "games.jsonl", game=game.name)
    tournament.play(games=20, threads=1)
    assert all(shown["observation"].dtype == game.layout.dtype for shown in looker.shown)
    assert tournament.replay(3)["game"] == game.name
    again = Tournament(agents, game.min_players, results=tmp_path / "games.jsonl", game=game.name)
    assert [again.replay(number) for number in range(20)] == [tournament.replay(number) for number in range(20)]
    np.testing.assert_array_equal(again.games().shares, tournament.games().shares)


def test_agents_that_are_not_compiled_play_whole_games(game: Game) -> None:
    others = [follower(game) for _ in range(game.min_players - 1)]
    scores = at_one_table([make_agent("random", game.name), *others], 5, game=game.name)
    assert sum(score.win_rate for score in scores) + scores[0].nobody == pytest.approx(1)


def test_networks_of_every_encoding_are_kept_and_play(game: Game, tmp_path: Path) -> None:
    batch = make_batch(game.name, 20, seed=4)
    for name, encoding in encodings_of(game.name).items():
        layers = random_layers(encoding.size, 8, outputs=game.num_actions)
        agent = CompiledAgent(name, game.name, network_policy(encoding), pack(layers, greedy=True))
        save_agent(tmp_path / f"{name}.safetensors", layers, game.name, encoding)
        loaded = load_agent(tmp_path / f"{name}.safetensors", game.name)
        for each in (agent, loaded):
            each.reset(0)
        actions = agent.act_batch(batch.observations, batch.action_masks)
        np.testing.assert_array_equal(actions, loaded.act_batch(batch.observations, batch.action_masks))
        chances = action_probabilities(loaded, batch.observations, batch.action_masks)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        if not encoding.drawn:
            np.testing.assert_array_equal(chances.argmax(axis=1), actions)


def test_what_a_learner_is_shown_lies_between_minus_1_and_1(game: Game) -> None:
    from blackjacky_agents.learning.sb3 import LearnerVecEnv

    env = LearnerVecEnv(4, game=game.name)
    for _ in range(20):
        shown = env.reset()
        assert isinstance(shown, np.ndarray)
        assert shown.dtype == np.float32
        assert np.abs(shown).max() <= 1
        assert all(env.observation_space.contains(row) for row in shown)


def test_a_game_without_encodings_of_its_own_is_learned_from_the_raw_observation(tmp_path: Path) -> None:
    from blackjacky_agents.learning.self_play import SelfPlay
    from blackjacky_agents.learning.settings import presets_of

    assert list(presets_of(TINY)) == ["quick", "scratch"]
    quick = presets_of(TINY)["quick"]
    assert (quick.game, quick.encoding, quick.bots, quick.table_sizes) == (TINY, "raw", ("random",), (3,))
    small = {"num_envs": 8, "n_steps": 8, "batch_size": 32, "hidden_sizes": (8,), "threads": 1, "snapshot_every": 128}
    settings = replace(quick, steps=256, minutes=1e9, pool_size=2, eval_games=5, **small)  # type: ignore[arg-type]
    run = SelfPlay(settings, tmp_path, "")
    assert run.train()
    assert load_agent(tmp_path, TINY).game == TINY
    with pytest.raises(ValueError, match="is for game='tiny', not for game='black_jacky'"):
        load_agent(tmp_path, "black_jacky")


def test_what_a_game_lacks_for_a_training_is_said() -> None:
    from blackjacky_agents.learning.settings import PPOSettings, check_settings

    with pytest.raises(ValueError, match="advice_logit=4 needs an encoding with advice, but tiny has none"):
        check_settings(PPOSettings(game=TINY, encoding="raw", advice_logit=4))


def test_a_league_plays_other_variants_only_at_tables_that_they_are_for() -> None:
    from blackjacky_agents.learning.league.games import draw_variants
    from blackjacky_agents.learning.settings import LeagueSettings

    settings = LeagueSettings(game=TINY, players=(3, 2), variant_fraction=0.5)
    drawn = draw_variants(settings, 0, 400)
    assert set(drawn[0::2]) == {"classic"}
    assert 80 < drawn[1::2].count("duel") < 120
    duels = replace(settings, players=(2,), variant="duel", variant_fraction=0.0)
    assert set(draw_variants(duels, 0, 10)) == {"duel"}
