"""What a seat hears of a game: who did what, as far as the seat may know, and what it was shown.

Nothing here decides what is secret: actions come from `Actions.known`, all else from what the game lets the seat view.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blackjacky_env.engine.actions import ActionInfo, names_from
from blackjacky_env.engine.game import Game

Event = dict[str, Any]


class Listener:
    """A seat that follows a game, from the last deal on.

    Args:
        game: the game.
        seat: the seat; None: a spectator.
    """

    def __init__(self, game: Game, seat: int | None) -> None:
        self.events: list[Event] = []
        self._game, self._seat, self._deals = game, seat, -1
        self._view: dict[str, Any] = {}

    def hear(self, table: dict[str, Any], move: Sequence[int] | None, deals: int) -> None:
        """Add an event, or with a deal begin anew with one that shows everything.

        Args:
            table: the snapshot after the event.
            move: actor, action and number of the phase it was taken in; None: nobody acted.
            deals: how often cards have been dealt so far.
        """
        is_deal, self._deals = deals != self._deals, deals
        known, shown = self.observe(table, move, is_deal)
        actor = None if move is None else move[0]
        event: Event = {"actor": actor, "action": None if known is None else known.describe(), "shown": shown}
        self.events = [event] if is_deal else [*self.events, event]

    def observe(
        self, table: dict[str, Any], move: Sequence[int] | None, forget: bool = False
    ) -> tuple[ActionInfo | None, dict[str, Any]]:
        """The action as the seat knows it, and the entries of its view that have changed since it last observed.

        Args:
            table: as for `hear`.
            move: as for `hear`.
            forget: whether all entries are returned.
        """
        view = self._game.words.view(table, self._seat)
        before = {} if forget else self._view
        shown = {name: value for name, value in view.items() if name not in before or before[name] != value}
        self._view = view
        if move is None:
            return None, shown
        actor, action, phase = move
        words = self._game.words
        return words.actions.known(action, words.phases[phase], is_own=actor == self._seat), shown


class Diary:
    """What a seat has observed since a game began, line by line; earlier lines never change.

    Args:
        game: the game.
        seat: the seat; None: a spectator.
        agents: names of the players by seat.
    """

    def __init__(self, game: Game, seat: int | None, agents: Sequence[str]) -> None:
        self.lines: list[str] = []
        self._listener = Listener(game, seat)
        self._actions, self._agents = game.words.actions, agents

    def write(self, table: dict[str, Any], move: Sequence[int] | None) -> None:
        """Add the line about an event, with the snapshot after it, and the move as for `Listener.hear`."""
        known, shown = self._listener.observe(table, move)
        seen = ", ".join(f"{name} {json.dumps(value)}" for name, value in shown.items())
        if known is None or move is None:
            self.lines.append(f"start: {seen}")
            return
        told = self._actions.tell(known, names_from(move[0], self._agents))
        self.lines.append(f"{self._agents[move[0]]}: {told}; {seen}")


def title(game: Game, observer: str | None, settings: Mapping[str, Any]) -> str:
    """The first line of an information state: who observes a game of which rules."""
    rules: Iterable[str] = (f"{name} {json.dumps(value)}" for name, value in settings.items())
    return f"{game.title}, seen by {observer or 'a spectator'}: {', '.join(rules)}"
