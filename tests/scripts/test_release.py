"""scripts/proofs/release.py: files that are missing or too many are named; `.ci/run` runs all of it."""

from __future__ import annotations

import io
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from scripts.proofs import release


def test_files_that_an_archive_lacks_or_should_not_have_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        release, "run", lambda *_command, **_options: "README.md\0blackjacky_env/__init__.py\0.ci/run\0"
    )
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("blackjacky_env/secret.txt", "")
        wheel.writestr("blackjacky-1.dist-info/METADATA", "")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as sdist:
        for name in ("PKG-INFO", "README.md", "blackjacky_env/__init__.py"):
            sdist.addfile(tarfile.TarInfo(f"a/{name}"), io.BytesIO())
    assert list(release.wrong_contents(tmp_path / "a.whl", tmp_path / "a.tar.gz")) == [
        "the wheel lacks or should not have blackjacky_env/__init__.py",
        "the wheel lacks or should not have blackjacky_env/secret.txt",
    ]


def test_limits_name_extras_that_there_are() -> None:
    project = tomllib.loads((release.ROOT / "pyproject.toml").read_text("utf-8"))
    limits = project["tool"]["blackjacky"]["release"]
    assert {*limits["torch"], *limits["gpu"]} <= set(project["project"]["optional-dependencies"])
