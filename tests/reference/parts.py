"""What reference implementations share; none of it is a rule of a game."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple


class Question(NamedTuple):
    """A decision: who takes it, and what each legal action means."""

    phase: str
    player: Any
    answers: dict[int, Any]


Asking = Generator[Question, Any, Any]


class AskingGame:
    """A game whose rules are a generator, which yields a `Question` wherever a player decides."""

    players: list[Any]
    rules: Asking
    question: Question | None

    def clockwise(self, first: Any) -> list[Any]:
        """All players clockwise, this one first."""
        return self.players[first.seat :] + self.players[: first.seat]

    @property
    def over(self) -> bool:
        return self.question is None

    @property
    def player(self) -> int | None:
        return self.question.player.seat if self.question else None

    @property
    def phase(self) -> str:
        return self.question.phase if self.question else "over"

    def legal_actions(self) -> set[int]:
        """The actions that the player to act may take."""
        return set(self.question.answers) if self.question else set()

    def answer(self, action: int) -> None:
        """Let the player to act take this action."""
        if self.question is None or action not in self.question.answers:
            raise ValueError(f"action {action} is not legal here")
        try:
            self.question = self.rules.send(self.question.answers[action])
        except StopIteration:
            self.question = None


def seat_of(player: Any) -> int | None:
    """None if it is nobody."""
    return None if player is None else player.seat


def shared_result(players: int, winners: Sequence[int]) -> list[float]:
    """The rewards of `reward="win"` by seat, once the winners are known."""
    won, lost = len(winners), players - len(winners)
    if not won or not lost:
        return [0.0] * players
    return [1 / won if seat in winners else -1 / lost for seat in range(players)]


def one_hot(length: int, index: int | None) -> list[int]:
    """1 at this place, or nowhere."""
    return [int(place == index) for place in range(length)]


def around(entries: list[Any], me: int, seats: int) -> list[Any]:
    """What is given by seat, as it lies clockwise around the table from me, filled up with 0 to so many seats."""
    nobody = [0] * len(entries[0]) if entries and isinstance(entries[0], list) else 0
    return [*entries[me:], *entries[:me], *[nobody] * (seats - len(entries))]


def relative(seat: int | None, me: int, players: int) -> int:
    """1 + the places that a seat is clockwise from me, 0 for nobody."""
    return 0 if seat is None else 1 + (seat - me) % players


def everybody_sees(
    players: int, seats: int, same: dict[str, Any], by_seat: dict[str, list[Any]], own: Callable[[int], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The observations: what is the same for all, entries by seat as they lie around the table, and what is the own."""
    return [
        {**same, **{name: around(entries, me, seats) for name, entries in by_seat.items()}, **own(me)}
        for me in range(players)
    ]


def uniform(legal: set[int]) -> set[int]:
    """The policy that likes every action."""
    return legal
