"""Value networks: what their numbers mean, and their files."""

from dataclasses import replace

import numpy as np
import pytest

from blackjacky_agents.games import get_kit
from blackjacky_env.compiled.compiling import entry
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from tests.games.tables import positions

pytestmark = pytest.mark.prove
NETWORKS = {game: network for game in GAMES if (network := get_kit(game).value_network) is not None}


def valued(network, states):
    """The expected "win" rewards of each seat, (N, P)."""
    value = network.value

    def fill(states, results):
        for i in range(len(states)):
            value(states[i], results[i])

    results = np.zeros(states["totals"].shape)
    entry(fill)(states, results)
    return results


def positions_of(game, players):
    env = TableEnv(game, num_players=players)
    games = (positions(env, seed) for seed in range(10))
    found = [each._states[:1].copy() for one in games for each in one if not any(each.terminations.values())]
    return np.concatenate(found).view(type(found[0]))


EACH = pytest.mark.parametrize("game", NETWORKS)


@EACH
def test_somebody_wins_and_empty_seats_do_not(game):
    for players in get_game(game).variants[0].sizes:
        found = valued(NETWORKS[game], positions_of(game, players))
        np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-9)
        assert (found[:, players:] == 0).all()
        assert (np.abs(found[:, :players]) <= 1).all()
        assert (found[:, :players].std(axis=1) > 0.01).any()


@EACH
def test_the_network_is_a_softmax_of_one_hidden_layer(game):
    network, states = replace(NETWORKS[game], begins=None), positions_of(game, 4)
    write, weights = network.write, network.read()

    def fill(states, shown):
        for i in range(len(states)):
            write(states[i], shown[i])

    shown = np.zeros((len(states), 4, network.layout.size), np.float32)
    entry(fill)(states, shown)
    assert np.isfinite(shown).all()
    for part in network.layout.parts.values():
        values = shown[:, :, part.offset : part.offset + part.length]
        assert part.low <= values.min(), part.name
        assert values.max() <= part.high + 1e-5, part.name
    logits = np.maximum(shown @ weights.inputs + weights.biases, 0).astype(np.float64) @ weights.outputs
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(valued(network, states)[:, :4], chances - (1 - chances) / 3, atol=1e-4)


@pytest.mark.parametrize("game", [game for game, network in NETWORKS.items() if network.begins])
def test_a_round_that_has_just_begun_is_valued_by_the_formula(game):
    states = positions_of(game, 4)
    always = replace(NETWORKS[game], begins=None)  # asked at every position
    differ = (valued(NETWORKS[game], states) != valued(always, states)).any(axis=1)
    assert 0 < differ.sum() < len(states) / 2


@EACH
def test_a_damaged_file_or_one_with_other_features_is_refused(game, tmp_path):
    network = replace(NETWORKS[game], file=tmp_path / "value_network.safetensors")
    network.save(NETWORKS[game].read(), {})
    np.testing.assert_array_equal(network.read().inputs, NETWORKS[game].read().inputs)
    for spoil in (
        lambda: network.file.write_bytes(network.file.read_bytes()[:-1]),
        lambda: network.save(NETWORKS[game].read(), {"features": {"another": "feature"}}),
        lambda: network.file.with_suffix(".json").unlink(),
    ):
        spoil()
        with pytest.raises(ValueError, match="is damaged or has other features; delete it and its card"):
            network.read()
