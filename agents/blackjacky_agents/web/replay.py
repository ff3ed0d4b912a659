"""The replay of a finished game, with what the game's strongest agent makes of every move."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.aside import aside
from blackjacky_agents.kit.narration import action_phrase
from blackjacky_agents.search.analysis import Inquiry, Section, answer
from blackjacky_agents.search.explaining import champion_of
from blackjacky_agents.search.explaining import replay as replayed
from blackjacky_agents.wording import in_words, page_texts
from blackjacky_env.declare import ActionInfo
from blackjacky_env.replay import ENGLISH, Translation, late_judgement, new_table, replay_html

_THREADS = 2
_KEPT = 16  # analyses, for the others at the table and for those who come back
_PROGRESS = "<style>#page-progress{{display:block;background:linear-gradient(90deg,var(--bar) {0}%,var(--stripe) 0)}}"
_PROGRESS += "#page-progress::after{{content:' {0} %'}}</style>"
_DONE = "<style>#page-progress{display:none}</style>"
WORDS = json.loads(Path(__file__).with_name("replay_texts.json").read_text(encoding="utf-8"))


class Replays:
    """Replay pages of finished games, with what the game's strongest agent makes of every move.

    What that is worth is found out part by part, for as long as somebody waits for it, and then kept.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Judging] = OrderedDict()
        self._turn = asyncio.Lock()

    async def page(self, recorded: Mapping[str, Any], language: str = "en") -> AsyncIterator[str]:
        """The page of a game recorded by `Table.record`, as it is made: the moves, then what they were worth."""
        record, names = recorded["record"], list(recorded["names"].values())
        async with self._turn:
            judging = await asyncio.to_thread(self._judging, json.dumps(record))
        about: dict[str, Any] = {"names": names, "translation": _translation(record["game"], names, language)}
        told = {"thoughts": judging.thoughts} if judging.left else judging.found()
        head, body_end, end = (await asyncio.to_thread(replay_html, record, **about, **told)).rpartition("</body>")
        yield head
        if judging.left:
            async for share in judging.progress():
                yield _PROGRESS.format(f"{100 * share:.0f}")
            yield _DONE + await asyncio.to_thread(late_judgement, record, **about, **judging.found())
        yield body_end + end

    def _judging(self, record: str) -> _Judging:
        if record not in self._kept:
            self._kept[record] = _Judging(json.loads(record))
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[record]


class _Judging:
    """Finds out what the moves of a game were worth."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._game, champion = record["game"], champion_of(record["game"])
        self._player = "" if champion is None else champion.name
        self.thoughts = list(replayed(new_table(record), record["actions"], champion))
        self._inquiry = Inquiry(record, self.thoughts)
        self._answered, self._turn = 0, asyncio.Lock()

    @property
    def left(self) -> int:
        """Number of parts that are not answered yet."""
        return len(self._inquiry.parts) - self._answered if self._player else 0

    async def progress(self) -> AsyncIterator[float]:
        """The share that is done, 0 .. 1, after each part; those who wait take turns in having one answered."""
        while self.left:
            yield self._answered / len(self._inquiry.parts)
            async with self._turn:
                if self.left:
                    part = self._inquiry.parts[self._answered]
                    self._inquiry.answers += await asyncio.to_thread(aside.patiently, _answer, self._game, part)
                    self._answered += 1

    def found(self) -> dict[str, Any]:
        """What a page shows: nothing of a game without a trained agent."""
        return self._inquiry.analysis(self._player)._asdict() if self._player else {}


def _answer(game: str, part: Section) -> list[npt.NDArray[np.float64]]:
    champion = champion_of(game)
    assert champion is not None
    return answer(champion, part, _THREADS)


def _translation(game: str, names: Sequence[str], language: str) -> Translation:
    """A replay in a language of ``replay_texts.json``, else in English."""
    if language not in WORDS:
        return ENGLISH
    texts = page_texts(game)[language]

    def tell(info: ActionInfo, seat: int) -> str:
        return in_words(action_phrase(info, seat, len(names)), texts, names)

    return Translation(language, {**texts["picture"], **WORDS[language]}, tell)
