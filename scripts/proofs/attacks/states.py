"""Changed states: loaded with array bounds checked in compiled code, they must be refused or be playable."""

from __future__ import annotations

from collections.abc import Callable

from attacks.common import BOUNDS_CHECKED, Row, Task, divide, run_tasks
from blackjacky_env.games import GAMES, get_game

TRIES = 1_000_000
_CHUNK = 5000  # states for each process


def attack(tries: int, seed: int, workers: int, progress: Callable[[int], None]) -> list[Row]:
    """Divide ``tries`` states equally among all games."""
    return run_tasks(tasks(tries, seed), workers, progress)


def tasks(tries: int, seed: int) -> list[Task]:
    """The work of all processes, games taking turns."""
    made: list[Task] = []
    left = dict(zip(GAMES, divide(tries, len(GAMES)), strict=True))
    while any(left.values()):
        for game in GAMES:
            if size := min(_CHUNK, left[game]):
                arguments = [game, size, seed + len(made)]
                what = f"changed states of {get_game(game).title}"
                made.append(Task(what, "attacks.mutate_states:attack", arguments, size, BOUNDS_CHECKED))
                left[game] -= size
    return made
