"""What reference implementations share; none of it is a rule of a game."""

from __future__ import annotations

from collections.abc import Generator, Sequence
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


def around(entries: list[Any], me: int, seats: int, nobody: Any = 0) -> list[Any]:
    """What is given by seat, as it lies clockwise around the table from me, filled up to so many seats."""
    return [*entries[me:], *entries[:me], *[nobody] * (seats - len(entries))]


def uniform(legal: set[int]) -> set[int]:
    """The policy that likes every action."""
    return legal
