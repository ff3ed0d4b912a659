"""What lies on the table of Black Spy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.draw import CREAM, INK, Card, Choice, Fact, Figure, Name, Pile, Row, Say, Scene, Seat, Sign, Token
from blackjacky_env.draw.scene import Face, Options, View, Viewer, change, count_of, loses, say, signed, win, winner
from blackjacky_env.draw.shapes import FURS
from blackjacky_env.draw.tricks import roles, tricks_of
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
    trick = say("trick {trick} of {tricks}", trick=view["trick"] + 1, tricks=tricks_of(view))
    return [say("deal {deal}", deal=view["deal"] + 1), doing.get(view["phase"], trick)]


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
    known = {"left there": "left", "passed": "passed", "received": "received"}
    rows = [Row(Say(label), _shown(view[key][seat]), "groups") for label, key in known.items() if is_own]
    played = Row(Say("played"), _shown(view["played"][seat]), "groups", lines=2, says=is_own)
    lacks = Row(Say("no"), [*map(_lacking, view["lacks"][seat])], "groups")
    return [Row(Say("hand"), _hand(view, seat), "hand", packed=True), lacks, *rows, played]


def _shown(cards: Sequence[str] | int) -> list[Card]:
    return [] if isinstance(cards, int) else [Card(card, face(card)) for card in cards]


def _hand(view: View, seat: int) -> list[Card]:
    """The hand; those chosen to be passed stick out, and cannot be chosen again (B3)."""
    hand, chosen = view["hands"][seat], view["chosen"][seat]
    if isinstance(hand, int):
        return [Card()] * hand
    left, cards = list(chosen) if isinstance(chosen, list) else [], []
    kind = {"kind": "held"} if view["phase"] == "take" else {}
    for card in hand:
        lifted = card in left
        if lifted:
            left.remove(card)
        cards.append(Card(card, face(card), lifted=lifted, data={"kind": "chosen"} if lifted else kind))
    return cards


def _played(view: View, seat: int) -> Card | None:
    """The card of the trick, with its place in it; before, the cards chosen to be passed, face down."""
    for turn, (player, card) in enumerate(view["table"], 1):
        if player == seat:
            return Card(card, face(card), mark=str(turn), framed=seat == winner_of(view["table"]))
    chosen = view["chosen"][seat]
    return Card(mark=str(chosen)) if isinstance(chosen, int) and chosen else None


# ---------------------------------------------------------------- the middle and a sentence


def _centre(view: View) -> list[Pile | Choice | Sign | Row]:
    """What is decided now; while cards are played, the colour called."""
    match view["phase"]:
        case "take":
            pile, label = view["pile"], Say("the mole's pile")
            if isinstance(pile, int):
                return [Pile(label, Card(), pile)]
            return [Row(label, [Card(card, face(card), data={"kind": "card"}) for card in pile])]
        case "call":
            return [
                Choice(Say(colour), _colour(colour), {"kind": "call", "number": colour})
                for colour in COLOUR_NAMES[:BLACK]
            ]
        case "pass":
            way = view["pass_to"]
            return [Sign(Say(way), "arrow_across" if way == "across" else "arrow_round", turned=way == "right")]
        case "choose":
            points = Face(str(MOON), *_LOOKS["black"][:2], motif="spy", fill="#4a505e")
            return [
                Choice(Say("for the others"), points, {"kind": "others"}),
                Choice(Say("off own total"), points, {"kind": "myself"}),
            ]
    if view["called"] is None or view["phase"] == "over":
        return []
    return [Row(Say("called"), [Card(view["called"], _colour(view["called"]))], "chips")]


def _sentence(view: View, options: Options) -> Say:
    """What is asked."""
    if view["phase"] == "over":
        return win(view)
    player, trick = Name(view["player"]), view["table"]
    if view["phase"] == "pass":
        nth = ("first", "second", "third")[count_of(view["chosen"][view["player"]])]
        template = f"{{player}} chooses the {nth} of {PICKS} cards to pass " + (
            "across." if view["pass_to"] == "across" else f"to the {view['pass_to']}."
        )
        return say(template, player=player)
    if view["phase"] != "play":
        return say(_ASKED[view["phase"]], player=player)
    if trick:
        return say(
            "{player} plays to the {card}: {what}.", player=player, card=trick[0][1], what=_to_follow(view, options)
        )
    if view["trick"]:
        return say("{player} leads a trick.", player=player)
    if view["called"]:
        return say("{player} leads the first trick, with {colour}.", player=player, colour=Say(view["called"]))
    return say("{player} leads the first trick, not with a black card.", player=player)


def _to_follow(view: View, options: Options) -> Say:
    """B5, V5: the led colour and number, and the number of the last card."""
    led, last = view["table"][0][1], view["table"][-1][1]
    colour, number, other = Say(colour_of(led)), number_of(led), number_of(last)
    if not options["rank_follow"] or other == number:
        return say("{colour} or {number} if possible", colour=colour, number=number)
    if options["rank_follow_strict"]:
        return say("{colour}, {number} or {other} if possible", colour=colour, number=number, other=other)
    return say("{colour} or {number} if possible, or {other}", colour=colour, number=number, other=other)
