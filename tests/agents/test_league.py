"""The league: what is learned, whom it meets, and whole small trainings that are stopped, resumed and refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

from blackjacky_agents import make_agent
from blackjacky_agents.learning.agent_file import load_agent
from blackjacky_agents.learning.best_response import best_response, is_response, response_settings
from blackjacky_agents.learning.league import League, exploiter
from blackjacky_agents.learning.league.games import Played, draw_seating, sizes_of_tables, start_games
from blackjacky_agents.learning.league.imitation import Demonstrations
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.league.pool import Opponent, Pool, record_results
from blackjacky_agents.learning.lookahead import Studies
from blackjacky_agents.learning.network import encode_all
from blackjacky_agents.learning.settings import LeagueSettings, SelfPlaySettings, check_settings, presets_of
from blackjacky_env import make_batch

SMALL = replace(
    presets_of("black_jacky")["league"],
    steps=600,
    minutes=1e18,
    games_per_update=16,
    imitation_steps=0,
    hidden_sizes=(64,),
    batch_size=64,
    buffer_size=1000,
    snapshot_every=300,
    pool_size=2,
    exploiter_every=2,
    exploiter_steps=50,
    bots=("threshold",),
    threads=1,
    eval_games=5,
    final_eval_games=10,
    seed=3,
)


def trained(folder: Path, settings: LeagueSettings = SMALL) -> League:
    """A league that has run to its end in ``folder``."""
    folder.mkdir(parents=True)
    run = League(settings, folder, "python scripts/train.py --preset league")
    assert run.train()
    return run


def progress(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "progress.jsonl").read_text("utf-8").splitlines()]


# ---------------------------------------------------------------- learning


def test_the_policy_comes_to_prefer_what_did_better():
    batch = make_batch("black_jacky", 64, num_players=4, seed=1)
    masks = batch.action_masks > 0
    best = np.argmax(masks, axis=1)  # say that the first legal action wins, and all others lose
    values = np.where(masks, 0.0, np.nan).astype(np.float32)
    values[np.arange(64), best] = 1.0
    learner = Learner(replace(SMALL, batch_size=64, ema_rate=0.1, learning_rate=1e-2), seed=0)
    standings, shares = batch.observations[:2].copy(), np.zeros(2, np.float32)
    learner.remember(Studies(batch.observations.copy(), values, standings, shares))
    learner.learn(64 * 40, left=1.0)
    choices = learner.agent(greedy=True).act_batch(batch.observations, batch.action_masks)
    assert (choices == best).mean() > 0.9


def test_the_expert_is_improved_where_noisy_rollouts_say_so_in_the_mean_and_kept_elsewhere():
    batch = make_batch("black_jacky", 64, num_players=4, seed=1)
    masks = batch.action_masks > 0
    settings = replace(SMALL, batch_size=256, buffer_size=6400, ema_rate=0.1, learning_rate=1e-3, iterations=1)
    learner, rng = Learner(settings, seed=0), np.random.default_rng(0)
    expert = [tensor.clone() for tensor in learner.expert.parameters()]
    rolled_out = np.arange(64) % 2 == 0
    better = np.argmax(masks, axis=1)  # the first legal action, where actions are rolled out; the last is not tried
    untried = masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)
    for _ in range(100):
        values = np.where(masks, np.inf, np.nan).astype(np.float32)
        noisy = rng.normal(0.5, 0.1, masks.shape) + 0.01 * (np.arange(masks.shape[1]) == better[:, None])
        values = np.where(masks & rolled_out[:, None], noisy, values).astype(np.float32)
        values[rolled_out, untried[rolled_out]] = np.inf
        learner.remember(Studies(batch.observations.copy(), values, batch.observations[:2], np.zeros(2, np.float32)))
    learner.learn(6400 * 20, left=0.1)
    before, after = (
        torch.log_softmax(
            network(torch.from_numpy(encode_all(learner.encoding, batch.observations, masks))).masked_fill(
                ~torch.from_numpy(masks), -1e9
            ),
            1,
        ).detach().exp().numpy()
        for network in (learner.expert, learner.averaged)
    )  # fmt: skip
    rows = np.arange(64)
    compared = rolled_out & (masks.sum(axis=1) > 2)
    changes = np.abs(after - before).sum(axis=1)
    assert after[rows, better][compared].mean() > 1.5 * before[rows, better][compared].mean()
    assert changes[~rolled_out].mean() < 0.5 * changes[compared].mean()
    assert np.abs(after - before)[rows, untried].mean() < 0.03
    assert all(torch.equal(mine, old) for mine, old in zip(learner.expert.parameters(), expert, strict=True))
    learner.renew_expert()
    assert learner.learn(100, left=1.0) == {}  # the values of its actions have been forgotten
    pairs = zip(learner.expert.parameters(), learner.averaged.parameters(), strict=True)
    assert all(torch.equal(mine, other) for mine, other in pairs)


def test_a_teacher_is_imitated():
    settings = replace(SMALL, teacher="threshold", batch_size=256, ema_rate=0.1, learning_rate=3e-3)
    learner, demonstrations = Learner(settings, seed=0), Demonstrations(settings)
    for _ in range(5):
        demonstrations.collect()
    before = learner.imitate(demonstrations, 1.0)
    for _ in range(100):
        after = learner.imitate(demonstrations, 1.0)
    assert before < 0.6
    assert after > 0.8


def test_standings_are_judged_by_who_won():
    batch = make_batch("black_jacky", 64, num_players=2, seed=1)
    learner = Learner(replace(SMALL, batch_size=64, learning_rate=1e-2), seed=0)
    nothing = np.zeros((0, 61), np.float32)
    standings, shares = batch.observations.copy(), np.ones(64, np.float32)
    learner.remember(Studies(standings[:0], nothing, standings, shares))
    learner.learn_values(50, 1.0)
    encoding, _ = learner.value_network()
    with torch.no_grad():
        shown = torch.from_numpy(encode_all(encoding, standings))
        assert torch.sigmoid(learner.value(shown)).min() > 0.9


# ---------------------------------------------------------------- opponents


def test_who_wins_more_against_the_learner_is_met_more_often():
    weak, strong = Opponent("weak", make_agent("random")), Opponent("strong", make_agent("threshold"))
    seating = np.array([[0, 1, -1], [0, 2, -1]])
    shares = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    nothing = Studies(*(np.zeros(0, np.float32) for _ in range(4)))  # type: ignore[arg-type]
    pool = Pool([weak, strong], size=0, bot_fraction=1.0)
    for _ in range(20):
        record_results(pool.opponents, Played(seating, shares, nothing))
    assert strong.weight > 10 * weak.weight


def test_the_learner_sits_at_every_table_and_opponents_where_they_should():
    settings = replace(
        SMALL, games_per_update=3000, self_play_fraction=0.3, single_opponent_fraction=0.3, players=(4, 2)
    )
    seating = draw_seating(settings, np.array([0.75, 0.25]), np.random.default_rng(0))
    sizes = sizes_of_tables(settings, 3000)
    seated = [row[:size] for row, size in zip(seating, sizes, strict=True)]
    assert all((row == 0).any() for row in seated)
    assert 0.28 < np.mean([(row == 0).all() for row in seated]) < 0.5  # some mixed tables of two have the learner alone
    opponents = np.concatenate([row[row > 0] for row in seated])
    assert 0.7 < (opponents == 1).mean() < 0.8


def test_the_one_that_is_beaten_most_leaves_a_full_pool():
    agent = make_agent("random")
    pool = Pool([Opponent("threshold", make_agent("threshold"))], size=2, bot_fraction=0.5)
    for name, lost in (("a", 5.0), ("b", 0.1), ("c", 1.0)):
        pool.add(Opponent(name, agent, won=5.0, lost=lost))
    assert [opponent.name for opponent in pool.opponents] == ["threshold", "a", "c"]


def test_bots_are_drawn_as_often_as_was_set_once_there_are_others():
    pool = Pool([Opponent(name, make_agent(name)) for name in ("random", "threshold")], size=2, bot_fraction=0.3)
    assert pool.probabilities().sum() == pytest.approx(1)
    pool.add(Opponent("snapshot", make_agent("random"), lost=9.0))
    assert pool.probabilities()[:2].sum() == pytest.approx(0.3)


def seeds_of_exploiters(
    settings: LeagueSettings, folder: Path, monkeypatch: pytest.MonkeyPatch, snapshots: Sequence[int]
) -> list[set[int]]:
    """The seeds of the games from which the exploiters of a league learn that are trained after so many snapshots."""
    found: list[set[int]] = []

    def play(learner: Learner, agents: Any, seating: Any, first_seed: int, **options: Any) -> Played:
        found[-1].update(range(first_seed, first_seed + len(seating)))
        return start_games(learner, agents, seating, first_seed, **options)

    monkeypatch.setattr(exploiter, "start_games", play)
    league = League(settings, folder, "")
    for number in snapshots:
        found.append(set())
        league._batches = 3 * number
        league._begin_exploiter(number)()
    return found


def test_no_two_exploiters_learn_from_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settings = replace(SMALL, games_per_update=64, exploiter_steps=400)
    games = [
        seeds
        for seed in (0, 1)
        for seeds in seeds_of_exploiters(replace(settings, seed=seed), tmp_path, monkeypatch, (1, 2, 3))
    ]
    assert all(len(seeds) >= 64 for seeds in games)
    assert len(set().union(*games)) == sum(map(len, games))
    assert all(2**62 <= seed < 2**63 for seed in set().union(*games))  # none of a league's own


class Here(ThreadPoolExecutor):
    """In place of a cluster: a thread of this process."""

    cores = 1

    def store(self, value: Any) -> Any:
        return value


@pytest.mark.parametrize("iterations", [0, 2])
def test_an_exploiter_is_the_same_wherever_it_is_trained(iterations: int, tmp_path: Path):
    settings = replace(SMALL, max_staleness=1, iterations=iterations, exploiter_steps=100, threads=1)
    found = []
    for cluster in (None, Here(1)):
        league = League(settings, tmp_path, "")
        league.cluster = cluster  # type: ignore[assignment]
        agent = league._begin_exploiter(1)()
        assert agent is not None
        found.append(agent.parameters)
    np.testing.assert_array_equal(*found)


# ---------------------------------------------------------------- whole trainings


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> League:
    return trained(tmp_path_factory.mktemp("home") / "runs" / "small")


def test_a_training_leaves_an_agent_a_curve_and_a_pool_of_copies_and_exploiters(finished: League):
    assert (finished.folder / "learning_curve.png").stat().st_size > 1000
    tests = progress(finished.folder)
    assert [test["steps"] for test in tests] == sorted(test["steps"] for test in tests)
    assert {"threshold", "exploiter 2"} <= set(tests[-1]["pool"])
    assert len(tests[-1]["pool"]) == 3  # the bot, and as many others as there is room for
    agent = load_agent(finished.folder)
    learner = finished.agent(greedy=True)
    assert np.array_equal(agent.parameters, learner.parameters)


@pytest.mark.parametrize(("iterations", "sampled"), [(0, 0), (4, 2)])
def test_a_stopped_training_goes_on_with_its_pool(
    iterations: int, sampled: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, settings = tmp_path / "stopped", replace(SMALL, iterations=iterations, positions=sampled)
    folder.mkdir()
    run = League(settings, folder, "")
    play = run._play_and_update

    def play_and_stop() -> None:
        play()
        run.interrupted = run.steps > 350

    monkeypatch.setattr(run, "_play_and_update", play_and_stop)
    assert not run.train()
    resumed = League(settings, folder, "")
    assert resumed.resume() == []
    assert (resumed.steps, resumed._iteration) == (run.steps, run._iteration)
    assert (run._iteration > 0) == (iterations > 0)
    assert [opponent.name for opponent in resumed.pool.opponents] == [opponent.name for opponent in run.pool.opponents]
    weights = [[opponent.weight for opponent in each.pool.opponents] for each in (resumed, run)]
    assert weights[0] == weights[1]
    for name in ("policy", "expert"):
        networks = (getattr(each.learner, name).parameters() for each in (resumed, run))
        assert all(torch.equal(mine, other) for mine, other in zip(*networks, strict=True))
    assert resumed.train()
    assert resumed.steps >= SMALL.steps


def test_positions_need_a_probability_below_which_nothing_is_tried():
    with pytest.raises(ValueError, match="positions=2 needs a min_action_prob above 0"):
        check_settings(replace(SMALL, positions=2, min_action_prob=0.0))
    with pytest.raises(ValueError, match="positions=-1 is out of range"):
        check_settings(replace(SMALL, positions=-1))


def test_games_are_played_by_weights_of_the_age_that_was_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run = League(replace(SMALL, max_staleness=2, steps=10**6), tmp_path, "")
    begin, begun = run._start_games, []
    monkeypatch.setattr(run, "_start_games", lambda: (begun.append(run._batches), begin())[1])
    for _ in range(5):
        run._play_and_update()
    assert begun == [0, 0, 0, 1, 2, 3, 4]  # number of updates before each batch


def test_results_count_for_the_opponents_that_were_in_the_pool_when_the_games_began(tmp_path: Path):
    run = League(replace(SMALL, max_staleness=1, pool_size=1), tmp_path, "")
    run.pool.add(Opponent("first", make_agent("random")))
    run._play_and_update()
    (first,), opponent = run.pool.learned, Opponent("second", make_agent("threshold"))
    run.pool.add(opponent)
    before = first.lost + first.won
    run._play_and_update()
    assert first.lost + first.won != before
    assert (opponent.won, opponent.lost) == (1.0, 1.0)


def test_the_learning_rate_falls_within_each_iteration_and_not_back_to_its_start_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run, lefts = League(replace(SMALL, iterations=2), tmp_path, ""), []
    learn = run.learner.learn
    monkeypatch.setattr(run.learner, "learn", lambda studied, left: (lefts.append(left), learn(studied, left))[1])
    for steps, iteration in ((0, 0), (290, 0), (310, 0), (310, 1), (600, 1), (700, 1)):
        run._steps, run._iteration = steps, iteration
        run._play_and_update()
    assert lefts == pytest.approx([1, 1 - 290 / 300, 0, 1 - 10 / 300, 0, 0])


def test_a_finished_expert_iteration_that_goes_on_for_longer_is_in_an_earlier_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run, lefts = League(replace(SMALL, iterations=2, steps=4 * SMALL.steps), tmp_path, ""), []
    run._steps, run._iteration, run._snapshots, run._resumed = SMALL.steps, 1, 10**6, True

    def stop(studied: int, left: float) -> dict[str, float]:
        lefts.append(left)
        run.interrupted = True
        return {}

    monkeypatch.setattr(run.learner, "learn", stop)
    assert not run.train()
    assert (run._iteration, lefts) == (0, [pytest.approx(0.5)])


@pytest.mark.parametrize("max_staleness", [0, 1])
def test_an_exploiter_in_training_begins_again_when_the_league_is_resumed(max_staleness: int, tmp_path: Path):
    """Without staleness the league waits for it, so that it is interrupted itself; what there is of it is left out."""
    settings = replace(SMALL, max_staleness=max_staleness, exploiter_every=1, eval_games=1)
    run = League(settings, tmp_path, "")
    run.interrupted = not max_staleness
    run.take_snapshot()
    run.save()
    assert [opponent.name for opponent in run.pool.learned] == ["snapshot 1"]
    resumed = League(replace(settings, steps=1), tmp_path, "")
    assert resumed.resume() == []
    resumed.train()
    if max_staleness:
        resumed.take_snapshot()
    names = [opponent.name for opponent in resumed.pool.learned]
    assert names[:2] == (["exploiter 1", "snapshot 1"] if max_staleness else ["snapshot 1", "exploiter 1"])


@pytest.mark.parametrize(
    ("learner", "small"),
    [("rollouts", {"games_per_update": 16, "batch_size": 64}), ("ppo", {"num_envs": 4})],
)
def test_a_best_response_is_tested_against_the_agent_alone_and_its_best_network_kept(
    learner: str, small: dict[str, Any], finished: League, tmp_path: Path
):
    settings = response_settings(
        "threshold", 2, learner=learner, steps=600, minutes=1e18, snapshot_every=200, hidden_sizes=(64,),
        threads=1, eval_games=20, final_eval_games=50, init_from=str(finished.folder), **small,
    )  # fmt: skip
    assert is_response(settings)
    assert not is_response(SMALL)
    run = best_response(settings, tmp_path, "")
    assert run.train()
    tests = progress(run.folder)
    assert len(tests) > 2
    assert all(list(test["win_rate"]) == ["threshold"] for test in tests)
    assert run.best == max(test["win_rate"]["threshold"] for test in tests)
    score = run.final_score()
    assert score.games == 50
    assert score.par == 0.5


@pytest.mark.parametrize(("every", "warmup"), [({}, 1_000_000), ({"snapshot_every": 250_000}, 125_000)])
def test_a_best_response_by_ppo_learns_only_values_until_half_of_the_way_to_its_second_snapshot(
    every: dict[str, int], warmup: int
):
    settings = response_settings("champion", 4, learner="ppo", **every)
    assert isinstance(settings, SelfPlaySettings)
    assert settings.value_warmup == warmup


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"players": (7,)}, "players"),
        ({"bots": ()}, "bots"),
        ({"study_fraction": 1.5}, "study_fraction"),
        ({"study_fraction": 0.0}, "study_fraction"),
        ({"minutes": 0.0}, "minutes"),
        ({"games_per_update": 0}, "games_per_update"),
        ({"bots": ("nobody",)}, "nobody"),
        ({"init_from": "nowhere"}, "nowhere"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, Any], named: str, tmp_path: Path):
    with pytest.raises(ValueError, match=named):
        League(replace(SMALL, **wrong), tmp_path, "")


def test_a_network_of_other_sizes_is_no_start(finished: League, tmp_path: Path):
    with pytest.raises(ValueError, match=r"hidden_sizes=\(64,\).*hidden_sizes=\(32,\)"):
        League(replace(SMALL, init_from=str(finished.folder), hidden_sizes=(32,)), tmp_path, "")
