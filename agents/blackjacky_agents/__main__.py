"""The command ``blackjacky``, installed or as ``python -m blackjacky_agents``."""

import sys

from blackjacky_agents.starting import prepare_process

prepare_process()

from blackjacky_agents.cli import main, run  # noqa: E402 - while it is imported, too, Ctrl-C is one line

__all__ = ["main", "run"]

if __name__ == "__main__":
    sys.exit(main())
