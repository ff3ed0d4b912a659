"""Words for a game that has none of its own, made from the fields of its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blackjacky_env.declare.actions import Actions
from blackjacky_env.declare.fields import Fields, State
from blackjacky_env.declare.game import Words

Snapshot = dict[str, Any]


def plain_words(
    fields: Fields,
    actions: Actions,
    *,
    names: Mapping[str, Sequence[str]] = {},
) -> Words:
    """Words made from the fields alone.

    Args:
        fields: of the game's record; what is shown is on the table, under its name there: None where there is nothing
            yet, and in place of what only others see. A choice ``phase`` tells the phases, if there are several.
        actions: the actions.
        names: by field that holds cards, dice or the like: words for its values, starting from 0, such as
            `Game.card_names`; a field that counts cards takes those by itself.

    Raises `ValueError` for names of a field that counts cards, and for more names than a field has values.
    """
    for name, words in names.items():
        if fields.fields[name].cards == "count":
            raise ValueError(f"names has {name!r}, whose entries count cards: these are called as `card_names` says")
        if len(words) > (most := fields.fields[name].high + 1):
            raise ValueError(f"names has {len(words)} words for {name!r}, whose values are 0 .. {most - 1}")
    untold = ("player", "phase", "winners", *fields.table)
    shown = [field for field in fields.shown.values() if field.name not in untold]
    private = [str(field.part) for field in shown if field.own]
    phases = fields.fields["phase"].choices if "phase" in fields.fields else ()

    def snapshot(s: State, settled: State | None) -> Snapshot:
        player = fields.tell(s, "player")["player"]
        return {
            "phase": "over" if player is None else phases[int(s["phase"])] if phases else "play",
            "player": player,
            "round": int(s["deals"]) - (player is not None),
            **{str(field.part): named(field.name, fields.tell(s, field.name)[field.name]) for field in shown},
            "last_settlement": None if settled is None else {},
            "winners": np.flatnonzero(s["winners"]).tolist(),
        }

    def named(field: str, value: Any) -> Any:
        if isinstance(value, list):
            return [named(field, each) for each in value]
        if field not in names or value is None:
            return value
        return names[field][value] if value >= 0 else None

    def view(table: Snapshot, seat: int | None) -> Snapshot:
        own = {part: [value if q == seat else None for q, value in enumerate(table[part])] for part in private}
        return {**table, **own}

    def why_illegal(s: State, action: int) -> str:
        return "it is not among the legal actions of the player to act"

    return Words(
        *(snapshot, view, actions, why_illegal),
        round_key="round",
        settlement_key="last_settlement",
        phases=(*(phases or ("play",)), "over"),
        phase_field="phase" if phases else "",
        cards=frozenset(str(fields.fields[name].part) for name in names),
        counts=frozenset(str(field.part) for field in shown if field.cards == "count"),
    )
