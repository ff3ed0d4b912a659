"""Strength against time per move: bots, champion and searches, put into results/GAME/strength.json.

    python -m scripts.measures.strength --game GAME --seconds 60       # about 60 rows of up to a minute

Each agent plays whole games in one seat, among copies of the strongest bot or of the champion. Every deal is played
with it in each seat in turn, and once by the copies alone, from whom it differs. All rows have the same deals, as many
as their CPU seconds allow. An interrupted measurement is resumed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from timeit import repeat
from typing import Any

import numpy as np
import tyro

from blackjacky_agents import bot_names
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_agents.arena.workers import open_workers
from blackjacky_agents.intervals import Floats, of_values
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import progress_bar
from blackjacky_agents.storage.files import only_writer
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT, get_game
from scripts.results import ROOT, Row, load, save

SEARCHES = ("search", "ismcts", "rollout")
SIMULATIONS = tuple(4**power for power in range(9))  # of each search: 1 .. 65,536; of a rollout, for each action
FEWEST, MOST = 40, 50_000  # deals of a row; one that cannot have the fewest is not played
SEED, TIMED = 10**9, 0.01  # fraction of a row's seconds that a call takes in which moves are timed


@dataclass(frozen=True)
class Args:
    """Measure the strength of a game's agents against their time per move."""

    game: str = DEFAULT  # Name of the game.
    seconds: float = 60  # CPU seconds of each row.
    threads: int = 1  # Rows measured at the same time, one on each core.


def main(args: Args) -> None:
    """Measure what is missing, and write all that is known after each row."""
    bots, rows = bot_names(args.game), kept(args)
    searches = [f"{kind}:{number}" for kind in SEARCHES for number in SIMULATIONS]
    agents = [*bots, "champion", *searches]
    wanted = [(name, among) for among in (bots[-1], "champion") for name in agents if name != among]
    with (
        only_writer(ROOT / "runs" / "strength" / args.game),
        progress_bar(len(wanted), args.game, len(rows), " rows") as bar,
        open_workers(measured, args.threads, threads=False, apart=True) as workers,
    ):
        missing = (pair for pair in wanted if pair not in rows and not is_too_slow(*pair, rows))  # asked as others end
        for row in workers.in_order((args.game, *pair, args.seconds) for pair in missing):
            rows[row["agent"], row["among"]] = row
            facts: dict[str, Any] = {"seed": SEED, "weights": ["champion"], "settings": {"seconds": args.seconds}}
            minutes = sum(each["cpu_seconds"] for each in rows.values()) / 60
            save("strength", [*rows.values()], game=args.game, minutes=minutes, **facts)
            bar.update()


def is_too_slow(name: str, among: str, rows: Mapping[tuple[str, str], Row]) -> bool:
    """Whether a search with fewer simulations has been too slow."""
    kind = f"{name.partition(':')[0]}:"
    return any(not row["deals"] and row["among"] == among and row["agent"].startswith(kind) for row in rows.values())


def kept(args: Args) -> dict[tuple[str, str], Row]:
    """The rows of an interrupted measurement by agent and copies; none if anything has changed since."""
    with suppress(ValueError):  # of other weights
        result = load("strength", args.game) or {"settings": {}}
        if result["settings"] == {"seconds": args.seconds} and not any(run["earlier"] for run in result["runs"]):
            return {(row["agent"], row["among"]): row for row in result["rows"]}
    return {}


def measured(game: str, name: str, among: str, seconds: float) -> dict[str, Any]:
    """The row of an agent among copies of another; without deals if its moves take too long for the seconds."""
    begun, players = time.process_time(), get_game(game).default_players
    own, copies = make_compiled_agent(name, game), make_compiled_agent(among, game)
    took, decisions = seconds_per_move(own, players, TIMED * seconds)
    row: dict[str, Any] = {"agent": name, "among": among, "deals": 0, "microseconds": float(f"{1e6 * took:.3g}")}
    if FEWEST * players * decisions * took <= seconds:
        won, before = play(own, copies, players, seconds).T
        deals, rate = len(won), float(won.mean())
        expected = rate * (1 - rate) / deals
        difference = of_values((won - before) / deals, np.zeros(deals, np.int64), expected, -1, 1)
        row |= {"deals": deals, "win_rate": rate, "difference": asdict(difference)}
    return {**row, "cpu_seconds": round(time.process_time() - begun, 1)}


def seconds_per_move(own: CompiledAgent, players: int, seconds: float) -> tuple[float, float]:
    """Median CPU seconds of a compiled move, and how many moves with a choice a seat has in a game.

    Each of five calls makes moves in the same up to 2,000 positions of the champion's games.
    """
    champion, seen, ended = make_compiled_agent("champion", own.game), [], 0
    batch = make_batch(own.game, 64, players, seed=SEED)
    own.reset(0)
    champion.reset(0)
    while ended < 128:
        several = batch.action_masks.sum(axis=1) > 1
        seen.append((batch.observations[several], batch.action_masks[several]))
        batch.step(champion.act_batch(batch.observations, batch.action_masks))
        ended += int(np.sum(batch.terminated))
    order = np.random.default_rng(0).permutation(moves := sum(len(masks) for _, masks in seen))
    observations, masks = (np.concatenate(part)[order] for part in zip(*seen, strict=True))

    def timed(count: int, calls: int) -> float:  # without the checks of a search
        ask = partial(CompiledAgent.act_batch, own, observations[:count], masks[:count])
        return median(repeat(ask, timer=time.process_time, number=1, repeat=calls)) / count

    timed(1, 1)  # compiles
    return timed(int(np.clip(seconds / max(timed(20, 1), 1e-9), 20, 2000)), 5), moves / ended / players


def play(own: CompiledAgent, copies: CompiledAgent, players: int, seconds: float) -> Floats:
    """Shares of the win in each deal, (D, 2): of the agent over all seats, and of the copies without it."""

    def deals(first: int, count: int) -> Floats:
        shares = np.zeros((2, count))
        for seat in range(players + 1):  # the last one is nobody's
            seating = np.ones((count, players), np.int64)
            seating[:, seat : seat + 1] = 0
            won = play_games([own, copies], seating, SEED + first, game=own.game, threads=1)
            shares[seat // players] += won[:, seat] / players if seat < players else won.mean(axis=1)
        return shares.T

    deals(0, 1)  # compiles
    begun, found = time.process_time(), deals(0, FEWEST)
    while (left := seconds / (time.process_time() - begun) - 1) > 0.05 and len(found) < MOST:
        found = np.concatenate([found, deals(len(found), min(int(min(left, 4) * len(found)) + 1, MOST - len(found)))])
    return found


if __name__ == "__main__":
    main(tyro.cli(Args))
