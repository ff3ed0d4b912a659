"""Play a game against agents, in the terminal or in the browser.

    python scripts/play.py --opponents counter*3
    python scripts/play.py --web --people 2 --opponents counter*2

The same as `blackjacky play`; the code is in agents/blackjacky_agents/cli/play.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("play", sys.argv[1:], "python scripts/play.py"))
