"""Many games with one learner's seat each: the `VecEnv` that training runs on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.error import ResetNeeded

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.bots import random_bot
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_env import IllegalActionError, black_jacky_v0
from blackjacky_env.engine import random
from blackjacky_env.engine.purposes import FOR_POLICIES
from blackjacky_env.engine.table import identity, pack
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game
from tests.agents.policies import last_legal
from tests.agents.positions import encoded

sb3_contrib = pytest.importorskip("sb3_contrib")

from stable_baselines3.common.vec_env import VecEnv, VecMonitor  # noqa: E402 - only where it is installed

from blackjacky_agents.learning.sb3 import LearnerVecEnv  # noqa: E402

GAME = get_game("black_jacky")
SIZE, NUM_ACTIONS = GAME.layout.size, GAME.num_actions
ALL_SIZES = [2, 3, 4, 5, 6]
# One round of one turn: player 0 starts, and somebody loses his only heart before player 1 acts.
OVER_AFTER_ONE_TURN = {"num_players": 2, "hearts": 1, "max_turns_per_round": 1, "tricks": ()}


LAST = CompiledAgent("last", GAME.name, last_legal)
POLICIES = {"random": random_bot.choose, "last": last_legal}
LINEUPS = (("random",), ("last", "random", "last"))
"""By name: five random players; and clockwise of the learner last, random, last, last, random."""


def agents(lineup: Sequence[str]) -> list[str | CompiledAgent]:
    return [LAST if name == "last" else name for name in lineup]


def make(num_envs: int = 10, **options: Any) -> LearnerVecEnv:
    """Games in which both line-ups play, so that all tests need only one compiled function."""
    opponents = [agents(lineup) for lineup in LINEUPS]
    return LearnerVecEnv(num_envs, **{"num_players": ALL_SIZES, "opponents": opponents, "seed": 3, **options})


def random_actions(env: LearnerVecEnv, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    masks = env.action_masks()
    return np.argmax(rng.random(masks.shape) * masks, axis=1)


def raw(shown: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """The observation that was scaled by its declared range."""
    return np.rint(shown * GAME.layout.high).astype(np.int8)


def states_of(env: LearnerVecEnv) -> Any:
    return env.get_state()["states"].view(GAME.state_dtype)


def assert_equal_steps(one: Any, other: Any) -> None:
    """Observations, rewards, dones and infos of two steps."""
    for a, b in zip(one[:3], other[:3], strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(one[3], other[3], strict=True):
        assert a.keys() == b.keys()
        np.testing.assert_array_equal(a["action_mask"], b["action_mask"])
        assert a.get("episode") == b.get("episode")
        np.testing.assert_array_equal(a.get("terminal_observation"), b.get("terminal_observation"))


# ---------------------------------------------------------------- as SB3 expects a VecEnv


def test_arrays_have_the_declared_shapes_and_dtypes() -> None:
    env, rng = make(), np.random.default_rng(0)
    assert isinstance(env, VecEnv)
    assert env.num_envs == 10
    shown = env.reset()
    for _ in range(100):
        assert (shown.shape, shown.dtype) == ((10, SIZE), np.float32)
        assert all(row in env.observation_space for row in shown)
        masks = env.action_masks()
        assert (masks.shape, masks.dtype) == ((10, NUM_ACTIONS), np.bool_)
        assert masks.any(axis=1).all()
        shown, rewards, dones, infos = env.step(random_actions(env, rng))
        assert (rewards.shape, rewards.dtype) == ((10,), np.float32)
        assert (dones.shape, dones.dtype) == ((10,), np.bool_)
        assert len(infos) == 10
    assert env.action_space.n == NUM_ACTIONS


def test_masks_stand_in_the_infos_and_where_sb3_contrib_asks_for_them() -> None:
    env, rng = make(), np.random.default_rng(0)
    env.reset()
    infos = env.reset_infos
    for _ in range(10):
        masks = env.action_masks()
        np.testing.assert_array_equal(np.stack(env.env_method("action_masks")), masks)
        np.testing.assert_array_equal(np.stack([info["action_mask"] for info in infos]), masks)
        assert infos[0]["action_mask"].dtype == np.int8
        np.testing.assert_array_equal(env.env_method("action_masks", indices=[7, 2]), masks[[7, 2]])
        infos = env.step(random_actions(env, rng))[3]


def test_arrays_handed_out_are_never_written_again() -> None:
    env, rng = make(), np.random.default_rng(0)
    handed = [env.reset(), env.action_masks(), env.reset_infos[0]["action_mask"]]
    kept = [array.copy() for array in handed]
    for _ in range(60):
        shown, rewards, dones, infos = env.step(random_actions(env, rng))
        more = [shown, rewards, dones, infos[3]["action_mask"]]
        more += [info["terminal_observation"] for info in infos if "terminal_observation" in info]
        handed += more
        kept += [array.copy() for array in more]
    for was, now in zip(kept, handed, strict=True):
        np.testing.assert_array_equal(was, now)


def test_ended_games_tell_their_last_observation_and_what_the_episode_brought() -> None:
    env, rng = make(score_weight=0.25), np.random.default_rng(0)
    env.reset()
    returns, lengths, ended = np.zeros(10), np.zeros(10, int), 0
    for _ in range(150):
        _, rewards, dones, infos = env.step(random_actions(env, rng))
        returns += rewards
        lengths += 1
        for i, info in enumerate(infos):
            assert set(info) == {"action_mask", *(("terminal_observation", "episode") if dones[i] else ())}
            if not dones[i]:
                continue
            assert info["terminal_observation"] in env.observation_space
            assert black_jacky_v0.decode(raw(info["terminal_observation"]))["phase"] == [0, 0, 0, 0, 1]
            assert (info["episode"]["r"], info["episode"]["l"]) == (pytest.approx(returns[i], abs=1e-5), lengths[i])
            returns[i] = lengths[i] = 0
            ended += 1
    assert ended > 20


def test_maskable_ppo_learns_on_it_without_a_warning() -> None:
    env = VecMonitor(make(), info_keywords=())
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0)
    model.learn(320)
    assert model.num_timesteps == 320
    assert len(model.ep_info_buffer) > 0


def test_single_games_have_no_attributes_of_their_own() -> None:
    env = make(4)
    assert env.get_attr("num_envs", [0, 3]) == [4, 4]
    assert env.get_attr("render_mode") == [None] * 4
    assert env.env_is_wrapped(VecMonitor) == [False] * 4
    assert env.has_attr("action_masks")
    with pytest.raises(AttributeError, match=r"'reward' cannot be set for single games .*set_opponents\(\)"):
        env.set_attr("reward", "hearts")
    with pytest.raises(AttributeError, match="no method 'render'; only 'action_masks' is supported"):
        env.env_method("render")


# ---------------------------------------------------------------- seeds


def test_the_same_seed_and_actions_make_the_same_games_whatever_the_number_of_threads() -> None:
    envs = [make(330, threads=threads) for threads in (1, 2, 5)]
    rng = np.random.default_rng(0)
    shown = [env.reset() for env in envs]
    np.testing.assert_array_equal(shown[0], shown[1])
    np.testing.assert_array_equal(shown[0], shown[2])
    for _ in range(100):
        actions = random_actions(envs[0], rng)
        steps = [env.step(actions) for env in envs]
        assert_equal_steps(steps[0], steps[1])
        assert_equal_steps(steps[0], steps[2])


def test_games_of_a_batch_and_of_other_seeds_differ() -> None:
    shown = np.concatenate([make(50, num_players=4, seed=seed).reset() for seed in range(4)])
    assert len(np.unique(shown, axis=0)) > 180  # the rest have the same hand


def test_a_reset_starts_the_next_games_and_a_seed_the_same_ones_again() -> None:
    env = make(seed=8)
    first, second = env.reset(), env.reset()
    assert not np.array_equal(first, second)
    assert env.seed(8) == [8] * 10
    np.testing.assert_array_equal(env.reset(), first)
    np.testing.assert_array_equal(env.reset(), second)
    env.seed(9)
    assert not np.array_equal(env.reset(), first)


def test_without_a_seed_the_system_chooses_one() -> None:
    one, other = make(), make()
    assert one.seed() != other.seed()
    assert not np.array_equal(one.reset(), other.reset())


# ---------------------------------------------------------------- the games


class Episode(NamedTuple):
    """One learner's game: who sat where, and what he saw, did and got."""

    num_players: int
    key: int
    seat: int
    steps: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], int, float]]
    last_shown: npt.NDArray[np.float32]
    played: dict[str, Any]


