"""T1 to T8: what each laid card does."""

import pytest

from tests.games.black_jacky.rigging import (
    DRAW,
    DRAWS,
    IDLE_3,
    IDLE_6,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    deal,
    exchange,
    give,
    lay,
    losing,
    one_round,
    plus_one,
    swap_discard,
    swap_draw,
    tip,
)


def sizes(table):
    return [len(hand) for hand in table["hands"]]


@pytest.mark.parametrize("zock", [DRAW, KNOCK, swap_draw(8), swap_discard(8)])
def test_t1_settlement_comes_right_after_this_turns_zock_whatever_it_is(zock):
    table = one_round([[1, 8], [7, 7], [6, 6]]).play(lay(1)).shows(ends_after_turn=True, round=0, phase="zock")
    table.play(zock).shows(round=1, ends_after_turn=False)
    assert None not in table["last_settlement"]["sums"]


def test_t1_outstanding_last_turns_are_lost():
    table = one_round([[8, 8], [1, 7], [2, 2]]).play(KNOCKS, lay(1), KNOCK)
    table.settled(sums=[160, 80, 40], losers=[2], hands=[[8, 8], [7], [2, 2]], displays=[[], [1], []])


def test_t2_cancels_all_knocking():
    """The knocker has a turn again, and so has who had his last turn."""
    table = one_round([[8, 8], [7, 7], [2, 5]]).play(KNOCKS, KNOCKS).shows(knocked=[True, True, False])
    table.play(lay(2)).shows(knocked=[False] * 3, first_knocker=None, last_turns=None)
    table.play(DRAW).shows(round=0, player=0).play(DRAWS, DRAWS, DRAWS, DRAWS).shows(round=0)
    table = one_round([[8, 8], [7, 7], [2, 5]]).play(KNOCKS, DRAWS, lay(2), DRAW).shows(round=0, player=0)
    table.play(DRAWS).shows(round=0, player=1)
    table = one_round([[2, 8], [7, 7]]).play(lay(2))  # nobody has knocked
    table.shows(phase="zock", displays=[[2], []], last_turns=None)


def test_t2_the_trickster_may_knock_and_is_the_first_knocker():
    table = one_round([[8, 8], [2, 7], [6, 6]]).play(KNOCKS, lay(2), KNOCK)
    table.shows(first_knocker=1, last_turns=[2, 0], knocked=[False, True, False])
    table.play(DRAWS, DRAWS).shows(round=1)


def test_t2_knockers_are_targets_again():
    table = one_round([[8, 8], [2, 7], [3, 6]]).play(KNOCKS, lay(2), DRAW)
    everybody = {plus_one(seat) for seat in range(3)} | {exchange(0, 1), exchange(0, 2), exchange(1, 2)}
    table.shows(legal={NO_TRICK} | everybody)


def test_t3_two_players_give_each_other_a_card():
    """Both change places at once; nobody but the giver sees a card."""
    table = one_round([[3, 8], [7, 7], [5, 6], [4, 4]]).play(exchange(1, 2))
    table.shows(asked=("exchange", 1), exchange={"trickster": 0, "pair": [1, 2], "given": [None, None]})
    table.shows(legal={give(7)}).play(give(7)).shows(player=2, hands=[[8], [7, 7], [5, 6], [4, 4]])
    table.shows(exchange={"trickster": 0, "pair": [1, 2], "given": [7, None]}, legal={give(5), give(6)})
    given = [table.env.unwrapped.view(agent)["exchange"]["given"][0] for agent in [*table.env.agents, None]]
    assert given == ["hidden", 7, "hidden", "hidden", "hidden"]
    table.play(give(6)).shows(hands=[[8], [6, 7], [5, 7], [4, 4]], exchange=None, asked=("zock", 0), turn=0)


def test_t3_the_trickster_himself_gives_first_else_the_nearer_clockwise_from_him():
    hands = [[4, 4], [7, 7], [3, 8], [5, 6]]
    table = one_round(hands, start=2).play(exchange(0, 3)).shows(player=2, legal={give(8)})
    assert table["exchange"]["pair"] == [2, 1]
    table.play(give(8), give(7)).shows(hands=[[4, 4], [7, 8], [7], [5, 6]], player=2)
    table = one_round(hands, start=2).play(exchange(1, 2)).shows(player=3)
    assert table["exchange"]["pair"] == [3, 0]
    table.play(give(5)).shows(player=0)


