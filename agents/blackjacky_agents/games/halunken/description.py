"""The table of Halunken & Spelunken in words, for readers without the picture; the sentences are in ``texts.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blackjacky_agents.narration import Phrase, View, card, listed, say, seat
from blackjacky_env.engine.text import count_of
from blackjacky_env.games.halunken import terminal
from blackjacky_env.games.halunken.state import ROUNDS

_DOING = {"place_captain": "set_up", "place_black_jack": "set_up", "bid": "auction", "over": "over"}
_DOING |= {"choose": "choosing", "choose_for_black_jack": "choosing"}


def describe(view: View, options: Mapping[str, Any]) -> list[Phrase]:
    """The round, each player, Black Jack and the harbour, and the taverns."""
    when = say(f"now_{_DOING.get(view['phase'], 'moves')}", round=view["round"] + 1, rounds=ROUNDS)
    told: list[Any] = [[say("now_game", game=view["game"] + 1), when] if options["three_games"] else when]
    told += [_player(view, each) for each in range(len(view["crews"]))]
    if options["variant"] != "basic":
        told.append(_black_jack(view, options))
    return [*told, *(_tavern(field, tavern) for field, tavern in enumerate(view["taverns"]))]


def _player(view: View, player: int) -> list[Phrase]:
    crew, laid, choice = view["crews"][player], view["laid"][player], view["choices"][player]
    told = [say("now_player", seat=seat(player), score=view["scores"][player])]
    if view["game"]:
        told.append(say("now_total", total=view["totals"][player]))
    if view["captains"][player] is not None:
        told.append(say("now_field", field=view["captains"][player]))
    told.append(say("now_crew", cards=listed(map(card, crew))) if crew else say("now_no_crew"))
    told += _left(terminal.MOVEMENT_CARDS, view["spent"][player])
    if view["phase"] == "bid" and view["offers"][player] is not None:
        told.append(say("now_offers", card=card(view["offers"][player])))
    if terminal.has_revealed(view, player):
        told.append(say("now_cancelled" if terminal.is_cancelled(view, player) else "now_laid", number=laid))
    elif choice is not None:
        told.append(say("now_chosen", number={"number": choice}))
    return told


def _left(cards: Sequence[int | str], spent: Sequence[int | str]) -> list[Phrase]:
    left = [str(each) for each in cards if each not in spent]
    return [say("now_left", cards=listed([{"number": each} for each in left]))] if left else []


def _black_jack(view: View, options: Mapping[str, Any]) -> list[Phrase]:
    told = [] if view["black_jack"] is None else [say("now_black_jack", field=view["black_jack"])]
    if view["buyer"] is not None:
        told.append(say("now_buyer", seat=seat(view["buyer"])))
    told.append(say("now_black_jacks_cards"))
    told += _left(terminal.cards_of_black_jack(dict(options)), view["black_jack_spent"])
    harbour = view["harbour"]
    return [*told, say("now_harbour", cards=listed(map(card, harbour))) if harbour else say("now_no_harbour")]


def _tavern(field: int, tavern: Mapping[str, Any]) -> Phrase:
    top, hidden = tavern["top"], tavern["hidden"]
    count = count_of(hidden)
    if top is None:
        return say("now_closed_tavern" if count else "now_no_tavern", field=field, count=count)
    return say("now_tavern", field=field, card=card(top), count=count)
