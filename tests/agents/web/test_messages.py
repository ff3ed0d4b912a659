"""What a page may say is read strictly, and whatever else it says gets a clear answer."""

import json

import pytest

from blackjacky_agents.web import messages
from blackjacky_agents.web.messages import Allowance, MessageError, read_message


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (None, "this one was binary"),
        ("", "this is not JSON: ''"),
        ("{", "this is not JSON"),
        ("[" * 4000, "this is not JSON"),
        ("[]", "a message is a JSON object, not"),
        ("7", "a message is a JSON object, not 7"),
        ("{}", "type=None is unknown; allowed are 'act', 'hint', 'outlook', 'start'"),
        ('{"type": ["act"]}', "type=['act'] is unknown"),
        ('{"type": "deal"}', "type='deal' is unknown"),
        ('{"type": "act", "move": 1}', "'act' lacks the field 'action'"),
        ('{"type": "act", "move": 1, "action": 2, "seat": 3}', "field 'seat' is unknown in 'act'; allowed are 'move'"),
        ('{"type": "again", "seat": 3}', "field 'seat' is unknown in 'again'; allowed are none but 'type'"),
        ('{"type": "act", "move": 1, "action": true}', "action=True is not of type int"),
        ('{"type": "act", "move": 1.0, "action": 2}', "move=1.0 is not of type int"),
        ('{"type": "act", "move": 1, "action": NaN}', "this is not JSON"),
        ('{"type": "hint", "move": 1, "agent": null}', "agent=None is not of type str"),
        ('{"type": "name", "name": "\\ud800"}', "this is not JSON"),
        (json.dumps({"type": "x" * 3000}), "xxx... is unknown"),
    ],
)
def test_what_is_no_message_is_named(text, answer):
    with pytest.raises(MessageError) as error:
        read_message(text)
    assert answer in str(error.value)
    assert error.value.code == "message"
    assert len(str(error.value)) < 200


def test_a_message_is_read():
    assert read_message('{"type": "act", "move": 3, "action": 47}') == {"type": "act", "move": 3, "action": 47}


def test_an_allowance_is_used_up_and_comes_back(monkeypatch):
    now = 100.0
    monkeypatch.setattr(messages.time, "monotonic", lambda: now)
    allowance = Allowance(at_once=3, per_second=2)
    assert [allowance.take() for _ in range(5)] == [True, True, True, False, False]
    now += 1.0
    assert [allowance.take() for _ in range(3)] == [True, True, False]
    now += 1000.0
    assert [allowance.take() for _ in range(4)] == [True, True, True, False]
