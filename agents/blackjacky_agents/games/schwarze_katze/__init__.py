"""Agents for Schwarze Katze; `KIT` declares them."""

from __future__ import annotations

from blackjacky_agents.games.schwarze_katze import encodings, narrator, presets, value_network
from blackjacky_agents.games.schwarze_katze.bots import counter, low
from blackjacky_agents.kit import GameKit
from blackjacky_agents.kit.search import SearchConfig, with_parameters

KIT = GameKit.of(
    __file__,
    bots={
        "low": (low.choose,),
        "counter": (counter.choose, counter.PARAMETERS),
    },
    search=SearchConfig(
        playout_policy=low.choose,
        prior_policy=with_parameters(counter.choose, counter.PARAMETERS),
        value=value_network.VALUE_NETWORK.value,
        stage=value_network.VALUE_NETWORK.stage,
    ),
    minutes=15,
    opponents="counter,low,random",
    encodings=encodings.ENCODINGS,
    presets=presets.PRESETS,
    narrator=narrator.NARRATOR,
    value_network=value_network.VALUE_NETWORK,
)
