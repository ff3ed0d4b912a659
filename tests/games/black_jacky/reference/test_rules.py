"""The reference implementation is itself held against the rule sheet."""

import random

import pytest

from .rules import ReferenceGame, deck_with

DRAW, KNOCK, NO_TRICK = 30, 47, 0


def swap_with_draw_pile(value: int) -> int:
    return 30 + value


def swap_with_discard_pile(value: int) -> int:
    return 38 + value


def give(value: int) -> int:
    return 47 + value


def table(num_players: int, *top: int, **options: object) -> ReferenceGame:
    """A game that player 0 starts, every round with these cards on top."""
    game = ReferenceGame(num_players, **options)  # type: ignore[arg-type]
    game.start(0, lambda _: deck_with(*top))
    return game


def play(game: ReferenceGame, *actions: int) -> None:
    for action in actions:
        game.step(action)


def test_the_worked_example_of_the_sheet() -> None:
    """S1, S2: 20.1, 20.0 and 21.0; only the third loses a heart."""
    game = table(3, 7, 8, 7, 5, 5, 6, 1)
    butch, sundance, jane = game.players
    butch.display, sundance.display, jane.display = [8], [6], [6]
    jane.hand.append(2)
    game.plus_one = 1
    play(game, NO_TRICK, KNOCK, NO_TRICK, KNOCK, NO_TRICK, KNOCK)
    assert game.last_settlement is not None
    assert game.last_settlement["sums"] == [201, 200, 210]
    assert game.last_settlement["losers"] == [2]
    assert game.snapshot()["hearts"] == [3, 3, 2]


def test_without_the_third_player_the_second_of_the_example_loses() -> None:
    """S2: nobody is bust, so the lowest sum loses."""
    game = table(2, 7, 8, 5, 5, 1)
    game.players[0].display, game.players[1].display = [8], [6]
    game.plus_one = 1
    play(game, NO_TRICK, KNOCK, NO_TRICK, KNOCK)
    assert game.snapshot()["hearts"] == [3, 2]


@pytest.mark.parametrize(("num_players", "left"), [(2, 31), (3, 29), (4, 27), (5, 25), (6, 23)])
def test_the_draw_pile_has_what_the_deal_leaves(num_players: int, left: int) -> None:
    """R4."""
    assert len(table(num_players).draw_pile) == left


def test_a_knock_gives_everybody_else_one_more_turn() -> None:
    """R12."""
    game = table(3, 1, 2, 3, 2, 3, 3, 4)
    play(game, NO_TRICK, DRAW, NO_TRICK, KNOCK)
    assert game.snapshot()["last_turns"] == [2, 0]
    play(game, NO_TRICK, DRAW)
    assert game.snapshot()["last_turns"] == [0]
    play(game, NO_TRICK, DRAW)
    assert game.round == 1


def test_trick_1_ends_the_round_after_this_turn() -> None:
    """T1."""
    game = table(3, 1, 2, 3, 4, 5, 6, 7)
    play(game, 1, DRAW)
    assert game.round == 1


def test_trick_2_cancels_all_knocking_and_its_player_may_knock_first() -> None:
    """T2."""
    game = table(3, 8, 2, 3, 4, 5, 6, 7)
    play(game, NO_TRICK, KNOCK, 2)
    assert game.snapshot()["knocked"] == [False, False, False]
    assert game.snapshot()["last_turns"] is None
    play(game, KNOCK)
    assert game.snapshot()["first_knocker"] == 1
    assert game.snapshot()["last_turns"] == [2, 0]


def test_the_two_of_trick_3_give_in_order_and_see_nothing_before() -> None:
    """T3."""
    game = table(3, 8, 3, 4, 4, 5, 6, 7)
    pair_of_left_neighbours = 9 + 5
    play(game, NO_TRICK, DRAW, pair_of_left_neighbours)
    assert game.player == 2
    play(game, give(6))
    assert game.player == 0
    assert game.view(0)["exchange"]["given"] == ["hidden", None]
    assert game.view(2)["exchange"]["given"] == [6, None]
    play(game, give(8))
    assert (game.phase, game.player) == ("zock", 1)
    assert 6 in game.players[0].hand
    assert 8 in game.players[2].hand
    assert game.known[2][0][6] == 1
    assert game.known[None][0][6] == 0


def test_trick_3_without_two_who_can_give_is_laid_without_effect() -> None:
    """T3, R9: the trickster has no other card and the only other player has knocked."""
    game = table(2, 8, 3, 4, hand_size=1)
    play(game, NO_TRICK, KNOCK)
    assert game.legal_actions() == {NO_TRICK, 3}


def test_trick_4_gives_a_card_to_the_next_active_player() -> None:
    """T4, R13: who has knocked is passed over."""
    game = table(3, 8, 4, 3, 4, 5, 6, 7)
    play(game, NO_TRICK, DRAW, NO_TRICK, DRAW, NO_TRICK, KNOCK, NO_TRICK, KNOCK, 4)
    assert len(game.players[1].hand) == 3


def test_plus_one_stays_before_a_knocker() -> None:
    """T6."""
    game = table(3, 6, 6, 3, 4, 5, 6, 7)
    before_myself = 24
    play(game, before_myself, KNOCK)
    assert game.legal_actions() == {NO_TRICK, 5, 6}


