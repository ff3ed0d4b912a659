"""One line at the end of a run: what was skipped, and how to have it tested."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

WAYS = {
    "Chromium": (r"chromium|selenium", "apt install chromium chromium-driver"),
    "other frameworks": (r"rllib|torchrl|tianshou|supersuit|agilerl", "make frameworks"),
    "Ray": (r"\bray\b|extra `cluster`", "make cluster"),
    "other libraries": (
        r"pyspiel|pgx|rlcard|pygame",
        ".venv/bin/python -m pip install -c constraints.txt -e '.[peers]'",
    ),
}
"""What tests may need, by a pattern of the reasons why they are skipped, and how to get it."""


def in_one_line(reasons: Iterable[str]) -> str:
    """How many tests were skipped for lack of what, and how to have them tested; "" if none was."""
    counts = Counter(map(_need, reasons))
    if not counts:
        return ""
    told = [f"{counts[need]} without {need} ({way})" for need, (_, way) in WAYS.items() if counts[need]]
    told += [f"{counts['']} for other reasons (make test ARGS=-rs)"] if counts[""] else []
    return f"Skipped, and how to have it tested: {', '.join(told)}."


def _need(reason: str) -> str:
    return next((need for need, (pattern, _) in WAYS.items() if re.search(pattern, reason, re.IGNORECASE)), "")
