"""Saved states of no such table are refused and change nothing; fuzzing plays others on."""

import base64

import numpy as np
import pytest

from blackjacky_env import playout
from blackjacky_env.games import get_game
from blackjacky_env.games.black_jacky.state import RECORD
from blackjacky_env.play.states import pack, read_records, unpack
from blackjacky_env.testing.tables import state_with
from tests.envs.playing import fresh
from tests.every_game import TINY


def begun(name):
    """A game after ten moves, the first legal action each."""
    env = fresh(0, name)
    for _ in range(4 if name == TINY else 10):
        env.step(int(np.argmax(env.last()[0]["action_mask"])))
    return env


def changed(state, change, name):
    header, data = unpack(state)
    records = read_records(get_game(name), header, data)
    other = change(header, records)
    return pack(header, records if other is None else other)


def put(part, name, value):
    """Change a value of the header, or of a mapping in it."""
    return lambda header, records: (header[part] if part else header).update({name: value})


def set_field(field, value):
    return lambda header, records: records.__setitem__(field, value)


CHANGES = {
    "player 100": set_field("player", 100),
    "100 players": set_field("num_players", 100),
    "winners": set_field("winners", 2),
    "three records": lambda header, records: np.concatenate([records[:1]] * 3),
    "no records": lambda header, records: records[:0],
    "another table size": put("", "num_players", 9),
    "unknown option": put("options", "colour", "red"),
    "options of the wrong type": put("", "options", [1]),
    "history of the wrong type": put("", "history", 7),
    "agent off turn": put("history", "agent_selection", "player_9"),
    "actions out of range": put("history", "actions", [10**30]),
    "a reward too large for a float": lambda header, records: header["history"]["rewards"].update(player_0=10**400),
    "a deck that is not the whole deck": put("history", "reset_options", {"deck": [[1, 2]]}),
    "a generator of another kind": put("history", "generator", {"bit_generator": "MT19937"}),
    "a last move of nobody": put("history", "last_move", [-7, 0, 0]),
    "a negative key": put("history", "start", -1),
    "a start that is no base64": put("history", "start", "no base64"),
    "a start that is no record": put("history", "start", base64.b64encode(b"no record").decode()),
    "a reseed without a key": put("history", "reseeds", [[0]]),
    "a reseed after the last action": put("history", "reseeds", [[10**6, 0]]),
    "a reseed with too large a key": put("history", "reseeds", [[0, 2**64]]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_an_impossible_state_is_refused_and_changes_nothing(game, change):
    env = begun(game.name)
    before = env.get_state()
    impossible = changed(before, change, game.name)
    with pytest.raises((TypeError, ValueError)):
        env.set_state(impossible)
    assert env.get_state() == before


@pytest.mark.parametrize(
    "change", ["player 100", "100 players", "three records", "another table size", "unknown option"]
)
def test_playouts_refuse_it_too_and_name_the_state(game, change):
    state = begun(game.name).get_state()
    with pytest.raises((TypeError, ValueError), match=r"states\[1\]"):
        playout([state, changed(state, CHANGES[change], game.name)], "random", games=2)


def test_a_state_names_all_options_also_those_that_are_none():
    env = fresh(0, max_turns_per_round=None)
    state = changed(env.get_state(), lambda header, _: header["options"].pop("max_turns_per_round"), "black_jacky")
    for load in (env.set_state, lambda state: playout(state, "random", games=1)):
        with pytest.raises(ValueError, match="max_turns_per_round"):
            load(state)


@pytest.mark.parametrize(("field", "value"), [("turn_player", 5), ("hearts", 2), ("tips", [0, 0, 0, 0, 5, 0])])
def test_nobody_sits_at_an_empty_seat(field, value):
    env = fresh(0, num_players=4)
    records = env._states[:1].copy()
    records[field] = value
    with pytest.raises(ValueError, match=f"{field} of this state is .*; allowed are seats up to 3"):
        env.set_state(state_with(env, records))


def test_a_position_in_which_nothing_is_legal_is_refused():
    env = fresh(0)
    records = env._states[:1].copy()
    records["phase"] = RECORD.fields["phase"].choices.index("over")
    with pytest.raises(ValueError, match="no action is legal"):
        env.set_state(state_with(env, records))
