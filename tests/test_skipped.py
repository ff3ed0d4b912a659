"""The line that ends a run of the tests: every reason to skip one has a way to have it tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.skipped import WAYS, in_one_line

TESTS = Path(__file__).parent


def test_a_run_ends_with_what_was_skipped_and_how_to_have_it_tested():
    reasons = ["needs chromium and chromedriver", "could not import 'ray.rllib'", "of the extra `cluster`"]
    assert in_one_line([*reasons, reasons[0], "Windows has no fork"]) == (
        "Skipped, and how to have it tested: 2 without Chromium (apt install chromium chromium-driver), "
        "1 without other frameworks (make frameworks), 1 without Ray (make cluster), 1 for other reasons "
        "(make test ARGS=-rs)."
    )


def test_a_run_that_skips_nothing_says_nothing_of_it():
    assert in_one_line([]) == ""


@pytest.mark.parametrize("need", WAYS)
def test_a_way_is_one_that_there_is(need):
    target = re.fullmatch(r"make ([a-z-]+)", WAYS[need][1])
    if target is not None:
        assert re.search(rf"^{target[1]}:", (TESTS.parent / "Makefile").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize(
    "module", ["ray", "ray.rllib", "torchrl", "tianshou", "supersuit", "agilerl", "pyspiel", "rlcard"]
)
def test_a_module_that_tests_can_do_without_has_a_way(module):
    text = "".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    assert f'importorskip("{module}"' in text
    assert "other reasons" not in in_one_line([f"could not import {module!r}: No module named {module!r}"])
