"""Rare cases: what an action has brought about. The rules they concern stand beside their list below."""

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
    "two_pairs_cancel": lambda _before, _action, after: sorted(laid(after).values()) == [2, 2],
    "rum_against_rum": lambda _before, _action, after: laid(after)[rules.RUM] > 1,
    "rum_named": lambda before, _action, _after: before["phase"] == "name",
    # H6 .. H8
    "empty_tavern": tells(rules.Landed, lambda landed: landed.card is None),
    "too_many_cards_to_rob": tells(rules.Spared, lambda spared: not spared.overtaken),
    "rob_count_decides": tells(rules.CountDecides),
    "pushed_several_fields": tells(rules.Pushed, lambda pushed: pushed.fields > 1),
    "pushed_before_moving": tells(rules.Pushed, lambda pushed: pushed.before_moving),
    # J1
    "lowest_start_cards_tie": lambda before, _action, after: tie_at(min, before, after),
    "highest_start_cards_tie": lambda before, _action, after: tie_at(max, before, after),
    "start_cards_tie_at_both_ends": lambda before, _action, after: (
        sorted(Counter(start_cards(before, after)).values()) == [2, 2]
    ),  # two with the one value, two with the other
    # J3
    "buyer_lands_on_black_jack": lambda before, _action, after: any(
        landed.met == rules.JACK and landed.figure == before["buyer"] for landed in told(after, rules.Landed)
    ),
    "nothing_in_the_harbour": tells(rules.NothingToTake),
    # J4
    "black_jack_is_moved_on": tells(rules.JackMoved, lambda moved: moved.fields > moved.number),
    "black_jack_comes_all_the_way_round": tells(rules.JackMoved, lambda moved: moved.fields == 14),
    "black_jack_spares_somebody": tells(rules.Spared, lambda spared: spared.overtaken),
    # J5
    "gives_as_nobody_has_bid": lambda before, _action, _after: before["phase"] == "give" and not is_duel(before),
    # D2, D4
    "bids_after_a_pass": lambda before, action, _after: (
        (before["phase"], before["bidder"]) == ("bid", None)
        and is_duel(before)
        and before["player"] != before["opener"]
        and action != rules.PASS
    ),
    "black_jack_lands_on_his_buyer": lambda before, _action, after: (
        before["buyer"] is not None
        and any(landed[::2] == (rules.JACK, before["buyer"]) for landed in told(after, rules.Landed))
    ),
    "overtaking_black_jack_is_cancelled": tells(rules.JackStands, lambda stands: stands.overtakes),
    # D5
    "takes_rather_than_robs": lambda before, action, _after: before["phase"] == "take_or_rob" and action == rules.TAKE,
    "robs_the_buyer": lambda before, action, _after: before["phase"] == "take_or_rob" and action == rules.ROB,
    "buyer_must_be_robbed": tells(rules.BuyerMustBeRobbed),
    # D6
    "card_turned_up_is_cancelled": tells(rules.JackStands, lambda stands: stands.for_whom is None),
    "gives_as_black_jack_lands": lambda before, _action, _after: before["phase"] == "give" and not before["to_rob"],
    "opener_names_for_black_jack": lambda before, _action, _after: (
        before["phase"] == "name" and before["buyer"] is None and before["black_jack_number"] == rules.RUM
    ),
    # C1
    "third_game": lambda _before, _action, after: after["phase"] == "over" and after["game"] == 2,
    "overtaken_in_the_last_round": tells(rules.Ended, lambda ended: set(ended.led).isdisjoint(ended.won)),
    "several_winners": lambda _before, _action, after: len(after["winners"]) > 1,
}
