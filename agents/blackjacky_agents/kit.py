"""What agents know of one game beyond its rules: the declaration that each game's room makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from blackjacky_agents.learning.encoding import Encoding
from blackjacky_agents.learning.settings import TrainingSettings
from blackjacky_agents.learning.tuning import Tuning
from blackjacky_agents.narration import Narrator
from blackjacky_agents.search.config import SearchConfig
from blackjacky_env.engine.policies import Policy

Bot = tuple[Policy] | tuple[Policy, npt.NDArray[Any]]
"""A compiled policy, and its parameters if it has any."""


class Screenshot(NamedTuple):
    """A table of the web page for its documents: a person, who moves as the agent ``person`` would, among agents."""

    person: str
    opponents: tuple[str, ...]
    seed: int
    moves: int
    """The least number of moves made; then it is the person's turn."""


@dataclass(frozen=True)
class GameKit:
    """Agents, search, training and words for one game. Every part has a default that works with any game."""

    bots: Mapping[str, Bot] = field(default_factory=dict)
    """By name, the weakest first; `random`, which every game has, is not among them."""
    trained: Mapping[str, Path] = field(default_factory=dict)
    """Weights of shipped agents by name; their cards lie beside them."""
    opponents: str = ""
    """Whom a person plays who names nobody, such as ``"counter,random*2"``; "": copies of `random`."""
    search: SearchConfig = field(default_factory=SearchConfig)
    """How search simulates and values the game."""
    encodings: tuple[Encoding, ...] = ()
    """What networks may be shown instead of the observation; the first is used by default."""
    standing_encoding: Encoding | None = None
    """How the players stand, without any cards: what a network is shown that judges positions between rounds. None: the
    whole observation."""
    presets: Mapping[str, TrainingSettings] = field(default_factory=dict)
    """Training settings by name."""
    tuning: Tuning = field(default_factory=Tuning)
    """What can be tuned by the scripts of ``scripts/tuning``."""
    narrator: Narrator = field(default_factory=Narrator)
    """How the game is told to people."""
    texts: Mapping[str, Any] = field(default_factory=dict)
    """By language: the game's words for people, in the sections that `blackjacky_agents.narration.page_texts` names."""
    screenshot: Screenshot | None = None
    """What the documents of the web page show of the game; None: nothing."""
