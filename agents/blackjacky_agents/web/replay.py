"""The replay of a finished game, with what the game's strongest agent makes of every move."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from blackjacky_agents.search.analysis import analyse
from blackjacky_agents.thoughts import champion_of, replay
from blackjacky_env.replay import new_table, replay_html

_THREADS = 2
_KEPT = 16  # pages, for the others at the table and for those who come back


def replay_page(recorded: Mapping[str, Any]) -> str:
    """The replay page of a game recorded by `Table.record`; it is the same for everybody.

    Making it takes up to half a minute. Raises `NotImplementedError` if the game has no picture.
    """
    return _make(json.dumps(recorded))


@lru_cache(_KEPT)
def _make(recorded: str) -> str:
    known = json.loads(recorded)
    record, names = known["record"], list(known["names"].values())
    agent = champion_of(record["game"])
    if agent is None:
        return str(replay_html(record, names=names))
    champions = list(replay(new_table(record), record["actions"], agent))
    thoughts, curve = analyse(record, agent, champions, threads=_THREADS)
    return str(replay_html(record, names=names, thoughts=thoughts, curve=curve))
