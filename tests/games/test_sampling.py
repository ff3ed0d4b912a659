"""`sample_state` and the layout of observations, for all games; what is likely is tested game by game."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blackjacky_env.compiled.compiling import PLAIN
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game, unseen
from blackjacky_env.play.states import sample_state, unpack
from tests.envs.playing import play_randomly
from tests.games.black_jacky import test_observation as black_jacky
from tests.games.black_spy import test_sample_state as black_spy
from tests.games.fixtures import check_invariants
from tests.games.halunken import test_sample_state as halunken
from tests.games.sampled import CONTRADICTORY, OUT_OF_RANGE, changed, check_shown
from tests.games.schwarze_katze import test_sample_state as schwarze_katze
from tests.games.tables import every_game, every_table, positions, seated

WITH_CHANGES = {
    "black_jacky": black_jacky.CHANGES,
    "black_spy": black_spy.CHANGES,
    "halunken": halunken.CHANGES,
    "schwarze_katze": schwarze_katze.CHANGES,
}


@every_table
def test_every_sample_is_a_legal_position_that_looks_the_same_to_its_player(game, options):
    """In every phase, by every seat in turn, also when the game is over; from player_0's seat and from the own one."""
    env, other, rng = seated(game, **options), seated(game, **options), np.random.default_rng(5)
    words = get_game(game).words
    unseen = {*words.beyond_observation, words.settlement_key}
    for turn, _ in enumerate(positions(env, seed=5, every=2)):
        seat = turn % env.num_players
        seen = env.observe(f"player_{seat}")
        place = seat * (turn // env.num_players % 2)
        other.set_state(sample_state(env.game, seen["observation"], rng, place))
        check_invariants(env.game, other._states[:1])
        again = other.observe(f"player_{place}")
        assert all(np.array_equal(seen[part], again[part]) for part in seen)
        assert set(other.rewards.values()) == set(other._cumulative_rewards.values()) == {0}
        if place == seat:
            mine, its = env.view(f"player_{seat}"), other.view(f"player_{seat}")
            assert [name for name in mine if mine[name] != its[name] and name not in unseen] == []


@every_game
def test_a_sample_has_no_history_and_follows_the_generator_alone(game):
    env, other = seated(game), seated(game)
    env.reset(seed=0)
    seen = env.observe("player_1")["observation"]
    first, again, third = (sample_state(env.game, seen, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != third
    other.set_state(first)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="this position was sampled or reseeded and has no history"):
            other.record()
        other.set_state(other.get_state())
    other.reset(seed=1)
    assert other.record()["actions"] == []


@every_game
@given(data=st.data(), seed=st.integers(0, 99), moves=st.integers(0, 99), changes=st.integers(1, 3))
@settings(max_examples=100)
def test_a_vector_that_was_tampered_with_is_refused_or_shown_by_a_position(game, data, seed, moves, changes):
    env = seated(game)
    env.reset(seed=seed)
    seen = play_randomly(env, seed, moves).observe(data.draw(st.sampled_from(env.possible_agents)))["observation"]
    part = data.draw(st.sampled_from(env.game.layout.describe()))
    for _ in range(changes):
        entry = part["offset"] + data.draw(st.integers(0, part["length"] - 1))
        seen[entry] = data.draw(st.integers(part["low"] - 1, min(part["high"], 126) + 1))
    try:
        state = sample_state(env.game, seen, np.random.default_rng(0))
        header, _ = unpack(state)
        other = TableEnv(game, header["num_players"], header["variant"], **header["options"])
        other.set_state(state)
    except ValueError as error:
        assert re.search("observation|this state|cannot be dealt|cards", str(error))  # noqa: PT017 - or it is shown
        return
    np.testing.assert_array_equal(other.observe("player_0")["observation"], seen)


@pytest.mark.parametrize("game", WITH_CHANGES)
def test_an_observation_that_no_position_shows_is_refused_and_one_that_no_game_shows_is_shown(game, monkeypatch):
    if PLAIN:  # would try for too long; what is compiled now would keep the number for the tests after this one
        monkeypatch.setattr(unseen, "_ATTEMPTS", 20)
    for each in WITH_CHANGES[game]:
        env = each.position().env
        for changes in each.shown:
            check_shown(env, changed(env, each.seat, changes))
        for changes in each.refused:
            with pytest.raises(ValueError, match=CONTRADICTORY):
                sample_state(env.game, changed(env, each.seat, changes), np.random.default_rng(0))
        for part in env.game.layout.describe():
            for beyond in {part["low"] - 1, part["high"] + 1} - {-129, 128}:
                seen = changed(env, each.seat, [(part["name"], 0, beyond)])
                with pytest.raises(ValueError, match=OUT_OF_RANGE):
                    sample_state(env.game, seen, np.random.default_rng(0))


@pytest.mark.parametrize("game", GAMES)
def test_the_declared_parts_cover_the_vector_in_order_with_their_ranges(game):
    env = seated(game)
    env.reset(seed=0)
    box, offset = env.observation_space("player_0")["observation"], 0
    parts = env.game.layout.describe()
    for part in parts:
        here = slice(part["offset"], part["offset"] + part["length"])
        assert part["offset"] == offset
        assert part["length"] == np.prod(part["shape"], dtype=int)
        assert part["low"] < part["high"]
        assert part["meaning"]
        assert ({*box.low[here]}, {*box.high[here]}) == ({part["low"]}, {part["high"]})
        offset += part["length"]
    assert box.shape == (offset,)
    seen = env.observe("player_1")["observation"]
    decoded = env.game.layout.decode(seen)
    assert list(decoded) == [part["name"] for part in parts]
    assert json.loads(json.dumps(decoded)) == decoded
    np.testing.assert_array_equal(np.concatenate([np.ravel(part) for part in decoded.values()]), seen)
