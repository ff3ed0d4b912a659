"""Train an agent against bots and past versions of itself, and evaluate it.

    python scripts/train.py --preset quick
    python scripts/train.py --resume runs/NAME

The same as `blackjacky train`; the code is in agents/blackjacky_agents/cli/train.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("train", sys.argv[1:], "python scripts/train.py"))
