"""The replay of a finished game, with its analysis by the game's strongest agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from blackjacky_agents.analysis import analyse, strongest
from blackjacky_env.replay import replay_html

_THREADS = 2
_KEPT = 16  # pages, for the others at the table and for who comes back


def replay_page(recorded: Mapping[str, Any]) -> str:
    """The replay page of a game recorded by `Table.record`; it is the same for all seats.

    Making it takes seconds. Raises `NotImplementedError` if the game has no picture.
    """
    return _make(json.dumps(recorded))


@lru_cache(_KEPT)
def _make(recorded: str) -> str:
    known = json.loads(recorded)
    record, names = known["record"], list(known["names"].values())
    agent = strongest(record["game"])
    if agent is None:
        return str(replay_html(record, names=names))
    thoughts, curve = analyse(record, agent, threads=_THREADS)
    return str(replay_html(record, names=names, thoughts=thoughts, curve=curve))
