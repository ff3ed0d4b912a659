"""scripts/measures/strength.py and budget.py, and what docs/benchmark.md shows of them."""

import numpy as np
import pytest

from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.games import DEFAULT
from scripts import results
from scripts.measures import budget, scale, strength
from scripts.pages import strength as pages
from scripts.pages.part import MISSING
from tests.scripts.test_measure import understood


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(strength, "MOST", 40)


def test_an_agent_differs_from_others_and_not_from_itself_in_the_same_deals(folder):
    row = strength.measured(DEFAULT, "threshold", "random", 1.0)
    assert row["deals"] == 40
    assert 0 < row["difference"]["low"] < row["difference"]["mean"] < row["win_rate"]
    assert strength.measured(DEFAULT, "threshold", "random", 1e-6)["deals"] == 0, "its moves take too long"
    won, before = strength.play(make_compiled_agent("threshold"), make_compiled_agent("threshold"), 4, 1.0).T
    np.testing.assert_allclose(won, before)


def test_what_has_been_measured_is_kept_and_shown(folder):
    assert [part.content for part in pages.parts()] == [MISSING, MISSING, MISSING]
    found = {"deals": 40, "difference": {"low": 0.1, "mean": 0.2, "high": 0.3}, "microseconds": 1250.0}
    pairs = (("random", "counter"), ("search:4", "champion"), ("search:16", "counter"))
    rows = [{"agent": name, "among": among, **found} for name, among in pairs]
    slow = {"agent": "search:16", "among": "champion", "deals": 0, "microseconds": 1e6}
    results.save("strength", [*rows, slow], what="Numbers.", command="x", game=DEFAULT, settings={"seconds": 60})
    assert len(kept := strength.kept(strength.Args(seconds=60))) == 4
    assert strength.is_too_slow("search:64", "champion", kept)
    assert not any(strength.is_too_slow(*pair, kept) for pair in (("search:64", "counter"), ("ismcts:64", "champion")))
    assert not strength.kept(strength.Args(seconds=61))
    for seed, rate in ((0, 0.1), (1, 0.3), (1, 0.2)):
        facts = {"decisions": 10, "games": 20, "win_rate": rate, "score": 1.0, "cpu_hours": 0.5}
        budget.add({"method": "sb3", "seed": seed, **facts})
    for decisions in (10**6, 10**7):
        scale.add(
            DEFAULT,
            {
                "decisions": decisions,
                "seed": 0,
                "command": "x",
                "seconds": 60,
                "win_rate": 0.2,
                "response": 0.4,
                "own": 0.25,
            },
        )
    picture, table, growth, grown, spent = (part.content for part in pages.parts())
    assert "| agent | Black Jacky |\n| -- | -- |\n| `search:16` | +20.0 ± 10.0 (1250 µs) |\n\n" in table
    assert "<svg" in picture
    assert "<svg" in growth
    assert "(scale.svg)" in grown
    assert "| 2 | **15.0 %** (10.0 % .. 20.0 %) |" in spent


def test_self_play_of_any_length_is_a_command_that_is_understood():
    understood(f"blackjacky train --game {DEFAULT} --preset scratch --seed 0 --steps 1000000 {scale.HOW}")
    understood(f"blackjacky exploit --agent ppo:runs/x --game {DEFAULT} --players 4 {scale.RESPONSE}")


@pytest.mark.parametrize("method", budget.METHODS)
def test_a_method_is_a_command_that_is_understood(method):
    understood(budget.command_of(method, 3, budget.Args().decisions))
