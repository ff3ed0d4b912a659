"""What lies on the table of Schwarze Katze."""

from __future__ import annotations

from blackjacky_env.draw.scene import Card, Face, Fact, Name, Row, Say, Scene, Seat, say, signed
from blackjacky_env.draw.shapes import INK, RED
from blackjacky_env.draw.views import Options, View, Viewer, cards_of, cat, change, loses, roles, trick_of, win, winner
from blackjacky_env.games.schwarze_katze.state import SUIT_LETTERS
from blackjacky_env.games.schwarze_katze.words import SUIT_NAMES

_SUITS = dict(zip(SUIT_LETTERS, "♣♦♥♠", strict=True))


def scene(view: View, options: Options, viewer: Viewer) -> Scene:
    """The table that ``view`` shows."""
    deal = say("deal {deal} of {deals}", deal=view["deal"] + 1, deals=options["deals"])
    return Scene(
        title="Schwarze Katze",
        when=[deal, Say("game over") if view["phase"] == "over" else trick_of(view)],
        viewer=viewer,
        seats=[_seat(view, seat) for seat in range(len(view["totals"]))],
        sentences=[_sentence(view)],
    )


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
    played = [Card(card, face(card), mark="" if i else "1") for i, (q, card) in enumerate(view["table"]) if q == seat]
    return Seat(
        cat(seat),
        tags=winner(view, seat),
        notes=roles(view, seat),
        facts=facts,
        rows=[Row(Say("hand"), cards_of(view["hands"][seat], face), "hand", packed=True)],
        played=played[0] if played else None,
        acts=seat == view["player"],
        loses=counts,
    )


def _sentence(view: View) -> Say:
    if view["phase"] == "over":
        return win(view)
    player = Name(view["player"])
    if not view["table"]:
        return say("{player} leads a trick.", player=player)
    led = SUIT_NAMES[SUIT_LETTERS.index(view["table"][0][1][-1])]
    return say("{player} plays to {suit} and must follow if possible.", player=player, suit=Say(led))
