"""What lies on the table of Halunken & Spelunken: all crews lie open, and only chosen movement cards are secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.declare import HIDDEN
from blackjacky_env.draw.scene import BoardField, Card, Face, Fact, Figure, Name, Row, Say, Scene, Seat, Tag, say
from blackjacky_env.draw.shapes import CREAM, INK
from blackjacky_env.draw.views import Options, View, Viewer, cards_of, change, loses, win, winner
from blackjacky_env.games.halunken import state
from blackjacky_env.games.halunken.state import CARD_NAMES, COLOUR_LETTERS, FIELDS
from blackjacky_env.games.halunken.words import BLACK_JACK

Mover = int | str
"""A seat, for its captain, or ``"black_jack"``."""

_OF_BLACK_JACK = {
    "captains": "black_jack",
    "spent": "black_jack_spent",
    "choices": "black_jack_choice",
    "laid": "black_jack_laid",
    "numbers": "black_jack_number",
}
"""Keys of a view, by those with an entry for each seat."""
MOVEMENT_CARDS = tuple(state.movement_card(i + 1) for i in range(state.MOVES))
"""A captain's movement cards, and Black Jack's in a duel: 1 .. 7 and ``"Rum"``."""

_LOOKS = {"R": ("#c4283a", "#fff"), "V": ("#7a48b8", "#fff"), "G": ("#666d78", "#fff"), "Y": ("#f2c530", INK)}
_COLOUR_NAMES = ("red", "violet", "grey", "yellow")
_FIGURES = (
    Figure("captain", "#2468b4", "0", ("on_circle",), "#fff", called=Name(0)),
    Figure("captain", "#1d7d55", "1", ("on_triangle",), "#fff", called=Name(1)),
    Figure("captain", "#c4570c", "2", ("on_square",), "#fff", called=Name(2)),
    Figure("captain", "#f6ecd6", "3", ("on_diamond",), INK, called=Name(3)),
)
_JACK = Figure("captain", "#17191e", "J", ("eye_patch",), "#fff", called=Say("Black Jack"))
_DOING = {
    "place_captain": "set-up",
    "place_black_jack": "set-up",
    "bid": "auction",
    "choose_for_black_jack": "choosing",
    "choose": "choosing",
    "over": "game over",
}
_ASKED = {
    "place_captain": "{player} places the captain on a free field.",
    "place_black_jack": "{player} places Black Jack on a free field.",
    "choose_for_black_jack": "{player} chooses a movement card for Black Jack in secret.",
    "choose": "{player} chooses a movement card in secret.",
    "name": "{player} names a number for Rum.",
    "take": "{player} takes a card from the harbour.",
    "give": "{player} gives a card to the harbour.",
    "take_or_rob": "{player} takes from the harbour or robs {buyer}.",
}


def scene(view: View, options: Options, viewer: Viewer) -> Scene:
    """The table that ``view`` shows."""
    variant, fields = options["variant"], standing(view)
    games = [say("game {game} of {games}", game=view["game"] + 1, games=state.GAMES)] * bool(options["three_games"])
    round_ = say("round {round} of {rounds}", round=view["round"] + 1, rounds=state.ROUNDS)
    return Scene(
        title="Halunken & Spelunken" + ("" if variant == "standard" else f" · {variant}"),
        when=[*games, round_, Say(_DOING.get(view["phase"], "moves"))],
        viewer=viewer,
        seats=[_seat(view, seat) for seat in range(len(view["crews"]))],
        sentences=[_sentence(view)],
        centre=_centre(view, variant),
        track=[_field(view, fields, field) for field in range(FIELDS)],
    )


# ---------------------------------------------------------------- what a view says


def standing(view: View) -> dict[Mover, int]:
    """The fields of all figures on the ring."""
    movers: list[Mover] = [*range(len(view["captains"])), BLACK_JACK]
    fields = {mover: _of(view, "captains", mover) for mover in movers}
    return {mover: field for mover, field in fields.items() if field is not None}


def doubled_colour(cards: Sequence[str]) -> str | None:
    """C1: the letter of the colour whose values count double; None without cards."""
    counted = {colour: [int(card[1:]) for card in cards if card[0] == colour] for colour in COLOUR_LETTERS}
    return max(COLOUR_LETTERS, key=lambda colour: (len(counted[colour]), sum(counted[colour]))) if cards else None


def _of(view: View, key: str, mover: Mover) -> Any:
    """What a view has under ``key`` for a captain, by seat, or for Black Jack."""
    return view[_OF_BLACK_JACK[key]] if isinstance(mover, str) else view[key][mover]


def _is_cancelled(view: View, mover: Mover) -> bool:
    """H4, D3: whether another figure's equal card cancels the movement card that has last been laid."""
    movers: list[Mover] = [*range(len(view["laid"])), *[BLACK_JACK] * (len(view["laid"]) == 2)]
    laid = {each: _of(view, "laid", each) for each in movers}
    return laid.get(mover) is not None and [*laid.values()].count(laid[mover]) > 1


