"""Descriptions of Black Spy's moves and settlements; the sentences are in ``texts.json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from blackjacky_agents.kit.narration import Phrase, SeenMove, View, all_of, say, seat, the
from blackjacky_agents.kit.tricks import TrickGame, ends_deal, is_full, trick_of
from blackjacky_env.compiled import in_plain_python
from blackjacky_env.declare import HIDDEN
from blackjacky_env.draw import count_of, signed
from blackjacky_env.games.black_spy import rules
from blackjacky_env.games.black_spy.scene import colour_of, is_good_spy, limit, winner_of
from blackjacky_env.games.black_spy.state import BLACK_CARDS, KIND_NAMES, PICKS

_points_of = in_plain_python(rules.points_of)


def story(move: SeenMove) -> list[Phrase]:
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
    if ends_deal(move):
        told += _scores(move)
    return told


# ---------------------------------------------------------------- words


def _colour(name: str) -> Phrase:
    return {"number": name}


# ---------------------------------------------------------------- the mole, passing, the call


def _takes(move: SeenMove) -> list[Phrase]:
    """V3: a card taken from the pile; the last player gets the last three without a decision."""
    told = [say("takes", actor=seat(move.actor), card=the(move.action.card))]
    return told if move.after["phase"] == "take" else [*told, _gets_the_rest(move)]


def _gets_the_rest(move: SeenMove) -> Phrase:
    hands = [*zip(move.before["hands"], move.after["hands"], strict=True)]
    last = next(p for p, (had, has) in enumerate(hands) if count_of(has) - count_of(had) == PICKS)
    had, has = hands[last]
    if isinstance(has, int):
        return say("gets_the_rest", seat=seat(last))
    new = Counter(has) - Counter(had)
    return say("gets_these", seat=seat(last), cards=all_of(map(the, new.elements())))


def _chooses_to_pass(move: SeenMove) -> list[Phrase]:
    """B3: the card chosen; of other players only that all three are chosen, and of all that the cards are passed."""
    told = []
    if move.action.card != HIDDEN:
        told.append(say("chooses", actor=seat(move.actor), card=the(move.action.card)))
    elif count_of(move.before["chosen"][move.actor]) == PICKS - 1:
        told.append(say("has_chosen", actor=seat(move.actor)))
    return told if move.after["phase"] == "pass" else [*told, *_passed(move)]


def prompt(view: View) -> Phrase | None:
    """B3: which of the cards to pass is chosen, and who gets it."""
    player, players = view["player"], len(view["hands"])
    if view["phase"] != "pass":
        return None
    to = (player + {"left": 1, "right": -1, "across": 2}[view["pass_to"]]) % players
    return say("pass_prompt", number=count_of(view["chosen"][player]) + 1, of=PICKS, to=seat(to))


def _passed(move: SeenMove) -> list[Phrase]:
    """B3: cards have been passed; the reader sees those received."""
    direction, told = move.after["pass_to"], [say(f"pass_{move.after['pass_to']}")]
    if move.seat is None:
        return told
    places = {"left": 1, "right": -1, "across": 2}[direction]
    received = all_of(map(the, move.after["received"][move.seat]))
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


def _plays(move: SeenMove) -> list[Phrase]:
    key = "plays" if move.before["table"] else "leads"
    told = [say(key, actor=seat(move.actor), card=the(move.action.card)), *_follows_neither(move)]
    return told + _trick(move) if is_full(move) else told


def _follows_neither(move: SeenMove) -> list[Phrase]:
    """O3: the colour and the numbers that the player is now known to lack."""
    if ends_deal(move) or not move.after["hands"][move.actor]:
        return []
    new = [each for each in move.after["lacks"][move.actor] if each not in move.before["lacks"][move.actor]]
    lacked = [
        say("no_number", number=each) if isinstance(each, int) else say("no_colour", colour=_colour(each))
        for each in new
    ]
    return [say("lacks", seat=seat(move.actor), what=all_of(lacked))] if lacked else []


def _trick(move: SeenMove) -> list[Phrase]:
    """B6, B8: who wins the trick, what it costs, and whether all black cards are in one hand now."""
    trick = trick_of(move)
    winner, names = winner_of(trick), [name for _, name in trick]
    points = sum(_points(name, move.options) for name in names)
    key = {0: "wins_trick", 1: "wins_trick_for_one"}.get(points, "wins_trick_for")
    told = [say(key, seat=seat(winner), points=signed(points))]
    black = _black(names)
    if black and move.before["black_taken"][winner] + black == _black_in_deck(move):
        told.append(say("has_all_black", seat=seat(winner)))
    return told


def _black(names: list[str]) -> int:
    return sum(colour_of(name) == "black" for name in names)


def _black_in_deck(move: SeenMove) -> int:
    return _black(move.options["deck"]) if "deck" in move.options else BLACK_CARDS


def _points(name: str, options: Mapping[str, Any]) -> int:
    """B7, V1, V2: points of a card in a deal without a moon."""
    never = options["moon_choice_spies"] == "never_scored"
    return int(_points_of(KIND_NAMES.index(name), options["no_good_spies"], options["moon_choice"], never))


# ---------------------------------------------------------------- scores


def _scores(move: SeenMove) -> list[Phrase]:
    """The points of the deal, and totals that are halved (V6)."""
    before, after = move.before, move.after
    told = [say("gets", seat=seat(p), points=signed(points)) for p, points in enumerate(after["last_deal"])]
    for p, total in enumerate(after["totals"]):
        if before["totals"][p] + after["last_deal"][p] != total:
            told.append(say("is_halved", seat=seat(p), limit=limit(after), total=total))
    return told


def _decision(view: View) -> list[Phrase]:
    if view["phase"] != "over":
        return [say("deal_begins", number=view["deal"] + 1, seat=seat(view["dealer"]))]
    winners = [seat(p) for p in view["winners"]]
    lowest = signed(view["totals"][view["winners"][0]])
    return [say("wins" if len(winners) == 1 else "win", seats=all_of(winners), points=lowest)]


def _reasons(move: SeenMove, player: int, taken: list[int]) -> list[Phrase]:
    """B8, B9, V6: all black cards, a total that is halved or ends the game."""
    total, ends_at = move.after["totals"][player], limit(move.after)
    why = [say("all_black_taken")] if taken[0] == _black_in_deck(move) > 0 else []
    if move.before["totals"][player] + move.after["last_deal"][player] != total:
        return [*why, say("halved", limit=ends_at)]
    return [*why, say("reaches", limit=ends_at)] if total >= ends_at else why


NARRATOR = (
    TrickGame(
        winner_of=winner_of,
        told=_trick,
        counted={"black_taken": _black, "good_spies_taken": lambda names: sum(map(is_good_spy, names))},
        points="points",
        columns=("column_black", "column_spies"),
        reasons=_reasons,
    )
    .narrator(story, _decision)
    ._replace(prompt=prompt)
)
