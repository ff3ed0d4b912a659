"""What all subcommands share: the options that select a game and its rules, checks of others, and lines of progress."""

from __future__ import annotations

import argparse
import difflib
import inspect
import io
import shlex
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, make_dataclass, replace
from itertools import takewhile
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import tyro
from numba.core import event
from tqdm import tqdm

from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.reports import in_this_shell
from blackjacky_agents.storage.files import try_to_write
from blackjacky_env.compiled import check_threads, cores
from blackjacky_env.declare import Game, describe_options, field_docs, plain
from blackjacky_env.draw import listed
from blackjacky_env.games import DEFAULT, get_game

MOST_SECONDS = 60.0
"""The longest pause after a move."""
ONE_LIST = ("--agents", "--opponents")
"""Options that take a list of agents."""
FORMER = {
    "--out": ("--output",),
    "--players": ("--agents", "--opponents"),
    "--preset": ("--table",),
    "--tables": ("--seats", "--folder"),
    "--name": ("--as",),
}
"""What is typed for an option that is meant, in subcommands that have none of that name."""
COMPILING = "compiling the game and its agents, only the first time"
SECONDS = 0.5  # of compiling one function, with all that it calls, before that is said
R = TypeVar("R")
"""The dataclass of a game's rule options."""


@dataclass(frozen=True, kw_only=True)
class GameArgs(Generic[R]):
    """Options that select the game, its variant and its rules."""

    game: str = DEFAULT
    """Name of the game."""
    table: str | None = None
    """One of the game's tables by name, such as mini-1, in place of table size, variant and rule options."""
    variant: str | None = None
    """Variant of the game; by default the first one that the table size allows."""
    rules: Annotated[R, tyro.conf.arg(name="")]
    """Rule options of the game."""

    @property
    def rule_options(self) -> dict[str, Any]:
        """The rule options as keyword arguments of environments."""
        return given_options(self.rules)

    @property
    def table_players(self) -> int | None:
        """The table size of the named table; None: there is none."""
        return None if self.table is None else get_game(self.game).tables[self.table].num_players

    def unused(self) -> dict[str, str]:
        """Options that have no effect beside the others: their fields, by what makes them so."""
        cluster = getattr(self, "cluster", None)
        return {} if cluster in (None, "local") else {f"with --cluster {cluster}": "threads"}

    def all_but(self, names: str) -> str:
        """All options but some."""
        return " ".join({*vars(self), *vars(self.rules)} - {*names.split()})

    def check_players(self, num_players: int) -> None:
        """Raise `ValueError` if the named table has another table size."""
        get_game(self.game).find_table(self.table, num_players, None, {})


@dataclass(frozen=True, kw_only=True)
class ThreadsArgs:
    """The option of commands that use several cores."""

    threads: int = cores()
    """Number of CPU cores, by default all; results do not depend on it, except of trainings limited by time."""


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """The option of commands that play on a cluster."""

    cluster: str | None = None
    """Play on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; results do not depend on it,
    except of trainings limited by time."""


@dataclass(frozen=True, kw_only=True)
class FailureArgs:
    """The option of commands that can go on without an agent."""

    on_failure: Literal["stop", "lose"] = "stop"
    """When an agent raises, is late or answers illegally: stop, or lose: it alone loses that game, and is counted."""


def read_arguments(kind: Any, arguments: Sequence[str], program: str) -> Any:
    """Parse a command line into ``kind``, a generic subclass of `GameArgs`, with the rule options of the named game.

    A named table's variant and rule options stand in the result as if they had been given.

    Raises `WrongInputError` for an unknown game or table and rule options that contradict it, and `SystemExit` after
    ``--help`` (status 0) or for a syntax error (status 2).
    """
    with checking_input():
        game = named_game(arguments, kind.game)
        rules = with_help(game.options)
        shown = with_metavars(kind, rules)
        check_names(arguments, [shown, rules])
        check_lists(arguments)
    args = tyro.cli(shown, args=arguments, prog=program, description=in_lines(kind.__doc__))
    with checking_input():
        refuse_unused(arguments, args.unused())
        check_threads(getattr(args, "threads", None))
        _, variant, options = game.find_table(args.table, None, args.variant, args.rule_options)
    if args.table is None:
        return args
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    return replace(args, variant=variant, rules=replace(args.rules, **given))


