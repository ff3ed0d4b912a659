"""The league: what is learned, whom it meets, and whole small trainings that are stopped, resumed and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

from blackjacky_agents import league, make_agent
from blackjacky_agents.learning.best_response import BestResponse, response_settings
from blackjacky_agents.learning.checkpoint import load_agent
from blackjacky_agents.learning.league import League, Learner, Lessons, Opponent, Played, seat_among
from blackjacky_agents.learning.lookahead import Studies
from blackjacky_agents.learning.settings import LeagueSettings
from blackjacky_env import make_batch

SMALL = LeagueSettings(
    steps=600,
    minutes=1e18,
    games=16,
    lessons=0,
    hidden=(64,),
    batch=64,
    memory=1000,
    refresh=300,
    pool=2,
    exploiter_every=2,
    exploiter_steps=50,
    bots=("threshold",),
    threads=1,
    test_games=5,
    final_games=10,
    seed=3,
)


def trained(folder: Path, settings: LeagueSettings = SMALL, kind: type[League] = League) -> League:
    """A league that has run to its end in ``folder``."""
    folder.mkdir(parents=True)
    run = kind(settings, folder, "python scripts/train.py --preset league")
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
    learner = Learner(replace(SMALL, batch=64, average=0.1, learning_rate=1e-2), seed=0)
    standings, shares = batch.observations[:2].copy(), np.zeros(2, np.float32)
    learner.remember(Studies(batch.observations.copy(), values, standings, shares))
    learner.learn(64 * 40, left=1.0)
    choices = learner.agent(greedy=True).act_batch(batch.observations, batch.action_masks)
    assert (choices == best).mean() > 0.9


def test_a_teacher_is_imitated():
    settings = replace(SMALL, teacher="threshold", batch=256, average=0.1, learning_rate=3e-3)
    learner, lessons = Learner(settings, seed=0), Lessons(settings)
    for _ in range(5):
        lessons.go_on()
    before = learner.imitate(lessons, 1.0)
    for _ in range(100):
        after = learner.imitate(lessons, 1.0)
    assert before < 0.6
    assert after > 0.8


def test_standings_are_judged_by_who_won():
    batch = make_batch("black_jacky", 64, num_players=2, seed=1)
    learner = Learner(replace(SMALL, batch=64, learning_rate=1e-2), seed=0)
    nothing = np.zeros((0, 61), np.float32)
    standings, shares = batch.observations.copy(), np.ones(64, np.float32)
    learner.remember(Studies(standings[:0], nothing, standings, shares))
    learner.learn_standings(50, 1.0)
    encoding, _ = learner.worth()
    with torch.no_grad():
        shown = torch.from_numpy(league.encode_all(encoding, standings))
        assert torch.sigmoid(learner.standing(shown)).min() > 0.9


# ---------------------------------------------------------------- opponents


def test_who_wins_more_against_the_learner_is_met_more_often():
    weak, strong = Opponent("weak", make_agent("random")), Opponent("strong", make_agent("threshold"))
    seating = np.array([[0, 1, -1], [0, 2, -1]])
    shares = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    nothing = Studies(*(np.zeros(0, np.float32) for _ in range(4)))  # type: ignore[arg-type]
    for _ in range(20):
        league.count_wins([weak, strong], Played(seating, shares, nothing))
    assert strong.weight > 10 * weak.weight


def test_the_learner_sits_at_every_table_and_opponents_where_they_should():
    settings = replace(SMALL, games=3000, alone=0.3, copies_of_one=0.3, players=(4, 2))
    seating = seat_among(settings, np.array([3.0, 1.0]), np.random.default_rng(0))
    sizes = league.table_sizes(settings, 3000)
    seated = [row[:size] for row, size in zip(seating, sizes, strict=True)]
    assert all((row == 0).any() for row in seated)
    assert 0.28 < np.mean([(row == 0).all() for row in seated]) < 0.5  # some mixed tables of two have the learner alone
    opponents = np.concatenate([row[row > 0] for row in seated])
    assert 0.7 < (opponents == 1).mean() < 0.8


def test_the_one_that_is_beaten_most_leaves_a_full_pool(tmp_path: Path):
    run = League(replace(SMALL, pool=2), tmp_path, "")
    agent = make_agent("random")
    for name, lost in (("a", 5.0), ("b", 0.1), ("c", 1.0)):
        run._add(Opponent(name, agent, won=5.0, lost=lost))
    assert [opponent.name for opponent in run.pool] == ["threshold", "a", "c"]


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
    learner = finished.learner(greedy=True)
    assert np.array_equal(agent.parameters, learner.parameters)


def test_a_stopped_training_goes_on_with_its_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "stopped"
    folder.mkdir()
    run = League(SMALL, folder, "")
    play = run._play_batch

    def play_and_stop() -> None:
        play()
        run.interrupted = run.steps > 350

    monkeypatch.setattr(run, "_play_batch", play_and_stop)
    assert not run.train()
    resumed = League(SMALL, folder, "")
    assert resumed.resume() == []
    assert resumed.steps == run.steps
    assert [opponent.name for opponent in resumed.pool] == [opponent.name for opponent in run.pool]
    assert [opponent.weight for opponent in resumed.pool] == [opponent.weight for opponent in run.pool]
    for mine, other in zip(resumed.student.policy.parameters(), run.student.policy.parameters(), strict=True):
        assert torch.equal(mine, other)
    assert resumed.train()
    assert resumed.steps >= SMALL.steps


def test_a_best_response_is_tested_against_the_agent_alone_and_its_best_network_kept(finished: League, tmp_path: Path):
    settings = response_settings(
        "threshold", 2, steps=300, minutes=1e18, refresh=100, games=16, hidden=(64,), batch=64, threads=1,
        test_games=20, final_games=50, start=str(finished.folder),
    )  # fmt: skip
    run = trained(tmp_path / "response", settings, BestResponse)
    assert isinstance(run, BestResponse)
    tests = progress(run.folder)
    assert all(list(test["win_rate"]) == ["threshold"] for test in tests)
    assert run.best == max(test["win_rate"]["threshold"] for test in tests)
    assert [opponent.name for opponent in run.pool] == ["threshold"]
    score = run.final_score()
    assert score.games == 50
    assert score.par == 0.5


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"players": (7,)}, "players"),
        ({"players": ()}, "players"),
        ({"bots": ()}, "bots"),
        ({"rate": 1.5}, "rate"),
        ({"rate": 0.0}, "rate"),
        ({"minutes": 0.0}, "minutes"),
        ({"games": 0}, "games"),
        ({"bots": ("nobody",)}, "nobody"),
        ({"start": "nowhere"}, "nowhere"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, Any], named: str, tmp_path: Path):
    with pytest.raises(ValueError, match=named):
        League(replace(SMALL, **wrong), tmp_path, "")


def test_a_network_of_other_sizes_is_no_start(finished: League, tmp_path: Path):
    with pytest.raises(ValueError, match=r"hidden=\(64,\).*hidden=\(32,\)"):
        League(replace(SMALL, start=str(finished.folder), hidden=(32,)), tmp_path, "")
