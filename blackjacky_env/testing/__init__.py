"""A conformance kit for PettingZoo's AEC environments, and a proof that observations leak nothing hidden.

Every check takes a function that makes an environment, and settings (the fields of `Trial`); it raises
`ConformanceError`, or `Skipped` if it does not apply. `check_all` runs all checks and returns a report that prints as a
table; `cases` returns them for pytest. ``python -m blackjacky_env.testing module:function`` runs them from the command
line. The README of this folder lists the checks.

>>> from blackjacky_env.testing import check_mask
>>> check_mask("pettingzoo.classic.tictactoe_v3:env", games=2)
"""

from __future__ import annotations

from blackjacky_env.testing.actions import check_illegal_action, check_mask
from blackjacky_env.testing.copies import check_deepcopy, check_pickle, check_state
from blackjacky_env.testing.determinism import check_after_other_games, check_other_process, check_same_process
from blackjacky_env.testing.leaks import Examined, check_no_leaks, check_public_shows, examine
from blackjacky_env.testing.observations import (
    check_handed_out,
    check_looking,
    check_observations,
    check_off_turn_mask,
)
from blackjacky_env.testing.report import CHECKS, Case, Report, Result, cases, check_all
from blackjacky_env.testing.rewards import check_last_rewards, check_rewards, check_rewards_cleared
from blackjacky_env.testing.trial import ConformanceError, Skipped, Trial, random_preferences

__all__ = [
    "CHECKS",
    "Case",
    "ConformanceError",
    "Examined",
    "Report",
    "Result",
    "Skipped",
    "Trial",
    "cases",
    "check_after_other_games",
    "check_all",
    "check_deepcopy",
    "check_handed_out",
    "check_illegal_action",
    "check_last_rewards",
    "check_looking",
    "check_mask",
    "check_no_leaks",
    "check_observations",
    "check_off_turn_mask",
    "check_other_process",
    "check_pickle",
    "check_public_shows",
    "check_rewards",
    "check_rewards_cleared",
    "check_same_process",
    "check_state",
    "examine",
    "random_preferences",
]
