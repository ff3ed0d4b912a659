"""`GameKit`: the bots, search configuration, training presets and texts that a game declares."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.narration import Narrator
from blackjacky_agents.kit.search import SearchConfig
from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.kit.value_networks import ValueNetwork
from blackjacky_env.compiled import Policy, takes

HELD_OUT = "held_out"
"""An earlier champion, to measure champions against: nothing is trained with it, and no table has it by default."""
Bot = tuple[Policy] | tuple[Policy, npt.NDArray[Any]]
"""A compiled policy, with its parameters if it has any, of which it then takes as many in all agents."""


@dataclass(frozen=True)
class GameKit:
    """Agents, search, training and texts for one game. Every field has a default that works with any game."""

    bots: Mapping[str, Bot] = field(default_factory=dict)
    """Bots by name, weakest first, without `random`, which every game has."""
    trained: Mapping[str, Path] = field(default_factory=dict)
    """Weights files of the shipped trained agents by name, each with its card (.json) beside it."""
    held_out: Path | None = None
    """Weights file of the agent `HELD_OUT`, if there is one."""
    minutes: int = 0
    """How long a person takes for a game with the default opponents, to five minutes; 0: not known."""
    opponents: str = ""
    """Default opponents of a person, such as ``"counter,random*2"``; empty: copies of `random`."""
    search: SearchConfig = field(default_factory=SearchConfig)
    """How search simulates and evaluates the game."""
    encodings: tuple[Encoding, ...] = ()
    """Network inputs to choose from in place of the raw observation; the first is the default."""
    standing_encoding: Encoding | None = None
    """Input of the value network between rounds: scores or lives of the players, no cards. None: the whole
    observation."""
    value_network: ValueNetwork | None = None
    """The value network where simulations end, and what ``scripts/tuning/train_value_network.py`` takes to train it."""
    presets: Mapping[str, TrainingSettings] = field(default_factory=dict)
    """Training settings by name."""
    narrator: Narrator = field(default_factory=Narrator)
    """Descriptions of moves and settlements for people."""
    texts: Mapping[str, Any] = field(default_factory=dict)
    """The game's texts by language, in the sections listed at `blackjacky_agents.wording.page_texts`."""
    score: Path | None = None
    """The protocol of `blackjacky score`, written by ``scripts/measures/protocol.py``; None: one is made from
    the game's bots for each score."""

    def __post_init__(self) -> None:
        for policy, *own in self.bots.values():
            if not hasattr(policy, "check_parameters"):
                policy.check_parameters = takes(len(own[0]) if own else 0)  # type: ignore[attr-defined]

    def network(self, name: str) -> Path | None:
        """The weights file of a shipped trained agent; None if that is not its name."""
        return self.held_out if name == HELD_OUT else self.trained.get(name)

    @classmethod
    def of(cls, file: str, **declared: Any) -> GameKit:
        """The kit of a room: what is ``declared``, and beside ``file`` its texts, score protocol and networks."""
        folder = Path(file).parent
        earlier = folder / "trained" / f"{HELD_OUT}.safetensors"
        return cls(
            trained={"champion": folder / "trained" / "champion.safetensors"},
            held_out=earlier if earlier.exists() else None,
            texts=json.loads((folder / "texts.json").read_text(encoding="utf-8")),
            score=folder / "score.json",
            **declared,
        )
