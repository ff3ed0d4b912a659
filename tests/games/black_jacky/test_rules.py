"""R1 to R15 and T1 to T8: material, set-up, words, the turn, and what each laid card does."""

from collections import Counter

import numpy as np
import pytest

from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.games.black_jacky import GAME, rules
from tests.envs.playing import fresh
from tests.games.black_jacky import moves as do
from tests.games.black_jacky.rigging import Table, all_cards, cards_on_table, deal, losing, one_round


@pytest.mark.parametrize(("players", "hearts", "left"), [(2, 3, 31), (3, 3, 29), (4, 2, 27), (5, 2, 25), (6, 2, 23)])
def test_r1_r2_r4_cards_and_hearts_at_the_start(players, hearts, left):
    """Value v stands on v cards, "+1" lies in the box; two cards each, one turned up, the rest is the draw pile."""
    table = fresh(num_players=players).snapshot()
    cards = cards_on_table(table)
    assert cards == all_cards()
    assert (cards.total(), sum(cards.elements()), table["plus_one"]) == (36, 204, None)
    assert (table["hearts"], table["black_hearts"]) == ([hearts] * players, [False] * players)
    assert (table["status"], table["displays"]) == (["saloon"] * players, [[]] * players)
    assert [len(hand) for hand in table["hands"]] == [2] * players
    assert (table["discards"], len(table["draw_pile"])) == ([table["discard_top"]], left)


def test_r1_nothing_lies_at_seats_without_a_player():
    """What `state` shows of seats 2 to 5: no heart, no tip, no card, out of the game."""
    fields = Table([], players=2).state_parts()
    for name in ("hearts", "black_hearts", "losers", "winners", "knocked", "hand_counts", "sums", "hands", "displays"):
        assert not np.any(fields[name][2:]), name
    assert len(set(fields["status"][2:])) == 1
    assert fields["status"][2] not in fields["status"][:2]
    assert set(fields["tips"]) == {-1}


def swap_any(table):
    return table.play(do.NO_TRICK, do.swap_draw(table["hands"][table["player"]][0]))


def test_r4_cards_are_dealt_one_at_a_time_clockwise_from_the_start_player_and_all_of_them_again_every_round():
    deck = [1, 2, 3, 4, 5, 6, 7, *(all_cards() - Counter(range(1, 8))).elements()]
    table = Table([deck], players=3, start=2)
    table.shows(hands=[[2, 5], [3, 6], [1, 4]], discard_top=7, draw_pile=deck[7:])
    table = one_round([[8, 1], [7, 7], [6, 6]])
    table.play((do.lay(8), do.DRAW), do.DRAWS, do.DRAWS).knock_all()
    table.shows(round=1, displays=[[], [], []], turn=0, knocked=[False] * 3, first_knocker=None)
    assert cards_on_table(table.now) == all_cards()
    assert [len(hand) for hand in table["hands"]] == [2, 2, 2]
    assert len(table["draw_pile"]) == 29


def test_r4_a_smaller_deck_lacks_the_same_cards_in_every_round():
    env = fresh(num_players=2, deck=[1, 2, 2, 3, 3, 3, 8, 8])
    for number in range(2):
        assert env.snapshot()["round"] == number
        assert cards_on_table(env.snapshot()) == Counter([1, 2, 2, 3, 3, 3, 8, 8])
        for action in do.KNOCKS * 2:
            env.step(action)


def test_r4_r5_who_has_no_heart_gets_no_cards_no_turn_and_no_sum():
    table = Table([losing([1], range(4)), losing([3], [0, 2, 3], start=2)], players=4, hearts=1).knock_all()
    table.shows(status=["saloon", "wanted", "saloon", "saloon"]).play(do.tip(2))  # seat 3
    assert [len(hand) for hand in table["hands"]] == [2, 0, 2, 2]
    assert len(table["draw_pile"]) == 29
    for player in (2, 3, 0):
        table.shows(player=player, round=1).play(do.KNOCKS)
    assert table["round"] == 2
    assert table["last_settlement"]["sums"][1] is None


