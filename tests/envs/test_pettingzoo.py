"""The PettingZoo contract: spaces, masks, rewards, seeds, states, records, views."""

import copy
import itertools
import json
import multiprocessing
import os
import pickle
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import blackjacky_env
from blackjacky_env import black_jacky_v0
from blackjacky_env.envs.aec import TableEnv
from tests.envs.playing import fingerprint, fresh, one_game, one_tiny_game, play_randomly
from tests.every_game import TINY
from tests.games.black_jacky.rigging import (
    DRAW,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    exchange,
    give,
    lay,
    losing,
    one_round,
    tip,
)

SIZES = range(2, 7)
VARIANTS = ["classic", "schnell_duell"]
REPOSITORY = Path(__file__).parents[2]

# What `api_test` warns of, and why that is as it should be.
EXPLAINED = [
    r"options.*start_player|start_player.*options",  # it passes an unknown reset option on purpose
    r"Observation is not a NumPy array",  # a dict with a mask; PettingZoo exempts only its own environments
    r"Observation space for each agent probably should be gymnasium.spaces.box",  # the same
    r"Action mask numpy array is all zeros",  # when the game is over there is nothing to do
]


# PettingZoo's own tests


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", SIZES)
def test_api_test_passes_without_unexplained_warnings(players, variant):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(black_jacky_v0.env(num_players=players, variant=variant), num_cycles=100)
    unexplained = [str(w.message) for w in caught if not any(re.search(why, str(w.message)) for why in EXPLAINED)]
    assert unexplained == []


@pytest.mark.parametrize("players", SIZES)
def test_seed_test_passes(players):
    seed_test(lambda: black_jacky_v0.env(num_players=players), num_cycles=200)


def test_render_test_passes(monkeypatch, capsys):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(TableEnv.metadata, "render_fps", 1000)
    render_test(lambda **options: black_jacky_v0.env(num_players=4, **options))
    assert capsys.readouterr().out == ""


def test_performance_benchmark_runs(capsys, monkeypatch):
    clock = itertools.count()  # a second passes whenever it is read, so that it need not run for five
    monkeypatch.setattr(sys.modules[performance_benchmark.__module__], "time", SimpleNamespace(time=clock.__next__))
    performance_benchmark(black_jacky_v0.env(num_players=4))
    assert "turns per second" in capsys.readouterr().out


# Making


def test_importing_the_package_registers_the_environment():
    env = pettingzoo.make("aec", "blackjacky/black_jacky-v0", num_players=4, variant="schnell_duell")
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert env.unwrapped.config_dict()["variant"] == "schnell_duell"


def test_env_adds_no_wrapper_and_raw_env_is_the_same():
    env = black_jacky_v0.env(num_players=3)
    assert env.unwrapped is env
    assert type(env) is type(black_jacky_v0.raw_env(num_players=3))
    assert str(env) == "black_jacky_v0"
    assert isinstance(env, pettingzoo.AECEnv)


@pytest.mark.parametrize("players", SIZES)
def test_agents_stay_until_the_game_ends_and_terminate_together(players):
    env = fresh(players, num_players=players, hearts=1)
    agents = [f"player_{seat}" for seat in range(players)]
    assert env.agents == env.possible_agents == agents
    rng = np.random.default_rng(0)
    while not any(env.terminations.values()):
        assert env.agents == agents
        env.step(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))
    assert env.terminations == dict.fromkeys(agents, True)
    assert env.truncations == dict.fromkeys(agents, False)
    seen = []
    for agent in env.agent_iter():
        seen.append(agent)
        env.step(None)
    assert (sorted(seen), env.agents) == (agents, [])


# Spaces, observations, masks


def test_spaces_are_the_same_for_every_seat_size_variant_and_option():
    first = black_jacky_v0.env(num_players=2)
    assert first.action_space("player_0") == gymnasium.spaces.Discrete(61)
    configs = [{"num_players": n, "variant": variant} for n in SIZES for variant in VARIANTS]
    for options in [*configs, {"num_players": 2, "max_card": 4, "bust_at": 99, "hearts": 9, "hand_size": 3}]:
        env = black_jacky_v0.env(**options)
        for agent in env.possible_agents:
            assert env.observation_space(agent) == first.observation_space("player_0")
            assert env.action_space(agent) == first.action_space("player_0")
            assert env.observation_space(agent) is env.observation_space(agent)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", SIZES)
