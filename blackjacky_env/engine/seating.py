"""Positions turned around the table: the same game with everybody in another seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine.compiling import copied
from blackjacky_env.engine.game import Game


def turned(game: Game, records: npt.NDArray[Any], places: int) -> npt.NDArray[Any]:
    """Copies of state records (N,) of one table in which everybody sits ``places`` seats further clockwise."""
    fields, players = game.fields, int(records["num_players"][0])
    other = copied(records)
    for name in (*fields.by_seat, *fields.by_two_seats):
        other[name][:, :players] = np.roll(other[name][:, :players], places, axis=1)
    for name in fields.by_two_seats:
        other[name][:, :, :players] = np.roll(other[name][:, :, :players], places, axis=2)
    for name, first in (*dict.fromkeys((*fields.of_seats, *fields.places), 0).items(), *fields.places.items()):
        other[name] = _moved(other[name], first, players, places)
    return other


def _moved(values: npt.NDArray[Any], first: int, players: int, places: int) -> npt.NDArray[Any]:
    """The values, with those from ``first`` on, one for each seat, replaced by those of other seats."""
    seats = values.astype(np.int64) - first
    return np.where((seats >= 0) & (seats < players), first + (seats + places) % players, values)