def _has_passed(view: View, seat: int) -> bool:
    """J2, D2: whether the seat has passed in the auction that is going on."""
    seats, opener = len(view["offers"]), view["opener"]
    return view["offers"][seat] is None and (seat - opener) % seats < (view["player"] - opener) % seats


def _target(view: View, fields: dict[Mover, int], mover: Mover) -> int | None:
    """H6: the field that a figure will move to; None if it stays, its Rum is not named, or it will be pushed first."""
    first, number = view["mover"], _of(view, "numbers", mover)
    if number in (0, "Rum") or (first is not None and fields[mover] == fields[first]):
        return None
    return int(fields[mover] + number) % FIELDS


def _figure(mover: Mover) -> Figure:
    return _JACK if isinstance(mover, str) else _FIGURES[mover]


# ---------------------------------------------------------------- cards


def face(card: str) -> Face:
    """A rogue, or a movement card without a captain."""
    return Face(card[1:], *_LOOKS[card[0]]) if card in CARD_NAMES else _movement(card)


def _movement(card: int | str, mover: Mover | None = None) -> Face:
    """A movement card, on cream or in the colour of a figure."""
    ground, ink = (CREAM, INK) if mover is None else (_figure(mover).fill, _figure(mover).ink)
    return Face("R", ground, ink, motif="bottle") if card == "Rum" else Face(str(card), ground, ink)


def _cards_left(view: View, mover: Mover, cards: Sequence[int | str], asked: bool) -> list[Card]:
    spent = _of(view, "spent", mover)
    return [
        Card(card, _movement(card, mover), spent=card in spent, data={"kind": "move", "number": card} if asked else {})
        for card in cards
    ]


# ---------------------------------------------------------------- the ring and what is within


def _field(view: View, fields: dict[Mover, int], field: int) -> BoardField:
    tavern = view["taverns"][field]
    return BoardField(
        None if tavern["top"] is None else Card(tavern["top"], face(tavern["top"])),
        cards_of(tavern["hidden"], face),
        [_figure(mover) for mover in fields if fields[mover] == field],
        [_figure(mover) for mover in fields if _target(view, fields, mover) == field],
        {"kind": "field", "number": field},
    )


def _centre(view: View, variant: str) -> list[Row]:
    """The movement cards of this round; Black Jack's, and the harbour."""
    movers: list[Mover] = [*range(len(view["crews"])), *[BLACK_JACK] * (variant != "basic")]
    rows = []
    if view["phase"] == "bid":
        rows.append(Row(Say("offers"), [_offer(view, mover)._replace(owner=_figure(mover)) for mover in movers]))
    elif view["opener"] is not None:
        rows.append(Row(Say("laid"), [_laid(view, mover)._replace(owner=_figure(mover)) for mover in movers]))
    if variant != "basic":
        cards = MOVEMENT_CARDS if variant == "duel" else range(1, state.JACK_MOVES + 1)
        left = _cards_left(view, BLACK_JACK, [*cards], view["phase"] == "choose_for_black_jack")
        rows.append(Row(Say("Black Jack"), left, "chips"))
        rows.append(Row(Say("harbour"), cards_of(view["harbour"], face), "chips", data={"pile": "harbour"}))
    return rows


