"""The tests of the rules pass in plain Python too (NUMBA_DISABLE_JIT=1), and reach every branch there."""

import tomllib
from pathlib import Path

import numba
import pytest

from blackjacky_env.games import get_game
from tests.plain_mode import missed_in_plain_mode

HERE = Path(__file__).parent
SAMPLED = "test_every_sample_is_a_legal_position_that_looks_the_same_to_its_player"
CHANGED = "test_an_observation_that_no_position_shows_is_refused_and_one_that_no_game_shows_is_shown"
SMALL_DECKS = "test_every_deal_is_from_the_small_deck_and_so_is_every_sample"
REFUSED = "test_a_deck_that_cannot_be_played_is_refused"


@pytest.mark.prove
@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
@pytest.mark.parametrize("game", sorted(path.parent.name for path in HERE.glob("*/plain_mode.toml")))
def test_the_tests_of_the_rules_pass_in_plain_python_and_reach_every_branch(game, tmp_path):
    told = tomllib.loads((HERE / game / "plain_mode.toml").read_text(encoding="utf-8"))
    suite = [HERE / game / f"test_{name}.py" for name in told["files"]]
    suite.append(HERE / "test_wrong_states.py")
    suite.append(HERE / f"test_sampling.py::{CHANGED}[{game}]")
    suite += [HERE / f"test_sampling.py::{SAMPLED}[{game} {table}]" for table in told["sampled"]]
    if get_game(game).small_deck is not None:
        suite += [HERE / f"test_small_decks.py::{name}" for name in (f"{SMALL_DECKS}[{game}]", REFUSED)]
    measured = [f"blackjacky_env/{name}.py" for name in told["measured"]]
    assert missed_in_plain_mode(suite, measured, tmp_path, but=told["slow"]) == []
