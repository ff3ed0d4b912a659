"""Speed of other libraries, and of our Leduc poker beside theirs, as cases of `scripts/speed/bench.py --peers`.

All libraries are measured by the same protocol. A step is one action of one player. Before it, the player's observation
is available as numbers and the legal actions are known, both in the fastest form the library documents; the action is
uniformly random among the legal ones. Finished games are replaced at once. New games, chance moves and PettingZoo's
steps with None take time but are not counted. Compilation is not measured. The process is pinned to one core, and time
is CPU time of it with all its threads.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple

import pytest

from blackjacky_env import make_batch
from blackjacky_env.games import GAMES, Registration
from scripts.results import ROOT
from scripts.speed.cases import CPU, SCALE, SEED, Benchmark, note, random_games

sys.path.insert(0, str(ROOT / "examples" / "leduc_poker"))
GAMES.setdefault("leduc_poker", Registration("leduc_poker:GAME"))


def our_games(game: str, seed: int, batch: int) -> Iterator[int]:
    """A step is one of `run_random` in one game of a batch, with mask and observation written, on one thread."""
    games, steps = make_batch(game, batch, seed=seed, threads=1), 2**20 // batch
    while True:
        games.run_random(steps)
        yield batch * steps


def pettingzoo_games(game: str, seed: int, _: int) -> Iterator[int]:
    """A step is `step` with an action, preceded by `last`, which builds observation and mask."""
    import pettingzoo

    return random_games(pettingzoo.make("aec", f"classic/{game}"), partial(pick, rng=Random(seed)))


def rlcard_games(game: str, seed: int, _: int) -> Iterator[int]:
    """A step is `step`, which returns the array `obs` and the dictionary `legal_actions` (there is no mask)."""
    import rlcard

    env, rng = rlcard.make(game, {"seed": seed}), Random(seed)
    while True:
        state, _player = env.reset()
        steps = 0
        while not env.is_over():
            state, _player = env.step(pick(list(state["legal_actions"]), rng))
            steps += 1
        yield steps


def openspiel_games(game: str, seed: int, _: int) -> Iterator[int]:
    """A step is `apply_action` at a player's node, after `legal_actions` (a list) and the observation.

    The observation is written into an array that is reused: the observation tensor where the game has one
    (leduc_poker), else the information state tensor (hearts).
    """
    import pyspiel
    from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

    rules, rng = pyspiel.load_game(game), Random(seed)
    observation = make_observation(rules, None if rules.get_type().provides_observation_tensor else INFO_STATE_OBS_TYPE)
    chance, over = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
    while True:
        state = rules.new_initial_state()
        steps = 0
        while (player := state.current_player()) != over:
            if player == chance:
                outcome, _probability = pyspiel.sample_action(state.chance_outcomes(), rng.random())
                state.apply_action(outcome)
                continue
            observation.set_from(state, player)
            state.apply_action(pick(state.legal_actions(), rng))
            steps += 1
        yield steps


def pgx_games(game: str, seed: int, batch: int) -> Iterator[int]:
    """A step is `step` in one game of a batch; its state contains observation and mask.

    Many steps are one compiled call. Pgx's own `auto_reset` deals a new game at every step and discards it if the game
    continues, which takes most of the time in leduc_holdem.
    """
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env, steps = pgx.make(game), max(2**16 // batch, 1)
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(carry: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], None]:
        state, key = carry
        key, choosing, dealing = jax.random.split(key, 3)
        actions = legal_actions(choosing, state.legal_action_mask)
        return (step(state, actions, jax.random.split(dealing, batch)), key), None

    many = jax.jit(lambda carry: jax.lax.scan(advance, carry, length=steps)[0], donate_argnums=0)
    key, dealing = jax.random.split(jax.random.key(seed))
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(dealing, batch)), key
    finished: Any = jax.block_until_ready  # typed in some versions only
    while True:
        carry = finished(many(carry))
        yield batch * steps


def legal_actions(key: Any, mask: Any) -> Any:
    """A random legal action for each row of the mask; slightly faster than Pgx's `act_randomly`."""
    import jax
    import jax.numpy as jnp

    ranks = jnp.cumsum(mask, axis=1)
    return jnp.argmax(ranks > ranks[:, -1:] * jax.random.uniform(key, (len(mask), 1)), axis=1)


def pick(legal: Any, rng: Random) -> Any:
    """A random element; several times faster than `rng.choice`."""
    return legal[int(rng.random() * len(legal))]


class Library(NamedTuple):
    """How to play a library's games, how many at once, and the packages it requires."""

    play: Callable[[str, int, int], Iterator[int]]
    games: Sequence[str]
    batch: int
    modules: Sequence[str]


LIBRARIES = {
    "Blackjacky": Library(our_games, ["leduc_poker"], 1024, []),
    "PettingZoo": Library(pettingzoo_games, ["leduc_holdem-v4", "texas_holdem-v4"], 1, ["pygame", "rlcard"]),
    "RLCard": Library(rlcard_games, ["leduc-holdem", "uno"], 1, ["rlcard"]),
    "OpenSpiel": Library(openspiel_games, ["hearts", "leduc_poker"], 1, ["pyspiel", "open_spiel"]),
    "Pgx": Library(pgx_games, ["leduc_holdem", "sparrow_mahjong"], 1024, ["pgx", "jax"]),  # its fastest batch of four
}
CASES = [(name, game) for name, each in LIBRARIES.items() for game in each.games]


@pytest.fixture(autouse=True, scope="module")
def _one_core() -> None:
    if hasattr(os, "sched_setaffinity"):  # Linux
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before JAX counts the cores


@CPU
@pytest.mark.parametrize(("name", "game"), CASES)
def test_random_play_of_another_library(benchmark: Benchmark, name: str, game: str) -> None:
    batch = LIBRARIES[name].batch
    for module in LIBRARIES[name].modules:
        pytest.importorskip(module, reason="install the extra `peers`")
    playing = LIBRARIES[name].play(game, SEED, batch)
    next(playing)  # compiles

    def play_for_a_second() -> int:
        made, started = 0, time.process_time()
        while time.process_time() - started < SCALE:
            made += next(playing)
        return made

    label = f"{name} `{game}`" + f", {batch:,} games" * (batch > 1)
    note(benchmark, f"{label}, one core", "steps/s", play_for_a_second)
