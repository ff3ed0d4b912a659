"""Agents for Halunken & Spelunken; `KIT` declares them."""

from __future__ import annotations

from blackjacky_agents.games.halunken import belief, encodings, narrator, presets, prospects, value_network
from blackjacky_agents.games.halunken.bots import greedy, planner
from blackjacky_agents.kit import GameKit
from blackjacky_agents.kit.search import SearchConfig, with_parameters

KIT = GameKit.of(
    __file__,
    bots={
        "greedy": (greedy.choose, greedy.PARAMETERS),
        "planner": (planner.choose, planner.PARAMETERS),
    },
    search=SearchConfig(
        playout_policy=greedy.choose,
        playout_parameters=tuple(belief.PARAMETERS.tolist()),
        prior_policy=with_parameters(planner.choose, planner.PARAMETERS),
        value=value_network.VALUE_NETWORK.value,
        stage=prospects.stage,
        likelihood=belief.likelihood,
    ),
    minutes=5,
    opponents="planner,greedy,random",
    encodings=encodings.ENCODINGS,
    presets=presets.PRESETS,
    narrator=narrator.NARRATOR,
    value_network=value_network.VALUE_NETWORK,
)
