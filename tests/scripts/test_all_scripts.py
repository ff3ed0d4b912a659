"""Every script stands on the page of the scripts."""

from __future__ import annotations

from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"
PARTS = ("attacks", "pages")  # folders whose modules are parts of one program
IMPORTED = ("golden.py", "peers.py", "results.py")


def test_every_script_stands_on_the_page() -> None:
    page = (SCRIPTS / "README.md").read_text(encoding="utf-8")
    scripts = [path.relative_to(SCRIPTS) for path in SCRIPTS.rglob("*.py") if path.parent.name not in PARTS]
    assert [path for path in scripts if f"]({path.as_posix()})" not in page and path.name not in IMPORTED] == []
