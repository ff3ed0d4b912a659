"""R1 to R15: material, set-up, words and the turn."""

from collections import Counter

import numpy as np
import pytest

from tests.envs.playing import fresh
from tests.games.black_jacky.rigging import (
    DRAW,
    DRAWS,
    IDLE_3,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    all_cards,
    cards_on_table,
    deal,
    exchange,
    lay,
    losing,
    one_round,
    plus_one,
    swap_discard,
    swap_draw,
    tip,
)

# Of the seeds 0 to 11 with six players; of seed 7 with two: hands, discard pile, draw pile.
START_PLAYERS = [2, 1, 2, 4, 1, 0, 5, 0, 5, 4, 5, 1]
FIRST_DEAL = [
    [2, 8],
    [5, 6],
    [7],
    [8, 4, 4, 3, 7, 8, 6, 6, 8, 8, 1, 7, 5, 8, 7, 3, 8, 5, 2, 4, 6, 5, 5, 6, 8, 4, 6, 3, 7, 7, 7],
]
FIRST_RESHUFFLE = [4, 5, 5, 7, 7, 3, 6, 4, 3, 8, 2, 1, 6, 6, 8, 5, 6, 7, 2, 5, 8, 4, 6, 4, 8, 7, 8, 5, 8, 3]
SECOND_RESHUFFLE = [5, 7, 8, 3, 7, 8, 7, 4, 6, 4, 6, 6, 2, 5, 2, 5, 7, 6, 6, 3, 7, 7, 8, 4, 8, 1, 7, 6, 8, 4]
SECOND_DEAL = [
    [3, 8],
    [2, 3],
    [7],
    [3, 2, 6, 7, 6, 7, 1, 5, 8, 4, 5, 6, 7, 4, 7, 8, 6, 6, 8, 6, 5, 7, 8, 7, 8, 4, 5, 5, 8, 8, 4],
]


@pytest.mark.parametrize("players", range(2, 7))
def test_r1_value_v_stands_on_v_cards_and_plus_one_lies_in_the_box(players):
    table = fresh(num_players=players).snapshot()
    cards = cards_on_table(table)
    assert cards == all_cards()
    assert cards.total() == 36
    assert sum(cards.elements()) == 204
    assert table["plus_one"] is None


@pytest.mark.parametrize("players", [2, 5])
def test_r1_a_small_deck_has_the_cards_that_are_named_and_no_others(players):
    deck = [2, 4, 4, 5, *[7] * 5, *[8] * 4]
    table = fresh(num_players=players, deck=deck).snapshot()
    assert cards_on_table(table) == Counter(deck)


@pytest.mark.parametrize(("players", "hearts"), [(2, 3), (3, 3), (4, 2), (5, 2), (6, 2)])
def test_r2_two_or_three_players_have_three_hearts_and_more_have_two(players, hearts):
    table = fresh(num_players=players).snapshot()
    assert table["hearts"] == [hearts] * players
    assert table["black_hearts"] == [False] * players
    assert table["status"] == ["saloon"] * players


@pytest.mark.parametrize(("players", "left"), [(2, 31), (3, 29), (4, 27), (5, 25), (6, 23)])
def test_r4_two_cards_each_one_turned_up_and_the_rest_is_the_draw_pile(players, left):
    table = fresh(num_players=players).snapshot()
    assert [len(hand) for hand in table["hands"]] == [2] * players
    assert table["discards"] == [table["discard_top"]]
    assert len(table["draw_pile"]) == left
    assert table["displays"] == [[]] * players


def test_r4_cards_are_dealt_one_at_a_time_clockwise_from_the_start_player():
    deck = [1, 2, 3, 4, 5, 6, 7, *(all_cards() - Counter(range(1, 8))).elements()]
    table = Table([deck], players=3, start=2)
    assert table["hands"] == [[2, 5], [3, 6], [1, 4]]
    assert table["discard_top"] == 7
    assert table["draw_pile"] == deck[7:]


def test_r4_every_round_all_cards_are_shuffled_and_dealt_again():
    table = one_round([[8, 1], [7, 7], [6, 6]])
    first_pile = table["draw_pile"]
    table.play((lay(8), DRAW), DRAWS, DRAWS).knock_all()
    assert table["round"] == 1
    assert cards_on_table(table.snapshot()) == all_cards()
    assert [len(hand) for hand in table["hands"]] == [2, 2, 2]
    assert table["displays"] == [[], [], []]
    assert len(table["draw_pile"]) == 29
    assert table["draw_pile"] not in (first_pile, sorted(table["draw_pile"]))
    assert (table["turn"], table["knocked"], table["first_knocker"]) == (0, [False] * 3, None)