def test_observations_lie_in_their_space_and_masks_stand_in_infos(players, variant):
    env = fresh(players, num_players=players, variant=variant)
    rng = np.random.default_rng(1)
    while not env.terminations["player_0"]:
        for agent in env.agents:
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            mask = observation["action_mask"]
            assert mask.dtype == np.int8
            assert mask.any() == (agent == env.agent_selection)
            np.testing.assert_array_equal(mask, env.infos[agent]["action_mask"])
        last, *_, info = env.last()
        np.testing.assert_array_equal(last["action_mask"], info["action_mask"])
        env.step(rng.choice(np.flatnonzero(info["action_mask"])))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)


def test_arrays_handed_out_are_never_written_again():
    env = fresh(2, num_players=4)
    rng = np.random.default_rng(2)
    handed_out, contents = [], []
    while not env.terminations["player_0"]:
        for agent in env.agents:
            arrays = [*env.observe(agent).values(), env.infos[agent]["action_mask"], env.state()]
            handed_out += arrays
            contents += [array.tobytes() for array in arrays]
        env.step(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))
    env.reset(seed=3)
    play_randomly(env, 3)
    assert [array.tobytes() for array in handed_out] == contents


def test_changing_an_observation_does_not_change_the_game():
    env, untouched = fresh(4, num_players=3), fresh(4, num_players=3)
    for array in [*env.observe("player_0").values(), env.state()]:
        if array.flags.writeable:
            array[...] = 1
    assert fingerprint(env) == fingerprint(untouched)


def test_one_policy_plays_every_seat_because_seats_are_relative():
    """The same game turned by one seat shows every player what his right neighbour saw."""
    here, turned = black_jacky_v0.env(num_players=4, hearts=1), black_jacky_v0.env(num_players=4, hearts=1)
    for seed in range(10):
        here.reset(seed=seed, options={"start_player": 0})
        turned.reset(seed=seed, options={"start_player": 1})
        rng = np.random.default_rng(seed)
        while not here.terminations["player_0"]:
            for seat in range(4):
                mine, his = here.observe(f"player_{seat}"), turned.observe(f"player_{(seat + 1) % 4}")
                np.testing.assert_array_equal(mine["observation"], his["observation"])
                np.testing.assert_array_equal(mine["action_mask"], his["action_mask"])
            action = rng.choice(np.flatnonzero(here.infos[here.agent_selection]["action_mask"]))
            here.step(action)
            turned.step(action)


@pytest.mark.parametrize("players", SIZES)
def test_state_is_an_integer_vector_of_the_whole_table(players):
    env = fresh(players, num_players=players)
    state = env.state()
    assert state.ndim == 1
    assert np.issubdtype(state.dtype, np.integer)
    assert env.state_space.contains(state)
    play_randomly(env, 1)
    assert env.state_space.contains(env.state())


def test_state_shows_what_observations_hide():
    tables = [one_round([[8, 8], hand, [6, 6]], top=1) for hand in ([7, 7], [2, 5])]
    np.testing.assert_array_equal(*(table.env.observe("player_0")["observation"] for table in tables))
    assert (tables[0].env.state() != tables[1].env.state()).any()


# Rewards


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", SIZES)
def test_win_rewards_come_at_the_end_and_sum_to_zero(players, variant):
    for seed in range(10):
        env = fresh(seed, num_players=players, variant=variant, hearts=1)
        rng = np.random.default_rng(seed)
        while not env.terminations["player_0"]:
            assert env.rewards == dict.fromkeys(env.agents, 0)
            env.step(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))
        winners = env.unwrapped.snapshot()["winners"]
        rewards = [env.rewards[agent] for agent in env.agents]
        assert sum(rewards) == pytest.approx(0)
        if 0 < len(winners) < players:
            won, lost = 1 / len(winners), -1 / (players - len(winners))
            assert rewards == pytest.approx([won if seat in winners else lost for seat in range(players)])
        else:
            assert rewards == [0] * players
        assert env._cumulative_rewards == env.rewards


@pytest.mark.parametrize("players", SIZES)
def test_heart_rewards_add_up_to_the_hearts_lost_and_gained(players):
    env = fresh(players, num_players=players, reward="hearts")
    rng = np.random.default_rng(players)
    total = np.zeros(players)
    before = env.unwrapped.snapshot()["hearts"]
    first = before
    while not env.terminations["player_0"]:
        env.step(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))
        now = env.unwrapped.snapshot()["hearts"]
        rewards = [env.rewards[agent] for agent in env.agents]
        assert rewards == [new - old for new, old in zip(now, before, strict=True)]
        total += rewards
        before = now
    assert (total == np.subtract(before, first)).all()


