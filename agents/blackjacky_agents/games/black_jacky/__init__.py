"""Agents for Black Jacky; `KIT` declares them."""

from __future__ import annotations

import json
from pathlib import Path

from blackjacky_agents.games.black_jacky import belief, description, encodings, narrator, presets, prospects, tuning
from blackjacky_agents.games.black_jacky.bots import counter, threshold, trickster
from blackjacky_agents.kit import GameKit
from blackjacky_agents.search.config import SearchConfig, with_parameters

_HERE = Path(__file__).parent

KIT = GameKit(
    bots={
        "threshold": (threshold.choose, threshold.LIMITS),
        "trickster": (trickster.choose, trickster.PARAMETERS),
        "counter": (counter.choose, counter.PARAMETERS),
    },
    trained={"champion": _HERE / "trained" / "champion.safetensors"},
    search=SearchConfig(
        playout_policy=threshold.choose,
        playout_parameters=(2, 4, 2, 8),  # knocks a point earlier than `threshold`, as stronger players do
        prior_policy=with_parameters(counter.choose, counter.PARAMETERS),
        value=prospects.value,
        likelihood=belief.likelihood,
    ),
    minutes=5,
    opponents="counter,threshold,random",
    encodings=encodings.ENCODINGS,
    standing_encoding=encodings.STANDING,
    presets=presets.PRESETS,
    tuning=tuning.TUNING,
    narrator=narrator.NARRATOR,
    describe=description.describe,
    texts=json.loads((_HERE / "texts.json").read_text(encoding="utf-8")),
    score=_HERE / "score.json",
)
