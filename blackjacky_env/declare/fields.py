"""A game's record, field by field, each declared once with its meaning; everything that follows from it is derived.

From the declaration come the record's dtype, the ranges of states, the layout of observations with its offsets, the
rule options in the record, which fields depend on seats, the words for values, and the code that writes what is shown
into an observation and reads it back (`blackjacky_env.compiled.shown`).
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from blackjacky_env.declare.layout import Layout, Part, narrowest
from blackjacky_env.declare.options import NoOptions, Option, Variant, declared_options

NOBODY = -1
CHANCE = -2  # in place of the seat to act: `Rules.deal` is due

State = Any
"""One state record: in compiled code a Numba record, in Python an element of an array of the game's ``state_dtype``."""


@dataclass(frozen=True)
class Field:
    """A field of the record, made by the functions below."""

    name: str
    low: int
    high: int
    shape: tuple[int, ...] = ()
    """Without the axis of seats."""
    meaning: str = ""
    part: str | None = None
    """Name of the part of the observation that shows it; None: it is hidden, or shown by code of the game."""
    kind: Literal["number", "seat", "choice"] = "number"
    axes: int = 0
    """Number of leading axes with an entry for each seat."""
    own: bool = False
    """Whether players see only their own entry."""
    plus: int = 0
    """What is added to the number in the observation; a seat with it is shown as a number, not one-hot."""
    first: int = 0
    """Entries of the last axis before this one are not shown."""
    choices: tuple[str, ...] = ()
    """What the values mean; values beyond these are not shown."""
    place: int | None = None
    """Values from this one on are seats, too."""
    on_table: bool = True
    """Whether it is part of the table that `state()` returns."""
    cards: Literal["each", "count"] | None = None
    """Whether each entry is a card, or entry c of the last axis counts cards c; the checks count all of them."""
    extra: int = 0
    """Number of values beyond the seats, for what has no seat; or of more entries on the last axis of seats."""

    @property
    def seen(self) -> tuple[int, ...]:
        """The shape of the part, without the axes of seats and of one-hot entries."""
        return (*self.shape[:-1], self.shape[-1] - self.first) if self.shape else ()


def number(name: str, low: int, high: int, meaning: str, shape: tuple[int, ...] = (), **more: Any) -> Field:
    """A number in ``low`` .. ``high``, or an array of these, that everybody sees."""
    return Field(name, low, high, shape, meaning, more.pop("part", name), **more)


def flag(name: str, meaning: str, shape: tuple[int, ...] = (), **more: Any) -> Field:
    """0 or 1, or an array of these, that everybody sees."""
    return number(name, 0, 1, meaning, shape, **more)


def by_seat(name: str, low: int, high: int, meaning: str, shape: tuple[int, ...] = (), **more: Any) -> Field:
    """A number, or an array, for each seat, that everybody sees."""
    return number(name, low, high, meaning, shape, axes=1, **more)


def own(name: str, low: int, high: int, meaning: str, shape: tuple[int, ...] = (), **more: Any) -> Field:
    """A number, or an array, for each seat, that only its player sees."""
    return number(name, low, high, meaning, shape, axes=1, own=True, **more)


def role(name: str, meaning: str, shape: tuple[int, ...] = (), *, always: bool = False, **more: Any) -> Field:
    """The seat with a role, or an array of these, which everybody knows; `NOBODY` unless there is one ``always``."""
    return Field(name, 0 if always else NOBODY, 0, shape, meaning, more.pop("part", name), kind="seat", **more)


def choice(name: str, choices: Sequence[str], meaning: str = "", more: int = 0, **others: Any) -> Field:
    """One of the ``choices``, numbered from 0 on, that everybody knows; ``more``: values beyond that are not shown."""
    high = len(choices) + more - 1
    return Field(name, 0, high, (), meaning, others.pop("part", name), "choice", choices=tuple(choices), **others)


def hidden(name: str, low: int, high: int, shape: tuple[int, ...] = (), **more: Any) -> Field:
    """A field that the observation does not show, or only by code of the game."""
    return Field(name, low, high, shape, **more)


