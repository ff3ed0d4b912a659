"""Variants, and rule options declared once, as a dataclass: checks, messages, tables and forms are made from it.

A game's options are a frozen dataclass in which every field has a default and a docstring, and a type that says what
is allowed:

- ``Annotated[int, Range(2, 8)]``: an integer 2 .. 8;
- ``Annotated[int | None, Range(1, 127)]``: None as well; the docstring says what that means;
- ``Annotated[tuple[int, ...], Range(1, 8)]``: a subset of 1 .. 8;
- ``bool``: a flag;
- ``Literal["first", "last"]``: one of these;
- ``Annotated[tuple[str, ...] | None, Cards(names)]``, called ``deck``: the cards in the deck, named as in snapshots;
  None: all. It is listed among the options in force only where it is given.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from blackjacky_env.checks import card_key, check_choice, few, read_integer


class Range(NamedTuple):
    """Annotation in an option's type: the integers ``low`` .. ``high`` are allowed."""

    low: int
    high: int


class Cards(NamedTuple):
    """Annotation in an option's type: a collection of these cards is allowed, each at most as often as here."""

    box: tuple[int | str, ...]


class Option(NamedTuple):
    """One rule option, as declared by a field of an options dataclass."""

    name: str
    kind: Literal["integer", "subset", "flag", "choice", "cards"]
    """``"subset"``: a subset of the integers ``low`` .. ``high``; ``"cards"``: some of ``choices``."""
    default: Any
    low: int | None = None
    high: int | None = None
    optional: bool = False
    """Whether None is allowed."""
    choices: tuple[int | str, ...] = ()
    notes: tuple[Any, ...] = ()
    """Further annotations of its type, for the declaration of its game."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.kind == "flag":
            return "False and True"
        if self.kind == "choice":
            return ", ".join(map(repr, self.choices))
        if self.kind == "cards":
            return f"collections of the {len(self.choices)} cards {few(self.choices)}, and None"
        span = f"{self.low} .. {self.high}"
        return f"{span} and None" if self.optional else span


@dataclass(frozen=True)
class Variant:
    """A variant of a game, and the table sizes it allows.

    Args:
        name: the value of the option ``variant``.
        min_players: smallest table size.
        max_players: largest table size.
        default_players: table size if none is given.
    """

    name: str
    min_players: int
    max_players: int
    default_players: int

    def __post_init__(self) -> None:
        if not 2 <= self.min_players <= self.default_players <= self.max_players:
            raise ValueError(f"{self} is impossible; required is 2 <= min_players <= default_players <= max_players")

    @property
    def sizes(self) -> range:
        """All allowed table sizes."""
        return range(self.min_players, self.max_players + 1)


@dataclass(frozen=True)
class NoOptions:
    """The options of a game without rule options."""


def declared_options(kind: type[Any]) -> tuple[Option, ...]:
    """The options that a dataclass declares, in order; `TypeError` for a field of any other type."""
    return _declared_options(kind)  # type: ignore[arg-type]  # for mypy the metaclass of a class has no hash


@functools.cache
def _declared_options(kind: Any) -> tuple[Option, ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_read_field(field.name, hints[field.name], field.default) for field in dataclasses.fields(kind))


def _read_field(name: str, hint: Any, default: Any) -> Option:
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    ranges = [note for note in notes if isinstance(note, Range)]
    boxes = [note.box for note in notes if isinstance(note, Cards)]
    others = tuple(note for note in notes if not isinstance(note, Range | Cards))
    if kind is bool:
        return Option(name, "flag", default, notes=others)
    if get_origin(kind) is Literal:
        return Option(name, "choice", default, choices=get_args(kind), notes=others)
    if ranges and kind == tuple[int, ...]:
        return Option(name, "subset", default, *ranges[0], notes=others)
    if boxes and name == "deck" and kind in (tuple[int, ...] | None, tuple[str, ...] | None):
        return Option(name, "cards", default, optional=True, choices=boxes[0], notes=others)
    if ranges and kind in (int, int | None):
        return Option(name, "integer", default, *ranges[0], optional=kind is not int, notes=others)
    raise TypeError(
        f"the option {name!r} is declared as {hint}; allowed are bool, Literal[...], and Annotated[KIND, Range(...)] "
        "with int, int | None or tuple[int, ...], and for `deck` Annotated[tuple[...] | None, Cards(...)]"
    )


def describe_options(kind: type[Any]) -> list[dict[str, Any]]:
    """The options of a dataclass as JSON-ready data, in order.

    Each has ``name``, ``kind`` (``"integer"``, ``"subset"``, ``"flag"``, ``"choice"`` or ``"cards"``), ``default``,
    ``low``, ``high``, ``optional`` (whether None is allowed), ``choices``, ``allowed`` (the values in words) and
    ``help`` (the field's docstring).
    """
    docs = field_docs(kind)
    return [
        {
            **{name: plain(entry) for name, entry in option._asdict().items() if name != "notes"},
            "allowed": option.allowed,
            "help": docs.get(option.name, ""),
        }
        for option in declared_options(kind)
    ]


def field_docs(kind: type[Any]) -> dict[str, str]:
    """Docstrings of the fields of a class: the string literals below them."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for line, below in pairwise(body.body):
        match line, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                docs[name] = inspect.cleandoc(doc)
    return docs


def plain(value: Any) -> Any:
    """A tuple as a list, anything else unchanged: JSON has no tuples."""
    return list(value) if isinstance(value, tuple) else value


def read_options(kind: type[Any], given: Mapping[str, Any], owner: str) -> Any:
    """An instance of an options dataclass with the ``given`` values, each checked.

    Args:
        kind: the dataclass.
        given: values by name.
        owner: what has these options, for the message about an unknown one.

    Raises:
        TypeError, ValueError: naming option, value and what is allowed.
    """
    declared = {option.name: option for option in declared_options(kind)}
    for name, value in given.items():
        if name not in declared:
            there_are = f"options of {owner} are {', '.join(declared)}" if declared else f"{owner} has no options"
            raise TypeError(f"unknown option {name}={value!r}; {there_are}")
    return kind(**{name: _check(option, given[name]) for name, option in declared.items() if name in given})


def _check(option: Option, value: object) -> Any:
    if value is None and option.optional:
        return None
    if option.kind == "flag":
        if value not in (False, True):
            raise ValueError(f"{option.name}={value!r} is unknown; allowed are {option.allowed}")
        return bool(value)
    if option.kind == "choice":
        return check_choice(option.name, value, option.choices)
    if option.kind == "integer":
        return _check_range(option.name, value, option)
    if option.kind == "cards":
        return _check_cards(option, value)
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        raise TypeError(
            f"{option.name}={value!r} is not a collection; allowed are collections of values {option.allowed}"
        )
    return tuple(sorted({_check_range(f"a value of the option {option.name}", each, option) for each in value}))


def _check_cards(option: Option, value: object) -> tuple[int | str, ...]:
    """The cards in the order of the box."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        raise TypeError(f"{option.name}={value!r} is not a collection; allowed are {option.allowed}")
    names = {card_key(name): name for name in option.choices}
    cards = list(value)
    for card in cards:
        if card_key(card) not in names:
            raise ValueError(f"{option.name} has {card!r}, which is not a card; allowed are {option.allowed}")
    given, there_are = Counter(names[card_key(card)] for card in cards), Counter(option.choices)
    if surplus := given - there_are:
        name, count = next(iter(surplus)), given[next(iter(surplus))]
        raise ValueError(f"{option.name} has {count} copies of {name!r}; the whole deck has {there_are[name]}")
    return tuple(name for name in there_are for _ in range(given[name]))


def _check_range(name: str, value: object, option: Option) -> int:
    assert option.low is not None
    assert option.high is not None
    number = read_integer(name, value, option.allowed)
    if not option.low <= number <= option.high:
        raise ValueError(f"{name}={number} is out of range; allowed are {option.allowed}")
    return number
