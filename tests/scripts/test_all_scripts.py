"""Every script stands on the page of the scripts, and tells its options."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import tyro

pytestmark = pytest.mark.prove

SCRIPTS = Path(__file__).parents[2] / "scripts"
IMPORTED = ("duels.py", "parts.py", "golden.py", "peers.py")
WITH_OPTIONS = sorted(path.stem for path in SCRIPTS.rglob("*.py") if "tyro.cli(" in path.read_text(encoding="utf-8"))
NEEDS = {"benchmark_gpu": "numba_cuda"}


def test_every_script_stands_on_the_page() -> None:
    page = (SCRIPTS / "README.md").read_text(encoding="utf-8")
    scripts = [path.relative_to(SCRIPTS) for path in SCRIPTS.rglob("*.py") if path.parent.name != "attacks"]
    assert [path for path in scripts if f"]({path.as_posix()})" not in page and path.name not in IMPORTED] == []


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_every_script_tells_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    script = importlib.import_module(name)
    with pytest.raises(SystemExit) as stopped:
        tyro.cli(script.Args, args=["--help"])
    assert stopped.value.code == 0
    assert script.Args.__doc__.splitlines()[0].rstrip(".") in " ".join(capsys.readouterr().out.split())
