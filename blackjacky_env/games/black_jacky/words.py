"""Black Jacky in words: names of actions, snapshots of positions, what a player may see, why a move is illegal."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np

from blackjacky_env.engine.game import State
from blackjacky_env.games.black_jacky.rules import (
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
    PAIRS,
    SALOON,
    SWAP_DISCARD,
    SWAP_DRAW,
    TIP,
    TRICK,
    WANTED,
    ZOCK,
)

PHASES = {TIP: "tip", TRICK: "trick", EXCHANGE: "exchange", ZOCK: "zock", OVER: "over"}
STATUSES = {SALOON: "saloon", WANTED: "wanted", OUT: "out"}
_SEATS = ("me", "left+1", "left+2", "left+3", "left+4", "left+5")


# ---------------------------------------------------------------- actions


def action_name(action: int) -> str:
    """The English name of an action 0 .. 60; seats are relative to the player who acts."""
    return _NAMES[action]


def heard_name(action: int) -> str:
    """Its name for the other players: which card is given in an exchange is a secret (T3)."""
    return "give a card" if KNOCK < action <= NAME else _NAMES[action]


def parse_action(text: str) -> int:
    """The action called ``text`` (case and spacing do not matter); `ValueError` names the nearest names."""
    name = " ".join(text.lower().split())
    if name in _ACTIONS:
        return _ACTIONS[name]
    near = difflib.get_close_matches(name, _ACTIONS, n=3) or ["no trick", "draw", "knock"]
    raise ValueError(f"no action is called {text!r}; names like it are {', '.join(map(repr, near))}")


def _name(action: int) -> str:
    if action == NO_TRICK:
        return "no trick"
    if action in (3, 6):
        return f"lay {action} without effect"
    if action < LAY_3:
        return f"lay {action}"
    if action < LAY_6:
        first, second = PAIRS[action - LAY_3]
        return f"lay 3: {_SEATS[first]} and {_SEATS[second]} exchange"
    if action < DRAW:
        return f"lay 6: +1 to {_SEATS[action - LAY_6]}"
    if action == DRAW:
        return "draw"
    if action <= SWAP_DISCARD:
        return f"swap {action - SWAP_DRAW} with the draw pile"
    if action < KNOCK:
        return f"swap {action - SWAP_DISCARD} with the discard pile"
    if action == KNOCK:
        return "knock"
    if action <= NAME:
        return f"give {action - GIVE}"
    return f"tip {_SEATS[action - NAME]}"


_NAMES = tuple(_name(action) for action in range(NUM_ACTIONS))
_ACTIONS = {name: action for action, name in enumerate(_NAMES)}


# ---------------------------------------------------------------- positions


def snapshot(s: State, settled: State | None) -> dict[str, Any]:
    """Everything on the table as plain Python values; ``settled``: the record as the last settlement found it."""
    table = _plain(s)
    n = table["num_players"]
    return {
        "phase": PHASES[table["phase"]],
        "player": _seat(table["player"]),
        "round": table["round_number"],
        "turn": table["turn"],
        "start_player": table["start_player"],
        "hearts": table["hearts"][:n],
        "black_hearts": [bool(black) for black in table["black_hearts"][:n]],
        "status": [STATUSES[status] for status in table["status"][:n]],
        "hands": _cards_by_seat(table["hands"][:n]),
        "displays": _cards_by_seat(table["displays"][:n]),
        "draw_pile": table["draw_pile"][: table["draw_count"]][::-1],
        "discard_top": _card(table["discard_top"]),
        "discards": _cards(table["discards"]),
        "plus_one": _seat(table["plus_one"]),
        "knocked": [bool(knocked) for knocked in table["knocked"][:n]],
        "first_knocker": _seat(table["first_knocker"]),
        "last_turns": _last_turns(table),
        "ends_after_turn": bool(table["ends_after_turn"]),
        "exchange": _exchange(table),
        "tips": [_seat(tip) for tip in table["tips"][:n]],
        "last_settlement": None if settled is None else _settlement(_plain(settled)),
        "winners": _marked(table["winners"]),
    }


def _plain(s: State) -> dict[str, Any]:
    """The fields of a record as numbers and nested lists of Python, which are read faster than NumPy's."""
    fields = zip(s.dtype.names, s.item(), strict=True)
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields}


def _seat(q: int) -> int | None:
    return None if q == NOBODY else q


def _card(v: int) -> int | None:
    return None if v == NO_CARD else v


def _cards(counts: list[int]) -> list[int]:
    return [v for v, count in enumerate(counts) for _ in range(count)]


def _cards_by_seat(counts: list[list[int]]) -> list[list[int]]:
    return [_cards(row) for row in counts]


def _marked(by_seat: list[int]) -> list[int]:
    return [q for q, marked in enumerate(by_seat) if marked]


def _last_turns(table: dict[str, Any]) -> list[int] | None:
    """R12: whose last turn is not finished, in order."""
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
    """A snapshot as ``seat`` may know it (None: a spectator): others' hands and the draw pile are numbers of cards."""
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
    """Why ``action`` (0 .. 60, not in the mask) is illegal for the player to act, in the game's words."""
    phase = int(s["phase"])
    name = f"'{action_name(action)}' (action {action})"
    needed = _phase_of(action)
    if phase not in needed:
        return f"{name} is for phase {' or '.join(PHASES[p] for p in needed)}; the phase is {PHASES[phase]}"
    reasons = {TIP: _why_no_tip, TRICK: _why_no_trick, EXCHANGE: _why_no_card, ZOCK: _why_no_zock}
    return f"{name} is illegal: {reasons[phase](s, action)}"


def _phase_of(action: int) -> tuple[int, ...]:
    if action < DRAW:
        return (TRICK,)
    if action <= KNOCK:
        return (ZOCK,)
    return (EXCHANGE,) if action <= NAME else (TIP,)


def _why_no_tip(s: State, action: int) -> str:
    if action - NAME >= s["num_players"]:
        return f"there are only {s['num_players']} players"
    return "only players in the saloon may be named (P1)"


def _why_no_trick(s: State, action: int) -> str:
    v = 3 if LAY_3 <= action < LAY_6 else 6 if action >= LAY_6 else action
    if not s["hands"][s["player"], v]:
        return f"there is no {v} in the hand"
    if not s["tricks"][v]:
        return f"the trick of the {v} is disabled by the option tricks"
    if action in (3, 6):
        return f"the trick of the {v} has a possible target, which must be chosen (T{v})"
    seats = PAIRS[action - LAY_3] if v == 3 else [action - LAY_6]
    if max(seats) >= s["num_players"]:
        return f"there are only {s['num_players']} players"
    if v == 3:
        return "both players must be active and hold a card (T3)"
    return '"+1" goes only to active players, and stays where it is before a player who has knocked (T6)'


def _why_no_card(s: State, action: int) -> str:
    return f"there is no {action - GIVE} in the hand"


def _swapped(action: int) -> int:
    return action - (SWAP_DRAW if action <= SWAP_DISCARD else SWAP_DISCARD)


def _why_no_zock(s: State, action: int) -> str:
    if action != DRAW and not s["hands"][s["player"], _swapped(action)]:
        return f"no hand card, no swap: there is no {_swapped(action)} in the hand (R11)"
    return "the draw pile is empty and there is nothing to shuffle (R14)"
