"""Agents, search, tournaments and training with every game, and with a tiny one; the agents that are shipped."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from blackjacky_agents import CompiledAgent, agent_names, bot_names, make_agent, registry
from blackjacky_agents.arena.evaluation import against_copies, shares_at_one_table
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.games import encodings_of, get_kit
from blackjacky_agents.kit.settings import LeagueSettings, SelfPlaySettings
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import check_at_game, presets_of
from blackjacky_agents.learning.tables import draw_variants, new_states
from blackjacky_agents.networks.agent_file import initial_layers, load_agent, read_card, save_agent
from blackjacky_agents.networks.network import action_probabilities, encode_all, network_policy, pack
from blackjacky_env import make_batch
from blackjacky_env.games import GAMES, get_game
from tests.agents.positions import random_layers
from tests.every_game import TINY
from tests.policies import Follower

pytestmark = pytest.mark.usefixtures("tiny")


TREES = [pytest.param(name, marks=pytest.mark.prove) for name in ("ismcts:20", "ismcts:0.01s")]


@pytest.mark.parametrize("name", ["random", "rollout:4", *TREES, "search:8"])
def test_a_random_agent_and_search_play_every_game(game, name):
    if name == "search:8" and game.name == TINY:
        with pytest.raises(ValueError, match="has no trained agent to guide the search; name one"):
            make_agent(name, TINY)
        return
    assert bot_names(game.name)[0] == "random"
    agent, batch = make_agent(name, game.name), make_batch(game.name, 3, seed=2)
    for _ in range(6):
        actions = agent.act_batch(batch.observations, batch.action_masks)
        assert batch.action_masks[np.arange(3), actions].all()
        batch.step(actions)


def test_tournaments_of_every_game_keep_scores_and_can_be_replayed(game, tmp_path):
    looker = Follower(game=game.name)

    def made():
        agents = ["random", PythonAgent(looker, "follower", game.name)]
        return Tournament(agents, game.min_players, results=tmp_path / "games.jsonl", game=game.name)

    tournament = made()
    tournament.play(games=20, threads=1)
    assert all(shown["observation"].dtype == game.layout.dtype for shown in looker.shown)
    again = made()
    assert [again.replay(number) for number in range(20)] == [tournament.replay(number) for number in range(20)]
    np.testing.assert_array_equal(again.games().shares, tournament.games().shares)


@pytest.mark.parametrize("chosen", ["raw", pytest.param("all", marks=pytest.mark.prove)])
def test_networks_of_every_encoding_are_kept_and_play(game, chosen, tmp_path):
    """`make test` takes one encoding, which is compiled in seconds."""
    batch = make_batch(game.name, 20, seed=4)
    kinds = [((8,), True), ((), False), ((16, 5), False)]
    encodings = [each for each in encodings_of(game.name).values() if chosen in (each.name, "all")]
    for encoding, (hidden, greedy) in product(encodings, kinds):
        layers, path = random_layers(encoding.size, *hidden, outputs=game.num_actions), tmp_path / "a.safetensors"
        save_agent(path, layers, game.name, encoding, greedy)
        agent = CompiledAgent("before", game.name, network_policy(encoding), pack(layers, greedy))
        loaded = load_agent(path, game.name)
        for each in (agent, loaded):
            each.reset(0)
        actions = agent.act_batch(batch.observations, batch.action_masks)
        np.testing.assert_array_equal(actions, loaded.act_batch(batch.observations, batch.action_masks))
        if encoding.name == "raw":
            assert np.abs(encode_all(encoding, batch.observations, batch.action_masks)).max() <= 1
        chances = action_probabilities(loaded, batch.observations, batch.action_masks)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        if greedy and not encoding.drawn:
            np.testing.assert_array_equal(chances.argmax(axis=1), actions)


def test_a_game_without_encodings_of_its_own_is_learned_from_the_raw_observation(tmp_path):
    quick = presets_of(TINY)["quick"]
    assert (quick.game, quick.encoding, quick.bots, quick.table_sizes) == (TINY, "raw", ("random",), (3,))
    small = {"num_envs": 8, "n_steps": 8, "batch_size": 32, "hidden_sizes": (8,), "threads": 1, "snapshot_every": 128}
    settings = replace(quick, steps=256, minutes=1e9, pool_size=2, eval_games=5, **small)
    assert SelfPlay(settings, tmp_path, "").train()
    assert load_agent(tmp_path, TINY).game == TINY
    with pytest.raises(ValueError, match="is for game='tiny', not for game='black_jacky'"):
        load_agent(tmp_path, "black_jacky")
    with pytest.raises(ValueError, match="advice_logit=4 needs an encoding with advice, but tiny has none"):
        check_at_game(SelfPlaySettings(game=TINY, encoding="raw", advice_logit=4))


def test_a_preset_that_goes_on_from_an_agent_has_its_network(game):
    for settings in presets_of(game.name).values():
        if getattr(settings, "init_from", ""):
            assert initial_layers(settings) is not None


@pytest.mark.parametrize("kind", [LeagueSettings, SelfPlaySettings])
def test_a_training_plays_other_variants_only_at_tables_that_they_are_for(kind):
    settings = kind(game=TINY, players=(3, 2), variant_fraction=0.5)
    rng = np.random.default_rng(0)
    drawn = draw_variants(settings, rng, 400)
    assert set(drawn[0::2]) == {"classic"}
    assert 80 < drawn[1::2].count("duel") < 120
    states = new_states(settings, np.random.default_rng(0), 400)
    assert states["num_players"].tolist() == [3, 2] * 200
    assert [len({each.tobytes() for each in states[first::2]}) for first in (0, 1)] == [1, 2]
    duels = replace(settings, players=(2,), variant="duel", variant_fraction=0.0)
    assert set(draw_variants(duels, rng, 10)) == {"duel"}


def test_an_agent_that_is_held_out_plays_like_any_other_but_nothing_learns_from_it(monkeypatch):
    kit = get_kit("black_jacky")
    assert "held_out" not in agent_names("black_jacky")
    monkeypatch.setattr(registry, "get_kit", lambda game: replace(kit, held_out=kit.trained["champion"]))
    champion, held_out = map(make_agent, ("champion", "held_out"))
    np.testing.assert_array_equal(held_out.parameters, champion.parameters)
    with pytest.raises(ValueError, match="did you mean 'held_out'"):
        make_agent("held-out")
    path = str(kit.held_out)
    for changes in ({"bots": ("random", "held_out")}, {"init_from": "held_out"}, {"init_from": path}):
        with pytest.raises(ValueError, match=r"'held_out' is only measured against.*'counter', 'champion'"):
            check_at_game(replace(presets_of("black_jacky")["league"], **changes))


@pytest.mark.prove
@pytest.mark.parametrize(("name", "chosen"), [(name, chosen) for name in GAMES for chosen in get_game(name).tables])
def test_bots_trained_agents_and_search_play_every_named_table(name, chosen):
    table = get_game(name).tables[chosen]
    for agent in (*agent_names(name), "search:3"):
        agents = [make_agent(each, name) for each in (agent, *["random"] * (table.num_players - 1))]
        shares = shares_at_one_table(agents, 6, seed=1, game=name, variant=table.variant, **table.options)
        assert shares.shape == (6, table.num_players)
        assert np.isin(shares.sum(axis=1).round(9), (0.0, 1.0)).all()


def folder_of(game):
    return next(iter(get_kit(game).trained.values())).parent


TRAINED = [path for game in GAMES if get_kit(game).trained for path in sorted(folder_of(game).glob("*.safetensors"))]


def results(game, name):
    """Rows of an agent's card by table size and opponent."""
    card = read_card(folder_of(game) / f"{name}.safetensors")
    return {(row["players"], row["opponents"]): row for row in card["results"]}