class Fields:
    """The fields of a game's record.

    Args:
        variants: one or more, whose largest table size is the number of seats, P.
        fields: in the order of the record. ``key``, fields of four bytes, ``num_players``, the variant and the rule
            options come first by themselves.
        observed: the observation after the table and its options: names of parts that show fields, separated by
            blanks, and parts that code of the game writes and reads.
        options: the dataclass of rule options.
        variant: the field that tells the variant, if there are several.

    Attributes:
        fields: by name; `shown`: those that the observation shows, by the name of the part; `table`: the names of those
            that say which table it is: its size, variant and rule options.
        dtype: of the record, aligned.
        layout: of the observation.
        at: offsets of the parts, by name, a named tuple, for compiled code.

    Raises `ValueError` for duplicate names of variants or fields, for names of fields that code cannot read as an
    attribute, and for parts that show no field or leave one out.
    """

    def __init__(
        self,
        variants: Sequence[Variant],
        fields: Iterable[Field],
        observed: Iterable[str | Part],
        *,
        options: type[Any] = NoOptions,
        variant: Field | None = None,
    ) -> None:
        if not variants or len({each.name for each in variants}) < len(variants):
            raise ValueError(f"variants={variants}: one or more with distinct names are required")
        self.variants, self.options, self.variant = tuple(variants), options, variant
        self.seats = max(each.max_players for each in variants)
        smallest = min(each.min_players for each in variants)
        self._stored = [_StoredOption.read(each) for each in declared_options(options) if each.kind != "cards"]
        numbers_first = sorted((option.field for option in self._stored), key=lambda field: bool(field.shape))
        part = "num_players" if smallest < self.seats else None  # a constant shows nothing
        players = number("num_players", smallest, self.seats, "players of the game", part=part)
        table = [players, *([variant] if variant else ()), *numbers_first]
        self.table = tuple(each.name for each in table)
        declared = [*table, *fields]
        self.fields = {
            each.name: replace(each, high=self.seats + each.extra - 1) if each.kind == "seat" else each
            for each in declared
        }
        if twice := next(
            (each.name for each in declared if [other.name for other in declared].count(each.name) > 1), ""
        ):
            raise ValueError(f"two fields are called {twice!r}; num_players and rule options are fields by themselves")
        for name in self.fields:
            if not name.isidentifier() or keyword.iskeyword(name) or name[0] == "_" or name == "view":
                raise ValueError(f"a field is called {name!r}, which compiled code cannot read as an attribute")
        parts = {field.part: field for field in self.fields.values() if field.part is not None}
        names = [part for each in observed for part in (each.split() if isinstance(each, str) else [each])]
        order = [*(field.part for field in table if field.part), *names]
        self.shown = {name: parts[name] for name in order if name in parts}
        unknown = {name for name in order if isinstance(name, str)} ^ parts.keys()
        if unknown:
            raise ValueError(f"observed and the fields that are shown differ in {', '.join(sorted(unknown))}")
        self.layout = Layout(name if isinstance(name, Part) else self._part(name, parts[name]) for name in order)
        self.at = self.layout.at
        self.dtype = self._dtype()

    def _part(self, name: str, field: Field) -> Part:
        if field.kind == "seat" and not field.plus:
            return Part(name, (*field.seen, field.high + 1), 0, 1, f"one-hot seat {field.meaning}")
        if field.kind == "choice":
            names = ", ".join(field.choices)
            return Part(name, (len(field.choices),), 0, 1, f"one-hot{field.meaning}: {names}")
        shape = (self.seats,) * (field.axes if not field.own else 0) + field.seen
        return Part(name, shape, field.low + field.plus, field.high + field.plus, field.meaning)

    def _dtype(self) -> np.dtype[Any]:
        """Fields of four bytes first, so that nothing is lost between aligned ones."""
        columns: list[Any] = []
        for field in self.fields.values():
            kind = narrowest(f"field {field.name!r}", field.low, field.high, np.int8, np.int16, np.int32)
            by_seats = [self.seats] * field.axes
            if by_seats and field.kind != "seat":
                by_seats[-1] += field.extra
            columns.append((field.name, kind, (*by_seats, *field.shape)))
        columns.sort(key=lambda column: column[1] != np.int32)
        return np.dtype([("key", np.uint64), *columns], align=True)

    # ------------------------------------------------------------ options, words, proofs

    def write_options(self, s: State, num_players: int, variant: str, options: Mapping[str, Any]) -> None:
        """Write a table and checked options, but for the deck, into a zeroed state record."""
        s["num_players"] = num_players
        if self.variant is not None:
            s[self.variant.name] = [each.name for each in self.variants].index(variant)
        for option in self._stored:
            option.write(s, options[option.declared.name])

    def read_options(self, s: State) -> tuple[int, str, dict[str, Any]]:
        """The number of players, variant and rule options written by `write_options`."""
        variant = self.variants[0 if self.variant is None else int(s[self.variant.name])]
        return int(s["num_players"]), variant.name, {each.declared.name: each.value(s) for each in self._stored}

    def tell(self, s: State, names: str) -> dict[str, Any]:
        """Fields as plain Python values, by the names of their parts or their own, separated by blanks.

        ``key=name`` renames one. A choice is its name, nobody or nothing is None, what is by seat has an entry for each
        player.
        """
        told = {}
        for each in names.split():
            key, _, name = each.rpartition("=")
            told[key or name] = self._told(s, self.shown.get(name) or self.fields[name])
        return told

    def _told(self, s: State, field: Field) -> Any:
        value = s[field.name].tolist()
        if field.kind == "choice":
            return field.choices[min(value, len(field.choices) - 1)]
        if field.axes:
            value = value[: int(s["num_players"])]
        if field.kind != "seat" and not field.plus:
            return value
        return _known(value)

    @property
    def on_table(self) -> tuple[str, ...]:
        """The fields that ``state()`` returns: the whole table, including hidden cards but not the random key."""
        return tuple(name for name in self.dtype.names or () if name != "key" and self.fields[name].on_table)


