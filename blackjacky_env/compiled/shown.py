"""Compiled code that writes what a record shows into an observation, and reads it back, made from the fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from blackjacky_env.compiled.compiling import generated, inlined
from blackjacky_env.declare.fields import NOBODY, Field, Fields

_SHORT_ROW = 8  # entries


@inlined
def seen_from(observer, p, n):
    """How many places seat p sits clockwise of the observer."""
    return p - observer if p >= observer else p - observer + n


@inlined
def marked(observation, place, length):
    """The index of the 1 among ``length`` entries from ``place`` on, or NOBODY."""
    for i in range(length):
        if observation[place + i]:
            return i
    return NOBODY


def make_encode(fields: Fields) -> Callable[..., None]:
    """Compiled (s, observer, out): write zeros, then everything that is shown without code of the game."""
    return inlined(generated("encode_shown", source_of_encode(fields), {"seen_from": seen_from}))


def make_sample(fields: Fields) -> Callable[..., None]:
    """Compiled (observation, s): read back what `make_encode` writes."""
    return inlined(generated("sample_shown", source_of_sample(fields), {"marked": marked}))


def make_clear(fields: Fields, names: str) -> Callable[..., None]:
    """Compiled (s): set these fields to 0, or to -1 where that is the lowest value: nobody, no card."""
    cleared = [fields.fields[name] for name in names.split()]
    lines = [f"s.{each.name}{'[:]' * bool(fields.shape(each))} = {-int(each.low == NOBODY)}" for each in cleared]
    return inlined(generated("clear", _function("clear(s)", lines), {}))


def source_of_encode(fields: Fields) -> str:
    """The Python code of `make_encode`."""
    lines = [f"for place in range({fields.layout.size}):", "    out[place] = 0"]
    lines += ["observer, n = int(observer), int(s.num_players)"]
    seats: list[str] = []
    for part, field in fields.shown.items():
        place = fields.layout.offset(part)
        if field.axes and not field.own:
            seats += _write_all(field, place, ("q",))
        else:
            lines += _write_all(field, place, ("observer",) * field.axes)
    if seats:
        lines += ["q = observer", "for seat in range(n):", *_indented(seats)]
        lines += ["    q = q + 1 if q + 1 < n else 0"]
    return _function("encode_shown(s, observer, out)", lines)


def source_of_sample(fields: Fields) -> str:
    """The Python code of `make_sample`."""
    lines = [] if "num_players" in fields.shown else [f"s.num_players = {fields.seats}"]
    seats: list[str] = []
    for part, field in fields.shown.items():
        place = fields.layout.offset(part)
        if field.first:
            lines += [f"s.{field.name}[:] = 0"]
        if field.axes and not field.own:
            seats += _each(field, partial(_read, field, place, ("seat",)))
        else:
            lines += _each(field, partial(_read, field, place, ("0",) * field.axes))
    if seats:
        lines += [f"for seat in range({fields.seats}):", *_indented(seats)]
    return _function("sample_shown(observation, s)", lines)


def _write_all(field: Field, at: int, seats: tuple[str, ...]) -> list[str]:
    """Code for all entries; reading a short row before any of it is written compiles to a single copy."""
    if field.kind != "number" or field.plus or len(field.seen) != 1 or field.seen[0] > _SHORT_ROW:
        return _each(field, partial(_write, field, at, seats))
    (length,) = field.seen
    start = f"{length} * seat + " if field.axes and not field.own else ""
    places = [f"out[{start}{at + i}]" for i in range(length)]
    values = [_element(field, (*seats, str(field.first + i))) for i in range(length)]
    return ["(", f"    {', '.join(places)},", ") = (", f"    {', '.join(values)},", ")"]


def _write(field: Field, at: int, seats: tuple[str, ...], index: tuple[str, ...], entry: str) -> list[str]:
    """Code for one entry of a field; ``entry``: its index in the part, among those of its seat if it is by seat."""
    value = _element(field, (*seats, *index))
    size = math.prod(field.seen)
    if field.axes and not field.own:
        entry = _sum(_product(size, "seat"), entry)
    if field.kind == "choice":
        return [f"out[{_sum(at, value)}] = 1"]
    if field.kind == "number":
        shown = f"int({value}) + {field.plus}" if field.plus else value
        return [f"out[{_sum(at, entry)}] = {shown}"]
    relative = f"seen_from(observer, int({value}), n)"
    if field.plus and field.axes:  # one for each seat: a branch would be mispredicted often
        return [f"out[{_sum(at, entry)}] = ({field.plus} + {relative}) * ({value} != {NOBODY})"]
    if field.plus:
        return [f"if {value} != {NOBODY}:", f"    out[{_sum(at, entry)}] = {field.plus} + {relative}"]
    place = _sum(at, _product(field.high + 1, entry))
    marked_seat = f"out[{_sum(place, relative)}] = 1"
    if field.extra:
        figure = f"out[{_sum(place, f'int({value})')}] = 1"
        return [
            f"if {value} > {field.high - field.extra}:",
            f"    {figure}",
            f"elif {value} != {NOBODY}:",
            f"    {marked_seat}",
        ]
    return [f"if {value} != {NOBODY}:", f"    {marked_seat}"] if field.low < 0 else [marked_seat]


def _read(field: Field, at: int, seats: tuple[str, ...], index: tuple[str, ...], entry: str) -> list[str]:
    target = _element(field, (*seats, *index))
    if field.axes and not field.own:
        entry = _sum(_product(math.prod(field.seen), "seat"), entry)
    if field.kind == "choice":
        return [f"{target} = marked(observation, {at}, {len(field.choices)})"]
    if field.kind == "seat" and not field.plus:
        marks = field.high + 1
        return [f"{target} = marked(observation, {_sum(at, _product(marks, entry))}, {marks})"]
    shown = f"observation[{_sum(at, entry)}]"
    return [f"{target} = int({shown}) - {field.plus}" if field.plus else f"{target} = {shown}"]


# ---------------------------------------------------------------- code as text


def _element(field: Field, index: Sequence[str]) -> str:
    return f"s.{field.name}" + (f"[{', '.join(index)}]" if index else "")


def _each(field: Field, line: Callable[[tuple[str, ...], str], list[str]]) -> list[str]:
    """Code for each entry on the axes of a field other than that of seats."""
    if not field.shape:
        return line((), "0")
    first, seen = field.first, field.seen
    index = [*"ijk"[: len(seen) - 1], "m"]
    entry = "0"
    for name, length in zip(index, seen, strict=True):
        entry = _sum(_product(length, entry), name)
    source = (*index[:-1], f"m + {first}" if first else "m")
    lines = line(source, entry)
    for name, length in reversed([*zip(index, seen, strict=True)]):
        lines = [f"for {name} in range({length}):", *_indented(lines)]
    return lines


def _sum(a: int | str, b: str) -> str:
    return str(b) if str(a) == "0" else str(a) if b == "0" else f"{a} + {b}"


def _product(a: int, b: str) -> str:
    return "0" if b == "0" else b if a == 1 else f"{a} * ({b})" if "+" in b else f"{a} * {b}"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _function(head: str, lines: Sequence[str]) -> str:
    return "\n".join([f"def {head}:", *_indented(lines or ["pass"])]) + "\n"
