"""Names of people: none is invisible, and which look the same."""

import unicodedata

import pytest

from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.names import check_free, check_name, looks_of

INVISIBLE = ["\u034f", "\u115f", "\u1160", "\u17b4", "\u180b", "\u3164", "\ufe0f", "\uffa0", "\u2800", "\U000e0100"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "x" * 21,
        "x" * 10**5,
        "a\x00b",
        "\ud800",
        "\u202eevil",
        "Bo\u200bb",
        "Bob\u00ad",
        "\u0301" * 3,
        *INVISIBLE,
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(name):
    with pytest.raises(MessageError, match=r"1 \.\. 20 printable characters") as error:
        check_name(name)
    assert error.value.code == "name"
    assert len(str(error.value)) < 1000


def test_a_name_loses_spaces_around_it():
    assert check_name("  Anna  Ö ") == "Anna Ö"


@pytest.mark.parametrize("name", ["Renée", "李", "Ольга", "\u2764\ufe0f", "नेहा", "7", "?", "Ångström", "אורי"])
def test_names_of_all_languages_are_names(name):
    assert check_name(name) == name


@pytest.mark.parametrize("invisible", [*INVISIBLE, "\u200b", "\u2060", "\u00ad", " ", "\u00a0"])
@pytest.mark.parametrize("at", range(5))
def test_what_is_invisible_makes_no_other_name(invisible, at):
    other = "Rene\u0301e"[:at] + invisible + "Rene\u0301e"[at:]
    assert looks_of(other) == looks_of("Renée")
    with pytest.raises(MessageError, match="somebody at this table is called") as error:
        check_free(other, ["Bob", "Renée"])
    assert error.value.code == "taken"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "bOB"),
        ("Bob", "\uff42ob"),
        ("Strauß", "STRAUSS"),
        ("Renée", "RENE\u0301E"),
        ("ﬁn", "FIN"),
        ("random 2", "Random\u28002"),
    ],
)
def test_case_and_forms_of_letters_make_no_other_name(one, other):
    assert looks_of(one) == looks_of(other)


@pytest.mark.parametrize(("one", "other"), [("Rene", "René"), ("Bob", "Bo"), ("random 2", "random 3"), ("o", "\u043e")])
def test_other_letters_make_another_name(one, other):
    check_free(one, [other])


def test_all_that_python_calls_a_format_character_is_invisible():
    formats = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]
    assert looks_of("".join(formats)) == ""
