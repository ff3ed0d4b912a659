"""The protocol of agents, the table that finds them by name, and evaluation by whole games."""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections.abc import Callable, Sequence
from functools import cache
from multiprocessing import get_context
from typing import Any

import gymnasium
import numba
import numpy as np
import numpy.typing as npt
import pytest

from blackjacky_agents import Agent, CompiledAgent, agent_names, bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies, at_one_table, play_games, score_of
from blackjacky_agents.arena.intervals import of_games
from blackjacky_agents.games.black_jacky.bots import threshold
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.network import network_policy, pack
from blackjacky_agents.registry import parse_agents
from blackjacky_env import black_jacky_v0, make_batch
from blackjacky_env.engine.compiling import compiled
from blackjacky_env.envs.opponents import opponent_names
from blackjacky_env.games import GAMES, get_game
from tests.plain_mode import printed_in_plain_mode
from tests.policies import last_legal, no_action

BOTS = bot_names("black_jacky")
COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda agent: pickle.loads(pickle.dumps(agent)),
}


def seeded(name: str, seed: int = 0) -> Agent:
    agent = make_agent(name)
    agent.reset(seed)
    return agent


@cache
def positions() -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """200 observations and masks, some way into games of all sizes."""
    batch = make_batch("black_jacky", 200, num_players=[2, 3, 4, 5, 6], seed=2)
    chooser = seeded("random")
    for _ in range(60):
        batch.step(chooser.act_batch(batch.observations, batch.action_masks))
    return batch.observations.copy(), batch.action_masks.copy()


def one_by_one(agent: Agent) -> list[int]:
    pairs = zip(*positions(), strict=True)
    return [agent.act({"observation": observation, "action_mask": mask}) for observation, mask in pairs]


# ---------------------------------------------------------------- protocol


@pytest.mark.parametrize("name", ["mine", "threshold"])
def test_a_users_own_policy_stays_that_policy_in_copies_and_other_processes(name: str) -> None:
    agent, (observations, masks) = CompiledAgent(name, "black_jacky", last_legal), positions()
    for copied in COPIES.values():
        twin = copied(agent)
        assert (twin.name, twin.policy) == (name, last_legal)
    with get_context("spawn").Pool(1) as pool:
        there = pool.apply(agent.act_batch, (observations, masks))
    assert there.tolist() == agent.act_batch(observations, masks).tolist()


def test_a_network_that_has_no_name_can_be_pickled() -> None:
    encoding = find_encoding("cards", "black_jacky")
    layer = np.random.default_rng(0).normal(size=(encoding.size, 61)), np.zeros(61)
    learner = CompiledAgent("learner", "black_jacky", network_policy(encoding), pack([layer], True))
    twin = pickle.loads(pickle.dumps(learner))
    assert twin.policy is learner.policy
    assert np.array_equal(twin.parameters, learner.parameters)


def test_a_policy_that_other_processes_cannot_find_can_be_copied_but_is_not_pickled() -> None:
    policy = compiled(lambda observation, mask, random_state, parameters: 0)
    agent = CompiledAgent("threshold", "black_jacky", policy)
    assert copy.deepcopy(agent).policy is policy
    with pytest.raises(pickle.PicklingError, match=r"'threshold'.*define it at the top level of a module"):
        pickle.dumps(agent)


def test_other_seeds_and_no_seed_make_other_choices() -> None:
    unseeded = make_agent("random")
    unseeded.reset()
    choices = [one_by_one(agent) for agent in (seeded("random", 1), seeded("random", 2), unseeded)]
    choices += [one_by_one(unseeded)]  # the random numbers go on
    assert len({tuple(actions) for actions in choices}) == 4


@pytest.mark.parametrize("name", BOTS)
def test_many_at_once_get_the_actions_of_one_after_the_other_and_a_reset_begins_again(name: str) -> None:
    agent = seeded(name)
    observations, masks = positions()
    parts = [agent.act_batch(observations[part], masks[part]) for part in (slice(0, 70), slice(70, 70), slice(70, 200))]
    assert [part.shape for part in parts] == [(70,), (0,), (130,)]
    actions = np.concatenate(parts)
    assert actions.dtype == np.int64
    agent.reset(0)
    assert actions.tolist() == one_by_one(agent)
    assert masks[np.arange(200), actions].all()


@pytest.mark.parametrize("name", BOTS)
def test_who_is_asked_off_turn_says_so_and_goes_on_as_if_he_had_not_been(name: str) -> None:
    env = black_jacky_v0.env(num_players=3)
    env.reset(seed=0)
    off_turn = next(agent for agent in env.agents if agent != env.agent_selection)
    agent = seeded(name)
    with pytest.raises(ValueError, match=f"{name} .* not this player's turn"):
        agent.act(env.observe(off_turn))
    observations, masks = positions()
    with pytest.raises(ValueError, match=f"{name} .* not this player's turn"):
        agent.act_batch(observations, np.where(np.arange(200)[:, None] == 7, 0, masks))
    assert one_by_one(agent) == one_by_one(seeded(name))


