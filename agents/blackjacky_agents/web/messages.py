"""What a page may say to its table, checked, and what it is told if it is wrong."""

from __future__ import annotations

import json
import time
from typing import Any

FIELDS: dict[str, dict[str, type]] = {
    "act": {"move": int, "action": int},
    "hint": {"move": int, "agent": str},
    "again": {},
    "name": {"name": str},
}
"""By type of message: its other fields."""

MAX_MESSAGE = 4096  # bytes
MAX_NAME = 20  # characters
_SHOWN = 60  # characters of what was sent that an error repeats


class MessageError(ValueError):
    """A message that is refused; nothing has changed.

    Args:
        code: a word for programs: ``message``, ``turn``, ``stale``, ``illegal``, ``agent``, ``busy``, ``over`` or
            ``name``.
        text: what was wrong and what is allowed, for people.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def read_message(text: str | None) -> dict[str, Any]:
    """The message that a text frame (None: another frame) holds: one of `FIELDS`, with ``type``.

    Raises `MessageError` (``message``) if it is anything else.
    """
    if text is None:
        raise MessageError("message", "a message is text that holds a JSON object; this one was binary")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("message", f"this is not JSON: {_short(text)}") from None
    if not isinstance(message, dict):
        raise MessageError("message", f"a message is a JSON object, not {_short(message)}")
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise MessageError("message", f"type={_short(kind)} is unknown; allowed are {_listed(FIELDS)}")
    _check_fields(kind, message)
    return message


def _check_fields(kind: str, message: dict[str, Any]) -> None:
    fields = FIELDS[kind]
    for name in message:
        if name != "type" and name not in fields:
            allowed = _listed(fields) if fields else "none but 'type'"
            raise MessageError("message", f"field {_short(name)} is unknown in {kind!r}; allowed are {allowed}")
    for name, wanted in fields.items():
        if name not in message:
            raise MessageError("message", f"{kind!r} lacks the field {name!r}")
        if type(message[name]) is not wanted:  # a bool is no number here
            raise MessageError("message", f"{name}={_short(message[name])} is no {wanted.__name__}")


def check_name(name: str) -> str:
    """A name for a seat, without spaces around it; `MessageError` (``name``) if it cannot be shown."""
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise MessageError("name", f"a name has 1 .. {MAX_NAME} characters that can be shown, not {_short(name)}")
    return name


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names))


def _short(value: object) -> str:
    """A value as text that is safe to show and not too long."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


class Allowance:
    """Messages that may still be sent: so many at once, and so many for every second that passes."""

    def __init__(self, at_once: float = 40, per_second: float = 15) -> None:
        self.at_once, self.per_second = at_once, per_second
        self.left, self.counted = at_once, time.monotonic()

    def take(self) -> bool:
        """Use up one message; whether it was allowed."""
        now = time.monotonic()
        self.left = min(self.at_once, self.left + (now - self.counted) * self.per_second)
        self.counted = now
        if self.left < 1:
            return False
        self.left -= 1
        return True
