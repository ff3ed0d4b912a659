"""Round trips of names, records and states, and what any bad input gets: a documented error, and an unchanged game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blackjacky_env import IllegalActionError, black_jacky_v0
from tests.any_game import SEEDS
from tests.envs.playing import fingerprint, play_randomly
from tests.games.black_jacky.games import options_of_games
from tests.games.black_jacky.rigging import (
    KNOCKS,
    NO_TRICK,
    Table,
    all_cards,
    cards_on_table,
    exchange,
    give,
    losing,
    one_round,
)

ACTIONS = st.integers(0, 60)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
JUNK = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3))
SPACES = st.text(" \t\n\u00a0\u2003", min_size=1, max_size=3)


@cache
def running() -> Any:
    """One game of four in mid-course, which bad input must not change."""
    env = black_jacky_v0.env(num_players=4)
    env.reset(seed=1)
    return play_randomly(env, 1, actions=37)


@contextmanager
def refused(*errors: type[Exception], match: str | None = None) -> Iterator[Any]:
    """What is done inside raises one of these errors, and the running game stays what it was."""
    before = fingerprint(running())
    with pytest.raises(errors, match=match) as caught:
        yield caught
    assert fingerprint(running()) == before


# Names of actions


@given(action=ACTIONS)
def test_the_name_of_an_action_reads_back_as_that_action(action: int) -> None:
    env = running()
    assert env.parse_action(env.action_name(action)) == action


@given(data=st.data(), action=ACTIONS)
def test_case_and_spacing_of_a_name_do_not_matter(data: st.DataObject, action: int) -> None:
    words = running().action_name(action).split()
    odd = [word.upper() if data.draw(st.booleans()) else word.title() for word in words]
    padded = "".join(data.draw(SPACES) + word for word in odd) + data.draw(SPACES)
    assert running().parse_action(padded) == action


@given(text=st.text() | st.text("layswapgivetip 12345678+:").map(str.strip))
def test_text_that_is_no_name_is_refused_with_names_that_are(text: str) -> None:
    env = running()
    names = {env.action_name(action) for action in range(61)}
    assume(" ".join(text.lower().split()) not in names)
    with refused(ValueError, match="no action is called") as caught:
        env.parse_action(text)
    assert any(repr(name) in str(caught.value) for name in names)


@given(number=SCALARS | st.lists(st.integers()))
def test_only_action_numbers_have_names(number: Any) -> None:
    assume(not (type(number) is int and 0 <= number <= 60))
    with refused(TypeError, ValueError, match="action"):
        running().action_name(number)


@given(junk=JUNK.filter(lambda value: not isinstance(value, str)))
def test_only_text_can_be_a_name(junk: Any) -> None:
    with refused(TypeError, match="string"):
        running().parse_action(junk)


# Records and states


@st.composite
def rigged_games(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of a game, and reset options for it: none, a start player, up to three decks."""
    options = draw(options_of_games())
    cards = [v for v in range(1, options["max_card"] + 1) for _ in range(v)]
    rigged: dict[str, Any] = {}
    if draw(st.booleans()):
        rigged["start_player"] = draw(st.integers(0, options["num_players"] - 1))
    if draw(st.booleans()):
        rigged["deck"] = draw(st.permutations(cards) | st.lists(st.permutations(cards), min_size=1, max_size=3))
    return options, rigged


@given(game=rigged_games(), seed=SEEDS, moves=st.integers(0, 150))
@settings(max_examples=60)
def test_a_record_sent_as_json_replays_the_same_game(game: Any, seed: int, moves: int) -> None:
    options, rigged = game
    env, other = black_jacky_v0.env(**options), black_jacky_v0.env(**options)
    env.reset(seed=seed, options=rigged)
    play_randomly(env, seed, moves)
    other.replay(json.loads(json.dumps(env.record())))
    assert fingerprint(other) == fingerprint(env)
    assert fingerprint(play_randomly(other, 5, 30)) == fingerprint(play_randomly(env, 5, 30))