def test_games_have_small_champions_that_beat_the_best_bot_and_agents_named_like_presets_come_from_them():
    games = [game for game in GAMES if game != TINY]
    assert {path.parent for path in TRAINED if path.stem == "champion"} == {folder_of(game) for game in games}
    for game in games:
        row = results(game, "champion")[4, bot_names(game)[-1]]
        assert row["low"] > row["par"] == 1 / 4
    assert all(file.stat().st_size < 1_500_000 for path in TRAINED for file in path.parent.iterdir())
    for path in TRAINED:
        card = read_card(path)
        if path.stem in presets_of(card["game"]) and (path.stem != "champion" or "commit" in card):  # or it is older
            assert f"--preset {path.stem}" in card["command"]


@pytest.mark.prove
@pytest.mark.parametrize("path", TRAINED, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_an_agent_plays_as_its_card_says(path):
    card = read_card(path)
    game, simple = card["game"], bot_names(card["game"])[1]
    agents = make_agent(f"ppo:{path}", game), make_agent(simple, game)
    (score,) = against_copies(agents[0], agents[1:], 4, 500, seed=10**9, game=game)
    assert score.low < results(game, path.stem)[4, simple]["win_rate"] < score.high


@pytest.mark.parametrize("num_players", [2, 4, pytest.param(6, marks=pytest.mark.prove)])
def test_the_champion_beats_counter_with_its_whole_interval(num_players):
    (score,) = against_copies(make_agent("champion"), [make_agent("counter")], num_players, 1500, seed=10**9)
    assert score.low > score.par
