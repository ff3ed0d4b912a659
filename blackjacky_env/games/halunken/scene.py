"""What lies on the table of Halunken & Spelunken: all crews lie open, and only chosen movement cards are secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.declare import HIDDEN
from blackjacky_env.draw import INK, Card, Fact, Field, Figure, Name, Row, Say, Scene, Seat, Tag, say
from blackjacky_env.draw.scene import Face, Options, View, Viewer, cards_of, change, loses, win, winner
from blackjacky_env.games.halunken.state import (
    CARD_NAMES,
    COLOUR_LETTERS,
    FIELDS,
    GAMES,
    JACK_MOVES,
    MOVES,
    ROUNDS,
    movement_card,
)
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
MOVEMENT_CARDS = tuple(movement_card(i + 1) for i in range(MOVES))
"""A captain's movement cards, and Black Jack's in a duel: 1 .. 7 and ``"Rum"``."""

_LOOKS = {"R": ("#c4283a", "#fff"), "V": ("#7a48b8", "#fff"), "G": ("#666d78", "#fff"), "Y": ("#f2c530", INK)}
_FIGURES = (
    Figure("captain", "#2468b4", "0", ("on_circle",), "#fff", called=Name(0)),
    Figure("captain", "#1d7d55", "1", ("on_triangle",), "#fff", called=Name(1)),
    Figure("captain", "#c4570c", "2", ("on_square",), "#fff", called=Name(2)),
    Figure("captain", "#f6ecd6", "3", ("on_diamond",), INK, called=Name(3)),
)
_JACK = Figure("captain", "#17191e", "J", ("eye_patch",), "#fff", called=Say("Black Jack"))
_TAGS = {"buyer": "#20558f", "robs": "#0f6a5b", "robbed": "#b3121b", "overtaken": "#8a5a22"}
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
}


def scene(view: View, options: Options, viewer: Viewer) -> Scene:
    """The table that ``view`` shows."""
    variant = options["variant"]
    return Scene(
        title="Halunken & Spelunken" + ("" if variant == "standard" else f" · {variant}"),
        when=_when(view, options),
        viewer=viewer,
        seats=[_seat(view, seat) for seat in range(len(view["crews"]))],
        sentences=[_sentence(view)],
        centre=_centre(view, options),
        track=[_field(view, field) for field in range(FIELDS)],
    )


def _when(view: View, options: Options) -> list[Say]:
    """The game, if several are played, the round and what is going on."""
    games = [say("game {game} of {games}", game=view["game"] + 1, games=GAMES)] if options["three_games"] else []
    round_ = say("round {round} of {rounds}", round=view["round"] + 1, rounds=ROUNDS)
    return [*games, round_, Say(_DOING.get(view["phase"], "moves"))]


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


def _has_revealed(view: View, mover: Mover) -> bool:
    """Whether the movement card of this round lies open."""
    return len(_of(view, "spent", mover)) > int(view["round"])


def _is_cancelled(view: View, mover: Mover) -> bool:
    """H4, D3: whether another figure's equal card cancels the movement card that has last been laid."""
    movers: list[Mover] = [*range(len(view["laid"])), *([BLACK_JACK] if len(view["laid"]) == 2 else [])]
    laid = {each: _of(view, "laid", each) for each in movers}
    return laid.get(mover) is not None and [*laid.values()].count(laid[mover]) > 1


def _has_passed(view: View, seat: int) -> bool:
    """J2, D2: whether the seat has passed in the auction that is going on."""
    if view["phase"] != "bid" or view["offers"][seat] is not None:
        return False
    seats, opener = len(view["offers"]), view["opener"]
    return bool((seat - opener) % seats < (view["player"] - opener) % seats)


def _target(view: View, mover: Mover) -> int | None:
    """H6: the field that a figure will move to; None if it stays, its Rum is not named, or it will be pushed first."""
    fields, first, number = standing(view), view["mover"], _of(view, "numbers", mover)
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
    ground, ink = ("#fffdf6", INK) if mover is None else (_figure(mover).fill, _figure(mover).ink)
    return Face("R", ground, ink, motif="bottle") if card == "Rum" else Face(str(card), ground, ink)


def _cards_left(view: View, mover: Mover, cards: Sequence[int | str], asked: bool) -> list[Card]:
    spent = _of(view, "spent", mover)
    data = [{"kind": "move", "number": card} if asked else {} for card in cards]
    return [
        Card(card, _movement(card, mover), spent=card in spent, data=known)
        for card, known in zip(cards, data, strict=True)
    ]


# ---------------------------------------------------------------- the ring and what is within


def _field(view: View, field: int) -> Field:
    tavern, fields = view["taverns"][field], standing(view)
    top, hidden = tavern["top"], tavern["hidden"]
    return Field(
        None if top is None else Card(top, face(top)),
        cards_of(hidden, face),
        [_figure(mover) for mover in fields if fields[mover] == field],
        [_figure(mover) for mover in fields if _target(view, mover) == field],
        {"kind": "field", "number": field},
    )


