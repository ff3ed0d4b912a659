"""Ids: known by naming the package in them, and with PettingZoo before 1.27, which has no registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def run(code: str) -> str:
    """What a new process prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_id_that_names_the_package_needs_no_import() -> None:
    told = run(
        "import gymnasium\n"
        "name = 'blackjacky_env:blackjacky/BlackJackySeat-v0'\n"
        "print(gymnasium.make(name).unwrapped, gymnasium.make_vec(name, num_envs=2).unwrapped)\n"
    )
    assert "SeatEnv" in told
    assert "SeatVectorEnv" in told


def test_a_pettingzoo_without_a_registry_will_do() -> None:
    told = run(
        "import pettingzoo\n"
        "for name in ('register', 'make'):\n"
        "    vars(pettingzoo).pop(name, None)\n"
        "import gymnasium, blackjacky_env\n"
        "print(blackjacky_env.black_jacky_v0.env(), gymnasium.make('blackjacky/BlackJackySeat-v0').unwrapped)\n"
    )
    assert told.startswith("black_jacky_v0 ")
    assert "SeatEnv" in told
