"""The replay page: one self-contained HTML file, assembled from `page.html`, `page.css` and `page.js`."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from blackjacky_env.checks import check_choice
from blackjacky_env.draw.svg import THEMES
from blackjacky_env.replay.film import ENGLISH, Translation, film_of, judgement_of
from blackjacky_env.replay.thoughts import Thoughts, WinCurve

_NOTEBOOK_HEIGHT = 760  # pixels


class ReplayPage(str):
    """The page as text; notebooks show it in a sandboxed frame."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{_NOTEBOOK_HEIGHT}px;border:0"
        return f'<iframe title="Replay" sandbox="allow-scripts" style="{style}" srcdoc="{html.escape(self)}"></iframe>'

    def __repr__(self) -> str:
        return f"<replay, {len(self.encode()) / 1000:.0f} kB of HTML>"


def replay_html(
    record: Mapping[str, Any],
    *,
    names: Sequence[str] | None = None,
    thoughts: Sequence[Thoughts | None] | None = None,
    curve: WinCurve | None = None,
    theme: str = "auto",
    translation: Translation = ENGLISH,
) -> ReplayPage:
    """A game as one HTML file: every position from the view of each player, of a spectator, and with all cards open.

    The file needs no network and opens from disk; a notebook shows it if it is the last line of a cell. It contains all
    cards, whatever view is chosen, so do not share it during a game.

    ``#turning`` after the address of the page opens it at the biggest mistake or, if there is none, where a winner's
    probability of winning changed most; ``#turning-0`` is about ``player_0``, in this player's view.

    Args:
        record: a record from `TableEnv.record`.
        names: names of the players by seat; None: ``player_0`` .. .
        thoughts: the acting player's thoughts before each move, None where unknown; None: no thoughts. They are shown
            in that player's view and with all cards open.
        curve: every player's probability of winning over the game; None: from ``thoughts``.
        theme: ``"light"``, ``"dark"`` or ``"auto"`` (what the reader's system prefers).
        translation: the language of the page and of its pictures.

    Returns:
        The page, a `str`; less than 200 kB for most games.

    Raises:
        ValueError: the record is damaged or something else; the number of names, thoughts or estimates is wrong;
            the theme is unknown.
    """
    check_choice("theme", theme, THEMES)
    film = film_of(record, names, thoughts, curve, theme, translation)
    script, style = _file("page.js"), _file("page.css")
    parts = {
        "TITLE": html.escape(f"{film['game']}: {', '.join(film['names'])}"),
        "THEME": theme,
        "SCRIPT_HASH": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": _packed(film),
    }
    head, *rest = _file("page.html").split("{{")
    filled = [f"{parts[name]}{text}" for name, _, text in (each.partition("}}") for each in rest)]
    return ReplayPage(head + "".join(filled))


def late_judgement(
    record: Mapping[str, Any],
    *,
    names: Sequence[str],
    thoughts: Sequence[Thoughts | None],
    curve: WinCurve,
    translation: Translation = ENGLISH,
) -> str:
    """What follows in the body of a page without thoughts when they become known; arguments as for `replay_html`."""
    found = _packed(judgement_of(record, names, thoughts, curve, translation))
    return f'<script type="application/octet-stream" id="page-judgement">{found}</script>'


def _packed(content: Any) -> str:
    packed = gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0)
    return base64.b64encode(packed).decode()


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