def _centre(view: View, options: Options) -> list[Row]:
    """The movement cards of this round; Black Jack's, and the harbour."""
    has_black_jack = options["variant"] != "basic"
    movers: list[Mover] = [*range(len(view["crews"])), *[BLACK_JACK] * has_black_jack]
    rows = []
    if view["opener"] is not None:
        bids = view["phase"] == "bid"
        rows.append(Row(Say("offers" if bids else "laid"), [_slot(view, mover, bids) for mover in movers]))
    if has_black_jack:
        cards = MOVEMENT_CARDS if options["variant"] == "duel" else range(1, JACK_MOVES + 1)
        asked = view["phase"] == "choose_for_black_jack"
        rows.append(Row(Say("Black Jack"), _cards_left(view, BLACK_JACK, [*cards], asked), "chips"))
        rows.append(Row(Say("harbour"), cards_of(view["harbour"], face), "chips", data={"pile": "harbour"}))
    return rows


def _slot(view: View, mover: Mover, bids: bool) -> Card:
    """What a figure has offered or laid in this round."""
    owner = _figure(mover)
    if bids:
        offer = None if isinstance(mover, str) else view["offers"][mover]
        if offer is None:
            passed = not isinstance(mover, str) and _has_passed(view, mover)
            return Card("", spent=True, owner=owner, mark="pass" if passed else "")
        return Card(offer, face(offer), framed=mover == view["bidder"], owner=owner)
    if _has_revealed(view, mover):
        card, number = _of(view, "laid", mover), _of(view, "numbers", mover)
        named = str(number) if card == "Rum" and isinstance(number, int) and number else ""
        return Card(card, _movement(card), struck=_is_cancelled(view, mover), owner=owner, mark=named)
    choice = _of(view, "choices", mover)
    if choice is None:
        return Card("", spent=True, owner=owner)
    return (
        Card(owner=owner)
        if choice == HIDDEN
        else Card(choice, _movement(choice, mover), seen_through=True, owner=owner)
    )


# ---------------------------------------------------------------- seats


def _seat(view: View, seat: int) -> Seat:
    counts = loses(view, seat)
    facts = [Fact(Say("score"), change(view, "scores", seat), counts)]
    if view["game"]:
        facts.append(Fact(Say("total"), change(view, "totals", seat)))
    asked = view["phase"] == "choose" and seat == view["player"]
    cards = Row(Say("cards"), _cards_left(view, seat, MOVEMENT_CARDS, asked), "chips", says=False)
    return Seat(
        _FIGURES[seat],
        tags=_tags(view, seat),
        facts=facts,
        rows=[cards, *_crew(view["crews"][seat])],
        acts=seat == view["player"],
        loses=counts,
    )


def _tags(view: View, seat: int) -> list[Tag]:
    """What the seat is in this round and move."""
    if view["phase"] == "over":
        return winner(view, seat)
    found = ["robbed"] * (seat == view["victim"])
    found += ["overtaken"] * (seat in view["to_rob"] and seat != view["victim"])
    found += ["robs"] * (view["phase"] == "rob" and seat == view["player"])
    tags = [Tag(Say(word), _TAGS[word]) for word in found]
    return [*tags, *[Tag(Say("buyer"), _TAGS["buyer"], {"kind": "rob_buyer"})] * (seat == view["buyer"])]


def _crew(crew: Sequence[str]) -> list[Row]:
    """A row for each colour."""
    rows, doubled = [], doubled_colour(crew)
    for colour, name in zip(COLOUR_LETTERS, ("red", "violet", "grey", "yellow"), strict=True):
        cards = sorted((card for card in crew if card[0] == colour), key=lambda card: int(card[1:]))
        after = say("x 2") if colour == doubled else None
        rows.append(
            Row(Say(name), [Card(card, face(card), data={"card": card}) for card in cards], "chips", after, says=False)
        )
    return rows


# ---------------------------------------------------------------- a sentence


def _sentence(view: View) -> Say:
    """What is asked."""
    if view["phase"] == "over":
        return win(view)
    player = Name(view["player"])
    match view["phase"]:
        case "bid":
            bidder = view["bidder"]
            if bidder is None:
                return say("{player} may offer a card for Black Jack.", player=player)
            offered = {"card": view["offers"][bidder], "bidder": Name(bidder)}
            return say(
                "{player} may offer a card higher than {card} of {bidder} for Black Jack.", player=player, **offered
            )
        case "take_or_rob":
            return say("{player} takes from the harbour or robs {buyer}.", player=player, buyer=Name(view["buyer"]))
        case "rob":
            through = " through Black Jack" if view["mover"] == BLACK_JACK else ""
            return say(f"{{player}} robs {{victim}} of a card{through}.", player=player, victim=Name(view["victim"]))
    return say(_ASKED[view["phase"]], player=player)
