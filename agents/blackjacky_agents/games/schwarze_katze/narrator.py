"""Schwarze Katze told to people."""

from __future__ import annotations

from typing import Any

from blackjacky_agents.narration import Move, Narrator, View
from blackjacky_env.games import get_game

HELP = """
Take as few penalties as you can. The suit that is led must be followed; the highest card of it takes the trick.
  hearts 2 to 9 count their number, 10, jack, queen and king 10, the ace 11; the queen of spades 40
  who has no trick at all in a deal gets -50
The lowest total after all deals wins. All rules: blackjacky_env/games/schwarze_katze/README.md
Type the number of an action or the name of a card, such as "QS" or "10H"; `quit` ends the game.
"""


def explain(name: str) -> str:
    """What a card brings to whoever takes it."""
    if name == "QS":
        return "the black cat: 40 penalties"
    if not name.endswith("H"):
        return ""
    rank = name[:-1]
    return "the ace of hearts: 10 or 11 penalties" if rank == "A" else f"{rank if rank in '23456789' else 10} penalties"


def click_targets(name: str) -> dict[str, Any]:
    """The card."""
    return {"card": name}


def story(move: Move) -> list[str]:
    """Who plays which card, who takes the trick, and what a deal brought."""
    before, after = move.before, move.after
    told = [f"{{{move.actor}}} {'plays' if before['table'] else 'leads'} {move.name}"]
    trick = [*before["table"], [move.actor, move.name]]
    if len(trick) == move.players:
        told.append(f"{{{_winner_of(trick)}}} takes the trick")
    if before["deal"] != after["deal"] or after["phase"] == "over":
        told += [f"{{{seat}}} gets {points} in this deal" for seat, points in enumerate(after["last_deal"])]
    return told


def _winner_of(trick: list[list[Any]]) -> int:
    """The seat that takes these [seat, card] in the order of play (K5)."""
    suit = trick[0][1][-1]
    rank = get_game("schwarze_katze").words.parse_action
    return int(max((rank(card), seat) for seat, card in trick if card[-1] == suit)[1])


def settlement(view: View) -> list[str]:
    """The totals so far."""
    return [f"{{{seat}}} has {total} in all" for seat, total in enumerate(view["totals"])]


NARRATOR = Narrator(HELP, story, settlement, explain, click_targets)
