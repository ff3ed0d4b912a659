"""Check environments from the command line: ``python -m blackjacky_env.testing module:function``."""

from __future__ import annotations

import argparse
import ast
import functools
import sys
from typing import Any

from blackjacky_env.testing.report import CHECKS, Case, Report, cases, markdown
from blackjacky_env.testing.trial import find


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and print the table; the exit status is 1 if a check has failed."""
    args = _parser().parse_args(arguments)
    names = ("games", "seed", "max_steps", "moments", "positions", "refusal", "off_turn_mask")
    settings: dict[str, Any] = {name: getattr(args, name) for name in names}
    try:
        settings |= dict(find(args.settings)) if args.settings else {}
        options = dict(map(_option, args.option))
        chosen = {env: cases(functools.partial(find(env), **options), args.only, **settings) for env in args.env}
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        sys.exit(f"error: {error}")
    reports = {env: _run(env, chosen[env]) for env in chosen}
    if args.markdown:
        print(markdown(reports))
    else:
        print("\n\n".join(f"{env}\n{report}" for env, report in reports.items()))
    return int(any(report.failed for report in reports.values()))


def _run(env: str, chosen: list[Case]) -> Report:
    report = Report()
    for number, case in enumerate(chosen, start=1):
        _show(f"{env}: {number}/{len(chosen)} {case.name}")
        report.append(case.result())
    _show("")
    return report


def _show(progress: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{progress:79}\r", end="", file=sys.stderr, flush=True)


def _option(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m blackjacky_env.testing", description=__doc__)
    parser.add_argument("env", nargs="+", help="function that makes it, such as pettingzoo.classic.tictactoe_v3:env")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the environment")
    parser.add_argument("--only", nargs="+", metavar="CHECK", help=f"run only these of {', '.join(CHECKS)}")
    parser.add_argument("--games", type=int, default=10, help="number of games per check")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game")
    parser.add_argument("--max-steps", type=int, default=1000, help="maximum number of steps per game")
    parser.add_argument("--moments", type=int, default=3, help="random moments tried per game")
    parser.add_argument("--positions", type=int, default=300, help="positions examined for leaks")
    parser.add_argument("--refusal", choices=("any", "raise", "end"), default="any", help="of illegal actions")
    parser.add_argument("--off-turn-mask", choices=("zero",), help="promised mask of agents that are not on turn")
    parser.add_argument("--settings", metavar="MODULE:NAME", help="mapping of further settings, such as vary_hidden")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser


if __name__ == "__main__":
    sys.exit(main())
