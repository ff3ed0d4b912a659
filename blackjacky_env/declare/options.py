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
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from blackjacky_env.checks import card_key, check_choice, check_integer, few


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
    low: Any = None
    high: Any = None
    optional: bool = False
    """Whether None is allowed."""
    choices: tuple[int | str, ...] = ()
    help: str = ""
    """The docstring of the dataclass's field."""
    notes: tuple[Any, ...] = ()
    """The annotations of its type."""

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

    def checked(self, value: object) -> Any:
        """The value as dataclasses hold it; `TypeError` or `ValueError` naming option, value and what is allowed."""
        if value is None and self.optional:
            return None
        if self.kind == "flag":
            if value not in (False, True):
                raise ValueError(f"{self.name}={value!r} is unknown; allowed are {self.allowed}")
            return bool(value)
        if self.kind == "choice":
            return check_choice(self.name, value, self.choices)
        if self.kind == "integer":
            return self._in_range(self.name, value)
        if not isinstance(value, Collection) or isinstance(value, str | bytes):
            of = "collections of values " if self.kind == "subset" else ""
            raise TypeError(f"{self.name}={value!r} is not a collection; allowed are {of}{self.allowed}")
        if self.kind == "subset":
            return tuple(sorted({self._in_range(f"a value of the option {self.name}", each) for each in value}))
        return self._in_box(value)

    def _in_range(self, name: str, value: object) -> int:
        return check_integer(name, value, self.low, self.high, self.allowed)

    def _in_box(self, cards: Iterable[object]) -> tuple[int | str, ...]:
        """The cards in the order of the box; of too many, it reads as many as it takes to find one that is."""
        names, given = {card_key(name): name for name in self.choices}, Counter[int | str]()
        for card in islice(cards, len(self.choices) + 1):
            if card_key(card) not in names:
                raise ValueError(f"{self.name} has {card!r}, which is not a card; allowed are {self.allowed}")
            given[names[card_key(card)]] += 1
        for name, count in given.items():
            if count > (there_are := self.choices.count(name)):
                raise ValueError(f"{self.name} has {count} copies of {name!r}; the whole deck has {there_are}")
        return tuple(sorted(given.elements(), key=self.choices.index))


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


def _declared(kind: Any) -> tuple[Option, ...]:
    hints, docs = get_type_hints(kind, include_extras=True), field_docs(kind)
    found = (_read_field(field.name, hints[field.name], field.default) for field in dataclasses.fields(kind))
    return tuple(option._replace(help=docs.get(option.name, "")) for option in found)


declared_options: Callable[[type[Any]], tuple[Option, ...]] = functools.cache(_declared)  # type: ignore[assignment]
"""The options that a dataclass declares, in order; `TypeError` for a field of any other type."""


def _read_field(name: str, hint: Any, default: Any) -> Option:
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    option = Option(name, "flag", default, notes=tuple(notes))
    if kind is bool:
        return option
    if get_origin(kind) is Literal and all(isinstance(each, str) for each in get_args(kind)):
        return option._replace(kind="choice", choices=get_args(kind))
    for note in notes:
        if isinstance(note, Range) and kind == tuple[int, ...]:
            return option._replace(kind="subset", low=note.low, high=note.high)
        if isinstance(note, Range) and kind in (int, int | None):
            return option._replace(kind="integer", low=note.low, high=note.high, optional=kind is not int)
        if isinstance(note, Cards) and name == "deck" and kind in (tuple[int, ...] | None, tuple[str, ...] | None):
            return option._replace(kind="cards", optional=True, choices=note.box)
    raise TypeError(
        f"the option {name!r} is declared as {hint}; allowed are bool, Literal of words, and Annotated[KIND, "
        "Range(...)] with int, int | None or tuple[int, ...], and for `deck` Annotated[tuple[...] | None, Cards(...)]"
    )


def describe_options(kind: type[Any]) -> list[dict[str, Any]]:
    """The options of a dataclass as JSON-ready data, in order.

    Each has ``name``, ``kind`` (``"integer"``, ``"subset"``, ``"flag"``, ``"choice"`` or ``"cards"``), ``default``,
    ``low``, ``high``, ``optional`` (whether None is allowed), ``choices``, ``allowed`` (the values in words) and
    ``help`` (the field's docstring).
    """
    described = []
    for option in declared_options(kind):
        facts = {name: plain(entry) for name, entry in option._asdict().items() if name != "notes"}
        described.append({**facts, "allowed": option.allowed})
    return described


def field_docs(kind: type[Any]) -> dict[str, str]:
    """Docstrings of the fields of a dataclass: the string literals below them; those of a subclass count."""
    docs = {}
    for each in reversed([*filter(dataclasses.is_dataclass, kind.__mro__)]):
        body = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0]
        assert isinstance(body, ast.ClassDef)
        for line, below in pairwise(body.body):
            match line, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                    docs[name] = " ".join(doc.split())
    return docs


def plain(value: Any) -> Any:
    """A tuple as a list, anything else unchanged: JSON has no tuples."""
    return list(value) if isinstance(value, tuple) else value


def read_options(kind: type[Any], given: Mapping[str, Any], owner: str) -> Any:
    """An instance of an options dataclass with the ``given`` values, each checked.

    ``owner``: what has these options, for the message about an unknown one.

    Raises `TypeError` or `ValueError`, naming option, value and what is allowed. That for an unknown option begins
    like Python's own, because TorchRL tries again without an option when it reads "unexpected keyword argument".
    """
    declared = {option.name: option for option in declared_options(kind)}
    if not isinstance(given, Mapping):
        raise TypeError(f"options={given!r} is not a mapping of options by name")
    for name, value in given.items():
        if name not in declared:
            there_are = f"the rules of {owner} have {', '.join(declared) or 'no options'}"
            raise TypeError(
                f"got an unexpected keyword argument {name!r}: unknown option {name}={value!r}; {there_are}"
            )
    return kind(**{name: option.checked(given[name]) for name, option in declared.items() if name in given})
