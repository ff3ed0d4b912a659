"""Games that random play hardly reaches, played by environment and reference implementation."""

from tests.reference.side_by_side import SideBySide, play

from .rules import KNOCK, NO_TRICK, deck_with

SWAPS_WITH_DRAW_PILE = set(range(31, 39))


def test_a_round_without_limit_may_have_more_turns_than_a_byte_can_count() -> None:
    """R15: nobody knocks for 300 turns."""
    game = SideBySide("black_jacky", 0, {"num_players": 2, "max_turns_per_round": None})
    for _ in range(300):
        game.step(NO_TRICK)
        game.step(min(game.reference_game.legal_actions() & SWAPS_WITH_DRAW_PILE))
    assert game.reference_game.turn == 300
    play(game, "knocker", 0)


def test_in_the_schnell_duell_a_sum_of_nothing_ranks_above_a_bust_one() -> None:
    """Q2: players 0 and 1 are tied at one heart, player 0 with nothing but a laid-out 5."""
    decks = [deck_with(8, 1, 8), deck_with(8, 8, 5)]
    options = {"num_players": 3, "variant": "schnell_duell", "hand_size": 1, "bust_at": 8, "hearts": 2}
    game = SideBySide("black_jacky", 0, options, {"start_player": 0, "deck": decks})
    lay_the_5 = 5
    for action in [NO_TRICK, KNOCK] * 5 + [lay_the_5, KNOCK]:
        game.step(action)
    assert game.now["last_settlement"]["sums"] == [0, 80, 80]
    assert game.now["winners"] == [0]
