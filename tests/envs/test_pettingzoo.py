"""What PettingZoo's contract says beside `test_every_game`: seeds, processes, states, records, views."""

import copy
import itertools
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blackjacky_env import black_jacky_v0
from tests.envs.playing import fingerprint, fresh, one_tiny_game, play_randomly

REPOSITORY = Path(__file__).parents[2]


def test_a_reset_without_seed_goes_on_from_the_last_seeded_one_and_games_of_other_seeds_or_without_one_differ():
    games = []
    for env in (fresh(5, num_players=4), fresh(5, num_players=4)):
        env.reset()
        second = env.snapshot()
        play_randomly(env, 1, actions=7)  # playing draws nothing from this generator
        env.reset()
        games.append([second, env.snapshot()])
    assert games[0] == games[1]
    assert games[0][0] != games[0][1] != fresh(5, num_players=4).snapshot()
    tables = [fresh(seed, num_players=6).snapshot() for seed in (None, None, 0, 2**63 - 2, 2**63 - 1)]
    assert all(one != other for one, other in itertools.combinations(tables, 2))


def test_a_read_only_install_with_no_place_for_a_cache_works(tmp_path):
    """A file stands where every cache folder would be: that stops the superuser too."""
    for folder in ("blackjacky_env", "tests"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()
    nowhere = str(tmp_path / "blackjacky_env" / "__pycache__" / "nowhere")
    places = dict.fromkeys(["HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"], nowhere)
    command = [sys.executable, "-W", "error", "-m", "tests.envs.playing"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), **places}
    done = subprocess.run(command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    played, package = done.stdout.strip().split(maxsplit=1)
    assert played == one_tiny_game()
    assert tmp_path in Path(package).parents


def test_copies_states_and_records_keep_rigged_deals():
    options = {"num_players": 2, "max_card": 3, "hand_size": 1, "bust_at": 5}
    deck, order = [2, 3, 1, 2, 3, 3], [3, 3, 2, 3, 2, 1]
    rigged = {"start_player": 0, "deck": [deck, order] * 4}
    env, unlike, from_state, from_record = (black_jacky_v0.env(**options) for _ in range(4))
    for each, deals in ((env, rigged), (unlike, {"start_player": 0, "deck": deck})):
        each.reset(seed=0, options=deals)
        play_randomly(each, 1, actions=5)
    from_state.set_state(env.get_state())
    from_record.replay(json.loads(json.dumps(env.record())))
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), from_state, from_record]
    after = fingerprint(play_randomly(env, 2, actions=60))
    assert [fingerprint(play_randomly(other, 2, actions=60)) for other in others] == [after] * 4
    assert fingerprint(play_randomly(unlike, 2, actions=60)) != after


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"num_players": 5}, "num_players"),
        ({"num_players": 4, "variant": "schnell_duell"}, "variant"),
        ({"num_players": 4, "bust_at": 22}, "bust_at"),
        ({"num_players": 4, "tricks": [1, 2]}, "tricks"),
        ({"num_players": 4, "max_turns_per_round": None}, "max_turns_per_round"),
    ],
)
def test_a_state_or_record_of_other_options_is_refused_by_name(options, name):
    game, env = play_randomly(fresh(8, num_players=4), 8, actions=60), fresh(1, **options)
    before = fingerprint(env)
    with pytest.raises(ValueError, match=name):
        env.set_state(game.get_state())
    with pytest.raises(ValueError, match=name):
        env.replay(game.record())
    assert fingerprint(env) == before


def broken_state(change):
    return lambda env: env.set_state(change(env.get_state()))


def broken_record(**changes):
    return lambda env: env.replay({**env.record(), **changes})


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (broken_state(lambda state: b""), "state"),
        (broken_state(lambda state: b"junk"), "state"),
        (broken_state(lambda state: state[:-5]), "state"),
        (broken_state(lambda state: state + b"x"), "state"),
        (broken_record(game="black_spy"), "black_spy"),
        (broken_record(version=99), "99"),
        (broken_record(actions=[0, 0]), "Legal for"),
        (broken_record(actions=[99]), "allowed"),
        (broken_record(reset_options={"start_player": 9}), "allowed"),
        (broken_record(actions=5), "actions=5 of this record are not a list"),
        (lambda env: env.replay(5), "a record is a mapping, .*, not 5"),
    ],
)
def test_a_broken_state_or_record_is_refused_and_changes_nothing(use, said):
    env = play_randomly(fresh(8, num_players=4, reward="hearts"), 8, actions=60)
    before = fingerprint(env)
    with pytest.raises((TypeError, ValueError), match=said):
        use(env)
    assert fingerprint(env) == before