@given(game=rigged_games(), seed=SEEDS, moves=st.integers(0, 150))
@settings(max_examples=60)
def test_a_state_read_into_another_environment_goes_on_as_the_same_game(game: Any, seed: int, moves: int) -> None:
    options, rigged = game
    env, other = black_jacky_v0.env(**options), black_jacky_v0.env(**options)
    env.reset(seed=seed, options=rigged)
    other.set_state(play_randomly(env, seed, moves).get_state())
    assert other.get_state() == env.get_state()
    assert fingerprint(play_randomly(other, 5, 30)) == fingerprint(play_randomly(env, 5, 30))
    for one in (env, other):
        one.reset()
    assert fingerprint(other) == fingerprint(env)  # the generator went with it


@given(data=st.data())
def test_a_record_with_anything_wrong_in_it_is_refused_and_the_game_goes_on(data: st.DataObject) -> None:
    env, record = running(), dict(running().record())
    name = data.draw(st.sampled_from(sorted(record)))
    if data.draw(st.booleans()):
        del record[name]
    else:
        record[name] = data.draw(wrong_parts(name))
        assume(record[name] != env.record()[name])
    with refused(TypeError, ValueError):
        env.replay(record)


KINDS = {"actions": list, "options": dict, "reset_options": dict}


def wrong_parts(name: str) -> st.SearchStrategy[Any]:
    """Something else, or for what is a list or mapping one with junk inside."""
    inside = {
        "actions": st.lists(JUNK.filter(lambda action: type(action) is not int), min_size=1, max_size=3),
        "reset_options": st.fixed_dictionaries({"deck": JUNK.filter(lambda deck: deck is not None)}),
        "options": st.dictionaries(st.text(), JUNK, max_size=3),
    }
    return inside.get(name, st.nothing()) | JUNK.filter(lambda value: not isinstance(value, KINDS.get(name, int)))


@given(junk=JUNK)
def test_what_is_no_record_is_refused(junk: Any) -> None:
    with refused(TypeError, ValueError):
        running().replay(junk)


# Bad input


@given(action=JUNK)
def test_anything_that_is_no_legal_action_is_refused_and_changes_nothing(action: Any) -> None:
    env = running()
    mask = env.infos[env.agent_selection]["action_mask"]
    assume(not (type(action) is int and 0 <= action <= 60 and mask[action]))
    with refused(IllegalActionError, TypeError) as caught:
        env.step(action)
    assert isinstance(caught.value, IllegalActionError) == (type(action) is int)


@given(data=st.data())
def test_bytes_that_are_no_whole_state_are_refused_and_change_nothing(data: st.DataObject) -> None:
    env, state = running(), running().get_state()
    at = data.draw(st.integers(0, len(state) - 1))
    other = bytes([state[at] ^ data.draw(st.integers(1, 255))])
    damaged = [state[:at], state[:at] + other + state[at + 1 :], state[at:] + state[:at], data.draw(st.binary())]
    for junk in damaged:
        assume(junk != state)
        with refused(ValueError, match="state"):
            env.set_state(junk)


@given(junk=JUNK.filter(lambda value: not isinstance(value, bytes)))
def test_what_is_not_bytes_is_no_state(junk: Any) -> None:
    with refused(TypeError, match="bytes"):
        running().set_state(junk)


@given(options=options_of_games())
def test_a_state_of_other_options_is_refused_by_name(options: dict[str, Any]) -> None:
    other = black_jacky_v0.env(**options)
    other.reset(seed=1)
    assume({**other.config_dict(), "reward": "win"} != running().config_dict())
    with refused(ValueError, match="="):
        running().set_state(other.get_state())