def test_t3_needs_two_with_hand_cards_counted_after_the_3_was_laid_else_it_is_without_effect():
    one_round([[3], [7], [8]], hand_size=1).shows(legal={NO_TRICK, exchange(1, 2)})
    table = one_round([[8], [2], [3]], hand_size=1).play(lay(8), KNOCK, lay(2), DRAW)
    table.shows(legal={NO_TRICK, IDLE_3})  # seat 0 is active, but has no hand card
    table.play(IDLE_3).shows(phase="zock", exchange=None, displays=[[8], [2], [3]])


def test_t4_the_next_player_clockwise_draws_a_card():
    table = one_round([[8, 8], [7, 7], [4, 6]], top=1, draw=[5, 2], start=2).play(lay(4))
    table.shows(hands=[[5, 8, 8], [7, 7], [6]], asked=("zock", 2))
    assert table["draw_pile"][0] == 2


def test_t4_skips_who_has_knocked_and_the_wanted():
    table = one_round([[8, 8], [7, 7], [4, 6], [6, 6]], draw=[5], start=3).play(KNOCKS, KNOCKS, DRAWS)
    assert sizes(table.play(lay(4)).shows(player=2)) == [2, 4, 1, 2]  # seats 3 and 0 have knocked
    second = deal({0: [4, 8], 2: [7, 7], 3: [6, 6]}, draw=[5], start=2)
    table = Table([losing([1], range(4)), second], players=4, hearts=1).knock_all().play(tip(1), DRAWS, DRAWS)
    assert sizes(table.play(lay(4))) == [1, 0, 4, 3]


def test_t4_hits_the_trickster_when_everybody_else_has_knocked():
    table = one_round([[8, 8], [7, 7], [4, 6]], draw=[5]).play(KNOCKS, KNOCKS, lay(4))
    table.shows(hands=[[8, 8], [7, 7], [5, 6]], phase="zock")


def test_t5_is_turned_over_and_counts_nothing():
    one_round([[5, 8], [5, 7]]).play(lay(5), KNOCK, KNOCKS).settled(displays=[[5], []], sums=[80, 120])


@pytest.mark.parametrize("relative", range(3))
def test_t6_puts_plus_one_before_any_active_player_or_moves_it_there(relative):
    seat = (1 + relative) % 3
    table = one_round([[8, 4], [6, 7], [8, 3]], start=1).play(plus_one(relative)).shows(plus_one=seat)
    sums = [120, 130, 110]
    sums[seat] += 10
    table.play(KNOCK, KNOCKS, KNOCKS).settled(sums=sums)
    table = one_round([[6, 4], [6, 7], [8, 3]]).play(plus_one(1), DRAW)
    table.shows(legal={NO_TRICK, plus_one(0), plus_one(1), plus_one(2), lay(7)})
    table.play(plus_one(relative)).shows(plus_one=seat)


def test_t6_is_without_effect_while_plus_one_lies_before_a_knocker():
    table = one_round([[6, 4], [8, 7], [6, 2]]).play(plus_one(1), DRAW, KNOCKS).shows(legal={NO_TRICK, lay(2), IDLE_6})
    table.play(IDLE_6).shows(plus_one=1, phase="zock", displays=[[6], [], [6]])
    table.play(KNOCK, KNOCKS)
    assert table["last_settlement"]["sums"][1] == 160  # it still counts for him
    table = one_round([[6, 6], [8, 7], [2, 5]]).play(plus_one(1), DRAW, KNOCKS, lay(2), DRAW)  # cancelled
    table.play(plus_one(0)).shows(plus_one=0)


def test_t7_turns_the_top_of_the_draw_pile_onto_the_discard_pile():
    table = one_round([[7, 8], [6, 6]], top=1, draw=[5, 2]).play(lay(7)).shows(discard_top=5, discards=[1, 5])
    assert table["draw_pile"][0] == 2
    assert table.play(swap_discard(8))["hands"][0] == [5]


def test_t8_only_a_laid_8_counts_a_tenth_more():
    one_round([[8, 4], [8, 3]]).play(lay(8), KNOCK, KNOCKS).settled(sums=[121, 110])
