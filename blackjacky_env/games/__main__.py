"""Print the code that is generated from a game's fields: ``python -m blackjacky_env.games NAME``."""

import sys

from blackjacky_env.compiled.shown import source_of_encode, source_of_sample
from blackjacky_env.games import get_game

for name in sys.argv[1:]:
    try:
        fields = get_game(name).fields
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    print(source_of_encode(fields), source_of_sample(fields), sep="\n\n")
