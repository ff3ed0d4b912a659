"""Let agents play a tournament with duplicate deals: win rates, ratings and pairwise results.

    python scripts/tournament.py --agents counter,random --games 20000
    python scripts/tournament.py --agents counter,ppo:runs/NAME --players 4 --lineups copies --until 0.01

The same as `blackjacky tournament`; the code is in agents/blackjacky_agents/cli/tournament.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("tournament", sys.argv[1:], "python scripts/tournament.py"))
