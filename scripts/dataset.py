"""Write games between agents as a dataset for offline learning, in Parquet files.

    python scripts/dataset.py --players 'champion,counter*3' --games 1000000 --out data

The same as `blackjacky dataset`; the code is in agents/blackjacky_agents/cli/dataset.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("dataset", sys.argv[1:], "python scripts/dataset.py"))
