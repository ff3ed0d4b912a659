"""The observation of Halunken & Spelunken: all that a player may know, seen from the own seat, and nothing else."""

from tests.games.halunken.rigging import Table


def test_the_state_vector_has_black_jacks_movement_cards_and_zeros_where_he_has_none():
    """J1, D1."""
    for players, variant, cards in ((3, "basic", 0), (2, "duel", 8), (4, "standard", 12)):
        table = Table(*range(players), variant=variant)
        table.env.reset(seed=1)
        deck = table.state_parts()["jack_deck"]
        assert sorted(deck[:cards]) == list(range(1, cards + 1))
        assert deck[cards:] == [0] * (12 - cards)
