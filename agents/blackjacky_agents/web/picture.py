"""The picture of a table that a seat is sent."""

from __future__ import annotations

import html

from blackjacky_env.envs.aec import TableEnv


def picture(env: TableEnv, agent: str) -> str:
    """The table as ``agent`` sees it, as markup for the page: made from its view and nothing else.

    Elements may carry ``data-action`` (a number), ``data-card`` (as the view writes it), ``data-pile`` (``draw`` or
    ``discard``) or ``data-seat``: the page lets people click those that legal actions belong to. The page shows it in a
    shadow root, so rules of a ``<style>`` are for ``svg`` or ``:host``, not ``:root``.
    """
    text = env.game.words.draw_text(env.view(agent), env.config_dict(), False)
    return f"<pre>{html.escape(text)}</pre>"
