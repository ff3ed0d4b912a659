"""scripts/speed/benchmark.py: a quick run measures every line, and the page shows the lines that there are."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import benchmark
import peers
import pytest

from blackjacky_env.engine.backend_cpu import cores
from blackjacky_env.games import GAMES

PAGE = Path(__file__).parents[2] / "docs" / "speed.md"


def lines(text):
    """What was measured, its median and its unit; a comparison that is not installed counts like one that is."""
    rows = re.findall(r"^\| ([^|]*) \| ([^|]*) \| [^|]* \| ([^|]*) \|", text, re.MULTILINE)
    return {(re.sub(", not installed.*", "", name), unit): value for name, value, unit in rows[2:]}


def measured_everywhere(text):
    """Without what needs other libraries or a certain number of cores."""
    threads, ratios = r".*(\d players|alone), \d+ threads$", r"ratio: .*(Pgx|OpenSpiel|connect_four|threads)"
    foreign = re.compile(rf"({'|'.join(peers.LIBRARIES)}) `|{threads}|{ratios}")
    return {line for line in lines(text) if not foreign.match(line[0])}


@pytest.fixture(scope="module")
def quick():
    """Return what a quick run prints."""
    with redirect_stdout(io.StringIO()) as told:
        benchmark.main(benchmark.Args(quick=True))
    return told.getvalue()


def test_a_quick_run_measures_every_line(quick):
    found = lines(quick)
    of_each_game = 6 + cores()  # a loop, random play on 1 .. cores() threads, memory, four starts
    others = 23 + cores()
    assert sum(not name.startswith("ratio: ") for name, _ in found) == of_each_game * len(GAMES) + others
    foreign = ("loop: `classic/connect_four-v3`", "loop: `classic/leduc_holdem-v4`")
    for (name, _), value in found.items():
        assert re.fullmatch(r"[\d.,]+(e[+-]\d+)?", value) or (name in foreign and value == "-"), name


@pytest.fixture
def part():
    """Return the part of the page with the measurements."""
    page = PAGE.read_text(encoding="utf-8")
    return page.partition("<!-- benchmark:begin -->")[2].partition("<!-- benchmark:end -->")[0]


def test_the_page_shows_the_same_lines_and_how_they_were_measured(quick, part):
    assert measured_everywhere(part) == measured_everywhere(quick)
    assert "-" not in lines(part).values()
    command = r"`python scripts/speed/benchmark.py --rounds \d+ --seed \d+( --peers)?`"
    assert re.search(command + r": medians of \d+ interleaved rounds", part)


def test_goals_are_those_of_lines_that_there_are(part):
    rows = re.findall(r"^\| ([^|]*) \| [^|]* \| [^|]* \| ([^|]*) \| ([^|]*) \|", part, re.MULTILINE)[2:]
    targets = {f"{name} [{unit.strip()}]": target.strip() for name, unit, target in rows if target.strip()}
    assert benchmark.GOALS["targets"] == targets
    names = {name for name, _, _ in rows}
    for name, *parts in benchmark.GOALS["ratios"]:
        assert {f"ratio: {name}", *parts} <= names


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"quick": True, "write": True}, "--quick measurements are too short to be written"),
        ({"rounds": 0}, "--rounds 0 is too few; allowed is 1 or more"),
    ],
)
def test_what_cannot_be_measured_is_refused(args, message):
    with pytest.raises(SystemExit, match=message):
        benchmark.main(benchmark.Args(**args))
