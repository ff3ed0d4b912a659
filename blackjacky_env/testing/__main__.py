"""Check environments from the command line: ``python -m blackjacky_env.testing GAME`` or ``module:function``."""

from __future__ import annotations

import argparse
import ast
import functools
import sys
from collections.abc import Callable
from typing import Any, cast

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, module_name
from blackjacky_env.testing.report import CHECKS, Case, Report, cases, markdown
from blackjacky_env.testing.tables import PROMISES
from blackjacky_env.testing.trial import find


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and print the table; the exit status is 1 if a check has failed, 2 for wrong input."""
    args = _parser().parse_args(arguments)
    names = ("games", "seed", "max_steps", "moments", "positions", "refusal", "off_turn_mask")
    settings: dict[str, Any] = {name: value for name in names if (value := getattr(args, name)) is not None}
    try:
        settings |= dict(find(args.settings)) if args.settings else {}
        options = dict(map(_option, args.option))
        chosen = {env: _cases(env, options, args.only, settings) for env in args.env}
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    reports = {env: Report(case.result() for case in each) for env, each in chosen.items()}
    if args.markdown:
        print(markdown(reports))
    else:
        print("\n\n".join(f"{env}\n{report}" for env, report in reports.items()))
    return int(any(report.failed for report in reports.values()))


def _cases(env: str, options: dict[str, Any], only: list[str] | None, settings: dict[str, Any]) -> list[Case]:
    game = _registered().get(env)
    make_env: Callable[..., Any] = _function(env) if game is None else functools.partial(TableEnv, game)
    promises = {} if game is None else PROMISES
    return cases(functools.partial(make_env, **options), only, **{**promises, **settings})


def _registered() -> dict[str, str]:
    """Registered games by what they are called: ``NAME``, ``NAME_v0`` and ``blackjacky/NAME-v0``."""
    called = {name: (name, module_name(name), f"blackjacky/{name}-v{GAMES[name].version}") for name in GAMES}
    return {alias: name for name, aliases in called.items() for alias in aliases}


def _function(env: str) -> Callable[..., Any]:
    if ":" in env:
        return cast("Callable[..., Any]", find(env))
    games = ", ".join(GAMES)
    raise ValueError(f"{env!r} is neither a registered game nor of the form 'module:function'; games are {games}")


def _option(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m blackjacky_env.testing", description=__doc__)
    parser.add_argument("env", nargs="+", help="game, or function such as pettingzoo.classic.tictactoe_v3:env")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the environment")
    parser.add_argument("--only", nargs="+", metavar="CHECK", help=f"run only these of {', '.join(CHECKS)}")
    parser.add_argument("--games", type=int, default=10, help="number of games per check")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game")
    parser.add_argument("--max-steps", type=int, default=1000, help="maximum number of steps per game")
    parser.add_argument("--moments", type=int, default=3, help="random moments tried per game")
    parser.add_argument("--positions", type=int, default=300, help="positions examined for leaks")
    parser.add_argument("--refusal", choices=("any", "raise", "end"), help="of illegal actions, if promised")
    parser.add_argument("--off-turn-mask", choices=("zero",), help="promised mask of agents that are not on turn")
    parser.add_argument("--settings", metavar="MODULE:NAME", help="mapping of further settings, such as vary_hidden")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
