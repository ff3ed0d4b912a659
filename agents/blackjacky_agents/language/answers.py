"""Answers of people and language models: which action they mean."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

from blackjacky_env.declare import Actions

HOW_TO_ANSWER = "End your reply with a line that holds only ANSWER: and the number or the name of one legal action."
"""What a language model is told about answering."""
_ANSWER = re.compile(r"answer\W*[:=](.*)", re.IGNORECASE)
_AROUND = " \t`*_\"'.<>()[]"  # what models put around an answer
MAX_ANSWER = 1000
"""Characters of an answer; longer ones are refused unread."""
_LISTED = re.compile(r"(?:(\d+)[.):]\s+)?(.*?)(?:\s+\(.*)?")  # as in the list: number, words, explanation


def answer_in(reply: str) -> str:
    """What a reply ends with: the text after the last ``ANSWER:``, or else its last line."""
    lines = [line for line in reply.splitlines() if line.strip(_AROUND)]
    marked = [found[1] for line in lines if (found := _ANSWER.search(line)) and found[1].strip(_AROUND)]
    last = marked or lines
    return last[-1].strip(_AROUND) if last else ""


def find_action(text: str, choices: Mapping[int, str], actions: Actions) -> int:
    """The action that ``text`` names, which may be illegal.

    Args:
        text: the number of one of the ``choices``, counted from 1, its words or the beginnings of its words, or the
            name of any action; or number, words and explanation as in the list, of which the words count.
        choices: the legal actions in words, in order.
        actions: all actions of the game.

    Raises `ValueError` if it names none, names more than one of the choices, or is longer than `MAX_ANSWER`.
    """
    if len(text) > MAX_ANSWER:
        raise ValueError(f"an answer is the number or the name of one action, not {len(text)} characters")
    if (found := _LISTED.fullmatch(text)) and found[2] != text:
        with contextlib.suppress(ValueError):
            return _named(found[2], choices, actions)
        text = found[1] or text
    return _named(text, choices, actions)


def _named(text: str, choices: Mapping[int, str], actions: Actions) -> int:
    meant = matching(text, choices)
    if len(meant) > 1:
        raise ValueError(f"{text!r} is ambiguous: it could be {'; '.join(choices[action] for action in meant)}")
    return meant[0] if meant else actions.parse(text)


def matching(text: str, choices: Mapping[int, str]) -> list[int]:
    """The choices that a number or abbreviated words stand for; `ValueError` for a number out of range."""
    if text.isdecimal() and text not in choices.values():
        if not 1 <= int(text) <= len(choices):
            raise ValueError(f"There is no choice {text}; the numbers are 1 .. {len(choices)}.")
        return [list(choices)[int(text) - 1]]
    exact = [action for action, words in choices.items() if words.lower() == text.lower()]
    return exact or [action for action, words in choices.items() if is_short_for(text, words)]


def is_short_for(text: str, words: str) -> bool:
    """Whether each typed word begins a word of ``words``, in the same order, the first one the first."""
    typed, full = (part.lower().replace(":", " ").split() for part in (text, words))
    if not typed or not full[0].startswith(typed[0]):
        return False
    rest = iter(full[1:])
    return all(any(word.startswith(begun) for word in rest) for begun in typed[1:])