def episodes(env: LearnerVecEnv, count: int, seed: int = 0) -> Iterator[Episode]:
    """Whole games of random learners, at least ``count`` from each place."""
    rng, shown = np.random.default_rng(seed), env.reset()
    left, open_steps = np.full(env.num_envs, count), [[] for _ in range(env.num_envs)]  # type: ignore[var-annotated]
    while left.max() > 0:
        kept, masks = env.get_state(), [mask.astype(np.int8) for mask in env.action_masks()]
        states, actions = kept["states"].view(GAME.state_dtype), random_actions(env, rng)
        after, rewards, dones, infos = env.step(actions)
        for i, steps in enumerate(open_steps):
            steps.append((shown[i], masks[i], int(actions[i]), float(rewards[i])))
            if dones[i]:
                last, told = infos[i]["terminal_observation"], infos[i]["episode"]
                size, key = int(states["num_players"][i]), int(states["key"][i])
                yield Episode(size, key, int(kept["seats"][i]), steps.copy(), last, told)
                steps.clear()
                left[i] -= 1
        shown = after


class Replay:
    """The PettingZoo environment plays an episode again, opponents drawing what they drew in the batch."""

    def __init__(self, episode: Episode, lineup: Sequence[str], **options: Any) -> None:
        self.env = black_jacky_v0.env(num_players=episode.num_players, **options)
        self.env.reset(seed=0)
        self.env.replay({**self.env.record(), "key": episode.key, "actions": []})
        self.seat, self.lineup = episode.seat, lineup
        self.learner = f"player_{episode.seat}"
        self.key, self.decisions = np.uint64(episode.key), 0
        self.play_on()
        self.first_hearts = self.hearts()

    def hearts(self) -> int:
        hearts: int = self.env.snapshot()["hearts"][self.seat]
        return hearts

    def play_on(self) -> None:
        """Let the opponents play until the learner is to act."""
        env = self.env
        while not env.terminations[self.learner] and env.agent_selection != self.learner:
            relative = (int(env.agent_selection[-1]) - self.seat) % env.num_players
            policy = POLICIES[self.lineup[(relative - 1) % len(self.lineup)]]
            view = env.observe(env.agent_selection)
            state = np.uint64(random.stream(self.key, FOR_POLICIES, self.decisions, 0))
            env.step(int(policy(view["observation"], view["action_mask"], state, np.zeros(0, np.float32))))
            self.decisions += 1

    def step(self, action: int) -> tuple[float, int]:
        """Make the learner's action: what it brings him until he acts again, as results and as hearts."""
        before = self.hearts()
        self.env.step(action)
        self.play_on()
        return self.env.rewards[self.learner], self.hearts() - before

    def view(self) -> dict[str, npt.NDArray[np.int8]]:
        seen: dict[str, npt.NDArray[np.int8]] = self.env.observe(self.learner)
        return seen


