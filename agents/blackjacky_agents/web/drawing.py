"""The table as sent to a seat: a picture, and the same in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from blackjacky_agents.kit.narration import View, in_scene
from blackjacky_agents.wording import page_texts
from blackjacky_env.draw import draw_svg
from blackjacky_env.envs import TableEnv


class PictureStyle(NamedTuple):
    """How a page wants its picture."""

    layout: str = "table"
    """``"table"`` or ``"phone"``, see `blackjacky_env.draw.picture.LAYOUTS`."""
    language: str = "en"


TABLE_IN_ENGLISH = PictureStyle()


def read_style(asked: Mapping[str, str]) -> PictureStyle:
    """The style a page asks for by the parameters ``layout`` and ``language``; the default in place of others."""
    style = PictureStyle(**{name: asked[name][:20] for name in PictureStyle._fields if name in asked})
    return style if style.layout in ("table", "phone") else style._replace(layout="table")


def shown(env: TableEnv, seat: int | None, view: View, names: Sequence[str], style: PictureStyle) -> dict[str, Any]:
    """``picture`` (markup) and ``table`` (words) of a view of a seat, or of a spectator (None), from it alone.

    Elements may have the attributes ``data-action`` (a number), ``data-kind``, ``data-card``, ``data-pile``,
    ``data-number`` (as in `ActionInfo`) and ``data-seat``; the page makes those clickable that match a legal action.
    The markup is shown in a shadow root, so a ``<style>`` must use ``svg`` or ``:host`` instead of ``:root``.
    """
    scene, texts = env.game.scene(view, env.config_dict(), seat), page_texts(env.game.name)
    translations = texts.get(style.language, texts["en"])["picture"]
    return {"picture": draw_svg(scene, names=names, layout=style.layout, texts=translations), "table": in_scene(scene)}
