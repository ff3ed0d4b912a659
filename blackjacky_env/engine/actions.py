"""Actions as data: what each action of a game is, and the names that are made from it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

HIDDEN = "hidden"
"""What stands for a secret in the data that others get."""
HIDDEN_WORDS = {"card": "a card", "pile": "a pile", "number": "a number"}
"""What stands for a secret in an English name, by field."""


@dataclass(frozen=True)
class ActionInfo:
    """What an action is, as data. None, or no seats, where it has nothing of the sort."""

    kind: str
    """What is done, such as ``"play"``; actions of one kind differ in the fields below."""
    card: int | str | None = None
    """The player's own card, as the snapshot writes it."""
    pile: str | None = None
    """The pile that is drawn from or swapped with."""
    seats: tuple[int, ...] = ()
    """The seats that are chosen, relative to the player who acts: 0 is the player, 1 the left neighbour."""
    number: int | str | None = None
    """A number that is announced, such as a bid."""
    secret: tuple[str, ...] = ()
    """Names of the fields that only the player who acts knows: ``"card"``, ``"pile"``, ``"number"``."""

    def heard(self) -> ActionInfo:
        """The action as everybody else may know it: ``"hidden"`` stands for what is secret."""
        secrets: dict[str, Any] = dict.fromkeys(self.secret, HIDDEN)
        return replace(self, **secrets)

    def describe(self) -> dict[str, Any]:
        """The fields as JSON-ready data: kind, card, pile, seats (a list), number; None where there is nothing."""
        return {
            "kind": self.kind,
            "card": self.card,
            "pile": self.pile,
            "seats": list(self.seats) or None,
            "number": self.number,
        }


def relative_seat(seat: int) -> str:
    """What a seat is called by the player who acts: ``me``, ``left+1``, ..."""
    return f"left+{seat}" if seat else "me"


def names_from(actor: int, names: Sequence[str]) -> Callable[[int], str]:
    """The function from relative seats to the players' names, ``actor`` being the seat that acts."""
    return lambda seat: names[(actor + seat) % len(names)]


class Actions:
    """All actions of a game by number, and their names.

    Args:
        infos: what each action is, action 0 first.
        names: the English name of each kind of action, with ``{card}``, ``{pile}`` and ``{number}`` for the fields and
            ``{seat1}``, ``{seat2}``, ... for the seats.

    Raises `KeyError` if a kind or a field is missing, `ValueError` if two actions have the same name.
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

    def name(self, action: int) -> str:
        """The English name of an action; seats are relative to the player who acts."""
        return self._names[action]

    def parse(self, text: str) -> int:
        """The action of that name (case and spacing do not matter); `ValueError` names near ones."""
        name = _normal(text)
        if name in self._numbers:
            return self._numbers[name]
        near = [self._names[self._numbers[each]] for each in difflib.get_close_matches(name, self._numbers, n=3)]
        examples = near or [self._names[0], self._names[len(self) // 2], self._names[-1]]
        like = "names like it are" if near else "names are such as"
        raise ValueError(f"no action is called {text!r}; {like} {', '.join(map(repr, examples))}")

    def tell(self, info: ActionInfo, seat_name: Callable[[int], str] = relative_seat) -> str:
        """The English words for an action, with what ``seat_name`` calls its seats; secrets may be hidden."""
        fields = {"card": info.card, "pile": info.pile, "number": info.number}
        words = {field: HIDDEN_WORDS[field] if value == HIDDEN else value for field, value in fields.items()}
        seats = {f"seat{i}": seat_name(seat) for i, seat in enumerate(info.seats, 1)}
        return self.names[info.kind].format(**words, **seats)


def _normal(name: str) -> str:
    return " ".join(name.lower().split())
