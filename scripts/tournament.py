"""Let agents play a tournament, as `blackjacky tournament` does (agents/blackjacky_agents/cli/tournament.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("tournament", sys.argv[1:], "python scripts/tournament.py"))
