"""The script that counts lines of Python by kind."""

from scripts.documents.count_lines import kinds, named, total

SOURCE = '''"""A module.

Two paragraphs.
"""

from math import (
    pi,
)

# a comment
AREA = pi * 4


def area():
    """The area."""
    return AREA
'''


def test_every_line_of_a_file_is_of_one_kind() -> None:
    assert kinds(SOURCE) == {"docstring": 5, "import": 3, "code": 3, "blank": 5}


def test_folders_are_added_up() -> None:
    files = dict.fromkeys(("agents/a.py", "agents/b/c.py", "tests/d.py"), SOURCE)
    assert total(files, ("agents/",)) == [6, 6, 10, 10, 32]


def test_a_field_is_found_under_its_names_in_the_rooms_of_both_sides() -> None:
    files = {
        "blackjacky_env/games/black_spy/rules.py": "s.star = red_star",
        "agents/blackjacky_agents/games/black_spy/bots/low.py": "AT.red_star",
        "blackjacky_env/games/halunken/rules.py": "star",
        "blackjacky_env/games/black_spy/words.py": "starlight",
    }
    assert ["`star`", 3, 2] in named("black_spy", files)
