"""The long attacks: a few tries of each kind."""

from __future__ import annotations

import os
import subprocess

import pytest

from scripts.proofs import torture
from scripts.proofs.attacks.commands import NAMESPACE
from scripts.proofs.attacks.common import run_apart
from scripts.proofs.torture import Args

pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forks of a process"),
]


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