@pytest.mark.parametrize("name", BOTS)
def test_arrays_may_be_of_other_integers_read_only_and_not_contiguous(name: str) -> None:
    observations, masks = (part[::2] for part in positions())
    expected = seeded(name).act_batch(observations, masks).tolist()
    frozen = observations.copy(), np.asfortranarray(masks)
    for array in frozen:
        array.flags.writeable = False
    for arrays in (frozen, (observations.astype(np.int64), masks.astype(bool))):
        assert seeded(name).act_batch(*arrays).tolist() == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda seen, masks: (seen / np.float32(2), masks), r"^observations .* shape \(200, \d+\), not float32"),
        (lambda seen, masks: (seen[:, 1:], masks), r"^observations must be integers of shape \(200, \d+\), not int8"),
        (lambda seen, masks: (seen[:9], masks), r"^observations .* shape \(200, \d+\), not int8 of shape \(9, "),
        (lambda seen, masks: (seen[0], masks), "^observations must be integers"),
        (lambda seen, masks: (seen, masks[:, :60]), r"^action masks .* \(200, 61\), not int8 of shape \(200, 60\)"),
        (lambda seen, masks: (seen, masks.astype(float)), "^action masks must be integers .* not float64"),
        (lambda seen, masks: (seen, masks[0]), r"^action masks must be integers of shape \(N, 61\)"),
        (lambda seen, masks: (None, masks), "^observations must be integers"),
        (lambda seen, masks: (seen, -masks), r"action mask \d+ has other entries than 0 and 1"),
        (lambda seen, masks: (seen, 2 * masks), r"action mask \d+ has other entries than 0 and 1"),
    ],
)
def test_other_arrays_are_refused_before_compiled_code_reads_them(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent("threshold").act_batch(*change(*positions()))


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("name", BOTS)
def test_copies_go_on_alike_and_apart(name: str, duplicate: Callable[[Agent], Agent]) -> None:
    agent = seeded(name, 3)
    one_by_one(agent)
    other = duplicate(agent)
    ahead = one_by_one(agent), one_by_one(agent)
    assert (one_by_one(other), one_by_one(other)) == ahead
    assert (other.name, type(other)) == (name, type(agent))


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_keep_changed_parameters_of_their_own(duplicate: Callable[[CompiledAgent], CompiledAgent]) -> None:
    bold = np.array([6, 10, 6, 12], np.float32)
    agent = CompiledAgent("threshold", "black_jacky", threshold.choose, bold)
    other = duplicate(agent)
    assert other.parameters.tolist() == bold.tolist()
    expected = one_by_one(agent)
    assert expected != one_by_one(make_agent("threshold"))
    agent.parameters[:] = threshold.LIMITS
    assert one_by_one(other) == expected


def digests_of_choices() -> list[str]:
    """A hash of what each bot does in the same positions."""
    batch = make_batch("black_jacky", 5, num_players=[2, 3, 4, 5, 6], seed=1, hand_size=3, bust_at=30)
    agents, digests = [seeded(name) for name in BOTS], [hashlib.sha256() for _ in BOTS]
    for step in range(60):
        actions = [agent.act_batch(batch.observations, batch.action_masks) for agent in agents]
        for digest, chosen in zip(digests, actions, strict=True):
            digest.update(chosen.tobytes())
        batch.step(actions[step % len(agents)])
    return [digest.hexdigest() for digest in digests]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this process is in plain mode itself")
def test_bots_in_plain_python_and_compiled_do_the_same() -> None:
    assert printed_in_plain_mode(__file__).split() == digests_of_choices()


# ---------------------------------------------------------------- by name


@pytest.mark.parametrize(
    ("name", "near"),
    [("countr", "counter"), ("thresold", "threshold"), ("Counter", "counter"), ("nobody", ""), ("", ""), ("ppo", "")],
)
def test_an_unknown_name_is_answered_with_those_there_are(name: str, near: str) -> None:
    hint = rf"; did you mean '{near}'\?" if near else ""
    with pytest.raises(ValueError, match=f"^unknown agent {name!r} for black_jacky{hint}") as error:
        make_agent(name)
    assert str(error.value).endswith(
        "agents are 'random', 'threshold', 'trickster', 'counter', 'champion', 'rollout:PLAYOUTS', "
        "'ismcts:SIMULATIONS', 'ismcts:SECONDSs', 'search:SIMULATIONS', 'search:SECONDSs', 'search:SIMULATIONS+AGENT', "
        "a trained one, 'ppo:PATH', a solution, 'solved:PATH', a class or function, 'package.module:NAME', "
        "and a program, 'cmd:COMMAND'"
    )


@pytest.mark.parametrize("name", ["counter", "ppo:somewhere"])
def test_an_unknown_game_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"unknown game 'whist'\. Games are 'black_jacky'"):
        make_agent(name, game="whist")


