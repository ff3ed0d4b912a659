"""The trained agents that the package ships are those that their cards describe, and play well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.agent_file import read_card, read_network
from blackjacky_agents.learning.network import encode_all
from blackjacky_agents.learning.settings import presets_of
from blackjacky_env.games import GAMES
from tests.agents.positions import positions


def folder_of(game: str) -> Path:
    """Where the weights of a game's trained agents lie."""
    return next(iter(get_kit(game).trained.values())).parent


TRAINED = [path for game in GAMES if get_kit(game).trained for path in sorted(folder_of(game).glob("*.safetensors"))]


def results(game: str, name: str) -> dict[tuple[int, str], Any]:
    """Rows of an agent's card by table size and opponent."""
    card = read_card(folder_of(game) / f"{name}.safetensors")
    return {(row["players"], row["opponents"]): row for row in card["results"]}


def test_every_preset_has_left_an_agent() -> None:
    names = {game: [path.stem for path in TRAINED if path.parent == folder_of(game)] for game in GAMES}
    assert names == {
        "black_jacky": ["champion", "full", "sb3"],
        "schwarze_katze": ["champion", "former_champion"],
        "halunken": ["champion", "former_champion"],
        "black_spy": ["champion", "former_champion"],
    }


def test_an_agent_that_is_called_like_a_preset_was_trained_with_it() -> None:
    for path in TRAINED:
        card = read_card(path)
        if path.stem in presets_of(card["game"]):
            assert f"--preset {path.stem}" in card["command"]


def test_they_are_small() -> None:
    assert all(file.stat().st_size < 1_500_000 for path in TRAINED for file in path.parent.iterdir())


def test_the_sb3_preset_beats_the_simple_bots() -> None:
    rows = results("black_jacky", "sb3")
    assert rows[4, "threshold"]["low"] > 0.25
    assert rows[4, "random"]["win_rate"] >= 0.85


@pytest.mark.parametrize(
    ("game", "name", "opponent", "sizes"),
    [
        ("black_jacky", "full", "counter", None),  # None: every size that was tested
        ("schwarze_katze", "champion", "counter", {4}),
        ("halunken", "champion", "planner", {2, 4}),
        ("black_spy", "champion", "counter", {4}),
    ],
)
def test_an_agent_beats_the_strongest_bot(game: str, name: str, opponent: str, sizes: set[int] | None) -> None:
    rows = {players: row for (players, other), row in results(game, name).items() if other == opponent}
    assert rows.keys() >= (sizes or {4})
    assert all(rows[players]["low"] > rows[players]["par"] == 1 / players for players in sizes or rows)


@pytest.mark.parametrize("path", TRAINED, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_an_agent_plays_as_its_card_says(path: Path) -> None:
    card = read_card(path)
    game, simple = card["game"], bot_names(card["game"])[1]
    agents = make_agent(f"ppo:{path}", game), make_agent(simple, game)
    (score,) = against_copies(agents[0], agents[1:], 4, 500, seed=10**9, game=game)
    assert score.low < results(game, path.stem)[4, simple]["win_rate"] < score.high


# ---------------------------------------------------------------- Black Jacky's champion


def test_the_champions_card_says_how_it_was_trained_and_how_strong_it_is() -> None:
    card = read_card(folder_of("black_jacky") / "champion.safetensors")
    assert "--preset league" in card["command"]
    assert card["trained_on"]["num_players"] == [2, 3, 4, 5, 6]
    assert card["trained_on"]["variant"] == ["classic", "schnell_duell"]
    assert results("black_jacky", "champion").keys() >= {(4, "counter"), (2, "counter")}
    assert card["versions"]["torch"]


def test_the_champion_needs_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from blackjacky_agents import make_agent\n"
        "make_agent('champion')\n"
        "assert 'stable_baselines3' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_champion_takes_the_likeliest_action_of_the_torch_network() -> None:
    torch = pytest.importorskip("torch")
    from blackjacky_agents.learning.modules import mlp, set_layers

    layers, encoding, greedy = read_network(get_kit("black_jacky").trained["champion"])
    network = mlp([encoding.size, *(len(bias) for _, bias in layers)])
    set_layers(network, layers)
    observations, masks = positions(games=100, moves=60)
    with torch.no_grad():
        logits = network(torch.from_numpy(encode_all(encoding, observations, masks))).numpy()
    logits[masks == 0] = -np.inf
    chosen = make_agent("champion").act_batch(observations, masks)
    assert greedy
    assert np.allclose(logits[np.arange(len(chosen)), chosen], logits.max(axis=1), rtol=1e-4, atol=1e-4)
    assert (chosen == logits.argmax(axis=1)).mean() > 0.999


@pytest.mark.parametrize("num_players", [2, 4, 6])
def test_the_champion_beats_counter_with_its_whole_interval(num_players: int) -> None:
    (score,) = against_copies(make_agent("champion"), [make_agent("counter")], num_players, 1500, seed=10**9)
    assert score.low > score.par
