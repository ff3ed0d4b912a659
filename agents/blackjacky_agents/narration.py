"""Games told to people: what a move did as a seat may know it, and what a settlement brought.

What is told is data first, a phrase: a template's key and its values, which the texts of the game's `GameKit` have in
each language. The terminal puts phrases into English words with `in_words`; the page in the browser does the same in
the reader's language. Phrases are made from the views of the seat that is told and from the action as that seat may
know it, so nothing else can be told.

A phrase is one of

- ``{"key": "takes_trick", "values": {"seat": ...}}``: a sentence of the texts; values are phrases or plain values;
- an action: what `ActionInfo.describe` gives, with seats of the table;
- ``{"seat": 2}``, ``{"card": "QS"}``: the name of a player, a card;
- a list of phrases, with spaces between.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from blackjacky_agents.games import get_kit
from blackjacky_env.engine.actions import HIDDEN, HIDDEN_WORDS, ActionInfo
from blackjacky_env.engine.text import WIDTH
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

View = dict[str, Any]
Phrase = dict[str, Any]
Texts = Mapping[str, Any]
"""The words of a game in one language, by section; see `page_texts`."""

_SECTIONS = ("phases", "actions", "explanations", "sentences", "cards", "piles", "hidden")
_IN_THE_TERMINAL = """
Type the number of an action or the beginnings of its words; `quit` ends the game.
All rules: see the README of the game.
"""


# ---------------------------------------------------------------- phrases


def say(key: str, **values: Any) -> Phrase:
    """The sentence of that key with these values."""
    return {"key": key, "values": values}


def seat(number: int) -> Phrase:
    """The player at a seat of the table."""
    return {"seat": number}


def card(name: int | str) -> Phrase:
    """A card as the snapshot writes it, or ``"hidden"``."""
    return {"card": name}


def action_phrase(info: ActionInfo, actor: int, players: int) -> Phrase:
    """An action of the seat ``actor``, with seats of the table instead of relative ones."""
    return {**info.describe(), "seats": [(actor + each) % players for each in info.seats]}


# ---------------------------------------------------------------- stories


class Move(NamedTuple):
    """What is known of one move: the views of the seat that is told, and the action as far as that seat may know it."""

    before: View
    after: View
    action: ActionInfo
    seat: int | None
    """Who is told; None: a spectator."""
    players: int

    @property
    def actor(self) -> int:
        """The seat that moved."""
        return int(self.before["player"])


def told_plainly(move: Move) -> list[Phrase]:
    """Who did what, by the name of the action."""
    return [say("did", actor=seat(move.actor), action=action_phrase(move.action, move.actor, move.players))]


class Narrator(NamedTuple):
    """How a game is told to people; by default every move is told by its name."""

    story: Callable[[Move], list[Phrase]] = told_plainly
    """What a move did, as the seat that is told may know it."""
    settlement: Callable[[View], list[Phrase]] = lambda view: []
    """(view after it): what the last settlement brought, for who does not see it drawn."""


def tell_move(env: TableEnv, before: View, after: View, action: int, seat: int | None) -> list[Phrase]:
    """What a move did, as a seat may know it.

    Args:
        env: the table.
        before: what the seat saw before the move.
        after: what it sees now.
        action: what was played.
        seat: who is told; None: a spectator.
    """
    info = env.game.words.actions[action]
    known = info if seat == before["player"] else info.heard()
    return get_kit(env.game.name).narrator.story(Move(before, after, known, seat, env.num_players))


def is_settled(game: str, before: View, after: View) -> bool:
    """A round or deal was settled between the two views, or the game has ended."""
    key = get_game(game).words.round_key
    return bool(before[key] != after[key] or after["phase"] == "over")


# ---------------------------------------------------------------- words


def page_texts(game: str) -> dict[str, Texts]:
    """The words of a game by language, English first; what a language lacks is English.

    Sections are ``help`` (paragraphs) and, each with words by key, ``phases`` (what is to be done in a phase, for the
    player on turn), ``actions`` (names by kind), ``explanations`` (what an action does, by ``KIND_CARD``, ``KIND_PILE``
    or ``KIND``), ``sentences``, ``cards`` and ``piles`` (what they are called if not as in the snapshot), and
    ``hidden`` (words for what is secret, by field).
    """
    texts = get_kit(game).texts
    general = {"sentences": {"did": "{actor}: {action}"}, "hidden": HIDDEN_WORDS}
    named = _over(general, {"actions": get_game(game).words.actions.names})
    english = _over(named, texts.get("en", {}))
    return {"en": english, **{language: _over(english, own) for language, own in texts.items() if language != "en"}}


def _over(texts: Texts, others: Texts) -> Texts:
    merged = {name: {**texts.get(name, {}), **others.get(name, {})} for name in _SECTIONS}
    return {"help": others.get("help", texts.get("help", [])), **merged}


def terminal_texts(game: str) -> Texts:
    """The English words for a terminal, in which cards are written as they are typed."""
    return {**page_texts(game)["en"], "cards": {}}


def in_words(phrase: Any, texts: Texts, names: Sequence[str]) -> str:
    """A phrase in the words of ``texts``, with ``names`` of the players by seat."""
    match phrase:
        case list():
            return " ".join(in_words(each, texts, names) for each in phrase)
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


def help_in_words(game: str) -> str:
    """What `help` says in a terminal."""
    lines = [textwrap.fill(paragraph, WIDTH) for paragraph in terminal_texts(game)["help"]]
    return "\n" + "\n".join(lines) + _IN_THE_TERMINAL
