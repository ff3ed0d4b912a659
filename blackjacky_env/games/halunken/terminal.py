"""The table as text for a terminal."""

from __future__ import annotations

from typing import Any


def draw_text(view: dict[str, Any], options: dict[str, Any], colour: bool) -> str:
    """The table that ``view`` shows."""
    return "\n".join(f"{key}: {value}" for key, value in view.items())
