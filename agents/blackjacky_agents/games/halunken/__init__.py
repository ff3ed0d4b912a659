"""Agents for Halunken & Spelunken; `KIT` declares them."""

from __future__ import annotations

import json
from pathlib import Path

from blackjacky_agents.games.halunken import belief, description, encodings, narrator, presets, prospects
from blackjacky_agents.games.halunken.bots import greedy, planner
from blackjacky_agents.kit import GameKit
from blackjacky_agents.search.config import SearchConfig, with_parameters

_HERE = Path(__file__).parent

KIT = GameKit(
    bots={"greedy": (greedy.choose, greedy.PARAMETERS), "planner": (planner.choose, planner.PARAMETERS)},
    trained={"champion": _HERE / "trained" / "champion.safetensors"},
    search=SearchConfig(
        playout_policy=greedy.choose,
        playout_parameters=tuple(belief.PARAMETERS.tolist()),
        prior_policy=with_parameters(planner.choose, planner.PARAMETERS),
        value=prospects.value,
        stage=prospects.stage,
        likelihood=belief.likelihood,
    ),
    encodings=encodings.ENCODINGS,
    presets=presets.PRESETS,
    minutes=5,
    opponents="planner,greedy,random",
    narrator=narrator.NARRATOR,
    describe=description.describe,
    texts=json.loads((_HERE / "texts.json").read_text(encoding="utf-8")),
    score=_HERE / "score.json",
)