def test_r4_r5_who_has_no_heart_gets_no_cards_no_turn_and_no_sum():
    table = Table([losing([1], range(4)), losing([3], [0, 2, 3], start=2)], players=4, hearts=1).knock_all()
    assert table["status"] == ["saloon", "wanted", "saloon", "saloon"]
    table.play(tip(2))  # seat 3
    assert [len(hand) for hand in table["hands"]] == [2, 0, 2, 2]
    assert len(table["draw_pile"]) == 29
    turns = []
    while table["round"] == 1:
        turns.append(table["player"])
        table.play(KNOCKS)
    assert turns == [2, 3, 0]
    assert table["last_settlement"]["sums"][1] is None


def test_r6_r7_a_wanted_player_is_no_target_of_tricks():
    second = {0: [8, 8], 2: [3, 6], 3: [7, 7]}
    table = Table([losing([1], range(4)), deal(second, start=2)], players=4, hearts=1).knock_all().play(tip(2))
    assert table["player"] == 2
    everybody_but_seat_1 = [exchange(0, 1), exchange(0, 2), exchange(1, 2), plus_one(0), plus_one(1), plus_one(2)]
    assert table.legal == {NO_TRICK, *everybody_but_seat_1}


def test_r8_a_turn_is_an_optional_trick_and_then_a_compulsory_zock():
    table = one_round([[1, 8], [4, 4]])
    assert table["phase"] == "trick"
    assert table.legal == {NO_TRICK, lay(1), lay(8)}
    table.play(NO_TRICK)
    assert table["phase"] == "zock"
    zocks = {DRAW, KNOCK, swap_draw(1), swap_draw(8), swap_discard(1), swap_discard(8)}
    assert table.legal == zocks


def test_r8_one_trick_a_turn_and_the_card_stays_until_settlement():
    table = one_round([[5, 8], [4, 4]]).play(lay(8))
    assert table["phase"] == "zock"
    assert (table["hands"][0], table["displays"][0]) == ([5], [8])
    assert table.legal == {DRAW, KNOCK, swap_draw(5), swap_discard(5)}
    table.play(DRAW, DRAWS, lay(5), DRAW, DRAWS)
    assert table["displays"][0] == [5, 8]
    table.knock_all()
    assert table["last_settlement"]["displays"][0] == [5, 8]


@pytest.mark.parametrize("card", [2, 5, 7, 8])
def test_r9_a_card_may_be_laid_though_its_trick_does_nothing(card):
    table = one_round([[card, 4], [4, 4]])
    assert lay(card) in table.legal


def test_r9_tricks_3_and_6_without_a_target_may_be_laid_idly():
    table = one_round([[3], [6]], hand_size=1)
    assert table.legal == {NO_TRICK, IDLE_3}
    table.play(IDLE_3)
    assert (table["phase"], table["player"], table["displays"][0]) == ("zock", 0, [3])


@pytest.mark.parametrize(
    ("zock", "hand", "discards", "top", "drawn"),
    [
        (DRAW, [5, 7, 8], [2], 2, 6),
        (swap_draw(8), [5, 7], [2, 8], 8, 6),
        (swap_discard(7), [2, 8], [7], 7, 5),
        (KNOCK, [7, 8], [2], 2, 5),
    ],
    ids=["draw", "swap with the draw pile", "swap with the discard pile", "knock"],
)
def test_r10_a_zock_draws_swaps_or_keeps_the_hand(zock, hand, discards, top, drawn):
    """A swapped card goes face up on the discard pile; ``drawn``: the next card of the draw pile."""
    table = one_round([[7, 8], [4, 4]], top=2, draw=[5, 6]).play(NO_TRICK, zock)
    assert (table["hands"][0], table["discards"], table["discard_top"]) == (hand, discards, top)
    assert table["draw_pile"][0] == drawn
    assert (table["player"], table["turn"], table["knocked"]) == (1, 1, [zock == KNOCK, False])


def test_r11_without_a_hand_card_there_is_no_swap():
    table = one_round([[8], [2]], hand_size=1).play(lay(8))
    assert table.legal == {DRAW, KNOCK}
    table.play(KNOCK, lay(2), DRAW)  # the knock is cancelled, the next turn begins without a card
    assert (table["player"], table["hands"][0]) == (0, [])
    assert table.legal == {NO_TRICK}
    assert table.play(NO_TRICK).legal == {DRAW, KNOCK}