def test_r6_r7_r13_wanted_players_and_who_has_knocked_are_no_targets_but_who_had_the_last_turn_without_is():
    second = {0: [8, 8], 2: [3, 6], 3: [7, 7]}
    table = Table([losing([1], range(4)), deal(second, start=2)], players=4, hearts=1).knock_all().play(do.tip(2))
    everybody_but_seat_1 = {do.exchange(0, 1), do.exchange(0, 2), do.exchange(1, 2), *map(do.plus_one, range(3))}
    table.shows(player=2, legal={do.NO_TRICK} | everybody_but_seat_1)
    table = one_round([[7, 7], [3, 6], [8, 8]]).play(do.KNOCKS)
    table.shows(legal={do.NO_TRICK, do.exchange(0, 1), do.plus_one(0), do.plus_one(1)})
    table = one_round([[7, 7], [8, 8], [3, 6]]).play(do.KNOCKS, do.DRAWS)
    table.shows(legal={do.NO_TRICK, do.exchange(0, 2), do.plus_one(0), do.plus_one(2)})


def test_r8_r9_a_turn_is_an_optional_trick_though_it_may_do_nothing_and_then_a_compulsory_zock():
    """One trick a turn; the card stays until settlement."""
    table = (
        one_round([[1, 8], [4, 4]]).shows(phase="trick", legal={do.NO_TRICK, do.lay(1), do.lay(8)}).play(do.NO_TRICK)
    )
    zocks = {do.DRAW, do.KNOCK, do.swap_draw(1), do.swap_draw(8), do.swap_discard(1), do.swap_discard(8)}
    table.shows(phase="zock", legal=zocks)
    table = one_round([[5, 8], [4, 4]]).play(do.lay(8)).shows(phase="zock", hands=[[5], [4, 4]], displays=[[8], []])
    table.shows(legal={do.DRAW, do.KNOCK, do.swap_draw(5), do.swap_discard(5)})
    table.play(do.DRAW, do.DRAWS, do.lay(5), do.DRAW, do.DRAWS).shows(displays=[[5, 8], []])
    table.knock_all().settled(displays=[[5, 8], []])
    for card in (2, 5, 7, 8):
        assert do.lay(card) in one_round([[card, 4], [4, 4]]).legal
    table = one_round([[3], [6]], hand_size=1).shows(legal={do.NO_TRICK, do.IDLE_3})
    table.play(do.IDLE_3).shows(asked=("zock", 0), displays=[[3], []])


@pytest.mark.parametrize(
    ("zock", "hand", "discards", "top", "drawn"),
    [
        (do.DRAW, [5, 7, 8], [2], 2, 6),
        (do.swap_draw(8), [5, 7], [2, 8], 8, 6),
        (do.swap_discard(7), [2, 8], [7], 7, 5),
        (do.KNOCK, [7, 8], [2], 2, 5),
    ],
    ids=["draw", "swap with the draw pile", "swap with the discard pile", "knock"],
)
def test_r10_a_zock_draws_swaps_or_keeps_the_hand(zock, hand, discards, top, drawn):
    """A swapped card goes face up on the discard pile; ``drawn``: the next card of the draw pile."""
    table = one_round([[7, 8], [4, 4]], top=2, draw=[5, 6]).play(do.NO_TRICK, zock)
    table.shows(hands=[hand, [4, 4]], discards=discards, discard_top=top, knocked=[zock == do.KNOCK, False])
    table.shows(player=1, turn=1)
    assert table["draw_pile"][0] == drawn


def test_r11_without_a_hand_card_there_is_no_swap():
    table = one_round([[8], [2]], hand_size=1).play(do.lay(8)).shows(legal={do.DRAW, do.KNOCK})
    table.play(do.KNOCK, do.lay(2), do.DRAW)  # the knock is cancelled, the next turn begins without a card
    table.shows(player=0, legal={do.NO_TRICK}).play(do.NO_TRICK).shows(legal={do.DRAW, do.KNOCK})
    assert table["hands"][0] == []


