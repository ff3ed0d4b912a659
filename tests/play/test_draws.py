"""Draws in place of a deck: what rigs them, and what a record repeats."""

import json
from dataclasses import replace

import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, Registration
from tests.tiny_game import GAME

SUITS = "clubs", "Diamonds", "hearts"
DRAWN = replace(GAME, name="drawn", draws=lambda num_players, options: [range(1, 7), SUITS][:num_players])


@pytest.fixture
def env(monkeypatch):
    """A duel in three deals, each of a die and a suit."""
    monkeypatch.setitem(GAMES, "drawn", Registration(f"{__name__}:DRAWN"))
    return TableEnv("drawn", 2)


def test_deals_are_rigged_one_by_one_and_a_record_repeats_them(env):
    env.reset(seed=1, options={"start_player": 1, "draws": [[6, "CLUBS"], (1, "diamonds")]})
    assert env.snapshot()["cards"] == [0, 5]
    env.step(0)
    env.step(0)
    assert env.snapshot()["cards"] == [0, 1]  # player_0 starts the second deal
    record, other = json.loads(json.dumps(env.record())), TableEnv("drawn", 2)
    assert record["reset_options"] == {"start_player": 1, "draws": [[6, "clubs"], [1, "Diamonds"]]}
    other.replay(record)
    for each in (env, other):  # the third deal follows from the key, as at every table that plays this seed
        each.step(1)
        each.step(2)
    assert other.snapshot() == env.snapshot()


@pytest.mark.parametrize(
    ("draws", "said"),
    [
        ([1], "reset option 'draws': there are too few; needed are 2"),
        ([1, "clubs", 1], "too many; needed are 2"),
        ([7, "clubs"], "draw 0 is 7; allowed are 1, 2, 3, 4, 5, 6"),
        ([[1, "clubs"], [True, "clubs"]], "draw 0 is True"),
        (5, "draws=5 is neither a list of all draws, nor a list of such lists"),
        ([[1, "clubs"]] * 9, "more decks than deals"),
    ],
)
def test_draws_that_cannot_be_are_refused(draws, said, env):
    with pytest.raises(ValueError, match=said):
        env.reset(options={"draws": draws})
    with pytest.warns(UserWarning, match="'deck' is ignored; allowed are 'start_player', 'draws'"):
        env.reset(options={"deck": draws})
