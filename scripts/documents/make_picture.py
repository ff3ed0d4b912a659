"""Draw a table of each game into the game's folder as table.svg.

python scripts/documents/make_picture.py           write them
python scripts/documents/make_picture.py --check   write nothing; fail if one is out of date
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro

import blackjacky_env
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES

ROOMS = Path(blackjacky_env.__file__).parent
POSITIONS = {
    "black_jacky": (429, 119),  # a tip, a black heart, a knock and "+1"
    "schwarze_katze": (12, 63),  # the black cat lies on the table
}
"""By game: seed of the game and of its random moves, and how many of these."""


@dataclass(frozen=True)
class Args:
    """Draw a table of each game into the game's folder as table.svg."""

    check: bool = False
    """Write nothing; fail if a picture is out of date."""


def main(args: Args) -> None:
    """Write or check the pictures."""
    for game in GAMES:
        path, new = ROOMS / game / "table.svg", picture(game)
        if not args.check:
            path.write_text(new, encoding="utf-8", newline="\n")
            print(f"{game}/{path.name} written")
        elif not path.exists() or path.read_text(encoding="utf-8") != new:
            sys.exit(f"{game}/{path.name} is out of date; run: python scripts/documents/make_picture.py")


def picture(game: str) -> str:
    """A position of a game of random moves, as player_0 sees it, light or dark as the reader's system is."""
    seed, actions = POSITIONS.get(game, (0, 20))
    env = TableEnv(game, 4)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(actions):
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return env.draw("player_0")


if __name__ == "__main__":
    main(tyro.cli(Args))