@given(name=st.sampled_from(["start_player", "deck"]), value=JUNK, cards=st.lists(st.integers(-1, 9), max_size=40))
def test_a_wrong_start_player_or_deck_is_refused_and_changes_nothing(name: str, value: Any, cards: list[int]) -> None:
    env = running()
    values = [value, cards, [cards]] if name == "deck" else [value]
    for wrong in values:
        assume(wrong is not None and not (name == "start_player" and type(wrong) is int and 0 <= wrong < 4))
        with refused(TypeError, ValueError, match=name):
            env.reset(seed=1, options={name: wrong})


@given(seed=JUNK)
def test_a_wrong_seed_is_refused_and_changes_nothing(seed: Any) -> None:
    assume(seed is not None and not (type(seed) is int and 0 <= seed < 2**63))
    with refused(TypeError, ValueError, match="seed"):
        running().reset(seed=seed)


NAMES = [*black_jacky_v0.env().config_dict(), "heart"]


@given(options=st.dictionaries(st.sampled_from(NAMES), JUNK | st.integers(-1, 130), min_size=1))
@settings(max_examples=300)
def test_any_options_make_an_environment_that_plays_or_an_error_that_names_one_of_them(options: dict[str, Any]) -> None:
    env, error = attempt(lambda: black_jacky_v0.env(**options))
    if error is not None:
        assert any(name in str(error) for name in (*options, "hand_size"))
        return
    env.reset(seed=0)
    assert env.observe(env.agent_selection)["action_mask"].any()
    assert black_jacky_v0.env(**env.config_dict()).config_dict() == env.config_dict()


def attempt(make: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """What was made, or the documented error that was raised instead."""
    try:
        return make(), None
    except (TypeError, ValueError) as error:
        return None, error


@cache
def looked_at() -> list[Any]:
    """Tables in every phase but the trick."""
    tipping = Table([losing([1], range(4))], players=4, hearts=1).knock_all()
    exchanging = one_round([[3, 7], [8, 8], [6, 6], [5, 5]]).play(exchange(1, 2), give(8))
    over = one_round([[8, 8], [7, 7]], hearts=1).play(KNOCKS, KNOCKS)
    zocking = one_round([[8, 8], [7, 7], [6, 6]]).play(KNOCKS, NO_TRICK)
    return [running(), *(table.env for table in (tipping, exchanging, over, zocking))]


@given(data=st.data(), part=st.sampled_from(black_jacky_v0.describe_observation()), changes=st.integers(1, 3))
@settings(max_examples=400)
def test_a_vector_that_was_tampered_with_is_refused_or_shows_a_whole_deck(
    data: st.DataObject, part: dict[str, Any], changes: int
) -> None:
    env = data.draw(st.sampled_from(looked_at()))
    seen = env.observe(data.draw(st.sampled_from(env.possible_agents)))["observation"]
    for _ in range(changes):
        entry = part["offset"] + data.draw(st.integers(0, part["length"] - 1))
        seen[entry] = data.draw(st.integers(part["low"] - 1, min(part["high"], 126) + 1))
    state, error = attempt(lambda: black_jacky_v0.sample_state(seen, np.random.default_rng(0)))
    if error is not None:
        assert "observation" in str(error)
        return
    other, error = attempt(lambda: black_jacky_v0.env(**options_in(seen)))
    if error is not None:  # while tips are given, nothing is dealt, not even too much
        return
    _, error = attempt(lambda: other.set_state(state))
    if error is not None:
        assert "this state" in str(error)
        return
    np.testing.assert_array_equal(other.observe("player_0")["observation"], seen)
    table = other.snapshot()
    assert table["phase"] == "tip" or cards_on_table(table) == all_cards(other.options["max_card"])


def options_in(vector: Any) -> dict[str, Any]:
    """The options that an observation states."""
    seen = black_jacky_v0.decode(vector)
    return {
        **{name: seen[name] for name in ("num_players", "max_card", "bust_at", "hand_size")},
        "variant": ["classic", "schnell_duell"][seen["schnell_duell"]],
        "hearts": seen["first_hearts"],
        "tricks": [value for value, enabled in enumerate(seen["tricks"], start=1) if enabled],
        "max_turns_per_round": seen["max_turns"] or None,
    }
