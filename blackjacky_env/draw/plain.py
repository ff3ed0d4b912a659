"""The scene of a game that has none of its own, made from the declared fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blackjacky_env.draw.scene import (
    Card,
    Face,
    Fact,
    Figure,
    Name,
    Row,
    Say,
    Scene,
    Seat,
    View,
    Viewer,
    say,
    win,
    winner,
)
from blackjacky_env.draw.shapes import FURS

if TYPE_CHECKING:
    from blackjacky_env.declare.game import Game

_TOLD = ("phase", "player", "winners")


def plain_scene(game: Game, view: View, viewer: Viewer) -> Scene:
    """What ``view`` says, key by key: by seat or in the middle, as cards, numbers or words."""
    return _Plain(game, view, viewer).scene()


class _Plain:
    def __init__(self, game: Game, view: View, viewer: Viewer) -> None:
        self.game, self.view, self.viewer = game, view, viewer
        words, fields = game.words, game.fields.shown
        told = {key: value for key, value in view.items() if key not in (*_TOLD, words.round_key, words.settlement_key)}
        declared = {str(field.part): field for field in fields.values()}
        self.seats = next(
            (len(told[key]) for key, each in declared.items() if each.axes and key in told), game.min_players
        )
        self.cards = words.cards
        self.private = {key for key, field in declared.items() if field.own and field.low >= 0}
        kinds = {key: declared[key].kind if key in declared else "" for key in told}
        self.roles = [key for key, kind in kinds.items() if kind == "seat" and not isinstance(told[key], list)]
        rest = {key: value for key, value in told.items() if key not in self.roles}
        self.by_seat = {
            key: value
            for key, value in rest.items()
            if isinstance(value, list) and (declared[key].axes if key in declared else len(value) == self.seats)
        }
        self.middle = {key: value for key, value in rest.items() if key not in self.by_seat}

    def scene(self) -> Scene:
        view, key = self.view, self.game.words.round_key
        is_over = view["player"] is None or view["phase"] == "over"
        when = [] if key not in view else [say("{unit} {number}", unit=Say(_label(key)), number=view[key] + 1)]
        numbers = {name: value for name, value in self.middle.items() if self._row(name, value) is None}
        told = [say("{label} {value}", label=Say(_label(name)), value=_text(value)) for name, value in numbers.items()]
        rows = (self._row(name, value) for name, value in self.middle.items())
        return Scene(
            title=self.game.title,
            when=[*when, Say(_label(view["phase"]))],
            viewer=self.viewer,
            seats=[self._seat(seat, is_over) for seat in range(self.seats)],
            sentences=[win(view) if is_over else say("{player} is to act.", player=Name(view["player"])), *told],
            centre=[row for row in rows if row is not None and row.cards],
        )

    def _seat(self, seat: int, is_over: bool) -> Seat:
        values = {key: each[seat] for key, each in self.by_seat.items()}
        rows = {key: self._row(key, value, "hand" if seat == self.viewer else "cards") for key, value in values.items()}
        return Seat(
            Figure("cat", FURS[seat % len(FURS)], over=("stripes",) if seat % 2 else ()),
            tags=winner(self.view, seat),
            notes=[Say(_label(key)) for key in self.roles if self.view[key] == seat],
            facts=[Fact(Say(_label(key)), _text(value)) for key, value in values.items() if rows[key] is None],
            rows=[row for row in rows.values() if row is not None],
            acts=not is_over and seat == self.view["player"],
        )

    def _row(self, key: str, value: Any, look: Any = "cards") -> Row | None:
        """A value as cards: those named, those marked among all, or one that the viewer may not know."""
        names = self.game.card_names
        if key in self.cards:
            held = value if isinstance(value, list) else [value]
            is_back = look == "cards" and key in self.private
            shown = [Card() if card is None else _card(card) for card in held if is_back or card is not None]
            return Row(Say(_label(key)), shown, look)
        if isinstance(value, list) and len(value) == len(names) > 1 and {*value} <= {0, 1}:
            marked = [_card(name) for name, mark in zip(names, value, strict=True) if mark]
            return Row(Say(_label(key)), marked, look)
        return None


def _card(name: int | str) -> Card:
    return Card(name, Face(str(name)))


def _label(key: str) -> str:
    return key.replace("_", " ")


def _text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(_text, value))
    return "?" if value is None else str(value)
