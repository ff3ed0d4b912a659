"""Games and tables of Halunken & Spelunken for proofs and documents."""

from tests.games.example import Examples, Position

EXAMPLES = Examples(
    seeds={  # with robberies, cancelled cards, Rum, gifts to the harbour, players with too few cards to be robbed
        ("standard", 3): 52,
        ("standard", 4): 65,
        ("basic", 3): 10,
        ("basic", 4): 55,
        ("duel", 2): 56,
    },
    tables=(
        {"num_players": 4, "rob_count": "before_pick", "reward": "points"},
        {"num_players": 3, "variant": "basic", "rob_count": "before_pick", "three_games": True},
        {"num_players": 2, "duel_black_jack": "standard"},
        {"num_players": 2, "rob_count": "before_pick", "three_games": True, "reward": "points"},
    ),
    counted={
        "card chosen in secret": lambda seen: "hidden" in seen["choices"],
        "card chosen for Black Jack in secret": lambda seen: seen["black_jack_choice"] == "hidden",
        "robbery": lambda seen: seen["victim"] is not None,
    },
    picture=Position(seed=75, moves=67),  # a robbery; three captains are still to move, one of them by Rum
)
