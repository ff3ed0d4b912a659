"""Pictures of a table as pixels and in a window, by libraries of the extra ``view``, which are imported when needed.

resvg turns SVG into a PNG, which pygame-ce reads and shows. Letters are those of the font that comes with pygame-ce, so
that pictures are the same on every machine, also where no font is installed.
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

from blackjacky_env.engine.svg import HEIGHT, WIDTH

Frame = npt.NDArray[np.uint8]

FRAME_HEIGHT, FRAME_WIDTH = 390, 416  # 0.65 of the picture: a frame takes half the time and can be read
_FONT_FAMILY = "FreeSans"
_FULL_SIZE, _FRAME_SIZE = (f'width="{w}" height="{h}"' for w, h in ((WIDTH, HEIGHT), (FRAME_WIDTH, FRAME_HEIGHT)))
_AS_IT_IS = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def require_libraries() -> None:
    """Raise `gymnasium.error.DependencyNotInstalled` if the extra ``view`` is missing."""
    _libraries()


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
    """resvg's options with the font."""
    pygame, resvg = _libraries()
    options = resvg.usvg.Options.default()
    font = Path(str(pygame.__file__)).parent / pygame.font.get_default_font()
    options.load_font_data(font.read_bytes())
    options.font_family = _FONT_FAMILY
    return options


def _surface(svg: str) -> Any:
    """An SVG in its own size as a surface of pygame."""
    pygame, resvg = _libraries()
    png = resvg.render(resvg.usvg.Tree.from_str(svg, _options()), _AS_IT_IS)
    return pygame.image.load(io.BytesIO(png), "table.png")


def frame(svg: str) -> Frame:
    """The picture of a table as uint8, shape (390, 416, 3), 0 .. 255."""
    pygame, _ = _libraries()
    pixels = bytearray(pygame.image.tobytes(_surface(svg.replace(_FULL_SIZE, _FRAME_SIZE, 1)), "RGB"))
    return np.frombuffer(pixels, np.uint8).reshape(FRAME_HEIGHT, FRAME_WIDTH, 3)


class Window:
    """pygame's window; there is one in a process, in which every environment shows its table."""

    def __init__(self) -> None:
        pygame, _ = _libraries()
        self._clock = pygame.time.Clock()

    def show(self, svg: str, title: str, fps: int) -> None:
        """Show a picture, not more than ``fps`` of them in a second."""
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
        """Close it; nothing happens if it is closed."""
        pygame, _ = _libraries()
        pygame.display.quit()
