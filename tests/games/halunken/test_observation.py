"""The observation of Halunken & Spelunken: all that a player may know, seen from the own seat, and nothing else."""

from tests.games.halunken.rigging import Table


def seen_by(table, part):
    return [table.seen(seat)[part] for seat in range(table.env.num_players)]


def test_the_card_chosen_for_black_jack_is_seen_by_the_buyer_alone():
    """D3."""
    table = Table(0, 7).buys(1, "R11").play("move 6")
    assert seen_by(table, "black_jack_chosen") == [1, 1]
    assert seen_by(table, "my_black_jack_choice") == [0, 6]
    views = [table.env.view(agent)["black_jack_choice"] for agent in ("player_0", "player_1", None)]
    assert views == ["hidden", 6, "hidden"]
    table.play("move Rum", "move 2")
    assert seen_by(table, "black_jack_chosen") == seen_by(table, "my_black_jack_choice") == [0, 0]
    assert seen_by(table, "black_jack_laid") == seen_by(table, "black_jack_number") == [6, 6]
    assert seen_by(table, "black_jack_spent") == [[0, 0, 0, 0, 0, 1, *[0] * 6]] * 2


def test_the_state_vector_has_black_jacks_movement_cards_and_zeros_where_he_has_none():
    """J1, D1."""
    for players, variant, cards in ((3, "basic", 0), (2, "duel", 8), (4, "standard", 12)):
        table = Table(*range(players), variant=variant)
        table.env.reset(seed=1)
        deck = table.state_parts()["jack_deck"]
        assert sorted(deck[:cards]) == list(range(1, cards + 1))
        assert deck[cards:] == [0] * (12 - cards)
