"""Descriptions of Schwarze Katze's moves and settlements; the sentences are in ``texts.json``."""

from __future__ import annotations

from blackjacky_agents.kit.narration import Phrase, SeenMove, View, card, listed, say, seat
from blackjacky_agents.kit.tricks import Trick, TrickGame, ends_deal, is_full, trick_of
from blackjacky_env.compiled import in_plain_python
from blackjacky_env.draw import signed
from blackjacky_env.games.schwarze_katze import rules
from blackjacky_env.games.schwarze_katze.state import CARD_NAMES

_penalty_of = in_plain_python(rules.penalty_of)


def story(move: SeenMove) -> list[Phrase]:
    """The card played, the winner of a finished trick, and the points of a finished deal."""
    played = str(move.action.card)
    told = [say("plays" if move.before["table"] else "leads", actor=seat(move.actor), card=card(played))]
    if is_full(move):
        told += _taken(move)
    if ends_deal(move):
        told += [_gets(each, points) for each, points in enumerate(move.after["last_deal"])]
    return told


def _taken(move: SeenMove) -> list[Phrase]:
    """Who takes a full trick, and the penalty in it (K6)."""
    trick = trick_of(move)
    points = sum(_penalty_of(CARD_NAMES.index(name), move.options["heart_ace"]) for _, name in trick)
    taker = seat(_winner_of(trick))
    return [say("takes_the_trick_for", seat=taker, points=points) if points else say("takes_the_trick", seat=taker)]


def _gets(player: int, points: int) -> Phrase:
    """A player's points in this deal; negative only for taking no trick, told as points in their favour (K6)."""
    if points < 0:
        return say("gets_in_favour", seat=seat(player), points=-points)
    return say("gets", seat=seat(player), points=points)


def _winner_of(trick: Trick) -> int:
    """K5: the seat that takes a trick."""
    suit = trick[0][1][-1]
    return int(max((CARD_NAMES.index(name), player) for player, name in trick if name[-1] == suit)[1])


def _decision(view: View) -> list[Phrase]:
    """K8: the winners, and how far the next player is behind."""
    if view["phase"] != "over":
        return []
    winners, totals = view["winners"], view["totals"]
    lowest = totals[winners[0]]
    rest = [total for player, total in enumerate(totals) if player not in winners]
    won = {"points": signed(lowest), "margin": min(rest) - lowest if rest else 0}
    if len(winners) > 1:
        return [say("win_together", seats=listed(seat(player) for player in winners), **won)]
    return [say("wins", seat=seat(winners[0]), **won)]


NARRATOR = TrickGame(
    winner_of=_winner_of,
    told=_taken,
    counted={"tricks_taken": lambda names: 1},
    points="penalties",
    columns=("column_tricks",),
    reasons=lambda move, player, taken: [] if taken[0] else [say("no_trick_taken")],
).narrator(story, _decision)
