"""The protocol of agents, the table that finds them by name, and evaluation by whole games."""

import copy
import pickle
from functools import cache
from multiprocessing import get_context

import numpy as np
import pytest

from blackjacky_agents import CompiledAgent, agent_names, bot_names, make_agent
from blackjacky_agents.arena import evaluation
from blackjacky_agents.arena.evaluation import against_copies, at_one_table, play_games
from blackjacky_agents.games.black_jacky.bots import threshold
from blackjacky_agents.registry import parse_agents
from blackjacky_env import IllegalActionError, black_jacky_v0, make_batch
from blackjacky_env.compiled.compiling import compiled
from tests.agents.positions import positions as sampled
from tests.policies import cheating, first_legal, last_legal, no_action, scribbling

BOTS = bot_names("black_jacky")
BOLD = np.array([6, 10, 6, 12], np.float32)
COPIES = [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))]


def seeded(name, seed=0):
    agent = make_agent(name)
    agent.reset(seed)
    return agent


@cache
def positions():
    """200 observations and masks, some way into games of all sizes."""
    return tuple(part[-200:] for part in sampled(games=200, moves=61, seed=2))


def one_by_one(agent):
    pairs = zip(*positions(), strict=True)
    return [agent.act({"observation": observation, "action_mask": mask}) for observation, mask in pairs]


def test_a_users_own_policy_stays_that_policy_in_copies_and_in_other_processes_if_they_can_find_it():
    agent = CompiledAgent("threshold", "black_jacky", last_legal)
    assert [copied(agent).policy for copied in COPIES] == [last_legal] * 2
    with get_context("spawn").Pool(1) as pool:
        there = pool.apply(agent.act_batch, positions())
    assert there.tolist() == agent.act_batch(*positions()).tolist()
    lost = CompiledAgent("lost", "black_jacky", compiled(lambda observation, mask, random_state, parameters: 0))
    assert copy.deepcopy(lost).policy is lost.policy
    with pytest.raises(pickle.PicklingError, match="define it at the top level of a module"):
        pickle.dumps(lost)


@pytest.mark.parametrize("name", BOTS)
def test_many_at_once_get_the_actions_of_one_after_the_other_and_a_reset_begins_again(name):
    agent = seeded(name)
    observations, masks = positions()
    parts = [agent.act_batch(observations[part], masks[part]) for part in (slice(0, 70), slice(70, 70), slice(70, 200))]
    actions = np.concatenate(parts)
    assert actions.dtype == np.int64
    agent.reset(0)
    assert actions.tolist() == one_by_one(agent)
    assert masks[np.arange(200), actions].all()
    if name == "random":  # other seeds make other choices, and without one the system chooses it
        agent.reset()
        others = [one_by_one(each) for each in (seeded(name, 1), agent, agent)]
        assert len({tuple(chosen) for chosen in [*others, actions.tolist()]}) == 4


@pytest.mark.parametrize("name", BOTS)
def test_who_is_asked_off_turn_says_so_and_goes_on_as_if_he_had_not_been(name):
    agent, (observations, masks) = seeded(name), positions()
    with pytest.raises(ValueError, match=f"{name} .* not this player's turn"):
        agent.act({"observation": observations[0], "action_mask": 0 * masks[0]})
    with pytest.raises(ValueError, match=f"{name} .* not this player's turn"):
        agent.act_batch(observations, np.where(np.arange(200)[:, None] == 7, 0, masks))
    assert one_by_one(agent) == one_by_one(seeded(name))


def test_arrays_of_other_integers_are_taken_and_others_are_refused_before_compiled_code_reads_them():
    observations, masks = (part[::2] for part in positions())
    expected = seeded("counter").act_batch(observations, masks).tolist()
    frozen = observations.copy(), np.asfortranarray(masks)
    for array in frozen:
        array.flags.writeable = False
    for arrays in (frozen, (observations.astype(np.int64), masks.astype(bool))):
        assert seeded("counter").act_batch(*arrays).tolist() == expected
    seen, masks = positions()
    for wrong in (seen / np.float32(2), seen[:, 1:], seen[:9], seen[0], None):
        with pytest.raises(ValueError, match="observations must be integers"):
            make_agent("threshold").act_batch(wrong, masks)
    for wrong in (masks[:, :60], masks.astype(float), masks[0], -masks, 2 * masks):
        with pytest.raises(ValueError, match=r"action masks must be integers|action mask \d+ has other entries"):
            make_agent("threshold").act_batch(seen, wrong)


