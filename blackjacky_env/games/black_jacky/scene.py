"""What lies on the table of Black Jacky."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from blackjacky_env.compiled import in_plain_python
from blackjacky_env.draw.scene import Card, CardName, CardPile, Face, Fact, Name, Row, Say, Scene, Seat, Tag, Token, say
from blackjacky_env.draw.shapes import INK, RED
from blackjacky_env.draw.views import Options, View, Viewer, cards_of, cat, count_of, loses, win
from blackjacky_env.games.black_jacky.rules import laid_tenths

_laid_tenths = in_plain_python(laid_tenths)

# From cool colours for low cards to hot ones for high cards, all light enough for dark digits.
_GROUNDS = ("", "#bfe3f7", "#b9ebe0", "#c8ecb4", "#e2eda6", "#fbe6a0", "#fcd29c", "#fcbfa0", "#f9aeb6")
_TAGS = {
    "winner": "#8a6100",
    "first knock": "#6a2c91",
    "knocked": "#6a2c91",
    "last turn": "#20558f",
    "wanted": "#8a5a22",
    "out": "#5b5f66",
    "exchanges": "#0f6a5b",
}
_PLUS_ONE = Card("+1", Face("+1", "#6a2c91", "#fff"))
_ASKED = {
    "tip": "{player} tips who will lose a heart in this round.",
    "trick": "{player} may lay a card for its trick.",
    "zock": "{player} must zock: draw, swap or knock.",
    "exchange": "{player} chooses a card to give.",
}


def scene(view: View, options: Options, viewer: Viewer) -> Scene:
    """The table that ``view`` shows."""
    turn = say("turn {turn}", turn=view["turn"] + 1)
    now = {"over": Say("game over"), "tip": Say("tips")}.get(view["phase"], turn)
    return Scene(
        title="Black Jacky" if options["variant"] == "classic" else "Black Jacky · Schnell-Duell",
        when=[say("round {round}", round=view["round"] + 1), now],
        viewer=viewer,
        seats=[_seat(view, options, seat) for seat in range(len(view["hearts"]))],
        sentences=_sentences(view),
        centre=_piles(view),
    )


# ---------------------------------------------------------------- what lies before a seat


class _Cards(NamedTuple):
    """The cards of a seat."""

    hand: list[int] | int = 0  # their number if they are hidden
    laid: Sequence[int] = ()
    plus_one: bool = False
    tenths: int | None = None  # the sum, hidden cards left out; None: nothing is dealt to the seat
    lost: bool = False  # whether it has lost a heart with them (S2)
    known: Sequence[int] = ()  # those of a hidden hand that the viewer knows

    def held(self) -> list[Card]:
        """The hand."""
        if not isinstance(self.hand, int):
            return cards_of(self.hand, face)
        known = cards_of(self.known, face, seen_through=True)
        return [*known, *cards_of(self.hand - len(known), face)]

    def shown(self) -> list[Card]:
        """What is laid out; a 5 lies turned over, but everybody knows it (T5)."""
        return [*(Card(each, face(each), struck=each == 5) for each in self.laid), *[_PLUS_ONE] * self.plus_one]

    def sum(self, bust_at: int) -> Say | None:
        """The sum as far as it can be seen, and whether it is bust or the lowest (S2); None: nothing can be seen."""
        if self.tenths is None:
            return None
        number = say("{whole}.{tenth}", whole=self.tenths // 10, tenth=self.tenths % 10)
        if isinstance(self.hand, int) and self.hand:
            return say("{sum} + ?", sum=number) if self.tenths else None
        if self.tenths >= 10 * bust_at:
            return say("{sum} bust", sum=number)
        return say("{sum} lowest", sum=number) if self.lost else number


def _current(view: View, seat: int) -> _Cards:
    """The cards of the current round; those of its settlement if the view shows it, or when the game is over."""
    if view["phase"] == "over" or "settled" in view:
        return _settled(view, seat)
    if view["status"][seat] != "saloon" or view["phase"] == "tip":
        return _Cards()
    hand, laid, plus_one = view["hands"][seat], view["displays"][seat], view["plus_one"] == seat
    open_hand, known = ([], view["known"][seat]) if isinstance(hand, int) else (hand, [])
    return _Cards(hand, laid, plus_one, _tenths(open_hand, laid) + 10 * plus_one, known=known)


def _settled(view: View, seat: int) -> _Cards:
    """The cards as revealed at the last settlement."""
    settled = view["last_settlement"]
    tenths = None if settled is None else settled["sums"][seat]
    if tenths is None:
        return _Cards()
    hand, laid = settled["hands"][seat], settled["displays"][seat]
    return _Cards(hand, laid, tenths - _tenths(hand, laid) == 10, tenths, seat in settled["losers"])


def _tenths(hand: Sequence[int], display: Sequence[int]) -> int:
    """S1 without "+1"."""
    laid: int = sum(map(_laid_tenths, display))
    return 10 * sum(hand) + laid


def face(value: int | str) -> Face:
    """A card has as many mice as its value."""
    return Face(str(value), _GROUNDS[int(value)], motif=f"mice_{value}")


def _seat(view: View, options: Options, seat: int) -> Seat:
    cards, status = _current(view, seat), view["status"][seat]
    rows = [Row(Say("hand"), cards.held(), "hand"), Row(Say("laid out"), cards.shown())]
    facts = _hearts(view, options, seat)
    if (total := cards.sum(options["bust_at"])) is not None:
        facts.append(Fact(Say("sum"), total, cards.lost))
    if view["tips"][seat] is not None:
        facts.append(Fact(Say("tipped" if view["phase"] == "over" else "tips"), Name(view["tips"][seat])))
    if view["phase"] in ("tip", "trick") and view["turn"] == 0 and "settled" not in view:  # nothing has happened since
        before = _settled(view, seat)
        rows.append(Row(Say("before"), [*before.held(), *before.shown()]))
        if (total := before.sum(options["bust_at"])) is not None:
            facts.append(Fact(Say("before"), total, before.lost))
    return Seat(
        cat(seat, "poster" if status == "wanted" else "", "asleep" if status == "out" else "awake"),
        tags=_tags(view, seat),
        facts=facts,
        rows=rows,
        acts=seat == view["player"],
        loses=loses(view, seat),
    )


def _hearts(view: View, options: Options, seat: int) -> list[Fact]:
    """R5, R7: the hearts; the black one is the last chance."""
    held, first = view["hearts"][seat], options["hearts"]
    if view["status"][seat] != "saloon":
        return []
    if held and view["black_hearts"][seat]:
        return [Fact(Say("hearts"), Say("last chance"), tokens=[Token("heart", INK, loses(view, seat))])]
    tokens = [Token("heart", RED, loses(view, seat) and i == held - 1) for i in range(held)]
    return [Fact(Say("hearts"), held, tokens=[*tokens, *[Token("heart")] * max(0, first - held)])]


def _tags(view: View, seat: int) -> list[Tag]:
    """In the saloon, wanted or out (R5, R7), or something more specific."""
    exchange = view["exchange"]
    word = view["status"][seat]
    if seat in view["winners"]:
        word = "winner"
    elif view["phase"] == "over" or "settled" in view:
        pass
    elif exchange and seat in exchange["pair"]:
        word = "exchanges"
    elif view["knocked"][seat]:
        word = "first knock" if seat == view["first_knocker"] else "knocked"
    elif seat in (view["last_turns"] or []):
        word = "last turn"
    return [Tag(Say(word), _TAGS[word])] if word in _TAGS else []


# ---------------------------------------------------------------- piles and sentences


def _piles(view: View) -> list[CardPile]:
    top = view["discard_top"]
    if top is None:
        return []
    return [
        CardPile(Say("draw"), Card(), count_of(view["draw_pile"]), {"pile": "draw"}),
        CardPile(Say("discard"), Card(top, face(top)), len(view["discards"]), {"pile": "discard"}),
    ]


def _sentences(view: View) -> list[Say]:
    """The current situation in words."""
    if view["phase"] == "over":
        return [win(view) if view["winners"] else Say("Nobody has a heart left: nobody wins.")]
    lines = [say(_ASKED[view["phase"]], player=Name(view["player"]))]
    if exchange := view["exchange"]:
        first, second = map(Name, exchange["pair"])
        laid = "{player} laid a 3: {first} and {second} exchange a card."
        lines.append(say(laid, player=Name(exchange["trickster"]), first=first, second=second))
        if given := exchange["given"][0]:  # T3: only the giver knows it
            lines.append(say("{player} has given {card}.", player=first, card=CardName(given)))
    if view["ends_after_turn"]:
        lines.append(Say("A 1 is laid out: the round ends after this turn."))
    if view["last_turns"]:
        lines.append(say("Last turns: {players}.", players=[*map(Name, view["last_turns"])]))
    return lines
