"""What all tests share: Hypothesis without a clock, the same examples every time; no network beyond this machine.

pytest-randomly shuffles the tests; ``--randomly-seed`` with the number in a run's header repeats an order.
"""

import sys
from typing import Any

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


def _stay_here(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = str(arguments[1][0])
        if not (host.startswith("127.") or host in {"localhost", "::1", "0.0.0.0", "::"}):
            raise RuntimeError(f"a test connects to {host}; tests need no network")


sys.addaudithook(_stay_here)
