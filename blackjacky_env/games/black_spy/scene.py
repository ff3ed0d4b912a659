"""What lies on the table of Black Spy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.draw.scene import (
    Card,
    CardPile,
    Face,
    Fact,
    Figure,
    Name,
    Row,
    Say,
    Scene,
    Seat,
    Token,
    say,
    signed,
)
from blackjacky_env.draw.shapes import CREAM, FURS, INK
from blackjacky_env.draw.views import (
    Options,
    View,
    Viewer,
    cards_of,
    change,
    count_of,
    loses,
    roles,
    trick_of,
    win,
    winner,
)
from blackjacky_env.games.black_spy.rules import LIMITS
from blackjacky_env.games.black_spy.state import BLACK, COLOUR_NAMES, MOON, PICKS

_LOOKS = {  # by colour of a card: its ground, signs on it, and a mark, so that colours differ in shape as well
    "blue": ("#1f62ad", "#fff", "circle"),
    "yellow": ("#f2c530", INK, "triangle"),
    "green": ("#1b7a43", "#fff", "square"),
    "red": ("#c4283a", "#fff", "diamond"),
    "black": ("#1d1f26", "#fff", "keyhole"),
}
_ASKED = {
    "take": "{player} takes a card from the mole's pile.",
    "call": "{player} calls a colour.",
    "choose": "{player} has all black cards and chooses who gets the points.",
}


def scene(view: View, options: Options, viewer: Viewer) -> Scene:
    """The table that ``view`` shows."""
    return Scene(
        title="Black Spy",
        when=_when(view),
        viewer=viewer,
        seats=[_seat(view, seat, viewer) for seat in range(len(view["totals"]))],
        sentences=[_sentence(view, options)],
        centre=_centre(view),
    )


def _when(view: View) -> list[Say]:
    """The deal, and what is going on in it."""
    doing = {
        "take": Say("the mole"),
        "call": Say("the call"),
        "pass": say("passing {way}", way=Say(view["pass_to"] or "")),
        "choose": Say("a moon"),
        "over": say("game over at {limit}", limit=limit(view)),
    }
    return [say("deal {deal}", deal=view["deal"] + 1), doing.get(view["phase"], trick_of(view))]


def limit(view: View) -> int:
    """B9: the total that ends the game."""
    return int(LIMITS[len(view["totals"])])


# ---------------------------------------------------------------- cards


def colour_of(card: str) -> str:
    """The colour of a card such as ``"red 1"``."""
    return card.split(maxsplit=1)[0]


def number_of(card: str) -> int:
    """The number of a card such as ``"red 1"``."""
    return int(card.split()[1])


def is_good_spy(card: str) -> bool:
    """B1: whether a card is a coloured 7."""
    return number_of(card) == 7 and colour_of(card) != "black"


def winner_of(trick: Sequence[Sequence[Any]]) -> int:
    """B6: the seat that wins a trick, or would as it lies, given as [seat, card] in the order of play."""
    led = colour_of(trick[0][1])
    following = [entry for entry in trick if colour_of(entry[1]) == led]
    return int(max(following, key=lambda entry: number_of(entry[1]))[0])


def face(card: str) -> Face:
    """A spy on every 7 (B1), a star on the red 1 (B4), else the mark of the colour."""
    ground, ink, mark = _LOOKS[colour_of(card)]
    number = number_of(card)
    motif = "spy" if number == 7 else "star" if card == "red 1" else mark
    fill = {"spy": CREAM if is_good_spy(card) else "#4a505e", "star": "#ffd84d"}.get(motif, ink)
    return Face(str(number), ground, ink, mark, motif, fill)


def _colour(colour: str) -> Face:
    """A colour as a card without a number."""
    ground, ink, mark = _LOOKS[colour]
    return Face("", ground, ink, mark, mark)


def _lacking(what: str | int) -> Card:
    return Card(what, _colour(what) if isinstance(what, str) else Face(str(what), "#8d8678", "#fff"))


# ---------------------------------------------------------------- seats


def _seat(view: View, seat: int, viewer: Viewer) -> Seat:
    counts, last = loses(view, seat), view["last_deal"]
    facts = [Fact(Say("red star"), Say("yes"), tokens=[Token("star", "#ffd84d")])] * (view["red_star"] == seat)
    facts += [
        Fact(Say("black"), view["black_taken"][seat]),
        *[Fact(Say("spies"), view["good_spies_taken"][seat])] * (view["good_spies_taken"][seat] > 0),
        Fact(Say("points"), signed(view["points"][seat]), counts),
        Fact(Say("total"), say("{total} of {limit}", total=change(view, "totals", seat), limit=limit(view))),
    ]
    if last is not None:
        facts.append(Fact(Say("last"), signed(last[seat])))
    return Seat(
        Figure("spy", FURS[seat % len(FURS)]),
        tags=winner(view, seat),
        notes=roles(view, seat),
        facts=facts,
        rows=_rows(view, seat, is_own=seat == viewer),
        played=_played(view, seat),
        acts=seat == view["player"],
        loses=counts,
    )


def _rows(view: View, seat: int, is_own: bool) -> list[Row]:
    known = {"left there": "left", "passed": "passed", "received": "received"} if is_own else {}
    lacks = Row(Say("no"), [*map(_lacking, view["lacks"][seat])], "groups")
    rows = [Row(Say(label), cards_of(view[key][seat], face), "groups") for label, key in known.items()]
    played = Row(Say("played"), cards_of(view["played"][seat], face), "groups")
    return [Row(Say("hand"), _hand(view, seat), "hand", packed=True), lacks, *rows, played]


def _hand(view: View, seat: int) -> list[Card]:
    """The hand; those chosen to be passed stick out, and cannot be chosen again (B3)."""
    hand, chosen = cards_of(view["hands"][seat], face), view["chosen"][seat]
    left = [] if isinstance(chosen, int) else list(chosen)
    kind = {"kind": "held"} if view["phase"] == "take" else {}
    for i, card in enumerate(hand):
        lifted = card.name in left
        if lifted:
            left.remove(card.name)
        hand[i] = card._replace(lifted=lifted, data={"kind": "chosen"} if lifted else kind)
    return hand


def _played(view: View, seat: int) -> Card | None:
    """The card of the trick, with its place in it; before, the cards chosen to be passed, face down."""
    for turn, (player, card) in enumerate(view["table"], 1):
        if player == seat:
            return Card(card, face(card), mark=str(turn), framed=seat == winner_of(view["table"]))
    chosen = view["chosen"][seat]
    return Card(mark=str(chosen)) if isinstance(chosen, int) and chosen else None


# ---------------------------------------------------------------- the middle and a sentence


def _centre(view: View) -> list[CardPile | Row]:
    """What is decided now; while cards are played, the colour called."""
    match view["phase"]:
        case "take":
            pile, label = view["pile"], Say("the mole's pile")
            if isinstance(pile, int):
                return [CardPile(label, Card(), pile)]
            return [Row(label, [Card(card, face(card), data={"kind": "card"}) for card in pile])]
        case "call":
            called = COLOUR_NAMES[:BLACK]
            return [
                CardPile(Say(each), Card(each, _colour(each)), data={"kind": "call", "number": each}) for each in called
            ]
        case "choose":
            points = Card(MOON, Face(str(MOON), *_LOOKS["black"][:2], motif="spy", fill="#4a505e"))
            choices = {"others": "for the others", "myself": "off own total"}
            return [CardPile(Say(label), points, data={"kind": kind}) for kind, label in choices.items()]
    if view["called"] is None or view["phase"] == "over":
        return []
    return [Row(Say("called"), [Card(view["called"], _colour(view["called"]))], "chips")]


def _sentence(view: View, options: Options) -> Say:
    """What is asked."""
    phase, trick = view["phase"], view["table"]
    if phase == "over":
        return win(view)
    player = Name(view["player"])
    if phase == "pass":
        nth = ("first", "second", "third")[count_of(view["chosen"][view["player"]])]
        way = "across." if view["pass_to"] == "across" else f"to the {view['pass_to']}."
        return say(f"{{player}} chooses the {nth} of {PICKS} cards to pass {way}", player=player)
    if phase != "play":
        return say(_ASKED[phase], player=player)
    if trick:
        what = _to_follow(trick, options)
        return say("{player} plays to the {card}: {what}.", player=player, card=trick[0][1], what=what)
    if view["trick"]:
        return say("{player} leads a trick.", player=player)
    if view["called"]:
        return say("{player} leads the first trick, with {colour}.", player=player, colour=Say(view["called"]))
    return say("{player} leads the first trick, not with a black card.", player=player)


def _to_follow(trick: Sequence[Sequence[Any]], options: Options) -> Say:
    """B5, V5: the led colour and number, and the number of the last card."""
    led, last = trick[0][1], trick[-1][1]
    colour, number, other = Say(colour_of(led)), number_of(led), number_of(last)
    if not options["rank_follow"] or other == number:
        return say("{colour} or {number} if possible", colour=colour, number=number)
    strict = options["rank_follow_strict"]
    template = "{colour}, {number} or {other} if possible" if strict else "{colour} or {number} if possible, or {other}"
    return say(template, colour=colour, number=number, other=other)
