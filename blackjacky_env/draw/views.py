"""What scenes have in common: how they show what a view says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from blackjacky_env.draw.scene import Card, Face, Figure, Name, Say, Tag, say, signed
from blackjacky_env.draw.shapes import FURS

View = Mapping[str, Any]
Options = Mapping[str, Any]
Viewer = int | Literal["everything"] | None
"""A seat, `EVERYTHING`, or None: a spectator."""


class Settled(NamedTuple):
    """What a settlement changes: ``view["settled"]`` of a view that shows this moment; no other view has that key.

    The rest of the view is as before the settlement, so that the picture shows what is lost while it is still there.
    """

    losers: Sequence[int] = ()
    """Seats that lose something, or fare worst."""
    after: Mapping[str, Sequence[int]] = MappingProxyType({})
    """Numbers by seat afterwards, by their key in the view."""


def loses(view: View, seat: int) -> bool:
    """Whether the view shows a settlement in which the seat loses something, or fares worst."""
    return seat in view.get("settled", Settled()).losers


def change(view: View, key: str, seat: int) -> str:
    """The number of a seat, and in the view of a settlement what it becomes."""
    after = view.get("settled", Settled()).after
    return " → ".join(dict.fromkeys(signed(each[key][seat]) for each in (view, after) if key in each))


def count_of(cards: Sequence[Any] | int) -> int:
    """The number of cards, which a view lists if they are open, and counts if they are hidden."""
    return cards if isinstance(cards, int) else len(cards)


def cards_of(cards: Sequence[Any] | int, face: Callable[[Any], Face], **more: Any) -> list[Card]:
    """The cards that a view lists, or as many face down as it counts."""
    if isinstance(cards, int):
        return [Card()] * cards
    return [Card(name, face(name), **more) for name in cards]


def cat(seat: int, under: str = "", eyes: str = "awake") -> Figure:
    """The cat of a seat."""
    return Figure("cat", FURS[seat % len(FURS)], over=(*("stripes",) * (seat % 2), eyes), under=under)


def win(view: View) -> Say:
    """Who has won, as a sentence."""
    winners = [Name(seat) for seat in view["winners"]]
    return say("{seats} wins." if len(winners) == 1 else "{seats} win.", seats=winners)


def winner(view: View, seat: int) -> list[Tag]:
    """The tag of a seat that has won."""
    return [Tag(Say("winner"), "#8a6100")] * (seat in view["winners"])


# ---------------------------------------------------------------- tricks
# of views with ``hands``, ``table``, ``trick``, ``dealer``, ``leader``


def trick_of(view: View) -> Say:
    """Which trick it is, of those taken, and one for each card that seat 0 holds or has in the trick."""
    tricks = view["trick"] + count_of(view["hands"][0]) + sum(seat == 0 for seat, _ in view["table"])
    return say("trick {trick} of {tricks}", trick=view["trick"] + 1, tricks=tricks)


def roles(view: View, seat: int) -> list[Say]:
    """What the seat is in this deal and trick."""
    if view["phase"] == "over":
        return []
    return [Say("dealer")] * (seat == view["dealer"]) + [Say("leads")] * (seat == view["leader"])
