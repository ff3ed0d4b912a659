"""Narration shared by trick-taking games in which points are bad: full tricks, the end of a deal, the scores.

Their views have the keys ``deal``, ``table`` (the [seat, card] pairs of the trick, in the order of play), ``hands``,
``totals`` and ``last_deal`` (points by seat); cards are played in the phase ``play``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from blackjacky_agents.kit.narration import (
    Narrator,
    Pause,
    Phrase,
    ScoreRow,
    ScoreTable,
    SeenMove,
    View,
    mark_of,
    say,
    seat,
    worst,
)
from blackjacky_env.draw import Settled, signed

Trick = Sequence[Sequence[Any]]
"""[seat, card] pairs in the order of play."""


def trick_of(move: SeenMove) -> list[list[Any]]:
    """The cards on the table after a card has been played; none after another decision."""
    if move.before["phase"] != "play":
        return []
    return [*move.before["table"], [move.actor, move.action.card]]


def is_full(move: SeenMove) -> bool:
    """Whether the move has completed a trick."""
    return len(trick_of(move)) == move.players


def ends_deal(move: SeenMove) -> bool:
    """Whether the deal has been scored."""
    return bool(move.before["deal"] != move.after["deal"] or move.after["phase"] == "over")


class TrickGame(NamedTuple):
    """What the narration needs to know of a game."""

    winner_of: Callable[[Trick], int]
    """(trick) -> the seat that wins it."""
    told: Callable[[SeenMove], list[Phrase]]
    """(move that has completed a trick) -> who has won it and what it costs."""
    counted: Mapping[str, Callable[[list[str]], int]]
    """By key of the view that counts what each seat has taken in a deal: how much the cards of a trick add."""
    points: str
    """The key of the view with the points of the current deal."""
    columns: Sequence[str]
    """The keys of the sentences above what is counted, in the table of scores."""
    reasons: Callable[[SeenMove, int, list[int]], list[Phrase]]
    """(move that has ended a deal, seat, what it has taken) -> what to say about its score."""

    def narrator(self, story: Callable[[SeenMove], list[Phrase]], decision: Callable[[View], list[Phrase]]) -> Narrator:
        """The narrator; ``decision``: (view after a deal) -> what follows the totals."""

        def settlement(view: View) -> list[Phrase]:
            totals = [say("has_in_all", seat=seat(p), points=signed(total)) for p, total in enumerate(view["totals"])]
            return [*totals, *decision(view)]

        return Narrator(story, settlement, self.pause, self.scores, settled=self.settled)

    def pause(self, move: SeenMove) -> Pause | None:
        """A full trick, with its winner marked as the next to act."""
        if not is_full(move):
            return None
        shown = self.settled(move) if ends_deal(move) else self.full_trick(move)
        return Pause(say("last_trick"), self.told(move), shown)

    def full_trick(self, move: SeenMove) -> View:
        """The position after the move as if the trick still lay on the table."""
        trick = trick_of(move)
        hands = [
            _without(hand, move) if player == move.actor else hand for player, hand in enumerate(move.before["hands"])
        ]
        return {**move.before, "hands": hands, "table": trick, "player": self.winner_of(trick)}

    def taken(self, move: SeenMove, player: int) -> list[int]:
        """What is counted, of all tricks of a deal that has ended."""
        trick = trick_of(move)  # none if a choice has followed the last trick
        has_won, names = bool(trick) and self.winner_of(trick) == player, [name for _, name in trick]
        return [move.before[key][player] + (added(names) if has_won else 0) for key, added in self.counted.items()]

    def settled(self, move: SeenMove) -> View:
        """The last trick of a deal, with the points of the deal, and the totals before and after it."""
        shown = self.full_trick(move) if trick_of(move) else {**move.before, "phase": "play"}
        taken = zip(*(self.taken(move, player) for player in range(move.players)), strict=True)
        deal = {**dict(zip(self.counted, map(list, taken), strict=True)), self.points: move.after["last_deal"]}
        changed = Settled(worst(move.after["last_deal"]), {"totals": move.after["totals"]})
        return {**shown, **deal, "last_deal": None, "player": None, "settled": changed}

    def scores(self, move: SeenMove) -> ScoreTable:
        """What each player has taken, the points of the deal and the totals."""
        columns = [say(key) for key in (*self.columns, "column_deal", "column_total")]
        return ScoreTable(columns, [self._score(move, player) for player in range(move.players)])

    def _score(self, move: SeenMove, player: int) -> ScoreRow:
        taken, deal, total = self.taken(move, player), move.after["last_deal"], move.after["totals"][player]
        mark = mark_of(move, player, worst(deal))
        why = [say("most_points")] * (mark == "bad") + self.reasons(move, player, taken)
        return ScoreRow(player, [*taken, signed(deal[player]), signed(total)], why, mark, -total)


def _without(hand: list[str] | int, move: SeenMove) -> list[str] | int:
    if isinstance(hand, int):
        return hand - 1
    left = hand.copy()  # it can hold several equal cards
    left.remove(str(move.action.card))
    return left
