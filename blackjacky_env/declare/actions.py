"""Actions as data: what each action of a game is, and the names that are made from it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

HIDDEN = "hidden"
"""Placeholder for a secret value in the data shown to other players."""
HIDDEN_WORDS = {"card": "a card", "pile": "a pile", "number": "a number"}
"""Placeholders for secret values in English names, by field."""


@dataclass(frozen=True)
class ActionInfo:
    """One action as data; fields that do not apply are None, ``seats`` empty."""

    kind: str
    """Kind of action, such as ``"play"``; actions of one kind differ in the fields below."""
    card: int | str | None = None
    """The player's own card, as written in snapshots."""
    pile: str | None = None
    """The pile that is drawn from or swapped with."""
    seats: tuple[int, ...] = ()
    """The chosen seats, relative to the acting player: 0 is that player, 1 the left neighbour."""
    number: int | str | None = None
    """What is announced: a number such as a bid, or a word such as a colour."""
    secret: tuple[str, ...] = ()
    """Names of the fields that only the acting player knows: ``"card"``, ``"pile"``, ``"number"``."""
    secret_phases: tuple[str, ...] = ()
    """The phases of the game in which these fields are secret; empty: in all."""

    def heard(self, phase: str) -> ActionInfo:
        """The action, taken in ``phase``, as all other players know it: secret fields are ``"hidden"``."""
        if self.secret_phases and phase not in self.secret_phases:
            return self
        secrets: dict[str, Any] = dict.fromkeys(self.secret, HIDDEN)
        return replace(self, **secrets)

    def describe(self) -> dict[str, Any]:
        """The fields as JSON-ready data: kind, card, pile, seats (a list), number; None where one does not apply."""
        facts = {name: getattr(self, name) for name in ("kind", "card", "pile", "seats", "number")}
        return {**facts, "seats": list(self.seats) or None}


def relative_seat(seat: int) -> str:
    """The name of a seat relative to the acting player: ``me``, ``left+1``, ..."""
    return f"left+{seat}" if seat else "me"


def names_from(actor: int, names: Sequence[str]) -> Callable[[int], str]:
    """A function from a seat relative to ``actor`` to that player's name."""
    return lambda seat: names[(actor + seat) % len(names)]


class Actions:
    """All actions of a game by number, and their names.

    Args:
        infos: each action as data, action 0 first.
        names: English name template of each kind of action, with placeholders ``{card}``, ``{pile}``, ``{number}``,
            ``{seat1}``, ``{seat2}``, ...

    Raises `KeyError` for a missing kind or field, and `ValueError` if two actions have the same name.
    """

    def __init__(self, infos: Iterable[ActionInfo], names: Mapping[str, str]) -> None:
        self.infos = tuple(infos)
        self.names = dict(names)
        self._names = tuple(map(self.tell, self.infos))
        self._numbers = {_normal(name): action for action, name in enumerate(self._names)}
        if len(self._numbers) < len(self.infos):
            twice = next(name for a, name in enumerate(self._names) if self._numbers[_normal(name)] != a)
            raise ValueError(f"two actions are called {twice!r}; each needs a name of its own")

    def __len__(self) -> int:
        return len(self.infos)

    def __getitem__(self, action: int) -> ActionInfo:
        return self.infos[action]

    def known(self, action: int, phase: str, is_own: bool) -> ActionInfo:
        """An action taken in ``phase``, as the acting player knows it (``is_own``) or as all others do."""
        return self.infos[action] if is_own else self.infos[action].heard(phase)

    def name(self, action: int) -> str:
        """The English name of an action; seats are relative to the acting player."""
        return self._names[action]

    def parse(self, text: str) -> int:
        """The action called ``text``, ignoring case and spacing; the `ValueError` for unknown names suggests others."""
        name = _normal(text)
        if name in self._numbers:
            return self._numbers[name]
        near = [self._names[self._numbers[each]] for each in difflib.get_close_matches(name, self._numbers, n=3)]
        examples = [self._names[0], self._names[len(self) // 2], self._names[-1]]
        there_are = f"did you mean {' or '.join(map(repr, near))}?" if near else f"names are such as {examples}"
        raise ValueError(f"no action is called {text!r}; {there_are}")

    def tell(self, info: ActionInfo, seat_name: Callable[[int], str] = relative_seat) -> str:
        """The English name of ``info``, which may be `ActionInfo.heard`, with seats named by ``seat_name``."""
        fields = {"card": info.card, "pile": info.pile, "number": info.number}
        words = {field: HIDDEN_WORDS[field] if value == HIDDEN else value for field, value in fields.items()}
        seats = {f"seat{i}": seat_name(seat) for i, seat in enumerate(info.seats, 1)}
        return self.names[info.kind].format(**words, **seats)


def _normal(name: str) -> str:
    return " ".join(name.lower().split())