def test_lists_of_agents_are_read_with_their_numbers() -> None:
    assert parse_agents("counter, random * 2 ,ppo:my runs/a*3") == ["counter", *["random"] * 2, *["ppo:my runs/a"] * 3]


@pytest.mark.parametrize(
    "text",
    ["", "counter,", "a,,b", "random*", "random*0", "random*-1", "random*x", "*2", "a**2", "a*2*3", "random*100"],
)
def test_a_wrong_list_of_agents_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"^--players: .* is not NAME or NAME\*NUMBER"):
        parse_agents(text, "--players")


def test_environments_know_all_agents_by_name_and_list_bots_weakest_first() -> None:
    others = ["champion", "ppo:", "rollout:", "ismcts:", "search:"]
    assert opponent_names("black_jacky") == ["random", "threshold", "trickster", "counter", *others]


def test_a_seat_plays_against_counter_by_name_as_against_the_agent() -> None:
    def episode(opponent: Any) -> list[Any]:
        env = gymnasium.make("blackjacky/BlackJackySeat-v0", opponents=[opponent], num_players=3)
        (observation, info), ended, seen = env.reset(seed=4), False, []
        while not ended:
            action = int(np.flatnonzero(info["action_mask"])[-1])
            observation, reward, ended, _, info = env.step(action)
            seen.append((observation.tolist(), reward))
        return seen

    assert episode("counter") == episode(make_agent("counter")) != episode("threshold")


# ---------------------------------------------------------------- evaluation


class Wrapped:
    """An agent that does not show that it is compiled."""

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self.reset, self.act, self.act_batch = agent.reset, agent.act, agent.act_batch


class Logged(Wrapped):
    """Writes its name down whenever it is reset."""

    def __init__(self, agent: Agent, log: list[str]) -> None:
        super().__init__(agent)
        self.reset = lambda seed: (log.append(self.name), agent.reset(seed))


# Always in this order, so that one function is compiled for all these tests.
AGENTS = [make_agent(name) for name in ("counter", "random", "threshold", "trickster")]
COUNTER, RANDOM, THRESHOLD, TRICKSTER = range(4)


def play_by_hand(seats: Sequence[Agent], seed: int, **options: Any) -> list[float]:
    """One game through PettingZoo: what each seat won."""
    env = black_jacky_v0.env(num_players=len(seats), **options)
    env.reset(seed=seed)
    for name in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        if terminated:
            break
        env.step(seats[env.possible_agents.index(name)].act(observation))
    winners = env.unwrapped.snapshot()["winners"]
    return [1 / len(winners) if seat in winners else 0.0 for seat in range(len(seats))]


@pytest.mark.parametrize(
    ("players", "who", "options"),
    [
        (2, [COUNTER, THRESHOLD, TRICKSTER], {}),
        (3, [COUNTER, THRESHOLD, TRICKSTER], {"hand_size": 3, "bust_at": 25}),
        (4, [COUNTER, THRESHOLD, TRICKSTER], {"variant": "schnell_duell"}),
        (5, [COUNTER], {}),  # threshold and trickster would draw lots for their tips
    ],
)
def test_games_go_as_through_pettingzoo(players: int, who: list[int], options: dict[str, Any]) -> None:
    seating = np.random.default_rng(1).choice(who, size=(12, players))
    by_hand = [play_by_hand([AGENTS[a] for a in row], 30 + i, **options) for i, row in enumerate(seating)]
    assert play_games(AGENTS, seating, seed=30, **options).tolist() == by_hand
    wrapped = [Wrapped(agent) for agent in AGENTS]
    assert play_games(wrapped, seating, seed=30, **options).tolist() == by_hand
    assert len({tuple(row) for row in by_hand}) > 1


@pytest.mark.parametrize("agents", [AGENTS, [Wrapped(agent) for agent in AGENTS]], ids=["compiled", "wrapped"])
def test_each_game_follows_from_its_seed_and_its_seats(agents: Sequence[Agent]) -> None:
    seating = np.random.default_rng(2).integers(4, size=(12, 4))
    whole = play_games(agents, seating, seed=7)
    np.testing.assert_array_equal(play_games(agents, seating[5:], seed=12), whole[5:])
    assert (play_games(agents, seating, seed=8) != whole).any()
    assert set(whole.sum(axis=1)) <= {0.0, 1.0}