def test_r12_a_knock_gives_everybody_else_one_more_turn():
    table = one_round([[7, 7], [8, 8], [6, 6], [5, 5]]).play(DRAWS)
    assert table["last_turns"] is None
    table.play(KNOCKS)
    assert (table["first_knocker"], table["last_turns"]) == (1, [2, 3, 0])
    table.play(NO_TRICK)
    assert table["last_turns"] == [2, 3, 0]
    table.play(DRAW, DRAWS)
    assert (table["player"], table["last_turns"], table["round"]) == (0, [0], 0)
    table.play(DRAWS)
    assert table["round"] == 1


def test_r12_tricks_are_allowed_in_the_last_turn():
    table = one_round([[7, 7], [8, 5]]).play(KNOCKS)
    assert table.legal == {NO_TRICK, lay(5), lay(8)}
    table.play(lay(5), DRAW)
    assert table["last_settlement"]["displays"] == [[], [5]]


def test_r12_later_knocks_only_protect():
    table = one_round([[7, 7], [8, 8], [6, 6]]).play(KNOCKS, KNOCKS)
    assert (table["first_knocker"], table["last_turns"], table["knocked"]) == (0, [2], [True, True, False])
    table.play(KNOCKS)
    assert table["round"] == 1


def test_r12_the_start_player_may_knock_at_once_with_two_players():
    table = one_round([[7, 7], [8, 8]], start=1).play(KNOCKS)
    assert (table["player"], table["last_turns"]) == (0, [0])
    table.play(DRAWS)
    assert table["round"] == 1


def test_r13_who_has_knocked_is_no_target():
    table = one_round([[7, 7], [3, 6], [8, 8]]).play(KNOCKS)
    assert table.legal == {NO_TRICK, exchange(0, 1), plus_one(0), plus_one(1)}


def test_r13_who_had_the_last_turn_without_knocking_is_a_target():
    table = one_round([[7, 7], [8, 8], [3, 6]]).play(KNOCKS, DRAWS)
    assert table.legal == {NO_TRICK, exchange(0, 2), plus_one(0), plus_one(2)}


def nearly_drained(last_zock):
    """Return a table where seat 1 acts, holds 4 and 7, and the 31st card was just taken by `last_zock`."""
    return one_round([[8, 8], [4, 7]], top=1).play(*[DRAWS] * 30, (NO_TRICK, last_zock))


def test_r14_the_discard_pile_but_its_top_becomes_the_draw_pile_when_a_card_is_needed():
    table = nearly_drained(swap_draw(8))
    assert (table["draw_pile"], table["discards"], table["discard_top"]) == ([], [1, 8], 8)
    before = Counter(table["hands"][1])
    table.play(DRAWS)
    assert Counter(table["hands"][1]) - before == Counter([1])
    assert (table["draw_pile"], table["discards"]) == ([], [8])


def test_r14_a_swap_reshuffles_before_the_old_card_is_laid_down():
    table = nearly_drained(swap_draw(8)).play(NO_TRICK, swap_draw(7))
    assert (table["draw_pile"], table["discards"], table["discard_top"]) == ([], [7, 8], 7)
    assert 1 in table["hands"][1]


def test_r14_the_new_draw_pile_is_shuffled():
    table = one_round([[8, 8], [7, 7]])
    for _ in range(31):
        swap_any(table)
    top, under = table["discard_top"], Counter(table["discards"])
    under.subtract([top])
    assert (table["draw_pile"], under.total()) == ([], 31)
    table.play(DRAWS)
    assert table["discards"] == [top]
    assert len(table["draw_pile"]) == 30
    assert table["draw_pile"] not in (sorted(table["draw_pile"]), sorted(table["draw_pile"], reverse=True))
    assert Counter(table["draw_pile"]) < under


def test_r14_a_rigged_reshuffle_lies_in_the_order_of_the_deck_without_cards_that_are_elsewhere():
    table = Table([[2, 3, 1, 2, 3, 3]], players=2, max_card=3, hand_size=1)
    table.env.reset(seed=0, options={"start_player": 0, "deck": [2, 3, 1, 2, 3, 3], "reshuffle": [3, 3, 2, 3, 2, 1]})
    table.play(*[(NO_TRICK, swap_draw(card)) for card in (2, 3, 2)])
    assert (table["draw_pile"], table["discards"], table["discard_top"]) == ([], [1, 2, 2, 3], 2)
    table.play(NO_TRICK, swap_draw(3))  # the new draw pile is 3, 2, 1
    assert (table["draw_pile"], table["hands"][1]) == ([2, 1], [3])