def is_played_by(lineup: Sequence[str], episode: Episode, weights: tuple[float, float], **options: Any) -> bool:
    """Whether the episode is what the PettingZoo environment plays with these opponents."""
    replay = Replay(episode, lineup, **options)
    for shown, mask, action, reward in episode.steps:
        view = replay.view()
        if not (np.array_equal(raw(shown), view["observation"]) and np.array_equal(mask, view["action_mask"])):
            return False
        result, hearts = replay.step(action)
        if reward != pytest.approx(weights[0] * result + weights[1] * hearts):
            return False
    brought = weights[0] * result + weights[1] * (replay.hearts() - replay.first_hearts)
    return (
        replay.env.terminations[replay.learner]
        and np.array_equal(raw(episode.last_shown), replay.view()["observation"])
        and episode.played == {"r": pytest.approx(brought), "l": len(episode.steps), "t": 0.0}
    )


@pytest.mark.parametrize(
    ("options", "rewards", "weights"),
    [
        ({}, {"reward": "win"}, (1, 0)),
        ({"variant": "schnell_duell"}, {"reward": "hearts"}, (0, 1)),
        ({"tricks": (3, 6), "hand_size": 3, "hearts": 1}, {"score_weight": 0.3}, (1, 0.3)),
    ],
)
def test_the_games_are_those_of_the_pettingzoo_environment(
    options: dict[str, Any], rewards: dict[str, Any], weights: tuple[float, float]
) -> None:
    env, met = make(**options, **rewards), set()
    for episode in episodes(env, 3):
        fitting = [lineup for lineup in LINEUPS if is_played_by(lineup, episode, weights, **options)]
        assert fitting
        met |= {lineup for lineup in fitting if len(fitting) == 1}
    assert met == set(LINEUPS)


