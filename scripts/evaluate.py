"""Let agents play each other, as `blackjacky evaluate` does (agents/blackjacky_agents/cli/evaluate.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("evaluate", sys.argv[1:], "python scripts/evaluate.py"))
