"""Narration: descriptions of moves and settlements for people, limited to what the reader's seat may know.

A description is a list of phrases: language-independent data, made from the seat's views before and after the move and
from the action as the seat knows it. The texts of the game's `GameKit` hold a template for each phrase in each
language. `blackjacky_agents.wording` renders phrases in English for the terminal; the web page renders them in the
reader's language.

A phrase is one of

- ``{"key": "takes_trick", "values": {"seat": ...}}``: a sentence template and its values, phrases or plain values;
- an action, as returned by `ActionInfo.describe`, with absolute seats;
- ``{"say": "total {total}", "values": {"total": 3}}``: what is said on the table, an English template;
- ``{"seat": 2}`` or ``{"card": "QS"}``: a player's name or a card;
- a list of phrases, joined by spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from blackjacky_env.declare import HIDDEN, ActionInfo
from blackjacky_env.draw import CardName, Name, Say, Scene, Value, described

View = dict[str, Any]
Phrase = dict[str, Any]


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


def the(name: int | str | None) -> Phrase:
    """A phrase: a card with its article, or "a card" if it is not known; the game's texts have the sentence "the"."""
    return card(HIDDEN) if name in (None, HIDDEN) else say("the", card=card(name or 0))


def listed(phrases: Iterable[Phrase]) -> Phrase:
    """A phrase: several, at least one, separated by commas."""
    first, *rest = phrases
    return say("listed", first=first, rest=listed(rest)) if rest else first


def all_of(phrases: Iterable[Any]) -> Any:
    """A phrase: several, at least one, with "and" before the last one, for which the game's texts have a sentence."""
    told = list(phrases)
    return listed([*told[:-2], say("and", first=told[-2], last=told[-1])] if len(told) > 1 else told)


def phrase_of(value: Value) -> Any:
    """A phrase: what is said on the table."""
    match value:
        case Say(template, values):
            return {"say": template, "values": {name: phrase_of(each) for name, each in values.items()}}
        case Name(number):
            return seat(number)
        case CardName(name):
            return card(name)
        case str() | int():
            return value
    return listed(map(phrase_of, value))


def in_scene(scene: Scene) -> list[Phrase]:
    """The table in words, for readers without the picture."""
    return [phrase_of(each) for each in described(scene)]


def action_phrase(info: ActionInfo, actor: int, players: int) -> Phrase:
    """A phrase: an action of the seat ``actor``, with absolute seats."""
    return {**info.describe(), "seats": [(actor + each) % players for each in info.seats]}


# ---------------------------------------------------------------- moves


class SeenMove(NamedTuple):
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


def tell_name_of_action(move: SeenMove) -> list[Phrase]:
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


class ScoreRow(NamedTuple):
    """The line of one player in a `ScoreTable`."""

    seat: int
    cells: Sequence[Any]
    """One phrase or plain value for each column."""
    why: list[Phrase]
    """The reason, such as "bust: loses a heart"; may be empty."""
    mark: Literal["", "good", "bad"] = ""
    """How it is marked: a player who wins, or who loses something."""
    standing: int = 0
    """Orders the players at the end of the game, highest first; winners come before all others.

    The sentences ``behind_1`` and ``behind`` of the game's texts say a difference of 1 and of more, with the unit.
    """


class ScoreTable(NamedTuple):
    """The outcome of a settlement: one line for each player, and what changes."""

    columns: Sequence[Phrase | str]
    rows: list[ScoreRow]


class Narrator(NamedTuple):
    """How a game's moves and settlements are described; by default a move is described by the action's name."""

    story: Callable[[SeenMove], list[Phrase]] = tell_name_of_action
    """(move) -> phrases: what the move did, as far as the reader's seat knows."""
    settlement: Callable[[View], list[Phrase]] = lambda view: []
    """(view after it) -> phrases: the outcome of the last settlement, for readers without the picture."""
    pause: Callable[[SeenMove], Pause | None] = lambda move: None
    """(move) -> what people should see before the game goes on; None: nothing. Whether there is a pause must not
    depend on the reader's seat."""
    scores: Callable[[SeenMove], ScoreTable] | None = None
    """(move that settled a round) -> the outcome; None: the lists in the snapshot's last settlement."""
    is_out: Callable[[View, int], bool] = lambda view, seat: False
    """(view, seat) -> whether the player will not act again in this game."""
    has_lost: Callable[[View, int], bool] = lambda view, seat: False
    """(view after a settlement, seat) -> whether the player has nothing left; some games let them come back. At the
    end, of the same standing, whoever lost later is placed better."""
    settled: Callable[[SeenMove], View] | None = None
    """(move that settled a round) -> the position before anything is lost, with what changes in ``"settled"``, for the
    picture; see `blackjacky_env.draw.Settled`. None: the picture shows the last pause, or the next round."""
    prompt: Callable[[View], Phrase | None] = lambda view: None
    """(view of the player to act) -> what is to be done, where the phase alone does not say it."""


def winner_mark(move: SeenMove, player: int) -> Literal["", "good"]:
    """The mark of a winner once the game is over."""
    return "good" if player in move.after["winners"] else ""


def mark_of(move: SeenMove, player: int, losers: Sequence[int]) -> Literal["", "good", "bad"]:
    """The mark of a player: of the losers of a round or, once the game is over, of its winners."""
    if move.after["phase"] == "over":
        return winner_mark(move, player)
    return "bad" if player in losers else ""


def worst(points: Sequence[int]) -> list[int]:
    """The seats with the most points of a deal, where points are bad; none if all have the same."""
    highest = max(points)
    return [] if highest == min(points) else [player for player, each in enumerate(points) if each == highest]
