"""Descriptions of Black Spy's moves and settlements; the sentences are in ``texts.json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
    mark_of,
    say,
    seat,
    worst,
)
from blackjacky_env.engine.actions import HIDDEN
from blackjacky_env.engine.svg import MINUS, Settled
from blackjacky_env.games.black_spy.state import BLACK_CARDS, PICKS
from blackjacky_env.games.black_spy.terminal import colour_of, limit, number_of, winner_of

_DEAREST = {7: 10, 8: 2, 9: 3, 10: 4, 11: 5}
"""B7: points of the black cards with these numbers; the others count one."""


def story(move: Move) -> list[Phrase]:
    """What the move did, as far as the seat may know, and what followed from it."""
    before, after = move.before, move.after
    match before["phase"]:
        case "take":
            told = _takes(move)
        case "pass":
            told = _chooses_to_pass(move)
        case "call":
            told = [say("calls", actor=seat(move.actor), colour=_colour(after["called"]))]
        case "play":
            told = _plays(move)
        case _:
            told = [say(move.action.kind, actor=seat(move.actor))]
    if before["phase"] != "play" and after["phase"] == "play":
        told += _opens(after)
    if _ends_deal(move):
        told += _scores(move)
    return told


def _ends_deal(move: Move) -> bool:
    return bool(move.before["deal"] != move.after["deal"] or move.after["phase"] == "over")


# ---------------------------------------------------------------- words


def _the(name: int | str | None) -> Phrase:
    """A card with its article, or "a card" if it is not known."""
    return card(HIDDEN) if name in (None, HIDDEN) else say("the", card=card(name or 0))


def _colour(name: str) -> Phrase:
    return {"number": name}


def _all_of(phrases: Sequence[Any]) -> Any:
    """Phrases with commas, and "and" before the last one."""
    told, *others = phrases
    for i, each in enumerate(others, 1):
        told = say("and" if i == len(others) else "list", first=told, last=each)
    return told


def _signed(points: int) -> str:
    return str(points).replace("-", MINUS)


def _count(cards: list[str] | int) -> int:
    return cards if isinstance(cards, int) else len(cards)


# ---------------------------------------------------------------- the mole, passing, the call


def _takes(move: Move) -> list[Phrase]:
    """V3: a card taken from the pile; the last player gets the last three without a decision."""
    told = [say("takes", actor=seat(move.actor), card=_the(move.action.card))]
    return told if move.after["phase"] == "take" else [*told, _gets_the_rest(move)]


def _gets_the_rest(move: Move) -> Phrase:
    hands = [*zip(move.before["hands"], move.after["hands"], strict=True)]
    last = next(p for p, (had, has) in enumerate(hands) if _count(has) - _count(had) == PICKS)
    had, has = hands[last]
    if isinstance(has, int):
        return say("gets_the_rest", seat=seat(last))
    new = Counter(has) - Counter(had)
    return say("gets_these", seat=seat(last), cards=_all_of([_the(name) for name in new.elements()]))


def _chooses_to_pass(move: Move) -> list[Phrase]:
    """B3: the card chosen; of other players only that all three are chosen, and of all that the cards are passed."""
    told = []
    if move.action.card != HIDDEN:
        told.append(say("chooses", actor=seat(move.actor), card=_the(move.action.card)))
    elif _count(move.before["chosen"][move.actor]) == PICKS - 1:
        told.append(say("has_chosen", actor=seat(move.actor)))
    return told if move.after["phase"] == "pass" else [*told, *_passed(move)]


def _passed(move: Move) -> list[Phrase]:
    """B3: cards have been passed; the reader sees those received."""
    direction, told = move.after["pass_to"], [say(f"pass_{move.after['pass_to']}")]
    if move.seat is None:
        return told
    places = {"left": 1, "right": -1, "across": 2}[direction]
    received = _all_of([_the(name) for name in move.after["received"][move.seat]])
    giver = (move.seat - places) % move.players
    return [*told, say("receives", seat=seat(move.seat), giver=seat(giver), cards=received)]


def _opens(after: View) -> list[Phrase]:
    """B4, V4: who leads the first trick and why, and who is skipped."""
    leader, called = after["leader"], after["called"]
    if called is None:
        return [say("star_leads" if after["red_star"] == leader else "left_leads", seat=seat(leader))]
    players = len(after["totals"])
    first = after["dealer"] + 1
    skipped = [(first + i) % players for i in range((leader - first) % players)]
    told = [say("is_skipped", seat=seat(each), colour=_colour(called)) for each in skipped]
    return [*told, say("must_lead", seat=seat(leader), colour=_colour(called))]


# ---------------------------------------------------------------- tricks


def _plays(move: Move) -> list[Phrase]:
    """The card played, what it shows of the hand, and who wins a finished trick."""
    played = str(move.action.card)
    trick = _on_table(move)
    told = [say("plays" if move.before["table"] else "leads", actor=seat(move.actor), card=_the(played))]
    told += _follows_neither(move)
    return told + _trick(move, trick) if len(trick) == move.players else told


def _follows_neither(move: Move) -> list[Phrase]:
    """O3: the colour and the numbers that the player is now known to lack."""
    if _ends_deal(move) or not move.after["hands"][move.actor]:
        return []
    new = [each for each in move.after["lacks"][move.actor] if each not in move.before["lacks"][move.actor]]
    lacked = [
        say("no_number", number=each) if isinstance(each, int) else say("no_colour", colour=_colour(each))
        for each in new
    ]
    return [say("lacks", seat=seat(move.actor), what=_all_of(lacked))] if lacked else []


def _on_table(move: Move) -> list[list[Any]]:
    """The [seat, card] pairs on the table after the move."""
    return [*move.before["table"], [move.actor, str(move.action.card)]]


def _trick(move: Move, trick: list[list[Any]]) -> list[Phrase]:
    """B6, B8: who wins the trick, what it costs, and whether all black cards are in one hand now."""
    winner = winner_of(trick)
    points = sum(_points(name, move.options) for _, name in trick)
    key = {0: "wins_trick", 1: "wins_trick_for_one"}.get(points, "wins_trick_for")
    told = [say(key, seat=seat(winner), points=_signed(points))]
    black = sum(colour_of(name) == "black" for _, name in trick)
    if black and move.before["black_taken"][winner] + black == BLACK_CARDS:
        told.append(say("has_all_black", seat=seat(winner)))
    return told


def _points(name: str, options: Mapping[str, Any]) -> int:
    """B7, V1, V2: points of a card in a deal without a moon."""
    number = number_of(name)
    if colour_of(name) == "black":
        return _DEAREST.get(number, 1)
    never = options["no_good_spies"] or (options["moon_choice"] and options["moon_choice_spies"] == "never_scored")
    return -5 if number == 7 and not never else 0


# ---------------------------------------------------------------- scores


def _scores(move: Move) -> list[Phrase]:
    """The points of the deal, and totals that are halved (V6)."""
    before, after = move.before, move.after
    told = [say("gets", seat=seat(p), points=_signed(points)) for p, points in enumerate(after["last_deal"])]
    for p, total in enumerate(after["totals"]):
        if before["totals"][p] + after["last_deal"][p] != total:
            told.append(say("is_halved", seat=seat(p), limit=limit(after), total=total))
    return told


def settlement(view: View) -> list[Phrase]:
    """The totals so far, and who wins or deals next."""
    totals = [say("has_in_all", seat=seat(p), points=_signed(total)) for p, total in enumerate(view["totals"])]
    if view["phase"] != "over":
        return [*totals, say("deal_begins", number=view["deal"] + 1, seat=seat(view["dealer"]))]
    winners = [seat(p) for p in view["winners"]]
    lowest = _signed(view["totals"][view["winners"][0]])
    return [*totals, say("wins" if len(winners) == 1 else "win", seats=_all_of(winners), points=lowest)]


# ---------------------------------------------------------------- what people should see


def pause(move: Move) -> Pause | None:
    """A full trick, with its winner marked as the next to act."""
    before, trick = move.before, _on_table(move)
    if before["phase"] != "play" or len(trick) < move.players:
        return None
    return Pause(say("last_trick"), _trick(move, trick), settled(move) if _ends_deal(move) else _full_trick(move))


def _full_trick(move: Move) -> View:
    before, trick = move.before, _on_table(move)
    hands = [_without(hand, move, player) for player, hand in enumerate(before["hands"])]
    return {**before, "hands": hands, "table": trick, "player": winner_of(trick)}


def settled(move: Move) -> View:
    """The last trick of a deal, with the points of the deal, and the totals before and after it."""
    after, shown = move.after, {**move.before, "phase": "play"}
    if move.before["phase"] == "play":  # V2: a choice may follow the last trick
        shown = _full_trick(move)
    black, spies = zip(*(_taken_in_deal(move, player) for player in range(move.players)), strict=True)
    deal = {"black_taken": black, "good_spies_taken": spies, "points": after["last_deal"], "last_deal": None}
    changed = Settled(worst(after["last_deal"]), {"totals": after["totals"]})
    return {**shown, **deal, "player": None, "settled": changed}


def _without(hand: list[str] | int, move: Move, player: int) -> list[str] | int:
    """A hand after the move."""
    if player != move.actor:
        return hand
    if isinstance(hand, int):
        return hand - 1
    left = hand.copy()  # it can hold several equal cards
    left.remove(str(move.action.card))
    return left


def scores(move: Move) -> ScoreTable:
    """Black cards and good spies taken, points of the deal and total of each player."""
    columns = [say("column_black"), say("column_spies"), say("column_deal"), say("column_total")]
    return ScoreTable(columns, [_score(move, player) for player in range(move.players)])


def _score(move: Move, player: int) -> Score:
    before, after = move.before, move.after
    black, spies = _taken_in_deal(move, player)
    points, total = after["last_deal"][player], after["totals"][player]
    why = [say("all_black_taken")] if black == BLACK_CARDS else []
    if before["totals"][player] + points != total:
        why.append(say("halved", limit=limit(after)))
    elif total >= limit(after):
        why.append(say("reaches", limit=limit(after)))
    mark = mark_of(move, player, worst(after["last_deal"]))
    if mark == "bad":
        why.insert(0, say("most_points"))
    return Score(player, [black, spies, _signed(points), _signed(total)], why, mark, -total)


def _taken_in_deal(move: Move, player: int) -> tuple[int, int]:
    """Black cards and coloured 7s taken in the deal that has ended, the last trick included."""
    black, spies = move.before["black_taken"][player], move.before["good_spies_taken"][player]
    trick = _on_table(move) if move.before["phase"] == "play" else []  # V2: a choice may follow the last trick
    if not trick or winner_of(trick) != player:
        return black, spies
    names = [name for _, name in trick]
    new_spies = sum(number_of(name) == 7 and colour_of(name) != "black" for name in names)
    return black + sum(colour_of(name) == "black" for name in names), spies + new_spies


NARRATOR = Narrator(story, settlement, pause, scores, settled=settled)
