"""Play against agents, as `blackjacky play` does (agents/blackjacky_agents/cli/play.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("play", sys.argv[1:], "python scripts/play.py"))
