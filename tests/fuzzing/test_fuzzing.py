"""Garbage for everything that parses is refused as promised, or parsed. The corpus holds what has once been found."""

import math
import os
import re
import subprocess
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing import agents, arena, arrays, games, target, web
from tests.fuzzing.target import REFUSED, SURVIVED, HarmError, Target, TooSlowError, folder, seeds_of

ROOT = Path(__file__).parents[2]
FOUND = sorted(Path(__file__).with_name("corpus").glob("*/*"))
OWN = {
    "results_file.py": "what it has just written, with lists for tuples",
    "fixture.py": "what it has just written",
    "folders.py": "settings, whose minutes may be infinite",
    "checkpoint.py": "a state with a checksum, in which numbers may be infinite",
    "replay.py": "the record of a table of this server, kept as text",
}
"""Modules that read JSON with Python's reader, and what."""
TARGETS = {each.name: each for module in (games, arrays, arena, agents, web) for each in module.TARGETS}
"""By name: everything that parses what a stranger, a friend or another program may have written."""
QUICK = ("agent_card", "agent_weights", "checkpoint", "socket")
every_target = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.prove) for name in TARGETS]
)


@every_target
def test_what_is_valid_is_parsed_and_garbage_is_refused_by_the_promised_error(name):
    parser = TARGETS[name]
    for seed in seeds_of(parser):
        assert parser.attempt(seed) == SURVIVED

    @settings(max_examples=math.ceil(settings.default.max_examples / 4 * parser.share))
    @given(rng=st.randoms(use_true_random=False))
    def attack(rng):
        parser.attempt(parser.garbage(rng))

    attack()


def test_json_of_others_is_read_by_the_reader_that_refuses_what_breaks_its_users():
    sources = [path for folder in (ROOT / "blackjacky_env", ROOT / "agents") for path in folder.rglob("*.py")]
    readers = {path for path in sources if re.search(r"json\.loads?\b", path.read_text(encoding="utf-8"))}
    assert {path.name for path in readers if '"texts.json"' not in path.read_text(encoding="utf-8")} == set(OWN)


@pytest.mark.parametrize("found", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_stays_repaired(found):
    TARGETS[found.parent.name].attempt(found.read_bytes())


def _target(parse):
    return Target("any", parse, (ValueError,), lambda: [b"{}"])


@pytest.mark.parametrize("error", [KeyError("a key"), ValueError()], ids=["not promised", "without a word"])
def test_an_error_that_is_not_promised_comes_through(error):
    assert _target(Mock(side_effect=ValueError("it is garbage"))).attempt(b"") == REFUSED
    assert _target((folder() / "x").write_bytes).attempt(b"") == SURVIVED
    with pytest.raises((KeyError, AssertionError)):
        _target(Mock(side_effect=error)).attempt(b"")


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: subprocess.run(["true"], check=False),
        lambda data: Path("garbage").write_bytes(data),
        lambda data: os.close(os.open("garbage", os.O_WRONLY | os.O_CREAT)),
        lambda data: bytes(2**33),
        lambda data: [None for _ in iter(int, 1)],
    ],
    ids=["a program", "a file", "a descriptor", "memory", "time"],
)
def test_harm_is_noticed_before_it_is_done(harm, monkeypatch):
    monkeypatch.setattr(target, "SECONDS", 0.2)
    with pytest.raises((HarmError, MemoryError, TooSlowError)):
        _target(harm).attempt(b"")
    assert not Path("garbage").exists()
