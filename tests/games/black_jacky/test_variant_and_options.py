"""Q1 and Q2 (Schnell-Duell), the options beyond the sheet, the figures to test against."""

from collections import Counter
from itertools import combinations

import pytest

from blackjacky_env import black_jacky_v0
from tests.envs.playing import fresh
from tests.games.black_jacky.rigging import (
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
    table.shows(asked=("over", None), round=0, hearts=[1, 0, 1, 1])
    Table([losing([1], range(4))], players=4, hearts=2, **DUEL).knock_all().shows(phase="trick", round=1)


LOST_BY_BUST = [[1, 2], [8, 8], [7, 8]]


@pytest.mark.parametrize(
    ("rounds", "options", "hearts", "winners"),
    [
        ([[[8, 8], [3, 5], [3, 5]], [[7, 7], [3, 4], [8, 8]]], {"hearts": 2}, [2, 0, 1], [0]),
        ([[[7, 7], [3, 4], [8, 8]]], {}, [1, 0, 1], [2]),
        ([[[8, 7], [3, 4], [8, 7]]], {}, [1, 0, 1], [0, 2]),
        ([LOST_BY_BUST, [[8, 8], [1, 2], [7, 8]]], {"hearts": 2, "bust_at": 10}, [1, 1, 0], [1]),
        ([LOST_BY_BUST, LOST_BY_BUST, [[8, 8], [7, 8], [1, 2]]], {"hearts": 3, "bust_at": 10}, [2, 0, 1], [0]),
        ([[[2, 5], [3, 4]]], {}, [0, 0], [0, 1]),
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
def test_q2_most_hearts_win_and_then_the_highest_sum_that_is_not_bust(rounds, options, hearts, winners):
    """These hands are dealt round after round, and everybody knocks."""
    decks = [deal(hands, start=number) for number, hands in enumerate(rounds)]
    table = Table(decks, players=len(rounds[0]), **{"hearts": 1, **DUEL, **options})
    for _ in rounds:
        table.knock_all()
    table.shows(hearts=hearts, winners=winners)


def test_q2_tenths_count():
    one_round([[8, 7], [3, 4], [8, 7]], hearts=1, **DUEL).play(KNOCKS, KNOCKS, (lay(8), KNOCK)).shows(winners=[2])


@pytest.mark.parametrize("players", range(2, 7))
def test_q2_if_all_tied_players_are_bust_all_win(players):
    table = one_round([[8, 8], [7, 8], [7, 7], [6, 6], [8, 5], [4, 7]][:players], hearts=1, bust_at=10, **DUEL)
    table.knock_all().shows(hearts=[0] * players, winners=[*range(players)])
    assert table.rewards() == [0] * players


def test_max_card_makes_a_smaller_deck_which_may_be_dealt_to_its_last_card():
    for max_card in range(3, 9):
        assert cards_on_table(fresh(num_players=2, max_card=max_card).snapshot()) == all_cards(max_card)
    table = one_round([[1], [2]], top=2, hand_size=1, max_card=2).play(NO_TRICK)
    table.shows(draw_pile=[], legal={KNOCK, swap_discard(1)})


@pytest.mark.parametrize(("hand_size", "left", "hearts"), [(1, 33, 1), (4, 27, 5), (8, 19, 9)])
def test_hand_size_cards_are_dealt_and_hearts_replace_the_sheets_number(hand_size, left, hearts):
    table = fresh(num_players=2, hand_size=hand_size, hearts=hearts).snapshot()
    assert [len(hand) for hand in table["hands"]] == [hand_size] * 2
    assert (len(table["draw_pile"]), table["hearts"]) == (left, [hearts] * 2)


@pytest.mark.parametrize(("tricks", "legal"), [((), {0}), ([8], {0, 8}), ({2}, {0, 2}), ((2, 8), {0, 2, 8})])
def test_tricks_that_are_switched_off_cannot_be_laid(tricks, legal):
    one_round([[2, 8], [3, 6]], tricks=tricks).shows(legal=legal)
    for card, actions in ((3, 2), (6, 3)):
        assert len(one_round([[3, 6], [7, 7]], tricks=[card]).legal) == actions


def test_figures_two_card_hands():
    hands = list(combinations(all_cards().elements(), 2))
    assert (len(hands), len({tuple(sorted(hand)) for hand in hands})) == (630, 35)
    ways = Counter(map(sum, hands))
    assert [ways[total] for total in range(3, 17)] == [2, 4, 10, 16, 28, 40, 60, 71, 82, 82, 82, 69, 56, 28]


@pytest.mark.prove
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
            sums = (table["last_settlement"] or {"sums": []})["sums"]
            assert all(total <= 202 or total >= 210 for total in sums if total is not None)


def test_figures_two_players_can_play_five_rounds():
    table = Table([losing([number % 2], range(2), start=number % 2) for number in range(5)], players=2)
    for number in range(5):
        table.shows(round=number).knock_all()
    table.shows(phase="over", round=4, winners=[1])
