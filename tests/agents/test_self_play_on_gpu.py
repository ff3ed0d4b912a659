"""Self-play on a GPU, without one: its kernel compiles, and in numba-cuda's simulator it collects what a CPU does.

The simulator runs kernels as plain Python, in a process of its own: this file is also the script that it runs.
"""

import os
from dataclasses import replace
from functools import partial

import numba
import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from blackjacky_agents.cli.train import read_arguments
from blackjacky_agents.games import encodings_of, find_encoding
from blackjacky_agents.kit.settings import SelfPlaySettings, on_gpu
from blackjacky_agents.learning.collecting import Collector, Returns
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import check_at_game, presets_of
from blackjacky_agents.networks.network import network_agent, pack
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play import LEARNER
from tests.agents.positions import random_layers
from tests.plain_mode import printed_in_plain_mode

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
GAMES, LENGTH, PLAYERS = 3, 4, 3
BOT = "threshold"


def arguments_of(game, encoding):
    states = zeros(GAMES, game.state_dtype)
    players, variant = game.choose_table(PLAYERS, None)
    for i in range(GAMES):
        states[i] = game.new_state(players, variant, game.check_options(players, variant, {}))[0]
    return game, encoding, states, LENGTH, Returns(0.9, 0.8, 0.5), 7, 1


def make_collector():
    given = arguments_of(get_game(DEFAULT), find_encoding("cards", DEFAULT))
    if not SIMULATED:
        return Collector(*given)
    from blackjacky_agents.learning.gpu_collecting import CudaCollector

    return CudaCollector(*given, bots=[make_compiled_agent(BOT, DEFAULT)])


def collected():
    """What two stretches hold, rounded: against a bot, against the learner as it was, and in all seats."""
    collector, actions = make_collector(), get_game(DEFAULT).num_actions
    layers = partial(random_layers, collector.encoding.size, 11)
    past = network_agent(DEFAULT, collector.encoding, pack(layers(outputs=actions), False))
    opponents = [make_compiled_agent(BOT, DEFAULT), past]
    lineups = np.array([[0, 1, 0, 1, 0], [1, 0, 1, 0, 1], [LEARNER] * 5])
    lines = []
    for _ in range(2):
        for array in collector.collect(pack(layers(outputs=actions + 1), False), opponents, lineups):
            on_cpu = array.copy_to_host() if SIMULATED else array
            lines.append(repr(np.round(on_cpu.astype(np.float64), 3).tolist()))
    return lines


@pytest.mark.prove
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_the_simulated_gpu_collects_the_same_decisions_as_the_cpu(monkeypatch):
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert printed_in_plain_mode(__file__).splitlines() == collected()


@pytest.mark.prove
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled in plain mode")
def test_its_kernel_compiles(game):
    """Beside the bots, which `test_cuda` compiles."""
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    from blackjacky_agents.learning.gpu_collecting import collect_kernel, dense, in_columns
    from blackjacky_env.play.gpu import make_numbered_cast
    from tests.play.test_cuda import ptx_of

    encoding = next(iter(encodings_of(game.name).values()))
    past = network_agent(game.name, encoding, pack(random_layers(encoding.size, outputs=game.num_actions), False))
    collector, policies = Collector(*arguments_of(game, encoding)), (past.policy,)
    given = [in_columns(each) for each in (collector.tables, collector._new_stretch(np.empty), collector.links)]
    more = (past.parameters, make_numbered_cast(game, policies, [past]), np.zeros((1, 1), np.int64))
    kernel = collect_kernel(game, encoding, policies, dense)
    assert ".visible .entry" in ptx_of(kernel, (*given, *more, collector.returns, collector.seed))


def test_self_play_of_every_game_has_settings_for_a_gpu(each_game):
    presets = [each for each in presets_of(each_game.name).values() if isinstance(each, SelfPlaySettings)]
    assert presets
    for preset in presets:
        check_at_game(on_gpu(preset))


def test_the_command_says_what_a_gpu_needs(tmp_path):
    settings, _, _ = read_arguments(["--preset", "scratch", "--device", "cuda", "--seed", "7"], "train")
    assert settings == replace(on_gpu(presets_of(DEFAULT)["scratch"]), seed=7)
    with pytest.raises(ValueError, match="--preset league trains on a CPU; use --preset quick or scratch or champion"):
        read_arguments(["--preset", "league", "--device", "cuda"], "train")
    with pytest.raises(ValueError, match=r"num_envs=16384 times n_steps=16 is no multiple of batch_size=1000"):
        check_at_game(replace(settings, batch_size=1000))
    with pytest.raises(ValueError, match=r"hidden_sizes with device='cuda'=1024 is out of range; allowed are 1 .. 512"):
        check_at_game(replace(settings, hidden_sizes=(1024,)))
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="needs an NVIDIA GPU, its driver, and a torch for them"):
            SelfPlay(settings, tmp_path, "")


if __name__ == "__main__":
    print("\n".join(collected()))
