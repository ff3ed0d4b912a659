"""Q1 and Q2 (Schnell-Duell), the options beyond the sheet, the figures to test against."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0
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

DUEL = {"variant": "schnell_duell"}


def test_q1_the_game_ends_when_the_first_heartless_cat_stands_there_and_nobody_tips():
    table = Table([losing([1], range(4))], players=4, hearts=1, **DUEL).knock_all()
    assert (table["phase"], table["player"], table["round"]) == ("over", None, 0)
    assert table["hearts"] == [1, 0, 1, 1]


def test_q1_the_game_goes_on_while_everybody_has_a_heart():
    table = Table([losing([1], range(4))], players=4, hearts=2, **DUEL).knock_all()
    assert (table["phase"], table["round"]) == ("trick", 1)


def test_q2_most_hearts_win_whatever_the_sum():
    decks = [losing([1, 2], range(3)), deal([[7, 7], [3, 4], [8, 8]], start=1)]
    table = Table(decks, players=3, hearts=2, **DUEL).knock_all().knock_all()
    assert (table["hearts"], table["winners"]) == ([2, 0, 1], [0])
    assert table.rewards() == [1, -0.5, -0.5]


def test_q2_a_tie_goes_to_the_highest_sum_of_the_round():
    table = one_round([[7, 7], [3, 4], [8, 8]], hearts=1, **DUEL).knock_all()
    assert (table["hearts"], table["winners"]) == ([1, 0, 1], [2])


def test_q2_tenths_count():
    table = one_round([[8, 7], [3, 4], [8, 7]], hearts=1, **DUEL).play(KNOCKS, KNOCKS, (lay(8), KNOCK))
    assert table["winners"] == [2]


def test_q2_still_tied_there_are_several_winners():
    table = one_round([[8, 7], [3, 4], [8, 7]], hearts=1, **DUEL).knock_all()
    assert table["winners"] == [0, 2]
    assert table.rewards() == [0.5, -1, 0.5]


def test_q2_a_tied_player_who_is_bust_ranks_below_every_sum_that_is_not():
    decks = [deal([[1, 2], [8, 8], [7, 8]]), deal([[8, 8], [1, 2], [7, 8]], start=1)]
    table = Table(decks, players=3, hearts=2, bust_at=10, **DUEL).knock_all()
    assert table["hearts"] == [2, 1, 1]
    table.knock_all()
    assert table["hearts"] == [1, 1, 0]
    assert table["winners"] == [1]


def test_q2_hearts_count_before_sums_even_for_a_bust_player():
    hands = [[[1, 2], [8, 8], [7, 8]], [[1, 2], [8, 8], [7, 8]], [[8, 8], [7, 8], [1, 2]]]
    decks = [deal(hands[number], start=number) for number in range(3)]
    table = Table(decks, players=3, hearts=3, bust_at=10, **DUEL).knock_all().knock_all().knock_all()
    assert (table["hearts"], table["winners"]) == ([2, 0, 1], [0])


@pytest.mark.parametrize("players", range(2, 7))
def test_q2_if_all_tied_players_are_bust_all_win(players):
    table = one_round([[8, 8], [7, 8], [7, 7], [6, 6], [8, 5], [4, 7]][:players], hearts=1, bust_at=10, **DUEL)
    table.knock_all()
    assert (table["hearts"], table["winners"]) == ([0] * players, list(range(players)))
    assert table.rewards() == [0] * players


def test_q2_decides_even_if_all_stand_at_no_heart():
    table = one_round([[2, 5], [3, 4]], hearts=1, **DUEL).knock_all()
    assert (table["hearts"], table["winners"]) == ([0, 0], [0, 1])  # E2 does not apply


@pytest.mark.parametrize("max_card", range(3, 9))
def test_max_card_makes_a_smaller_deck(max_card):
    env = black_jacky_v0.env(num_players=2, max_card=max_card)
    env.reset(seed=0)
    assert cards_on_table(env.unwrapped.snapshot()) == all_cards(max_card)


def test_max_card_a_deck_may_be_dealt_to_its_last_card():
    table = one_round([[1], [2]], top=2, hand_size=1, max_card=2).play(NO_TRICK)
    assert (table["draw_pile"], table.legal) == ([], {KNOCK, swap_discard(1)})


def test_bust_at_moves_the_limit():
    table = one_round([[5, 5], [1, 2], [4, 5]], bust_at=10).knock_all()
    assert table["last_settlement"]["losers"] == [0]


@pytest.mark.parametrize(("hand_size", "left"), [(1, 33), (4, 27), (8, 19)])
def test_hand_size_cards_are_dealt(hand_size, left):
    env = black_jacky_v0.env(num_players=2, hand_size=hand_size)
    env.reset(seed=0)
    table = env.unwrapped.snapshot()
    assert [len(hand) for hand in table["hands"]] == [hand_size] * 2
    assert len(table["draw_pile"]) == left


@pytest.mark.parametrize("hearts", [1, 5, 9])
def test_hearts_replace_the_sheets_number(hearts):
    env = black_jacky_v0.env(num_players=4, hearts=hearts)
    env.reset(seed=0)
    assert env.unwrapped.snapshot()["hearts"] == [hearts] * 4


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


def test_config_dict_names_all_options_in_force():
    config = black_jacky_v0.env(num_players=3, hand_size=3, tricks=[8, 2]).unwrapped.config_dict()
    json.dumps(config)
    expected = {
        "num_players": 3,
        "variant": "classic",
        "max_card": 8,
        "bust_at": 21,
        "hand_size": 3,
        "hearts": 3,
        "max_turns_per_round": 100,
    }
    assert {key: config[key] for key in expected} == expected
    assert list(config["tricks"]) == [2, 8]


def test_figures_two_card_hands():
    env = black_jacky_v0.env(num_players=2)
    env.reset(seed=0)
    hands = list(combinations(cards_on_table(env.unwrapped.snapshot()).elements(), 2))
    assert len(hands) == 630
    assert len({tuple(sorted(hand)) for hand in hands}) == 35
    ways = Counter(map(sum, hands))
    assert [ways[total] for total in range(3, 17)] == [2, 4, 10, 16, 28, 40, 60, 71, 82, 82, 82, 69, 56, 28]


def random_game(players, variant, seed):
    """Play a random game and return the snapshots after every action."""
    env = black_jacky_v0.env(num_players=players, variant=variant)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    snapshots = [env.unwrapped.snapshot()]
    while snapshots[-1]["phase"] != "over":
        mask = env.infos[env.agent_selection]["action_mask"]
        assert mask.any()
        env.step(rng.choice(np.flatnonzero(mask)))
        snapshots.append(env.unwrapped.snapshot())
    return snapshots


@pytest.mark.parametrize("variant", ["classic", "schnell_duell"])
@pytest.mark.parametrize("players", range(2, 7))
def test_random_games_end_and_keep_the_figures(players, variant):
    most_rounds = {2: 5, 3: 8, 4: 11, 5: 14, 6: 17}[players]
    for seed in range(8):
        for table in random_game(players, variant, seed):
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
