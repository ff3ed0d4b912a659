"""Watch a game between agents, as `blackjacky watch` does (agents/blackjacky_agents/cli/watch.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("watch", sys.argv[1:], "python scripts/watch.py"))
