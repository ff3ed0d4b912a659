"""Draw a table of each game, as a terminal shows it, into the game's folder as table.svg.

python scripts/make_picture.py           write them
python scripts/make_picture.py --check   write nothing; fail if one is out of date
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import blackjacky_env
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES

ROOMS = Path(blackjacky_env.__file__).parent
POSITIONS = {
    "black_jacky": (429, 119),  # a tip, a black heart, a knock and "+1"
    "schwarze_katze": (12, 63),  # the black cat lies on the table
}
"""By game: seed of the game and of its random moves, and how many of these."""

# Background, foreground, then black, red, green, yellow, blue, magenta, cyan, white, and the bright ones, of which only
# black is used, for what is faint.
COLOURS = [(0, 0, 0), (244, 71, 97), (139, 195, 74), (255, 184, 77), (92, 157, 255), (214, 112, 255), (77, 208, 225)]
THEME = TerminalTheme(
    (22, 24, 30), (222, 225, 230), [*COLOURS, (222, 225, 230)], [(132, 138, 150), *COLOURS[1:], (255,) * 3]
)

# Rich's own format loads a font from the net.
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


@dataclass(frozen=True)
class Args:
    """Draw a table of each game, as a terminal shows it, into the game's folder as table.svg."""

    check: bool = False
    """Write nothing; fail if a picture is out of date."""


def main(args: Args) -> None:
    """Write or check the pictures."""
    for game in GAMES:
        path, new = ROOMS / game / "table.svg", picture(table(game), game)
        if not args.check:
            path.write_text(new, encoding="utf-8", newline="\n")
            print(f"{game}/{path.name} written")
        elif not path.exists() or path.read_text(encoding="utf-8") != new:
            sys.exit(f"{game}/{path.name} is out of date; run: python scripts/make_picture.py")


def table(game: str) -> str:
    """A position of a game of random moves, in colour, as player_0 sees it."""
    seed, actions = POSITIONS.get(game, (0, 20))
    env = TableEnv(game, 4)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(actions):
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return env.game.words.draw_text(env.view("player_0"), env.config_dict(), True)


def picture(ansi: str, game: str) -> str:
    """Text with escape codes as an SVG of a terminal."""
    console = Console(record=True, width=81, file=io.StringIO(), force_terminal=True, color_system="256")
    console.print(Text.from_ansi(ansi + "\n"))  # the last line would be cut off below
    command = "python scripts/play.py" + (f" --game {game}" if game != next(iter(GAMES)) else "")
    svg = console.export_svg(title=command, theme=THEME, code_format=FORMAT, font_aspect_ratio=0.602, unique_id="table")
    return "\n".join(line.strip() for line in svg.splitlines() if line.strip()) + "\n"


if __name__ == "__main__":
    main(tyro.cli(Args))