def test_the_encoding_is_that_of_what_the_environment_shows() -> None:
    cards = find_encoding("cards", GAME.name)
    env, twin, rng = make(5, encoding=cards), make(5), np.random.default_rng(0)
    assert env.observation_space.shape == (cards.size,)
    shown, seen = env.reset(), raw(twin.reset())
    for _ in range(50):
        np.testing.assert_array_equal(env.action_masks(), twin.action_masks())
        np.testing.assert_array_equal(shown, encoded(cards, seen, env.action_masks().view(np.int8)))
        actions = random_actions(env, rng)
        shown, _, dones, infos = env.step(actions)
        scaled, _, _, twin_infos = twin.step(actions)
        seen = raw(scaled)
        for i in np.flatnonzero(dones):
            last = raw(twin_infos[i]["terminal_observation"])[None]
            off = np.zeros((1, NUM_ACTIONS), np.int8)
            np.testing.assert_array_equal(infos[i]["terminal_observation"], encoded(cards, last, off)[0])


def test_a_game_pays_at_its_end_what_a_share_of_the_win_is_worth() -> None:
    env, paid = make(20), {size: set() for size in ALL_SIZES}  # type: ignore[var-annotated]
    for episode in episodes(env, 8):
        *before, last = (reward for _, _, _, reward in episode.steps)
        assert not any(before)
        paid[episode.num_players].add(round(last, 5))
    for size, rewards in paid.items():
        won_or_lost = {round(1 / winners, 5) for winners in range(1, size)}
        won_or_lost |= {round(-1 / (size - winners), 5) for winners in range(1, size)}
        assert {1.0, round(-1 / (size - 1), 5)} <= rewards <= won_or_lost | {0.0}


def test_table_sizes_are_dealt_out_in_turn() -> None:
    for sizes, dealt in (([2, 6, 3], [2, 6, 3, 2, 6, 3, 2]), (5, [5, 5, 5]), (np.array([3, 6]), [3, 6, 3])):
        env = make(len(dealt), num_players=sizes)
        env.reset()
        assert states_of(env)["num_players"].tolist() == dealt


def test_the_learner_sits_in_the_given_seat_or_in_every_one() -> None:
    fixed = make(20, num_players=[3, 6], seat=2)
    fixed.reset()
    assert set(fixed.get_state()["seats"].tolist()) == {2}
    assert (states_of(fixed)["player"] == 2).all()
    drawn = make(200, num_players=4)
    drawn.reset()
    assert np.bincount(drawn.get_state()["seats"]).min() > 25
    np.testing.assert_array_equal(states_of(drawn)["player"], drawn.get_state()["seats"])


def test_games_that_end_before_the_learners_first_decision_are_skipped() -> None:
    env, rng = make(40, **OVER_AFTER_ONE_TURN), np.random.default_rng(0)
    shown = env.reset()
    assert env.get_state()["played"].max() > 1
    for _ in range(20):
        for row in raw(shown):
            assert black_jacky_v0.decode(row)["start_player"] == [1, 0, 0, 0, 0, 0]
        shown = env.step(random_actions(env, rng))[0]


# ---------------------------------------------------------------- opponents and states


def table_in(state: Any) -> TableEnv:
    """The PettingZoo environment in the position of one game of two players."""
    table = black_jacky_v0.env(num_players=2)
    header = {**identity(GAME, 2, "classic", table.options), "history": None}
    table.set_state(pack(header, state))
    return table


def test_new_opponents_take_the_seats_of_running_games_at_once() -> None:
    env, rng = make(20, num_players=2, seat=0), np.random.default_rng(0)
    env.reset()
    for _ in range(5):
        env.step(random_actions(env, rng))
    env.set_opponents([LAST])
    compared = 0
    for _ in range(10):
        before, actions = states_of(env), random_actions(env, rng)
        shown, _, dones, _ = env.step(actions)
        for i in np.flatnonzero(~dones):
            table = table_in(before[i : i + 1])
            table.step(int(actions[i]))
            while table.agent_selection == "player_1":
                table.step(int(np.flatnonzero(table.infos["player_1"]["action_mask"])[-1]))
                compared += 1
            np.testing.assert_array_equal(raw(shown[i]), table.observe("player_0")["observation"])
    assert compared > 100


