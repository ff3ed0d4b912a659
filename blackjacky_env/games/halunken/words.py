"""Halunken & Spelunken in words: actions, snapshots of positions, views of a player, why an action is illegal."""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_env.declare import HIDDEN, NOBODY, ActionInfo, Actions, State
from blackjacky_env.draw.scene import Say, say
from blackjacky_env.games.halunken import state
from blackjacky_env.games.halunken.rules import highest_offer, jack_moves, present_score, source_of_cards

ACTIONS = Actions(
    [
        *(ActionInfo("field", number=field) for field in range(state.FIELDS)),
        *(ActionInfo("rogue", card=name) for name in state.CARD_NAMES),
        ActionInfo("pass"),
        *(
            ActionInfo("move", number=state.movement_card(move), secret=("number",))
            for move in range(1, state.MOVES + 1)
        ),  # H4
        *(ActionInfo("name", number=number) for number in range(1, state.MOVES)),
        ActionInfo("take", pile="harbour"),
        ActionInfo("rob_buyer"),
    ],
    {
        "field": "field {number}",
        "rogue": "{card}",
        "pass": "pass",
        "move": "move {number}",
        "name": "name {number}",
        "take": "take from the {pile}",
        "rob_buyer": "rob the buyer",
    },
)
"""Which decision is asked says what a card means."""
BLACK_JACK = "black_jack"
"""Black Jack as the ``mover`` of a snapshot."""


def snapshot(s: State, settled: State | None) -> dict[str, Any]:
    """Everything on the table as plain Python values; ``settled``: the record when a game was last finished."""
    n = int(s["num_players"])
    return {
        **state.RECORD.tell(s, "phase=decision player game round start_player opener buyer"),
        "offers": [None if card == state.NO_CARD else state.CARD_NAMES[card] for card in s["offers"][:n]],
        **state.RECORD.tell(s, "bidder captains black_jack"),
        "taverns": [_tavern(s, field) for field in range(state.FIELDS)],
        "crews": [_cards_at(s, p) for p in range(n)],
        "harbour": _cards_at(s, state.HARBOUR),
        **_movement_cards(s, n),
        "mover": BLACK_JACK if s["mover"] == state.JACK else state.RECORD.tell(s, "mover")["mover"],
        **state.RECORD.tell(s, "victim"),
        "to_rob": [int(p) for p in s["to_rob"] if p != NOBODY],
        "happened": [
            _happened(row) for row in s["happened"][: int(s["happenings"])].tolist() if row[0] in state.HAPPENED
        ],
        "scores": [present_score(s, p) for p in range(n)],
        **state.RECORD.tell(s, "totals"),
        "last_game": None if settled is None else [present_score(settled, p) for p in range(n)],
        "winners": np.flatnonzero(s["winners"]).tolist(),
    }


def _cards_at(s: State, place: int) -> list[str]:
    return [state.CARD_NAMES[card] for card in np.flatnonzero(s["where"] == place)]


def _tavern(s: State, field: int) -> dict[str, Any]:
    """The card turned up (H2: none while captains are placed), and those below, the next one first."""
    cards = [
        state.CARD_NAMES[s["deck"][state.FIELDS * level + field]]
        for level in range(state.LEVELS - int(s["heights"][field]), state.LEVELS)
    ]
    turned_up = int(s["decision"] != state.PLACE_CAPTAIN and len(cards) > 0)
    return {"top": cards[0] if turned_up else None, "hidden": cards[turned_up:]}


def _movement_cards(s: State, n: int) -> dict[str, Any]:
    of_jack = state.movement_card if s["variant"] == state.DUEL else int
    spent, jack_spent = s["spent"].tolist(), s["jack_spent"].tolist()
    return {
        "spent": [[state.movement_card(i + 1) for i, gone in enumerate(spent[p]) if gone] for p in range(n)],
        "black_jack_spent": [of_jack(i + 1) for i, gone in enumerate(jack_spent) if gone],
        "black_jack_deck": [
            of_jack(move) for move in s["jack_deck"][: jack_moves(s)].tolist() if not jack_spent[move - 1]
        ],
        "choices": [_card_or_none(move) for move in s["choices"][:n].tolist()],
        "black_jack_choice": _card_or_none(int(s["jack_choice"])),
        "laid": [_card_or_none(move) for move in s["laid"][:n].tolist()],
        "black_jack_laid": of_jack(int(s["jack_laid"])) or None,
        "numbers": [state.movement_card(number) for number in s["numbers"][:n].tolist()],
        "black_jack_number": state.movement_card(int(s["numbers"][state.JACK])),
    }


def _happened(row: list[int]) -> dict[str, Any]:
    """What has happened since the last action: ``what``, and what is told of it."""
    what, figure, number, field, card = row
    kind, told = state.HAPPENED[what]
    facts = {
        "figure": BLACK_JACK if figure == state.JACK else figure,
        "number": state.movement_card(number) if what == state.REVEALS else number,
        "field": field,
        "card": None if card == state.NO_CARD else state.CARD_NAMES[card],
    }
    return {"what": kind, **{name: facts[name] for name in told.split()}}


def _card_or_none(move: int) -> int | str | None:
    return state.movement_card(move) if move else None


def view(table: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """A snapshot as ``seat`` (None: a spectator) may know it: counts of face-down cards, others' choices hidden."""
    secret = table["black_jack_choice"] is not None and seat != table["buyer"]
    return {
        **table,
        "taverns": [{**tavern, "hidden": len(tavern["hidden"])} for tavern in table["taverns"]],
        "black_jack_deck": len(table["black_jack_deck"]),
        "choices": [HIDDEN if move is not None and p != seat else move for p, move in enumerate(table["choices"])],
        "black_jack_choice": HIDDEN if secret else table["black_jack_choice"],
    }


_ASKED = {
    "place_captain": "a field for the captain (H2)",
    "place_black_jack": "a field for Black Jack (J1)",
    "bid": "a card of the player's own to offer, or a pass (J2)",
    "choose_for_black_jack": "a movement card for Black Jack (D3)",
    "choose": "a movement card (H4)",
    "name": "a number for Rum (H5)",
    "take": "a card from the harbour (J3)",
    "take_or_rob": "whether to take from the harbour or to rob the buyer (D5)",
    "rob": "a card of the player who is robbed (H7, J4)",
    "give": "a card of the player's own to give to the harbour (J5, D6)",
}
"""By decision."""
_NOT_BEFORE = "it is not before player_{seat}"


def why_illegal(s: State, action: int) -> str | Say:
    """Why ``action`` (0 .. 73, not in the mask) is illegal for the player to act."""
    decision = state.DECISIONS[s["decision"]]
    match decision, ACTIONS[action].kind:
        case (("place_captain" | "place_black_jack"), "field"):
            return "a figure stands on it (H1)"
        case "bid", "rogue":
            if s["where"][action - state.CARD] != s["player"]:
                return "it is not the player's own (J2)"
            value = state.VALUES[action - state.CARD]
            told = "its value is {value}, and an offer must be higher than the last one, {last} (J2)"
            return say(told, value=int(value), last=int(highest_offer(s)))
        case "choose", "move":
            return "it has been used in this game (H3)"
        case "choose_for_black_jack", "move":
            return "Black Jack's card has been used in this game (D1)"
        case "name", "name":
            return "the number was laid in this round (H5, D3)"
        case (("take" | "rob" | "give"), "rogue"):
            place = source_of_cards(s)
            return "it is not in the harbour" if place == state.HARBOUR else say(_NOT_BEFORE, seat=int(place))
    return f"the choice now is {_ASKED[decision]}"
