"""Measure what algorithms learn, as `blackjacky benchmark` does (agents/blackjacky_agents/cli/benchmark.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("benchmark", sys.argv[1:], "python scripts/benchmark.py"))
