"""A game's record, field by field, each declared once with its meaning; everything that follows from it is derived.

From the declaration come the record's dtype, the ranges of states, the layout of observations with its offsets, the
rule options in the record, which fields depend on seats, the words for values, and the code that writes what is shown
into an observation and reads it back (`blackjacky_env.compiled.shown`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from blackjacky_env.declare.layout import Layout, Part
from blackjacky_env.declare.options import NoOptions, Option, Variant, declared_options, field_docs

NOBODY = -1

State = Any


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
        dtype: of the record, aligned.
        layout: of the observation.
        at: offsets of the parts, by name, a named tuple, for compiled code.
        ranges: smallest and largest value by field.

    Raises `ValueError` for duplicate names of variants or fields, and for parts that show no field or leave one out.
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
        self.variants, self.options = tuple(variants), options
        self.seats = max(each.max_players for each in variants)
        smallest = min(each.min_players for each in variants)
        docs = field_docs(options) if declared_options(options) else {}
        numbers = [option for option in declared_options(options) if option.kind != "cards"]
        stored = [_StoredOption.read(option, docs.get(option.name, "")) for option in numbers]
        self.stored = sorted(stored, key=lambda option: bool(option.field.shape))  # numbers first
        self.variant = variant
        part = "num_players" if smallest < self.seats else None  # a constant shows nothing
        players = number("num_players", smallest, self.seats, "players of the game", part=part)
        table = [players, *([variant] if variant else ())]
        first = [*table, *(option.field for option in self.stored)]
        declared = [*first, *fields]
        self.fields = {field.name: self._completed(field) for field in declared}
        if len(self.fields) < len(declared):
            raise ValueError("two fields of the record have the same name")
        parts = {field.part: field for field in self.fields.values() if field.part is not None}
        names = [part for each in observed for part in (each.split() if isinstance(each, str) else [each])]
        order = [*(field.part for field in first if field.part), *names]
        self.shown = {name: parts[name] for name in order if name in parts}
        unknown = {name for name in order if isinstance(name, str)} ^ parts.keys()
        if unknown:
            raise ValueError(f"observed and the fields that are shown differ in {', '.join(sorted(unknown))}")
        self.layout = Layout(name if isinstance(name, Part) else self._part(parts[name]) for name in order)
        self.at = self.layout.at
        self.dtype = self._dtype()
        self.ranges: Mapping[str, tuple[int, int]] = MappingProxyType(
            {field.name: (field.low, field.high) for field in self.fields.values()}
        )

    def _completed(self, field: Field) -> Field:
        if field.kind != "seat":
            return field
        return dataclasses.replace(field, high=self.seats + field.extra - 1)

    def _part(self, field: Field) -> Part:
        if field.kind == "seat" and not field.plus:
            marks = self.seats + field.extra
            return Part(field.part or "", (*field.seen, marks), 0, 1, f"one-hot seat {field.meaning}")
        if field.kind == "choice":
            names = ", ".join(field.choices)
            return Part(field.part or "", (len(field.choices),), 0, 1, f"one-hot{field.meaning}: {names}")
        shape = (self.seats,) * (field.axes if not field.own else 0) + field.seen
        return Part(field.part or "", shape, field.low + field.plus, field.high + field.plus, field.meaning)

    def shape(self, field: Field) -> tuple[int, ...]:
        """The shape of a field in the record."""
        by_seats = [self.seats] * field.axes
        if by_seats and field.kind != "seat":
            by_seats[-1] += field.extra
        return (*by_seats, *field.shape)

    def _dtype(self) -> np.dtype[Any]:
        """Fields of four bytes first, so that nothing is lost between aligned ones."""
        columns = [(field.name, _narrowest(field), self.shape(field)) for field in self.fields.values()]
        columns.sort(key=lambda column: column[1] != np.int32)
        return np.dtype([("key", np.uint64), *(column if column[2] else column[:2] for column in columns)], align=True)

    # ------------------------------------------------------------ options, words, proofs

    def write_options(self, s: State, num_players: int, variant: str, options: Mapping[str, Any]) -> None:
        """Write a table and checked options, but for the deck, into a zeroed state record."""
        s["num_players"] = num_players
        if self.variant is not None:
            s[self.variant.name] = [each.name for each in self.variants].index(variant)
        for option in self.stored:
            option.write(s, options[option.declared.name])

    def read_options(self, s: State) -> tuple[int, str, dict[str, Any]]:
        """The number of players, variant and rule options written by `write_options`."""
        variant = self.variants[0 if self.variant is None else int(s[self.variant.name])]
        values = {option.declared.name: option.value(s) for option in self.stored}
        return (
            int(s["num_players"]),
            variant.name,
            {each.name: values[each.name] for each in declared_options(self.options) if each.name in values},
        )

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
        return [*map(_known, value)] if isinstance(value, list) else _known(value)

    @property
    def on_table(self) -> tuple[str, ...]:
        """The fields that ``state()`` returns: the whole table, including hidden cards but not the random key."""
        return tuple(name for name in self.dtype.names or () if name != "key" and self.fields[name].on_table)

    @property
    def by_seat(self) -> tuple[str, ...]:
        """The fields with an entry for each seat, on the first axis only."""
        return tuple(field.name for field in self.fields.values() if field.axes == 1)

    @property
    def by_seat_pair(self) -> tuple[str, ...]:
        """The fields with an entry for each pair of seats."""
        return tuple(field.name for field in self.fields.values() if field.axes == 2)

    @property
    def of_seats(self) -> tuple[str, ...]:
        """The fields whose values are seats, and nothing more than a seat."""
        return tuple(field.name for field in self.fields.values() if field.kind == "seat" and field.place is None)

    @property
    def places(self) -> Mapping[str, int]:
        """The fields whose values are seats, or this number more than a seat."""
        return {field.name: field.place for field in self.fields.values() if field.place is not None}


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
    def read(cls, option: Option, doc: str) -> _StoredOption:
        stored = next((each for each in option.notes if isinstance(each, Stored)), Stored(option.name))
        part = stored.part or stored.field
        values = "; ".join(f"{i} = {name}" for i, name in enumerate(option.choices))
        meaning = "option: " + " ".join(
            filter(None, [doc[:1].lower() + doc[1:].replace("\n", " ").rstrip("."), values and f"({values})"])
        )
        low, high = option.low or 0, option.high or 0
        if option.kind == "subset":
            return cls(option, flag(stored.field, meaning, (high + 1,), part=part, first=low), None)
        if option.kind == "integer":
            low = low if stored.none is None else min(low, stored.none)
            return cls(option, number(stored.field, low, high, meaning, part=part), stored.none)
        return cls(option, number(stored.field, 0, max(1, len(option.choices) - 1), meaning, part=part), None)

    def write(self, s: State, value: Any) -> None:
        if self.declared.kind == "subset":
            s[self.field.name][list(value)] = 1
        elif self.declared.kind == "choice":
            s[self.field.name] = self.declared.choices.index(value)
        else:
            s[self.field.name] = self.none if value is None else value

    def value(self, s: State) -> Any:
        value = s[self.field.name].tolist()
        match self.declared.kind:
            case "subset":
                return [i for i, enabled in enumerate(value) if enabled]
            case "choice":
                return self.declared.choices[value]
            case "flag":
                return bool(value)
        return None if value == self.none else value


def _known(value: int) -> int | None:
    return None if value == NOBODY else value


def _narrowest(field: Field) -> type[np.integer[Any]]:
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= field.low and field.high <= np.iinfo(kind).max:
            return kind
    raise ValueError(f"the field {field.name!r} ({field.low} .. {field.high}) does not fit into int32")
