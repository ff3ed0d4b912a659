"""Rare events: what an action has brought about. The rules they concern stand beside their list below."""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

from tests.reference.declaration import Event, Snapshot

from .rules import (
    JACK,
    PASS,
    ROB,
    RUM,
    TAKE,
    BuyerMustBeRobbed,
    CountDecides,
    Ended,
    JackMoved,
    JackStands,
    Landed,
    Movement,
    NothingToTake,
    Pushed,
    Revealed,
    Spared,
    value,
)

T = TypeVar("T")


def told(after: Snapshot, kind: type[T]) -> list[T]:
    """What the reference implementation tells of this kind."""
    return [each for each in after["told"] if isinstance(each, kind)]


def laid(after: Snapshot) -> Counter[Movement]:
    """The movement cards that are revealed now."""
    return Counter(card for revealed in told(after, Revealed) for card in revealed.laid)


def is_duel(before: Snapshot) -> bool:
    return len(before["captains"]) == 2


# -- captains ---------------------------------------------------------------------------------------------------------


def two_pairs_cancel(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return sorted(laid(after).values()) == [2, 2]


def rum_against_rum(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return laid(after)[RUM] > 1


def rum_named(before: Snapshot, _action: int, _after: Snapshot) -> bool:
    return before["phase"] == "name"


def empty_tavern(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(landed.card is None for landed in told(after, Landed))


def too_many_cards_to_rob(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(not spared.overtaken for spared in told(after, Spared))


def rob_count_decides(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(told(after, CountDecides))


def pushed_several_fields(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(pushed.fields > 1 for pushed in told(after, Pushed))


def pushed_before_moving(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(pushed.before_moving for pushed in told(after, Pushed))


# -- Black Jack -------------------------------------------------------------------------------------------------------


def start_cards(before: Snapshot, after: Snapshot) -> list[int]:
    """Their values, once all captains are placed."""
    placed = before["phase"] == "place_captain" and after["phase"] == "place_black_jack"
    return [value(crew[0]) for crew in after["crews"]] if placed else []


def lowest_start_cards_tie(before: Snapshot, _action: int, after: Snapshot) -> bool:
    values = start_cards(before, after)
    return values.count(min(values, default=0)) > 1


def highest_start_cards_tie(before: Snapshot, _action: int, after: Snapshot) -> bool:
    values = start_cards(before, after)
    return values.count(max(values, default=0)) > 1


def start_cards_tie_at_both_ends(before: Snapshot, _action: int, after: Snapshot) -> bool:
    """Two with the one value, two with the other."""
    return sorted(Counter(start_cards(before, after)).values()) == [2, 2]


def buyer_lands_on_black_jack(before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(landed.met == JACK and landed.figure == before["buyer"] for landed in told(after, Landed))


def nothing_in_the_harbour(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(told(after, NothingToTake))


def black_jack_is_moved_on(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(moved.fields > moved.number for moved in told(after, JackMoved))


def black_jack_comes_all_the_way_round(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(moved.fields == 14 for moved in told(after, JackMoved))


def black_jack_spares_somebody(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(spared.overtaken for spared in told(after, Spared))


def gives_as_nobody_has_bid(before: Snapshot, _action: int, _after: Snapshot) -> bool:
    return before["phase"] == "give" and not is_duel(before)


# -- the duel ---------------------------------------------------------------------------------------------------------


def bids_after_a_pass(before: Snapshot, action: int, _after: Snapshot) -> bool:
    passed = before["bidder"] is None and before["player"] != before["opener"]
    return before["phase"] == "bid" and is_duel(before) and passed and action != PASS


def black_jack_lands_on_his_buyer(before: Snapshot, _action: int, after: Snapshot) -> bool:
    buyer = before["buyer"]
    return buyer is not None and any(landed[::2] == (JACK, buyer) for landed in told(after, Landed))


def overtaking_black_jack_is_cancelled(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(stands.overtakes for stands in told(after, JackStands))


def takes_rather_than_robs(before: Snapshot, action: int, _after: Snapshot) -> bool:
    return before["phase"] == "take_or_rob" and action == TAKE


def robs_the_buyer(before: Snapshot, action: int, _after: Snapshot) -> bool:
    return before["phase"] == "take_or_rob" and action == ROB


def buyer_must_be_robbed(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return bool(told(after, BuyerMustBeRobbed))


def card_turned_up_is_cancelled(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(stands.for_whom is None for stands in told(after, JackStands))


def gives_as_black_jack_lands(before: Snapshot, _action: int, _after: Snapshot) -> bool:
    return before["phase"] == "give" and not before["to_rob"]


def opener_names_for_black_jack(before: Snapshot, _action: int, _after: Snapshot) -> bool:
    return before["phase"] == "name" and before["buyer"] is None and before["black_jack_number"] == RUM


# -- the end ----------------------------------------------------------------------------------------------------------


def third_game(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return after["phase"] == "over" and after["game"] == 2


def overtaken_in_the_last_round(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return any(set(ended.led).isdisjoint(ended.won) for ended in told(after, Ended))


def several_winners(_before: Snapshot, _action: int, after: Snapshot) -> bool:
    return len(after["winners"]) > 1


EVENTS: tuple[Event, ...] = (
    *(two_pairs_cancel, rum_against_rum, rum_named),  # H4, H5
    *(empty_tavern, too_many_cards_to_rob, rob_count_decides, pushed_several_fields, pushed_before_moving),  # H6 .. H8
    *(lowest_start_cards_tie, highest_start_cards_tie, start_cards_tie_at_both_ends),  # J1
    *(buyer_lands_on_black_jack, nothing_in_the_harbour),  # J3
    *(black_jack_is_moved_on, black_jack_comes_all_the_way_round, black_jack_spares_somebody),  # J4
    gives_as_nobody_has_bid,  # J5
    *(bids_after_a_pass, black_jack_lands_on_his_buyer, overtaking_black_jack_is_cancelled),  # D2, D4
    *(takes_rather_than_robs, robs_the_buyer, buyer_must_be_robbed),  # D5
    *(card_turned_up_is_cancelled, gives_as_black_jack_lands, opener_names_for_black_jack),  # D6
    *(third_game, overtaken_in_the_last_round, several_winners),  # C1
)
