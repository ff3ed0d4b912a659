"""What is generated for the documents is current, their code runs, and every rule that is cited exists."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import blackjacky_env
from blackjacky_env.games import GAMES, get_game

ROOT = Path(__file__).parents[1]
ROOMS = {name: Path(blackjacky_env.__file__).parent / name for name in GAMES}
RULE_NUMBER = re.compile(r"\b[RTSPEQ]\d+\b")


@pytest.mark.parametrize("script", ["make_tables.py", "make_picture.py"])
def test_generated_parts_are_current(script):
    command = [sys.executable, str(ROOT / "scripts" / script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def make_tables():
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("make_tables_script", ROOT / "scripts" / "documents" / "make_tables.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_a_table_that_is_out_of_date_is_made_anew(make_tables):
    game, text = get_game("black_jacky"), (ROOMS["black_jacky"] / "README.md").read_text(encoding="utf-8")
    assert make_tables.with_tables(text, game) == text
    for row in ("| 47 | `knock` |", "| 30 | `draw` |"):
        assert make_tables.with_tables(text.replace(row, ""), game) == text
    with pytest.raises(ValueError, match="lacks <!-- state:begin -->"):
        make_tables.with_tables(text.replace("<!-- state:begin -->", ""), game)


def test_the_action_table_has_every_action(make_tables):
    game = get_game("black_jacky")
    spans = re.findall(r"^\| (\d+)(?: \.\. (\d+))? \|", make_tables.actions(game), re.MULTILINE)
    assert [i for first, last in spans for i in range(int(first), int(last or first) + 1)] == [*range(game.num_actions)]


@pytest.mark.parametrize("room", ROOMS.values(), ids=list(ROOMS))
def test_the_code_in_a_games_readme_runs(room):
    blocks = re.findall(r"```python\n(.*?)```", (room / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(room / "README.md"), "exec"), {})


@pytest.mark.parametrize("room", ROOMS.values(), ids=list(ROOMS))
def test_what_a_games_readme_links_to_is_there(room):
    text = (room / "README.md").read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in re.findall(r"^#+ (.*)", text, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert target[1:] in headings if target.startswith("#") else (room / target).exists(), target


@pytest.mark.parametrize("room", ROOMS.values(), ids=list(ROOMS))
def test_every_rule_that_the_code_cites_stands_in_the_readme(room):
    rules = set(re.findall(r"^- \*\*(\w+)\*\*", (room / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    cited = {number for path in room.glob("*.py") for number in RULE_NUMBER.findall(path.read_text(encoding="utf-8"))}
    assert cited <= rules, f"not in the README: {sorted(cited - rules)}"


def test_black_jackys_readme_has_every_rule():
    text = (ROOMS["black_jacky"] / "README.md").read_text(encoding="utf-8")
    rules = re.findall(r"^- \*\*(\w+)\*\* \[[TJ]\]|^- \*\*(\w+)\*\* \*", text, re.MULTILINE)
    last = {"R": 15, "T": 8, "S": 3, "P": 4, "E": 2, "Q": 2}
    numbers = [f"{letter}{i}" for letter in last for i in range(1, last[letter] + 1)]
    assert [marked or defined for marked, defined in rules] == numbers