def check_lists(arguments: Sequence[str]) -> None:
    """Raise `ValueError` for the agents of one list with spaces between them, or several values with commas."""
    for place, argument in enumerate(arguments):
        option, _, joined = argument.partition("=")
        words = [*filter(None, [joined]), *takewhile(lambda word: word[:1] != "-", arguments[place + 1 :])]
        parts = [part for word in words for part in word.split(",") if part]
        numbers = all(map(str.isdecimal, parts))
        if option in ONE_LIST and len(words) > 1 and not numbers:
            typed = shlex.quote(",".join(parts))
            raise ValueError(f"{option} is one list, with commas and without spaces: {option} {typed}")
        if option[:2] == "--" and (numbers or option == "--bots") and len(parts) > len(words):
            raise ValueError(f"{option} has spaces between its values, no commas: {option} {shlex.join(parts)}")


def refuse_unused(arguments: Sequence[str], unused: Mapping[str, str]) -> None:
    """Raise `ValueError` if a command line has options without effect, given as by `GameArgs.unused`."""
    typed = [word.partition("=")[0] for word in arguments if word[:2] == "--"]
    given = {each: each[2:].replace("-", "_") for each in typed}
    for when, names in unused.items():
        found = [each for each, name in given.items() if {name, name.removeprefix("no_")} & {*names.split()}]
        if found:
            raise ValueError(f"{listed(found)} {'have' if found[1:] else 'has'} no effect {when}")


def with_help(options: type[Any]) -> type[Any]:
    """A game's options dataclass, with the allowed values added to the help of each option."""
    told = {each["name"]: f"{each['help']} Allowed: {each['allowed']}." for each in describe_options(options)}
    hints = get_type_hints(options)
    shown = [(each.name, as_option(each.name, hints[each.name], told[each.name]), each) for each in fields(options)]
    return make_dataclass(options.__name__, shown, frozen=True)


def with_metavars(kind: Any, rules: type[Any]) -> Any:
    """A subclass of `GameArgs` with these rule options, whose help names values as people do."""
    own: tuple[str, Any, Any] = ("rules", Annotated[rules, tyro.conf.arg(name="")], field())
    shown = [*(each for each in as_options(kind) if each[0] != "rules"), own]
    return make_dataclass(kind.__name__, shown, bases=(kind[rules],), frozen=True, kw_only=True)


def as_options(kind: type[Any]) -> list[tuple[str, Any, Any]]:
    """The fields of a dataclass with docstrings, as `make_dataclass` takes them, by `as_option`."""
    hints, told = get_type_hints(kind, include_extras=True), field_docs(kind)
    types = ((each, as_option(each.name, hints[each.name], told[each.name])) for each in fields(kind))
    return [(each.name, option, field(default=each.default)) for each, option in types]


def as_option(name: str, hint: Any, told: str) -> Any:
    """The type of an option with its help, and with what stands for its value."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kinds = [each for each in get_args(kind) or (kind,) if each is not NoneType]
    several = tuple in (kind, *map(get_origin, kinds), get_origin(kind))
    words = {int: "INT", float: "NUMBER", Path: "PATH", str: name.upper()}
    parts = [*kinds, *(part for each in kinds for part in get_args(each))]
    value = next((words[each] for each in parts if each in words), None)
    metavar = f"{value} {value} ..." if several and value else value
    return Annotated[kind, tyro.conf.arg(help=told, metavar=metavar, help_behavior_hint=_default), *notes]


def _default(value: str) -> str:
    """What the help of an option says of its default: nothing if there is none."""
    return "" if value.strip("'") in ("", "None") else f"(default: {value})"


def in_lines(docstring: str) -> str:
    """A docstring with lines that fit into a terminal; indented ones are not joined by tyro."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    wrapped = (each.split("\n") if each[0] == "$" else textwrap.wrap(each, 78) for each in paragraphs)
    return "\n\n".join("\n".join(f"  {line}" for line in lines) for lines in wrapped)


