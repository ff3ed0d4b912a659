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
from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.narration import action_phrase
from blackjacky_agents.search.analysis import Inquiry, Section, answer
from blackjacky_agents.search.explaining import champion_of
from blackjacky_agents.search.explaining import replay as replayed
from blackjacky_agents.wording import in_words, page_texts
from blackjacky_env.declare import ActionInfo
from blackjacky_env.replay import ENGLISH, Thoughts, Translation, late_judgement, new_table, replay_html

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

    async def page(self, recorded: Mapping[str, Any], language: str = "en") -> AsyncIterator[str]:
        """The page of a game recorded by `Table.record`, as it is made: the moves, then what they were worth."""
        record, names = recorded["record"], list(recorded["names"].values())
        judging = self._judging(record)
        about: dict[str, Any] = {"names": names, "translation": _translation(record["game"], names, language)}
        found = judging.found
        page = await asyncio.to_thread(replay_html, record, **about, **found)
        head, body_end, end = page.rpartition("</body>")
        yield head
        if judging.is_awaited and not found:
            async for share in judging.progress():
                yield _PROGRESS.format(f"{100 * share:.0f}")
            yield _DONE + await asyncio.to_thread(late_judgement, record, **about, **judging.found)
        yield body_end + end

    def _judging(self, record: Mapping[str, Any]) -> _Judging:
        key = json.dumps(record)
        if key not in self._kept:
            self._kept[key] = _Judging(record)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]


class _Judging:
    """Finds out what the moves of a game were worth; of a game without a trained agent, nothing."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record
        self._inquiry: Inquiry | None = None
        self.is_awaited = bool(get_kit(record["game"]).trained)
        self.found: dict[str, Any] = {}
        """Thoughts and curve, once they are known."""
        self._answered, self._turn = 0, asyncio.Lock()

    async def progress(self) -> AsyncIterator[float]:
        """The share that is done, 0 .. 1, after each part; those who wait take turns in having one answered."""
        yield 0.0
        while not self.found:
            async with self._turn:
                if not self.found:
                    await self._go_on()
            yield self._answered / len(self._inquiry.parts) if self._inquiry else 0.0

    async def _go_on(self) -> None:
        game = self._record["game"]
        if self._inquiry is None:
            thoughts = await asyncio.to_thread(aside.patiently, _thoughts, self._record)
            self._inquiry = await asyncio.to_thread(Inquiry, self._record, thoughts)
        elif self._answered < len(self._inquiry.parts):
            part = self._inquiry.parts[self._answered]
            self._inquiry.answers += await asyncio.to_thread(aside.patiently, _answer, game, part)
            self._answered += 1
        else:
            self.found = self._inquiry.analysis(list(get_kit(game).trained)[-1])._asdict()


def _thoughts(record: Mapping[str, Any]) -> list[Thoughts | None]:
    return list(replayed(new_table(record), record["actions"], champion_of(record["game"])))


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
