"""The league: what is learned, whom it meets, and whole small trainings that are stopped, resumed and refused."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

from blackjacky_agents import make_agent
from blackjacky_agents.games import find_encoding, get_kit
from blackjacky_agents.learning.best_response import BestResponse, is_response, response_settings
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.league.pool import Pool, PoolMember, record_results
from blackjacky_agents.learning.league.seating import draw_seating
from blackjacky_agents.learning.lookahead import Studies, study
from blackjacky_agents.learning.modules import arrays_of
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_agents.learning.training_run import read_progress
from blackjacky_agents.networks.agent_file import load_agent
from blackjacky_agents.networks.network import encode_all, layers_of, network_agent, pack
from blackjacky_env import black_jacky_v0, make_batch
from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.games import get_game
from blackjacky_env.play import LEARNER, NO_AGENT
from tests.envs.playing import assert_same

pytestmark = pytest.mark.prove

SMALL = replace(
    presets_of("black_jacky")["league"], steps=600, minutes=1e18, games_per_update=16, init_from="", seed=3,
    encoding="cards", hidden_sizes=(64,), batch_size=64, buffer_size=1000, snapshot_every=300, pool_size=2,
    bots=("threshold",), threads=1, eval_games=5, final_eval_games=10,
)  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    run = League(SMALL, tmp_path_factory.mktemp("league"), "python scripts/train.py --preset league")
    assert run.train()
    return run


def test_the_policy_comes_to_prefer_what_did_better_and_standings_are_judged_by_who_won():
    batch = make_batch("black_jacky", 64, num_players=4, seed=1)
    masks = batch.action_masks > 0
    best = np.argmax(masks, axis=1)  # say that the first legal action wins, and all others lose
    values = np.where(masks, 0.0, np.nan).astype(np.float32)
    values[np.arange(64), best] = 1.0
    learner = Learner(replace(SMALL, batch_size=64, ema_rate=0.1, learning_rate=1e-2))
    seen = batch.observations.copy()
    learner.remember(Studies(seen, values, seen, np.ones(64, np.float32), np.zeros((0, 6))))
    learner.learn(64 * 40, left=1.0)
    agent = network_agent(GAME.name, CARDS, pack(layers_of(learner.averaged), True))
    choices = agent.act_batch(batch.observations, batch.action_masks)
    assert (choices == best).mean() > 0.9
    learner.learn_values(50, 1.0)
    with torch.no_grad():
        shown = torch.from_numpy(encode_all(learner.standing_encoding, batch.observations))
        assert torch.sigmoid(learner.value(shown)).min() > 0.9


def test_the_expert_is_improved_where_noisy_rollouts_say_so_in_the_mean_and_kept_elsewhere():
    batch = make_batch("black_jacky", 64, num_players=4, seed=1)
    masks = batch.action_masks > 0
    settings = replace(SMALL, batch_size=256, buffer_size=6400, ema_rate=0.1, learning_rate=1e-3, iterations=1)
    learner, rng = Learner(settings), np.random.default_rng(0)
    rolled_out = np.arange(64) % 2 == 0
    better = np.argmax(masks, axis=1)  # the first legal action, where actions are rolled out; the last is not tried
    untried = masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)
    for _ in range(100):
        values = np.where(masks, np.inf, np.nan).astype(np.float32)
        noisy = rng.normal(0.5, 0.1, masks.shape) + 0.01 * (np.arange(masks.shape[1]) == better[:, None])
        values = np.where(masks & rolled_out[:, None], noisy, values).astype(np.float32)
        values[rolled_out, untried[rolled_out]] = np.inf
        seen, outcomes = batch.observations.copy(), np.zeros(2, np.float32)
        learner.remember(Studies(seen, values, seen[:2], outcomes, np.zeros((0, 6))))
    shown = torch.from_numpy(encode_all(learner.encoding, batch.observations, masks))

    def chances(network):
        logits = network(shown).masked_fill(~torch.from_numpy(masks), -1e9)
        return torch.softmax(logits, 1).detach().numpy()

    untouched = chances(learner.expert)
    learner.learn(6400 * 20, left=0.1)
    before, after = chances(learner.expert), chances(learner.averaged)
    rows = np.arange(64)
    compared = rolled_out & (masks.sum(axis=1) > 2)
    changes = np.abs(after - before).sum(axis=1)
    assert after[rows, better][compared].mean() > 1.5 * before[rows, better][compared].mean()
    assert changes[~rolled_out].mean() < 0.5 * changes[compared].mean()
    assert np.abs(after - before)[rows, untried].mean() < 0.03
    np.testing.assert_array_equal(before, untouched)
    learner.renew_expert()
    assert learner.learn(100, left=1.0) == {}  # the values of its actions have been forgotten
    np.testing.assert_array_equal(chances(learner.expert), after)


def test_who_wins_more_against_the_learner_is_met_more_often_and_bots_as_often_as_was_set():
    weak, strong = PoolMember("weak", make_agent("random")), PoolMember("strong", make_agent("threshold"))
    seating, shares = (
        np.array([[LEARNER, 0, NO_AGENT], [LEARNER, 1, NO_AGENT]]),
        np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    )
    pool = Pool([weak, strong], size=2, bot_fraction=0.3)
    for _ in range(20):
        record_results(pool.opponents, seating, shares)
    assert strong.weight > 10 * weak.weight
    assert pool.probabilities().sum() == pytest.approx(1)
    for name, lost in (("a", 5.0), ("b", 0.1), ("c", 9.0)):
        pool.add(PoolMember(name, make_agent("random"), won=5.0, lost=lost))
    assert pool.probabilities()[:2].sum() == pytest.approx(0.3)
    # The one that is beaten most leaves a full pool.
    assert [opponent.name for opponent in pool.opponents] == ["weak", "strong", "a", "c"]


def test_the_learner_sits_at_every_table_and_opponents_where_they_should():
    fractions = {"self_play_fraction": 0.3, "single_opponent_fraction": 0.3}
    settings = replace(SMALL, games_per_update=3000, players=(4, 2), **fractions)
    seating = draw_seating(settings, np.array([0.75, 0.25]), np.random.default_rng(0))
    seated = [row[row != NO_AGENT] for row in seating]
    assert [len(row) for row in seated] == [4, 2] * 1500
    assert all((row == LEARNER).any() for row in seated)
    assert (
        0.28 < np.mean([(row == LEARNER).all() for row in seated]) < 0.5
    )  # some mixed tables of two have the learner alone
    opponents = np.concatenate([row[row != LEARNER] for row in seated])
    assert 0.7 < (opponents == 0).mean() < 0.8


def test_a_training_leaves_an_agent_a_curve_and_a_pool_of_copies(finished):
    assert (finished.folder / "learning_curve.png").stat().st_size > 1000
    tests = read_progress(finished.folder)
    assert [test["steps"] for test in tests] == sorted(test["steps"] for test in tests)
    assert {"threshold", "snapshot 2"} <= set(tests[-1]["pool"])
    assert len(tests[-1]["pool"]) == 3  # the bot, and as many others as there is room for
    assert np.array_equal(load_agent(finished.folder).parameters, finished.agent(greedy=True).parameters)


def done_twice(sent):
    """The result of a task that is repeated, as if its node had been lost."""
    for _ in range(2):
        work, arguments = pickle.loads(sent)
        result = work(*arguments)
    return pickle.loads(pickle.dumps(result))


class FakeCluster(ThreadPoolExecutor):
    """Runs every task twice, from what would be sent to a node."""

    cores = 2

    def store(self, value):
        return value

    def submit(self, work, *arguments):
        return super().submit(done_twice, pickle.dumps((work, arguments)))


@pytest.mark.parametrize("staleness", [0, 2], ids=["in turns", "side by side"])
def test_a_cluster_learns_what_one_process_does(staleness, tmp_path):
    settings = replace(SMALL, max_staleness=staleness)
    told = []
    for where in ("here", "cluster"):
        run = League(settings, tmp_path / where, "")
        run.folder.mkdir()
        run.cluster = None if where == "here" else FakeCluster(2)
        assert run.train()
        lines = [{name: of for name, of in line.items() if name != "seconds"} for line in read_progress(run.folder)]
        told.append((lines, [each.name for each in run.pool.opponents], arrays_of(run.networks, run.optimizers)))
    assert_same(*told)
    assert "snapshot 2" in told[0][1]


def test_a_best_response_is_tested_against_the_agent_alone_and_its_best_network_kept(finished, tmp_path):
    settings = response_settings(
        "threshold", 2, steps=600, minutes=1e18, snapshot_every=200, hidden_sizes=(64,), batch_size=64, threads=1,
        eval_games=20, final_eval_games=50, init_from=str(finished.folder), encoding="cards", games_per_update=16,
    )  # fmt: skip
    assert [is_response(each) for each in (settings, SMALL)] == [True, False]
    run = BestResponse(settings, tmp_path, "")
    assert run.train()
    tests = read_progress(run.folder)
    assert len(tests) > 2
    assert all(list(test["win_rate"]) == ["threshold"] for test in tests)
    assert run.best == max(test["win_rate"]["threshold"] for test in tests)
    score = run.final_score()
    assert (score.games, score.par) == (50, 0.5)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"players": (7,)}, "players"),
        ({"bots": ()}, "bots"),
        ({"bots": ("nobody",)}, "nobody"),
        ({"study_fraction": 1.5}, "study_fraction"),
        ({"study_fraction": 0.0}, "study_fraction"),
        ({"minutes": 0.0}, "minutes"),
        ({"games_per_update": 0}, "games_per_update"),
        ({"init_from": "nowhere"}, "nowhere"),
        ({"init_from": "champion", "encoding": "advice"}, r"hidden_sizes=\(128, 128\).*hidden_sizes=\(64,\)"),
        ({"positions": 2, "min_action_prob": 0.0}, "positions=2 needs a min_action_prob above 0"),
        ({"positions": -1}, "positions=-1 is out of range"),
        ({"bot_playouts": 0.5}, "bot_playouts=0.5 needs positions above 0"),
        ({"advice_logit": 3.0}, "advice_logit=3.0 needs encoding='advice', not 'cards'"),
    ],
)
def test_wrong_settings_are_named(wrong, named, tmp_path):
    with pytest.raises(ValueError, match=named):
        League(replace(SMALL, **wrong), tmp_path, "")


GAME = get_game("black_jacky")
STANDING, CARDS = get_kit("black_jacky").standing_encoding, find_encoding("cards", "black_jacky")
DRAW, KNOCK = 30, 47


BIAS = np.zeros(GAME.num_actions, np.float32)
BIAS[KNOCK] = 1.0  # sooner a knock than a swap
WEIGHT = np.random.default_rng(0).normal(0, 0.1, (CARDS.size, GAME.num_actions)).astype(np.float32)
PLAYER, SAMPLING = (pack([(WEIGHT, BIAS)], greedy) for greedy in (True, False))
"""Networks that decide by their cards: one takes its likeliest action, one draws by probabilities."""


def studied(
    num_players=4, variant="classic", games=20, rate=1.0, logit=0.0, threads=1, parameters=PLAYER, floor=0.0,
    positions=0, expert=False, bot_playouts=0.0, **options,
):  # fmt: skip
    """Studies of games between copies of a network.

    `threshold` is present as in other tests, so nothing is compiled anew.
    """
    states = zeros(games, GAME.state_dtype)
    states[:] = GAME.new_state(num_players, variant, GAME.check_options(num_players, variant, options))
    bot = make_agent("threshold")
    settings = replace(
        SMALL, study_fraction=rate, max_studies_per_game=200, min_action_prob=floor, threads=threads,
        positions=positions, iterations=int(expert), bot_playouts=bot_playouts,
    )  # fmt: skip
    standing = pack([(np.zeros((STANDING.size, 1), np.float32), np.full(1, logit, np.float32))], True)
    seeds, seating = np.arange(100, 100 + games), np.full((games, 6), LEARNER)
    return study(settings, states, seeds, seating, standing, network_agent(GAME.name, CARDS, parameters), bot)


def test_every_legal_action_is_tried_and_where_the_round_ends_the_game_what_was_done_is_worth_what_it_won():
    found = studied(2, "schnell_duell", games=1, hearts=1)  # Q1: the first settlement ends it
    env = black_jacky_v0.env(num_players=2, variant="schnell_duell", hearts=1)
    env.reset(seed=100)
    player = network_agent("black_jacky", CARDS, PLAYER)
    number = 0
    for agent in env.agent_iter():
        observation, _, over, _, info = env.last()
        if over:
            break
        action = player.act(observation)
        if info["action_mask"].sum() > 1:
            assert (found.observations[number] == observation["observation"]).all()
            assert (np.isfinite(found.values[number]) == info["action_mask"]).all()
            won = found.shares[0, int(agent[-1])]
            assert found.values[number, action] == won  # Q2: half of it if both do
            number += 1
        env.step(action)
    assert number == len(found.values) > 3
    assert len(found.standings) == 1  # one round


def test_after_the_round_counts_what_the_standing_is_worth():
    even, better = studied(logit=0.0), studied(logit=2.0)
    assert (even.observations == better.observations).all()
    gone_on = even.values == 0.5
    assert gone_on.sum() > 100
    assert better.values[gone_on] == pytest.approx(1 / (1 + np.exp(-2.0)), abs=1e-5)
    assert set(even.values[np.isfinite(even.values)].tolist()) <= {0.0, 0.25, 1 / 3, 0.5, 1.0}


def test_threads_change_nothing_and_the_rate_says_how_many_decisions_are_tried_out():
    one, two = (studied(threads=threads, rate=0.25) for threads in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    everything, none = studied(), studied(rate=0.0)
    assert 0.15 < len(one.values) / len(everything.values) < 0.35
    assert len(none.values) == 0
    assert len(none.standings) == len(everything.standings) > 20


def test_actions_that_a_network_hardly_ever_draws_are_not_tried_out(monkeypatch):
    bias = np.zeros(GAME.num_actions, np.float32)
    bias[KNOCK] = -3.0  # twenty times as seldom as drawing
    bias[DRAW + 1 : KNOCK] = -20.0  # never swap
    parameters = pack([(np.zeros((CARDS.size, GAME.num_actions), np.float32), bias)], False)
    found, decided, with_some = (
        studied(2, parameters=parameters, floor=floor, expert=expert)
        for floor, expert in ((0.01, False), (0.1, False), (0.1, True))
    )
    monkeypatch.setattr("blackjacky_agents.learning.lookahead.CERTAIN_FRACTION", 1.0)
    with_certain = studied(2, parameters=parameters, floor=0.1, expert=True)
    tried, legal = np.isfinite(found.values), ~np.isnan(found.values)
    zocks = legal[:, KNOCK]
    assert zocks.any()
    assert (tried.sum(axis=1) > 1).all()
    assert (tried == legal)[~zocks].all()
    assert not tried[:, DRAW + 1 : KNOCK].any()
    assert tried[zocks][:, [DRAW, KNOCK]].all()
    assert np.isnan(decided.values[:, KNOCK]).all()  # to draw is all that is left
    certain = ~np.isfinite(with_certain.values).any(axis=1)
    assert (~np.isnan(with_certain.values[certain, KNOCK])).all()  # a choice, of which one action is likely
    assert with_certain.rolled_out == (~certain).sum() == len(decided.values) == decided.rolled_out
    assert 0 < len(with_some.values) - len(decided.values) < certain.sum()


def test_sampled_positions_say_in_the_mean_what_the_true_ones_do_with_less_noise():
    """One round decides the game, so that both are results and no estimates."""
    options = {"parameters": SAMPLING, "floor": 0.02, "hearts": 1}
    few, many, again = (
        studied(2, "schnell_duell", 300, positions=positions, threads=threads, **options)
        for positions, threads in ((0, 1), (16, 1), (16, 2))
    )
    assert np.array_equal(few.observations, many.observations)
    assert np.array_equal(many.values, again.values, equal_nan=True)
    tried = np.isfinite(many.values)
    assert (tried.sum(axis=1) > 1).all()
    assert (many.values == 0).any(axis=1).all()  # the likeliest, with which the others are compared
    assert np.abs(many.values[tried]).max() <= 1
    both = np.isfinite(few.values) & tried & (few.values != 0.5)
    first, rows = np.argmax(both, axis=1), np.arange(len(both))
    true = (few.values - few.values[rows, first][:, None])[both]
    sampled = (many.values - many.values[rows, first][:, None])[both]
    assert sampled.std() < true.std()
    assert np.corrcoef(true, sampled)[0, 1] > 0.2


def test_a_bot_may_play_on_where_the_games_and_the_actions_that_are_tried_are_the_networks_own():
    options = {"floor": 0.02, "hearts": 1, "positions": 16, "games": 100}
    own, by_bot = (
        studied(2, "schnell_duell", parameters=SAMPLING, bot_playouts=bot_playouts, **options)
        for bot_playouts in (0.0, 1.0)
    )
    assert np.array_equal(own.observations, by_bot.observations)
    assert np.array_equal(np.isfinite(own.values), np.isfinite(by_bot.values))
    tried = np.isfinite(own.values) & (own.values != 0)
    assert np.corrcoef(own.values[tried], by_bot.values[tried])[0, 1] > 0.2
    knocks = tried[:, KNOCK]
    assert own.values[knocks, KNOCK].mean() != by_bot.values[knocks, KNOCK].mean()
