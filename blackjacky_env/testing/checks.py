"""The decorator of checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blackjacky_env.testing.errors import Spot
from blackjacky_env.testing.pictures import Env
from blackjacky_env.testing.trial import Trial

Check = Callable[..., None]
"""(make_env, **settings of `Trial`): raises `ConformanceError` or `Skipped`."""


def check(function: Callable[[Trial, Spot], None]) -> Check:
    """Turn a function of a `Trial` and a `Spot` into a check that takes an environment and settings."""

    def run(make_env: Callable[[], Env] | str, **settings: Any) -> None:
        trial = Trial(make_env, **settings)
        with Spot(run.__name__.removeprefix("check_")) as spot:
            function(trial, spot)

    run.__name__ = run.__qualname__ = function.__name__
    run.__doc__, run.__module__ = function.__doc__, function.__module__
    return run
