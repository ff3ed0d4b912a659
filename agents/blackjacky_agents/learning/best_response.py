"""A best response to one agent: what a learner gains that plays against nothing but copies of it.

The agent is frozen and sits in all seats but one. What the learner wins there over par is what the agent can be made to
lose at least, a lower bound of its exploitability (Timbers et al., Approximate Exploitability, 2022); a better learner
might win more.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import Score, against_copies
from blackjacky_agents.learning.checkpoint import load_agent
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.settings import LeagueSettings

BEST_FILE = "best.safetensors"
_FRESH_SEED = 10**9  # the final games are none of those by which the best network was chosen


def response_settings(agent: str, players: int, **others: Any) -> LeagueSettings:
    """Settings of a league whose pool is one agent, at tables of one size."""
    alone = LeagueSettings(
        bots=(agent,), players=(players,), schnell_duell=0.0, alone=0.0, copies_of_one=1.0, pool=0, refresh=100_000
    )
    return replace(alone, **others)


class BestResponse(League):
    """The training of a best response; the network that did best in a test is kept as well.

    Args and errors as of `League`; settings from `response_settings`.
    """

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.bots = [opponent.agent for opponent in self.pool]
        self.test_players = settings.players[0]
        self.best = -1.0  # every network is better than none

    def test(self) -> dict[str, float]:
        """As `League.test`; keeps the network if it is the best so far."""
        rates = super().test()
        rate = max(rates.values())
        if rate > self.best:
            self.best = rate
            self.save_agent(self.folder / BEST_FILE)
        return rates

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "best": self.best}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self.best = state["best"]

    def final_score(self) -> Score:
        """The best network in games that it was not chosen by."""
        agent: CompiledAgent = load_agent(self.folder / BEST_FILE, self.game.name)
        settings = self.settings
        games, threads = settings.final_games, settings.threads
        return against_copies(agent, self.bots, self.test_players, games, _FRESH_SEED, threads, game=self.game.name)[0]
