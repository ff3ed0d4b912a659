"""Tables as pixels and in a window, using libraries of the extra ``view``, which are imported when needed.

resvg renders SVG to a PNG, which pygame-ce loads and shows. Text uses the font bundled with pygame-ce, so pictures are
the same on every machine, with or without installed fonts.
"""

from __future__ import annotations

import io
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from blackjacky_env.draw.picture import HEIGHT, WIDTH

Frame = npt.NDArray[np.uint8]

FRAME_HEIGHT, FRAME_WIDTH = 390, 416  # 0.65 of the picture: renders in half the time and is still readable
_FULL_SIZE, _FRAME_SIZE = (f'width="{w}" height="{h}"' for w, h in ((WIDTH, HEIGHT), (FRAME_WIDTH, FRAME_HEIGHT)))


@cache
def _libraries() -> tuple[Any, Any, Any, Any]:
    """Pygame, resvg, its options, and a clock."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
        import resvg
    except ImportError as error:
        message = f"render modes 'rgb_array' and 'human' need {error.name}: pip install 'blackjacky[view]'"
        raise DependencyNotInstalled(message) from error
    options = resvg.usvg.Options.default()
    font = Path(str(pygame.__file__)).parent / pygame.font.get_default_font()
    options.load_font_data(font.read_bytes())
    options.font_family = "FreeSans"
    return pygame, resvg, options, pygame.time.Clock()


def _surface(svg: str) -> Any:
    pygame, resvg, options, _ = _libraries()
    png = resvg.render(resvg.usvg.Tree.from_str(svg, options), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    return pygame.image.load(io.BytesIO(png), "table.png")


def frame(svg: str) -> Frame:
    """The picture of a table as uint8, shape (390, 416, 3), 0 .. 255."""
    surface = _surface(svg.replace(_FULL_SIZE, _FRAME_SIZE, 1))
    pixels = bytearray(_libraries()[0].image.tobytes(surface, "RGB"))
    return np.frombuffer(pixels, np.uint8).reshape(FRAME_HEIGHT, FRAME_WIDTH, 3)


def show(svg: str, title: str, fps: int) -> None:
    """Show a picture in the window, which a process has one of, at most ``fps`` per second."""
    pygame, _, _, clock = _libraries()
    if pygame.display.get_surface() is None:
        pygame.display.init()
        pygame.display.set_mode((WIDTH, HEIGHT))
    pygame.display.set_caption(title)
    pygame.event.pump()
    pygame.display.get_surface().blit(_surface(svg), (0, 0))
    pygame.display.flip()
    clock.tick(fps)


def close() -> None:
    """Close the window if it is open."""
    if _libraries.cache_info().currsize:
        _libraries()[0].display.quit()
