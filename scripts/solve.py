"""Solve a small table, as `blackjacky solve` does (agents/blackjacky_agents/cli/solve.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("solve", sys.argv[1:], "python scripts/solve.py"))
