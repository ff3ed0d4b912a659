"""Narration: descriptions of moves and settlements for people, limited to what the reader's seat may know.

A description is a list of phrases: language-independent data, made from the seat's views before and after the move and
from the action as the seat knows it. The texts of the game's `GameKit` hold a template for each phrase in each
language. `in_words` renders phrases in English for the terminal; the web page renders them in the reader's language.

A phrase is one of

- ``{"key": "takes_trick", "values": {"seat": ...}}``: a sentence template and its values, phrases or plain values;
- an action, as returned by `ActionInfo.describe`, with absolute seats;
- ``{"seat": 2}`` or ``{"card": "QS"}``: a player's name or a card;
- a list of phrases, joined by spaces.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from blackjacky_agents.games import get_kit
from blackjacky_env.engine.actions import HIDDEN, HIDDEN_WORDS, ActionInfo
from blackjacky_env.engine.text import WIDTH
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

View = dict[str, Any]
Phrase = dict[str, Any]
Texts = Mapping[str, Any]
"""The texts of a game in one language, by section; see `page_texts`."""

_SECTIONS = (
    *("phases", "actions", "explanations", "sentences", "cards", "piles", "numbers", "hidden"),
    *("picture", "options", "refusals"),
)


# ---------------------------------------------------------------- phrases


def say(key: str, **values: Any) -> Phrase:
    """A phrase: the sentence template ``key`` with its values."""
    return {"key": key, "values": values}


def seat(number: int) -> Phrase:
    """A phrase: the name of the player at an absolute seat."""
    return {"seat": number}


def card(name: int | str) -> Phrase:
    """A phrase: a card as written in snapshots, or ``"hidden"``."""
    return {"card": name}


def listed(phrases: Iterable[Phrase]) -> Phrase:
    """A phrase: several, at least one, separated by commas."""
    first, *rest = phrases
    return say("listed", first=first, rest=listed(rest)) if rest else first


def action_phrase(info: ActionInfo, actor: int, players: int) -> Phrase:
    """A phrase: an action of the seat ``actor``, with absolute seats."""
    return {**info.describe(), "seats": [(actor + each) % players for each in info.seats]}


# ---------------------------------------------------------------- moves


class Move(NamedTuple):
    """One move as a seat knows it: the seat's views before and after, and the action without its secrets."""

    before: View
    after: View
    action: ActionInfo
    seat: int | None
    """The reader's seat; None: a spectator."""
    players: int
    options: Mapping[str, Any]
    """The constructor options in force, from `TableEnv.config_dict`."""

    @property
    def actor(self) -> int:
        """The seat that moved."""
        return int(self.before["player"])


def told_plainly(move: Move) -> list[Phrase]:
    """The default description: the player and the action's name."""
    return [say("did", actor=seat(move.actor), action=action_phrase(move.action, move.actor, move.players))]


class Pause(NamedTuple):
    """A position that people should see before the game goes on, such as a full trick."""

    name: Phrase
    """What it is called when people look at it again, such as "last trick"."""
    told: list[Phrase]
    """What can be seen in it."""
    view: View
    """The position as the reader's seat sees it, in the form of `TableEnv.view`, for the picture."""


class Score(NamedTuple):
    """The line of one player in a `ScoreTable`."""

    seat: int
    cells: Sequence[Any]
    """One phrase or plain value for each column."""
    why: list[Phrase]
    """The reason, such as "bust: loses a heart"; may be empty."""
    mark: Literal["", "good", "bad"] = ""
    """How it is marked: a player who wins, or who loses something."""
    standing: int = 0
    """Orders the players at the end of the game, highest first; winners come before all others."""


class ScoreTable(NamedTuple):
    """The outcome of a settlement: one line for each player, and what changes."""

    columns: Sequence[Phrase | str]
    rows: list[Score]


class Narrator(NamedTuple):
    """How a game's moves and settlements are described; by default a move is described by the action's name."""

    story: Callable[[Move], list[Phrase]] = told_plainly
    """(move) -> phrases: what the move did, as far as the reader's seat knows."""
    settlement: Callable[[View], list[Phrase]] = lambda view: []
    """(view after it) -> phrases: the outcome of the last settlement, for readers without the picture."""
    pause: Callable[[Move], Pause | None] = lambda move: None
    """(move) -> what people should see before the game goes on; None: nothing. Whether there is a pause must not
    depend on the reader's seat."""
    scores: Callable[[Move], ScoreTable] | None = None
    """(move that settled a round) -> the outcome; None: the lists in the snapshot's last settlement."""
    is_out: Callable[[View, int], bool] = lambda view, seat: False
    """(view, seat) -> whether the player will not act again in this game."""
    settled: Callable[[Move], View] | None = None
    """(move that settled a round) -> the position before anything is lost, with what changes in ``"settled"``, for the
    picture; see `blackjacky_env.engine.svg.Settled`. None: the picture shows the last pause, or the next round."""


def tell_move(env: TableEnv, before: View, after: View, action: int, seat: int | None) -> list[Phrase]:
    """Describe a move as far as a seat may know it.

    Args:
        env: the table, after the move.
        before: the seat's view before the move.
        after: the seat's view after it.
        action: the action played.
        seat: the reader's seat; None: a spectator.
    """
    return get_kit(env.game.name).narrator.story(known_move(env, before, after, action, seat))


def known_move(env: TableEnv, before: View, after: View, action: int, seat: int | None) -> Move:
    """A move without what the seat cannot know; arguments as in `tell_move`."""
    known = env.game.words.actions.known(action, before["phase"], is_own=seat == before["player"])
    return Move(before, after, known, seat, env.num_players, env.config_dict())


