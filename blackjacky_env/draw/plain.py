"""The scene of a game that has none of its own, made from the declared fields."""

from __future__ import annotations

import math
from typing import Any

from blackjacky_env.draw.scene import EVERYTHING, Card, Face, Fact, Name, Row, Say, Scene, Seat, say
from blackjacky_env.draw.views import View, Viewer, cat, win, winner

Declared = Any
"""A `Game`, whose module imports this one."""


def plain_scene(game: Declared, view: View, viewer: Viewer, num_players: int) -> Scene:
    """What ``view`` says, key by key: by seat or in the middle, as cards, numbers or words."""
    return _Plain(game, view, viewer, num_players).scene()


class _Plain:
    def __init__(self, game: Declared, view: View, viewer: Viewer, num_players: int) -> None:
        self.game, self.view, self.viewer, self.seats = game, view, viewer, num_players
        self.fields = {str(field.part): field for field in game.fields.shown.values()}
        words = game.words
        untold = ("phase", "player", "winners", words.round_key, words.settlement_key)
        told = {key: value for key, value in view.items() if key not in untold}
        by_seat = {key: field.axes > 0 for key, field in self.fields.items()}
        lists = {key: len(value) for key, value in told.items() if isinstance(value, list)}
        self.of_seats = [key for key, size in lists.items() if by_seat.get(key, size == self.seats)]
        rest = [key for key in told if key not in self.of_seats]
        self.roles = [key for key in rest if key in self.fields and self.fields[key].kind == "seat"]
        self.middle = [self._in_middle(key) for key in rest if key not in self.roles]

    def scene(self) -> Scene:
        view, key = self.view, self.game.words.round_key
        is_over = view["player"] is None or view["phase"] == "over"
        has_rounds = key in view and self.game.fields.fields["deals"].high > 1
        when = [say("{unit} {number}", unit=_label(key), number=view[key] + (not is_over))] * has_rounds
        end = {0: Say("Nobody wins."), self.seats: Say("It is a tie.")}.get(len(view["winners"])) or win(view)
        return Scene(
            title=self.game.title,
            when=[*when, _label(view["phase"]), *(each for each in self.middle if isinstance(each, Say))],
            viewer=self.viewer,
            seats=[self._seat(seat, is_over) for seat in range(self.seats)],
            sentences=[end if is_over else say("{player} is to act.", player=Name(view["player"]))],
            centre=[each for each in self.middle if isinstance(each, Row) and each.cards],
        )

    def _seat(self, seat: int, is_over: bool) -> Seat:
        told = [self._told(key, self.view[key][seat], seat) for key in self.of_seats]
        roles = [key for key in self.roles if seat in _flat(self.view[key])]
        return Seat(
            cat(seat),
            tags=winner(self.view, seat),
            notes=[*map(_label, roles), *(each for each in told if isinstance(each, Say))],
            facts=[each for each in told if isinstance(each, Fact)],
            rows=[each for each in told if isinstance(each, Row)],
            acts=not is_over and seat == self.view["player"],
        )

    def _told(self, key: str, value: Any, seat: int | None) -> Row | Fact | Say | None:
        """A value of a seat or of none: as cards, named or marked among all, as a number, or a flag by its name."""
        field, names = self.fields.get(key), self.game.card_names
        look: Any = "hand" if seat is not None and seat == self.viewer else "cards"
        held, is_cards = _flat(value), key in self.game.words.cards
        if field is not None and field.own and value is None and self.viewer not in (seat, EVERYTHING):
            is_full = is_cards and field.cards != "count"
            if field.low < 0 or (field.high < 2 and not is_full):
                return None  # perhaps there is nothing
            return Row(_label(key), [Card()] * math.prod(field.seen)) if is_full else Fact(_label(key), "?")
        if is_cards:
            return Row(_label(key), [_card(card) for card in held if card is not None], look)
        if isinstance(value, list) and len(value) == len(names) > 1 and {*held} <= {0, 1}:
            return Row(_label(key), [_card(name) for name, mark in zip(names, held, strict=True) if mark], look)
        if field is not None and (field.low, field.high, field.seen) == (0, 1, ()):
            return _label(key) if value else None
        told = ["-" if each is None else str(each) for each in held]
        return None if {*held} == {None} else Fact(_label(key), " ".join(told))

    def _in_middle(self, key: str) -> Row | Say | None:
        """A value of no seat: as cards, numbers on plates, or words."""
        told, held = self._told(key, self.view[key], None), _flat(self.view[key])
        if not isinstance(told, Fact):
            return told
        if any(isinstance(each, str) for each in held):
            return say("{label} {value}", label=told.label, value=told.value)
        return Row(told.label, [_card(number) for number in str(told.value).split()], "chips")


def _flat(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in _flat(each)] if isinstance(value, list) else [value]


def _card(name: int | str) -> Card:
    return Card(name, Face(str(name)))


def _label(key: str) -> Say:
    return Say(key.replace("_", " "))
