"""The long attacks: what they count, that nothing bad is overlooked, and a few tries of each kind."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
import torture
from attacks import common, disks, kills, observations, states, writers
from attacks.common import OUTCOMES, Row, Task, run_apart, run_tasks
from torture import Args

from blackjacky_env.games import GAMES


def counted(call: str, *arguments: object) -> Counter[str]:
    return run_apart(Task("tries", call, arguments, 1), lambda done: None)


def test_every_game_gets_its_part_and_no_two_processes_the_same_seed() -> None:
    todo = states.tasks(60_000, 7)
    assert sum(task.tries for task in todo) == 60_000
    assert len({task.what for task in todo}) == len(GAMES)
    assert sorted(task.arguments[2] for task in todo) == list(range(7, 7 + len(todo)))


@pytest.mark.parametrize(
    ("call", "argument", "outcome"),
    [
        ("os:abort", None, "crashes"),
        ("importlib:import_module", "no_such_module", "errors"),
        ("time:sleep", 1000, "hangs"),
    ],
)
def test_what_becomes_of_a_process_is_counted(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], call: str, argument: object, outcome: str
) -> None:
    if outcome == "hangs":
        monkeypatch.setattr(common, "PATIENCE", 0.5)
    assert counted(call, *([] if argument is None else [argument])) == {outcome: 1}
    assert call in capfd.readouterr().err


def test_what_a_process_reports_is_added_up_by_row() -> None:
    tasks = [Task(what, "collections:Counter", [{"refused": 3, "survived": 2}], 5) for what in ("a", "b", "a")]
    done: list[int] = []
    rows = run_tasks(tasks, 2, done.append)
    assert [(row.what, row.tried, row.counts["refused"]) for row in rows] == [("a", 10, 6), ("b", 5, 3)]
    assert done == [5, 5, 5]


@pytest.mark.parametrize("game", GAMES)
def test_every_agent_refuses_a_changed_observation_or_chooses_an_action(game: str) -> None:
    counts = sum(observations.attack_agents(game, 300, 0), Counter[str]())
    assert counts.total() == 300
    assert set(counts) == {"refused", "survived"}


@pytest.fixture
def _kept_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(torture, "KEPT", tmp_path)


@pytest.mark.usefixtures("_kept_elsewhere")
def test_only_tries_that_are_refused_or_survived_give_status_0(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for outcome in OUTCOMES:
        row = Row("of one kind", 4, Counter({outcome: 4}))
        monkeypatch.setattr(states, "attack", lambda *_, row=row: [row], raising=False)
        status = torture.main(Args(kinds="states", tries=4, again=True))
        assert status == (outcome not in ("refused", "survived"))
        cells = " | ".join("4" if each == outcome else "0" for each in OUTCOMES)
        assert f"| of one kind | 4 | {cells} |" in capsys.readouterr().out


@pytest.mark.usefixtures("_kept_elsewhere")
def test_a_stopped_run_goes_on_with_the_kind_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def attack(tries: int, *_: object) -> list[Row]:
        calls.append(tries)
        return [Row("a", tries, Counter(refused=tries))]

    monkeypatch.setattr(states, "attack", attack, raising=False)
    results = [torture.run_kind("states", Args(tries=tries)) for tries in (3, 3, 4)]
    assert calls == [3, 4]
    assert json.dumps(results[0]) == json.dumps(results[1])


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match="--kinds 'stats' is unknown; allowed are states, observations, garbage, "):
        torture.main(Args(kinds="stats"))


# ---------------------------------------------------------------- a few tries of those that are slow to begin

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forks of a process")


@forks
@pytest.mark.parametrize(
    ("call", "name", "tries"),
    [
        ("attacks.kills:kill_command", "score", 8),
        ("attacks.kills:kill_loop", "agent", 20),
        ("attacks.kills:kill_loop", "table", 20),
        ("attacks.kills:kill_server", "", 3),
        ("attacks.disks:fill_command", "score", 4),
        ("attacks.disks:fill_command", "tournament", 4),
        ("attacks.writers:write_twice", "score", 2),
    ],
)
def test_kills_full_disks_and_second_writers_lose_nothing(call: str, name: str, tries: int) -> None:
    kind = next(module for module in (kills, disks, writers) if any(task.call == call for task in module.tasks(100, 0)))
    task = next(task for task in kind.tasks(100, 0) if (task.call, task.arguments[0]) == (call, name))
    found = run_apart(task._replace(arguments=[name, tries, 1], tries=tries), lambda done: None)
    assert found["refused"] + found["survived"] == sum(found.values()) == tries


_IN_PLACE = """
import json, time
from attacks import kills

def write_in_place(path, content):
    text = json.dumps(content)
    with path.open("w") as file:
        for part in (text[:10], text[10:]):
            time.sleep(0.005)
            print(part, end="", file=file, flush=True)

kills.write_json = write_in_place
attack = kills.kill_loop
"""


@forks
def test_a_kill_that_leaves_half_a_file_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "in_place.py").write_text(_IN_PLACE, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = counted("in_place:attack", "file", 20, 0)
    assert found["lost"] > 0
    assert sum(found.values()) == 20
