"""What lies on a table as a scene, and its pictures and texts."""

from blackjacky_env.draw.picture import draw_svg
from blackjacky_env.draw.scene import (
    EVERYTHING,
    CardName,
    Name,
    Say,
    Scene,
    Value,
    described,
    printable,
    signed,
)
from blackjacky_env.draw.svg import draw_card
from blackjacky_env.draw.text import WIDTH, listed
from blackjacky_env.draw.views import Settled, count_of

__all__ = [
    "EVERYTHING",
    "WIDTH",
    "CardName",
    "Name",
    "Say",
    "Scene",
    "Settled",
    "Value",
    "count_of",
    "described",
    "draw_card",
    "draw_svg",
    "listed",
    "printable",
    "signed",
]
