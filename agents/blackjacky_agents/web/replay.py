"""The replay of a finished game, with what the game's strongest agent makes of every move."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from blackjacky_agents.kit.narration import action_phrase
from blackjacky_agents.search.analysis import Analysis, analyse
from blackjacky_agents.search.explaining import champion_of
from blackjacky_agents.search.explaining import replay as replayed
from blackjacky_agents.wording import in_words, page_texts
from blackjacky_env.declare import ActionInfo
from blackjacky_env.replay import Translation, new_table, replay_html

_THREADS = 2
_KEPT = 16  # analyses, for the others at the table and for those who come back
WORDS = json.loads(Path(__file__).with_name("replay_texts.json").read_text(encoding="utf-8"))


def replay_page(recorded: Mapping[str, Any], language: str = "en") -> str:
    """The replay page of a game recorded by `Table.record`; it is the same for everybody.

    Making it takes up to half a minute. Raises `NotImplementedError` if the game has no picture.
    """
    record, names = recorded["record"], list(recorded["names"].values())
    thoughts, curve = _analysed(json.dumps(record))
    if language not in WORDS:
        return str(replay_html(record, names=names, thoughts=thoughts, curve=curve))
    translation = translated(record["game"], names, language)
    return str(replay_html(record, names=names, thoughts=thoughts, curve=curve, translation=translation))


def translated(game: str, names: Sequence[str], language: str) -> Translation:
    """A replay in a language of ``replay_texts.json``."""
    texts = page_texts(game)[language]

    def tell(info: ActionInfo, seat: int) -> str:
        return in_words(action_phrase(info, seat, len(names)), texts, names)

    return Translation(language, {**texts["picture"], **WORDS[language]}, tell)


@lru_cache(_KEPT)
def _analysed(record: str) -> Analysis | tuple[None, None]:
    played = json.loads(record)
    agent = champion_of(played["game"])
    if agent is None:
        return None, None
    champions = list(replayed(new_table(played), played["actions"], agent))
    return analyse(played, agent, champions, threads=_THREADS)
