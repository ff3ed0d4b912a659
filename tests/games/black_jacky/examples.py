"""Games and tables of Black Jacky for proofs and documents."""

from tests.games.example import Examples, Position

EXAMPLES = Examples(
    seeds={  # with exchanges, knocks undone, correct tips, black hearts lost, ties
        (variant, players): seed
        for variant, seeds in (("classic", (241, 61, 224, 169, 155)), ("schnell_duell", (35, 128, 202, 34, 191)))
        for players, seed in enumerate(seeds, 2)
    },
    tables=(
        *({"num_players": players, "hearts": 1} for players in (4, 5, 6)),  # more tips
        {
            **{"num_players": 3, "max_card": 5, "bust_at": 12, "hand_size": 3, "tricks": [2, 3, 4]},
            "max_turns_per_round": None,
        },
        {"num_players": 6, "max_card": 6, "hand_size": 3, "reward": "hearts"},  # a short draw pile
        {"num_players": 4, "hand_size": 8, "bust_at": 99},
    ),
    counted={"card given": lambda seen: seen["exchange"] is not None and seen["exchange"]["given"] != [None, None]},
    picture=Position(seed=429, moves=119),  # a tip, a black heart, a knock and "+1"
)
