"""What search needs of a game: positions seen from any seat, and other futures."""

import copy

import numpy as np
import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.module import GameModule
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.states import check_records, identity, reseed_state, rotated
from tests.envs.playing import fresh, play_randomly
from tests.games.fixtures import check_invariants, examples_of

pytestmark = [pytest.mark.prove, pytest.mark.usefixtures("tiny")]


def tables(game):
    """Positions of random games, a few for every variant, table size and example table, all of a game's phases."""
    usual = [{"num_players": n, "variant": variant.name} for variant in game.variants for n in variant.sizes]
    for seed, options in enumerate([*usual, *examples_of(game.name).tables]):
        env = fresh(seed, game.name, **options)
        rng = np.random.default_rng(seed)
        while not env.terminations[env.agent_selection]:
            yield env
            play_randomly(env, seed, int(rng.integers(1, 20)))
        yield env


def look(game, records, seat):
    seen, mask = np.empty(game.layout.size, game.layout.dtype), np.empty(game.num_actions, np.int8)
    game_functions(game).look(records, seat, seen, mask)
    return seen.tobytes(), mask.tobytes()


def test_everybody_sees_the_same_in_a_position_turned_around_the_table(game):
    for env in tables(game):
        n = env.num_players
        header = identity(game, n, env.variant, env.options)
        for places in (1, n - 1):
            other = rotated(game, env._states[: 1 + env._has_settled], places)
            check_records(game, header, other)
            check_invariants(game, other)
            for seat in range(n):
                assert look(game, other[:1], (seat + places) % n) == look(game, env._states[:1], seat)


def settled_rounds(env):
    """The cards of every later deal, played on by the first legal action."""
    found, deals = [], int(env._states["deals"][0])
    while not env.terminations[env.agent_selection]:
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
        if env._states["deals"][0] > deals:
            deals = int(env._states["deals"][0])
            found.append(env.snapshot())
    return found


def test_reseeding_a_game_or_its_state_keeps_the_table_and_changes_what_is_still_to_be_dealt(game):
    env = fresh(3, game.name, **({"three_games": True} if game.name == "halunken" else {}))
    play_randomly(env, 3, 2)
    other, same = copy.deepcopy(env), copy.deepcopy(env)
    other.reseed(np.random.default_rng(0))
    assert other.snapshot() == env.snapshot()
    with pytest.raises(RuntimeError, match="sampled or reseeded"):
        other.record()
    np.testing.assert_array_equal(other.state(), env.state())
    later = settled_rounds(env)
    assert settled_rounds(same) == later
    assert later
    assert settled_rounds(other) != later
    env = fresh(4, game.name)
    play_randomly(env, 4, 3)
    other = TableEnv(game.name)
    other.set_state(GameModule(game.name).reseed_state(env.get_state(), np.random.default_rng(5)))
    env.reseed(np.random.default_rng(5))
    assert other.get_state() == env.get_state()
    sampled = GameModule(game.name).sample_state(env.last()[0]["observation"], np.random.default_rng(0))
    assert reseed_state(game, sampled, np.random.default_rng(1)) != sampled
