"""scripts/speed/time_formats.py: every format and kind of environment is measured, and the page has the table."""

import re

import time_formats

from blackjacky_env.games import DEFAULT


def rows(text):
    """The formats of a table, and how many speeds each has."""
    return [(line[:3], len(line[3:])) for line in (re.findall(r"[^|]+", row) for row in text.splitlines()) if line[3:]]


def test_every_format_is_measured_and_shown_on_the_page():
    text = time_formats.table(time_formats.measure(DEFAULT, rounds=1, seconds=0))
    assert len(rows(text)) == 2 + len(time_formats.COMBINATIONS)
    shown = time_formats.PAGE.read_text(encoding="utf-8")
    shown = shown.partition("<!-- formats:begin -->")[2].partition("<!-- formats:end -->")[0]
    assert rows(shown) == rows(text)
    speeds = re.findall(r"[\d,]+(?= \|)", text)
    assert all(int(speed.replace(",", "")) > 0 for speed in speeds)
