"""Write games as a dataset, as `blackjacky dataset` does (agents/blackjacky_agents/cli/dataset.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("dataset", sys.argv[1:], "python scripts/dataset.py"))
