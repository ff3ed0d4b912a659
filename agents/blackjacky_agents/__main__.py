"""``python -m blackjacky_agents``: the command ``blackjacky``."""

import sys

from blackjacky_agents.cli import main

sys.exit(main())
