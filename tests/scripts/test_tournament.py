"""blackjacky tournament: what it plays, keeps and writes; and the published ladders."""

import json
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path

import play_ladders
import pytest

from blackjacky_agents import cli
from blackjacky_agents.arena.standings import standings
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_agents.cli.tournament_report import copies_table, cycles, in_short, ladder, share
from blackjacky_agents.files import only_writer
from blackjacky_agents.reports import ready_for_json
from blackjacky_env import black_jacky_v0

ROOT = Path(__file__).parents[2]
BOTS = ["random", "threshold", "trickster"]
AGENTS = ["--agents", ",".join(BOTS)]


def run(*args):
    """The exit status."""
    return cli.run("tournament", [str(arg) for arg in args])


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with a tournament at tables of 2 and 3."""
    folder = tmp_path_factory.mktemp("tournament")
    assert run(*AGENTS, "--players", 2, 3, "--games", 120, "--seed", 3, "--threads", 1, "--output", folder) == 0
    return folder


def rows_under(text, heading):
    """The cells of the first table after a heading, by agent."""
    lines = text[text.index(heading) :].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    table = lines[first:]
    table = table[: next(number for number, line in enumerate([*table, ""]) if not line.startswith("|"))]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return cells[0], {name.strip("`"): rest for name, *rest in cells[2:]}


def test_the_report_says_what_the_games_say(played):
    report = (played / "report.md").read_text(encoding="utf-8")
    result = standings(Tournament(BOTS, 3, seed=3, results=played / "3_players.jsonl").games(), seed=3)
    head, rows = rows_under(report, "**3 players**, par 33.3 %; 120 games, 40 deals of 1 line-up;")
    assert head == ["agent", "win rate", "reward", "hearts", "rating", "variance reduction", "games"]
    assert list(rows) == [row.agent for row in sorted(result.agents, key=lambda row: -row.win_rate.mean)]
    for row in result.agents:
        assert rows[row.agent][0] == share(asdict(row.win_rate))
        assert rows[row.agent][-1] == "120"
    _, pairs = rows_under(report[report.index("**3 players**") :], "| finishes ahead of")
    found = {(pair.first, pair.second): pair for pair in result.pairs}
    assert pairs["trickster"][-1] == share(asdict(found["trickster", "random"].share))
    assert "`blackjacky tournament --agents random,threshold,trickster --players 2 3 --games 120" in report


def test_everything_is_kept(played):
    assert {path.name for path in played.iterdir()} == {
        *("2_players.jsonl", "2_players.json", "3_players.jsonl", "3_players.json"),
        *("report.md", "report.json", "report.svg", ".lock"),
    }
    report = json.loads((played / "report.json").read_text(encoding="utf-8"))
    assert [table["num_players"] for table in report["tables"]] == [2, 3]
    assert (played / "report.svg").read_text(encoding="utf-8").count("</svg>") == 1


def test_more_games_go_on_from_those_that_are_kept_and_the_same_games_give_the_same_report(played, tmp_path, capsys):
    folder = tmp_path / "copy"
    shutil.copytree(played, folder)
    kept = (folder / "3_players.jsonl").read_bytes()
    arguments = [*AGENTS, "--players", 3, "--seed", 3, "--threads", 1, "--output", folder]
    assert run(*arguments, "--games", 240) == 0
    assert (folder / "3_players.jsonl").read_bytes().startswith(kept)
    first, picture = capsys.readouterr().out, (folder / "report.svg").read_bytes()
    assert "240 games, 80 deals" in first
    assert run(*arguments, "--games", 240) == 0
    assert capsys.readouterr().out == first
    assert (folder / "report.svg").read_bytes() == picture


def test_a_game_is_replayed_as_a_record_of_the_environment(played, capsys):
    arguments = [*AGENTS, "--players", 3, "--seed", 3, "--output", played]
    assert run(*arguments, "--replay", 17) == 0
    env = black_jacky_v0.env(num_players=3)
    env.reset(seed=0)
    env.replay(json.loads(capsys.readouterr().out))
    line = json.loads((played / "3_players.jsonl").read_text(encoding="utf-8").splitlines()[17])
    assert env.snapshot()["winners"] == line["winners"]


def test_named_tables_are_what_is_played(tmp_path, capsys):
    tables = ["--tables", "trickster,random*2", "trickster,threshold*2"]
    assert run(*tables, "--games", 30, "--threads", 1, "--output", tmp_path) == 0
    head, rows = rows_under(capsys.readouterr().out, "| line-up |")
    assert head == ["line-up", "deals", "win rates, each"]
    assert list(rows) == ["trickster`, `random`, `random", "trickster`, `threshold`, `threshold"]


def test_the_normalised_score_of_random_is_0(tmp_path, capsys):
    assert run(*AGENTS, "--players", 2, "--games", 60, "--oracle", 0.9, "--threads", 1, "--output", tmp_path) == 0
    head, rows = rows_under(capsys.readouterr().out, "**2 players**")
    assert head[2] == "normalised score"
    assert rows["random"][1] == "0 %"


def test_the_ladder_shows_one_of_each_agent_against_copies(tmp_path):
    kept = tmp_path / "ladder.json"
    arguments = [*AGENTS, "--players", 3, "--lineups", "copies", "--games", 36, "--threads", 1]
    assert run(*arguments, "--output", tmp_path / "o", "--ladder", kept) == 0
    report = json.loads(kept.read_text(encoding="utf-8"))
    head, rows = rows_under(ladder(report), "**3 players**")
    assert head == ["agent", *(f"against 2 copies of `{bot}`" for bot in BOTS)]
    (against_random,) = (
        line for line in report["tables"][0]["lineups"] if line["agents"] == ["trickster", "random", "random"]
    )
    assert rows["trickster"][0] == share(against_random["win_rates"]["trickster"])


@pytest.mark.parametrize("game", play_ladders.ROOMS)
def test_a_ladder_is_played_again_as_it_was_published(game):
    path = (play_ladders.RESULTS / game / "ladder.json").relative_to(ROOT)
    published = shlex.split(json.loads((ROOT / path).read_text(encoding="utf-8"))["command"])
    again = play_ladders.command(game, path)
    for option in ("--games", "--players", "--lineups"):
        assert values_of(option, again) == values_of(option, published), option


def values_of(option, command):
    """What follows an option."""
    rest = command[command.index(option) + 1 :]
    return rest[: next((i for i, each in enumerate(rest) if each.startswith("--")), len(rest))]


def test_the_bots_are_in_the_ladder_in_which_the_stronger_one_wins():
    report = json.loads((play_ladders.RESULTS / "black_jacky" / "ladder.json").read_text(encoding="utf-8"))
    assert [table["num_players"] for table in report["tables"]] == [2, 3, 4, 5, 6]
    for table in report["tables"]:
        assert not table["cycles"]
        means = {row["agent"]: row["win_rate"]["mean"] for row in table["agents"]}
        assert means["counter"] > means["trickster"] > means["threshold"] > means["random"]


def test_what_is_unknown_is_written_as_such():
    assert ready_for_json({"a": [float("nan"), 0.1234567], "b": ("c", 1)}) == {"a": [None, 0.123457], "b": ["c", 1]}
    assert share({"mean": None, "low": None, "high": None}) == "?"
    assert share({"mean": 0.5, "low": None, "high": None}) == "**50.0 %**"


def test_cycles_are_told():
    assert cycles({"cycles": []}) == "No cycles: the pairwise results are transitive."
    told = cycles({"cycles": [["a", "b", "c"]]})
    assert told == "Shortest cycles: `a` beats `b` beats `c` beats `a`."


def test_tables_of_two_and_long_names_read_well():
    rate = {"mean": 0.5, "low": 0.4, "high": 0.6}
    table = {
        "num_players": 2,
        "agents": [{"agent": "a"}, {"agent": "b"}],
        "lineups": [{"agents": pair, "win_rates": dict.fromkeys(pair, rate)} for pair in (["a", "b"], ["b", "a"])],
    }
    assert copies_table(table).splitlines()[0] == "| agent | against one `a` | against one `b` |"
    assert in_short("ppo:runs/a/very/long/way/to/weights") == "...y/long/way/to/weights"


def test_games_of_another_tournament_are_refused_with_status_2(played, capsys):
    kept = (played / "3_players.jsonl").read_bytes()
    assert run(*AGENTS, "--players", 3, "--games", 120, "--seed", 4, "--output", played) == 2
    assert "holds games with seed=3, not seed=4" in capsys.readouterr().err
    assert (played / "3_players.jsonl").read_bytes() == kept


def test_a_second_process_is_told_that_the_folder_is_in_use(played, capsys):
    kept = (played / "3_players.jsonl").read_bytes()
    with only_writer(played):
        assert run(*AGENTS, "--players", 3, "--games", 240, "--seed", 3, "--output", played) == 2
    printed = capsys.readouterr().err
    assert f"error: {played} is being written by process" in printed
    assert "Traceback" not in printed
    assert (played / "3_players.jsonl").read_bytes() == kept


def test_a_stop_by_hand_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Tournament, "play", stop)
    assert run(*AGENTS, "--players", 3, "--output", tmp_path) == 130
    assert "repeat the command to resume" in capsys.readouterr().err
