"""The table of Black Jacky in words, for readers without the picture; the sentences are in ``texts.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blackjacky_agents.narration import Phrase, View, card, listed, say, seat
from blackjacky_env.games.black_jacky.terminal import cards_of


def describe(view: View, options: Mapping[str, Any]) -> list[Phrase]:
    """The round, each player, and the piles."""
    told: list[Any] = [_when(view), *(_player(view, each) for each in range(len(view["hearts"])))]
    if view["discard_top"] is None:
        return told
    top = card(view["discard_top"])
    return [*told, say("now_piles", count=view["draw_pile"], below=len(view["discards"]), top=top)]


def _when(view: View) -> Phrase:
    if view["phase"] == "tip":
        return say("now_tips", round=view["round"] + 1)
    if view["phase"] == "over":
        return say("now_over", round=view["round"] + 1)
    return say("now_turn", round=view["round"] + 1, turn=view["turn"] + 1)


def _player(view: View, player: int) -> list[Phrase]:
    told = [_hearts(view, player)]
    if view["phase"] not in ("tip", "over") and view["status"][player] == "saloon":
        told += _cards(view, player)
    if view["tips"][player] is not None:
        told.append(say("now_tips_on", target=seat(view["tips"][player])))
    if view["knocked"][player]:
        told.append(say("now_knocked"))
    elif player in (view["last_turns"] or []):
        told.append(say("now_last_turn"))
    return told


def _hearts(view: View, player: int) -> Phrase:
    status, hearts = view["status"][player], view["hearts"][player]
    if status != "saloon":
        return say(f"now_{status}", seat=seat(player))
    if view["black_hearts"][player]:
        return say("now_black_heart", seat=seat(player))
    return say("now_one_heart" if hearts == 1 else "now_hearts", seat=seat(player), count=hearts)


def _cards(view: View, player: int) -> list[Phrase]:
    cards = cards_of(view, player)
    if isinstance(cards.hand, int):
        told = [say("now_one_hidden" if cards.hand == 1 else "now_hidden", count=cards.hand)]
        told += [say("now_known", cards=listed(map(card, cards.known)))] if cards.known else []
    else:
        whole, tenth = divmod(cards.tenths or 0, 10)
        shown = listed(map(card, cards.hand)) if cards.hand else say("nothing")
        told = [say("now_hand", cards=shown, sum=say("sum", whole=whole, tenth=tenth))]
    if cards.laid:
        told.append(say("now_laid", cards=listed(map(card, cards.laid))))
    return [*told, say("now_plus_one")] if cards.plus_one else told
