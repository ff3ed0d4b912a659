"""The new process of `check_other_process`: plays the games given on standard input and prints their digests."""

from __future__ import annotations

import json
import pickle
import sys

from blackjacky_env.testing.determinism import UNKNOWN, digests, readouts
from blackjacky_env.testing.errors import Spot
from blackjacky_env.testing.trial import RecordedGame, Trial


def main() -> None:
    """Read, play, print."""
    out, sys.stdout = sys.stdout, sys.stderr  # keep the environments' own output apart
    try:
        make_env, games = pickle.load(sys.stdin.buffer)  # noqa: S301  # written by the process that started this one
        trial = Trial(make_env)
        _ = trial.make
    except (ImportError, AttributeError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(UNKNOWN)
    spot = Spot("other_process")
    played = [[digests(seen) for seen in readouts(trial, spot, RecordedGame(*game))] for game in games]
    json.dump(played, out)


if __name__ == "__main__":
    main()
