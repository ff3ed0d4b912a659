"""Agents for Halunken & Spelunken; `KIT` declares them."""

from __future__ import annotations

from blackjacky_agents.games.halunken import belief, encodings, narrator, presets, prospects, value_network
from blackjacky_agents.games.halunken.bots import greedy, planner
from blackjacky_agents.kit import GameKit
from blackjacky_agents.kit.search import SearchConfig, with_parameters

KIT = GameKit.of(
    __file__,
    encodings,
    narrator,
    presets,
    value_network,
    bots="greedy planner",
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
)
