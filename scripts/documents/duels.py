"""An agent against copies of another one: every deal is played once with it in every seat."""

from __future__ import annotations

import time

import numpy as np

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.intervals import Floats, shares_of
from blackjacky_agents.arena.table import Table
from blackjacky_env.engine.backend_cpu import spread
from blackjacky_env.games import get_game


def play_deals(
    agent: CompiledAgent, opponent: CompiledAgent, num_players: int, deals: int, seed: int, threads: int
) -> tuple[Floats, float]:
    """The agent's mean share of the win in each deal, (deals,), and the seconds it took, without compiling."""
    rules = get_game(agent.game)
    players, variant = rules.choose_table(num_players)
    options = rules.check_options(players, variant, {})
    lineups = ((0, *[1] * (players - 1)),)
    table = Table(agent.game, variant, players, options, (agent, opponent), lineups, seed, duplicate=True)
    table.play(0, 1)  # compiled
    shares, started = np.zeros(deals * players), time.perf_counter()

    def play(first: int, last: int) -> None:
        rows = table.play(first * players, (last - first) * players)
        shares[first * players : last * players] = shares_of(rows.winners)[rows.seats == 0]

    spread(play, deals, threads)
    return shares.reshape(deals, players).mean(axis=1), time.perf_counter() - started