def test_trick_7_turns_up_the_top_of_the_draw_pile() -> None:
    """T7."""
    game = table(2, 7, 2, 3, 4, 5, 8)
    play(game, 7)
    assert game.snapshot()["discard_top"] == 8
    assert swap_with_discard_pile(3) in game.legal_actions()


def test_nothing_can_be_drawn_while_only_the_top_discard_is_left() -> None:
    """R14, with the deck 1, 2, 2 and one card each."""
    game = ReferenceGame(2, max_card=2, hand_size=1)
    game.start(0, lambda _: [1, 2, 2])
    play(game, NO_TRICK)
    assert game.legal_actions() == {swap_with_discard_pile(1), KNOCK}


def test_an_empty_draw_pile_is_made_from_the_discard_pile_but_its_top() -> None:
    """R14: the 4 laid aside in the swap is not among the cards that are shuffled."""
    game = table(2, 1, 5, 4, 5, 6)
    game.draw_pile, game.discards = [], [2, 3, 6]
    game.reshuffle = lambda cards: cards[::-1]
    play(game, NO_TRICK, swap_with_draw_pile(4))
    assert game.players[0].hand == [1, 3]
    assert (game.draw_pile, game.discards) == ([2], [6, 4])


def test_trick_7_turns_up_the_first_card_of_a_new_draw_pile() -> None:
    """T7, R14."""
    game = table(2, 7, 5, 4, 5, 6)
    game.draw_pile, game.discards = [], [2, 6]
    play(game, 7)
    assert (game.draw_pile, game.discards) == ([], [6, 2])


def test_a_right_tip_brings_back_with_a_black_heart() -> None:
    """P1, P3: player 0 has lost his only heart and names player 1, who loses next."""
    game = table(4, 1, 8, 8, 8, 2, 8, 8, 8, hearts=1)
    game.players[1].hearts = 2
    play(game, *[NO_TRICK, KNOCK] * 4)
    assert (game.phase, game.player) == ("tip", 0)
    assert game.legal_actions() == {56, 57, 58}
    play(game, 56, *[NO_TRICK, KNOCK] * 3)
    assert game.snapshot()["status"] == ["saloon"] * 4
    assert game.snapshot()["hearts"] == [1, 1, 1, 1]
    assert game.snapshot()["black_hearts"] == [True, False, False, False]
    assert game.rewards("hearts") == [1, -1, 0, 0]


def test_two_players_left_are_the_showdown_and_the_wanted_are_out() -> None:
    """P4."""
    game = table(3, 1, 8, 8, 2, 8, 8, hearts=1)
    play(game, *[NO_TRICK, KNOCK] * 3)
    assert game.snapshot()["status"] == ["out", "saloon", "saloon"]
    assert (game.phase, game.player) == ("trick", 1)


def test_both_lose_their_last_heart_and_nobody_wins() -> None:
    """E2."""
    game = table(2, 8, 8, 7, 7, hearts=1)
    play(game, *[NO_TRICK, KNOCK] * 2)
    assert (game.over, game.winners) == (True, [])
    assert game.rewards("win") == [0, 0]


def test_the_schnell_duell_goes_to_the_highest_sum_among_those_with_most_hearts() -> None:
    """Q1, Q2."""
    game = table(3, 1, 8, 8, 2, 8, 7, hearts=1, variant="schnell_duell")
    play(game, *[NO_TRICK, KNOCK] * 3)
    assert game.winners == [1]
    assert game.rewards("win") == [-0.5, 1, -0.5]


def test_the_schnell_duell_has_several_winners_if_all_who_are_tied_are_bust() -> None:
    """Q2: E2 does not apply."""
    game = table(2, 8, 8, 7, 7, hearts=1, bust_at=10, variant="schnell_duell")
    play(game, *[NO_TRICK, KNOCK] * 2)
    assert game.winners == [0, 1]
    assert game.rewards("win") == [0, 0]


@pytest.mark.parametrize(("num_players", "most"), [(2, 5), (3, 8), (4, 11), (5, 14), (6, 17)])
def test_random_games_end_within_the_greatest_number_of_rounds(num_players: int, most: int) -> None:
    """The sheet's game has at most 5/8/11/14/17 rounds and 12 hearts on the table."""
    for seed in range(10):
        game = _random_game(num_players, seed)
        assert game.round < most
        assert game.over


def _random_game(num_players: int, seed: int) -> ReferenceGame:
    rng = random.Random(seed)
    game = ReferenceGame(num_players)
    game.reshuffle = lambda cards: rng.sample(cards, len(cards))
    game.start(rng.randrange(num_players), lambda _: rng.sample(game.cards, 36))
    while not game.over:
        game.step(rng.choice(sorted(game.legal_actions())))
        _check_cards(game)
    return game


def _check_cards(game: ReferenceGame) -> None:
    assert sum(player.hearts for player in game.players) <= 12
    lying = [*game.draw_pile, *game.discards]
    for player in game.players:
        lying += player.hand + player.display
    assert sorted(lying) == (game.cards if game.phase != "tip" else [])
    _check_known(game)


def _check_known(game: ReferenceGame) -> None:
    """Nobody is ever sure of a card that is not there."""
    for observer in game.known.observers:
        for player in game.players:
            for value in range(1, 9):
                assert game.known[observer][player.seat][value] <= player.hand.count(value)
