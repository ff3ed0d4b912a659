"""Names of players: which are valid, and which look the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from blackjacky_agents.web.messages import MessageError, quoted

MAX_NAME = 20  # characters
_BLANK = re.compile(
    # Unicode's Default_Ignorable_Code_Point, as far as the category does not tell, and signs that are drawn blank
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
    "\u2800\U00013441\U00013442\U00016fe4\U0001d159]"
)


def check_name(name: str) -> str:
    """A person's name with whitespace normalised; `MessageError` (``name``) if it is invalid."""
    name = " ".join(name.split())
    if len(name) > MAX_NAME or not name.isprintable() or not _is_visible(name):
        allowed = f"1 .. {MAX_NAME} printable characters, one of them visible"
        raise MessageError("name", f"a name has {allowed}, not {quoted(name)}")
    return name


def check_free(name: str, others: Iterable[str]) -> None:
    """Refuse a name that looks like one of the others; `MessageError` (``taken``)."""
    if looks_of(name) in map(looks_of, others):
        raise MessageError("taken", f"somebody at this table is called {name} already")


def looks_of(name: str) -> str:
    """A form that is the same for names that differ only in case, spaces, invisible characters or forms of a letter.

    This is Unicode's compatibility caseless match (The Unicode Standard, section 3.13, D146) without what is not drawn.
    Letters of other scripts that look alike stay different.
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    drawn = "".join(each for each in _BLANK.sub("", folded) if unicodedata.category(each)[0] not in "CZ")
    return unicodedata.normalize("NFKD", drawn)


def _is_visible(name: str) -> bool:
    """Whether anything is drawn besides marks, which need a letter to stand on."""
    return any(unicodedata.category(each)[0] != "M" for each in looks_of(name))