def test_cumulative_rewards_count_since_the_players_own_last_step():
    table = one_round([[8, 8], [7, 7], [2, 5]], reward="hearts").knock_all()
    assert table.env._cumulative_rewards == {"player_0": 0, "player_1": 0, "player_2": -1}
    table.play(NO_TRICK, DRAW)  # seat 1
    assert table.env.last()[1] == -1
    table.play(NO_TRICK)
    assert table.env.last()[1] == 0


# Seeds, determinism, processes


def test_the_same_seed_makes_the_same_game():
    env = fresh(5, num_players=4)
    first = env.unwrapped.snapshot()
    assert fresh(5, num_players=4).unwrapped.snapshot() == first
    assert fresh(6, num_players=4).unwrapped.snapshot() != first
    play_randomly(env, 0)
    env.reset(seed=5)
    assert env.unwrapped.snapshot() == first


def test_a_reset_without_seed_goes_on_from_the_last_seeded_one():
    games = []
    for env in (fresh(5, num_players=4), fresh(5, num_players=4)):
        env.reset()
        second = env.unwrapped.snapshot()
        play_randomly(env, 1, actions=7)  # playing draws nothing from this generator
        env.reset()
        games.append([second, env.unwrapped.snapshot()])
    assert games[0] == games[1]
    assert games[0][0] != games[0][1] != fresh(5, num_players=4).unwrapped.snapshot()


def test_without_any_seed_games_differ():
    env, other = black_jacky_v0.env(num_players=6), black_jacky_v0.env(num_players=6)
    env.reset()
    other.reset()
    assert env.unwrapped.snapshot() != other.unwrapped.snapshot()


def test_seeds_go_up_to_2_to_the_63_minus_1():
    assert fresh(2**63 - 1).unwrapped.snapshot() != fresh(2**63 - 2).unwrapped.snapshot()


def run_playing(*arguments, cwd=REPOSITORY, **variables):
    """Play the known game in a new process; return its fingerprint and where the package was found."""
    command = [sys.executable, "-W", "error", "-m", "tests.envs.playing", *arguments]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, check=False, cwd=cwd, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split(maxsplit=1)


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONHASHSEED": "1", "NUMBA_NUM_THREADS": "1"},
        {"PYTHONHASHSEED": "2", "NUMBA_DISABLE_JIT": "1"},
    ],
)
def test_another_process_plays_the_same_game(variables):
    assert run_playing(**variables)[0] == one_game()


@pytest.mark.filterwarnings(
    "ignore:.*multi-threaded.*:DeprecationWarning"
)  # Python 3.12 on: any fork after Numba's threads
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_play_the_same_game(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(one_game, [5, 6]) == [one_game(5), one_game(6)]


def test_a_read_only_install_with_no_place_for_a_cache_works(tmp_path):
    """A file stands where every cache folder would be: that stops the superuser too."""
    for folder in ("blackjacky_env", "tests"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()
    nowhere = str(tmp_path / "blackjacky_env" / "__pycache__" / "nowhere")
    places = dict.fromkeys(["HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"], nowhere)
    played, package = run_playing(TINY, cwd=tmp_path, PYTHONPATH=str(tmp_path), **places)
    assert played == one_tiny_game()
    assert tmp_path in Path(package).parents


# Copies, states, records


def mid_game(reward="hearts", seed=8):
    return play_randomly(fresh(seed, num_players=4, reward=reward), seed, actions=60)


def through_state(env):
    other = black_jacky_v0.env(num_players=4, reward="hearts")
    other.set_state(env.unwrapped.get_state())
    return other


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env)), "state": through_state}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("actions", [0, 1, 25, 60, 100, None])
def test_copies_are_faithful(copied, actions):
    env = play_randomly(fresh(8, num_players=4, reward="hearts"), 8, actions)
    other = copied(env)
    assert fingerprint(other) == fingerprint(env)
    play_randomly(env, 9, actions=3)
    assert env.terminations["player_0"] or fingerprint(other) != fingerprint(env)
    play_randomly(other, 9, actions=3)
    assert fingerprint(other) == fingerprint(env)
    assert fingerprint(play_randomly(other, 10)) == fingerprint(play_randomly(env, 10))
    env.reset()
    other.reset()
    assert fingerprint(other) == fingerprint(env)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_are_faithful_while_agents_leave(copied):
    env = play_randomly(fresh(8, num_players=4, reward="hearts"), 8)
    env.step(None)
    other = copied(env)
    assert other.agents == env.agents == ["player_1", "player_2", "player_3"]
    for _ in range(3):
        assert fingerprint(other) == fingerprint(env)
        env.step(None)
        other.step(None)
    assert other.agents == []


