"""Black Spy in words: actions, snapshots of positions, views of a player, why an action is illegal."""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_env.declare import NOBODY, ActionInfo, Actions, State
from blackjacky_env.draw.scene import Say, say
from blackjacky_env.games import trick_taking as tricks
from blackjacky_env.games.black_spy import state
from blackjacky_env.games.black_spy.rules import has_pile, pass_places, place_of_seat, points_of_deal

SECRET_PHASES = ("take", "pass")
"""B3, V3: phases in which only the acting player knows the card."""

ACTIONS = Actions(
    [
        *(ActionInfo("card", card=name, secret=("card",), secret_phases=SECRET_PHASES) for name in state.KIND_NAMES),
        *(ActionInfo("call", number=colour) for colour in state.COLOUR_NAMES[: state.BLACK]),
        ActionInfo("others"),
        ActionInfo("myself"),
    ],
    {
        "card": "{card}",
        "call": "call {number}",
        "others": "60 points for each of the others",
        "myself": "minus 60 points for me",
    },
)
"""The phase says whether a card is played, passed or taken from the pile."""

_ORDER = {name: kind for kind, name in enumerate(state.KIND_NAMES)}


def snapshot(s: State, settled: State | None) -> dict[str, Any]:
    """Everything on the table as plain Python values; ``settled``: the record when a deal was last scored."""
    n, leader = int(s["num_players"]), int(s["leader"])
    played = [] if leader == NOBODY else [(leader + i) % n for i in range(n)]
    return {
        **state.RECORD.tell(s, "phase player deal dealer"),
        "pass_to": _direction(s),
        "called": None if s["called"] == state.NO_COLOUR else state.COLOUR_NAMES[s["called"]],
        **state.RECORD.tell(s, "leader trick red_star"),
        "hands": [_names(s["where"] == p) for p in range(n)],
        "chosen": [_names((s["where"] == p) & (s["passed_by"] == p)) for p in range(n)],
        "passed": [_names((s["where"] != p) & (s["passed_by"] == p)) for p in range(n)],
        "received": [_received(s, p) for p in range(n)],
        "pile": _names(s["where"] == state.PILE),
        "left": [_names(left_in_pile(s, p)) for p in range(n)],
        "table": [[p, state.KIND_NAMES[s["table"][p]]] for p in played if s["table"][p] != tricks.NO_CARD],
        "played": [_names(s["where"] == tricks.PLAYED + p) for p in range(n)],
        "lacks": [_lacks(s, p) for p in range(n)],
        **state.RECORD.tell(s, "black_taken good_spies_taken points totals"),
        "last_deal": None if settled is None else [points_of_deal(settled, p) for p in range(n)],
        "winners": np.flatnonzero(s["winners"]).tolist(),
    }


def _names(cards: Any) -> list[str]:
    """The cards marked in a boolean array, shape (60,), sorted by action."""
    return sorted((state.CARD_NAMES[card] for card in cards.nonzero()[0].tolist()), key=_ORDER.__getitem__)


def _direction(s: State) -> str | None:
    """B3: the direction in which cards are passed in this deal, or None."""
    places = pass_places(s)
    return {0: None, 1: "left", int(s["num_players"]) - 1: "right"}.get(places, "across")


def _received(s: State, p: int) -> list[str]:
    """B3: the cards passed to p in this deal."""
    at_p = (s["where"] == p) | (s["where"] == tricks.PLAYED + p)
    return _names(at_p & (s["passed_by"] != NOBODY) & (s["passed_by"] != p))


def left_in_pile(s: State, p: int) -> Any:
    """V3: by card, whether p has left it in the pile, and remembers that, until cards are passed."""
    asked = place_of_seat(s, int(s["player"])) if s["phase"] == state.TAKE else int(s["num_players"])
    if not has_pile(s) or place_of_seat(s, p) >= asked:
        return np.zeros(state.CARDS, np.bool_)
    return (s["where"] == state.PILE) | (s["taken_at"] > 1 + place_of_seat(s, p))


def _lacks(s: State, p: int) -> list[str | int]:
    colours = [state.COLOUR_NAMES[colour] for colour in s["colour_voids"][p].nonzero()[0].tolist()]
    return [*colours, *(rank + 1 for rank in s["rank_voids"][p].nonzero()[0].tolist())]


def view(table: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """A snapshot as ``seat`` (None: a spectator) may know it: numbers of cards where others know more."""
    own = ("hands", "chosen", "passed", "received", "left")
    seen = {name: [cards if p == seat else len(cards) for p, cards in enumerate(table[name])] for name in own}
    choosing = table["phase"] == "take" and table["player"] == seat
    return {**table, **seen, "pile": table["pile"] if choosing else len(table["pile"])}


_ASKED = {
    state.TAKE: "a card of the mole's pile (V3)",
    state.CALLING: "a colour to call: blue, yellow, green or red (V4)",
    state.PASS: "a card to pass (B3)",
    state.PLAY: "a card to play (B5)",
    state.CHOOSE: "who gets the points of all black cards (V2)",
}


def why_illegal(s: State, action: int) -> str | Say:
    """Why ``action`` (0 .. 60, not in the mask) is illegal for the player to act."""
    phase = int(s["phase"])
    if action >= state.CALL or phase in (state.CALLING, state.CHOOSE):
        return f"the choice now is {_ASKED[phase]}"
    if phase == state.TAKE:
        return "it is not in the mole's pile (V3)"
    copies = [action, *range(state.KINDS, state.CARDS)] if action == state.BLACK_7 else [action]
    held = [card for card in copies if s["where"][card] == s["player"]]
    if not held:
        out = all(s["where"][card] == tricks.NOT_IN_DECK for card in copies)
        return "it is not in the deck" if out else "it is not in the hand"
    if phase == state.PASS:
        return "it has been chosen to be passed already (B3)"
    return _why_not_led(s) if tricks.is_leading(s) else _why_not_followed(s)


def _why_not_led(s: State) -> str | Say:
    if s["call_colour"]:
        return say("{colour} was called and must be led (V4)", colour=state.COLOUR_NAMES[s["called"]])
    return "the first trick of a deal is not led with a black card (B4)"


def _why_not_followed(s: State) -> Say:
    led = int(s["table"][s["leader"]])
    asked = f"{state.COLOUR_NAMES[led // state.RANKS]} cards and {led % state.RANKS + 1}s"
    rule = "B5"
    if s["rank_follow"]:
        before = int(s["table"][(int(s["player"]) - 1) % int(s["num_players"])])
        asked, rule = f"{asked} and {before % state.RANKS + 1}s", "B5, V5"
    told = "{card} was led; of the hand, only {asked} follow ({rule})"
    return say(told, card=state.KIND_NAMES[led], asked=asked, rule=rule)
