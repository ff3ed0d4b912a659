"""Tables and pictures are current, and every rule that is cited exists."""

import re
import tomllib

import pytest

from scripts import build_site
from scripts.pages import benchmark, exact, measured
from scripts.pages.__main__ import Args, main, update
from scripts.results import ROOMS, ROOT


def test_tables_of_results_are_current(capsys):
    parts = [
        part for maker in (benchmark, exact, measured) for part in maker.parts()
    ]  # those for which nothing is compiled
    assert update(parts, check=True) == 0, capsys.readouterr().out


@pytest.mark.prove
def test_tables_and_pictures_are_current(capsys):
    assert main(Args(check=True)) == 0, capsys.readouterr().out


def in_nav(entry):
    parts = entry if isinstance(entry, list) else entry.values()
    return [page for part in parts for page in ([part] if isinstance(part, str) else in_nav(part))]


def test_every_page_is_in_the_navigation_of_the_site_once():
    """That its links lead somewhere, `make docs` checks."""
    navigation = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    assert sorted(in_nav(navigation)) == sorted(build_site.pages().values())


@pytest.mark.parametrize("room", ROOMS.values(), ids=list(ROOMS))
def test_every_rule_that_the_code_cites_stands_in_the_readme(room):
    rules = set(re.findall(r"^- \*\*(\w+)\*\*", (room / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    rule_number = re.compile(rf"\b[{''.join({rule[0] for rule in rules})}]\d+\b")
    cited = {number for path in room.glob("*.py") for number in rule_number.findall(path.read_text(encoding="utf-8"))}
    assert cited
    assert cited <= rules, f"not in the README: {sorted(cited - rules)}"


def test_black_jackys_readme_has_every_rule():
    text = (ROOMS["black_jacky"] / "README.md").read_text(encoding="utf-8")
    rules = re.findall(r"^- \*\*(\w+)\*\* \[[TJ]\]|^- \*\*(\w+)\*\* \*", text, re.MULTILINE)
    last = {"R": 15, "T": 8, "S": 3, "P": 4, "E": 2, "Q": 2}
    numbers = [f"{letter}{i}" for letter in last for i in range(1, last[letter] + 1)]
    assert [marked or defined for marked, defined in rules] == numbers
