"""The scene of a game that has none of its own, made from the declared fields."""

from __future__ import annotations

from typing import Any

from blackjacky_env.draw.scene import Card, Face, Fact, Name, Row, Say, Scene, Seat, say
from blackjacky_env.draw.views import View, Viewer, cat, win, winner

Declared = Any
"""A `Game`, whose module imports this one."""


def plain_scene(game: Declared, view: View, viewer: Viewer) -> Scene:
    """What ``view`` says, key by key: by seat or in the middle, as cards, numbers or words."""
    return _Plain(game, view, viewer).scene()


class _Plain:
    def __init__(self, game: Declared, view: View, viewer: Viewer) -> None:
        self.game, self.view, self.viewer = game, view, viewer
        self.fields = {str(field.part): field for field in game.fields.shown.values()}
        words = game.words
        untold = ("phase", "player", "winners", words.round_key, words.settlement_key)
        told = {key: value for key, value in view.items() if key not in untold}
        by_seat = (len(told[key]) for key, field in self.fields.items() if field.axes and key in told)
        self.seats = next(by_seat, game.min_players)
        self.of_seats = [key for key, value in told.items() if isinstance(value, list) and self._is_by_seat(key)]
        rest = [key for key in told if key not in self.of_seats]
        self.roles = [key for key in rest if key in self.fields and self.fields[key].kind == "seat"]
        self.middle = {key: self._row(key, told[key]) for key in rest if key not in self.roles}

    def _is_by_seat(self, key: str) -> bool:
        return bool(self.fields[key].axes) if key in self.fields else len(self.view[key]) == self.seats

    def scene(self) -> Scene:
        view, key = self.view, self.game.words.round_key
        is_over = view["player"] is None or view["phase"] == "over"
        when = [say("{unit} {number}", unit=_label(key), number=view[key] + 1)] if key in view else []
        told = [
            say("{label} {value}", label=_label(key), value=_text(view[key]))
            for key, row in self.middle.items()
            if row is None
        ]
        return Scene(
            title=self.game.title,
            when=[*when, _label(view["phase"])],
            viewer=self.viewer,
            seats=[self._seat(seat, is_over) for seat in range(self.seats)],
            sentences=[win(view) if is_over else say("{player} is to act.", player=Name(view["player"])), *told],
            centre=[row for row in self.middle.values() if row is not None and row.cards],
        )

    def _seat(self, seat: int, is_over: bool) -> Seat:
        look = "hand" if seat == self.viewer else "cards"
        values = {key: self.view[key][seat] for key in self.of_seats}
        rows = {key: self._row(key, value, look) for key, value in values.items()}
        return Seat(
            cat(seat),
            tags=winner(self.view, seat),
            notes=[_label(key) for key in self.roles if self.view[key] == seat],
            facts=[Fact(_label(key), _text(value)) for key, value in values.items() if rows[key] is None],
            rows=[row for row in rows.values() if row is not None],
            acts=not is_over and seat == self.view["player"],
        )

    def _row(self, key: str, value: Any, look: Any = "cards") -> Row | None:
        """A value as cards: those named, those marked among all, or one that the viewer may not know."""
        names = self.game.card_names
        if key in self.game.words.cards:
            field, held = self.fields.get(key), value if isinstance(value, list) else [value]
            is_back = look == "cards" and field is not None and field.own and field.low >= 0
            return Row(_label(key), [_card(card) for card in held if is_back or card is not None], look)
        if isinstance(value, list) and len(value) == len(names) > 1 and {*value} <= {0, 1}:
            return Row(_label(key), [_card(name) for name, mark in zip(names, value, strict=True) if mark], look)
        return None


def _card(name: int | str | None) -> Card:
    return Card() if name is None else Card(name, Face(str(name)))


def _label(key: str) -> Say:
    return Say(key.replace("_", " "))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return "?" if value is None else str(value)
