"""What a page may say is read strictly, whatever else it says gets a clear answer, and names can be told apart."""

import json

import pytest

from blackjacky_agents.web.messages import MessageError, read_message
from blackjacky_agents.web.names import check_free, check_name, looks_of


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[]",
        "[" * 4000,
        "{}",
        '{"type": ["act"]}',
        '{"type": "act", "move": 1}',
        '{"type": "act", "move": 1, "action": 2, "seat": 3}',
        '{"type": "act", "move": 1, "action": true}',
        '{"type": "act", "move": 1, "action": NaN}',
        '{"type": "speed", "speed": null}',
        '{"type": "name", "name": "\\ud800"}',
        json.dumps({"type": "x" * 3000}),
    ],
)
def test_what_is_no_message_is_refused(text):
    with pytest.raises(MessageError, match="this is no object with a known type and its fields: ") as error:
        read_message(text)
    assert error.value.code == "message"
    assert len(str(error.value)) < 200


INVISIBLE = ["\u034f", "\u115f", "\u1160", "\u17b4", "\u180b", "\u3164", "\ufe0f", "\uffa0", "\u2800", "\U000e0100"]
NO_NAMES = ["", "   ", "x" * 21, "x" * 10**5, "a\x00b", "\ud800", "\u202eevil", "Bo\u200bb", "Bob\u00ad", "\u0301" * 3]
OF_ALL_LANGUAGES = ["Renée", "李", "Ольга", "\u2764\ufe0f", "नेहा", "7", "?", "Ångström", "אורי"]


@pytest.mark.parametrize("name", [*NO_NAMES, *INVISIBLE])
def test_a_name_that_cannot_be_shown_is_refused(name):
    with pytest.raises(MessageError, match=r"1 \.\. 20 printable characters") as error:
        check_name(name)
    assert error.value.code == "name"
    assert len(str(error.value)) < 1000


def test_names_of_all_languages_are_names_without_the_spaces_around_them():
    assert check_name("  Anna  Ö ") == "Anna Ö"
    assert [*map(check_name, OF_ALL_LANGUAGES)] == OF_ALL_LANGUAGES


@pytest.mark.parametrize("invisible", [*INVISIBLE, "\u200b", "\u2060", "\u00ad", " ", "\u00a0"])
def test_what_is_invisible_makes_no_other_name(invisible):
    for at in range(5):
        other = "Rene\u0301e"[:at] + invisible + "Rene\u0301e"[at:]
        assert looks_of(other) == looks_of("Renée")
        with pytest.raises(MessageError, match="somebody at this table is called") as error:
            check_free(other, ["Bob", "Renée"])
        assert error.value.code == "taken"
    for one, others in [("Rene", "René"), ("random 2", "random 3"), ("o", "\u043e")]:
        check_free(one, [others])
