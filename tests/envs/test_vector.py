"""Many games with one learner's seat each, for Gymnasium: the `VectorEnv`."""

import copy
import re
from collections import deque, namedtuple
from itertools import count
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from blackjacky_agents.bots import random_bot
from blackjacky_agents.games.black_jacky.bots import threshold
from blackjacky_env import IllegalActionError, black_jacky_v0
from blackjacky_env.compiled.compiling import compiled
from blackjacky_env.compiled.purposes import FOR_POLICIES
from blackjacky_env.compiled.random import stream
from blackjacky_env.draw import said
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import get_game
from tests.envs.playing import assert_same, fresh, random_legal
from tests.policies import cheating, first_legal, last_legal, scribbling

GAME = get_game("black_jacky")
MODES = NEXT_STEP, SAME_STEP = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP
ALL_SIZES = [2, 3, 4, 5, 6]
# One round of one turn: player 0 starts, and somebody loses his only heart before player 1 acts.
OVER_AFTER_ONE_TURN = {"num_players": 2, "hearts": 1, "max_turns_per_round": 1, "tricks": ()}


Policy = namedtuple("Policy", "policy parameters", defaults=[np.zeros(0, np.float32)])
"""A compiled opponent with nothing but what it needs."""
FIRST, LAST, RANDOM = Policy(first_legal), Policy(last_legal), Policy(random_bot.choose)
MANY = 330  # games enough for five threads


def make(num_envs=10, **options):
    """Games against both policies, so that all tests need only one compiled function."""
    return SeatVectorEnv(
        "black_jacky", num_envs, **{"num_players": ALL_SIZES, "opponents": [FIRST, LAST], "hearts": 2, **options}
    )


def state_of(env):
    return {name: value.copy() for name, value in vars(env).items() if isinstance(value, np.ndarray)}


def together(env, twin, steps, seed=0):
    """The same random play in both, which show the same: the info that the actions were chosen by, and the actions.

    They are not taken yet, so a test can do something to ``env`` first.
    """
    rng, info = np.random.default_rng(0), twin.reset(seed=seed)[1]
    env.reset(seed=seed)
    for _ in range(steps):
        actions = random_legal(info["action_mask"], rng)
        yield info, actions
        step = twin.step(actions)
        assert_same(env.step(actions), step)
        info = step[4]


def play(env, steps, seed=0):
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    for _ in range(steps):
        step = env.step(random_legal(info["action_mask"], rng))
        yield step
        info = step[4]


