"""Descriptions of Schwarze Katze's moves and settlements; the sentences are in ``texts.json``."""

from __future__ import annotations

from typing import Any

from blackjacky_agents.narration import Move, Narrator, Phrase, View, card, say, seat
from blackjacky_env.games.schwarze_katze.options import read_card


def story(move: Move) -> list[Phrase]:
    """The card played, the winner of a finished trick, and the points of a finished deal."""
    before, after = move.before, move.after
    played = move.action.card
    assert played is not None
    told = [say("plays" if before["table"] else "leads", actor=seat(move.actor), card=card(played))]
    trick = [*before["table"], [move.actor, played]]
    if len(trick) == move.players:
        told.append(say("takes_the_trick", seat=seat(_winner_of(trick))))
    if before["deal"] != after["deal"] or after["phase"] == "over":
        told += [_gets(each, points) for each, points in enumerate(after["last_deal"])]
    return told


def _gets(player: int, points: int) -> Phrase:
    """A player's points in this deal; negative only for taking no trick, told as points in their favour (K6)."""
    if points < 0:
        return say("gets_in_favour", seat=seat(player), points=-points)
    return say("gets", seat=seat(player), points=points)


def _winner_of(trick: list[list[Any]]) -> int:
    """The seat that takes a trick, given as [seat, card] pairs in the order of play (K5)."""
    suit = trick[0][1][-1]
    return int(max((read_card(name), player) for player, name in trick if name[-1] == suit)[1])


def settlement(view: View) -> list[Phrase]:
    """The totals so far."""
    return [say("has_in_all", seat=seat(player), points=total) for player, total in enumerate(view["totals"])]


NARRATOR = Narrator(story, settlement)
