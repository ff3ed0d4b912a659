"""The Game declaration: all that environments, batches and agents need to know of a game."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from blackjacky_env.engine.compiling import zeros
from blackjacky_env.engine.layout import Layout

State = Any
"""One state record: in compiled code a Numba record, in Python an element of an array of the game's ``state_dtype``."""


class IllegalActionError(ValueError):
    """The action is not legal now; the message says why in the game's words. The game is unchanged."""


@dataclass(frozen=True)
class Rules:
    """The compiled functions of a game, each over one state record ``s`` that it may change."""

    begin: Callable[..., None]
    """(s, key uint64, start_player; -1: drawn): start a game with the options in s."""
    redeal: Callable[..., None]
    """(s, deck int8 array, top first): make the deal that was just made once more, from this deck."""
    legal: Callable[..., None]
    """(s, mask int8 (num_actions,)): 1 for the legal actions of the player to act."""
    apply: Callable[..., None]
    """(s, action): make a legal action."""
    is_settled: Callable[..., bool]
    """(s): a round has ended and `settle` is due before anybody acts."""
    settle: Callable[..., None]
    """(s): account for the round; start the next or end the game."""
    is_over: Callable[..., bool]
    """(s): the game has ended."""
    returns: Callable[..., None]
    """(s, rewards float64 (max_players,) of zeros): the zero-sum result of a finished game."""
    score: Callable[..., int]
    """(s, seat): what `score_reward` pays the changes of."""
    encode: Callable[..., None]
    """(s, seat, out layout.dtype (layout.size,)): what the seat sees."""
    sample: Callable[..., None]
    """(observation layout.dtype (layout.size,), bits uint64, s): a full position that shows this observation to seat 0.

    What is hidden, and a new key, is drawn from ``bits``. The observation must be one that a game has shown.
    """


@dataclass(frozen=True)
class Words:
    """The Python functions of a game that people, logs and language models read."""

    snapshot: Callable[[State, State | None], dict[str, Any]]
    """(state, state as it was last settled or None): everything on the table.

    In every game there are ``phase`` (``"over"`` at the end), ``player`` (the seat to act), ``round`` (from 0; it rises
    when a round is settled), ``last_settlement`` (None or a dict) and ``winners`` (seats).
    """
    view: Callable[[dict[str, Any], int | None], dict[str, Any]]
    """(snapshot, seat or None for a spectator): the same keys as that seat may know them."""
    action_name: Callable[[int], str]
    """English name of an action; `parse_action` reads it."""
    parse_action: Callable[[str], int]
    """The action of that name; `ValueError` names near ones."""
    why_illegal: Callable[[State, int], str]
    """(state, action): why the action is not legal now."""
    draw_text: Callable[[dict[str, Any], dict[str, Any], bool], str]
    """(view, options, colour): the table as text."""
    round_key: str
    """The entry of the snapshot that counts the rounds or deals."""
    settlement_key: str
    """The entry of the snapshot that tells how the last of them was settled; None before."""
    heard_name: Callable[[int], str] | None = None
    """(action): its name as the other players may know it; None: all actions are public."""
    draw_svg: Callable[..., str] | None = None
    """(view, options, *, names, last_action, theme): the table as a picture, 640 x 600 units; None: there is none.

    ``names`` by seat or None, ``last_action`` in words, ``theme`` ``"auto"``, ``"light"`` or ``"dark"``.
    """


@dataclass(frozen=True)
class Game:
    """One game: facts as data, rules as compiled functions, words as Python functions."""

    name: str
    title: str
    version: int
    min_players: int
    max_players: int
    default_players: int
    num_actions: int
    state_dtype: np.dtype[Any]
    """Of a record. Every game has these fields, which environments and agents read: ``key`` (uint64; what chance
    decides follows from it), ``num_players``, ``player`` (the seat to act; -1: the game is over), ``deals`` (made so
    far) and ``winners`` ((max_players,), 1 for who has won)."""
    table_fields: tuple[str, ...]
    """The fields of the record that `state()` shows: the whole table, hidden cards included, random key left out."""
    layout: Layout
    score_reward: str
    """Name of the reward that pays changes of `Rules.score`."""
    variants: tuple[str, ...]
    check_options: Callable[[int, str, Mapping[str, Any]], dict[str, Any]]
    """(num_players, variant, rule options): all rule options in force; `TypeError`, `ValueError` say what is wrong."""
    write_options: Callable[[State, int, str, Mapping[str, Any]], None]
    """(state, num_players, variant, options in force): set them in a zeroed record."""
    read_options: Callable[[State], tuple[int, str, dict[str, Any]]]
    """(state): the number of players, variant and options that were written."""
    card_names: tuple[int | str, ...]
    """By the integer that stands for a card: how the snapshot writes it."""
    read_deck: Callable[[Iterable[Any], int, Mapping[str, Any]], list[int]]
    """(cards as the snapshot writes them, num_players, options): the whole deck as integers, top first.

    Raises `TypeError` or `ValueError` if it is not.
    """
    sample_state: Callable[[Any, np.random.Generator], Any]
    """(observation vector, generator): a record array, shape (1,), of a position that shows this observation."""
    rules: Rules
    words: Words
    table_low: int = -1
    """The least value that the fields of `table_fields` can have; the greatest is that of int16."""

    def new_state(self, num_players: int, variant: str, options: Mapping[str, Any]) -> Any:
        """A record array, shape (1,), with checked options written and no game begun."""
        states = zeros(1, self.state_dtype)
        self.write_options(states[0], num_players, variant, options)
        return states


def check_integer(name: str, value: object, low: int, high: int) -> int:
    """``value`` as an int if it is an integer low .. high; else a `TypeError` or `ValueError` naming all of this."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}={value!r} is not an integer; allowed are {low} .. {high}")
    number = operator.index(value)
    if not low <= number <= high:
        raise ValueError(f"{name}={number} is out of range; allowed are {low} .. {high}")
    return number


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """``value`` if it is one of ``allowed``; else a `ValueError` that names them."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r} is unknown; allowed are {', '.join(map(repr, allowed))}")
    return value
