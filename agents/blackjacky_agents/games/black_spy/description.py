"""The table of Black Spy in words, for readers without the picture; the sentences are in ``texts.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blackjacky_agents.narration import Phrase, View, card, listed, say, seat
from blackjacky_agents.tricks import cards_on_table
from blackjacky_env.engine.trick_table import tricks_of
from blackjacky_env.games.black_spy.terminal import limit

_KNOWN = ("chosen", "passed", "received", "left", "played")  # lists of cards by player


def describe(view: View, options: Mapping[str, Any]) -> list[Phrase]:
    """The deal and what is going on in it, the cards in the middle, and each player."""
    told: list[Any] = [_when(view)]
    if view["called"] is not None and view["phase"] == "play":
        told.append(say("now_called", colour={"number": view["called"]}))
    told += cards_on_table(view)
    if isinstance(view["pile"], list) and view["pile"]:
        told.append(say("now_pile", cards=listed(map(card, view["pile"]))))
    return [*told, *(_player(view, each) for each in range(len(view["totals"])))]


def _when(view: View) -> Phrase:
    phase = view["phase"]
    when = {"deal": view["deal"] + 1, "limit": limit(view)}
    if phase == "pass":
        return say(f"now_pass_{view['pass_to']}", **when)
    if phase != "play":
        return say(f"now_{phase}", **when)
    return say("now_trick", **when, trick=view["trick"] + 1, tricks=tricks_of(view))


def _player(view: View, player: int) -> list[Phrase]:
    hand, lacks = view["hands"][player], view["lacks"][player]
    results = {"points": view["points"][player], "total": view["totals"][player]}
    taken = {"black": view["black_taken"][player], "spies": view["good_spies_taken"][player]}
    told = [say("now_player", seat=seat(player), **results, **taken)]
    if view["phase"] != "over":
        told += [say("now_deals")] * (player == view["dealer"]) + [say("now_leads")] * (player == view["leader"])
    if view["red_star"] == player:
        told.append(say("now_star"))
    if isinstance(hand, int):
        told.append(say("now_hidden", count=hand))
    elif hand:
        told.append(say("now_hand", cards=listed(map(card, hand))))
    known = {key: cards for key in _KNOWN if isinstance(cards := view[key][player], list) and cards}
    told += [say(f"now_{key}", cards=listed(map(card, cards))) for key, cards in known.items()]
    return [*told, say("now_lacks", what=listed([{"number": each} for each in lacks]))] if lacks else told