def test_threads_change_nothing() -> None:
    seating = np.random.default_rng(3).integers(4, size=(700, 3))
    alone = play_games(AGENTS, seating, threads=1)
    for threads in (2, 5):
        np.testing.assert_array_equal(play_games(AGENTS, seating, threads=threads), alone)
    np.testing.assert_array_equal(play_games(AGENTS, seating[600:], seed=600), alone[600:])
    opponents = AGENTS[1:]
    scores = [against_copies(AGENTS[COUNTER], opponents, 3, games=300, threads=threads) for threads in (1, 3)]
    assert scores[0] == scores[1]


def test_scores_are_those_of_the_games_played_by_hand() -> None:
    log: list[str] = []
    agents = [Logged(make_agent(name), log) for name in ("threshold", "trickster", "counter")]
    scores = [*at_one_table(agents, games=40, seed=50), *against_copies(agents[2], agents[:1], 3, games=40, seed=50)]
    table = [log[i : i + 3] for i in range(0, len(log), 3)]
    by_hand = np.array([play_by_hand([make_agent(name) for name in row], 50 + i % 40) for i, row in enumerate(table)])
    for name, part, score in zip(["threshold", "trickster", "counter", "counter"], [0, 0, 0, 40], scores, strict=True):
        shares, seats = by_hand[part : part + 40], np.array(table[part : part + 40]) == name
        assert score.win_rate == pytest.approx(shares[seats].mean())
        assert score.nobody == np.mean(shares.sum(axis=1) == 0)
        assert (score.games, score.par) == (40, 1 / 3)


def test_seats_are_drawn_for_every_game_and_every_opponent_is_met_in_the_same_games_and_seats() -> None:
    log: list[str] = []  # who was reset, which happens seat by seat
    agents = [Logged(make_agent(name), log) for name in ("threshold", "trickster", "counter", "trickster")]
    at_one_table(agents[:3], games=90)
    for seat in range(3):
        assert all(20 <= log[seat::3].count(agent.name) <= 40 for agent in agents[:3])
    assert all(len({*log[game : game + 3]}) == 3 for game in range(0, len(log), 3))
    log.clear()
    scores = against_copies(agents[0], agents[1:], num_players=3, games=90)
    seats = [i % 3 for i, name in enumerate(log) if name == "threshold"]
    assert seats[:90] == seats[90:180] == seats[180:]
    assert all(20 <= seats[:90].count(seat) <= 40 for seat in range(3))
    assert scores[0] == scores[2] != scores[1]
    assert [(score.games, score.par) for score in scores] == [(90, 1 / 3)] * 3


def test_a_score_counts_shares_and_games_without_a_winner() -> None:
    score = score_of(np.array([1.0, 0.5, 0.0, 0.0]), np.array([False, False, False, True]), num_players=5)
    assert (score.games, score.win_rate, score.par, score.nobody) == (4, 0.375, 0.2, 0.25)
    assert (score.low, score.high) == of_games(0.375, 1.25 / 4, 4)


@pytest.mark.parametrize(
    ("seating", "options", "error", "message"),
    [
        ([[0, 4]], {}, ValueError, r"seating must hold indices of agents, 0 .. 3, not \[0 4\]"),
        ([[0, -1]], {}, ValueError, "seating must hold indices of agents"),
        ([[0] * 7], {}, ValueError, "num_players=7.* 2 .. 6"),
        ([[0, 1]], {"variant": "fast"}, ValueError, "variant='fast'"),
        ([[0, 1]], {"threads": 0}, ValueError, "threads"),
        ([[0, 1]], {"seed": -1}, ValueError, "seed"),
        ([[0, 1]], {"game": "whist"}, ValueError, "unknown game 'whist'"),
        ([[0, 1, 2]], {"game": "schwarze_katze"}, ValueError, "plays black_jacky, not schwarze_katze"),
        ([[0, 1]], {"bust_at": 1}, ValueError, "bust_at"),
        ([[0, 1]], {"busts_at": 21}, TypeError, "busts_at"),
    ],
)
def test_games_that_cannot_be_played_are_refused(seating: Any, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        play_games(AGENTS, np.array(seating), **options)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("beyond", [1, 256])
def test_entries_out_of_range_are_refused(game: str, beyond: int) -> None:
    """Compiled code uses them as indices."""
    layout, batch = get_game(game).layout, make_batch(game, 2, seed=0)
    wrong = batch.observations.astype(np.int64)
    wrong[1, 0] = int(layout.high[0]) + beyond
    with pytest.raises(ValueError, match="entries"):
        make_agent(agent_names(game)[-1], game).act_batch(wrong, batch.action_masks)


def test_a_policy_that_finds_no_action_is_named() -> None:
    with pytest.raises(ValueError, match="lost chose -1, which is no action of black_jacky: observation and mask 199"):
        CompiledAgent("lost", "black_jacky", no_action).act_batch(*positions())


if __name__ == "__main__":
    print("\n".join(digests_of_choices()))
