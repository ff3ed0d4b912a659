"""Approximate best responses: a learner trained against copies of one frozen agent in all other seats.

The learner's win rate above par is a lower bound on the agent's exploitability (Timbers et al., "Approximate
Exploitability", 2022); a better learner might win more.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from blackjacky_agents.arena.evaluation import Score
from blackjacky_agents.learning.agent_file import load_agent
from blackjacky_agents.learning.checkpoint import Arrays
from blackjacky_agents.learning.league.run import League
from blackjacky_agents.learning.run import final_bar
from blackjacky_agents.learning.settings import LeagueSettings, league_settings_of
from blackjacky_env.games import DEFAULT

BEST_FILE = "best.safetensors"
_FINAL_SEED = 10**9  # the final games differ from those that selected the best network


def response_settings(agent: str, players: int, game: str = DEFAULT, **others: Any) -> LeagueSettings:
    """The game's league settings, with a pool of one agent and one table size; ``others`` override single settings."""
    alone = {
        "bots": (agent,),
        "players": (players,),
        "teacher": "",
        "variant_fraction": 0.0,
        "self_play_fraction": 0.0,
        "single_opponent_fraction": 1.0,
        "pool_size": 0,
        "snapshot_every": 100_000,
    }
    return replace(league_settings_of(game), **{**alone, **others})


class BestResponse(League):
    """A `League` with settings from `response_settings`, which saves the network with the best evaluation."""

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.bots = [opponent.agent for opponent in self.pool.opponents]
        self.best = -1.0  # less than any win rate

    def _evaluate(self) -> None:
        """`evaluate`, while the network is the one whose results these are."""
        self.evaluate()

    def evaluate(self) -> dict[str, float]:
        """As `TrainingRun.evaluate`; saves the network if it is the best so far."""
        rates = super().evaluate()
        rate = max(rates.values())
        if rate > self.best:
            self.best = rate
            self.save_agent(self.folder / BEST_FILE)
        return rates

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "best": self.best}

    def _restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        super()._restore(arrays, state)
        self.best = state["best"]

    def final_score(self) -> Score:
        """Score of the best network, in games other than those that selected it, with a progress bar."""
        agent, settings = load_agent(self.folder / BEST_FILE, self.game.name), self.settings
        games = settings.final_eval_games
        with final_bar(games) as bar:
            return self._score(agent, settings.eval_players, games, _FINAL_SEED, progress=bar.update)[0]
