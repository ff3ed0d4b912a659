"""Rehearsing a release: how archives are compared, limits held, steps kept, and what the page shows."""

from __future__ import annotations

import io
import json
import tarfile
import tomllib
import zipfile
from pathlib import Path

import make_release
import pytest
import rehearse_release
import release_limits
from release_limits import Limits

ROOT = Path(__file__).parents[2]
LIMITS = Limits(wheel_bytes=1_000, sdist_bytes=1_000, base_megabytes=1, torch=("train",), gpu=("cuda",))
METADATA = """Metadata-Version: 2.4
Name: sample
Version: 1.0
Provides-Extra: drawing
Provides-Extra: all
Requires-Dist: pettingzoo
Requires-Dist: no-such-package ; extra == "drawing"
Requires-Dist: sample[drawing] ; extra == "all"
"""


def make_wheel(folder: Path, files: dict[str, bytes], mode: int = 0o644, year: int = 2026) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sample-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0))
            info.external_attr = mode << 16
            archive.writestr(info, content)
    return path


def make_sdist(folder: Path, files: dict[str, bytes], mode: int = 0o644, year: int = 2026) -> Path:
    path = folder / "sample-1.0.tar.gz"
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(f"sample-1.0/{name}")
            info.size, info.mode, info.mtime = len(content), mode, year
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("make", [make_wheel, make_sdist])
def test_what_differs_between_two_builds_is_named(make, tmp_path: Path) -> None:
    first = make(tmp_path / "1", {"a.py": b"1", "b.py": b"2"})
    other = tmp_path / "2"
    assert "was not built again" in rehearse_release.differences(first, other)[0]
    make(other, {"a.py": b"1", "b.py": b"3", "c.py": b""})
    found = rehearse_release.differences(first, other)
    assert [each.rpartition("/")[2] for each in found] == ["b.py (content)", "c.py (mode, time, content)"]
    make(other, {"a.py": b"1", "b.py": b"2"}, mode=0o755, year=2020)
    assert all("(mode, time)" in each for each in rehearse_release.differences(first, other))
    make(other, {"b.py": b"2", "a.py": b"1"})
    assert rehearse_release.differences(first, other) == ["the order or the compression of its members"]
    (other / first.name).write_bytes(first.read_bytes())
    assert rehearse_release.differences(first, other) == []


def test_an_archive_over_its_limit_is_told_with_the_folders_that_have_grown(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, {"sample/data/a": b"a" * 900, "sample/code.py": b"b" * 300})
    sdist = make_sdist(tmp_path, {"sample/code.py": b"b"})
    last = {"archives": {"wheel": {"folders": {"sample/data": 100, "sample": 300}}}}
    (problem,) = release_limits.archive_problems(LIMITS, wheel, sdist, last)
    assert problem.startswith("the wheel has ")
    assert "since the last rehearsal: sample/data +800. Leave out" in problem
    assert "raise wheel_bytes in [tool.blackjacky.release]" in problem


def test_a_base_installation_over_its_limit_is_told_with_the_packages_that_have_grown() -> None:
    last = {"environments": {"none": {"sizes": {"numpy": 500_000}}}}
    assert list(release_limits.base_problems(LIMITS, {"numpy": 1_000_000}, last)) == []
    (problem,) = release_limits.base_problems(LIMITS, {"numpy": 1_000_000, "new": 200_000}, last)
    assert "numpy +500,000, new +200,000" in problem


@pytest.mark.parametrize(
    ("extra", "packages", "unasked"),
    [
        ("web", ["starlette"], None),
        ("web", ["starlette", "torch"], "torch"),
        ("train", ["torch", "nvidia-cublas", "triton"], None),
        ("train", ["numba-cuda", "cuda-core"], "cuda-core, numba-cuda"),
        ("cuda", ["numba-cuda"], None),
        ("cuda", ["torch", "numba-cuda"], "torch"),
    ],
)
def test_torch_and_gpu_packages_come_only_with_the_extras_that_ask_for_them(extra, packages, unasked) -> None:
    problems = list(release_limits.extra_problems(LIMITS, extra, packages))
    assert len(problems) == (unasked is not None)
    assert all(problem.startswith(f"extra {extra} pulls in {unasked}: ") for problem in problems)