def test_r12_t1_a_knock_gives_everybody_else_one_more_turn_but_a_1_none_and_later_knocks_only_protect():
    table = one_round([[7, 7], [8, 8], [6, 6], [5, 5]]).play(do.DRAWS).shows(last_turns=None)
    table.play(do.KNOCKS).shows(first_knocker=1, last_turns=[2, 3, 0]).play(do.NO_TRICK).shows(last_turns=[2, 3, 0])
    table.play(do.DRAW, do.DRAWS).shows(player=0, last_turns=[0], round=0).play(do.DRAWS).shows(round=1)
    table = one_round([[7, 7], [8, 8]], start=1).play(do.KNOCKS).shows(player=0, last_turns=[0])
    table.play(do.DRAWS).shows(round=1)
    table = one_round([[7, 7], [8, 5]]).play(do.KNOCKS).shows(legal={do.NO_TRICK, do.lay(5), do.lay(8)})
    table.play(do.lay(5), do.DRAW).settled(displays=[[], [5]])
    table = one_round([[7, 7], [8, 8], [6, 6]]).play(do.KNOCKS, do.KNOCKS)
    table.shows(first_knocker=0, last_turns=[2], knocked=[True, True, False]).play(do.KNOCKS).shows(round=1)
    table = one_round([[8, 8], [1, 7], [2, 2]]).play(do.KNOCKS, do.lay(1), do.KNOCK)
    table.settled(sums=[160, 80, 40], losers=[2], hands=[[8, 8], [7], [2, 2]], displays=[[], [1], []])


def nearly_drained(last_zock):
    """Return a table where seat 1 acts, holds 4 and 7, and the 31st card was just taken by `last_zock`."""
    return one_round([[8, 8], [4, 7]], top=1).play(*[do.DRAWS] * 30, (do.NO_TRICK, last_zock))


def test_r14_the_discard_pile_but_its_top_becomes_the_draw_pile_when_a_card_is_needed_by_a_zock_or_a_trick():
    table = nearly_drained(do.swap_draw(8)).shows(draw_pile=[], discards=[1, 8], discard_top=8)
    before = Counter(table["hands"][1])
    table.play(do.DRAWS).shows(draw_pile=[], discards=[8])
    assert Counter(table["hands"][1]) - before == Counter([1])
    assert do.DRAW not in table.play(do.NO_TRICK).legal  # its top still cannot be drawn
    table = nearly_drained(do.swap_draw(8)).play(do.NO_TRICK, do.swap_draw(7))  # before the old card is laid down
    assert 1 in table.shows(draw_pile=[], discards=[7, 8], discard_top=7)["hands"][1]
    hand = Counter(table["hands"][0])
    assert Counter(table.play(do.DRAWS)["hands"][0]) - hand == Counter([8])
    hand = Counter(nearly_drained(do.swap_draw(8))["hands"][0])
    table = nearly_drained(do.swap_draw(8)).play(do.lay(4)).shows(discards=[8], draw_pile=[])
    assert Counter(table["hands"][0]) - hand == Counter([1])
    nearly_drained(do.swap_draw(8)).play(do.lay(7)).shows(discard_top=1, discards=[1, 8], draw_pile=[])
    table = one_round([[8, 8], [4, 7]], top=1).play(*[do.DRAWS] * 29)
    swap_any(swap_any(table))
    assert (table["draw_pile"], len(table["discards"])) == ([], 3)
    swap_any(table.play(do.DRAWS))
    assert (table["draw_pile"], len(table["discards"])) == ([], 2)
    assert do.DRAW in table.play(do.NO_TRICK).legal