class Stored(NamedTuple):
    """Annotation of a rule option: its field in the record, its part of the observation, and what None is there."""

    field: str
    part: str | None = None
    """None: named as the field."""
    none: int | None = None
    """None: the option is completed before it is written."""


class _StoredOption(NamedTuple):
    declared: Option
    field: Field
    none: int | None

    @classmethod
    def read(cls, option: Option) -> _StoredOption:
        stored = next((each for each in option.notes if isinstance(each, Stored)), Stored(option.name))
        part = stored.part or stored.field
        values = "; ".join(f"{i} = {name}" for i, name in enumerate(option.choices))
        about = option.help[:1].lower() + option.help[1:].replace("\n", " ").rstrip(".")
        meaning = " ".join(filter(None, ["option:", about, values and f"({values})"]))
        if option.kind == "subset":
            return cls(option, flag(stored.field, meaning, (option.high + 1,), part=part, first=option.low), None)
        low, high = 0, max(1, len(option.choices) - 1)
        if option.kind == "integer":
            low, high = min(option.low, option.low if stored.none is None else stored.none), option.high
        return cls(option, number(stored.field, low, high, meaning, part=part), stored.none)

    def write(self, s: State, value: Any) -> None:
        if self.declared.kind == "subset":
            s[self.field.name][list(value)] = 1
        elif self.declared.kind == "choice":
            s[self.field.name] = self.declared.choices.index(value)
        else:
            s[self.field.name] = self.none if value is None else value

    def value(self, s: State) -> Any:
        value = s[self.field.name].tolist()
        if self.declared.kind == "subset":
            return [i for i, enabled in enumerate(value) if enabled]
        if self.declared.kind == "choice":
            return self.declared.choices[value]
        return None if value == self.none else bool(value) if self.declared.kind == "flag" else value


def counted(value: Any, names: Sequence[Any]) -> Any:
    """Lists of names, each as often as the lists in its place, which may be nested, count."""
    if isinstance(value[0], list):
        return [counted(each, names) for each in value]
    return [name for name, count in zip(names, value, strict=True) for _ in range(count)]


def _known(value: Any) -> Any:
    if isinstance(value, list):
        return [*map(_known, value)]
    return None if value == NOBODY else value
