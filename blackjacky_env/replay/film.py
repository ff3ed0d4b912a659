"""A record as the pictures of all positions from all views: JSON-ready, read by `page.js`.

A picture is split into parts, its lines, such as a seat, and a part into tags. Each tag and each part is stored once,
however many pictures contain it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from blackjacky_env.checks import check_integer
from blackjacky_env.declare.actions import ActionInfo, Actions, names_from
from blackjacky_env.declare.game import Game
from blackjacky_env.draw.picture import draw_svg, names_of
from blackjacky_env.draw.scene import EVERYTHING, in_words, printable
from blackjacky_env.draw.views import Viewer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.replay.thoughts import Thoughts, WinCurve

_TAG = re.compile(r"<[^>]*>[^<]*")
MAX_MOVES = 5000
"""Limit on the length of a replayed game, whose pictures take up to a minute to draw."""
_MAX_SHOWN, _MIN_PROBABILITY = 8, 0.005  # of the moves in an agent's policy


Tell = Callable[[ActionInfo, int], str]
"""(action, seat that takes it) -> its name."""
NamedMove = tuple[int, str, str | None]
"""The seat that moved, the name of the move, and its name for the other players if that differs."""


class Translation(NamedTuple):
    """The language of a replay; English needs none."""

    language: str = "en"
    words: Mapping[str, str] = {}
    """By the English words or template: those of the page and of the picture."""
    tell: Tell | None = None
    """How actions are called."""


ENGLISH = Translation()


def film_of(
    record: Mapping[str, Any],
    names: Sequence[str] | None,
    thoughts: Sequence[Thoughts | None] | None,
    curve: WinCurve | None,
    theme: str,
    translation: Translation,
) -> dict[str, Any]:
    """All data of a replay page.

    Returns:
        - ``game``, ``names`` (by seat), ``winners`` (seats), ``language``, ``words`` (of the `Translation`).
        - ``unit`` (word for a round), ``starts`` (first position of each round), ``settled`` (positions that show a
          settlement).
        - By move: ``moves`` (seat, name, name for the others or None if the same), ``thoughts`` (None, or ``chances``
          [name, probability, played], ``win``, ``by`` and ``cost``).
        - ``wins`` (by position and seat, None where unknown; None without a curve), ``note`` (about them).
        - ``tags``, ``parts`` (numbers of tags), ``frames``: by position and view (by seat, a spectator's, everything)
          the numbers of its parts.

    Raises:
        ValueError: the record is damaged or of an unknown game; the names, thoughts, curve or theme are invalid.
    """
    env = new_table(record)
    names_of(env.num_players, names)  # refuses another number of names
    called = [*map(printable, names or env.possible_agents)]
    actions = record["actions"]
    thoughts = [None] * len(actions) if thoughts is None else thoughts
    _check_lengths(len(actions), env.num_players, thoughts, curve)
    tags: dict[str, int] = {}
    parts: dict[tuple[int, ...], int] = {}
    frames: list[list[list[int]]] = []
    tables, moves = [env.snapshot()], list[NamedMove]()
    tell = _teller(env.game, called, translation)

    def take_pictures() -> None:
        pictures = _pictures(env, names, theme, moves[-1] if moves else None, translation)
        frames.append([[parts.setdefault(part, len(parts)) for part in _split(picture, tags)] for picture in pictures])

    take_pictures()
    for number, action in enumerate(actions):
        before = env.agent_selection
        _step(env, number, action)
        moves.append(_move(env, before, tables[-1]["phase"], action, tell))
        tables.append(env.snapshot())
        take_pictures()
    return {
        "game": env.game.title,
        "names": called,
        **_chapters(env, tables),
        "moves": moves,
        **judgement_of(record, called, thoughts, curve, translation),
        "language": translation.language,
        "words": translation.words,
        "winners": tables[-1]["winners"] if any(env.terminations.values()) else [],
        "tags": list(tags),
        "parts": list(parts),
        "frames": frames,
    }


def judgement_of(
    record: Mapping[str, Any],
    names: Sequence[str],
    thoughts: Sequence[Thoughts | None],
    curve: WinCurve | None,
    translation: Translation,
) -> dict[str, Any]:
    """What a film says of its moves: ``thoughts``, ``wins`` and ``note``."""
    env, shown = new_table(record), list[dict[str, Any] | None]()
    actions, tell = env.game.words.actions, _teller(env.game, names, translation)
    for number, (action, thought) in enumerate(zip(record["actions"], thoughts, strict=True)):
        seat = env.possible_agents.index(env.agent_selection)
        shown.append(None if thought is None else _describe_thoughts(actions, seat, thought, action, tell))
        _step(env, number, action)
    return {
        "thoughts": shown,
        "wins": None if curve is None else _rounded(curve.wins, 3),
        "note": "" if curve is None else in_words(curve.note, names, translation.words),
    }


def _step(env: TableEnv, number: int, action: Any) -> None:
    try:
        env.step(check_integer("action", action, 0, env.game.num_actions - 1))
    except (TypeError, ValueError) as error:
        raise ValueError(f"this record cannot be played: its action number {number}: {error}") from None


def _check_lengths(moves: int, players: int, thoughts: Sequence[Thoughts | None], curve: WinCurve | None) -> None:
    if moves > MAX_MOVES:
        raise ValueError(f"this record has {moves:,} moves; a page shows {MAX_MOVES:,} at most")
    if len(thoughts) != moves:
        raise ValueError(f"thoughts={len(thoughts)} entries; this record has {moves} moves, and each needs one or None")
    if curve is not None and np.shape(curve.wins) != (moves + 1, players):
        raise ValueError(f"curve has wins of shape {np.shape(curve.wins)}; needed is ({moves + 1}, {players})")


def new_table(record: Mapping[str, Any]) -> TableEnv:
    """The environment of a record, as `TableEnv.record` returns it, at the start of its game.

    Raises `ValueError` if the record is damaged or something else; its actions are not checked.
    """
    options = record.get("options", {}) if isinstance(record, Mapping) else {}
    for what, value in (("a record", record), ("options of a record", options)):
        if not isinstance(value, Mapping):
            raise ValueError(f"{what}: expected is a mapping, as from record(), not {type(value).__name__}")
    try:
        game, actions = get_game(record["game"]), record["actions"]
        size, variant = game.choose_table(record["num_players"], record["variant"])
        env = TableEnv(game.name, size, variant, **game.check_options(size, variant, dict(record["options"])))
        env.replay({**record, "actions": [] if isinstance(actions, list) else actions})
    except KeyError as error:
        raise ValueError(f"this record lacks {error}: take it from record(), unchanged") from None
    except TypeError as error:
        raise ValueError(f"this record cannot be played: {error}") from None
    return env


# ---------------------------------------------------------------- positions and moves


def _pictures(
    env: TableEnv, names: Sequence[str] | None, theme: str, last: NamedMove | None, translation: Translation
) -> Iterator[str]:
    """The position after a move from each view: each player's, a spectator's, and one of everything."""
    options, table, shown = env.config_dict(), env.snapshot(), names_of(env.num_players, names)
    for viewer in (*range(env.num_players), None, EVERYTHING):
        view = table if viewer == EVERYTHING else env.game.words.view(table, viewer)
        scene = env.game.scene(view, options, viewer)
        if translation.tell is None:
            told = env.last_action(None if viewer == EVERYTHING else viewer, viewer == EVERYTHING, names=shown)
        else:
            scene, told = scene._replace(sentences=[]), _told(last, viewer, shown)
        yield draw_svg(scene, names=names, last_action=told, theme=theme, texts=translation.words)


def _told(last: NamedMove | None, viewer: Viewer, names: Sequence[str]) -> str:
    if last is None:
        return ""
    seat, own, public = last
    return f"{names[seat]}: {public if public and viewer not in (seat, EVERYTHING) else own}"


def _split(picture: str, tags: dict[str, int]) -> list[tuple[int, ...]]:
    """The lines of a picture, each as the numbers of all its tags."""
    lines = picture.splitlines(keepends=True)
    return [tuple(tags.setdefault(tag, len(tags)) for tag in _TAG.findall(line)) for line in lines]


def _move(env: TableEnv, agent: str, phase: str, action: int, tell: Tell) -> NamedMove:
    """The seat that moved in ``phase``, the name of the move, and its name for the other players if that differs."""
    seat, info = env.possible_agents.index(agent), env.game.words.actions[action]
    own, public = (tell(known, seat) for known in (info, info.heard(phase)))
    return seat, own, None if own == public else public


def _teller(game: Game, names: Sequence[str], translation: Translation) -> Tell:
    return translation.tell or (lambda info, seat: game.words.actions.tell(info, names_from(seat, names)))


def _describe_thoughts(actions: Actions, seat: int, thought: Thoughts, action: int, tell: Tell) -> dict[str, Any]:
    order = sorted(range(len(actions)), key=lambda a: -thought.probabilities[a])
    shown = [a for a in order[:_MAX_SHOWN] if thought.probabilities[a] >= _MIN_PROBABILITY]
    chances = [
        (tell(actions[a], seat), _rounded(thought.probabilities[a]), a == action)
        for a in dict.fromkeys([*shown, action])
    ]
    return {"chances": chances, "win": _rounded(thought.win), "by": thought.by, "cost": _rounded(thought.cost)}


def _rounded(values: Any, digits: int = 4) -> Any:
    """Numbers, or None for NaN, as plain Python values."""
    if isinstance(values, Sequence | np.ndarray):
        return [_rounded(each, digits) for each in values]
    return None if values is None or np.isnan(values) else round(float(values), digits)


def _chapters(env: TableEnv, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    unit, settlement = env.game.words.round_key, env.game.words.settlement_key
    pairs = [*enumerate(pairwise(tables), 1)]
    starts = [number for number, (before, after) in pairs if before[unit] != after[unit]]
    settled = [number for number, (before, after) in pairs if after[settlement] not in (None, before[settlement])]
    return {"unit": unit, "starts": [0, *starts], "settled": sorted({*starts, *settled})}