def test_a_copy_keeps_the_rigged_deals():
    table = Table([losing([1], range(4)), losing([2], [0, 2, 3], start=2)], players=4, hearts=1)
    from_state = black_jacky_v0.env(num_players=4, hearts=1)
    from_state.set_state(table.env.get_state())
    for other in (copy.deepcopy(table.env), pickle.loads(pickle.dumps(table.env)), from_state):
        for action in [*KNOCKS * 4, tip(1)]:
            other.step(action)
        assert other.unwrapped.snapshot()["hands"][2] == [3, 5]


def test_a_state_is_bytes_and_may_be_set_twice_and_before_a_reset():
    state = mid_game().unwrapped.get_state()
    assert isinstance(state, bytes)
    env = black_jacky_v0.env(num_players=4)  # the reward is no part of a state
    env.unwrapped.set_state(state)
    play_randomly(env, 1)
    env.unwrapped.set_state(state)
    assert env.unwrapped.get_state() == state


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
    game, env = mid_game().unwrapped, fresh(1, **options)
    before = fingerprint(env)
    with pytest.raises(ValueError, match=name):
        env.unwrapped.set_state(game.get_state())
    with pytest.raises(ValueError, match=name):
        env.unwrapped.replay(game.record())
    assert fingerprint(env) == before


@pytest.mark.parametrize("broken", [b"", b"junk", lambda state: state[:-5], lambda state: state + b"x"])
def test_a_broken_state_is_refused(broken):
    env = mid_game().unwrapped
    before = fingerprint(env)
    with pytest.raises(ValueError, match="state"):
        env.set_state(broken if isinstance(broken, bytes) else broken(env.get_state()))
    assert fingerprint(env) == before


def test_a_record_is_json_and_replays_the_game():
    for reset in ({"seed": 4}, {"seed": 4, "options": {"start_player": 2, "deck": losing([0], range(3), start=2)}}):
        env = black_jacky_v0.env(num_players=3)
        env.reset(**reset)
        play_randomly(env, 5, actions=70)
        record = json.loads(json.dumps(env.unwrapped.record()))
        other = black_jacky_v0.env(num_players=3)
        other.unwrapped.replay(record)
        assert fingerprint(other) == fingerprint(env)
        assert other.unwrapped.record() == record


@pytest.mark.parametrize(("key", "value"), [("game", "black_spy"), ("version", 99)])
def test_a_record_of_another_game_or_version_is_refused_by_name(key, value):
    env = mid_game().unwrapped
    with pytest.raises(ValueError, match=str(value)):
        env.replay({**env.record(), key: value})


@pytest.mark.parametrize("spoiled", [{"actions": [0, 0]}, {"actions": [99]}, {"reset_options": {"start_player": 9}}])
def test_a_record_that_cannot_be_played_changes_nothing(spoiled):
    env = mid_game()
    before = fingerprint(env)
    with pytest.raises(ValueError, match=r"Legal for|allowed"):
        env.unwrapped.replay({**env.unwrapped.record(), **spoiled})
    assert fingerprint(env) == before


# Words, snapshot, view


def test_action_names_and_numbers_go_both_ways():
    env = fresh().unwrapped
    names = [env.action_name(action) for action in range(61)]
    assert len(set(names)) == 61
    assert [env.parse_action(name) for name in names] == list(range(61))
    seats = {0: "me", **{seat: f"left+{seat}" for seat in range(1, 6)}}
    assert all(seats[seat] in names[24 + seat] for seat in range(6))
    assert all(seats[seat] in names[55 + seat] for seat in range(1, 6))
    assert seats[0] in names[exchange(0, 5)]
    assert seats[5] in names[exchange(0, 5)]