@pytest.mark.parametrize("agent", [seeded("random"), CompiledAgent("bold", "black_jacky", threshold.choose, BOLD)])
def test_copies_go_on_alike_and_apart(agent):
    one_by_one(agent)
    others = [duplicate(agent) for duplicate in COPIES]
    ahead = one_by_one(agent), one_by_one(agent)
    if agent.name == "bold":  # the parameters of others are shared
        agent.parameters[:] = threshold.PARAMETERS
    assert [(one_by_one(other), one_by_one(other)) for other in others] == [ahead] * 2


def test_lists_of_agents_are_read_with_their_numbers_or_refused():
    assert parse_agents("counter, random * 2 ,ppo:my runs/a*3") == ["counter", *["random"] * 2, *["ppo:my runs/a"] * 3]
    for text in ("", "counter,", "a,,b", "random*", "random*0", "random*x", "*2", "a*2*3", "random*100"):
        with pytest.raises(ValueError, match=r"^--agents: .* is not NAME or NAME\*NUMBER"):
            parse_agents(text, "--agents")


class Wrapped:
    """An agent that does not show that it is compiled."""

    def __init__(self, agent):
        self.name, self.act, self.act_batch, self.reset = agent.name, agent.act, agent.act_batch, agent.reset


# Always in this order, so that one function is compiled for all these tests.
AGENTS = [make_agent(name) for name in ("counter", "random", "threshold", "trickster")]
COUNTER, RANDOM, THRESHOLD, TRICKSTER = range(4)


def play_by_hand(seats, seed, **options):
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


def test_each_game_follows_from_its_seed_and_its_seats_and_threads_change_nothing():
    seating = np.random.default_rng(3).integers(4, size=(700, 3))
    alone = play_games(AGENTS, seating, threads=1)
    for threads in (2, 5):
        np.testing.assert_array_equal(play_games(AGENTS, seating, threads=threads), alone)
    np.testing.assert_array_equal(play_games(AGENTS, seating[600:], seed=600), alone[600:])
    assert (play_games(AGENTS, seating, seed=8) != alone).any()
    wrapped = [Wrapped(agent) for agent in AGENTS]
    whole = play_games(wrapped, seating[:12])
    np.testing.assert_array_equal(play_games(wrapped, seating[5:12], seed=5), whole[5:])


@pytest.fixture
def seatings(monkeypatch):
    """The seats of all games that are played for scores."""
    found = []

    def play(agents, seating, *more, **options):
        found.append(seating)
        return play_games(agents, seating, *more, **options)

    monkeypatch.setattr(evaluation, "play_games", play)
    return found


def test_scores_are_those_of_the_games_played_by_hand(seatings):
    agents = [make_agent(name) for name in ("threshold", "trickster", "counter")]
    scores = [*at_one_table(agents, games=40, seed=50), *against_copies(agents[2], agents[:1], 3, games=40, seed=50)]
    pair = [agents[2], agents[0]]
    tables = [[agents[a] for a in row] for row in seatings[0]] + [[pair[a] for a in row] for row in seatings[1]]
    by_hand = np.array([play_by_hand(table, 50 + i % 40) for i, table in enumerate(tables)])
    for name, part, score in zip(["threshold", "trickster", "counter", "counter"], [0, 0, 0, 40], scores, strict=True):
        shares = by_hand[part : part + 40]
        seats = np.array([[agent.name == name for agent in table] for table in tables[part : part + 40]])
        assert score.win_rate == pytest.approx(shares[seats].mean())
        assert score.nobody == np.mean(shares.sum(axis=1) == 0)
        assert (score.games, score.par) == (40, 1 / 3)


def test_seats_are_drawn_for_every_game_and_every_opponent_is_met_in_the_same_games_and_seats(seatings):
    agents = [AGENTS[number] for number in (THRESHOLD, TRICKSTER, COUNTER, TRICKSTER)]
    at_one_table(agents[:3], games=90)
    (seating,) = seatings
    for agent in range(3):
        assert ((seating == agent).sum(axis=0) >= 20).all()
        assert ((seating == agent).sum(axis=1) == 1).all()
    scores = against_copies(agents[0], agents[1:], num_players=3, games=90)
    own = [seating == 0 for seating in seatings[1:]]
    assert (own[0] == own[1]).all()
    assert (own[0] == own[2]).all()
    assert scores[0] == scores[2] != scores[1]


