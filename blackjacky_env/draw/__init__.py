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
    say,
    signed,
)
from blackjacky_env.draw.scene import in_words as said
from blackjacky_env.draw.svg import draw_card
from blackjacky_env.draw.text import WIDTH, listed
from blackjacky_env.draw.views import Settled, count_of
