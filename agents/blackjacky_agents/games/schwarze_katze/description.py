"""The table of Schwarze Katze in words, for readers without the picture; the sentences are in ``texts.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blackjacky_agents.narration import Phrase, View, card, listed, say, seat
from blackjacky_agents.tricks import cards_on_table
from blackjacky_env.engine.trick_table import tricks_of


def describe(view: View, options: Mapping[str, Any]) -> list[Phrase]:
    """The deal and trick, the cards of the trick, and each player."""
    told: list[Any] = [_when(view, options), *cards_on_table(view)]
    return [*told, *(_player(view, each) for each in range(len(view["totals"])))]


def _when(view: View, options: Mapping[str, Any]) -> Phrase:
    when = {"deal": view["deal"] + 1, "deals": options["deals"]}
    if view["phase"] == "over":
        return say("now_over", **when)
    return say("now_trick", **when, trick=view["trick"] + 1, tricks=tricks_of(view))


def _player(view: View, player: int) -> list[Phrase]:
    tricks, hand = view["tricks_taken"][player], view["hands"][player]
    results = {"tricks": tricks, "penalty": view["penalties"][player], "total": view["totals"][player]}
    told = [say("now_player_one" if tricks == 1 else "now_player", seat=seat(player), **results)]
    if view["phase"] != "over" and player == view["dealer"]:
        told.append(say("now_deals"))
    if isinstance(hand, list) and hand:
        told.append(say("now_hand", cards=listed(map(card, hand))))
    return told
