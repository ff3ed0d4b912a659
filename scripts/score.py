"""Score an agent, as `blackjacky score` does (agents/blackjacky_agents/cli/score.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("score", sys.argv[1:], "python scripts/score.py"))
