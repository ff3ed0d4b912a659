"""Exceptions of the checks, and the place in a game that they name."""

from __future__ import annotations

import unittest
from types import TracebackType
from typing import Any, NoReturn


class ConformanceError(AssertionError):
    """A check has failed; the message names the check, the game's seed, the step, the agent and the finding.

    Args:
        check: name of the check.
        what: the finding.
        seed: seed of the game; None: not about a single game.
        step: number of the action in the game, from 0; None: before the first.
        agent: the agent that acted, or that is concerned.
    """

    def __init__(
        self, check: str, what: str, seed: int | None = None, step: int | None = None, agent: Any = None
    ) -> None:
        super().__init__(check, what, seed, step, agent)
        self.check, self.what, self.seed, self.step, self.agent = check, what, seed, step, agent

    def __str__(self) -> str:
        places = {"seed": self.seed, "step": self.step, "agent": self.agent}
        where = ", ".join(f"{name} {place}" for name, place in places.items() if place is not None)
        return f"{self.check} ({where}): {self.what}" if where else f"{self.check}: {self.what}"


class Skipped(unittest.SkipTest):
    """A check does not apply to this environment, for the reason given; pytest and unittest count it as skipped."""


class Spot:
    """The place in its games that a check has reached.

    As a context manager it turns every exception of an environment into a `ConformanceError`.
    """

    def __init__(self, check: str) -> None:
        self.check = check
        self.seed: int | None = None
        self.step: int | None = None
        self.agent: Any = None

    def begin(self, seed: int | None) -> None:
        """Start the game of this seed."""
        self.seed, self.step, self.agent = seed, None, None

    def fail(self, what: str) -> NoReturn:
        """Raise a `ConformanceError` that names this place."""
        raise ConformanceError(self.check, what, self.seed, self.step, self.agent)

    def __enter__(self) -> Spot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, ConformanceError | unittest.SkipTest):
            what = f"the environment raised {type(error).__name__}: {error}"
            raise ConformanceError(self.check, what, self.seed, self.step, self.agent) from error
