"""The picture of a table that a seat is sent."""

from __future__ import annotations

import html
from collections.abc import Sequence

from blackjacky_env.envs.aec import TableEnv


def picture(env: TableEnv, agent: str, names: Sequence[str] | None = None) -> str:
    """The table as ``agent`` sees it, as markup for the page: made from its view and nothing else, ``names`` by seat.

    Elements may carry ``data-action`` (a number), ``data-card`` (as the view writes it), ``data-pile`` (``draw`` or
    ``discard``) or ``data-seat``: the page lets people click those that legal actions belong to. The page shows it in a
    shadow root, so rules of a ``<style>`` are for ``svg`` or ``:host``, not ``:root``.
    """
    words, view, options = env.game.words, env.view(agent), env.config_dict()
    if words.draw_svg is not None:
        return words.draw_svg(view, options, names=names)
    return f"<pre>{html.escape(words.draw_text(view, options, False))}</pre>"