def test_limits_name_extras_that_exist() -> None:
    own = (ROOT / "pyproject.toml").read_text("utf-8")
    assert release_limits.read_limits(own).wheel_bytes > 0
    with pytest.raises(ValueError, match="unknown extras: \\['gpu'\\]"):
        release_limits.read_limits(own.replace('gpu = ["cuda"', 'gpu = ["gpu"'))


def test_what_an_extra_pulls_in_is_followed_through_what_is_installed(tmp_path: Path) -> None:
    wheel = release_limits.open_wheel(make_wheel(tmp_path, {"sample-1.0.dist-info/METADATA": METADATA.encode()}))
    base, missing = release_limits.pulled_in(wheel, release_limits.BASE)
    assert {"pettingzoo", "gymnasium", "numpy"} <= set(base)
    assert missing == set()
    assert release_limits.size(base["pettingzoo"]) > 100_000
    for extra in ("drawing", "all"):
        packages, missing = release_limits.pulled_in(wheel, extra)
        assert (set(packages), missing) == (set(base), {"no-such-package"})


def test_a_step_that_has_succeeded_is_not_repeated_and_a_failed_one_tells_no_address(tmp_path: Path) -> None:
    path, calls = tmp_path / "results.json", []

    def step(error: str) -> None:
        calls.append(error)
        rehearse_release.Record(path).step("environments", "web", lambda: {"said": "well", "error": error})

    step(f"no package at http://127.0.0.1:8/simple in {tmp_path}/empty")
    step("")
    rehearse_release.Record(path).step("environments", "web", lambda: pytest.fail("repeated"))
    found = json.loads(path.read_text("utf-8"))
    assert found["environments"] == {"web": {"error": ""}}
    assert ["no package at ADDRESS in ./empty" in found["log"][0], "web: well" in found["log"][1]] == [True, True]


def test_a_wrong_tag_and_files_that_an_archive_lacks_or_has_too_many_are_named(tmp_path: Path, monkeypatch) -> None:
    tracked = ["blackjacky_env/a.py", "agents/blackjacky_agents/b.py", "docs/c.md", ".ci/run"]
    answers = {"tag": "v2", "ls-tree": "\0".join(tracked), "log": "0"}
    monkeypatch.setattr(rehearse_release, "git", lambda command, *_: answers[command])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    rehearsal = rehearse_release.Rehearsal(tmp_path, "commit", rehearse_release.Record(tmp_path / "results.json"))
    own = {"blackjacky_env/a.py": b"", "notes.txt": b"", "sample-1.0.dist-info/METADATA": METADATA.encode()}
    wheel = make_wheel(tmp_path, own)
    sdist = make_sdist(tmp_path, dict.fromkeys([*tracked[:2], "PKG-INFO"], b""))
    assert [each.partition(": set")[0] for each in rehearsal.wrong_contents(wheel, sdist, "v2")] == [
        "the tag v2 is not v1.0",
        "the wheel lacks or should not have blackjacky_agents/b.py",
        "the wheel lacks or should not have notes.txt",
        "the sdist lacks or should not have docs/c.md",
    ]


def test_every_extra_is_tried() -> None:
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(rehearse_release.TRIALS) == {*offered, rehearse_release.BASE, rehearse_release.DEFAULTS}
    codes = [each for trials in rehearse_release.TRIALS.values() for each in trials if not isinstance(each, str)]
    assert all(code.word in code.of(ROOT) for code in codes)


def test_the_page_shows_failures_and_what_was_installed() -> None:
    installed = {"packages": 3, "bytes": 2_500_000, "torch": "2.0", "gpu": ["triton"]}
    done = {**installed, "seconds": 61, "tried": ["x"], "error": ""}
    text = make_release.environments({"train": done, "cuda": {"error": "no | wheel"}})
    assert "| train | 3 | 2 | 1 min 01 s | 2.0 | 1 | `x` | no |" in text
    assert text.endswith("| - | no &#124; wheel |")
