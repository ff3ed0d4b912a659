"""A best response to one agent: what a learner gains that plays against nothing but copies of it.

The agent is frozen and sits in all seats but one. What the learner wins there over par is a lower bound of how
exploitable the agent is (Timbers et al., Approximate Exploitability, 2022); a better learner might win more.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from blackjacky_agents.arena.evaluation import Score
from blackjacky_agents.learning.agent_file import load_agent
from blackjacky_agents.learning.checkpoint import Arrays
from blackjacky_agents.learning.league.run import League
from blackjacky_agents.learning.settings import LeagueSettings, league_settings_of
from blackjacky_env.games import DEFAULT

BEST_FILE = "best.safetensors"
_FINAL_SEED = 10**9  # the final games are none of those by which the best network was chosen


def response_settings(agent: str, players: int, game: str = DEFAULT, **others: Any) -> LeagueSettings:
    """Settings of the game's league for a pool of one agent, at tables of one size; ``others`` replace settings."""
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
    """The training of a best response, which also keeps the network that did best in an evaluation.

    Args and errors as of `League`; settings from `response_settings`.
    """

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.bots = [opponent.agent for opponent in self.pool.opponents]
        self.best = -1.0  # less than any win rate

    def evaluate(self) -> dict[str, float]:
        """As `TrainingRun.evaluate`; keeps the network if it is the best so far."""
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
        """The score of the best network in games other than those it was chosen by."""
        agent, settings = load_agent(self.folder / BEST_FILE, self.game.name), self.settings
        return self._score(agent, settings.eval_players, settings.final_eval_games, _FINAL_SEED)[0]
