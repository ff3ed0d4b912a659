"""The long attacks: what they count, that nothing bad is overlooked, and a few tries of each kind."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from scripts.proofs import torture
from scripts.proofs.attacks import common, disks, kills, writers
from scripts.proofs.attacks.common import OUTCOMES, Row, Task, run_apart
from scripts.proofs.torture import Args

pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forks of a process"),
]


def counted(call: str, *arguments: object) -> Counter[str]:
    return run_apart(Task("tries", call, arguments, 1), lambda done: None)


@pytest.mark.parametrize(
    ("call", "argument", "outcome"),
    [
        ("os:abort", None, "crashes"),
        ("importlib:import_module", "no_such_module", "errors"),
        ("time:sleep", 1000, "hangs"),
        ("collections:Counter", {"survived": 2, "lost": 1}, None),
    ],
)
def test_what_becomes_of_a_process_is_counted(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], call: str, argument: object, outcome: str | None
) -> None:
    if outcome == "hangs":
        monkeypatch.setattr(common, "PATIENCE", 0.5)
    counts = counted(call, *([] if argument is None else [argument]))
    assert counts == ({outcome: 1} if outcome else argument)
    assert (call in capfd.readouterr().err) == (outcome is not None)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_only_tries_that_are_refused_or_survived_give_status_0(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: str
) -> None:
    row = Row("of one kind", 4, Counter({outcome: 4}))
    monkeypatch.setattr(torture, "run_tasks", lambda *_: [row])
    assert torture.main(Args(kinds="kills", tries=4)) == (outcome not in ("refused", "survived"))
    cells = " | ".join("4" if each == outcome else "0" for each in OUTCOMES)
    assert f"| of one kind | 4 | {cells} |" in capsys.readouterr().out


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match="--kinds 'kill' is unknown; allowed are connections, kills, disks, writers"):
        torture.main(Args(kinds="kill"))


@pytest.mark.parametrize(
    ("kind", "what", "tries"),
    [
        (kills, "killed: score", 8),
        (kills, "killed: checkpoints saved in a loop", 20),
        (kills, "killed: moves at a saved table", 20),
        (kills, "killed: web server with a game in progress", 2),
        (disks, "full disk: score", 4),
        (disks, "full disk: tournament", 4),
        (writers, "two processes: score", 2),
    ],
)
def test_kills_full_disks_and_second_writers_lose_nothing(kind: object, what: str, tries: int) -> None:
    (task,) = (task for task in kind.tasks(100, 0) if task.what == what)  # type: ignore[attr-defined]
    found = run_apart(task._replace(arguments=[task.arguments[0], tries, 1]), lambda done: None)
    assert found["refused"] + found["survived"] == sum(found.values()) == tries


_IN_PLACE = """
import json, time
from scripts.proofs.attacks import kills

def write_in_place(path, content):
    text = json.dumps(content)
    with path.open("w") as file:
        for part in (text[:10], text[10:]):
            time.sleep(0.005)
            print(part, end="", file=file, flush=True)

kills.write_json = write_in_place
attack = kills.kill_loop
"""


def test_a_kill_that_leaves_half_a_file_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "in_place.py").write_text(_IN_PLACE, "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    found = counted("in_place:attack", "file", 20, 0)
    assert found["lost"] > 0
    assert sum(found.values()) == 20
