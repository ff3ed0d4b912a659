"""Rare cases, by the snapshot before an action (b), the action (a) and the snapshot now (n), each under its rules."""

from collections import Counter

from tests.reference.declaration import tells, told

from . import rules


def laid(after):
    """The movement cards that are revealed now."""
    return Counter(card for revealed in told(after, rules.Revealed) for card in revealed.laid)


def is_duel(before):
    return len(before["captains"]) == 2


def start_cards(before, after):
    """Their values, once all captains are placed."""
    placed = before["phase"] == "place_captain" and after["phase"] == "place_black_jack"
    return [rules.value(crew[0]) for crew in after["crews"]] if placed else []


def tie_at(end, before, after):
    values = start_cards(before, after)
    return values.count(end(values, default=0)) > 1


CASES = {
    # H4, H5
    "two_pairs_cancel": lambda b, a, n: sorted(laid(n).values()) == [2, 2],
    "rum_against_rum": lambda b, a, n: laid(n)[rules.RUM] > 1,
    "rum_named": lambda b, a, n: b["phase"] == "name",
    # H6 .. H8
    "empty_tavern": tells(rules.Landed, lambda landed: landed.card is None),
    "too_many_cards_to_rob": tells(rules.Spared, lambda spared: not spared.overtaken),
    "rob_count_decides": tells(rules.CountDecides),
    "pushed_several_fields": tells(rules.Pushed, lambda pushed: pushed.fields > 1),
    "pushed_before_moving": tells(rules.Pushed, lambda pushed: pushed.before_moving),
    # J1
    "lowest_start_cards_tie": lambda b, a, n: tie_at(min, b, n),
    "highest_start_cards_tie": lambda b, a, n: tie_at(max, b, n),
    "start_cards_tie_at_both_ends": lambda b, a, n: (
        sorted(Counter(start_cards(b, n)).values()) == [2, 2]
    ),  # two with the one value, two with the other
    # J3
    "buyer_lands_on_black_jack": lambda b, a, n: any(
        landed.met == rules.JACK and landed.figure == b["buyer"] for landed in told(n, rules.Landed)
    ),
    "nothing_in_the_harbour": tells(rules.NothingToTake),
    # J4
    "black_jack_is_moved_on": tells(rules.JackMoved, lambda moved: moved.fields > moved.number),
    "black_jack_comes_all_the_way_round": tells(rules.JackMoved, lambda moved: moved.fields == 14),
    "black_jack_spares_somebody": tells(rules.Spared, lambda spared: spared.overtaken),
    # J5
    "gives_as_nobody_has_bid": lambda b, a, n: b["phase"] == "give" and not is_duel(b),
    # D2, D4
    "bids_after_a_pass": lambda b, a, n: (
        (b["phase"], b["bidder"]) == ("bid", None) and is_duel(b) and b["player"] != b["opener"] and a != rules.PASS
    ),
    "black_jack_lands_on_his_buyer": lambda b, a, n: (
        b["buyer"] is not None and any(landed[::2] == (rules.JACK, b["buyer"]) for landed in told(n, rules.Landed))
    ),
    "overtaking_black_jack_is_cancelled": tells(rules.JackStands, lambda stands: stands.overtakes),
    # D5
    "takes_rather_than_robs": lambda b, a, n: b["phase"] == "take_or_rob" and a == rules.TAKE,
    "robs_the_buyer": lambda b, a, n: b["phase"] == "take_or_rob" and a == rules.ROB,
    "buyer_must_be_robbed": tells(rules.BuyerMustBeRobbed),
    # D6
    "card_turned_up_is_cancelled": tells(rules.JackStands, lambda stands: stands.for_whom is None),
    "gives_as_black_jack_lands": lambda b, a, n: b["phase"] == "give" and not b["to_rob"],
    "opener_names_for_black_jack": lambda b, a, n: (
        b["phase"] == "name" and b["buyer"] is None and b["black_jack_number"] == rules.RUM
    ),
    # C1
    "third_game": lambda b, a, n: n["phase"] == "over" and n["game"] == 2,
    "overtaken_in_the_last_round": tells(rules.Ended, lambda ended: set(ended.led).isdisjoint(ended.won)),
    "several_winners": lambda b, a, n: len(n["winners"]) > 1,
}
