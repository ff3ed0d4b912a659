"""Messages from a page to its table: parsing, validation and errors."""

from __future__ import annotations

import time
from typing import Any

from blackjacky_env.draw import Say
from blackjacky_env.reading import parse_json

FIELDS: dict[str, dict[str, type]] = {
    "act": {"move": int, "action": int},
    "hint": {"move": int},
    "outlook": {"move": int, "action": int},
    "start": {},
    "continue": {"move": int},
    "pause": {},
    "speed": {"speed": str},
    "skip": {},
    "again": {},
    "restart": {},
    "name": {"name": str},
}
"""Fields of each message type besides ``type``."""

MAX_MESSAGE = 4096  # bytes
_SHOWN = 60  # characters of a received value quoted in an error


class MessageError(ValueError):
    """A message was rejected; the table is unchanged.

    Args:
        code: machine-readable reason: ``message``, ``turn``, ``stale``, ``illegal``, ``agent``, ``busy``, ``over``,
            ``waiting``, ``moment``, ``speed``, ``skip``, ``name``, ``taken``, ``saving``, ``watching``, ``order``,
            ``full``, ``seat`` or ``failed``.
        text: explanation for people: what was wrong and what is allowed.
        reason: why an action is illegal, to be translated.
    """

    def __init__(self, code: str, text: str, reason: str | Say | None = None) -> None:
        super().__init__(code, text, reason)  # as unpickling passes them
        self.code, self.text, self.reason = code, text, reason

    def __str__(self) -> str:
        return self.text


def read_message(text: str | None) -> dict[str, Any]:
    """Parse a text frame (None: a binary frame) into a message of one of the types in `FIELDS`.

    Raises `MessageError` (``message``) if it is invalid.
    """
    try:
        message: dict[str, Any] = parse_json(text or "")
        kinds = {name: type(value) for name, value in message.items() if name != "type"}  # a bool is no int here
        if kinds == FIELDS[message["type"]]:
            return message
    except (AttributeError, LookupError, TypeError, ValueError):
        pass
    raise MessageError("message", f"this is no object with a known type and its fields: {quoted(text)}")


def quoted(value: object) -> str:
    """A received value in ASCII, shortened for an error."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


class Allowance:
    """Rate limit of messages: a token bucket with a burst size and a refill rate per second."""

    def __init__(self, at_once: float = 40, per_second: float = 15) -> None:
        self.at_once, self.per_second = at_once, per_second
        self.left, self.counted = at_once, time.monotonic()

    def take(self) -> bool:
        """Count one message; returns whether it is allowed."""
        now = time.monotonic()
        self.left = min(self.at_once, self.left + (now - self.counted) * self.per_second)
        self.counted = now
        if self.left < 1:
            return False
        self.left -= 1
        return True