def test_r14_a_stacked_reshuffle_lies_in_the_order_of_the_deck_without_cards_that_are_elsewhere():
    table = Table([[2, 3, 1, 2, 3, 3]], players=2, max_card=3, hand_size=1)
    table.play(*[(do.NO_TRICK, do.swap_draw(card)) for card in (2, 3, 2)])
    table.shows(draw_pile=[], discards=[1, 2, 2, 3], discard_top=2)
    rules.stack_discards(table.env._states[0], np.array([3, 3, 2, 3, 2, 1], np.int8))
    table.play(do.NO_TRICK, do.swap_draw(3)).shows(draw_pile=[2, 1])  # the new draw pile was 3, 2, 1
    assert (table["hands"][1], table.state_parts()["discard_count"]) == ([3], 2)
    assert table.env._states["reshuffles"][0] == 1  # which other code knows it by


def test_r14_without_any_card_left_nothing_is_drawn_and_tricks_4_and_7_are_without_effect():
    table = nearly_drained(do.DRAW).play(do.NO_TRICK).shows(draw_pile=[], discards=[1])
    assert table.legal == {do.KNOCK, *(do.swap_discard(card) for card in set(table["hands"][1]))}
    for card in (4, 7):
        table = nearly_drained(do.DRAW)
        hand = table["hands"][0]
        table.play(do.lay(card)).shows(phase="zock", discards=[1], displays=[[], [card]])
        assert table["hands"][0] == hand


def swaps(table, turns):
    for _ in range(turns):
        table.play(do.NO_TRICK, do.swap_discard(table["hands"][table["player"]][0]))
    return table


def test_r15_a_round_is_settled_after_its_hundredth_turn_whatever_is_outstanding_unless_that_is_switched_off():
    table = swaps(one_round([[8, 8], [7, 7]]), 99).shows(round=0, turn=99, last_settlement=None)
    assert sum(swaps(table, 1).shows(round=1, turn=0)["hearts"]) < 6
    table = one_round([[8, 8], [7, 7], [6, 6]], max_turns_per_round=2).play(do.DRAWS, do.KNOCKS).shows(round=1)
    assert table["last_settlement"]["hands"][2] == [6, 6]
    one_round([[8, 8], [7, 7]], max_turns_per_round=1).play(do.DRAWS).shows(round=1)
    table = swaps(one_round([[8, 8], [7, 7]], max_turns_per_round=None), 300).shows(round=0, phase="trick")
    seen = table.env.observe(table.env.agent_selection)
    assert table.env.observation_space("player_0").contains(seen)


def sizes(table):
    return [len(hand) for hand in table["hands"]]


@pytest.mark.parametrize("zock", [do.DRAW, do.KNOCK, do.swap_draw(8), do.swap_discard(8)])
def test_t1_settlement_comes_right_after_this_turns_zock_whatever_it_is(zock):
    table = one_round([[1, 8], [7, 7], [6, 6]]).play(do.lay(1)).shows(ends_after_turn=True, round=0, phase="zock")
    table.play(zock).shows(round=1, ends_after_turn=False)
    assert None not in table["last_settlement"]["sums"]


def test_t2_cancels_all_knocking_and_who_had_knocked_is_a_target_again_but_the_trickster_may_knock():
    """The knocker has a turn again, and so has who had his last turn."""
    table = one_round([[8, 8], [7, 7], [2, 5]]).play(do.KNOCKS, do.KNOCKS).shows(knocked=[True, True, False])
    table.play(do.lay(2)).shows(knocked=[False] * 3, first_knocker=None, last_turns=None)
    table.play(do.DRAW).shows(round=0, player=0).play(do.DRAWS, do.DRAWS, do.DRAWS, do.DRAWS).shows(round=0)
    table = one_round([[8, 8], [7, 7], [2, 5]]).play(do.KNOCKS, do.DRAWS, do.lay(2), do.DRAW).shows(round=0, player=0)
    table.play(do.DRAWS).shows(round=0, player=1)
    table = one_round([[2, 8], [7, 7]]).play(do.lay(2))  # nobody has knocked
    table.shows(phase="zock", displays=[[2], []], last_turns=None)
    table = one_round([[8, 8], [2, 7], [6, 6]]).play(do.KNOCKS, do.lay(2), do.KNOCK)
    table.shows(first_knocker=1, last_turns=[2, 0], knocked=[False, True, False])
    table.play(do.DRAWS, do.DRAWS).shows(round=1)
    table = one_round([[8, 8], [2, 7], [3, 6]]).play(do.KNOCKS, do.lay(2), do.DRAW)
    everybody = {do.plus_one(seat) for seat in range(3)} | {do.exchange(0, 1), do.exchange(0, 2), do.exchange(1, 2)}
    table.shows(legal={do.NO_TRICK} | everybody)


