"""Rare cases, by the snapshot before an action (b), the action (a) and the snapshot now (n), each under its rules."""

from tests.reference.declaration import tells, told

from . import rules


def passed_spy_played(before, action, _after):
    """By its receiver, as far as black 7s can be told apart."""
    plays = before["phase"] == "play" and action == rules.ACTION[rules.BLACK_SPY]
    return plays and rules.BLACK_SPY in before["received"][before["player"]]


def moon_with_good_spies(_before, _action, after):
    """Somebody else has one and gets less than 60 for it."""
    scored = told(after, rules.Moon) and after["phase"] != "choose"
    return bool(scored) and any(0 < points < rules.MOON for points in after["last_deal"])


CASES = {
    # B3
    "passed_across": lambda b, a, n: b["pass_to"] == "across" and bool(told(n, rules.Passed)),
    "red_1_passed": tells(rules.Passed, lambda passed: rules.RED_STAR in passed.cards),
    "passed_spy_played": passed_spy_played,
    # V3
    "last_three_of_the_pile": tells(rules.LastThree),
    "pile_and_no_passing": lambda b, a, n: b["pass_to"] is None and bool(told(n, rules.LastThree)),
    # V4
    "one_skipped": tells(rules.Skipped, lambda skipped: skipped.players == 1),
    "several_skipped": tells(rules.Skipped, lambda skipped: skipped.players > 1),
    # O4
    "nothing_but_black_to_lead": tells(rules.NothingButBlack),
    # V5
    "last_number_followed": tells(
        rules.LastNumberPlayed, lambda played: not played.forced
    ),  # neither the led colour nor the led number, although the player has one of them
    "last_number_forced": tells(
        rules.LastNumberPlayed, lambda played: played.forced
    ),  # the player has neither the led colour nor the led number, but could not play any card
    # B5, B6
    "black_spy_on_a_good_one": tells(
        rules.Trick, lambda trick: trick.played[0] in rules.GOOD_SPIES and rules.BLACK_SPY in trick.played
    ),  # a coloured 7 is led, and somebody follows its number with a black one
    "three_spies_on_black": tells(
        rules.Trick,
        lambda trick: rules.COLOUR[trick.played[0]] == rules.BLACK and trick.played.count(rules.BLACK_SPY) > 2,
    ),
    "first_of_several_spies_wins": tells(
        rules.Trick, lambda trick: trick.best == rules.BLACK_SPY and trick.played.count(rules.BLACK_SPY) > 1
    ),
    # B8, V1, V2
    "moon": tells(rules.Moon),
    "moon_with_good_spies": moon_with_good_spies,
    "moon_where_good_spies_never_score": tells(rules.Moon, lambda shot: not shot.good_spies_score),
    # V2
    "moon_for_the_others": lambda b, a, n: b["phase"] == "choose" and a == rules.OTHERS,
    "moon_for_myself": lambda b, a, n: b["phase"] == "choose" and a == rules.MYSELF,
    # V6, B9
    "total_halved": tells(rules.Halved),
    "ended_by_max_deals": tells(rules.Ended, lambda ended: not ended.limit_reached),
    "several_winners": lambda b, a, n: len(n["winners"]) > 1,
}
