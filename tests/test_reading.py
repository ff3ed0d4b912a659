"""JSON from elsewhere: what is valid is read as Python reads it, anything else is refused with a reason."""

import json

import pytest

from blackjacky_env.reading import MAX_DEPTH, parse_json


def nested(levels):
    return "[" * levels + "]" * levels


@pytest.mark.parametrize(
    "text", ['{"a": [1, -2.5e3, "é", null, true]}', '"\\ud83c\\udca1"', "18446744073709551615", nested(MAX_DEPTH)]
)
def test_json_is_read_from_text_and_bytes(text):
    assert parse_json(text) == parse_json(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ("1 2", "Extra data"),
        (b'"\xff"', "can't decode byte 0xff"),
        ("\ufeff{}", "Expecting value"),
        ("[NaN]", "NaN is not a number in JSON"),
        ("-Infinity", "-Infinity is not a number in JSON"),
        ("1e999", "beyond the range of floating point"),
        ("9" * 5000, "Exceeds the limit"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ('{"\\ud800": 1}', "half of a surrogate pair"),
        (nested(MAX_DEPTH + 1), f"nested too deeply; allowed are {MAX_DEPTH} levels"),
        ('{"a":' * 100 + "1" + "}" * 100, "nested too deeply"),
        (nested(100_000), "nested too deeply"),
    ],
)
def test_anything_else_is_refused_with_a_reason(text, why):
    with pytest.raises(ValueError, match=why):
        parse_json(text)
