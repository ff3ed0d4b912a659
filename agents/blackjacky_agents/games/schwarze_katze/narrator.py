"""Descriptions of Schwarze Katze's moves and settlements; the sentences are in ``texts.json``."""

from __future__ import annotations

from typing import Any

from blackjacky_agents.narration import (
    Move,
    Narrator,
    Pause,
    Phrase,
    Score,
    ScoreTable,
    View,
    card,
    listed,
    mark_of,
    say,
    seat,
    worst,
)
from blackjacky_env.engine.svg import MINUS, Settled
from blackjacky_env.games.schwarze_katze.state import CARD_NAMES


def story(move: Move) -> list[Phrase]:
    """The card played, the winner of a finished trick, and the points of a finished deal."""
    before, after = move.before, move.after
    played = move.action.card
    assert played is not None
    told = [say("plays" if before["table"] else "leads", actor=seat(move.actor), card=card(played))]
    trick = _trick(move)
    if len(trick) == move.players:
        told.append(_taken(move, trick))
    if _ends_deal(move):
        told += [_gets(each, points) for each, points in enumerate(after["last_deal"])]
    return told


def _ends_deal(move: Move) -> bool:
    return bool(move.before["deal"] != move.after["deal"] or move.after["phase"] == "over")


def _trick(move: Move) -> list[list[Any]]:
    """The [seat, card] pairs on the table after the move."""
    return [*move.before["table"], [move.actor, move.action.card]]


def _taken(move: Move, trick: list[list[Any]]) -> Phrase:
    """Who takes a full trick, and the penalty in it (K6)."""
    points = sum(_penalty(name, move.options["heart_ace"]) for _, name in trick)
    taker = seat(_winner_of(trick))
    return say("takes_the_trick_for", seat=taker, points=points) if points else say("takes_the_trick", seat=taker)


def _penalty(name: str, heart_ace: int) -> int:
    """K6: the penalty for a card."""
    if name == "QS":
        return 40
    if name[-1] != "H":
        return 0
    rank = name[:-1]
    return heart_ace if rank == "A" else int(rank) if rank.isdigit() else 10


def _gets(player: int, points: int) -> Phrase:
    """A player's points in this deal; negative only for taking no trick, told as points in their favour (K6)."""
    if points < 0:
        return say("gets_in_favour", seat=seat(player), points=-points)
    return say("gets", seat=seat(player), points=points)


def _winner_of(trick: list[list[Any]]) -> int:
    """The seat that takes a trick, given as [seat, card] pairs in the order of play (K5)."""
    suit = trick[0][1][-1]
    return int(max((CARD_NAMES.index(name), player) for player, name in trick if name[-1] == suit)[1])


def settlement(view: View) -> list[Phrase]:
    """The totals so far, and what decided the game (K8)."""
    told = [say("has_in_all", seat=seat(player), points=_signed(total)) for player, total in enumerate(view["totals"])]
    return [*told, _decision(view)] if view["phase"] == "over" else told


def _decision(view: View) -> Phrase:
    """The winners, and how far the next player is behind."""
    winners, totals = view["winners"], view["totals"]
    lowest = totals[winners[0]]
    rest = [total for player, total in enumerate(totals) if player not in winners]
    won = {"points": _signed(lowest), "margin": min(rest) - lowest if rest else 0}
    if len(winners) > 1:
        return say("win_together", seats=listed(seat(player) for player in winners), **won)
    return say("wins", seat=seat(winners[0]), **won)


# ---------------------------------------------------------------- what people should see


def pause(move: Move) -> Pause | None:
    """A full trick, with its taker marked as the next to act."""
    trick = _trick(move)
    if len(trick) < move.players:
        return None
    return Pause(say("last_trick"), [_taken(move, trick)], settled(move) if _ends_deal(move) else _full_trick(move))


def _full_trick(move: Move) -> View:
    before, trick = move.before, _trick(move)
    hands = [_without(hand, move, player) for player, hand in enumerate(before["hands"])]
    return {**before, "hands": hands, "table": trick, "player": _winner_of(trick)}


def settled(move: Move) -> View:
    """The last trick of a deal, with the points of the deal, and the totals before and after it."""
    after = move.after
    tricks = [_tricks(move, player) for player in range(move.players)]
    deal = {"tricks_taken": tricks, "penalties": after["last_deal"], "last_deal": None}
    changed = Settled(worst(after["last_deal"]), {"totals": after["totals"]})
    return {**_full_trick(move), **deal, "player": None, "settled": changed}


def _without(hand: list[str] | int, move: Move, player: int) -> list[str] | int:
    """A hand after the move."""
    if player != move.actor:
        return hand
    return hand - 1 if isinstance(hand, int) else [name for name in hand if name != move.action.card]


def scores(move: Move) -> ScoreTable:
    """Tricks, points of the deal and total of each player."""
    columns = [say("column_tricks"), say("column_deal"), say("column_total")]
    return ScoreTable(columns, [_score(move, player) for player in range(move.players)])


def _score(move: Move, player: int) -> Score:
    tricks = _tricks(move, player)
    points, total = move.after["last_deal"][player], move.after["totals"][player]
    mark = mark_of(move, player, worst(move.after["last_deal"]))
    why = [say("most_points")] if mark == "bad" else [] if tricks else [say("no_trick_taken")]
    return Score(player, [tricks, _signed(points), _signed(total)], why, mark, -total)


def _tricks(move: Move, player: int) -> int:
    """Tricks taken in the deal that has ended, the last one included."""
    return int(move.before["tricks_taken"][player]) + (player == _winner_of(_trick(move)))


def _signed(points: int) -> str:
    return str(points).replace("-", MINUS)


NARRATOR = Narrator(story, settlement, pause, scores, settled=settled)