@pytest.mark.parametrize("mode", MODES)
def test_arrays_lie_in_the_spaces_and_the_masks_are_empty_only_where_a_game_is_over(mode):
    env = make(autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is mode
    for observations, _, terminations, truncations, info in play(env, 80):
        assert observations in env.observation_space
        assert all(row in env.single_observation_space for row in observations)
        assert not truncations.any()
        over = terminations & (mode is not SAME_STEP)
        np.testing.assert_array_equal(info["action_mask"].any(axis=1), ~over)
        np.testing.assert_array_equal(info["action_mask"], env.action_masks())


class OneGame(gymnasium.Env):
    """Game ``place`` of a batch in which only that game counts, as a single environment."""

    def __init__(self, place, **options):
        self.place, self.games = place, make(**options)
        self.observation_space, self.action_space = self.games.single_observation_space, self.games.single_action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        # `SyncVectorEnv` gives environment i the seed + i.
        observations, info = self.games.reset(seed=None if seed is None else seed - self.place)
        skipped = int(info["skipped_games"][self.place])
        return observations[self.place], {"action_mask": info["action_mask"][self.place], "skipped_games": skipped}

    def step(self, action):
        actions = self.games.action_masks().argmax(axis=1)
        actions[self.place] = action
        *step, info = self.games.step(actions)
        observation, reward, ended, truncated = (array[self.place] for array in step)
        masks = {"action_mask": info["action_mask"][self.place]}
        return observation, float(reward), bool(ended), bool(truncated), masks


@pytest.mark.parametrize("options", [{"hearts": 1}, {"hearts": 1, "reward": "hearts"}, OVER_AFTER_ONE_TURN])
@pytest.mark.parametrize("mode", MODES)
def test_ended_games_begin_anew_as_gymnasium_has_it(mode, options):
    env = make(5, autoreset_mode=mode, **options)
    makers = [lambda place=place: OneGame(place, num_envs=5, **options) for place in range(5)]
    sync = SyncVectorEnv(makers, autoreset_mode=mode)
    assert_same(env.reset(seed=7), sync.reset(seed=7))
    begun = 0
    for info, actions in together(sync, env, 60, seed=7):
        actions[~info["action_mask"].any(axis=1)] = -7  # ignored where a game is restarted
        begun += int(info.get("_skipped_games", np.zeros(5)).sum())
    assert begun > 20
    assert_same(env.reset(), sync.reset())


Episode = namedtuple("Episode", "players num_players key seat steps last")
"""One learner's game: who sat where, and what he saw, might do, did and got."""


def episodes(env, count):
    """Whole games of random learners, at least ``count`` from each place; autoreset in the same step."""
    rng, (observations, info) = np.random.default_rng(0), env.reset(seed=0)
    left, open_steps = np.full(env.num_envs, count), [[] for _ in range(env.num_envs)]
    while left.max() > 0:
        kept, actions = state_of(env), random_legal(info["action_mask"], rng)
        states, seating = kept["_states"], kept["_seating"]
        after, rewards, ended, _, next_info = env.step(actions)
        for i, steps in enumerate(open_steps):
            steps.append((observations[i], info["action_mask"][i], int(actions[i]), float(rewards[i])))
            if ended[i]:
                size, key = int(states["num_players"][i]), int(states["key"][i])
                players = [env._agents[number] for number in seating[i]]
                yield Episode(players, size, key, int(states["player"][i]), steps.copy(), next_info["final_obs"][i])
                steps.clear()
                left[i] -= 1
        observations, info = after, next_info


def is_played(episode, **options):
    """Whether the PettingZoo environment plays this episode with its opponents."""
    env = fresh(0, num_players=episode.num_players, **options)
    env.replay({**env.record(), "key": episode.key, "actions": []})
    learner = f"player_{episode.seat}"

    key, decisions = np.uint64(episode.key), count()

    def play_on():
        reward = 0.0
        while not env.terminations[learner] and env.agent_selection != learner:
            opponent = episode.players[int(env.agent_selection[-1])]
            seen, state = env.observe(env.agent_selection), stream(key, FOR_POLICIES, next(decisions), 0)
            env.step(opponent.policy(*seen.values(), np.uint64(state), opponent.parameters))
            reward += env.rewards[learner]
        return reward

    play_on()
    for observation, mask, action, reward in episode.steps:
        view = env.observe(learner)
        if not (np.array_equal(observation, view["observation"]) and np.array_equal(mask, view["action_mask"])):
            return False
        env.step(action)
        if reward != pytest.approx(env.rewards[learner] + play_on()):
            return False
    return env.terminations[learner] and np.array_equal(episode.last, env.observe(learner)["observation"])


@pytest.mark.parametrize(
    "options", [{"hearts": 2}, {"reward": "hearts", "hearts": 2}, {"variant": "schnell_duell", "hearts": 3}]
)
def test_the_games_and_rewards_are_those_of_whole_games_of_the_pettingzoo_environment(options):
    env = make(autoreset_mode=SAME_STEP, opponents=[RANDOM, LAST], **options)
    for episode in episodes(env, 3):
        assert is_played(episode, **options)


def test_new_opponents_in_running_games_sit_as_if_these_had_begun_with_them():
    """Where nobody but the learner has acted yet, all goes on as in games of the same seed with these opponents."""
    options = {"num_players": 4, "autoreset_mode": SAME_STEP}
    expected, changed = make(200, opponents=[FIRST, LAST], **options), make(200, opponents=[LAST], **options)
    (seen, one), (_, other) = expected.reset(seed=5), changed.reset(seed=5)
    fresh = [table["turn"] == 0 and table["start_player"][0] == 1 for table in map(black_jacky_v0.decode, seen)]
    assert sum(fresh) > 20
    changed.set_opponents([FIRST, LAST])
    for _ in range(60):
        seen, rewards, *_, one = expected.step(one["action_mask"].argmax(axis=1))
        seen_too, rewards_too, *_, other = changed.step(other["action_mask"].argmax(axis=1))
        np.testing.assert_array_equal(seen[fresh], seen_too[fresh])
        np.testing.assert_array_equal(rewards[fresh], rewards_too[fresh])


def test_an_opponent_that_chooses_illegally_is_named_and_parameters_are_checked_whenever_they_are_set():
    env = make(opponents=[Policy(cheating)])
    with pytest.raises(RuntimeError, match=r"an opponent broke the rules: agent 'cheating' chose action \d+"):
        deque(play(env, 60), maxlen=0)
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(10, np.int64))
    env.set_opponents([FIRST, LAST])
    for one, other in zip(play(env, 20), play(make(), 20), strict=True):
        assert_same(one, other)
    env, policy = make(), threshold.choose
    for wrong in ([], [1, 2, 3], [1, 2, np.nan, 4]):
        with pytest.raises(ValueError, match="agent 'choose': "):
            env.set_opponents([Policy(policy, np.array(wrong, np.float32))])
    for one, other in zip(play(env, 5), play(make(), 5), strict=True):
        assert_same(one, other)


