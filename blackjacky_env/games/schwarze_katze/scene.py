"""What lies on the table of Schwarze Katze."""

from __future__ import annotations

from blackjacky_env.draw import INK, RED, Card, Fact, Figure, Name, Row, Say, Scene, Seat, say, signed
from blackjacky_env.draw.scene import Face, Options, View, Viewer, cards_of, change, loses, win, winner
from blackjacky_env.draw.shapes import FURS
from blackjacky_env.draw.tricks import roles, tricks_of
from blackjacky_env.games.schwarze_katze.state import SUIT_LETTERS
from blackjacky_env.games.schwarze_katze.words import SUIT_NAMES

_SUITS = dict(zip(SUIT_LETTERS, "♣♦♥♠", strict=True))


def scene(view: View, options: Options, viewer: Viewer) -> Scene:
    """The table that ``view`` shows."""
    return Scene(
        title="Schwarze Katze",
        when=_when(view, options),
        viewer=viewer,
        seats=[_seat(view, seat) for seat in range(len(view["totals"]))],
        sentences=[_sentence(view)],
    )


def _when(view: View, options: Options) -> list[Say]:
    """The deal, and its current trick."""
    deal = say("deal {deal} of {deals}", deal=view["deal"] + 1, deals=options["deals"])
    if view["phase"] == "over":
        return [deal, Say("game over")]
    return [deal, say("trick {trick} of {tricks}", trick=view["trick"] + 1, tricks=tricks_of(view))]


def face(name: str) -> Face:
    """A cat on the queen of spades (K6), else the suit."""
    rank, suit = name[:-1], name[-1]
    ink = RED if suit in "DH" else INK
    return Face(rank, ink=ink, sign=suit, motif="black_cat" if name == "QS" else suit, letter=_SUITS[suit])


def _seat(view: View, seat: int) -> Seat:
    counts = loses(view, seat)
    facts = [
        Fact(Say("tricks"), view["tricks_taken"][seat]),
        Fact(Say("penalty"), signed(view["penalties"][seat]), counts),
        Fact(Say("total"), change(view, "totals", seat)),
    ]
    if view["last_deal"] is not None:
        facts.append(Fact(Say("last"), signed(view["last_deal"][seat])))
    return Seat(
        Figure("cat", FURS[seat % len(FURS)], over=("stripes",) if seat % 2 else ()),
        tags=winner(view, seat),
        notes=roles(view, seat),
        facts=facts,
        rows=[Row(Say("hand"), cards_of(view["hands"][seat], face), "hand", packed=True)],
        played=_played(view, seat),
        acts=seat == view["player"],
        loses=counts,
    )


def _played(view: View, seat: int) -> Card | None:
    played: dict[int, str] = dict(view["table"])
    if seat not in played:
        return None
    return Card(played[seat], face(played[seat]), mark="1" if seat == view["table"][0][0] else "")


def _sentence(view: View) -> Say:
    if view["phase"] == "over":
        return win(view)
    player = Name(view["player"])
    if not view["table"]:
        return say("{player} leads a trick.", player=player)
    led = SUIT_NAMES[SUIT_LETTERS.index(view["table"][0][1][-1])]
    return say("{player} plays to {suit} and must follow if possible.", player=player, suit=Say(led))
