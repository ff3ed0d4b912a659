"""Agents for Black Jacky; `KIT` declares them."""

from __future__ import annotations

from blackjacky_agents.games.black_jacky import belief, encodings, narrator, presets, prospects
from blackjacky_agents.games.black_jacky.bots import counter, threshold, trickster
from blackjacky_agents.kit import GameKit
from blackjacky_agents.kit.search import SearchConfig, with_parameters

KIT = GameKit.of(
    __file__,
    bots={
        "threshold": (threshold.choose, threshold.PARAMETERS),
        "trickster": (trickster.choose, trickster.PARAMETERS),
        "counter": (counter.choose, counter.PARAMETERS),
    },
    search=SearchConfig(
        playout_policy=threshold.choose,
        playout_parameters=(2, 4, 2, 8),  # knocks a point earlier than `threshold`, as stronger players do
        prior_policy=with_parameters(counter.choose, counter.PARAMETERS),
        value=prospects.value,
        likelihood=belief.likelihood,
    ),
    minutes=5,
    opponents="counter,threshold,random",
    standing_encoding=encodings.STANDING,
    encodings=encodings.ENCODINGS,
    presets=presets.PRESETS,
    narrator=narrator.NARRATOR,
)
