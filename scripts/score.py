"""Score an agent in the fixed protocol of a game: 0 is random play, 100 the shipped champion.

    python scripts/score.py counter
    python scripts/score.py my_agents:Careful --protocol full
    python scripts/score.py "cmd:perl examples/agent.pl" --protocol trial

The same as `blackjacky score`; the code is in agents/blackjacky_agents/cli/score.py.
"""

import sys

from blackjacky_agents.cli import run

if __name__ == "__main__":
    sys.exit(run("score", sys.argv[1:], "python scripts/score.py"))