SNAPSHOT_KEYS = [
    *("phase", "player", "round", "turn", "start_player", "hearts", "black_hearts", "status", "hands", "displays"),
    *("draw_pile", "discard_top", "discards", "plus_one", "knocked", "first_knocker", "last_turns"),
    *("ends_after_turn", "exchange", "tips", "last_settlement", "winners"),
]


@pytest.mark.parametrize("players", SIZES)
def test_snapshot_and_views_are_json_with_the_declared_keys(players):
    env = fresh(players, num_players=players, hearts=1).unwrapped
    rng = np.random.default_rng(players)
    for _ in range(60):
        table = env.snapshot()
        assert json.loads(json.dumps(table)) == table
        assert list(table) == SNAPSHOT_KEYS
        assert table["hands"] == [sorted(hand) for hand in table["hands"]]
        assert table["displays"] == [sorted(cards) for cards in table["displays"]]
        assert table["discards"] == sorted(table["discards"])
        for agent in [*env.possible_agents, None]:
            view = env.view(agent)
            assert json.loads(json.dumps(view)) == view
            assert list(view) == SNAPSHOT_KEYS
        if env.terminations["player_0"]:
            break
        env.step(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))


def test_a_view_hides_the_draw_pile_and_others_hands_and_nothing_else():
    env = mid_game().unwrapped
    table = env.snapshot()
    for seat, agent in enumerate([*env.agents, None]):
        view = env.view(agent)
        assert view.pop("draw_pile") == len(table["draw_pile"])
        hands = view.pop("hands")
        assert hands == [hand if seat == other else len(hand) for other, hand in enumerate(table["hands"])]
        assert view == {key: value for key, value in table.items() if key not in ("draw_pile", "hands")}


def test_a_view_shows_ones_own_given_card_only():
    env = one_round([[3, 8], [7, 7], [5, 6], [4, 4]]).play(exchange(0, 2), give(8)).env.unwrapped
    assert env.view("player_0")["exchange"] == {"trickster": 0, "pair": [0, 2], "given": [8, None]}
    assert env.view("player_2")["exchange"] == {"trickster": 0, "pair": [0, 2], "given": ["hidden", None]}
    assert env.view(None)["exchange"] == {"trickster": 0, "pair": [0, 2], "given": ["hidden", None]}


def test_in_over_others_hands_stay_counts_and_the_settlement_lays_them_open():
    env = one_round([[8, 8], [5, 4]], hearts=1).play(KNOCKS, (lay(5), KNOCK)).env.unwrapped
    assert env.view("player_0")["hands"] == [[8, 8], 1]
    assert env.view(None)["hands"] == [2, 1]
    assert env.view(None)["last_settlement"]["hands"] == [[8, 8], [4]]


# Rendering


def test_a_drawing_shows_what_its_player_may_know():
    tables = {}
    for render_as in ("player_0", None):
        for hand in ([7, 7], [2, 5]):
            table = one_round([[8, 8], hand, [6, 6]], top=1, render_mode="ansi", render_as=render_as)
            tables.setdefault(render_as, set()).add(table.env.render())
    assert [len(drawings) for drawings in tables.values()] == [1, 1]
    assert tables["player_0"] != tables[None]


# TerminateIllegalWrapper


def test_terminate_illegal_wrapper_works_on_top(caplog):
    EnvLogger.suppress_output()
    env = TerminateIllegalWrapper(black_jacky_v0.env(num_players=4), illegal_reward=-1)
    for _ in range(2):
        env.reset(seed=1, options={"start_player": 2})
        env.step(NO_TRICK)
        env.last()
        env.step(NO_TRICK)  # illegal: a zock is due
        assert all(env.terminations.values())
        rewards = {}
        for agent in env.agent_iter():
            rewards[agent] = env.last()[1]
            env.step(None)
        assert rewards == {"player_0": 0, "player_1": 0, "player_2": -1, "player_3": 0}
        assert env.agents == []
    EnvLogger.unsuppress_output()


def test_terminate_illegal_wrapper_lets_legal_games_pass():
    env = TerminateIllegalWrapper(black_jacky_v0.env(num_players=4), illegal_reward=-1)
    env.reset(seed=1)
    play_randomly(env, 1)
    assert fingerprint(env.unwrapped) == fingerprint(play_randomly(fresh(1, num_players=4), 1))


def test_the_package_says_what_it_offers():
    assert issubclass(blackjacky_env.IllegalActionError, ValueError)
    assert blackjacky_env.black_jacky_v0 is black_jacky_v0
