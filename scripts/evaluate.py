"""Let agents play each other at one table: win rates with 95 % intervals.

    python scripts/evaluate.py --players counter,random*3 --games 10000

The same as `blackjacky evaluate`; the code is in agents/blackjacky_agents/cli/evaluate.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("evaluate", sys.argv[1:], "python scripts/evaluate.py"))
