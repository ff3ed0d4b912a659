"""Score an agent's forecasts of who wins, and of what the next settlement does to each seat.

    python scripts/forecast.py champion
    python scripts/forecast.py counter --playouts 100 --games 50

The same as `blackjacky forecast`; the code is in agents/blackjacky_agents/cli/forecast.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("forecast", sys.argv[1:], "python scripts/forecast.py"))
