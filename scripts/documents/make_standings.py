"""The table of standings of each game, docs/standings.md, from the score cards in results/.

A card may come from anybody: its texts become plain text, whatever they look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path, PurePath

from parts import DOCS, ROOMS, ROOT, Part

from blackjacky_agents.arena.card_check import ScoreCard, read_score_card
from blackjacky_agents.reports import markdown_table

CARDS = ROOT / "results"
"""Score cards, GAME/NAME.json."""

UNRANKED = "trial"
"""The length of a protocol that is too short to compare agents."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\.json")  # of a card's file, which is part of an address
_PLAIN = re.compile(r"[^\W_]|[ ,()]")
Cards = dict[Path, ScoreCard]


def parts() -> Iterator[Part]:
    """The table of each game."""
    for game in ROOMS:
        yield Part(DOCS / "standings.md", f"standings-{game}", standings(read_cards(CARDS / game, game)))


def read_cards(folder: Path, game: str) -> Cards:
    """All cards in a game's folder; `ValueError` names one that is refused, of another game, or badly named."""
    cards = {}
    for path in sorted(folder.glob("*")):
        if not _NAME.fullmatch(path.name):
            raise ValueError(f"{path}: a card is named NAME.json, with a NAME of small letters, digits and . _ -")
        cards[path] = read_score_card(path)
        if cards[path].protocol.game != game:
            raise ValueError(f"{path} is a card of {cards[path].protocol.game}: move it to the folder of that game")
    return cards


def standings(cards: Cards) -> str:
    """A game's cards as a table: newer protocols first, then by score; scores of different ones are not compared."""
    if not cards:
        return "No agent has a card yet."
    ranks: dict[str, Iterator[int]] = {}
    rows = []
    for path, card in sorted(cards.items(), key=order):
        rank = next(ranks.setdefault(card.protocol.name, count(1))) if card.length != UNRANKED else "-"
        rows.append([str(rank), *row(path, card)])
    heading = ["rank", "agent", "score", "95 % interval", "protocol", "weakest at", "kind"]
    return markdown_table([*heading, "network", "training", "time of a move", "by", "date", "more"], rows)


def order(item: tuple[Path, ScoreCard]) -> tuple[int, bool, float, str]:
    """The place of a card in the table."""
    path, card = item
    version = int(card.protocol.name.partition("/")[2])
    return -version, card.length == UNRANKED, -card.result.score.mean, path.name


def row(path: Path, card: ScoreCard) -> Sequence[str]:
    """The cells of a card, without its rank."""
    entry, score = card.entry, card.result.score
    worst = min(card.result.tables, key=lambda table: table.score.mean)
    links = [f"[card](../results/{card.protocol.game}/{path.name})"]
    if entry.link:
        links.append(f"[link]({entry.link})")
    return [
        shown(short(card.name)),
        f"**{score.mean:.1f}**",
        f"{score.low:.1f} .. {score.high:.1f}",
        f"`{card.protocol.name}` {card.length}",
        f"{round(worst.score.mean)} against `{worst.opponents}`",
        shown(entry.kind),
        shown(entry.network),
        shown(entry.training),
        f"{card.microseconds:,} µs",
        shown(entry.by),
        card.day.isoformat(),
        ", ".join(links),
    ]


def short(name: str) -> str:
    """An agent's name; of a trained one that of its weights or run."""
    return PurePath(name.removeprefix("ppo:")).stem if name.startswith("ppo:") else name


def shown(text: str) -> str:
    """A stranger's text as plain text in Markdown: all but letters, digits, spaces, commas, parentheses as numbers."""
    return "".join(each if _PLAIN.fullmatch(each) else f"&#{ord(each)};" for each in text) or "-"
