"""Black Jacky in words: actions, snapshots of positions, views of a player, why an action is illegal."""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_env.engine.actions import ActionInfo, Actions
from blackjacky_env.engine.game import State
from blackjacky_env.games.black_jacky.rules import PAIRS
from blackjacky_env.games.black_jacky.state import (
    DRAW,
    EXCHANGE,
    GIVE,
    KNOCK,
    LAY_3,
    LAY_6,
    NAME,
    NO_CARD,
    NO_TRICK,
    NOBODY,
    NUM_ACTIONS,
    OUT,
    OVER,
    RECORD,
    SALOON,
    SWAP_DISCARD,
    SWAP_DRAW,
    TIP,
    TRICK,
    WANTED,
    ZOCK,
)

STATUSES = {SALOON: "saloon", WANTED: "wanted", OUT: "out"}
_PHASES_OF = {"tip": TIP, "give": EXCHANGE, "draw": ZOCK, "swap": ZOCK, "knock": ZOCK}  # by kind of action; else TRICK


# ---------------------------------------------------------------- actions


def _info(action: int) -> ActionInfo:
    if action == NO_TRICK:
        return ActionInfo("no_trick")
    if action < LAY_3:
        return ActionInfo("lay_without_effect" if action in (3, 6) else "lay", card=action)
    if action < LAY_6:
        first, second = PAIRS[action - LAY_3].tolist()
        return ActionInfo("lay_exchange", card=3, seats=(first, second))
    if action < DRAW:
        return ActionInfo("lay_plus_one", card=6, seats=(action - LAY_6,))
    if action == DRAW:
        return ActionInfo("draw", pile="draw")
    if action <= SWAP_DISCARD:
        return ActionInfo("swap", card=action - SWAP_DRAW, pile="draw")
    if action < KNOCK:
        return ActionInfo("swap", card=action - SWAP_DISCARD, pile="discard")
    if action == KNOCK:
        return ActionInfo("knock")
    if action <= NAME:
        return ActionInfo("give", card=action - GIVE, secret=("card",))  # T3
    return ActionInfo("tip", seats=(action - NAME,))


ACTIONS = Actions(
    map(_info, range(NUM_ACTIONS)),
    {
        "no_trick": "no trick",
        "lay": "lay {card}",
        "lay_without_effect": "lay {card} without effect",
        "lay_exchange": "lay {card}: {seat1} and {seat2} exchange",
        "lay_plus_one": "lay {card}: +1 to {seat1}",
        "draw": "draw",
        "swap": "swap {card} with the {pile} pile",
        "knock": "knock",
        "give": "give {card}",
        "tip": "tip {seat1}",
    },
)


# ---------------------------------------------------------------- positions


def snapshot(s: State, settled: State | None) -> dict[str, Any]:
    """Everything on the table as plain Python values; ``settled``: the record at the last settlement."""
    table = _plain(s)
    n = table["num_players"]
    return {
        **RECORD.tell(s, "phase player round turn=turn start_player hearts"),
        "black_hearts": [bool(black) for black in table["black_hearts"][:n]],
        "status": [STATUSES[status] for status in table["status"][:n]],
        "hands": _cards_by_seat(table["hands"][:n]),
        "displays": _cards_by_seat(table["displays"][:n]),
        "draw_pile": table["draw_pile"][: table["draw_count"]][::-1],
        "discard_top": _card(table["discard_top"]),
        "discards": _cards(table["discards"]),
        **RECORD.tell(s, "plus_one"),
        "knocked": [bool(knocked) for knocked in table["knocked"][:n]],
        **RECORD.tell(s, "first_knocker"),
        "last_turns": _last_turns(table),
        "ends_after_turn": bool(table["ends_after_turn"]),
        "exchange": _exchange(table),
        **RECORD.tell(s, "tips"),
        "last_settlement": None if settled is None else _settlement(_plain(settled)),
        "winners": _marked(table["winners"]),
    }


def _plain(s: State) -> dict[str, Any]:
    """The fields of a record as Python numbers and nested lists, which are faster to read than NumPy's."""
    fields = zip(s.dtype.names, s.item(), strict=True)
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields}