def test_t3_two_players_give_each_other_a_card_first_the_trickster_or_the_nearer_clockwise():
    """Both change places at once; nobody but the giver sees a card."""
    table = one_round([[3, 8], [7, 7], [5, 6], [4, 4]]).play(do.exchange(1, 2))
    table.shows(asked=("exchange", 1), exchange={"trickster": 0, "pair": [1, 2], "given": [None, None]})
    table.shows(legal={do.give(7)}).play(do.give(7)).shows(player=2, hands=[[8], [7, 7], [5, 6], [4, 4]])
    table.shows(exchange={"trickster": 0, "pair": [1, 2], "given": [7, None]}, legal={do.give(5), do.give(6)})
    given = [table.env.unwrapped.view(agent)["exchange"]["given"][0] for agent in [*table.env.agents, None]]
    assert given == ["hidden", 7, "hidden", "hidden", "hidden"]
    table.play(do.give(6)).shows(hands=[[8], [6, 7], [5, 7], [4, 4]], exchange=None, asked=("zock", 0), turn=0)
    hands = [[4, 4], [7, 7], [3, 8], [5, 6]]
    table = one_round(hands, start=2).play(do.exchange(0, 3)).shows(player=2, legal={do.give(8)})
    assert table["exchange"]["pair"] == [2, 1]
    table.play(do.give(8), do.give(7)).shows(hands=[[4, 4], [7, 8], [7], [5, 6]], player=2)
    table = one_round(hands, start=2).play(do.exchange(1, 2)).shows(player=3)
    assert table["exchange"]["pair"] == [3, 0]
    table.play(do.give(5)).shows(player=0)


def test_t3_needs_two_with_hand_cards_counted_after_the_3_was_laid_else_it_is_without_effect():
    one_round([[3], [7], [8]], hand_size=1).shows(legal={do.NO_TRICK, do.exchange(1, 2)})
    table = one_round([[8], [2], [3]], hand_size=1).play(do.lay(8), do.KNOCK, do.lay(2), do.DRAW)
    table.shows(legal={do.NO_TRICK, do.IDLE_3})  # seat 0 is active, but has no hand card
    table.play(do.IDLE_3).shows(phase="zock", exchange=None, displays=[[8], [2], [3]])


def test_t4_the_next_active_player_clockwise_draws_a_card_at_last_the_trickster():
    table = one_round([[8, 8], [7, 7], [4, 6]], top=1, draw=[5, 2], start=2).play(do.lay(4))
    table.shows(hands=[[5, 8, 8], [7, 7], [6]], asked=("zock", 2))
    assert table["draw_pile"][0] == 2
    table = one_round([[8, 8], [7, 7], [4, 6], [6, 6]], draw=[5], start=3).play(do.KNOCKS, do.KNOCKS, do.DRAWS)
    assert sizes(table.play(do.lay(4)).shows(player=2)) == [2, 4, 1, 2]  # seats 3 and 0 have knocked
    second = deal({0: [4, 8], 2: [7, 7], 3: [6, 6]}, draw=[5], start=2)
    table = Table([losing([1], range(4)), second], players=4, hearts=1).knock_all().play(do.tip(1), do.DRAWS, do.DRAWS)
    assert sizes(table.play(do.lay(4))) == [1, 0, 4, 3]
    table = one_round([[8, 8], [7, 7], [4, 6]], draw=[5]).play(do.KNOCKS, do.KNOCKS, do.lay(4))
    table.shows(hands=[[8, 8], [7, 7], [5, 6]], phase="zock")


