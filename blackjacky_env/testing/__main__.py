"""Check environments from the command line: ``python -m blackjacky_env.testing GAME`` or ``module:function``."""

from __future__ import annotations

import argparse
import ast
import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, module_name
from blackjacky_env.testing import CHECKS, check_all
from blackjacky_env.testing.tables import PROMISES
from blackjacky_env.testing.trial import find


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and print a table; the exit status is 1 if a check has failed, 2 for wrong input."""
    args = _parser().parse_args(arguments)
    failed = False
    try:
        options, settings = _values(args.option), _values(args.set)
        for env in args.env:
            make, promises = _env(env, options)
            print(env, flush=True)
            report = check_all(make, args.only, functools.partial(print, flush=True), **{**promises, **settings})
            print(flush=True)
            failed |= bool(report.failed)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return int(failed)


def _env(env: str, options: dict[str, Any]) -> tuple[Callable[[], Any], dict[str, Any]]:
    """What makes an environment, and what is promised of it."""
    for name, game in GAMES.items():
        if env in (name, module_name(name), f"blackjacky/{name}-v{game.version}"):
            TableEnv(name, **options)  # a wrong option is no failed check
            return functools.partial(TableEnv, name, **options), PROMISES
    if env.count(":") != 1:
        games = ", ".join(GAMES)
        raise ValueError(f"{env!r} is neither a registered game nor of the form 'module:function'; games are {games}")
    make = find(env)
    if not callable(make):
        raise TypeError(f"{env} makes no environment; a game is checked by its name, and needs an entry point")
    return functools.partial(make, **options), {}


def _values(pairs: Iterable[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, _, text in (pair.partition("=") for pair in pairs):
        try:
            values[name] = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            values[name] = text
    return values


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m blackjacky_env.testing", description=__doc__)
    parser.add_argument("env", nargs="+", help="game, or function such as pettingzoo.classic.tictactoe_v3:env")
    parser.add_argument("--only", nargs="+", metavar="CHECK", help=f"run only these of {', '.join(CHECKS)}")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the environment")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="setting of the checks, such as games=50"
    )
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