def check_names(arguments: Sequence[str], kinds: Iterable[type[Any]]) -> None:
    """Raise `ValueError` for the first option that is no field of these dataclasses, with what it may have been."""
    names = {"help", "help_all", *(each.name for kind in kinds for each in fields(kind))}
    names = {"as" if name == "person" else name for name in names}
    known = [f"--{name}".replace("_", "-") for name in names]
    for word, following in zip(arguments, [*arguments, ""][1:], strict=True):
        name = word.partition("=")[0].replace("_", "-")
        if word[:2] != "--" or name in known or name.replace("--no-", "--", 1) in known:
            continue
        if now := [each for each in FORMER.get(name, ()) if each in known]:
            if name == "--players" and (word.partition("=")[2] or following).isdecimal():
                raise ValueError(f"the number of players follows from {now[0]}")
            raise ValueError(f"{name} is {now[0]}")
        near = difflib.get_close_matches(name, known, n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; --help lists the options"
        raise ValueError(f"unknown option {name}{hint}")


def given_options(rules: Any) -> dict[str, Any]:
    """The rule options that differ from their defaults, by name, JSON-ready."""
    given = {each.name: getattr(rules, each.name) for each in fields(rules)}
    return {each.name: plain(given[each.name]) for each in fields(rules) if given[each.name] != each.default}


def named_game(arguments: Sequence[str], default: str = DEFAULT) -> Game:
    """The game given by ``--game`` in a command line; `ValueError` if it does not exist."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--game", default=default)
    return get_game(first.parse_known_args(arguments)[0].game)


def command_line(program: str, arguments: Sequence[str]) -> str:
    """The command line as a string, for results and cards."""
    return f"{program} {shlex.join(arguments)}".rstrip()


def resume_with(subcommand: str, folder: Path) -> str:
    """What to type in this shell to resume the run in a folder."""
    return f"resume with: {in_this_shell('blackjacky')} {subcommand} --resume {shlex.quote(str(folder))}"


def time_bar(total: float) -> tqdm:
    """A progress bar over a number that is not a count, such as seconds, with the time left."""
    shown = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}, {remaining} left{postfix}"
    return tqdm(total=total, desc="solving", bar_format=shown, mininterval=0.1 if sys.stderr.isatty() else 30)


def check_positive(option: str, number: float) -> float:
    """``number``; `ValueError` unless it is above 0."""
    if not number > 0:
        raise ValueError(f"{option} {number} is out of range; allowed are numbers above 0")
    return number


def check_delay(seconds: float) -> None:
    """Raise `ValueError` unless a pause after each move has an allowed length."""
    if not 0 <= seconds <= MOST_SECONDS:
        raise ValueError(f"--delay {seconds} is out of range; allowed are 0 .. {MOST_SECONDS:.0f} seconds")


def check_writable(option: str, path: Path | None) -> None:
    """Raise `ValueError` unless ``path`` is None or a file could be created there."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"{option} {path} cannot be written: it must be a file in an existing folder")
    try:
        try_to_write(path)
    except OSError as error:
        raise ValueError(f"{option} {path} cannot be written ({error.strerror}): choose another place") from None


def allow_any_character() -> None:
    """Print question marks for characters, such as hearts, that the console's encoding lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


class _CompilingLine(event.Listener):
    """Says once on stderr that code is being compiled, if that takes a while.

    Functions are compiled at their first call and then kept on disk, so only Numba's events tell that there is a wait.
    """

    lock, kinds = "numba:compiler_lock", ("numba:compiler_lock", "numba:run_pass")  # the lock is held meanwhile

    def __init__(self) -> None:
        self._depth, self._begun, self._said = 0, 0.0, False

    def on_start(self, event: Any) -> None:
        if event.kind == self.lock:
            self._begun = self._begun if self._depth else time.time()
            self._depth += 1

    def on_end(self, event: Any) -> None:
        if event.kind == self.lock:
            self._depth -= 1
        elif self._depth and not self._said and time.time() - self._begun >= SECONDS:
            self._said = True
            tqdm.write(f"{COMPILING} ...", file=sys.stderr)


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Context in which a line on stderr says when code is being compiled."""
    line = _CompilingLine()
    for kind in line.kinds:
        event.register(kind, line)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        for kind in line.kinds:
            event.unregister(kind, line)  # type: ignore[no-untyped-call]
