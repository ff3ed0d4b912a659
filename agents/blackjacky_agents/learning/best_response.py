"""Approximate best responses: a league of one learner, trained against copies of a frozen agent in all other seats.

What the learner wins above the agent's own win rate among its copies is a lower bound on the agent's exploitability
(Timbers et al., "Approximate Exploitability", 2022); a better learner might win more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeGuard

from blackjacky_agents.arena.evaluation import Score, among_copies
from blackjacky_agents.kit.settings import LeagueSettings, TrainingSettings
from blackjacky_agents.learning.league.league_run import League
from blackjacky_agents.learning.stored_settings import league_settings_of
from blackjacky_agents.networks.agent_file import load_agent
from blackjacky_agents.reports import progress_bar
from blackjacky_env.games import DEFAULT

BEST_FILE = "best.safetensors"
_FINAL_SEED = 10**9  # the final games differ from those that selected the best network


def response_settings(agent: str, players: int, game: str = DEFAULT, **others: Any) -> LeagueSettings:
    """Settings of a league whose learner plays against copies of one agent; ``others`` override single settings.

    Actions are tried in the true position, where the agent plays on in its seats: search, as in some presets, would put
    the learner in all of them.
    """
    against_one: dict[str, Any] = {
        "encoding": league_settings_of(game).encoding,
        "bots": (agent,),
        "players": (players,),
        "self_play_fraction": 0.0,
        "single_opponent_fraction": 1.0,
        "variant_fraction": 0.0,
        "pool_size": 0,
        "snapshot_every": 100_000,
    }
    return LeagueSettings(game=game, **{**against_one, **others})


def is_response(settings: TrainingSettings) -> TypeGuard[LeagueSettings]:
    """Whether these are settings as from `response_settings`."""
    return isinstance(settings, LeagueSettings) and len(settings.bots) == 1 and not settings.pool_size


class BestResponse(League):
    """A training with settings from `response_settings`, which saves the network with the best evaluation."""

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.bots = self.opponents

    @property
    def best(self) -> float:
        """The best win rate of the evaluations so far; -1 before the first."""
        return max((rate for row in self.progress for rate in row["win_rate"].values()), default=-1.0)

    def evaluate(self) -> dict[str, float]:
        """As `TrainingRun.evaluate`; saves the network if it is the best so far."""
        best, rates = self.best, super().evaluate()
        if max(rates.values()) > best:
            self.save_agent(self.folder / BEST_FILE)
        return rates

    def own_score(self) -> Score:
        """Score of the agent among copies of itself, in games of its own, with a progress bar."""
        games, (agent,), settings = self.settings.final_eval_games, self.bots, self.settings
        with progress_bar(games, "the agent itself") as bar:
            options = {"progress": bar.update, **self._play_options()}
            return among_copies(agent, settings.eval_players, games, _FINAL_SEED + games, **options)

    def final_score(self) -> Score:
        """Score of the best network, in games other than those that selected it, with a progress bar."""
        agent, games = load_agent(self.folder / BEST_FILE, self.game.name), self.settings.final_eval_games
        with progress_bar(games, "final evaluation") as bar:
            players, seed = self.settings.eval_players, _FINAL_SEED
            return self._score(agent, self.bots, players, games, seed=seed, progress=bar.update)[0]
