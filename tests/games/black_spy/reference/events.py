"""Rare events: what an action has brought about. The rules they concern stand beside their list below."""

from __future__ import annotations

from typing import TypeVar

from tests.reference.declaration import Event, Snapshot

from .rules import (
    ACTION,
    BLACK,
    BLACK_SPY,
    COLOUR,
    GOOD_SPIES,
    MOON,
    MYSELF,
    OTHERS,
    RED_STAR,
    Ended,
    Halved,
    LastNumberPlayed,
    LastThree,
    Moon,
    NothingButBlack,
    Passed,
    Skipped,
    Trick,
)

T = TypeVar("T")


def told(after: Snapshot, kind: type[T]) -> list[T]:
    """What the reference implementation tells of this kind."""
    return [each for each in after["told"] if isinstance(each, kind)]


# -- before the tricks ------------------------------------------------------------------------------------------------


def passed_across(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return before["pass_to"] == "across" and bool(told(after, Passed))


def red_1_passed(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(RED_STAR in passed.cards for passed in told(after, Passed))


def last_three_of_the_pile(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(told(after, LastThree))


def pile_and_no_passing(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return before["pass_to"] is None and bool(told(after, LastThree))


def one_skipped(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(skipped.players == 1 for skipped in told(after, Skipped))


def several_skipped(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(skipped.players > 1 for skipped in told(after, Skipped))


# -- the tricks -------------------------------------------------------------------------------------------------------


def nothing_but_black_to_lead(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(told(after, NothingButBlack))


def last_number_followed(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    """Neither the led colour nor the led number, although the player has one of them."""
    return any(not played.forced for played in told(after, LastNumberPlayed))


def last_number_forced(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    """The player has neither the led colour nor the led number, but could not play any card."""
    return any(played.forced for played in told(after, LastNumberPlayed))


def passed_spy_played(before: Snapshot, action: int, _after: Snapshot) -> bool:
    """By its receiver, as far as black 7s can be told apart."""
    plays = before["phase"] == "play" and action == ACTION[BLACK_SPY]
    return plays and BLACK_SPY in before["received"][before["player"]]


def black_spy_on_a_good_one(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    """A coloured 7 is led, and somebody follows its number with a black one."""
    return any(trick.played[0] in GOOD_SPIES and BLACK_SPY in trick.played for trick in told(after, Trick))


def three_spies_on_black(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(COLOUR[trick.played[0]] == BLACK and trick.played.count(BLACK_SPY) > 2 for trick in told(after, Trick))


def first_of_several_spies_wins(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(trick.best == BLACK_SPY and trick.played.count(BLACK_SPY) > 1 for trick in told(after, Trick))


# -- scoring ----------------------------------------------------------------------------------------------------------


def moon(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(told(after, Moon))


def moon_with_good_spies(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    """Somebody else has one and gets less than 60 for it."""
    scored = told(after, Moon) and after["phase"] != "choose"
    return bool(scored) and any(0 < points < MOON for points in after["last_deal"])


def moon_where_good_spies_never_score(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(not shot.good_spies_score for shot in told(after, Moon))


def moon_for_the_others(before: Snapshot, action: int, _after: Snapshot) -> bool:
    return before["phase"] == "choose" and action == OTHERS


def moon_for_myself(before: Snapshot, action: int, _after: Snapshot) -> bool:
    return before["phase"] == "choose" and action == MYSELF


def total_halved(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(told(after, Halved))


# -- the end ----------------------------------------------------------------------------------------------------------


def ended_by_max_deals(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(not ended.limit_reached for ended in told(after, Ended))


def several_winners(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return len(after["winners"]) > 1


EVENTS: tuple[Event, ...] = (
    *(passed_across, red_1_passed, passed_spy_played),  # B3
    *(last_three_of_the_pile, pile_and_no_passing),  # V3
    *(one_skipped, several_skipped),  # V4
    nothing_but_black_to_lead,  # O4
    *(last_number_followed, last_number_forced),  # V5
    *(black_spy_on_a_good_one, three_spies_on_black, first_of_several_spies_wins),  # B5, B6
    *(moon, moon_with_good_spies, moon_where_good_spies_never_score),  # B8, V1, V2
    *(moon_for_the_others, moon_for_myself),  # V2
    *(total_halved, ended_by_max_deals, several_winners),  # V6, B9
)
