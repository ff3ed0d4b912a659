"""Ids: known by naming the package in them, and with PettingZoo before 1.27, which has no registry."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


def run(code, *path):
    """What a new process prints; ``path``: further folders with modules."""
    command = [sys.executable, "-W", "error", "-c", code]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


OLD_PETTINGZOO = "import pettingzoo\nfor name in ('register', 'make'): vars(pettingzoo).pop(name, None)\n"


@pytest.mark.parametrize("before", ["", OLD_PETTINGZOO], ids=["", "a PettingZoo without a registry"])
def test_an_id_that_names_the_package_needs_no_import(before):
    told = run(
        f"{before}import gymnasium\n"
        "name = 'blackjacky_env:blackjacky/BlackJackySeat-v0'\n"
        "print(gymnasium.make(name).unwrapped, gymnasium.make_vec(name, num_envs=2).unwrapped)\n"
        "import blackjacky_env.black_jacky_v0\n"
        "from blackjacky_env.black_jacky_v0 import raw_env\n"
        "print(raw_env(), blackjacky_env.black_jacky_v0.env())\n"
    )
    assert all(name in told for name in ("SeatEnv", "SeatVectorEnv", "\nblack_jacky_v0 black_jacky_v0"))


ENTRY_POINTS = """
[blackjacky.games]
My-Game = theirs:GAME
black_jacky = theirs:GAME
no_module = no_such_module:GAME
no_game = theirs:GAME
kuhn_poker = tests.kuhn_poker:GAME

[blackjacky.agents]
kuhn_poker = theirs:GAME
half = no_such_module:KIT
every = no_such_module
"""
IN_LOBBY = """
    from blackjacky_agents.web.lobby import describe_games
    names = [each['name'] for each in describe_games()]
"""
WITHOUT_WEB = """
    from blackjacky_env.games import usable_games
    names = usable_games()
"""


def test_what_another_package_has_got_wrong_is_left_out_by_name_and_all_else_works(tmp_path):
    (tmp_path / "theirs.py").write_text("GAME = 1", encoding="utf-8")
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    told = run(
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    import blackjacky_env, gymnasium\n"
        "    gymnasium.make('blackjacky/BlackJackySeat-v0', opponents=['counter']).reset(seed=0)\n"
        "    from blackjacky_agents import bot_names\n"
        f"{IN_LOBBY if find_spec('starlette') else WITHOUT_WEB}"
        "    print(*names, '|', *bot_names('kuhn_poker'))\n"
        "print(*[each.message for each in caught], sep='\\n')\n",
        tmp_path,
    )
    names, *warned = told.splitlines()
    assert names == "black_jacky schwarze_katze halunken black_spy kuhn_poker | random"
    left_out = {
        "'My-Game'": "it is not named",
        "'black_jacky'": "'blackjacky_env",
        "'no_module'": "ModuleNotFoundError",
        "'no_game'": "TypeError",
        "'every'": "ModuleNotFoundError",
        "'kuhn_poker'": "TypeError: 'theirs",
    }
    for name, why in left_out.items():
        assert (
            sum(each.startswith(f"the entry point {name} ") and f"left out: {why}" in each for each in warned) == 1
        ), told
    assert len(warned) == len(left_out)