def test_an_agent_that_only_acts_is_asked_for_one_game_at_a_time():
    class Acting:
        name, act = "acting", AGENTS[COUNTER].act

    seating = np.random.default_rng(5).choice([COUNTER, THRESHOLD], size=(6, 3))
    agents = [Acting(), *AGENTS[1:]]
    np.testing.assert_array_equal(play_games(agents, seating), play_games(AGENTS, seating))


def test_games_that_cannot_be_played_are_refused():
    for seating, options, named in (
        ([0, 4], {}, "seating"),
        ([0, -1], {}, "seating"),
        ([0, 1, 2], {"game": "schwarze_katze"}, "plays black_jacky, not schwarze_katze"),
        ([0, 1], {"busts_at": 21}, "busts_at"),
    ):
        with pytest.raises((TypeError, ValueError), match=named):
            play_games(AGENTS, np.array([seating]), **options)


@pytest.mark.parametrize("beyond", [1, 256])
def test_entries_out_of_range_are_refused(game, beyond):
    """Compiled code uses them as indices."""
    batch = make_batch(game.name, 2, seed=0)
    wrong = batch.observations.astype(np.int64)
    wrong[1, 0] = int(game.layout.high[0]) + beyond
    with pytest.raises(ValueError, match="entries"):
        make_agent(agent_names(game.name)[-1], game.name).act_batch(wrong, batch.action_masks)


def test_a_policy_that_finds_no_action_is_named():
    with pytest.raises(ValueError, match="lost chose -1, which mask 199 does not allow: observation and mask"):
        CompiledAgent("lost", "black_jacky", no_action).act_batch(*positions())


@pytest.mark.parametrize(("policy", "action"), [(no_action, "-1"), (cheating, "[0-9]+")])
def test_whole_games_in_which_a_compiled_policy_chooses_illegally_end_with_an_error_that_names_it(policy, action):
    agents = [AGENTS[RANDOM], CompiledAgent("wrong", "black_jacky", policy)]
    with pytest.raises(IllegalActionError, match=f"agent 'wrong' chose action {action}, which its mask does not allow"):
        play_games(agents, np.array([[0, 1]] * 5))


def test_a_compiled_policy_may_overwrite_what_it_was_shown():
    first, scribbler = (CompiledAgent("mine", "black_jacky", policy) for policy in (first_legal, scribbling))
    seen, masks = positions()
    shown, allowed = seen.copy(), masks.copy()
    np.testing.assert_array_equal(scribbler.act_batch(shown, allowed), first.act_batch(seen, masks))
    np.testing.assert_array_equal(shown, seen)
    np.testing.assert_array_equal(allowed, masks)
    seating = np.random.default_rng(6).integers(2, size=(40, 3))
    results = [play_games([agent, AGENTS[RANDOM]], seating) for agent in (first, scribbler)]
    np.testing.assert_array_equal(*results)
    assert results[0].any()


def test_parameters_that_a_policy_does_not_take_are_refused_before_compiled_code_reads_them():
    network = make_agent("champion")
    rollout, search = (make_agent(name).policy for name in ("rollout:9", "search:9"))
    packed, budget = network.parameters, "its budget is .*; allowed are 1 .. 1000000"
    for policy, wrong, said in (
        (threshold.choose, [], "it has 0 parameters; its policy takes 4"),
        (threshold.choose, [1, 2, np.nan, 3], "parameter 2 is nan; allowed are finite numbers"),
        (threshold.choose, [1, 2, 1e300, 3], "parameter 2 is "),
        (threshold.choose, [[1, 2], [3, 4]], r"int64 of shape \(2, 2\); allowed is a vector of numbers"),
        (threshold.choose, ["1"] * 4, "<U1 of shape"),
        (network.policy, [], "are no network"),
        (network.policy, packed[:6], "are no network"),
        (network.policy, packed[:-1], "are no network"),
        (network.policy, [packed[0], 1e9, *packed[2:]], "are no network"),
        (network.policy, [1, 1, 355, 1, *[0] * 356], "to 61 actions or more"),
        (rollout, [1e9, 2, 4, 2, 8], budget),
        (search, [0, 0, 0, *packed], budget),
        (search, [9, 0, 0, *packed[:9]], "are no network"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"agent 'mine': .*{said}"):
            CompiledAgent("mine", "black_jacky", policy, np.array(wrong))
    network.parameters = packed[:6]
    with pytest.raises(ValueError, match="agent 'champion': its 6 parameters are no network"):
        network.act_batch(*positions())
