"""Measure what the seats of a game are worth: win rates by distance from the start player, between copies of one agent.

    python scripts/documents/measure_seats.py --game GAME --agent counter --games 20000

Writes agents/results/GAME/seats.json; `scripts/documents/generate.py` makes the table of docs/results.md from there.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import tyro
from make_results import RESULTS
from tqdm import tqdm

from blackjacky_agents import bot_names
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import score_of
from blackjacky_agents.files import write_json
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.engine.play import play_on
from blackjacky_env.engine.random import game_key
from blackjacky_env.engine.table import table_functions
from blackjacky_env.games import DEFAULT, get_game

START_PLAYER = 0


@dataclass(frozen=True)
class Args:
    """Measure win rates by distance from the start player, between copies of one agent."""

    game: str = DEFAULT
    """Name of the game."""
    agent: str = ""
    """Agent in all seats; by default the game's strongest bot."""
    games: int = 10_000
    """Number of games of each variant and table size; game i has seed i."""
    threads: int = 2
    """Number of CPU threads."""


def main(args: Args) -> None:
    """Measure all variants and table sizes, and write the results."""
    agent = make_compiled_agent(args.agent or bot_names(args.game)[-1], args.game)
    tables = [(variant.name, size) for variant in get_game(args.game).variants for size in variant.sizes]
    rows = [
        {"variant": variant, "players": size, "seats": seats(agent, variant, size, args)}
        for variant, size in tqdm(tables, "measuring", unit="table")
    ]
    command = " ".join(["python scripts/documents/measure_seats.py", *sys.argv[1:]])
    results = {"command": command, "agent": agent.name, "games": args.games, "tables": rows}
    write_json(RESULTS / args.game / "seats.json", results)


def seats(agent: CompiledAgent, variant: str, size: int, args: Args) -> list[dict[str, Any]]:
    """The win rate of each seat, clockwise from the start player, with its 95 % interval."""
    game = get_game(args.game)
    states = zeros(args.games, game.state_dtype)
    states[:] = game.new_state(size, variant, game.check_options(size, variant, {}))
    begin = table_functions(game).begin
    for seed in range(args.games):
        begin(states[seed : seed + 1], np.uint64(game_key(seed)), START_PLAYER)
    seating = np.zeros((args.games, game.max_players), np.int64)
    play_on(game, states, seating, [(agent.policy, agent.parameters)], args.threads)
    winners = states["winners"].astype(float)
    shares = winners / np.maximum(winners.sum(axis=1, keepdims=True), 1)
    scores = [score_of(own, shares.sum(axis=1) == 0, size) for own in shares.T[:size]]
    return [{"win_rate": score.win_rate, "low": score.low, "high": score.high} for score in scores]


if __name__ == "__main__":
    main(tyro.cli(Args))
