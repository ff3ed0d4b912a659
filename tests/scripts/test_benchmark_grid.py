"""scripts/measures/benchmark.py: settings are chosen at some tables, and everything is run and shown at others."""

import json
import shutil
import tomllib
from math import prod

import numpy as np
import pytest

from blackjacky_agents.benchmark import algorithms
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.game_tree import build_tree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import uniform, worth_of
from scripts import results
from scripts.measures import benchmark, errors
from scripts.pages import benchmark as page
from scripts.pages.part import MISSING

PLAN = """
points = 2
memory = 1
seconds = {}
[tune]
game = "black_jacky"
tables = ["mini-1"]
seeds = [0, 1]
draws = 2
seed = 0
[tune.learners.mccfr]
decisions = 2000
by_outcome = [true, false]
[grid]
first_seed = 100
[[grid.parts]]
game = "black_jacky"
tables = ["mini-1"]
algorithms = ["dcfr|mccfr", "dcfr"]
seeds = 2
decisions = 3000
"""
REAL = tomllib.loads(benchmark.PLAN.read_text("utf-8"))


def test_settings_that_are_tried_are_drawn_from_the_ranges_and_written_down():
    found = benchmark.drawn(REAL["tune"])
    assert benchmark.as_lines(found) == benchmark.DRAWN.read_text("utf-8").splitlines()
    for learner, draws in found.items():
        ranges = {name: given for name, given in REAL["tune"]["learners"][learner].items() if name != "decisions"}
        assert len(draws) == REAL["tune"]["draws"]
        for settings in draws:
            assert settings.keys() == ranges.keys()
        for name, given in ranges.items():
            values = [settings[name] for settings in draws]
            if isinstance(given, list):
                assert {values.count(each) for each in given} == {len(draws) // len(given)}, "spread over the list"
            else:
                low, high = given["log"]
                assert low <= min(values) < (low * high) ** 0.5 < max(values) <= high


def test_what_is_run_like_another_algorithm_differs_from_it_in_one_setting():
    jobs = [job for job in benchmark.grid(REAL) if "like" in job.facts]
    assert {job.facts["algorithm"] for job in jobs} == {"mmd", "rnad"}
    for job in jobs:
        own, others = (algorithms.settings_of(job.facts[name], {}) for name in ("algorithm", "like"))
        del others["ent_coef"]
        [coefficient] = own.keys() - others.keys()
        assert job.runs.settings == {**others, coefficient: own[coefficient]}


def test_tables_for_choosing_settings_are_not_reported():
    tables = {(part["game"], table) for part in REAL["grid"]["parts"] for table in part["tables"]}
    assert not tables & {(REAL["tune"]["game"], table) for table in REAL["tune"]["tables"]}
    assert REAL["grid"]["first_seed"] > max(REAL["tune"]["seeds"])


@pytest.mark.prove
def test_settings_are_chosen_and_the_grid_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    for name in ("FOLDER", "CHOSEN", "DRAWN"):
        monkeypatch.setattr(benchmark, name, tmp_path / name.lower())
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    (tmp_path / "plan.toml").write_text(PLAN, "utf-8")

    def run(stage, *only, dry=False):
        benchmark.main(benchmark.Args(stage, only, cores=1, dry=dry, plan=tmp_path / "plan.toml"))
        return capsys.readouterr().out

    assert [part.content for part in page.parts()] == [MISSING, MISSING], "neither the grid nor errors"
    assert "4 of 4 runs are left" in run("tune")
    tried = results.load("benchmark_tuning")["rows"]
    assert sorted((row["draw"], row["seed"]) for row in tried) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    best = min((0, 1), key=lambda draw: prod(row["exploitability"][-1] for row in tried if row["draw"] == draw))
    chosen = json.loads((tmp_path / "chosen").read_text("utf-8"))["mccfr"]
    assert [chosen["settings"]] == [row["settings"] for row in tried if (row["draw"], row["seed"]) == (best, 0)]
    monkeypatch.setattr(algorithms, "TUNED", {"mccfr": chosen})

    assert "2 of 2 runs are left" in run("grid", "dcfr")
    assert {row["algorithm"] for row in results.load("benchmark")["rows"]} == {"dcfr"}
    assert "2 of 4 runs are left" in run("grid", dry=True)
    with pytest.raises(SystemExit, match="nothing is called ppo"):
        run("grid", "ppo")
    run("grid")
    rows = results.load("benchmark")["rows"]
    assert [(row["algorithm"], row["seed"]) for row in rows] == [
        (name, seed) for name in ("dcfr", "mccfr") for seed in (100, 101)
    ]
    assert {str(row["settings"]) for row in rows} == {"{}", str(chosen["settings"])}
    assert all("averaged" not in row and len(row["decisions"]) == 2 for row in rows)
    before = (tmp_path / "results" / "benchmark.json").read_text("utf-8")
    assert "0 of 4 runs are left" in run("grid")
    assert (tmp_path / "results" / "benchmark.json").read_text("utf-8") == before
    shutil.rmtree(tmp_path / "folder")
    assert "0 of 4 runs are left" in run("grid"), "rows of the result count"
    picture, table, _ = page.parts()
    assert "| algorithm | Black Jacky mini-1 | decisions | seeds |" in table.content
    assert "\n| `mccfr` | **0." in table.content
    assert table.content.count("| 3,000 | 2 |") == 2
    assert "<svg" in picture.content


def test_errors_are_taken_apart_by_seat_by_decision_and_by_what_the_policy_leads_to():
    tree = build_tree(SmallTable.of("black_jacky", table="mini-1"))
    solver = Solver(tree)
    solver.run(500)
    parts = errors.taken_apart(tree, uniform(tree), solver.average())
    assert parts["all"] == pytest.approx(worth_of(tree, uniform(tree)).exploitability, abs=1e-4)
    assert sum(parts["seat"]) == pytest.approx(parts["all"], abs=1e-3), "each seat's errors are won by the other"
    assert len(parts["decision"]) == 2
    assert (parts["led to"], parts["not led to"] < 1e-4) == (parts["all"], True), "random play leads everywhere"
    assert max(map(np.max, errors.taken_apart(tree, solver.average(), solver.average()).values())) < 1e-4


@pytest.mark.prove
def test_errors_are_measured_at_mini_2_and_mini_3_and_between_them(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    errors.main(errors.Args("mccfr", seeds=(7,), decisions=1000))
    rows = {(row["max_turns_per_round"], row["bust_at"]): row for row in results.load("errors")["rows"]}
    ends = [SmallTable.of("black_jacky", table=table).options for table in ("mini-2", "mini-3")]
    first, *_, last = rows
    assert [(each["max_turns_per_round"], each["bust_at"]) for each in ends] == [first, last]
    assert {name for name in ends[0] if ends[0][name] != ends[1][name]} == {"max_turns_per_round", "bust_at"}
    assert [row["all"] > 0 and len(row["seat"]) == 2 for row in rows.values()] == [True] * 4
    [told] = [part.content for part in page.parts() if part.name == "errors"]
    assert told.count("| 3 |") == told.count("| 4 |") == 2
