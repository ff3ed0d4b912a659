"""Q1 and Q2 (Schnell-Duell), the options beyond the sheet, the figures to test against."""

from collections import Counter
from functools import partial
from itertools import combinations

import pytest

from blackjacky_env import black_jacky_v0
from tests.envs.playing import fresh
from tests.games.black_jacky.rigging import (
    DRAWS,
    KNOCK,
    KNOCKS,
    NO_TRICK,
    Table,
    all_cards,
    cards_on_table,
    deal,
    lay,
    losing,
    one_round,
    swap_discard,
)
from tests.games.tables import positions

DUEL = {"variant": "schnell_duell"}


def test_q1_the_game_ends_when_the_first_heartless_cat_stands_there_and_nobody_tips():
    table = Table([losing([1], range(4))], players=4, hearts=1, **DUEL).knock_all()
    assert (table["phase"], table["player"], table["round"]) == ("over", None, 0)
    assert table["hearts"] == [1, 0, 1, 1]


def test_q1_the_game_goes_on_while_everybody_has_a_heart():
    table = Table([losing([1], range(4))], players=4, hearts=2, **DUEL).knock_all()
    assert (table["phase"], table["round"]) == ("trick", 1)


def duel(*hands, hearts=1, **options):
    """Return a Schnell-Duell in which these hands were dealt round after round, and everybody has knocked."""
    decks = [deal(each, start=number) for number, each in enumerate(hands)]
    table = Table(decks, players=len(hands[0]), hearts=hearts, **DUEL, **options)
    for _ in hands:
        table.knock_all()
    return table


LOST_BY_BUST = [[1, 2], [8, 8], [7, 8]]


@pytest.mark.parametrize(
    ("table", "hearts", "winners"),
    [
        (partial(duel, [[8, 8], [3, 5], [3, 5]], [[7, 7], [3, 4], [8, 8]], hearts=2), [2, 0, 1], [0]),
        (partial(duel, [[7, 7], [3, 4], [8, 8]]), [1, 0, 1], [2]),
        (partial(duel, [[8, 7], [3, 4], [8, 7]]), [1, 0, 1], [0, 2]),
        (partial(duel, LOST_BY_BUST, [[8, 8], [1, 2], [7, 8]], hearts=2, bust_at=10), [1, 1, 0], [1]),
        (partial(duel, LOST_BY_BUST, LOST_BY_BUST, [[8, 8], [7, 8], [1, 2]], hearts=3, bust_at=10), [2, 0, 1], [0]),
        (partial(duel, [[2, 5], [3, 4]]), [0, 0], [0, 1]),
    ],
    ids=[
        "most hearts win, whatever the sum",
        "a tie goes to the highest sum of the round",
        "still tied, there are several winners",
        "a tied player who is bust ranks below every sum that is not",
        "hearts count before sums, even for a bust player",
        "it decides even if all stand at no heart: E2 does not apply",
    ],
)
def test_q2_most_hearts_win_and_then_the_highest_sum_that_is_not_bust(table, hearts, winners):
    table = table()
    assert (table["hearts"], table["winners"]) == (hearts, winners)


def test_q2_tenths_count():
    table = one_round([[8, 7], [3, 4], [8, 7]], hearts=1, **DUEL).play(KNOCKS, KNOCKS, (lay(8), KNOCK))
    assert table["winners"] == [2]


@pytest.mark.parametrize("players", range(2, 7))
def test_q2_if_all_tied_players_are_bust_all_win(players):
    table = one_round([[8, 8], [7, 8], [7, 7], [6, 6], [8, 5], [4, 7]][:players], hearts=1, bust_at=10, **DUEL)
    table.knock_all()
    assert (table["hearts"], table["winners"]) == ([0] * players, list(range(players)))
    assert table.rewards() == [0] * players


@pytest.mark.parametrize("max_card", range(3, 9))
def test_max_card_makes_a_smaller_deck(max_card):
    assert cards_on_table(fresh(num_players=2, max_card=max_card).snapshot()) == all_cards(max_card)


def test_max_card_a_deck_may_be_dealt_to_its_last_card():
    table = one_round([[1], [2]], top=2, hand_size=1, max_card=2).play(NO_TRICK)
    assert (table["draw_pile"], table.legal) == ([], {KNOCK, swap_discard(1)})


def test_bust_at_moves_the_limit():
    table = one_round([[5, 5], [1, 2], [4, 5]], bust_at=10).knock_all()
    assert table["last_settlement"]["losers"] == [0]


@pytest.mark.parametrize(("hand_size", "left"), [(1, 33), (4, 27), (8, 19)])
def test_hand_size_cards_are_dealt(hand_size, left):
    table = fresh(num_players=2, hand_size=hand_size).snapshot()
    assert [len(hand) for hand in table["hands"]] == [hand_size] * 2
    assert len(table["draw_pile"]) == left


@pytest.mark.parametrize("hearts", [1, 5, 9])
def test_hearts_replace_the_sheets_number(hearts):
    assert fresh(num_players=4, hearts=hearts).snapshot()["hearts"] == [hearts] * 4


@pytest.mark.parametrize(("tricks", "legal"), [((), {0}), ([8], {0, 8}), ({2}, {0, 2}), ((2, 8), {0, 2, 8})])
def test_tricks_that_are_switched_off_cannot_be_laid(tricks, legal):
    assert one_round([[2, 8], [3, 6]], tricks=tricks).legal == legal


@pytest.mark.parametrize("card", [3, 6])
def test_tricks_3_and_6_can_be_switched_off(card):
    table = one_round([[3, 6], [7, 7]], tricks=[card])
    assert len(table.legal) == {3: 2, 6: 3}[card]


def test_max_turns_per_round_limits_the_round():
    table = one_round([[8, 8], [7, 7]], max_turns_per_round=1).play(DRAWS)
    assert table["round"] == 1


def test_figures_two_card_hands():
    hands = list(combinations(all_cards().elements(), 2))
    assert len(hands) == 630
    assert len({tuple(sorted(hand)) for hand in hands}) == 35
    ways = Counter(map(sum, hands))
    assert [ways[total] for total in range(3, 17)] == [2, 4, 10, 16, 28, 40, 60, 71, 82, 82, 82, 69, 56, 28]


@pytest.mark.parametrize("variant", ["classic", "schnell_duell"])
@pytest.mark.parametrize("players", range(2, 7))
def test_random_games_end_and_keep_the_figures(players, variant):
    most_rounds = {2: 5, 3: 8, 4: 11, 5: 14, 6: 17}[players]
    for seed in range(8):
        for env in positions(black_jacky_v0.env(num_players=players, variant=variant), seed):
            table = env.snapshot()
            assert sum(table["hearts"]) <= 12
            assert table["round"] < most_rounds
            assert cards_on_table(table) == (Counter() if table["phase"] == "tip" else all_cards())
            settled = table["last_settlement"]
            sums = settled["sums"] if settled else []
            assert all(total <= 202 or total >= 210 for total in sums if total is not None)


def test_figures_two_players_can_play_five_rounds():
    decks = [losing([number % 2], range(2), start=number % 2) for number in range(5)]
    table = Table(decks, players=2)
    for number in range(5):
        assert table["round"] == number
        table.knock_all()
    assert (table["phase"], table["round"], table["winners"]) == ("over", 4, [1])
