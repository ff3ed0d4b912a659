"""Games and tables of Schwarze Katze for proofs and documents."""

from tests.games.example import Examples, Position

EXAMPLES = Examples(
    short={"deals": 2},
    tables=(
        *({"num_players": players, "piatnik_heart_lead": True} for players in (3, 4, 10)),  # more known voids
        {"num_players": 5, "deals": 2, "heart_ace": 10, "reward": "points"},
    ),
    counted={"trick begun": lambda seen: bool(seen["table"])},
    picture=Position(seed=12, moves=63),  # the black cat lies on the table
)
