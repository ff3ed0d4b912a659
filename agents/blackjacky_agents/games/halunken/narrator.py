"""Descriptions of Halunken & Spelunken's moves and scores; the sentences are in ``texts.json``.

After one action several figures may move. What they did stands in the view after it, under ``happened``: who moved, in
ascending order, onto whom and past whom, and who took which card.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blackjacky_agents.kit.narration import (
    Narrator,
    Pause,
    Phrase,
    ScoreRow,
    ScoreTable,
    SeenMove,
    View,
    all_of,
    card,
    listed,
    mark_of,
    say,
    seat,
    the,
    worst,
)
from blackjacky_env.declare import HIDDEN
from blackjacky_env.draw import Settled
from blackjacky_env.games.halunken.scene import Mover, doubled_colour
from blackjacky_env.games.halunken.words import BLACK_JACK

_COLOURS = {"R": "red", "V": "violet", "G": "grey", "Y": "yellow"}

# ---------------------------------------------------------------- moves


def story(move: SeenMove) -> list[Phrase]:
    """What the move did, as far as the seat may know, and what followed from it."""
    before, after = move.before, move.after
    told = [_tell_action(move)]
    if before["phase"] == "bid" and after["phase"] != "bid":
        buyer = after["buyer"]
        hired = {} if buyer is None else {"seat": seat(buyer), "card": the(after["offers"][buyer])}
        told.append(say("hires" if hired else "nobody_hires", **hired))
    if _revealed(move):
        told += _reveal(move)
    if before["phase"] in ("choose", "name", "take", "rob", "give"):
        told += _resolution(move)
    return [*told, *_beginning(before, after)]


def _tell_action(move: SeenMove) -> Phrase:
    actor, info, before = seat(move.actor), move.action, move.before
    match before["phase"]:
        case "place_captain":
            (taken,) = move.after["happened"]
            return say("places", actor=actor, field=info.number, card=the(taken["card"]))
        case "place_black_jack":
            return say("places_black_jack", actor=actor, field=info.number)
        case "bid":
            return (
                say("passes", actor=actor) if info.kind == "pass" else say("offers", actor=actor, card=the(info.card))
            )
        case "choose" | "choose_for_black_jack" as phase:
            if info.number == HIDDEN:
                return say(f"{phase}_in_secret", actor=actor)
            return say(phase, actor=actor, number=info.number)
        case "name":
            key = "names_for_black_jack" if before["black_jack_number"] == "Rum" else "names"
            return say(key, actor=actor, number=info.number)
        case "take_or_rob":
            return say("will_take" if info.kind == "take" else "will_rob", actor=actor, victim=seat(before["buyer"]))
        case "rob":
            key = "robs_through_black_jack" if before["mover"] == BLACK_JACK else "robs"
            return say(key, actor=actor, victim=seat(before["victim"]), card=the(info.card))
    return say("takes" if before["phase"] == "take" else "gives", actor=actor, card=the(info.card))


def _beginning(before: View, after: View) -> list[Phrase]:
    if after["game"] != before["game"]:
        return [say("game_begins", number=after["game"] + 1, seat=seat(after["start_player"]))]
    placed = before["phase"].startswith("place") and not after["phase"].startswith("place")
    if not placed and after["round"] == before["round"]:
        return []
    number = after["round"] + 1
    if after["phase"] != "bid":
        return [say("round_begins", number=number)]
    return [say("auction_begins", number=number, seat=seat(after["opener"]))]


# ---------------------------------------------------------------- movement cards


def _revealed(move: SeenMove) -> dict[Mover, int | str]:
    """The movement cards just revealed; in a duel with that of Black Jack."""
    return {each["figure"]: each["number"] for each in move.after["happened"] if each["what"] == "reveals"}


def _reveal(move: SeenMove) -> list[Phrase]:
    """The cards laid by all, and those that cancel each other (H4, D3)."""
    laid = _revealed(move)
    told = [say("reveal", cards=listed([say("laid", figure=_name(each), card=laid[each]) for each in laid]))]
    for value in dict.fromkeys(laid.values()):
        equal = [_name(each) for each in laid if laid[each] == value]
        if len(equal) > 1:
            told.append(say("cancel", figures=all_of(equal), card=value))
    return told


def _name(figure: Mover) -> Phrase | str:
    return seat(figure) if isinstance(figure, int) else "Black Jack"


# ---------------------------------------------------------------- what the figures do


def _resolution(move: SeenMove) -> Iterator[Phrase]:
    """What has happened to the figures since the action."""
    passed: list[Phrase | str] = []
    for each in move.after["happened"]:
        figure, field = _name(each["figure"]), each.get("field")
        match each["what"]:
            case "takes":
                yield say("stays", figure=figure, field=field, gain=_gain(move, each))
            case "moves":
                mover = figure
                yield say("moves", figure=figure, number=each["number"], field=field, gain=_gain(move, each))
            case "lands_on":
                yield say("lands_on", figure=mover, other=figure)
            case "is_spared":
                yield say("is_spared", seat=figure)
            case "moves_on":
                yield say("moves_on", figure=figure, field=field)
            case "is_passed":
                passed.append(figure)
            case "overtakes":
                past = say("past", figures=all_of(passed)) if passed else ""
                yield say("black_jack_moves", number=each["number"], field=field, past=past)


def _gain(move: SeenMove, each: dict[str, Any]) -> Phrase:
    """The end of a sentence: what the figure takes from the tavern, and for whom (D4, D6)."""
    found, buyer = each["card"], move.before["buyer"]
    if found is None:
        return say("finds_nothing")
    if each["figure"] != BLACK_JACK:
        return say("finds", card=the(found))
    if buyer is None:
        return say("finds_for_harbour", card=the(found))
    return say("finds_for", card=the(found), seat=seat(buyer))


# ---------------------------------------------------------------- scores


def settlement(view: View) -> list[Phrase]:
    """The scores of the game that has ended, in the end with what counts double and what decided it (C1)."""
    told = [_score(view, each, points) for each, points in enumerate(view["last_game"])]
    return [*told, _decision(view)] if view["phase"] == "over" else told


def _decision(view: View) -> Phrase:
    winners, totals = view["winners"], view["totals"]
    rest = [total for player, total in enumerate(totals) if player not in winners]
    won = {"points": totals[winners[0]], "margin": totals[winners[0]] - max(rest, default=0)}
    if len(winners) > 1:
        return say("win_together", seats=all_of([seat(player) for player in winners]), **won)
    return say("wins", seat=seat(winners[0]), **won)


def _score(view: View, player: int, points: int) -> Phrase:
    colour = doubled_colour(view["crews"][player]) if view["phase"] == "over" else None
    doubled = "" if colour is None else say("doubles", colour=say(_COLOURS[colour]))
    score = {"seat": seat(player), "points": points, "doubled": doubled}
    return say("scores_in_all", **score, total=view["totals"][player]) if view["game"] else say("scores", **score)


# ---------------------------------------------------------------- what people should see


def pause(move: SeenMove) -> Pause | None:
    """The movement cards, revealed, with the figures where they still stand."""
    before, laid, seats = move.before, _revealed(move), range(move.players)
    if not laid:
        return None
    numbers = {each: 0 if [*laid.values()].count(value) > 1 else value for each, value in laid.items()}
    shown = {
        **before,
        "phase": "name",  # in which the cards lie open
        "laid": [laid[each] for each in seats],
        "numbers": [numbers[each] for each in seats],
        "spent": [[*before["spent"][each], laid[each]] for each in seats],
    }
    if BLACK_JACK in laid:
        card_of_jack = laid[BLACK_JACK]
        shown |= {"black_jack_laid": card_of_jack, "black_jack_number": numbers[BLACK_JACK]}
        shown["black_jack_spent"] = [*before["black_jack_spent"], card_of_jack]
    return Pause(say("last_reveal"), _reveal(move), shown)


def settled(move: SeenMove) -> View:
    """The crews before the last moves, with the scores before and after them."""
    revealed, after = pause(move), move.after
    shown = move.before if revealed is None else revealed.view
    changed = Settled(_lowest(after), {"scores": after["last_game"], "totals": after["totals"]})
    return {**shown, "player": None, "settled": changed}


def _lowest(after: View) -> list[int]:
    return worst([-points for points in after["last_game"]])


def scores(move: SeenMove) -> ScoreTable:
    """The crews where they can be seen, and the scores of each player (C1)."""
    is_over, several = move.after["phase"] == "over", move.options["three_games"]
    columns = [say("column_crew")] * is_over + [say("column_points")] + [say("column_total")] * several
    rows = [_score_line(move, player, is_over, several) for player in range(move.players)]
    return ScoreTable(columns, rows)


def _score_line(move: SeenMove, player: int, is_over: bool, several: bool) -> ScoreRow:
    after = move.after
    crew, points = list(map(card, after["crews"][player])), after["last_game"][player]
    cells = [listed(crew) if crew else ""] * is_over + [points] + [after["totals"][player]] * several
    colour = doubled_colour(after["crews"][player]) if is_over else None
    mark = mark_of(move, player, _lowest(after))
    why = [] if colour is None else [say("counts_double", colour=say(_COLOURS[colour]))]
    if mark == "bad":
        why.append(say("lowest_score"))
    return ScoreRow(player, cells, why, mark, after["totals"][player])


NARRATOR = Narrator(story, settlement, pause, scores, settled=settled)
