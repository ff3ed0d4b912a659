"""Solve a small table: exact values, and an equilibrium that plays as an agent.

    python scripts/solve.py --players 2 --max-card 3 --hand-size 1 --hearts 1 --bust-at 5 --max-turns-per-round 3
    python scripts/solve.py --resume runs/solved/GAME/NAME

The same as `blackjacky solve`; the code is in agents/blackjacky_agents/cli/solve.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("solve", sys.argv[1:], "python scripts/solve.py"))
