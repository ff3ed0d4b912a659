"""The picture of a table as sent to a seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from blackjacky_agents.wording import page_texts
from blackjacky_env.draw import draw_svg
from blackjacky_env.envs import TableEnv


class Look(NamedTuple):
    """How a page wants its picture."""

    layout: str = "table"
    """``"table"`` or ``"phone"``, see `blackjacky_env.draw.picture.LAYOUTS`."""
    language: str = "en"


TABLE_IN_ENGLISH = Look()


def read_look(asked: Mapping[str, str]) -> Look:
    """The look that a page asks for with the parameters ``layout`` and ``language``; the default in place of others."""
    look = Look(**{name: asked[name][:20] for name in Look._fields if name in asked})
    return look if look.layout in ("table", "phone") else look._replace(layout="table")


def picture(
    env: TableEnv,
    agent: str | None,
    names: Sequence[str] | None = None,
    view: dict[str, Any] | None = None,
    look: Look = TABLE_IN_ENGLISH,
) -> str:
    """Markup of the table as ``agent`` sees it, made from that agent's view alone; ``names`` by seat.

    ``agent``: None for a spectator. ``view``: an earlier view of that agent; None: the current one.

    Elements may have the attributes ``data-action`` (a number), ``data-kind``, ``data-card``, ``data-pile``,
    ``data-number`` (as in `ActionInfo`) and ``data-seat``; the page makes those clickable that match a legal action.
    The markup is shown in a shadow root, so a ``<style>`` must use ``svg`` or ``:host`` instead of ``:root``.
    """
    viewer = None if agent is None else env.possible_agents.index(agent)
    scene = env.game.scene(env.view(agent) if view is None else view, env.config_dict(), viewer)
    texts = page_texts(env.game.name)
    translations = texts.get(look.language, texts["en"])["picture"]
    return draw_svg(scene, names=names, layout=look.layout, texts=translations)
