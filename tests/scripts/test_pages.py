"""scripts/pages and scripts/results.py: parts of pages, and results in one form that name their weights."""

import json
import re

import pytest

from blackjacky_env.games import DEFAULT
from scripts import results
from scripts.pages import measured
from scripts.pages.__main__ import update
from scripts.pages.part import Part, plain_tables

RUN = {"command", "seed", "commit", "date", "minutes", "machine", "versions", "weights", "fingerprints", "rows"}
FILES = [path for path in results.RESULTS.rglob("*.json") if path.parent.name != "scores"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def test_what_is_out_of_date_is_named_by_check_and_written_without(tmp_path, capsys):
    page = tmp_path / "page.md"
    before = "before\n<!-- a:begin -->\nold\n<!-- a:end -->\n<!-- b:begin -->\n<!-- b:end -->\nafter\n"
    page.write_text(before, "utf-8")
    parts = [Part(page, "a", "new"), Part(tmp_path / "whole.svg", "", "<svg/>"), Part(page, "b", "more")]
    assert update(parts, check=True) == 1
    assert capsys.readouterr().out == "page.md is out of date\nwhole.svg is out of date\n"
    assert page.read_text("utf-8") == before
    assert update(parts) == 0
    new = "before\n<!-- a:begin -->\nnew\n<!-- a:end -->\n<!-- b:begin -->\nmore\n<!-- b:end -->\nafter\n"
    assert page.read_text("utf-8") == new
    assert update(parts, check=True) == 0
    with pytest.raises(ValueError, match=r"page\.md: the document lacks"):
        update([Part(page, "c", "")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_result_has_the_form(path):
    found = json.loads(path.read_text("utf-8"))
    assert set(found) - {"settings"} == {"what", "runs"}
    for run in found["runs"]:
        assert set(run) == RUN
        assert run["commit"]
        assert run["rows"]
        assert run["fingerprints"]["rules"]
        assert all(re.fullmatch("[0-9a-f]{64}", weights) for weights in run["weights"].values())


def test_a_result_is_read_as_it_was_saved_and_shown_with_its_command_unless_other_weights_made_it(folder):
    rows = [{"n": 12_000, "win rate": 0.25}, {"n": 1, "win rate": 1.0}, {"other": "x"}]
    results.save("kind", rows, what="Numbers.", command="blackjacky evaluate", game=DEFAULT, seed=3)
    found = results.load("kind", DEFAULT)
    [run] = found["runs"]
    assert (found["rows"], run["command"], run["seed"], run["weights"]) == (rows, "blackjacky evaluate", 3, {})
    assert f"`results/{DEFAULT}/kind.json`: commit `{results.commit()}`" in results.made_by(found)
    results.save("kind", [{"n": 2}], what="Numbers.", command="x", game=DEFAULT, replaces=lambda row: row.get("n") == 1)
    assert results.load("kind", DEFAULT)["rows"] == [rows[0], rows[2], {"n": 2}]
    first, second = plain_tables(rows).split("\n\n")
    assert first.endswith("| 12,000 | 25.0 % |\n| 1 | 100.0 % |")
    assert second.startswith("| other |")
    assert results.load("another", DEFAULT) is None
    assert folder.is_dir()
    path = results.save("kind", [], what="None.", command="x", game=DEFAULT, weights=["champion"])
    assert results.load("kind", DEFAULT) is not None
    path.write_text(path.read_text("utf-8").replace(results.shipped(DEFAULT)["champion"], "0" * 64), "utf-8")
    with pytest.raises(ValueError, match="made with other weights of champion"):
        results.load("kind", DEFAULT)
    assert results.load("kind", DEFAULT, to_show=False) is not None, "to make it again"
    assert folder in path.parents


def test_a_proof_that_has_failed_is_no_proof(folder):
    settings = {
        "fuzz": {"actions": 9, "differences": 0},
        "mutants": {"mutants": 9, "all": 9, "survivors": 2, "unexplained": 0},
        "leaks": {"positions": 9, "leaks": 0},
    }
    for kind, facts in settings.items():
        results.save(kind, [], what="", command="x", game=DEFAULT, settings=facts)
    assert measured.proof(DEFAULT)["noticed"] == 7
    results.save("leaks", [], what="", command="x", game=DEFAULT, settings={"positions": 9, "leaks": 1})
    with pytest.raises(ValueError, match="has failed"):
        measured.proof(DEFAULT)
    assert folder.is_dir()
