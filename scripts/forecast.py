"""Score an agent's forecasts, as `blackjacky forecast` does (agents/blackjacky_agents/cli/forecast.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("forecast", sys.argv[1:], "python scripts/forecast.py"))
