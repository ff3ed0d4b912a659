"""Black Jacky in words: actions, snapshots of positions, views of a player, why an action is illegal."""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_env.declare import NOBODY, ActionInfo, Actions, State
from blackjacky_env.draw.scene import Say, say
from blackjacky_env.games.black_jacky import state
from blackjacky_env.games.black_jacky.rules import PAIRS

_VALUES = range(1, state.VALUES)
STATUSES = {state.SALOON: "saloon", state.WANTED: "wanted", state.OUT: "out"}
_PHASES_OF = {
    "tip": state.TIP,
    "give": state.EXCHANGE,
    "draw": state.ZOCK,
    "swap": state.ZOCK,
    "knock": state.ZOCK,
}  # by kind of action; else TRICK


ACTIONS = Actions(
    [
        ActionInfo("no_trick"),
        *(ActionInfo("lay_without_effect" if v in (3, 6) else "lay", card=v) for v in _VALUES),
        *(ActionInfo("lay_exchange", card=3, seats=(first, second)) for first, second in PAIRS.tolist()),
        *(ActionInfo("lay_plus_one", card=6, seats=(relative,)) for relative in range(state.SEATS)),
        ActionInfo("draw", pile="draw"),
        *(ActionInfo("swap", card=v, pile=pile) for pile in ("draw", "discard") for v in _VALUES),
        ActionInfo("knock"),
        *(ActionInfo("give", card=v, secret=("card",)) for v in _VALUES),  # T3
        *(ActionInfo("tip", seats=(relative,)) for relative in range(1, state.SEATS)),
    ],
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


def snapshot(s: State, settled: State | None) -> dict[str, Any]:
    """Everything on the table as plain Python values; ``settled``: the record at the last settlement."""
    table = _plain(s)
    n, exchanging = table["num_players"], table["phase"] == state.EXCHANGE
    table["given"] = [given or None for given in table["given"]]
    return {
        **state.RECORD.tell(s, "phase player round turn=turn start_player hearts"),
        "black_hearts": [bool(black) for black in table["black_hearts"][:n]],
        "status": [STATUSES[status] for status in table["status"][:n]],
        "hands": [*map(_cards, table["hands"][:n])],
        "displays": [*map(_cards, table["displays"][:n])],
        "known": [[_known(table, q, o) for q in range(n)] for o in range(n)],
        "public": [_known(table, q, state.SPECTATOR) for q in range(n)],
        "draw_pile": table["draw_pile"][: table["draw_count"]][::-1],
        "discard_top": table["discard_top"] or None,
        "discards": _cards(table["discards"]),
        **state.RECORD.tell(s, "plus_one"),
        "knocked": [bool(knocked) for knocked in table["knocked"][:n]],
        **state.RECORD.tell(s, "first_knocker"),
        "last_turns": _last_turns(table),
        "ends_after_turn": bool(table["ends_after_turn"]),
        "exchange": {name: table[name] for name in ("trickster", "pair", "given")} if exchanging else None,
        **state.RECORD.tell(s, "tips"),
        "last_settlement": None if settled is None else _settlement(_plain(settled)),
        "winners": _marked(table["winners"]),
    }


def _plain(s: State) -> dict[str, Any]:
    """The fields of a record as Python numbers and nested lists, which are faster to read than NumPy's."""
    fields = zip(s.dtype.names, s.item(), strict=True)
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields}


def _cards(counts: list[int]) -> list[int]:
    return [v for v, count in enumerate(counts) for _ in range(count)]


def _known(table: dict[str, Any], holder: int, observer: int) -> list[int]:
    """The cards that an observer is sure are in a hand; none of its own, which it sees."""
    return [] if holder == observer else _cards(table["known"][holder][observer])


def _marked(by_seat: list[int]) -> list[int]:
    return [q for q, marked in enumerate(by_seat) if marked]


def _last_turns(table: dict[str, Any]) -> list[int] | None:
    """R12: the seats whose last turn is not finished, in order."""
    if table["first_knocker"] == NOBODY:
        return None
    if table["phase"] == state.OVER:
        return []
    n, begin = table["num_players"], table["turn_player"]
    seats = [(begin + i) % n for i in range((table["first_knocker"] - begin) % n)]
    return [q for q in seats if table["status"][q] == state.SALOON]


def _settlement(table: dict[str, Any]) -> dict[str, Any]:
    n = table["num_players"]
    in_saloon = [status == state.SALOON for status in table["status"][:n]]
    return {
        "sums": [table["sums"][q] if in_saloon[q] else None for q in range(n)],
        "losers": _marked(table["losers"]),
        "hands": [*map(_cards, table["hands"][:n])],
        "displays": [*map(_cards, table["displays"][:n])],
    }


def view(table: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """A snapshot as ``seat`` (None: a spectator) may know it, with card counts for other hands and the draw pile."""
    seen = dict(table)
    seen["draw_pile"] = len(table["draw_pile"])
    seen["hands"] = [hand if q == seat else len(hand) for q, hand in enumerate(table["hands"])]
    seen["known"] = table["public"] if seat is None else table["known"][seat]
    if table["exchange"] is not None:
        pair, given = table["exchange"]["pair"], table["exchange"]["given"]
        hidden = [v if v is None or q == seat else "hidden" for q, v in zip(pair, given, strict=True)]
        seen["exchange"] = {**table["exchange"], "given": hidden}
    return seen


def why_illegal(s: State, action: int) -> str | Say:
    """Why ``action`` (0 .. 60, not in the mask) is illegal for the player to act."""
    phase, info, phases = int(s["phase"]), ACTIONS[action], state.RECORD.fields["phase"].choices
    v: Any = info.card
    players, needed = int(s["num_players"]), _PHASES_OF.get(info.kind, state.TRICK)
    if phase != needed:
        return say("it is for phase {needed}; the phase is {phase}", needed=phases[needed], phase=phases[phase])
    if phase == state.ZOCK:
        if info.kind == "swap" and not s["hands"][s["player"], v]:
            return say("no hand card, no swap: there is no {card} in the hand (R11)", card=v)
        return "the draw pile is empty and there is nothing to shuffle (R14)"
    if v is not None and not s["hands"][s["player"], v]:
        return say("there is no {card} in the hand", card=v)
    if phase == state.TRICK and not s["tricks"][v]:
        return say("the trick of the {card} is disabled by the option tricks", card=v)
    if info.kind == "lay_without_effect":
        told = "the trick of the {card} has a possible target, which must be chosen ({rule})"
        return say(told, card=v, rule=f"T{v}")
    if max(info.seats) >= players:
        return say("there are only {count} players", count=players)
    if phase == state.TIP:
        return "only players in the saloon may be named (P1)"
    if v == 3:
        return "both players must be active and hold a card (T3)"
    return '"+1" goes only to active players, and stays where it is before a player who has knocked (T6)'
