"""What a seat has heard of a game, kept up as it goes: events, and the information states made from them.

Nothing here decides what is secret: actions come from `Actions.known`, all else from what the game lets the seat view.
`Events` and `SeatKeys` are shown every `Moment` of a game, from its start on.

A seat's information state is told as text (`Events.text`), as a key (`blackjacky_env.play.recall`), and at small
tables as a vector: its present observation, and a row of 2 + K entries for each action so far, the newest first, where
K is the size of an observation:

- 1 + the seat that acted, relative to the observer; 0: nothing has happened, and all other entries are 0, too;
- 1 + the action, as the observer has heard it (`blackjacky_env.play.recall.sounds`);
- the observation of the observer just before the action.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.declare.actions import ActionInfo, names_from
from blackjacky_env.declare.fields import NOBODY
from blackjacky_env.declare.game import Game
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.past import Moment
from blackjacky_env.play.recall import listener, new_ear, sounds

LONGEST_VECTOR = 10_000
"""Entries of an information state as a vector."""
Event = dict[str, Any]


class Events:
    """What a seat (None: a spectator) has heard and been shown since a game began, event by event."""

    def __init__(self, game: Game, seat: int | None) -> None:
        self._game, self._seat = game, seat
        self._events: list[Event] = []
        self._known: list[ActionInfo | None] = []  # the action of each event
        self._lines: list[str] = []  # of `text`
        self._view: dict[str, Any] = {}
        self._deals, self._last_deal = -1, 0

    def hear(self, now: Moment) -> None:
        """Add an event; one with a deal shows the whole view, others what has changed."""
        view, deals = self._game.words.view(now.snapshot, self._seat), int(now.states["deals"][0])
        if deals != self._deals:
            self._deals, self._last_deal, self._view = deals, len(self._events), {}
        before, self._view = self._view, view
        shown = {name: value for name, value in view.items() if name not in before or before[name] != value}
        actor, known = None, None
        if now.move is not None:
            actor, action, phase = now.move
            words = self._game.words
            known = words.actions.known(action, words.phases[phase], is_own=actor == self._seat)
        self._events.append({"actor": actor, "action": known and known.describe(), "shown": shown})
        self._known.append(known)

    @property
    def since_deal(self) -> list[Event]:
        """The events since the last deal, in a new list; the first one shows the whole view after it."""
        return self._events[self._last_deal :]

    def text(self, agents: Sequence[str], settings: Mapping[str, Any]) -> str:
        """All events, a line for each, under a line that says who observes which table.

        ``agents``: names of the players by seat. ``settings``: the table's size, variant and options.
        """
        told, actions = len(self._lines), self._game.words.actions
        for event, known in zip(self._events[told:], self._known[told:], strict=True):
            what = "start"
            if known is not None:
                what = f"{agents[event['actor']]}: {actions.tell(known, names_from(event['actor'], agents))}"
            self._lines.append(f"{what}{': ' if known is None else '; '}{_named(event['shown'])}")
        observer = "a spectator" if self._seat is None else agents[self._seat]
        return "\n".join([f"{self._game.title}, seen by {observer}: {_named(settings)}", *self._lines])


def _named(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in values.items())


class SeatKeys:
    """``keys``: what every seat recalls, as `blackjacky_env.play.recall` hashes it, uint64, (P, 2)."""

    def __init__(self, game: Game, num_players: int) -> None:
        self.keys = np.zeros((num_players, 2), np.uint64)
        self._listen, self._ear = listener(game), new_ear(game)

    def hear(self, now: Moment) -> None:
        """Take in an action, and what every seat sees after it."""
        self._listen(now.states, *(now.move or (NOBODY, 0, 0)), self.keys, self._ear)


# ---------------------------------------------------------------- vectors


def vector_bounds(
    game: Game, num_players: int, variant: str, options: Mapping[str, Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The smallest and the largest value of every entry of `as_vector`.

    Raises `ValueError` if there is no number of rows that holds every game at this table, or it is large.
    """
    layout = game.layout
    most = game.most_actions and game.most_actions(num_players, variant, options)
    if most is None:
        raise ValueError(f"games of {game.title} have no longest length at this table, so their past fits no vector")
    if (size := layout.size + most * (2 + layout.size)) > LONGEST_VECTOR:
        raise ValueError(
            f"games of {game.title} may have {most:,} actions at this table, so their past would take {size:,} "
            f"entries; allowed are {LONGEST_VECTOR:,}: choose a smaller table"
        )
    dtype = np.result_type(layout.dtype, np.min_scalar_type(-1 - game.num_actions))
    low, high = [0, 0, *np.minimum(layout.low, 0)], [num_players, game.num_actions, *layout.high]
    return (
        np.concatenate([layout.low, np.tile(low, most)]).astype(dtype),
        np.concatenate([layout.high, np.tile(high, most)]).astype(dtype),
    )


def as_vector(game: Game, seat: int, moments: Iterable[Moment], low: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What a seat has heard since a game began, of the shape and dtype of ``low`` from `vector_bounds`."""
    rows: list[int] = []
    seen, mask = game.new_arrays()
    for now in moments:
        if now.move is not None:
            actor, action, phase = now.move
            heard = action if actor == seat else sounds(game)[phase, action]
            rows = [1 + (actor - seat) % int(now.states["num_players"][0]), 1 + heard, *seen, *rows]
        game_functions(game).look(now.states, seat, seen, mask)
    vector, told = np.zeros_like(low), [*seen, *rows]
    vector[: len(told)] = told
    return vector
