"""Tables as pixels and in a window, using libraries of the extra ``view``, which are imported when needed.

resvg renders SVG to a PNG, which pygame-ce loads and shows. Text uses the font bundled with pygame-ce, so pictures are
the same on every machine, with or without installed fonts.
"""

from __future__ import annotations

import io
import os
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from blackjacky_env.draw.picture import HEIGHT, WIDTH

Frame = npt.NDArray[np.uint8]

FRAME_HEIGHT, FRAME_WIDTH = 390, 416  # 0.65 of the picture: renders in half the time and is still readable
_FONT_FAMILY = "FreeSans"
_FULL_SIZE, _FRAME_SIZE = (f'width="{w}" height="{h}"' for w, h in ((WIDTH, HEIGHT), (FRAME_WIDTH, FRAME_HEIGHT)))
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@cache
def _libraries() -> tuple[ModuleType, ModuleType]:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
        import resvg
    except ImportError as error:
        message = f"render modes 'rgb_array' and 'human' need {error.name}: pip install 'blackjacky[view]'"
        raise DependencyNotInstalled(message) from error
    return pygame, resvg


@cache
def _options() -> Any:
    pygame, resvg = _libraries()
    options = resvg.usvg.Options.default()
    font = Path(str(pygame.__file__)).parent / pygame.font.get_default_font()
    options.load_font_data(font.read_bytes())
    options.font_family = _FONT_FAMILY
    return options


def _surface(svg: str) -> Any:
    pygame, resvg = _libraries()
    png = resvg.render(resvg.usvg.Tree.from_str(svg, _options()), _IDENTITY)
    return pygame.image.load(io.BytesIO(png), "table.png")


def frame(svg: str) -> Frame:
    """The picture of a table as uint8, shape (390, 416, 3), 0 .. 255."""
    pygame, _ = _libraries()
    pixels = bytearray(pygame.image.tobytes(_surface(svg.replace(_FULL_SIZE, _FRAME_SIZE, 1)), "RGB"))
    return np.frombuffer(pixels, np.uint8).reshape(FRAME_HEIGHT, FRAME_WIDTH, 3)


class Window:
    """The pygame window; a process has one, shared by its environments."""

    def __init__(self) -> None:
        pygame, _ = _libraries()
        self._clock = pygame.time.Clock()

    def show(self, svg: str, title: str, fps: int) -> None:
        """Show a picture, at most ``fps`` per second."""
        pygame, _ = _libraries()
        if pygame.display.get_surface() is None:
            pygame.display.init()
            pygame.display.set_mode((WIDTH, HEIGHT))
        pygame.display.set_caption(title)
        pygame.event.pump()
        pygame.display.get_surface().blit(_surface(svg), (0, 0))
        pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window if it is open."""
        pygame, _ = _libraries()
        pygame.display.quit()
