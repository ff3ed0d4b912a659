"""scripts/documents: what is generated stands between markers, is written once, and says what was measured."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import generate
import make_exact
import make_facts
import make_pictures
import make_positions
import make_results
import measure_trained
import pytest
from parts import Part

from blackjacky_agents import bot_names
from blackjacky_agents.learning.agent_file import read_card
from blackjacky_env.games import get_game

GAME = "black_jacky"
TRAINED = make_results.AGENTS / GAME / "trained"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with two parts, which are all that is generated."""
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a:begin -->\nold\n<!-- a:end -->\n<!-- b:begin -->\n<!-- b:end -->\nafter\n", "utf-8")
    parts = [Part(page, "a", "new"), Part(tmp_path / "whole.svg", "", "<svg/>"), Part(page, "b", "more")]
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "MAKERS", [SimpleNamespace(parts=lambda: parts)])
    return page


def test_what_is_out_of_date_is_named_by_check_and_written_without(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = page.read_text("utf-8")
    assert generate.main(generate.Args(check=True)) == 1
    assert capsys.readouterr().out == "page.md is out of date\nwhole.svg is out of date\n"
    assert page.read_text("utf-8") == before
    assert generate.main(generate.Args()) == 0
    new = "before\n<!-- a:begin -->\nnew\n<!-- a:end -->\n<!-- b:begin -->\nmore\n<!-- b:end -->\nafter\n"
    assert page.read_text("utf-8") == new
    assert page.with_name("whole.svg").read_text("utf-8") == "<svg/>"
    assert generate.main(generate.Args(check=True)) == 0


def test_a_page_without_a_marker_is_named(page: Path) -> None:
    page.write_text("nothing", "utf-8")
    with pytest.raises(ValueError, match=r"page.md: the document lacks <!-- a:begin -->"):
        generate.main(generate.Args())


def card(**facts: Any) -> dict[str, Any]:
    rows = [
        {"players": players, "opponents": bot, "games": 4000, "win_rate": rate, "low": rate - 0.01, "high": rate + 0.01}
        for players, rate in ((4, 0.4), (2, 0.625))
        for bot in bot_names(GAME)
    ]
    machine = {"processor": "A processor", "cores": 3}
    made = {"command": "blackjacky train --preset full", "seed": 3, "steps": 2_000_000, "seconds": 600.0}
    return {"game": GAME, "results": rows, "machine": machine, **made, **facts}


def test_the_results_of_an_agent_say_how_it_was_trained() -> None:
    text = make_results.results({GAME: {TRAINED / "full.safetensors": card()}, "other": {}})
    four = "| ".join(["**40.0 %** (39.0 .. 41.0) "] * len(bot_names(GAME)))
    assert f"| `full` | 4 | 25.0 % | {four}|" in text
    assert "| `full` | 2 | 50.0 % | **62.5 %** (61.5 .. 63.5) |" in text
    assert "`blackjacky train --preset full`, seed 3, 2,000,000 steps in 10 minutes on A processor, 3 cores" in text
    assert f"([learning curve](../agents/blackjacky_agents/games/{GAME}/trained/full.png)); 4,000 games in each" in text
    assert make_results.results({GAME: {}}) == "No trained agent is shipped."


def test_searches_are_listed_by_table_size_and_budget() -> None:
    rate = {"mean": 0.4, "low": 0.35, "high": 0.45, "deals": 10, "decision_seconds": 0.002}
    rows = [
        {"agent": agent, "opponent": "counter", "players": players, **rate}
        for players in (4, 2)
        for agent in ("search:100 without the prior", "search:400", "search:25", "champion")
    ]
    machine = {"processor": "A processor", "cores": 3, "versions": {"Python": "3.11"}}
    text = make_results.guided({"rows": rows, "command": "python search.py", "machine": machine})
    four, two = text.split("**2 players**, par 50.0 %:")
    assert "**4 players**, par 25.0 %:" in four
    for table, against, games in ((four, "3 `counter`", 40), (two, "one `counter`", 20)):
        assert f"| agent | against {against} | games in each cell | a decision |" in table
        assert f"| `champion` | **40.0 %** (35.0 .. 45.0) | {games} | 2.00 ms |" in table
        names = [line.split("|")[1].strip() for line in table.splitlines() if "2.00 ms" in line]
        assert names == ["`champion`", "`search:25`", "`search:400`", "search:100 without the prior"]


def test_the_games_of_an_agent_are_played_again_on_demand(tmp_path: Path) -> None:
    for kind in ("safetensors", "json"):
        shutil.copy(TRAINED / f"sb3.{kind}", tmp_path)
    measure_trained.measure(tmp_path / "sb3.safetensors", games=3, threads=1)
    old, new = read_card(TRAINED / "sb3.safetensors"), read_card(tmp_path / "sb3.safetensors")
    assert [row["games"] for row in new["results"]] == [3] * len(old["results"])
    assert {**new, "results": None} == {**old, "results": None}


def test_measurements_of_every_game_have_a_part_of_their_own() -> None:
    names = [part.name for part in (*make_results.parts(), *make_positions.parts())]
    paths = [
        path
        for path in make_results.RESULTS.glob("*/*.json")
        if path.stem not in ("exact", "openspiel", "habits", "forecasts")
    ]
    assert {f"{path.stem}-{path.parent.name}" for path in paths} <= set(names)
    assert len(set(names)) == len(names)


def test_exact_play_of_every_game_is_on_one_page() -> None:
    page = next(part.content for part in make_exact.parts() if part.name == "exact")
    games = [get_game(path.parent.name).title for path in make_exact.RESULTS.glob("*/exact.json")]
    assert sorted(re.findall(r"^### (.*)$", page, re.MULTILINE)) == sorted(games)


def test_the_animation_shows_one_frame_at_a_time_and_keeps_the_last_one_without_motion() -> None:
    frame = '<svg xmlns="http://www.w3.org/2000/svg"><style>.a{}</style><defs><g id="cat"/></defs><text>%d</text></svg>'
    film = make_pictures.animation([frame % number for number in range(3)])
    slots = 2 + make_pictures.LAST
    assert re.findall(r"animation-delay:([\d.]+)s", film) == [f"{make_pictures.SECONDS * i:g}" for i in range(3)]
    assert f"@keyframes frame{{0%{{visibility:visible}}{100 / slots:.4f}%" in film
    assert f"@keyframes last{{0%{{visibility:visible}}{100 * make_pictures.LAST / slots:.4f}%" in film
    assert film.count('id="cat"') == 1
    assert re.search(r'class="frame last"[^>]*><text>2</text>', film)
    assert "prefers-reduced-motion" in film


def test_the_animation_is_small_enough_for_a_readme() -> None:
    assert (make_results.ROOT / "docs" / "game.svg").stat().st_size < 500_000


def test_proofs_that_do_not_tell_a_success_are_no_facts() -> None:
    pattern = r"^0 leaks in ([\d,]+) positions"
    assert make_facts.numbers(pattern, "before\n0 leaks in 40,000 positions, 7 comparisons.") == [40_000]
    with pytest.raises(ValueError, match="is not found in"):
        make_facts.numbers(pattern, "10 leaks in 40,000 positions, 7 comparisons.")


def test_figures_of_the_readme_are_short() -> None:
    assert [make_facts.rounded(value) for value in (16_114_601, 286_637, 7_772)] == ["16.1 million", "287,000", "7,800"]