def _offer(view: View, mover: Mover) -> Card:
    """What a seat has offered for Black Jack."""
    if isinstance(mover, str):
        return Card(spent=True)
    offer = view["offers"][mover]
    if offer is None:
        return Card(spent=True, mark="pass" if _has_passed(view, mover) else "")
    return Card(offer, face(offer), framed=mover == view["bidder"])


def _laid(view: View, mover: Mover) -> Card:
    """What a figure has laid in this round: open once all are revealed."""
    if len(_of(view, "spent", mover)) > view["round"]:
        card, number = _of(view, "laid", mover), _of(view, "numbers", mover)
        named = str(number) if card == "Rum" and isinstance(number, int) and number else ""
        return Card(card, _movement(card), struck=_is_cancelled(view, mover), mark=named)
    choice = _of(view, "choices", mover)
    if choice is None:
        return Card(spent=True)
    return Card() if choice == HIDDEN else Card(choice, _movement(choice, mover), seen_through=True)


# ---------------------------------------------------------------- seats


def _seat(view: View, seat: int) -> Seat:
    counts, acts, crew = loses(view, seat), seat == view["player"], view["crews"][seat]
    facts = [Fact(Say("score"), change(view, "scores", seat), counts)]
    if view["game"]:
        facts.append(Fact(Say("total"), change(view, "totals", seat)))
    rows = [Row(Say("cards"), _cards_left(view, seat, MOVEMENT_CARDS, acts and view["phase"] == "choose"), "chips")]
    for colour, name in zip(COLOUR_LETTERS, _COLOUR_NAMES, strict=True):
        names = sorted((card for card in crew if card[0] == colour), key=lambda card: int(card[1:]))
        cards = [Card(card, face(card), data={"card": card}) for card in names]
        rows.append(Row(Say(name), cards, "chips", say("x 2") if colour == doubled_colour(crew) else None))
    return Seat(_FIGURES[seat], tags=_tags(view, seat), facts=facts, rows=rows, acts=acts, loses=counts)


def _tags(view: View, seat: int) -> list[Tag]:
    """What the seat is in this round and move."""
    if view["phase"] == "over":
        return winner(view, seat)
    robbed = seat == view["victim"]
    tags = [
        (robbed, Tag(Say("robbed"), "#b3121b")),
        (seat in view["to_rob"] and not robbed, Tag(Say("overtaken"), "#8a5a22")),
        (view["phase"] == "rob" and seat == view["player"], Tag(Say("robs"), "#0f6a5b")),
        (seat == view["buyer"], Tag(Say("buyer"), "#20558f", {"kind": "rob_buyer"})),
    ]
    return [tag for is_so, tag in tags if is_so]


# ---------------------------------------------------------------- a sentence


def _sentence(view: View) -> Say:
    """What is asked."""
    phase, bidder = view["phase"], view["bidder"]
    if phase == "over":
        return win(view)
    seats = {key: Name(view[key]) for key in ("player", "buyer", "victim") if view[key] is not None}
    if phase == "rob":
        through = " through Black Jack" if view["mover"] == BLACK_JACK else ""
        return say(f"{{player}} robs {{victim}} of a card{through}.", **seats)
    if phase != "bid":
        return say(_ASKED[phase], **seats)
    if bidder is None:
        return say("{player} may offer a card for Black Jack.", **seats)
    higher = "{player} may offer a card higher than {card} of {bidder} for Black Jack."
    return say(higher, **seats, card=view["offers"][bidder], bidder=Name(bidder))
