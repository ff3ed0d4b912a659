"""A record as the pictures of all positions from all views, deduplicated: JSON-ready, read by `page.js`.

A picture is split into parts (the children of its root element, such as a seat), and a part into tags. Each tag and
each part is stored once, however many pictures contain it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_integer
from blackjacky_env.declare.actions import ActionInfo, names_from
from blackjacky_env.draw.picture import draw_svg, names_of
from blackjacky_env.draw.scene import EVERYTHING, printable
from blackjacky_env.draw.views import Viewer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.reading import parse_json
from blackjacky_env.replay.thoughts import Thoughts, WinCurve, check_curve, check_thoughts

_TAG = re.compile(r"<[^>]*>[^<]*")
MAX_MOVES = 5000
"""Limit on the length of a replayed game, whose pictures take up to a minute to draw."""
_MAX_SHOWN, _MIN_PROBABILITY = 8, 0.005  # of the moves in an agent's policy


Tell = Callable[[ActionInfo, int], str]
"""(action, seat that takes it) -> its name."""
Move = tuple[int, str, str | None]
"""The seat that moved, the name of the move, and its name for the other players if that differs."""


class Translation(NamedTuple):
    """The language of a replay; English needs none."""

    language: str = "en"
    words: Mapping[str, str] = {}
    """By the English words or template: those of the page and of the picture."""
    tell: Tell | None = None
    """How actions are called."""


ENGLISH = Translation()


class Film:
    """Pictures as lists of part numbers."""

    def __init__(self) -> None:
        self._tags: dict[str, tuple[int, int]] = {}  # number, and by how much the depth changes
        self._parts: dict[tuple[int, ...], int] = {}

    def add(self, picture: str) -> list[int]:
        """The numbers of the parts that make up this picture, in order."""
        numbers: list[int] = []
        part: list[int] = []
        depth = 0
        for text in _TAG.findall(picture):
            known = self._tags.get(text)
            if known is None:
                known = self._tags[text] = (len(self._tags), _depth_change(text))
            part.append(known[0])
            depth += known[1]
            if depth <= 1:
                numbers.append(self._parts.setdefault(tuple(part), len(self._parts)))
                part = []
        return numbers

    def tables(self) -> dict[str, Any]:
        """``tags``: the texts; ``parts``: each part as a list of tag numbers."""
        return {"tags": list(self._tags), "parts": list(self._parts)}


def _depth_change(text: str) -> int:
    tag = text.partition(">")[0]
    return -1 if tag.startswith("</") else 0 if tag.endswith("/") else 1


def film_of(
    record: Mapping[str, Any] | str,
    names: Sequence[str] | None,
    thoughts: Sequence[Thoughts | None] | None,
    curve: WinCurve | None,
    theme: str,
    translation: Translation,
) -> dict[str, Any]:
    """All data of a replay page.

    Returns:
        ``game``, ``variant``, ``names`` (by seat), ``unit`` (word for a round), ``starts`` (first position of each
        round), ``settled`` (positions that show a settlement), ``moves`` (seat, name, name for the other players or
        None if the same), ``thoughts`` (by move; None, or ``chances`` [name, probability, played], ``win``, ``by`` and
        ``cost``), ``wins`` (by position and seat, None where unknown; None without a curve), ``note`` (about them),
        ``winners`` (seats), ``language``, ``words`` (of the `Translation`), ``tags``, ``parts``, and ``frames``: for
        each position and each view (by seat, a spectator's, everything) 1 + the number of each part, or 0 for the same
        part as in the position before.

    Raises:
        ValueError: the record is damaged or of an unknown game; the names, thoughts, curve or theme are invalid.
    """
    record = _read(record)
    env = new_table(record)
    names_of(env.num_players, names)
    called = [*map(printable, names or env.possible_agents)]
    actions = record["actions"]
    if len(actions) > MAX_MOVES:
        raise ValueError(f"this record has {len(actions):,} moves; a page shows {MAX_MOVES:,} at most")
    all_thoughts = check_thoughts(thoughts, len(actions), env.game.num_actions)
    wins = None if curve is None else _rounded(check_curve(curve, len(actions), env.num_players))
    film, shown, moves = Film(), list[dict[str, Any] | None](), list[Move]()
    tell = translation.tell or (lambda info, seat: env.game.words.actions.tell(info, names_from(seat, called)))
    tables, frames = [env.snapshot()], [_pictures(env, names, theme, film, None, translation)]
    for number, (action, thought) in enumerate(zip(actions, all_thoughts, strict=True)):
        before = env.agent_selection
        shown.append(None if thought is None else _describe_thoughts(env, thought, action, tell))
        try:
            env.step(check_integer("action", action, 0, env.game.num_actions - 1))
        except (TypeError, ValueError) as error:
            raise ValueError(f"this record cannot be played: its action number {number}: {error}") from None
        moves.append(_move(env, before, tables[-1]["phase"], action, tell))
        tables.append(env.snapshot())
        frames.append(_pictures(env, names, theme, film, moves[-1], translation))
    nothing: list[list[int]] = [[]] * len(frames[0])
    return {
        "game": env.game.title,
        "variant": env.variant,
        "names": called,
        **_chapters(env, tables),
        "moves": moves,
        "thoughts": shown,
        "wins": wins,
        "note": "" if curve is None else curve.note,
        "language": translation.language,
        "words": translation.words,
        "winners": tables[-1]["winners"] if any(env.terminations.values()) else [],
        **film.tables(),
        "frames": [_changes(*pair) for pair in pairwise([nothing, *frames])],
    }


def _rounded(wins: npt.NDArray[np.float64]) -> list[list[float | None]]:
    return [[None if np.isnan(win) else round(win, 3) for win in row] for row in wins.tolist()]


# ---------------------------------------------------------------- the record


def _read(record: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if isinstance(record, str):
        try:
            record = parse_json(record)
        except ValueError as error:
            raise ValueError(f"this record is not JSON: {error}; take it from record(), unchanged") from None
    if not isinstance(record, Mapping):
        raise ValueError(f"a record is a mapping, not {type(record).__name__}: take it from record(), unchanged")
    missing = [name for name in ("game", "num_players", "variant", "options", "actions") if name not in record]
    if missing:
        raise ValueError(f"this record lacks {', '.join(missing)}: take it from record(), unchanged")
    if not isinstance(record["options"], Mapping):
        raise ValueError(f"this record cannot be played: options={record['options']!r} is not a mapping")
    return record


def new_table(record: Mapping[str, Any] | str) -> TableEnv:
    """The environment of a record, as `TableEnv.record` returns it or as JSON, at the start of its game.

    Raises `ValueError` if the record is damaged or something else; its actions are not checked.
    """
    record = _read(record)
    try:
        game = get_game(record["game"])
        size, variant = game.choose_table(record["num_players"], record["variant"])
        env = TableEnv(game.name, size, variant, **game.check_options(size, variant, record["options"]))
        env.replay(record if not isinstance(record["actions"], list) else {**record, "actions": []})
    except TypeError as error:
        raise ValueError(f"this record cannot be played: {error}") from None
    return env


# ---------------------------------------------------------------- positions and moves


def _pictures(
    env: TableEnv, names: Sequence[str] | None, theme: str, film: Film, last: Move | None, translation: Translation
) -> list[list[int]]:
    """The position after a move from each view: each player's, a spectator's, and one of everything."""
    options, table, shown = env.config_dict(), env.snapshot(), names_of(env.num_players, names)
    frames = []
    for viewer in (*range(env.num_players), None, EVERYTHING):
        view = table if viewer == EVERYTHING else env.game.words.view(table, viewer)
        scene = env.game.scene(view, options, viewer)
        if translation.tell is None:
            told = env.last_action(None if viewer == EVERYTHING else viewer, viewer == EVERYTHING, names=shown)
        else:
            scene, told = scene._replace(sentences=[]), _told(last, viewer, shown)
        drawn = draw_svg(scene, names=names, last_action=told, theme=theme, texts=translation.words)
        frames.append(film.add(drawn))
    return frames


def _told(last: Move | None, viewer: Viewer, names: Sequence[str]) -> str:
    if last is None:
        return ""
    seat, own, public = last
    return f"{names[seat]}: {public if public and viewer not in (seat, EVERYTHING) else own}"


def _changes(before: Sequence[Sequence[int]], now: Sequence[Sequence[int]]) -> list[list[int]]:
    """The parts of each view: 1 + the number of the part, or 0 if it is the same as before at the same place."""
    return [
        [0 if i < len(old) and old[i] == part else 1 + part for i, part in enumerate(new)]
        for old, new in zip(before, now, strict=True)
    ]


def _move(env: TableEnv, agent: str, phase: str, action: int, tell: Tell) -> Move:
    """The seat that moved in ``phase``, the name of the move, and its name for the other players if that differs."""
    seat, info = env.possible_agents.index(agent), env.game.words.actions[action]
    own, public = (tell(known, seat) for known in (info, info.heard(phase)))
    return seat, own, None if own == public else public


def _describe_thoughts(env: TableEnv, thought: Thoughts, action: int, tell: Tell) -> dict[str, Any]:
    seat, actions = env.possible_agents.index(env.agent_selection), env.game.words.actions
    order = sorted(range(env.game.num_actions), key=lambda a: -thought.probabilities[a])
    shown = [a for a in order[:_MAX_SHOWN] if thought.probabilities[a] >= _MIN_PROBABILITY]
    chances = [
        (tell(actions[a], seat), round(float(thought.probabilities[a]), 4), a == action)
        for a in dict.fromkeys([*shown, action])
    ]
    return {
        "chances": chances,
        "win": None if thought.win is None else round(float(thought.win), 4),
        "by": thought.by,
        "cost": None if thought.cost is None else [round(float(each), 4) for each in thought.cost],
    }


def _chapters(env: TableEnv, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    unit, settlement = env.game.words.round_key, env.game.words.settlement_key
    pairs = [*enumerate(pairwise(tables), 1)]
    starts = [number for number, (before, after) in pairs if before[unit] != after[unit]]
    settled = [number for number, (before, after) in pairs if after[settlement] not in (None, before[settlement])]
    return {"unit": unit, "starts": [0, *starts], "settled": sorted({*starts, *settled})}
