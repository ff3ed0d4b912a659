"""Agents for Schwarze Katze; `KIT` declares them."""

from __future__ import annotations

import json
from pathlib import Path

from blackjacky_agents.games.schwarze_katze import description, encodings, narrator, presets, prospects, tuning
from blackjacky_agents.games.schwarze_katze.bots import counter, low
from blackjacky_agents.kit import GameKit
from blackjacky_agents.search.config import SearchConfig, with_parameters

_HERE = Path(__file__).parent

KIT = GameKit(
    bots={"low": (low.choose,), "counter": (counter.choose, counter.PARAMETERS)},
    trained={"champion": _HERE / "trained" / "champion.safetensors"},
    search=SearchConfig(
        playout_policy=low.choose,
        prior_policy=with_parameters(counter.choose, counter.PARAMETERS),
        value=prospects.value,
    ),
    minutes=15,
    opponents="counter,low,random",
    encodings=encodings.ENCODINGS,
    presets=presets.PRESETS,
    tuning=tuning.TUNING,
    narrator=narrator.NARRATOR,
    describe=description.describe,
    texts=json.loads((_HERE / "texts.json").read_text(encoding="utf-8")),
    score=_HERE / "score.json",
)
