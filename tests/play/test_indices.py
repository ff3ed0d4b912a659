"""No index that a game or its self-play computes is out of bounds, so kernels for GPUs need not look for negative ones.

A process of its own, whose script is this file, compiles the games with Numba's check of bounds, but without its
wraparound of negative indices, plays random games on many tables, and collects decisions for learning.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from blackjacky_env.declare.game import Game

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled in plain mode"),
]


def test_no_game_computes_an_index_out_of_bounds(game: Game, tmp_path: Path) -> None:
    checking = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    script = [sys.executable, "-W", "error", __file__, game.name]
    subprocess.run(script, env={**os.environ, **checking}, check=True, timeout=1200)


def without_wraparound(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    return context.cast(builder, index, kind, numba.types.intp)


def play(name: str) -> None:
    """Every variant, table size and example of a game, both rewards, all that the seats see."""
    from blackjacky_env import make_batch
    from blackjacky_env.games import get_game
    from tests.every_game import with_tiny
    from tests.games.fixtures import examples_of

    with with_tiny():
        game, rewards = get_game(name), {"win", get_game(name).score_reward}
        tables: list[Any] = [{"variant": v.name, "num_players": size} for v in game.variants for size in v.sizes]
        for options in tables + list(examples_of(name).tables):
            for reward in rewards:
                setup = {"seed": 1, "score_shaping": 0.5, **options, "reward": reward, "per_seat": True}
                batch = make_batch(name, 64, **setup)
                for _ in range(10):
                    batch.run_random(200)
                    batch.observe(np.arange(64)[:, None], np.arange(batch.num_players[0]))


def collect(name: str) -> None:
    """What self-play on a GPU runs: encodings, bots and networks of the presets at all table sizes."""
    from blackjacky_agents.games import find_encoding
    from blackjacky_agents.kit.settings import SelfPlaySettings
    from blackjacky_agents.learning.collecting import Collector, Returns, make_collect
    from blackjacky_agents.learning.gpu import dense
    from blackjacky_agents.learning.settings import presets_of
    from blackjacky_agents.networks.network import network_agent, pack
    from blackjacky_agents.registry import make_compiled_agent
    from blackjacky_env.compiled.compiling import entry, zeros
    from blackjacky_env.games import get_game
    from blackjacky_env.play.gpu import make_ask, make_numbered_cast
    from tests.agents.positions import random_layers

    game = get_game(name)
    sizes = sorted({size for variant in game.variants for size in variant.sizes})
    for preset in presets_of(name).values():
        if not isinstance(preset, SelfPlaySettings):
            continue
        encoding = find_encoding(preset.encoding, name)
        past = network_agent(name, encoding, pack(random_layers(encoding.size, 16, outputs=game.num_actions), False))
        opponents = [*(make_compiled_agent(bot, name) for bot in preset.bots), past]
        agents = [(agent.policy, agent.parameters) for agent in opponents]
        policies = tuple(policy for policy, _ in agents)
        states = zeros(8 * len(sizes), game.state_dtype)
        for i in range(len(states)):
            players, variant = game.choose_table(sizes[i % len(sizes)], None)
            states[i] = game.new_state(players, variant, game.check_options(players, variant, {}))[0]
        collector = Collector(game, encoding, states, 100, Returns(0.9, 0.8, 0.5), 1, 1)
        collect_one = make_collect(game, encoding, make_ask(policies), dense)
        lineups = np.random.default_rng(0).integers(0, 1 + len(agents), (64, game.max_players - 1))
        network = pack(random_layers(encoding.size, 16, outputs=game.num_actions + 1), False)
        given = (collector.tables, collector._new_stretch(np.empty), collector.links, network)
        more = (make_numbered_cast(policies, agents), lineups, collector.returns, collector.seed)

        @entry
        def collect_all(count, given, more):
            for i in range(count):
                collect_one(i, given[0], given[1], given[2], given[3], more[0], more[1], more[2], more[3])

        collect_all(len(states), given, more)


def check_the_check() -> None:
    from blackjacky_env.compiled.compiling import entry

    @entry
    def read(numbers, index):
        return numbers[index]

    for index in (-1, 3):
        with pytest.raises(IndexError):
            read(np.zeros(3), index)


if __name__ == "__main__":
    from numba.np import arrayobj

    arrayobj.fix_integer_index = without_wraparound
    check_the_check()
    play(sys.argv[1])
    collect(sys.argv[1])
