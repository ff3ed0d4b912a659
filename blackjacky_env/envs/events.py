"""What a seat hears of a game: who did what, as far as the seat may know, and what it was shown.

Nothing here decides what is secret: actions come from `Actions.known`, all else from what the game lets the seat view.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
        self._game, self._seat = game, seat
        self._view: dict[str, Any] = {}

    def hear(self, table: dict[str, Any], move: Sequence[int] | None, is_deal: bool) -> None:
        """Add an event, or with a deal begin anew with one that shows everything.

        Args:
            table: the snapshot after the event.
            move: actor, action and number of the phase it was taken in; None: nobody acted.
            is_deal: whether the cards have just been dealt.
        """
        view = self._game.words.view(table, self._seat)
        before = {} if is_deal else self._view
        shown = {name: value for name, value in view.items() if name not in before or before[name] != value}
        event: Event = {"actor": None, "action": None, "shown": shown}
        if move is not None:
            actor, action, phase = move
            known = self._game.words.actions.known(action, self._game.words.phases[phase], is_own=actor == self._seat)
            event |= {"actor": actor, "action": known.describe()}
        self.events = [event] if is_deal else [*self.events, event]
        self._view = view
