"""Train an agent by self-play and against bots, as `blackjacky train` does (agents/blackjacky_agents/cli/train.py)."""

import sys

from blackjacky_agents.__main__ import run

if __name__ == "__main__":
    sys.exit(run("train", sys.argv[1:], "python scripts/train.py"))