@compiled
def ten(observation, mask, out):
    mask[:] = 1
    for i in range(10):
        out[i] = observation[i]


@pytest.mark.parametrize("size", [1, 9, 11, 2**20])
def test_an_encoding_that_says_a_wrong_size_is_refused_before_it_writes_beyond_its_rows(size):
    with pytest.raises(ValueError, match=rf"says size={size}, and writes 10 values from index \[0\] on"):
        make(encoding=SimpleNamespace(function=ten, size=size))


def test_opponents_and_encodings_may_overwrite_what_they_are_shown():
    shown_ten = make(encoding=SimpleNamespace(function=ten, size=10))
    for one, other in zip(play(make(), 30), play(shown_ten, 30), strict=True):
        np.testing.assert_array_equal(one[0][:, :10], other[0])
        assert_same(one[1:], other[1:])
    for one, other in zip(play(make(), 60), play(make(opponents=[Policy(scribbling), LAST]), 60), strict=True):
        assert_same(one, other)


def test_the_score_can_be_added_to_the_result():
    both, win, hearts = make(score_weight=0.25), make(), make(reward="hearts")
    for one, result, change in zip(play(both, 60), play(win, 60), play(hearts, 60), strict=True):
        np.testing.assert_allclose(one[1], result[1] + 0.25 * change[1])


@pytest.mark.parametrize("mode", MODES)
def test_the_same_seed_and_actions_make_the_same_games_whatever_the_number_of_threads(mode):
    envs = [make(MANY, autoreset_mode=mode, threads=threads) for threads in (1, 2, 5, None)]
    for steps in zip(*(play(env, 60) for env in envs), strict=True):
        for other in steps[1:]:
            assert_same(steps[0], other)


@pytest.mark.parametrize("mode", MODES)
def test_arrays_handed_out_are_never_written_again(mode):
    env = make(autoreset_mode=mode)
    observations, info = env.reset(seed=0)
    handed = [[observations, info["action_mask"]]]
    kept = copy.deepcopy(handed)
    for *arrays, info in play(env, 60):
        finals = [last for last in info.get("final_obs", []) if last is not None]
        handed.append([*arrays, info["action_mask"], env.action_masks(), *finals])
        kept.append(copy.deepcopy(handed[-1]))
    assert_same(handed, kept)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (61, r"^game 3: action 61 is out of range; allowed are 0 \.\. 60$"),
        (-1, r"^game 3: action -1 is out of range; allowed are 0 \.\. 60$"),
        (None, None),
    ],
)
def test_an_illegal_action_names_game_and_reason_and_changes_nothing(mode, wrong, reason):
    env, twin, rng = make(autoreset_mode=mode), make(autoreset_mode=mode), np.random.default_rng(0)
    for info, actions in together(env, twin, 20, seed=3):
        if info["action_mask"][3].any():
            bad, kept = actions.copy(), state_of(env)
            illegal = int(rng.choice(np.flatnonzero(info["action_mask"][3] == 0))) if wrong is None else wrong
            bad[3] = bad[7] = illegal
            why = said(GAME.words.why_illegal(kept["_states"][3], illegal), ()) if wrong is None else ""
            expected = reason or rf"^game 3: '.*' \(action {illegal}\) is illegal: {re.escape(why)}\. Legal for player_"
            with pytest.raises(IllegalActionError, match=expected):
                env.step(bad)
            assert_same(state_of(env), kept)
