"""A conformance kit for PettingZoo's AEC environments, and a proof that observations leak nothing hidden.

`check_all` runs all checks on a function that makes an environment, with settings (the fields of `Trial`), and returns
a report that prints as a table; `check` runs one and raises what it finds.
``python -m blackjacky_env.testing module:function`` runs them from the command line. The README of this folder lists
the checks.

>>> from blackjacky_env.testing import check
>>> check("mask", "pettingzoo.classic.tictactoe_v3:env", games=2)
"""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterable
from typing import Any

from blackjacky_env.checks import check_choice
from blackjacky_env.testing import continuing, declared, leaks, stepping
from blackjacky_env.testing.leaks import Examined, examine
from blackjacky_env.testing.readouts import Env
from blackjacky_env.testing.trial import ConformanceError, Skipped, Trial

__all__ = ["CHECKS", "ConformanceError", "Examined", "Report", "Skipped", "Trial", "check", "check_all", "examine"]

PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"

CHECKS: dict[str, Callable[[Trial], None]] = {
    name.removeprefix("check_"): function
    for module in (declared, continuing, stepping, leaks)
    for name, function in vars(module).items()
    if name.startswith("check_")
}
"""All checks by name."""


class Report(dict[str, tuple[str, str]]):
    """Outcome (``"passed"``, ``"FAILED"`` or ``"skipped"``) and reason by name of the check; `str` gives a table."""

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        return [name for name, (outcome, _) in self.items() if outcome == FAILED]

    def __str__(self) -> str:
        return "\n".join(self.line(name, self) for name in self)

    def line(self, name: str, among: Iterable[str]) -> str:
        """The line of a check in a table of those ``among`` which it is."""
        outcome, why = self[name]
        return f"{name:{max(map(len, among))}}  {outcome:7}  {why}".rstrip()


def check(name: str, make_env: Callable[[], Env] | str, **settings: Any) -> None:
    """Run one check, with settings of `Trial`.

    Raises:
        ConformanceError: it has failed.
        Skipped: it does not apply; pytest and unittest count it as skipped.
        TypeError, ValueError: the check or a setting is unknown or invalid.
    """
    check_choice("name", name, CHECKS)
    _run(name, Trial(make_env, **settings))


def check_all(
    make_env: Callable[[], Env] | str,
    only: Iterable[str] | None = None,
    tell: Callable[[str], object] = lambda line: None,
    **settings: Any,
) -> Report:
    """Run all checks, or those named in ``only``; failures are reported, not raised. ``tell`` gets each line at once.

    Raises:
        TypeError, ValueError: a check or a setting is unknown.
    """
    trial, report = Trial(make_env, **settings), Report()
    names = list(CHECKS if only is None else only)
    for name in names:
        check_choice("only", name, CHECKS)
    for name in names:
        try:
            _run(name, trial)
        except ConformanceError as error:
            report[name] = FAILED, str(error)
            if name == "plain":
                tell(report.line(name, names))
                break  # what follows is compiled first, and fails as well
        except unittest.SkipTest as reason:
            report[name] = SKIPPED, str(reason)
        else:
            report[name] = PASSED, trial.note
        tell(report.line(name, names))
    return report


def _run(name: str, trial: Trial) -> None:
    with trial.naming(name):
        CHECKS[name](trial)
