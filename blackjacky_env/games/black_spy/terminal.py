"""The table as text."""

from __future__ import annotations

from typing import Any


def draw_text(view: dict[str, Any], options: dict[str, Any], colour: bool) -> str:
    """The table as text."""
    return str(view)