@pytest.mark.parametrize("relative", range(3))
def test_t6_puts_plus_one_before_any_active_player_or_moves_it_there(relative):
    seat = (1 + relative) % 3
    table = one_round([[8, 4], [6, 7], [8, 3]], start=1).play(do.plus_one(relative)).shows(plus_one=seat)
    sums = [120, 130, 110]
    sums[seat] += 10
    table.play(do.KNOCK, do.KNOCKS, do.KNOCKS).settled(sums=sums)
    table = one_round([[6, 4], [6, 7], [8, 3]]).play(do.plus_one(1), do.DRAW)
    table.shows(legal={do.NO_TRICK, do.plus_one(0), do.plus_one(1), do.plus_one(2), do.lay(7)})
    table.play(do.plus_one(relative)).shows(plus_one=seat)


def test_t6_is_without_effect_while_plus_one_lies_before_a_knocker():
    table = (
        one_round([[6, 4], [8, 7], [6, 2]])
        .play(do.plus_one(1), do.DRAW, do.KNOCKS)
        .shows(legal={do.NO_TRICK, do.lay(2), do.IDLE_6})
    )
    table.play(do.IDLE_6).shows(plus_one=1, phase="zock", displays=[[6], [], [6]])
    table.play(do.KNOCK, do.KNOCKS)
    assert table["last_settlement"]["sums"][1] == 160  # it still counts for him
    table = one_round([[6, 6], [8, 7], [2, 5]]).play(
        do.plus_one(1), do.DRAW, do.KNOCKS, do.lay(2), do.DRAW
    )  # cancelled
    table.play(do.plus_one(0)).shows(plus_one=0)


def test_t7_turns_the_top_of_the_draw_pile_onto_the_discard_pile():
    table = one_round([[7, 8], [6, 6]], top=1, draw=[5, 2]).play(do.lay(7)).shows(discard_top=5, discards=[1, 5])
    assert table["draw_pile"][0] == 2
    assert table.play(do.swap_discard(8))["hands"][0] == [5]


def test_r14_more_discards_than_there_are_cards_which_no_game_has_are_not_reshuffled():
    s = zeros(1, GAME.state_dtype)
    s["discards"][0, 1], s["discard_top"] = 40, 1
    rules.reshuffle(s[0])
    assert s["draw_count"][0] == 0
    assert not s["draw_pile"].any()


def test_an_illegal_action_is_refused_in_the_words_of_the_rules():
    table = one_round([[3, 7], [8, 8], [6, 6]]).play(do.NO_TRICK)
    table.refuses(do.swap_discard(8), "there is no 8 in the hand (R11)").refuses(do.lay(7), "the phase is zock")
    table = one_round([[7, 7], [3, 6], [8, 8]]).play(do.KNOCKS)  # R13
    table.refuses(do.exchange(0, 2), "both players must be active and hold a card (T3)")
    table.refuses(do.plus_one(2), '"+1" goes only to active players')
    table = Table([losing([1, 2], range(5))], players=5, hearts=1).knock_all()
    table.refuses(do.tip(1), "only players in the saloon may be named (P1)")  # seat 2 is wanted, too
    table.refuses(do.tip(5), "there are only 5 players").refuses(do.NO_TRICK, "the phase is tip")
    table = one_round([[3, 8], [7, 7], [6, 6]]).play(do.exchange(1, 2))
    table.refuses(do.give(8), "there is no 8 in the hand").refuses(do.DRAW, "the phase is exchange")
    table = one_round([[1], [2]], hand_size=1, max_card=2).play(do.NO_TRICK)
    for action in (do.DRAW, do.swap_draw(1)):
        table.refuses(action, "the draw pile is empty and there is nothing to shuffle (R14)")
    one_round([[2, 8], [3, 6]], tricks=[8]).refuses(do.lay(2), "the 2 is disabled by the option tricks")
