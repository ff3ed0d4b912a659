"""All checks at once, with a report that prints as a table."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from blackjacky_env.testing import actions, copies, determinism, leaks, observations, rewards
from blackjacky_env.testing.readouts import Env
from blackjacky_env.testing.trial import Check, ConformanceError, Trial

PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"

CHECKS: dict[str, Check] = {
    name.removeprefix("check_"): function
    for module in (determinism, copies, actions, rewards, observations, leaks)
    for name, function in vars(module).items()
    if name.startswith("check_")
}
"""All checks by name."""


class Result(NamedTuple):
    """Result of one check."""

    name: str
    outcome: str
    """``"passed"``, ``"FAILED"`` or ``"skipped"``."""
    reason: str
    """Why it failed or was skipped."""


class Report(list[Result]):
    """The results of all checks, in order; `str` gives a table."""

    @property
    def failed(self) -> list[Result]:
        """The results of the checks that failed."""
        return [result for result in self if result.outcome == FAILED]

    def __str__(self) -> str:
        width = max((len(result.name) for result in self), default=0)
        return "\n".join(f"{name:{width}}  {outcome:7}  {reason}".rstrip() for name, outcome, reason in self)


def markdown(reports: Mapping[str, Report]) -> str:
    """A Markdown table with a column for each environment, and the reasons below it."""
    outcomes = {env: {result.name: result.outcome for result in report} for env, report in reports.items()}
    names = dict.fromkeys(result.name for report in reports.values() for result in report)
    rows = [["check", *(f"`{env}`" for env in reports)], ["--"] * (1 + len(reports))]
    rows += [[f"`{name}`", *(outcomes[env].get(name, "") for env in reports)] for name in names]
    failed = [f"- `{env}`: {result.reason}" for env, report in reports.items() for result in report.failed]
    skipped = [
        f"- `{result.name}` skipped: {result.reason}"
        for report in reports.values()
        for result in report
        if result.outcome == SKIPPED
    ]
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", *failed, *dict.fromkeys(skipped)]).rstrip()


class Case:
    """One check of one environment, ready to run: for ``pytest.mark.parametrize("case", cases(make_env), ids=str)``."""

    def __init__(self, name: str, run: Callable[[], None]) -> None:
        self.name, self._run = name, run

    def __call__(self) -> None:
        """Run the check; raises `ConformanceError`, or `Skipped`, which pytest and unittest count as skipped."""
        self._run()

    def __str__(self) -> str:
        return self.name

    def result(self) -> Result:
        """Run the check and return its result."""
        try:
            self._run()
        except ConformanceError as error:
            return Result(self.name, FAILED, str(error))
        except unittest.SkipTest as reason:
            return Result(self.name, SKIPPED, str(reason))
        return Result(self.name, PASSED, "")


def cases(make_env: Callable[[], Env] | str, only: Iterable[str] | None = None, **settings: Any) -> list[Case]:
    """All checks, or those named in ``only``, ready to run with settings of `Trial`.

    Raises:
        TypeError, ValueError: a check or a setting is unknown.
    """
    Trial(make_env, **settings)  # raises now for invalid settings
    names = list(CHECKS if only is None else only)
    for name in names:
        if name not in CHECKS:
            raise ValueError(f"unknown check {name!r}; checks are {', '.join(CHECKS)}")
    return [Case(name, functools.partial(CHECKS[name], make_env, **settings)) for name in names]


def check_all(make_env: Callable[[], Env] | str, only: Iterable[str] | None = None, **settings: Any) -> Report:
    """Run all checks, or those named in ``only``; failures are reported, not raised."""
    return Report(case.result() for case in cases(make_env, only, **settings))
