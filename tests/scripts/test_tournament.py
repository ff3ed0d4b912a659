"""blackjacky tournament: what it plays, keeps and writes; and the published ladders."""

import re
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from blackjacky_agents import cli
from blackjacky_agents.arena.standings import standings
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.reports import share

BOTS = ["random", "threshold", "trickster"]
TOURNAMENT = f"tournament --agents {','.join(BOTS)} --threads 1 --output o"
OF_THREE = f"{TOURNAMENT} --players 3 --games"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tournament")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.main(f"{TOURNAMENT} --players 2 3 --games 120 --seed 3".split()) == 0
    return folder / "o"


@pytest.fixture
def played(finished, empty_folder):
    return Path(shutil.copytree(finished, empty_folder / "o"))


def test_the_report_says_what_the_games_say_and_all_is_kept(played):
    kept = {"2_players.jsonl", "3_players.jsonl", ".lock"}
    assert {path.name for path in played.iterdir()} == kept | {"report.md", "report.json"}
    report = (played / "report.md").read_text(encoding="utf-8")
    result = standings(Tournament(BOTS, 3, seed=3, results=played / "3_players.jsonl").games())
    assert "**3 players**, par 33.3 %; 120 games, 40 deals of 1 line-up;" in report
    for row in result.agents:
        assert re.search(rf"\n\| `?{row.agent}`? \| {re.escape(share(asdict(row.win_rate)))} \|.*\| 120 \|\n", report)
    (pair,) = (each for each in result.pairs if (each.first, each.second) == ("trickster", "random"))
    assert re.search(rf"\n\| `?trickster`? \|.*\| {re.escape(share(asdict(pair.share)))} \|\n", report)
    assert f"`blackjacky {TOURNAMENT} --players 2 3 --games 120" in report


def test_more_games_go_on_from_those_that_are_kept_and_the_same_games_give_the_same_report(played, typed):
    kept, _, _ = (played / "3_players.jsonl").read_bytes().rpartition(b'{"sha256"')
    first = typed(f"{OF_THREE} 240 --seed 3").out
    assert (whole := (played / "3_players.jsonl").read_bytes()).startswith(kept)
    assert "240 games, 80 deals" in first
    assert first.startswith("240 games, 120 of them in ")
    again = typed(f"{OF_THREE} 240 --seed 3").out
    assert again.startswith("240 games, 0 of them in 0 s: ")
    assert again.partition("\n")[2] == first.partition("\n")[2]
    assert (played / "3_players.jsonl").read_bytes() == whole
