"""Reading replays: what the page shows, decoded as its script does."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, GAMES
from tests.envs.playing import fresh, play_randomly

REAL = [pytest.param(game, marks=[] if game == DEFAULT else pytest.mark.prove) for game in GAMES]
"""Games with pictures and words, the default one in `make test`."""
DATA = re.compile(r'<script type="application/octet-stream" id="page-data">([^<]*)</script>')


def film_in(page: str) -> dict[str, Any]:
    """What the page holds of the game."""
    (data,) = DATA.findall(page)
    film: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(data)))
    return film


def pictures_in(page: str) -> list[list[str]]:
    """The SVG of each view (players, a spectator, everything) and position."""
    film = film_in(page)
    parts = ["".join(film["tags"][tag] for tag in part) for part in film["parts"]]
    return [
        ["".join(parts[part] for part in picture) for picture in view] for view in zip(*film["frames"], strict=True)
    ]


def random_game(game: str, seed: int = 0, most: int | None = None, **options: Any) -> TableEnv:
    """A game of random moves, to its end or so many moves long."""
    env: TableEnv = play_randomly(fresh(seed, game, **options), seed, most)
    return env
