"""Compiled code that writes what a record shows into an observation, and reads it back, made from the fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from blackjacky_env.compiled.compiling import generated, inlined, set_zero
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
    once, by_seat = [], []
    for part, field in fields.shown.items():
        at = fields.layout.parts[part].offset
        if _is_by_seat(field):
            by_seat += _write_all(field, at, "q")
        else:
            once += _write_all(field, at, "observer")
    lines = [
        f"set_zero(out, {fields.layout.size})",
        "observer, n = int(observer), int(s.num_players)",
        *once,
        "q = observer",
        "for seat in range(n):",
        *_indented([*by_seat, "q = q + 1 if q + 1 < n else 0"]),
    ]
    return _function("encode_shown", "s, observer, out", lines)


def make_sample(fields: Fields) -> Callable[..., None]:
    """Compiled (observation, s): read back what `make_encode` writes."""
    once = [] if "num_players" in fields.shown else [f"s.num_players = {fields.seats}"]
    by_seat = ["pass"]
    for part, field in fields.shown.items():
        at = fields.layout.parts[part].offset
        if field.first:
            once += [f"s.{field.name}[:] = 0"]
        if _is_by_seat(field):
            by_seat += _loops(field, _read(field, at, *_entry(field, "seat")))
        else:
            once += _loops(field, _read(field, at, *_entry(field, "0")))
    lines = [*once, f"for seat in range({fields.seats}):", *_indented(by_seat)]
    return _function("sample_shown", "observation, s", lines)


def make_clear(fields: Fields, names: str) -> Callable[..., None]:
    """Compiled (s): set these fields to 0, or to -1 where that is the lowest value: nobody, no card."""
    cleared = [fields.fields[name] for name in names.split()]
    all_of = {each.name: "[:]" * bool(fields.dtype[each.name].shape) for each in cleared}
    lines = [f"s.{each.name}{all_of[each.name]} = {-int(each.low == NOBODY)}" for each in cleared]
    return _function("clear", "s", lines)


def _write_all(field: Field, at: int, seat: str) -> list[str]:
    """Code for all entries; reading a short row before any of it is written compiles to a single copy."""
    if field.kind != "number" or field.plus or len(field.seen) != 1 or field.seen[0] > _SHORT_ROW:
        return _loops(field, _write(field, at, *_entry(field, seat)))
    elements, places = zip(*(_entry(field, seat, str(i)) for i in range(field.seen[0])), strict=True)
    targets = ", ".join(f"out[{at} + {place}]" for place in places)
    return [f"({targets},) = ({', '.join(elements)},)"]


def _write(field: Field, at: int, element: str, place: str) -> list[str]:
    if field.kind == "choice":
        return [f"out[{at} + {element}] = 1"]
    if field.kind == "number":
        return [f"out[{at} + {place}] = " + (f"int({element}) + {field.plus}" if field.plus else element)]
    relative = f"seen_from(observer, int({element}), n)"
    if field.plus and field.axes:  # one for each seat: a branch would be mispredicted often
        return [f"out[{at} + {place}] = ({field.plus} + {relative}) * ({element} != {NOBODY})"]
    if field.plus:
        return [f"if {element} != {NOBODY}:", f"    out[{at} + {place}] = {field.plus} + {relative}"]
    marks = f"out[{at} + {field.high + 1} * ({place})"
    lines = [f"if {element} != {NOBODY}:", f"    {marks} + {relative}] = 1"]
    if field.extra:
        lines = [
            f"if {element} > {field.high - field.extra}:",
            f"    {marks} + int({element})] = 1",
            f"el{lines[0]}",
            lines[1],
        ]
    return lines


def _read(field: Field, at: int, element: str, place: str) -> list[str]:
    if field.kind == "choice":
        return [f"{element} = marked(observation, {at}, {len(field.choices)})"]
    if field.kind == "seat" and not field.plus:
        marks = field.high + 1
        return [f"{element} = marked(observation, {at} + {marks} * ({place}), {marks})"]
    return [f"{element} = int(observation[{at} + {place}]) - {field.plus}"]


# ---------------------------------------------------------------- code as text


def _is_by_seat(field: Field) -> bool:
    return field.axes > 0 and not field.own


def _entry(field: Field, seat: str, *index: str) -> tuple[str, str]:
    """An entry in the record, and its place in the part; by default in the loops over all of them."""
    index = index or tuple("ijk"[: len(field.seen)])
    place = "seat" if _is_by_seat(field) else "0"
    for name, length in zip(index, field.seen, strict=True):
        place = f"({place}) * {length} + {name}"
    source = [*[seat] * field.axes, *index]
    if field.first:
        source[-1] += f" + {field.first}"
    return f"s.{field.name}" + (f"[{', '.join(source)}]" if source else ""), place


def _loops(field: Field, lines: list[str]) -> list[str]:
    """Lines for each entry on the axes of a field other than that of seats."""
    for name, length in reversed([*zip("ijk", field.seen)]):  # noqa: B905 - as many names as axes
        lines = [f"for {name} in range({length}):", *_indented(lines)]
    return lines


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _function(name: str, arguments: str, lines: Sequence[str]) -> Callable[..., None]:
    source = "\n".join([f"def {name}({arguments}):", *_indented(lines)])
    return inlined(generated(name, source, {"seen_from": seen_from, "marked": marked, "set_zero": set_zero}))
