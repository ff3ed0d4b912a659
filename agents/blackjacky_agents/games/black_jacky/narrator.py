"""Black Jacky told to people."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from blackjacky_agents.narration import Move, Narrator, View, with_seats

HELP = """
Come close to 21 without reaching it. A turn is an optional trick and then a compulsory zock.
  1 the round ends after this turn      5 is turned over and counts nothing
  2 cancels all knocking                6 puts "+1" before a player
  3 two players exchange a card         7 turns up a card onto the discard pile
  4 the next active player draws        8 counts 8.1 where it lies
Who is bust loses a heart; if nobody is, whoever has the lowest sum. All rules: blackjacky_env/games/black_jacky/README.md
Type the number of an action or the beginnings of its words, such as "kn" or "sw 5 dis"; `quit` ends the game.
"""

_TRICKS = {
    "no trick": "lay no card, and go on to the zock",
    "lay 1": "the round ends after this turn",
    "lay 2": "all knocking is cancelled",
    "lay 3": "each of the two gives the other a card in secret",
    "lay 4": "the next active player draws a card",
    "lay 5": "it is turned over and counts nothing",
    "lay 6": "whoever has +1 counts 1 more",
    "lay 7": "a card is turned up onto the discard pile",
    "lay 8": "it counts 8.1 where it lies",
    "draw": "take the top card of the draw pile",
    "knock": "keep your hand, safe from tricks",
}
_WITHOUT_EFFECT = "it lies open, but its trick can do nothing now"
_SWAPS = {
    "draw": "for a card that nobody knows",
    "discard": "for the open card",
}


# ---------------------------------------------------------------- actions


def explain(name: str) -> str:
    """What an action does."""
    if name.endswith("without effect"):
        return _WITHOUT_EFFECT
    if swap := re.fullmatch(r"swap \d with the (\w+) pile", name):
        return _SWAPS[swap[1]]
    if name.startswith("give"):
        return "the other player gets this card"
    if name.startswith("tip"):
        return "if you are right, you come back with a black heart"
    return _TRICKS[name.partition(":")[0]]


def click_targets(name: str) -> dict[str, Any]:
    """The card, pile or relative seat that a person would touch for an action."""
    touched: dict[str, Any] = {}
    if card := re.match(r"(?:lay|swap|give) (\d)", name):
        touched["card"] = card[1]
    if pile := re.search(r"\b(draw|discard)\b", name):
        touched["pile"] = pile[1]
    if seat := re.fullmatch(r"(?:tip|lay 6: \+1 to) (?:me|left\+(\d))", name):
        touched["seat"] = int(seat[1] or 0)
    return touched


# ---------------------------------------------------------------- moves


def story(move: Move) -> list[str]:
    """What the move did, as the seat may know it; nothing for "no trick"."""
    if move.name == "no trick":
        return []
    told = [f"{{{move.actor}}} {_deed(move)}"]
    exchange = move.before["exchange"]
    if exchange and move.after["phase"] == "zock" and move.seat is not None and move.seat in exchange["pair"]:
        given = exchange["given"][exchange["pair"].index(move.seat)] or int(move.name.split()[1])
        told.append(f"{{{move.seat}}} gets {_gain(move, move.seat, given)}")
    return told


def _deed(move: Move) -> str:
    """The move in words, without the player."""
    match with_seats(move.name, move.actor, move.players).split():
        case ["lay", value, "without", "effect"]:
            return f"lays {_a(value)} without effect"
        case ["lay", "3:", first, "and", second, _]:
            return f"lays a 3: {first} and {second} exchange a card"
        case ["lay", "6:", "+1", "to", target]:
            return f"lays a 6: +1 lies before {target}"
        case ["lay", value]:
            return f"lays {_a(value)}{_effect(move, int(value))}"
        case ["draw"]:
            return f"draws {_gain(move, move.actor)}"
        case ["swap", old, *_, "draw", "pile"]:
            return f"swaps {_a(old)} for {_gain(move, move.actor, int(old))} from the draw pile"
        case ["swap", old, *_, "discard", "pile"]:
            return f"swaps {_a(old)} for the {move.before['discard_top']} on the discard pile"
        case ["knock"]:
            announces = move.before["first_knocker"] is None and not _ends_round(move)
            return "knocks first: everybody else has one more turn" if announces else "knocks"
        case ["give", value]:
            return f"gives {_a(value)}" if move.actor == move.seat else "gives a card"
        case ["tip", target]:
            return f"tips that {target} will lose a heart"
    raise ValueError(f"no words for {move.name!r}")


def _ends_round(move: Move) -> bool:
    return bool(move.before["round"] != move.after["round"] or move.after["phase"] == "over")


def _a(card: object) -> str:
    """A card with its article."""
    return f"an {card}" if str(card) == "8" else f"a {card}"


def _effect(move: Move, value: int) -> str:
    """What the trick of a card without a chosen target did."""
    before = move.before
    can_draw = before["draw_pile"] > 0 or len(before["discards"]) > 1  # R14
    if value in (4, 7) and not can_draw:
        return " without effect"
    if value == 4:
        seat = _who_drew(before, move.after)
        gone = 4 if seat == move.actor else None
        return f": {{{seat}}} draws {_gain(move, seat, gone)}"
    return {
        1: ": the round ends after this turn",
        2: ": all knocking is cancelled" if any(before["knocked"]) else ": nobody had knocked",
        5: ", turned over: it counts nothing",
        7: f": {_a(move.after['discard_top'])} is turned up on the discard pile",
        8: ": it counts 8.1",
    }[value]


def _size(hand: list[int] | int) -> int:
    """Cards in a hand, open or not."""
    return hand if isinstance(hand, int) else len(hand)


def _who_drew(before: View, after: View) -> int:
    """The seat that a laid-out 4 made draw; the trickster himself has laid the 4 away."""
    sizes = [_size(hand) + (seat == before["player"]) for seat, hand in enumerate(after["hands"])]
    return next(seat for seat, hand in enumerate(before["hands"]) if sizes[seat] > _size(hand))


def _gain(move: Move, seat: int, gone: int | None = None) -> str:
    """The card that came into the hand of ``seat`` when ``gone`` left it; of others it is just a card."""
    if isinstance(move.before["hands"][seat], int):
        return "a card"
    hands = move.after["last_settlement"]["hands"] if _ends_round(move) else move.after["hands"]
    stayed = Counter(move.before["hands"][seat]) - Counter([] if gone is None else [gone])
    (card,) = (Counter(hands[seat]) - stayed).elements()
    return _a(card)


# ---------------------------------------------------------------- settlements


def settlement(view: View) -> list[str]:
    """The sums that were laid open, and who loses a heart."""
    settled = view["last_settlement"]
    told = []
    for seat, tenths in enumerate(settled["sums"]):
        if tenths is None:
            continue
        cards = " ".join(map(str, settled["hands"][seat])) or "nothing"
        laid = " ".join(map(str, settled["displays"][seat]))
        laid_out = f", laid out {laid}" if laid else ""
        told.append(f"{{{seat}}} has {tenths // 10}.{tenths % 10}: {cards} in the hand{laid_out}")
    return [*told, *(f"{{{seat}}} loses a heart" for seat in settled["losers"])]


NARRATOR = Narrator(HELP, story, settlement, explain, click_targets)
