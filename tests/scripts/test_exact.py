"""scripts/measures/exact.py: small tables are solved once, and asked again whenever agents have changed."""

import pytest

from blackjacky_agents.games import agent_names
from scripts import results
from scripts.measures import exact

pytestmark = pytest.mark.prove


def test_a_solved_table_is_not_solved_again_when_the_champion_has_changed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    asked = exact.Args("black_jacky", tables=("mini-1",), iterations=20)
    exact.main(asked)
    [first] = results.load("exact", "black_jacky")["rows"]
    assert list(first["agents"]) == agent_names("black_jacky")
    assert first["floor"]["views"] == first["size"]["information_states"] == 48
    path = results.path_of("exact", "black_jacky")
    path.write_text(path.read_text("utf-8").replace(results.shipped("black_jacky")["champion"], "other"), "utf-8")
    monkeypatch.delattr(exact, "solve")
    exact.main(asked)
    result = results.load("exact", "black_jacky")
    assert result["rows"] == [first]
    assert len(result["runs"]) == 1
    assert capsys.readouterr().out.count("mini-1") == 2
    exact.main(asked)
    assert capsys.readouterr().out == ""
