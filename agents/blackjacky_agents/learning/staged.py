"""Self-play, then learning from search: two trainings in one folder, with one clock and one checkpoint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from blackjacky_agents.kit.settings import LeagueSettings, SelfPlaySettings
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_agents.storage.checkpoint import Arrays


class Staged(League):
    """A league whose network learns by self-play first; arguments and errors are those of `TrainingRun`.

    Attributes:
        first: the self-play.
    """

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.first = SelfPlay(first_settings(settings), folder, command)
        self.start = 60 * self.first.settings.minutes

    def train(self) -> bool:
        """Train to the end of both stages, or of what is left of them; False if it was interrupted."""
        if not self._resumed:
            self.first.folder = self.folder
            finished = self.first.train()
            self.steps, self.progress, self._is_heading_shown = self.first.steps, self.first.progress, True
            if not finished:
                return False
            self.learner = Learner(self.settings, self.settings.seed, self.first.layers())
            self.networks, self.optimizers = self.learner.networks, self.learner.optimizers
        return super().train()

    def restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        """Go on from a checkpoint of either stage; errors as those of `TrainingRun`."""
        if "pool" in state:  # of the league
            super().restore(arrays, state)
        else:
            self.first.restore(arrays, state)


def first_settings(settings: LeagueSettings) -> SelfPlaySettings:
    """The settings of the self-play: its preset, with network, tables, seed and logs of the whole training."""
    preset = presets_of(settings.game)[settings.first]
    assert isinstance(preset, SelfPlaySettings)  # as `check_at_game` has seen
    same = ("variant", "rule_options", "seed", "players", "encoding", "hidden_sizes", "threads", "log", "eval_games")
    minutes = settings.minutes * settings.first_fraction
    return replace(preset, **{name: getattr(settings, name) for name in same}, minutes=minutes)
