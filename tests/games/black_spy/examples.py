"""Games and tables of Black Spy for proofs and documents."""

from tests.games.example import Examples, Position, Rare

_SWITCHES = ("moon_choice", "mole", "call_colour", "rank_follow", "rank_follow_strict", "exact_limit")
_EVERYTHING = dict.fromkeys(_SWITCHES, True)
_BLACK = [f"black {number}" for number in (11, 10, 9, 8, *[7] * 6, 6, 5, 4, 3, 2, 1)]
_MINE = ["blue 11", "yellow 11", "green 11", "red 11", *_BLACK]
_OTHERS = [f"{colour} {number}" for colour in ("blue", "yellow", "green", "red") for number in range(1, 11 + 1)]
_REST = [card for card in _OTHERS if card not in _MINE]
_MOON = Rare(  # player_0 has all black cards, passes three 11s, leads the red 11 and then black cards
    {"num_players": 3, "moon_choice": True, "opener": "left_of_dealer"},
    {"start_player": 0, "deck": [each for three in zip(_MINE, _REST[::2], _REST[1::2], strict=True) for each in three]},
    list(dict.fromkeys(_MINE)),
)

EXAMPLES = Examples(
    seeds={("classic", 3): 4, ("classic", 4): 9, ("classic", 6): 15},  # black 7s tie, the red 1 is passed
    short={"max_deals": 2, "mole": True, "moon_choice": True},
    tables=(
        {"num_players": 3, **_EVERYTHING, "no_good_spies": True, "max_deals": 3, "reward": "points"},
        {"num_players": 4, **_EVERYTHING, "call_timing": "before_pass", "pass_cycle": "left_across_right"},
        {"num_players": 5, "mole": True, "mole_replaces_pass": True, "rank_follow": True, "opener": "left_of_dealer"},
        {"num_players": 6, "moon_choice": True, "moon_choice_spies": "never_scored", "pass_cycle": "left"},
    ),
    rare={"choose": _MOON},
    counted={
        "chosen in secret": lambda seen: any(seen["chosen"]),
        "left in the pile": lambda seen: any(seen["left"]),
        "known to lack": lambda seen: any(seen["lacks"]),
        "red 1 known": lambda seen: seen["red_star"] is not None,
    },
    picture=Position(seed=145, moves=35),  # a black spy lies in a trick that the red 7 has led
)
