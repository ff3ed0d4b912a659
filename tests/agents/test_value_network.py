"""Value networks: what their numbers mean, their files, and the script that trains them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import train_value_network
import tyro

from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.value_network import ValueNetwork, Weights, network_value
from blackjacky_env.engine.compiling import entry
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game

WITH_NETWORK = [game for game in GAMES if get_kit(game).value_network is not None]
"""Games with a value network."""


def network_of(game: str) -> ValueNetwork:
    """The value network of a game that has one."""
    network = get_kit(game).value_network
    assert network is not None
    return network


def valued(network: ValueNetwork, states: npt.NDArray[Any], weights: Weights | None = None) -> npt.NDArray[np.float64]:
    """The expected "win" rewards of each seat, (N, P)."""
    value = network.value if weights is None else network_value(network.write, states["totals"].shape[1], weights)

    def fill(states, results):  # type: ignore[no-untyped-def]  # compiled
        for i in range(len(states)):
            value(states[i], results[i])

    results = np.zeros(states["totals"].shape)
    entry(fill)(states, results)
    return results


def learned(game: str, states: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Those of the positions that the network values."""
    begins = network_of(game).begins
    if begins is None:
        return states

    def mark(states, marked):  # type: ignore[no-untyped-def]  # compiled
        for i in range(len(states)):
            marked[i] = begins(states[i])

    marked = np.zeros(len(states), np.bool_)
    entry(mark)(states, marked)
    assert 0 < marked.sum() < len(states)
    return states[~marked]


def positions(game: str, players: int) -> npt.NDArray[Any]:
    """Positions of random games, one after the other in each of them."""
    env, rng, found = TableEnv(game, num_players=players), np.random.default_rng(0), []
    for seed in range(10):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            found.append(env._states[:1].copy())
            env.step(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
    return np.concatenate(found).view(type(found[0]))


@pytest.mark.parametrize("game", WITH_NETWORK)
def test_somebody_wins_and_empty_seats_do_not(game: str) -> None:
    for players in get_game(game).variants[0].sizes:
        found = valued(network_of(game), positions(game, players))
        np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-9)
        assert (found[:, players:] == 0).all()
        assert (np.abs(found[:, :players]) <= 1).all()
        assert (found[:, :players].std(axis=1) > 0.01).any()


@pytest.mark.parametrize("game", WITH_NETWORK)
def test_the_network_is_a_softmax_of_one_hidden_layer(game: str) -> None:
    network, states = network_of(game), learned(game, positions(game, 4))
    write, weights = network.write, network.read()

    def fill(states, shown):  # type: ignore[no-untyped-def]  # compiled
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


@pytest.mark.parametrize("game", [game for game in WITH_NETWORK if network_of(game).begins])
def test_a_round_that_has_just_begun_is_valued_by_the_formula(game: str) -> None:
    states = positions(game, 4)
    within = learned(game, states)
    network = network_of(game)
    found = valued(network, states), valued(replace(network, begins=None), states)
    assert (found[0] != found[1]).any(axis=1).sum() == len(states) - len(within)


@pytest.mark.parametrize("game", GAMES)
def test_simulations_of_whole_rounds_use_no_network_that_would_end_them_within(game: str) -> None:
    kit = get_kit(game)
    if kit.value_network is not None and kit.value_network.begins is not None:
        assert (kit.whole_rounds.stage, kit.whole_rounds.value) == (None, kit.value_network.formula)
        assert kit.search.stage is kit.value_network.stage
    else:
        assert kit.whole_rounds is kit.search


@pytest.mark.parametrize("game", WITH_NETWORK)
def test_the_shipped_network_explains_more_than_the_formula(game: str) -> None:
    explained = json.loads(network_of(game).file.with_suffix(".json").read_text("utf-8"))["explained"]
    assert explained["network"] > explained["formula"]


@pytest.mark.parametrize("game", WITH_NETWORK)
def test_before_it_is_trained_all_seats_are_equal(game: str, tmp_path: Path) -> None:
    network = replace(network_of(game), file=tmp_path / "value_network.safetensors")
    np.testing.assert_allclose(valued(network, learned(game, positions(game, 3))), 0, atol=1e-12)


@pytest.mark.parametrize("game", WITH_NETWORK)
def test_a_damaged_file_or_one_with_other_features_is_refused(game: str, tmp_path: Path) -> None:
    network = replace(network_of(game), file=tmp_path / "value_network.safetensors")
    network.save(network_of(game).read(), {})
    np.testing.assert_array_equal(network.read().inputs, network_of(game).read().inputs)
    network.file.write_bytes(network.file.read_bytes()[:-1])
    with pytest.raises(
        ValueError, match="is damaged or has other features; delete it and its card, and train it again"
    ):
        network.read()
    network.save(network_of(game).read(), {"features": {"another": "feature"}})
    for spoil in (lambda: None, network.file.with_suffix(".json").unlink):
        spoil()
        with pytest.raises(ValueError, match="is damaged or has other features"):
            network.read()


def run(*args: object) -> int:
    """The exit status of the script."""
    return train_value_network.main(tyro.cli(train_value_network.Args, args=[*map(str, args)]))


@pytest.mark.parametrize("game", WITH_NETWORK)
def test_the_script_trains_a_network_that_says_more_than_nothing(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = replace(network_of(game), file=tmp_path / "value_network.safetensors")
    monkeypatch.setattr(train_value_network, "find", lambda name: network)
    assert run("--game", game, "--games", 400, "--epochs", 20) == 0
    assert json.loads(network.file.with_suffix(".json").read_text("utf-8"))["explained"]["network"] > 0


@pytest.mark.parametrize("args", [("--game", "chess"), ("--game", "black_jacky")])
def test_a_game_without_a_value_network_is_refused(args: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*args) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_numbers_that_train_nothing_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--games", "--hidden", "--epochs"):
        assert run("--game", WITH_NETWORK[0], option, 0) == 2
        assert f"{option[2:]}=0 is out of range; allowed are" in capsys.readouterr().err


def test_an_agent_that_is_no_network_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--game", WITH_NETWORK[0], "--agent", "random") == 2
    assert "is not a network" in capsys.readouterr().err
