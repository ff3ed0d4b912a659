"""The picture of a table as sent to a seat."""

from __future__ import annotations

import html
from collections.abc import Sequence

from blackjacky_env.envs.aec import TableEnv


def picture(env: TableEnv, agent: str, names: Sequence[str] | None = None) -> str:
    """Markup of the table as ``agent`` sees it, made from that agent's view alone; ``names`` by seat.

    Elements may have the attributes ``data-action`` (a number), ``data-kind``, ``data-card``, ``data-pile``,
    ``data-number`` (as in `ActionInfo`) and ``data-seat``; the page makes those clickable that match a legal action.
    The markup is shown in a shadow root, so a ``<style>`` must use ``svg`` or ``:host`` instead of ``:root``.
    """
    words, view, options = env.game.words, env.view(agent), env.config_dict()
    if words.draw_svg is not None:
        return words.draw_svg(view, options, names=names)
    return f"<pre>{html.escape(words.draw_text(view, options, False))}</pre>"
