"""Agents for Black Spy; `KIT` declares them."""

from __future__ import annotations

from blackjacky_agents.games.black_spy import encodings, narrator, presets, value_network
from blackjacky_agents.games.black_spy.bots import counter, low
from blackjacky_agents.kit import GameKit
from blackjacky_agents.kit.search import SearchConfig, with_parameters

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
    encodings=encodings.ENCODINGS,
    presets=presets.PRESETS,
    narrator=narrator.NARRATOR,
    value_network=value_network.VALUE_NETWORK,
)
