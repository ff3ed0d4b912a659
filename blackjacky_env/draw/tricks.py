"""What the scenes of trick-taking games share: views with ``hands``, ``table``, ``trick``, ``dealer``, ``leader``."""

from __future__ import annotations

from blackjacky_env.draw.scene import Say, View, count_of


def tricks_of(view: View) -> int:
    """The number of tricks in this deal: those taken, and one for each card that seat 0 holds or has in the trick."""
    tricks: int = view["trick"] + count_of(view["hands"][0]) + sum(seat == 0 for seat, _ in view["table"])
    return tricks


def roles(view: View, seat: int) -> list[Say]:
    """What the seat is in this deal and trick."""
    if view["phase"] == "over":
        return []
    return [Say("dealer")] * (seat == view["dealer"]) + [Say("leads")] * (seat == view["leader"])