def _card(v: int) -> int | None:
    return None if v == NO_CARD else v


def _cards(counts: list[int]) -> list[int]:
    return [v for v, count in enumerate(counts) for _ in range(count)]


def _cards_by_seat(counts: list[list[int]]) -> list[list[int]]:
    return [_cards(row) for row in counts]


def _marked(by_seat: list[int]) -> list[int]:
    return [q for q, marked in enumerate(by_seat) if marked]


def _last_turns(table: dict[str, Any]) -> list[int] | None:
    """R12: the seats whose last turn is not finished, in order."""
    if table["first_knocker"] == NOBODY:
        return None
    if table["phase"] == OVER:
        return []
    n, begin = table["num_players"], table["turn_player"]
    seats = [(begin + i) % n for i in range((table["first_knocker"] - begin) % n)]
    return [q for q in seats if table["status"][q] == SALOON]


def _exchange(table: dict[str, Any]) -> dict[str, Any] | None:
    if table["phase"] != EXCHANGE:
        return None
    return {
        "trickster": table["trickster"],
        "pair": table["pair"],
        "given": [_card(given) for given in table["given"]],
    }


def _settlement(table: dict[str, Any]) -> dict[str, Any]:
    n = table["num_players"]
    in_saloon = [status == SALOON for status in table["status"][:n]]
    return {
        "sums": [table["sums"][q] if in_saloon[q] else None for q in range(n)],
        "losers": _marked(table["losers"]),
        "hands": _cards_by_seat(table["hands"][:n]),
        "displays": _cards_by_seat(table["displays"][:n]),
    }


def view(table: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """A snapshot as ``seat`` (None: a spectator) may know it, with card counts for other hands and the draw pile."""
    seen = dict(table)
    seen["draw_pile"] = len(table["draw_pile"])
    seen["hands"] = [hand if q == seat else len(hand) for q, hand in enumerate(table["hands"])]
    if table["exchange"] is not None:
        pair, given = table["exchange"]["pair"], table["exchange"]["given"]
        hidden = [v if v is None or q == seat else "hidden" for q, v in zip(pair, given, strict=True)]
        seen["exchange"] = {**table["exchange"], "given": hidden}
    return seen


# ---------------------------------------------------------------- why an action is illegal


def why_illegal(s: State, action: int) -> str:
    """Why ``action`` (0 .. 60, not in the mask) is illegal for the player to act."""
    phase, info = int(s["phase"]), ACTIONS[action]
    name = f"'{ACTIONS.name(action)}' (action {action})"
    phases = RECORD.fields["phase"].choices
    needed = _PHASES_OF.get(info.kind, TRICK)
    if phase != needed:
        return f"{name} is for phase {phases[needed]}; the phase is {phases[phase]}"
    reasons = {TIP: _why_no_tip, TRICK: _why_no_trick, EXCHANGE: _why_no_card, ZOCK: _why_no_zock}
    return f"{name} is illegal: {reasons[phase](s, info)}"


def _why_no_tip(s: State, info: ActionInfo) -> str:
    if info.seats[0] >= s["num_players"]:
        return f"there are only {s['num_players']} players"
    return "only players in the saloon may be named (P1)"


def _why_no_trick(s: State, info: ActionInfo) -> str:
    v = info.card
    if not s["hands"][s["player"], v]:
        return f"there is no {v} in the hand"
    if not s["tricks"][v]:
        return f"the power of the {v} is disabled by the option tricks"
    if info.kind == "lay_without_effect":
        return f"the power of the {v} has a possible target, which must be chosen (T{v})"
    if max(info.seats) >= s["num_players"]:
        return f"there are only {s['num_players']} players"
    if v == 3:
        return "both players must be active and hold a card (T3)"
    return '"+1" goes only to active players, and stays where it is before a player who has knocked (T6)'


def _why_no_card(s: State, info: ActionInfo) -> str:
    return f"there is no {info.card} in the hand"


def _why_no_zock(s: State, info: ActionInfo) -> str:
    if info.kind == "swap" and not s["hands"][s["player"], info.card]:
        return f"no hand card, no swap: there is no {info.card} in the hand (R11)"
    return "the draw pile is empty and there is nothing to shuffle (R14)"
