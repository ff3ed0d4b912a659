"""Agents for Black Spy; `KIT` declares them."""

from __future__ import annotations

from blackjacky_agents.games.black_spy import encodings, narrator, presets, value_network
from blackjacky_agents.games.black_spy.bots import counter, low
from blackjacky_agents.kit import GameKit, Rare
from blackjacky_agents.kit.search import SearchConfig, with_parameters

_BLACK = [f"black {number}" for number in (11, 10, 9, 8, *[7] * 6, 6, 5, 4, 3, 2, 1)]
_MINE = ["blue 11", "yellow 11", "green 11", "red 11", *_BLACK]
_OTHERS = [f"{colour} {number}" for colour in ("blue", "yellow", "green", "red") for number in range(1, 11 + 1)]
_REST = [card for card in _OTHERS if card not in _MINE]
_MOON = Rare(  # player_0 has all black cards, passes three 11s, leads the red 11 and then black cards
    {"num_players": 3, "moon_choice": True, "opener": "left_of_dealer"},
    {"start_player": 0, "deck": [each for three in zip(_MINE, _REST[::2], _REST[1::2], strict=True) for each in three]},
    list(dict.fromkeys(_MINE)),
)

KIT = GameKit.of(
    __file__,
    bots={
        "low": (low.choose,),
        "counter": (counter.choose, counter.PARAMETERS),
    },
    search=SearchConfig(
        playout_policy=counter.choose,
        playout_parameters=tuple(counter.PARAMETERS.tolist()),
        prior_policy=with_parameters(counter.choose, counter.PARAMETERS),
        value=value_network.VALUE_NETWORK.value,
        stage=value_network.VALUE_NETWORK.stage,
        least=0.0,
        noise=0.1,
    ),
    minutes=10,
    opponents="counter,low,random",
    rare={"choose": _MOON},
    encodings=encodings.ENCODINGS,
    presets=presets.PRESETS,
    narrator=narrator.NARRATOR,
    value_network=value_network.VALUE_NETWORK,
)