def is_settled(game: str, before: View, after: View) -> bool:
    """Whether a round was settled between the two views, or the game has ended."""
    key = get_game(game).words.round_key
    return bool(before[key] != after[key] or after["phase"] == "over")


def score_table(game: str, move: Move) -> ScoreTable:
    """The outcome of the round that ``move`` settled."""
    scores = get_kit(game).narrator.scores
    return _plain_scores(game, move) if scores is None else scores(move)


def _plain_scores(game: str, move: Move) -> ScoreTable:
    """The lists in the snapshot's last settlement that have an entry for each player."""
    key = get_game(game).words.settlement_key
    settled = move.after[key]
    found = settled if isinstance(settled, dict) else {key: settled}
    lists = {name: each for name, each in found.items() if isinstance(each, list) and len(each) == move.players}
    rows = [
        Score(player, [_plainly(each[player]) for each in lists.values()], [], winner_mark(move, player))
        for player in range(move.players)
    ]
    return ScoreTable([name.replace("_", " ") for name in lists], rows)


def _plainly(value: object) -> str:
    """A value of a snapshot as text."""
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def winner_mark(move: Move, player: int) -> Literal["", "good"]:
    """The mark of a winner once the game is over."""
    return "good" if player in move.after["winners"] else ""


def mark_of(move: Move, player: int, losers: Sequence[int]) -> Literal["", "good", "bad"]:
    """The mark of a player: that of the losers of a round, or once the game is over of its winners."""
    if move.after["phase"] == "over":
        return winner_mark(move, player)
    return "bad" if player in losers else ""


def worst(points: Sequence[int]) -> list[int]:
    """The seats with the most points of a deal, where points are bad; none if all have the same."""
    most = max(points)
    return [] if most == min(points) else [player for player, each in enumerate(points) if each == most]


# ---------------------------------------------------------------- texts


def page_texts(game: str) -> dict[str, Texts]:
    """The texts of a game by language, English first; missing entries fall back to English.

    Sections are ``summary`` (a sentence), ``help`` (a list of paragraphs), ``tour`` (pairs of a place that
    ``web/page/tour.js`` knows and a text about the first turn) and the following, each a mapping from key to
    text: ``phases`` (prompts for the player to act), ``actions`` (names by kind), ``explanations`` (effects of actions,
    by ``KIND_CARD``, ``KIND_PILE`` or ``KIND``), ``sentences``, ``cards``, ``piles`` and ``numbers`` (names that differ
    from those in snapshots), ``hidden`` (words for secret fields), ``options`` (rule options with their ``{value}``,
    by ``OPTION_VALUE`` or ``OPTION``), and translations by the English template of the words in the ``picture`` and of
    ``refusals`` (why an action is illegal).
    """
    texts = get_kit(game).texts
    general = {"sentences": {"did": "{actor}: {action}", "listed": "{first}, {rest}"}, "hidden": HIDDEN_WORDS}
    named = _over(general, {"actions": get_game(game).words.actions.names})
    english = _over(named, texts.get("en", {}))
    return {"en": english, **{language: _over(english, own) for language, own in texts.items() if language != "en"}}


def _over(texts: Texts, others: Texts) -> Texts:
    merged = {name: {**texts.get(name, {}), **others.get(name, {})} for name in _SECTIONS}
    whole: Texts = {"summary": "", "help": [], "tour": []}
    return {**{name: others.get(name, texts.get(name, empty)) for name, empty in whole.items()}, **merged}


def terminal_texts(game: str) -> Texts:
    """The English texts for a terminal, with cards written and actions called as they are typed."""
    return {**page_texts(game)["en"], "cards": {}, "actions": get_game(game).words.actions.names}


def in_words(phrase: Any, texts: Texts, names: Sequence[str]) -> str:
    """Render a phrase with ``texts`` and the players' ``names`` by seat."""
    match phrase:
        case list():
            players = all(isinstance(each, dict) and "seat" in each for each in phrase)
            return (", " if players else " ").join(in_words(each, texts, names) for each in phrase)
        case {"key": key, "values": values}:
            words = {name: in_words(value, texts, names) for name, value in values.items()}
            return str(texts["sentences"][key].format(**words))
        case {"kind": kind}:
            seats = {f"seat{i}": names[each] for i, each in enumerate(phrase["seats"], 1)}
            fields = {name: in_words({name: phrase[name]}, texts, names) for name in ("card", "pile", "number")}
            return str(texts["actions"][kind].format(**fields, **seats))
        case {"seat": number}:
            return str(names[number])
        case {"card": value} | {"pile": value} | {"number": value}:
            (field,) = phrase
            called = texts["hidden"] if value == HIDDEN else texts.get(f"{field}s", {})
            return str(called.get(field if value == HIDDEN else str(value), value))
    return str(phrase)


def refusal_in_words(refusal: str, texts: Texts) -> str:
    """Why an action is illegal, as in an `IllegalActionError`, translated if ``texts`` have a translation of it.

    The legal actions are left out: whoever reads this sees them.
    """
    said = refusal.split(". Legal for ", 1)[0]
    reason = said.split(" is illegal: ", 1)[-1]
    for template, words in texts["refusals"].items():
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(template))
        if found := re.fullmatch(pattern, reason):
            return str(words.format(**found.groupdict()))
    return said


def explanation(texts: Texts, info: ActionInfo) -> str:
    """What an action does, "" if the texts do not say."""
    keys = (f"{info.kind}_{info.card}", f"{info.kind}_{info.pile}", info.kind)
    return str(next((texts["explanations"][key] for key in keys if key in texts["explanations"]), ""))


def help_in_words(game: str) -> str:
    """The rules in short, for a terminal."""
    lines = [textwrap.fill(paragraph, WIDTH) for paragraph in terminal_texts(game)["help"]]
    return "\n" + "\n".join(lines)
