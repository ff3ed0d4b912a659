"""Watch a game between agents, as an HTML page or in the terminal.

    python scripts/watch.py --players champion,counter*3 --out game.html
    python scripts/watch.py --record game.json

The same as `blackjacky watch`; the code is in agents/blackjacky_agents/cli/watch.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("watch", sys.argv[1:], "python scripts/watch.py"))
