"""Actions as data: names are made from it, and what is secret stays out of what others hear."""

from __future__ import annotations


import pytest

from blackjacky_env.engine.actions import ActionInfo, Actions, names_from

PASS = Actions(
    [
        ActionInfo("pass"),
        ActionInfo("bid", number=2),
        ActionInfo("trade", card="QS", seats=(0, 2), secret=("card",)),
        ActionInfo("trade", card="KS", seats=(0, 2), secret=("card",)),
        ActionInfo("draw", pile="stock"),
    ],
    {"pass": "pass", "bid": "bid {number}", "trade": "{seat1} give {seat2} {card}", "draw": "draw from the {pile}"},
)


def test_names_are_made_from_the_data() -> None:
    names = ["pass", "bid 2", "me give left+2 QS", "me give left+2 KS", "draw from the stock"]
    assert [PASS.name(action) for action in range(len(PASS))] == names
    assert PASS.tell(PASS[2], names_from(1, ["Ada", "Bob", "Cem"])) == "Bob give Ada QS"


def test_a_name_is_read_whatever_its_case_and_spacing() -> None:
    assert PASS.parse("  ME   give Left+2 ks ") == 3
    with pytest.raises(ValueError, match=r"^no action is called 'bid 3'; did you mean 'bid 2'\?$"):
        PASS.parse("bid 3")
    with pytest.raises(ValueError, match=r"examples of names are 'pass', 'me give left\+2 QS', 'draw from the stock'"):
        PASS.parse("xyz")


def test_others_hear_nothing_of_what_is_secret() -> None:
    assert PASS[2].heard("trade") == PASS[3].heard("trade")
    assert PASS.tell(PASS[2].heard("trade")) == "me give left+2 a card"
    assert PASS[1].heard("trade") == PASS[1]


def test_what_is_secret_may_depend_on_the_phase() -> None:
    card = ActionInfo("card", card="QS", secret=("card",), secret_phases=("pass",))
    assert card.heard("pass").card == "hidden"
    assert card.heard("play") == card


@pytest.mark.parametrize(
    ("infos", "names", "error"),
    [
        ([ActionInfo("pass")], {}, KeyError),
        ([ActionInfo("tip", seats=(1,))], {"tip": "tip {seat2}"}, KeyError),
        ([ActionInfo("pass"), ActionInfo("pass", card=1)], {"pass": "pass"}, ValueError),
    ],
)
def test_actions_without_a_name_of_their_own_are_refused(
    infos: list[ActionInfo], names: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        Actions(infos, names)
