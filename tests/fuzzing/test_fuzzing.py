"""Garbage for everything that parses: it is refused with the promised error, or parsed, and nothing else happens.

The corpus holds what has once been found; ``python scripts/proofs/torture.py --kinds garbage`` tries a million more.
"""

import importlib
import json
import os
import random
import re
import subprocess
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing.mutators import DEEP, mutate
from tests.fuzzing.target import REFUSED, SURVIVED, HarmError, Target, folder
from tests.fuzzing.targets import TARGETS

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).with_name("corpus")
OWN = {
    "determinism.py": "the answer of a process that it started",
    "results_file.py": "what it has just written, with lists for tuples",
    "runs.py": "settings, whose minutes may be infinite",
    "checkpoint.py": "a state with a checksum, in which numbers may be infinite",
    "replay.py": "the record of a table of this server, kept as text",
}
"""Modules that read JSON with Python's reader, and what."""
FOUND = sorted(path.relative_to(CORPUS) for path in CORPUS.glob("*/*"))


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_valid_is_parsed(name):
    for seed in TARGETS[name].seeds:
        assert TARGETS[name].attempt(seed) == SURVIVED


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=25)
@given(rng=st.randoms(use_true_random=False))
def test_garbage_is_refused_by_the_promised_error(name, rng):
    TARGETS[name].attempt(TARGETS[name].garbage(rng))


def test_json_of_others_is_read_by_the_reader_that_refuses_what_breaks_its_users():
    sources = [path for folder in (ROOT / "blackjacky_env", ROOT / "agents") for path in folder.rglob("*.py")]
    readers = {path for path in sources if re.search(r"json\.loads?\b", path.read_text(encoding="utf-8"))}
    assert {path.name for path in readers if '"texts.json"' not in path.read_text(encoding="utf-8")} == set(OWN)


@pytest.mark.parametrize("found", FOUND, ids=str)
def test_what_was_found_stays_repaired(found):
    TARGETS[found.parent.name].attempt((CORPUS / found).read_bytes())


def test_the_mutators_make_much_that_differs_and_some_that_no_parser_reads():
    seed = json.dumps({"a": [1, 2, {"b": "c"}], "d": None}).encode()
    made = [mutate(seed, b'{"e": 5}', random.Random(number)) for number in range(2000)]
    assert len(set(made)) > 1000
    assert any(b"[" * 300 in each for each in made)
    assert not any(DEEP.encode() in each for each in made)
    assert mutate(seed, seed, random.Random(3)) == mutate(seed, seed, random.Random(3))


def _target(parse):
    return Target("any", "anything", parse, (ValueError,), lambda: [b"{}"])


def raising(error):
    """A parser of nothing."""

    def parse(data):
        raise error

    return parse


@pytest.mark.parametrize("error", [KeyError("a key"), ValueError()], ids=["not promised", "without a word"])
def test_an_error_that_is_not_promised_comes_through(error):
    assert _target(raising(ValueError("it is garbage"))).attempt(b"") == REFUSED
    assert _target((folder() / "x").write_bytes).attempt(b"") == SURVIVED
    with pytest.raises((KeyError, AssertionError)):
        _target(raising(error)).attempt(b"")


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: subprocess.run(["true"], check=False),
        lambda data: Path("garbage").write_bytes(data),
        lambda data: os.close(os.open("garbage", os.O_WRONLY | os.O_CREAT)),
    ],
    ids=["a program", "a file", "a descriptor"],
)
def test_harm_is_noticed_before_it_is_done(harm):
    with pytest.raises(HarmError):
        _target(harm).attempt(b"")
    assert not Path("garbage").exists()


def test_parsing_may_import_a_module_whose_byte_code_is_not_yet_kept(tmp_path, monkeypatch):
    module = tmp_path / "never_imported.py"
    module.touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert _target(lambda _: importlib.import_module("never_imported")).attempt(b"") == SURVIVED
    assert Path(cache_from_source(str(module))).exists()
