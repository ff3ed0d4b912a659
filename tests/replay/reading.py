"""Reading replays: what the page shows, decoded as its script does."""

import base64
import gzip
import json
import re

import pytest

from blackjacky_env.games import DEFAULT, GAMES
from tests.envs.playing import fresh, play_randomly

REAL = [pytest.param(game, marks=[] if game == DEFAULT else pytest.mark.prove) for game in GAMES]
"""Games with pictures and words, the default one in `make test`."""
DATA = re.compile(r'<script type="application/octet-stream" id="page-(?:data|judgement)">([^<]*)</script>')


def film_in(page):
    """What the page holds of the game, with what followed later."""
    film = {}
    for data in DATA.findall(page):
        film |= json.loads(gzip.decompress(base64.b64decode(data)))
    return film


def pictures_in(page):
    """The SVG of each view (players, a spectator, everything) and position."""
    film = film_in(page)
    parts = ["".join(film["tags"][tag] for tag in part) for part in film["parts"]]
    return [
        ["".join(parts[part] for part in picture) for picture in view] for view in zip(*film["frames"], strict=True)
    ]


def random_game(game, seed=0, most=None, **options):
    return play_randomly(fresh(seed, game, **options), seed, most)
