"""Approximate best responses: a learner trained against copies of one frozen agent in all other seats.

The learner's win rate above par is a lower bound on the agent's exploitability (Timbers et al., "Approximate
Exploitability", 2022); a better learner might win more.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from blackjacky_agents.arena.evaluation import Score
from blackjacky_agents.kit.settings import LeagueSettings, SelfPlaySettings, TrainingSettings
from blackjacky_agents.learning.league.run import League
from blackjacky_agents.learning.run import PROGRESS_FILE, TrainingRun, read_progress
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.settings import league_settings_of, self_play_settings_of
from blackjacky_agents.networks.agent_file import load_agent
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import progress_bar
from blackjacky_env.checks import check_choice
from blackjacky_env.games import DEFAULT

BEST_FILE = "best.safetensors"
_FINAL_SEED = 10**9  # the final games differ from those that selected the best network


def response_settings(
    agent: str, players: int, game: str = DEFAULT, learner: str = "rollouts", **others: Any
) -> TrainingSettings:
    """Settings of a learner that plays against copies of one agent; ``others`` override single settings.

    ``learner`` is ``"rollouts"``, as in a league, or ``"ppo"``, as in self-play; `ValueError` for another. PPO
    at first learns only what positions are worth: for half of ``snapshot_every``, at most a million decisions.
    """
    check_choice("learner", learner, ("rollouts", "ppo"))
    alone: dict[str, Any] = {
        "bots": (agent,),
        "players": (players,),
        "self_play_fraction": 0.0,
        "single_opponent_fraction": 1.0,
    }
    if learner == "ppo":
        usual: TrainingSettings = self_play_settings_of(game)
        alone |= {"past_self_fraction": 0.0, "gamma": 1.0, "learning_rate": 7e-4, "ent_coef": 0.002}
        every = others.get("snapshot_every", usual.snapshot_every)
        alone |= {"batch_size": 8192, "value_warmup": min(1_000_000, every // 2)}
    else:
        usual = league_settings_of(game)
        alone |= {"teacher": "", "variant_fraction": 0.0, "pool_size": 0, "snapshot_every": 100_000}
    return replace(usual, **{**alone, **others})


def is_response(settings: TrainingSettings) -> bool:
    """Whether these are settings as from `response_settings`."""
    if len(settings.bots) != 1:
        return False
    if isinstance(settings, SelfPlaySettings):
        return not settings.self_play_fraction and not settings.past_self_fraction
    return isinstance(settings, LeagueSettings) and not settings.pool_size


class BestResponse(TrainingRun):
    """A training with settings from `response_settings`, which saves the network with the best evaluation."""

    def __init__(self, settings: TrainingSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.bots = [make_compiled_agent(settings.bots[0], settings.game)]

    @property
    def best(self) -> float:
        """The best win rate of the evaluations so far; -1 before the first."""
        rows = read_progress(self.folder) if (self.folder / PROGRESS_FILE).exists() else []
        return max((rate for row in rows for rate in row["win_rate"].values()), default=-1.0)

    def evaluate(self) -> dict[str, float]:
        """As `TrainingRun.evaluate`; saves the network if it is the best so far."""
        best, rates = self.best, super().evaluate()
        if max(rates.values()) > best:
            self.save_agent(self.folder / BEST_FILE)
        return rates

    def final_score(self) -> Score:
        """Score of the best network, in games other than those that selected it, with a progress bar."""
        agent, settings = load_agent(self.folder / BEST_FILE, self.game.name), self.settings
        games = settings.final_eval_games
        with progress_bar(games, "final evaluation") as bar:
            return self._score(agent, settings.eval_players, games, _FINAL_SEED, progress=bar.update)[0]


class RolloutResponse(BestResponse, League):
    """Learns as a league does: from rollouts of its own decisions."""


class PPOResponse(BestResponse, SelfPlay):
    """Learns by PPO, from many more games."""


def best_response(settings: TrainingSettings, folder: Path, command: str) -> BestResponse:
    """The run of settings from `response_settings`; arguments and errors are those of `TrainingRun`."""
    kind = PPOResponse if isinstance(settings, SelfPlaySettings) else RolloutResponse
    return kind(settings, folder, command)
