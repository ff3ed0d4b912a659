"""The long attacks: what they count, that nothing bad is overlooked, and a few tries of each kind."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from scripts.proofs import torture
from scripts.proofs.attacks import common
from scripts.proofs.attacks.commands import NAMESPACE
from scripts.proofs.attacks.common import OUTCOMES, Task, run_apart
from scripts.proofs.torture import Args

pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forks of a process"),
]
_OTHERS = """
import os, time

def abort(*_):
    os.abort()

def hang(*_):
    yield "before", "survived", 2
    time.sleep(1000)
"""


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A module of other attacks."""
    (tmp_path / "others.py").write_text(_OTHERS, "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize(
    ("call", "patience", "outcomes"),
    [
        ("others:abort", 120, {"crashes": 1}),
        ("others:nothing", 120, {"other errors": 1}),
        ("others:hang", 60, {"survived": 2, "hangs": 1}),
    ],
)
def test_what_becomes_of_a_process_is_counted(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], call: str, patience: float, outcomes: object
) -> None:
    monkeypatch.setattr(common, "PATIENCE", patience)
    assert sum(run_apart(Task(call, "", 1, 0)).values(), Counter()) == outcomes
    assert call in capfd.readouterr().err


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_only_tries_that_are_refused_or_survived_give_status_0(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: str
) -> None:
    monkeypatch.setattr(common, "run_apart", lambda task: {task.name: Counter({outcome: 4})})
    assert torture.main(Args(kinds="writers", tries=1)) == (outcome not in ("refused", "survived"))
    assert "| training | 4 |" in capsys.readouterr().out
    with pytest.raises(ValueError, match="--kinds 'kill' is unknown; allowed are kills, "):
        torture.main(Args(kinds="kill"))


@pytest.mark.parametrize(
    ("kind", "name", "tries"),
    [
        ("kills", "dataset", 8),
        ("loops", "table", 20),
        ("loops", "web server", 2),
        ("disks", "tournament", 4),
        ("writers", "tournament", 2),
    ],
)
def test_kills_full_disks_and_second_writers_lose_nothing(kind: str, name: str, tries: int) -> None:
    if kind == "disks" and subprocess.run([*NAMESPACE, "true"], check=False).returncode:
        pytest.skip("no disk can be mounted here")
    (task,) = (task for task in torture.tasks(Args(kinds=kind, tries=10)) if task.name == name)
    (found,) = run_apart(task._replace(tries=tries)).values()
    assert found["refused"] + found["survived"] == found.total() == tries