def test_r3_r4_r14_a_seed_means_the_same_game_in_every_version():
    """Results that were published depend on it: a change here makes a new version of the environment."""
    assert [fresh(seed, num_players=6).snapshot()["start_player"] for seed in range(12)] == START_PLAYERS
    table = Table([], players=2)  # seed 7
    assert [*table["hands"], table["discards"], table["draw_pile"]] == FIRST_DEAL
    for pile in (FIRST_RESHUFFLE, SECOND_RESHUFFLE):
        while table["draw_pile"]:
            swap_any(table)
        swap_any(table)
        assert table["draw_pile"] == pile
    table.knock_all()
    assert [*table["hands"], table["discards"], table["draw_pile"]] == SECOND_DEAL


def test_r1_nothing_lies_at_seats_without_a_player():
    """What `state` shows of seats 2 to 5: no heart, no tip, no card, out of the game."""
    fields = Table([], players=2).state_parts()
    for name in ("hearts", "black_hearts", "losers", "winners", "knocked", "hand_counts", "sums"):
        assert fields[name][2:] == [0] * 4, name
    for name in ("hands", "displays"):
        assert not np.any(fields[name][2:]), name
    assert len(set(fields["status"][2:])) == 1
    assert fields["status"][2] not in fields["status"][:2]
    assert set(fields["tips"]) == {-1}


def test_r14_after_a_reshuffle_the_top_of_the_discard_pile_still_cannot_be_drawn():
    table = nearly_drained(swap_draw(8)).play(DRAWS, NO_TRICK)
    assert (table["draw_pile"], table["discards"]) == ([], [8])
    assert DRAW not in table.legal


def test_r14_after_a_reshuffle_one_card_more_on_the_discard_pile_can_be_drawn():
    table = one_round([[8, 8], [4, 7]], top=1).play(*[DRAWS] * 29)
    swap_any(swap_any(table))
    assert (table["draw_pile"], len(table["discards"])) == ([], 3)
    swap_any(table.play(DRAWS))
    assert (table["draw_pile"], len(table["discards"])) == ([], 2)
    assert DRAW in table.play(NO_TRICK).legal


def swap_any(table):
    return table.play(NO_TRICK, swap_draw(table["hands"][table["player"]][0]))


def test_r14_without_any_card_left_draw_and_swap_from_the_draw_pile_are_illegal():
    table = nearly_drained(DRAW).play(NO_TRICK)
    assert (table["draw_pile"], table["discards"]) == ([], [1])
    assert table.legal == {KNOCK, *(swap_discard(card) for card in set(table["hands"][1]))}


@pytest.mark.parametrize("card", [4, 7])
def test_r14_without_any_card_left_tricks_4_and_7_are_without_effect(card):
    table = nearly_drained(DRAW)
    hand = table["hands"][0]
    table.play(lay(card))
    assert (table["hands"][0], table["discards"], table["displays"][1]) == (hand, [1], [card])
    assert table["phase"] == "zock"


def test_r14_tricks_4_and_7_reshuffle_too():
    hand = Counter(nearly_drained(swap_draw(8))["hands"][0])
    table = nearly_drained(swap_draw(8)).play(lay(4))
    assert Counter(table["hands"][0]) - hand == Counter([1])
    assert (table["discards"], table["draw_pile"]) == ([8], [])
    table = nearly_drained(swap_draw(8)).play(lay(7))
    assert (table["discard_top"], table["discards"], table["draw_pile"]) == (1, [1, 8], [])


def swaps(table, turns):
    for _ in range(turns):
        table.play(NO_TRICK, swap_discard(table["hands"][table["player"]][0]))
    return table


def test_r15_a_round_is_settled_after_its_hundredth_turn():
    table = swaps(one_round([[8, 8], [7, 7]]), 99)
    assert (table["round"], table["turn"], table["last_settlement"]) == (0, 99, None)
    swaps(table, 1)
    assert (table["round"], table["turn"]) == (1, 0)
    assert sum(table["hearts"]) < 6


def test_r15_the_turn_limit_cuts_off_outstanding_last_turns():
    table = one_round([[8, 8], [7, 7], [6, 6]], max_turns_per_round=2).play(DRAWS, KNOCKS)
    assert (table["round"], table["last_settlement"]["hands"][2]) == (1, [6, 6])


def test_r15_the_turn_limit_can_be_switched_off():
    table = swaps(one_round([[8, 8], [7, 7]], max_turns_per_round=None), 300)
    assert (table["round"], table["phase"]) == (0, "trick")
    observation = table.env.observe(table.env.agent_selection)
    assert table.env.observation_space("player_0").contains(observation)