def test_a_state_goes_on_as_if_nothing_had_happened() -> None:
    env, other, rng = make(score_weight=0.5), make(score_weight=0.5, seed=99), np.random.default_rng(0)
    env.reset()
    for _ in range(40):
        shown = env.step(random_actions(env, rng))[0]
    kept = env.get_state()
    copies = {name: array.copy() for name, array in kept.items()}
    np.testing.assert_array_equal(other.set_state(kept), shown)
    for _ in range(80):
        np.testing.assert_array_equal(env.action_masks(), other.action_masks())
        actions = random_actions(env, rng)
        assert_equal_steps(env.step(actions), other.step(actions))
    for name, array in copies.items():
        np.testing.assert_array_equal(kept[name], array)
    np.testing.assert_array_equal(env.reset(), other.reset())


def test_a_line_up_may_be_changed_to_agents_that_have_not_played_here_yet() -> None:
    env, rng = make(4, opponents=["random"]), np.random.default_rng(0)
    env.reset()
    env.set_opponents([agents(LINEUPS[1]), "random"])
    for _ in range(20):
        _, _, _, infos = env.step(random_actions(env, rng))
        assert all(info["action_mask"].any() for info in infos)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (61, r"^game 3: action 61 is out of range; allowed are 0 \.\. 60$"),
        (-1, r"^game 3: action -1 is out of range; allowed are 0 \.\. 60$"),
        (None, r"^game 3: .*[a-z]{3}"),
    ],
)
def test_an_illegal_action_names_game_and_reason_and_changes_nothing(wrong: int | None, reason: str) -> None:
    env, twin, rng = make(), make(), np.random.default_rng(0)
    env.reset()
    twin.reset()
    for _ in range(30):
        actions = random_actions(env, rng)
        bad, kept = actions.copy(), env.get_state()
        illegal = int(rng.choice(np.flatnonzero(~env.action_masks()[3]))) if wrong is None else wrong
        bad[3] = bad[7] = illegal
        if wrong is None:
            reason = f"^game 3: {re.escape(GAME.words.why_illegal(states_of(env)[3], illegal))}$"
        with pytest.raises(IllegalActionError, match=reason):
            env.step(bad)
        for name, array in env.get_state().items():
            np.testing.assert_array_equal(array, kept[name])
        assert_equal_steps(env.step(actions), twin.step(actions))


@pytest.mark.parametrize(
    "actions", [np.zeros(9, int), np.zeros((10, 1), int), np.zeros(10), np.zeros(10, bool), None, ["draw"] * 10]
)
def test_anything_but_an_integer_for_each_game_is_refused(actions: Any) -> None:
    env = make()
    env.reset()
    with pytest.raises(TypeError, match="actions must be 10 integers, not "):
        env.step(actions)


def test_acting_before_the_reset_is_refused() -> None:
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        make().step(np.zeros(10, int))
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        make().get_state()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_envs": 0}, ValueError, r"num_envs=0 is out of range; allowed are 1 \.\. "),
        ({"num_players": 7}, ValueError, r"num_players=7 is out of range; allowed are 2 \.\. 6"),
        ({"num_players": [4, 1]}, ValueError, r"num_players=1 is out of range; allowed are 2 \.\. 6"),
        ({"num_players": []}, ValueError, r"num_players=\[\] is empty; allowed are"),
        ({"num_players": [2, 6], "seat": 2}, ValueError, r"seat=2 is out of range; allowed are 0 \.\. 1"),
        ({"variant": "fast"}, ValueError, "variant='fast' is unknown; allowed are 'classic', 'schnell_duell'"),
        ({"reward": "points"}, ValueError, "reward='points' is unknown; allowed are 'win', 'hearts'"),
        ({"threads": 0}, ValueError, r"threads=0 is out of range; allowed are 1 \.\. 1024"),
        ({"seed": -1}, ValueError, r"seed=-1 is out of range; allowed are 0 \.\. "),
        ({"seed": 1.5}, TypeError, "seed=1.5 is not an integer"),
        ({"jokers": 2}, TypeError, r"unknown option jokers=2; options of black_jacky are max_card, "),
        ({"hand_size": 6}, ValueError, "hand_size=6 cannot be dealt to num_players=6"),
        ({"opponents": []}, ValueError, r"opponents=\[\] is empty; allowed is a list"),
        ({"opponents": [[]]}, ValueError, r"the line-up \[\] has 0 agents; allowed are 1 \.\. 5"),
        ({"opponents": [["random"] * 6]}, ValueError, r"has 6 agents; allowed are 1 \.\. 5"),
        ({"opponents": ["cuonter"]}, ValueError, "unknown opponent 'cuonter' for black_jacky; did you mean 'counter'"),
        ({"game": "skat"}, ValueError, "'skat'.*black_jacky"),
    ],
)
def test_options_are_checked_by_name(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(**options)
