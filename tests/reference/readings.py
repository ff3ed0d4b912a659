"""The games that have a second reading, by the names of the registry."""

from __future__ import annotations

from .black_jacky import READING as BLACK_JACKY
from .reading import Reading
from .schwarze_katze import READING as SCHWARZE_KATZE

READINGS: dict[str, Reading] = {reading.name: reading for reading in (BLACK_JACKY, SCHWARZE_KATZE)}
