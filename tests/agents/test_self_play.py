"""Self-play: what is collected equals the same games at the table, and whole small trainings."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
import torch

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding
from blackjacky_agents.kit.encoding import raw_encoding
from blackjacky_agents.learning.collecting import Collector, Returns
from blackjacky_agents.learning.modules import Narrowed, mlp, outputs_of
from blackjacky_agents.learning.sb3 import LearnerVecEnv
from blackjacky_agents.learning.self_play import SelfPlay, _logits
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_agents.networks.network import encode_all, pack
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.compiled.purposes import FOR_LINEUPS
from blackjacky_env.compiled.random import draw, stream
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import get_game
from blackjacky_env.play import LEARNER, NONE
from tests.agents.positions import ALL_SIZES
from tests.envs.playing import assert_same, random_legal
from tests.policies import last_legal

SMALL = replace(
    presets_of("black_jacky")["scratch"], steps=3000, minutes=1e18, hidden_sizes=(32,), batch_size=64, num_envs=16,
    n_steps=8, snapshot_every=500, pool_size=2, bots=("threshold",), eval_games=5, final_eval_games=10, seed=3,
)  # fmt: skip
NAMES = ("seats", "games", "following")
RETURNS = Returns(gamma=0.9, gae_lambda=0.8, score_weight=0.5)
SEED, PLAYERS = 7, 3


def collector(game, count, length, threads=1, size=PLAYERS):
    states = zeros(count, game.state_dtype)
    players, variant = game.choose_table(size, None)
    for i in range(count):
        states[i] = game.new_state(players, variant, game.check_options(players, variant, {}))[0]
    return Collector(game, find_encoding("raw", game.name), states, length, RETURNS, SEED, threads)


def random_network(game):
    """A packed network with a value beside the logits."""
    rng = np.random.default_rng(0)
    sizes = (game.layout.size, 16, game.num_actions + 1)
    layers = [(rng.normal(0, 0.5, pair), rng.normal(0, 0.1, pair[1])) for pair in pairwise(sizes)]
    return pack([(weights.astype(np.float32), bias.astype(np.float32)) for weights, bias in layers], False)


class Watched:
    """The games at index 0 of a collector, played again at the table with the actions that it noted."""

    def __init__(self, game, encoding, stretch):
        self.env = TableEnv(game.name, num_players=PLAYERS)
        self.stretch, self.encoding, self.games = stretch, encoding, 0
        self.earned, self.following, self.deciders, self.last, self.potentials = [], [], [], {}, {}
        while len(self.earned) < stretch.actions.shape[1]:
            if not self.games or all(self.env.terminations.values()):
                self._start()
            self._move()

    def _start(self):
        draws = np.uint64(stream(np.uint64(SEED), FOR_LINEUPS, 0, self.games))
        self.env.reset(seed=int(draw(draws, 0)) >> 1)
        self.games, self.last = self.games + 1, {}

    def _move(self):
        agent, t = self.env.agent_selection, len(self.earned)
        seen = self.env.observe(agent)
        action = int(np.argmax(seen["action_mask"]))
        if seen["action_mask"].sum() > 1:
            self._note(agent, t, seen)
            action = int(self.stretch.actions[0, t])
        self.env.step(action)
        if all(self.env.terminations.values()):
            for each, before in self.last.items():
                final = RETURNS.score_weight * self._score_above_mean(self.env.possible_agents.index(each))
                self.earned[before] = self.env.rewards[each] + final - self.potentials[each]

    def _note(self, agent, t, seen):
        np.testing.assert_array_equal(self.stretch.masks[0, t], seen["action_mask"] > 0)
        shown = encode_all(self.encoding, seen["observation"][None], seen["action_mask"][None])
        np.testing.assert_array_equal(self.stretch.inputs[0, t], shown[0])
        seat = self.env.possible_agents.index(agent)
        now = RETURNS.score_weight * self._score_above_mean(seat)
        if agent in self.last:
            before = self.last[agent]
            self.earned[before], self.following[before] = RETURNS.gamma * now - self.potentials[agent], t
        self.earned.append(np.nan)
        self.following.append(None)
        self.deciders.append((self.games, seat))
        self.last[agent], self.potentials[agent] = t, now

    def _score_above_mean(self, seat):
        scores = [self.env.game.rules.score(self.env._states[0], other) for other in range(PLAYERS)]
        return float(scores[seat] - np.mean(scores))


def test_what_is_collected_equals_the_same_games_at_the_table(game):
    played = collector(game, 2, 400)
    in_all_seats = np.full((1, game.max_players - 1), LEARNER)
    stretch = played.collect(random_network(game), [], in_all_seats)
    watched = Watched(game, find_encoding("raw", game.name), stretch)
    assert played.tables.started[0] == watched.games
    assert [*zip(played.links.games[0], played.links.seats[0], strict=True)] == watched.deciders
    values, checked = stretch.values[0], 0
    for t in reversed(range(400)):
        following = watched.following[t]
        if np.isnan(watched.earned[t]):  # awaited beyond the stretch
            continue
        expected = watched.earned[t] - values[t]
        if following is not None:
            later = values[following] + RETURNS.gae_lambda * stretch.advantages[0, following]
            expected += RETURNS.gamma * later
        assert stretch.advantages[0, t] == pytest.approx(expected, rel=1e-5, abs=1e-5)
        checked += 1
    assert checked > 300


def test_regularised_rewards_are_those_of_their_definition_and_sum_to_zero_over_the_seats(game):
    size, length = game.min_players, 80
    played = collector(game, 2, length, size=size)
    stretch = played.collect(random_network(game), [], np.full((1, game.max_players - 1), LEARNER))
    before, costs = played.links.rewards.copy(), np.random.default_rng(1).normal(size=(2, length))
    played.regularise(stretch, costs)
    rewards, seats, games, following = (getattr(played.links, name)[1] for name in ("rewards", *NAMES))
    unpaid = 0.0
    for t in range(length):
        same = np.flatnonzero(games == games[t])
        until = length if following[t] == NONE else following[t]
        received = sum(costs[1, u] for u in same if t < u < until and seats[u] != seats[t]) / (size - 1)
        assert rewards[t] == pytest.approx(before[1, t] - costs[1, t] + received)
        advantage = rewards[t] - stretch.values[1, t]
        if following[t] != NONE:
            later = stretch.values[1, until] + RETURNS.gae_lambda * stretch.advantages[1, until]
            advantage += RETURNS.gamma * later
        assert stretch.advantages[1, t] == pytest.approx(advantage, rel=1e-5, abs=1e-5)
        undecided = size - len(set(seats[same[same <= t]]))
        unpaid += costs[1, t] * undecided / (size - 1)
    assert (rewards - before[1]).sum() == pytest.approx(-unpaid)


@pytest.mark.prove
def test_a_stretch_does_not_depend_on_threads_and_goes_on_where_the_last_one_ended(game):
    one, two = collector(game, 5, 20), collector(game, 5, 20, threads=2)
    network = random_network(game)
    lineups = np.array([[LEARNER] * (game.max_players - 1), [0] * (game.max_players - 1)])
    opponents = [make_compiled_agent("random", game.name)]
    for _ in range(3):
        stretches = [each.collect(network, opponents, lineups) for each in (one, two)]
        for first, second in zip(*stretches, strict=True):
            np.testing.assert_array_equal(first, second)
    assert one.tables.started.tolist() == two.tables.started.tolist()


def trained(folder, settings, stop_after=0):
    folder.mkdir(parents=True, exist_ok=True)
    run = SelfPlay(settings, folder, "blackjacky train --preset scratch")
    if stop_after:
        update = run._update

        def update_and_stop():
            run.interrupted = run.steps + SMALL.num_envs * SMALL.n_steps >= stop_after
            return update()

        run._update = update_and_stop
    run.train()
    return run


def test_the_same_seed_gives_the_same_weights_and_another_one_others(tmp_path):
    runs = [trained(tmp_path / str(i), replace(SMALL, seed=seed)) for i, seed in enumerate((3, 3, 4))]
    found = [run.agent(True).parameters for run in runs]
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_a_policy_stays_near_a_strong_magnet_which_stands_still_or_becomes_a_copy(tmp_path):
    apart = {}
    for coefficient, rate in ((0.001, 0.0), (1000.0, 0.0), (0.001, 1.0)):
        changes = {"magnet_coef": coefficient, "magnet_rate": rate, "magnet_every": 2 if rate else 1}
        run = trained(tmp_path / f"{coefficient} {rate}", replace(SMALL, steps=3072, **changes))
        (inputs, masks), networks = run._rows[:2], run.networks
        own, near = (log_policy(run._outputs(networks[name], inputs), masks) for name in ("network", "magnet"))
        apart[coefficient, rate] = (own.exp() * (own - near)).sum(1).mean().item()
    assert apart[0.001, 1.0] == 0
    assert 0 < 20 * apart[1000.0, 0.0] < apart[0.001, 0.0]


def test_when_all_is_annealed_nothing_is_left_of_magnet_and_reward_regularisation(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(Collector, "regularise", lambda self, stretch, costs: calls.append((self, stretch, costs)))
    run = trained(tmp_path, replace(SMALL, steps=3072, magnet_coef=1.0, reward_eta=1.0, magnet_rate=0.0))
    collector, stretch, costs = calls[-1]
    run._regularise(stretch, collector)
    assert costs.any()
    assert not calls[-1][2].any()
    run._left.fill_(run.left)
    loss = run._loss(*run._rows)[0]
    run.settings = replace(run.settings, magnet_coef=0.0)
    assert loss == run._loss(*run._rows)[0]


def log_policy(outputs, masks):
    return torch.log_softmax(_logits(outputs, masks), 1)


@pytest.mark.parametrize("hidden", [(), (8,), (8, 5)])
def test_without_inputs_that_are_0_and_actions_that_are_never_legal_the_same_is_learnt(hidden):
    torch.manual_seed(0)
    network, inputs, masks = mlp([7, *hidden, 7]), torch.rand(40, 7), torch.rand(40, 6) < 0.5
    inputs[:, [0, 3]], masks[:, [1, 5]], masks[:, 2] = 0, False, True
    actions = torch.multinomial(masks.float(), 1)[:, 0]
    found, narrowed = [], Narrowed(inputs, masks)
    for outputs, seen in (
        (outputs_of, (inputs, masks, actions)),
        (narrowed, (*narrowed.narrow(inputs, masks), narrowed.places(actions))),
    ):
        told = outputs(network, seen[0])
        network.zero_grad()
        (log_policy(told, seen[1]).gather(1, seen[2][:, None]) * told[:, -1:]).sum().backward()
        found.append([told[:, -1].detach(), *(each.grad for each in network.parameters())])
    assert seen[0].shape == (40, 5)
    for own, other in zip(*found, strict=True):
        torch.testing.assert_close(own, other)


@pytest.mark.parametrize("narrow", [False, True])
def test_hidden_layers_may_count_with_half_the_digits(narrow):
    torch.manual_seed(0)
    network, inputs = mlp([7, 64, 64, 7]), torch.rand(40, 7)
    outputs = Narrowed(inputs, torch.ones(40, 6) > 0) if narrow else outputs_of
    told = outputs(network, inputs.bfloat16())
    torch.testing.assert_close(outputs(network, inputs), network(inputs))
    assert 0 < (told - network(inputs)).abs().max() < 0.01
    told.sum().backward()
    assert {each.grad.dtype for each in network.parameters()} == {told.dtype} == {torch.float32}


def test_a_run_goes_on_from_another_policy(tmp_path):
    first = SelfPlay(replace(SMALL, seed=5), tmp_path, "")
    first.save()
    begun = SelfPlay(replace(SMALL, init_from=str(tmp_path)), tmp_path, "")
    np.testing.assert_array_equal(begun.agent(True).parameters, first.agent(True).parameters)
    with pytest.raises(ValueError, match="init_from='champion' has encoding='advice'"):
        SelfPlay(replace(SMALL, init_from="champion"), tmp_path, "")


@pytest.mark.prove
@pytest.mark.parametrize(
    "changes",
    [{}, {"half_precision": True}, {"magnet_coef": 0.05}, {"reward_eta": 0.02, "magnet_rate": 1, "magnet_every": 9}],
)
def test_it_learns_to_beat_random(changes, tmp_path):
    settings = replace(SMALL, steps=200_000, num_envs=64, n_steps=32, batch_size=512, snapshot_every=10**6, **changes)
    run = trained(tmp_path, replace(settings, bots=("random",), score_weight=0.3))
    scores = run._against_bots(300)
    (score,) = (score for score, bot in zip(scores, run.bots, strict=True) if bot.name == "random")
    assert score.low > 0.4


@pytest.mark.prove
@pytest.mark.parametrize(
    "options",
    [
        {"variant": "schnell_duell", "reward": "hearts", "threads": 2},
        {"tricks": (3, 6), "hand_size": 3, "hearts": 1, "score_weight": 0.3, "num_players": [3, 6], "seat": 2},
        {"encoding": find_encoding("cards", "black_jacky")},
    ],
    ids=["variant", "options", "encoding"],
)
def test_the_games_are_those_of_many_seats_for_gymnasium(options):
    """Which `tests.envs.test_vector` compares with whole games of the PettingZoo environment."""
    with pytest.raises(TypeError, match="autoreset_mode"):  # which it fixes
        LearnerVecEnv(autoreset_mode="NextStep")
    opponents = ["random", CompiledAgent("last", "black_jacky", last_legal)]
    options = {"num_players": ALL_SIZES, **options}
    env, rng, ended = LearnerVecEnv(10, **options, opponents=opponents, seed=3), np.random.default_rng(0), 0
    given = {"encoding": raw_encoding(get_game("black_jacky")), **options, "autoreset_mode": "SameStep"}
    seats = SeatVectorEnv("black_jacky", 10, opponents, **given)
    shown, (seen, told) = env.reset(), seats.reset(seed=3)
    for step in range(100):
        if step == 50:
            for each in (env, seats):
                each.set_opponents(opponents[1:])
        assert_same(shown, seen)
        assert all(row in env.observation_space for row in shown)
        assert_same(env.action_masks(), told["action_mask"].astype(bool))
        actions = random_legal(env.action_masks(), rng)
        shown, rewards, dones, infos = env.step(actions)
        seen, paid, terminated, _, told = seats.step(actions)
        assert_same([rewards, dones], [paid.astype(np.float32), terminated])
        for i in np.flatnonzero(dones):
            assert_same(infos[i]["terminal_observation"], told["final_obs"][i])
        ended += int(dones.sum())
    assert ended > 10
