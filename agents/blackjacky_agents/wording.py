"""The words of a game for people: its moves and settlements as far as a seat may know them, and its texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.narration import Phrase, ScoreRow, ScoreTable, SeenMove, View, winner_mark
from blackjacky_env.declare import HIDDEN, HIDDEN_WORDS, ActionInfo, Game, names_from
from blackjacky_env.draw import Say, draw_card, said
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import get_game

Texts = Mapping[str, Any]
"""The texts of a game in one language, by section; see `page_texts`."""

_SHOWN_CARD = re.compile(r"\[([^]]+)]")
_SECTIONS = (
    *("phases", "actions", "explanations", "details", "sentences", "cards", "piles", "numbers", "hidden"),
    *("picture", "signs", "options", "refusals", "agents"),
)


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


def known_move(env: TableEnv, before: View, after: View, action: int, seat: int | None) -> SeenMove:
    """A move without what the seat cannot know; arguments as in `tell_move`."""
    known = env.game.words.actions.known(action, before["phase"], is_own=seat == before["player"])
    return SeenMove(before, after, known, seat, env.num_players, env.config_dict())


def is_settled(game: str, before: View, after: View) -> bool:
    """Whether a round was settled between the two views, or the game has ended."""
    key = get_game(game).words.round_key
    return bool(before[key] != after[key] or after["phase"] == "over")


def score_table(game: str, move: SeenMove) -> ScoreTable:
    """The outcome of the round that ``move`` settled."""
    scores = get_kit(game).narrator.scores
    return _default_scores(game, move) if scores is None else scores(move)


def _default_scores(game: str, move: SeenMove) -> ScoreTable:
    """The lists in the snapshot's last settlement, or else on the table, that have an entry for each player."""
    key, fields = get_game(game).words.settlement_key, get_game(game).fields.shown
    settled = move.after[key]
    found = settled if isinstance(settled, dict) else {key: settled} if settled else {}
    public = [part for part, each in fields.items() if each.axes == 1 and not (each.own or each.shape)]
    found = found or {part: move.after.get(part) for part in public if part != "winners"}
    lists = {name: each for name, each in found.items() if isinstance(each, list) and len(each) == move.players}
    rows = [
        ScoreRow(player, [_cell(each[player]) for each in lists.values()], [], winner_mark(move, player))
        for player in range(move.players)
    ]
    return ScoreTable([name.replace("_", " ") for name in lists], rows)


def _cell(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


# ---------------------------------------------------------------- texts


def page_texts(game: str) -> dict[str, Texts]:
    """The texts of a game by language, English first; missing entries fall back to English.

    ``summary`` is a sentence; ``help`` a list of paragraphs, with ``[CARD]`` where a picture of a card stands; ``tour``
    a list of pairs: a place that ``web/page/tour.js`` knows, and a text about the first turn. The others map keys:

    - ``phases``: prompts for the player to act, by phase.
    - ``actions``: names by kind; ``explanations``: effects, by ``KIND_CARD``, ``KIND_PILE`` or ``KIND``; ``details``:
      those of kinds that have no other, given only when asked for.
    - ``cards``, ``piles``, ``numbers``: names that differ from those in snapshots; ``hidden``: words for secret fields.
    - ``options``: rule options with their ``{value}``, by ``OPTION_VALUE`` or ``OPTION``.
    - ``agents``: how each agent plays, after its name. ``signs``: what words in the picture mean.
    - ``sentences``, and by their English template ``picture`` (words) and ``refusals`` (why an action is illegal).
    """
    texts, actions = get_kit(game).texts, get_game(game).words.actions
    general = {"sentences": {"did": "{actor}: {action}", "listed": "{first}, {rest}"}, "hidden": HIDDEN_WORDS}
    rules = [f"The actions are {', '.join(map(actions.name, range(len(actions))))}."]
    own = {"help": rules, "actions": actions.names, "agents": {"random": "moves at random"}}
    named = _merged(general, own)
    english = _merged(named, texts.get("en", {}))
    return {"en": english, **{language: _merged(english, own) for language, own in texts.items() if language != "en"}}


def _merged(texts: Texts, others: Texts) -> Texts:
    merged = {name: {**texts.get(name, {}), **others.get(name, {})} for name in _SECTIONS}
    whole: Texts = {"summary": "", "help": [], "tour": []}
    return {**{name: others.get(name, texts.get(name, empty)) for name, empty in whole.items()}, **merged}


def pictured_cards(game: str) -> dict[str, str]:
    """The cards that the rules show, by name, as ``data:`` addresses of their pictures."""
    face, texts = get_game(game).words.face, page_texts(game)
    shown = {name for own in texts.values() for words in own["help"] for name in _SHOWN_CARD.findall(words)}
    return {name: f"data:image/svg+xml,{quote(draw_card(name, face(name)))}" for name in sorted(shown) if face}


def terminal_texts(game: str) -> Texts:
    """The English texts without pictures, with cards written and actions called as they are typed."""
    texts = page_texts(game)["en"]
    rules = [_SHOWN_CARD.sub(r"\1", words) for words in texts["help"]]
    return {**texts, "help": rules, "cards": {}, "actions": get_game(game).words.actions.names}


def in_words(phrase: Any, texts: Texts, names: Sequence[str]) -> str:
    """Render a phrase with ``texts`` and the players' ``names`` by seat."""
    match phrase:
        case list():
            players = all(isinstance(each, dict) and "seat" in each for each in phrase)
            return (", " if players else " ").join(in_words(each, texts, names) for each in phrase)
        case {"key": key, "values": values}:
            words = {name: in_words(value, texts, names) for name, value in values.items()}
            return str(texts["sentences"][key].format(**words))
        case {"say": template, "values": values}:
            words = {name: in_words(value, texts, names) for name, value in values.items()}
            return str(texts["picture"].get(template, template).format(**words))
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


def legal_in_words(game: Game, mask: npt.NDArray[np.int8], seat: int, names: Sequence[str]) -> dict[int, str]:
    """The legal actions of the player at ``seat`` by number, in words with the players' ``names`` by seat."""
    actions, seat_name = game.words.actions, names_from(seat, names)
    return {action: actions.tell(actions[action], seat_name) for action in np.flatnonzero(mask).tolist()}


def refusal_in_words(reason: str | Say, texts: Texts) -> str:
    """The ``reason`` of an `IllegalActionError`, translated if ``texts`` have a translation of it."""
    return said(reason if isinstance(reason, Say) else Say(reason), (), texts["refusals"])


def why_not(env: TableEnv, action: int) -> str:
    """Why an action, which must not be legal now, is not, in the game's English words."""
    return f"'{env.action_name(action)}' is illegal: {said(env.why_illegal(action), ())}."


def explanation(texts: Texts, info: ActionInfo) -> str:
    """What an action does, "" if the texts do not say."""
    keys = (f"{info.kind}_{info.card}", f"{info.kind}_{info.pile}", info.kind)
    found = (texts["explanations"][key] for key in keys if key in texts["explanations"])
    return str(next(found, texts["details"].get(info.kind, "")))
