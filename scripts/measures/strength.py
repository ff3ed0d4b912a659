"""Strength against time per move: bots, champion and searches, put into results/GAME/strength.json.

    python -m scripts.measures.strength --game GAME                    # a minute a row, about 40 rows
    python -m scripts.measures.strength --game GAME --seconds 3600 --threads 2

Each agent plays whole games in one seat, among copies of the strongest bot or of the champion. Every deal is played
with it in each seat in turn, and once more by the copies alone, who take part in the difference. All rows have the same
deals, as many of them as the CPU seconds of a row allow. An interrupted measurement is resumed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro

from blackjacky_agents import bot_names
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_agents.arena.workers import open_workers
from blackjacky_agents.intervals import Estimate, Floats, of_values
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import progress_bar
from blackjacky_agents.storage.files import only_writer
from blackjacky_env import make_batch
from blackjacky_env.games import DEFAULT, get_game
from scripts.results import ROOT, load, save

SIMULATIONS = tuple(4**power for power in range(8))  # of each search: 1 .. 16,384
FEWEST, MOST = 40, 50_000
"""Deals of a row; one that cannot have the fewest is not played."""
SEED = 10**9
_GAMES = 64  # at once, of which positions are taken
_TIMED, _CHUNK = 0.02, 0.01  # fraction of a row's seconds in which moves are timed; seconds of moves timed at once


@dataclass(frozen=True)
class Args:
    """Measure the strength of a game's agents against their time per move."""

    game: str = DEFAULT  # Name of the game.
    seconds: float = 60  # CPU seconds of each row.
    threads: int = 1  # Rows measured at the same time, one on each core.


def main(args: Args) -> None:
    """Measure what is missing, and write all that is known after each row."""
    bots = bot_names(args.game)
    searches = [f"{kind}:{number}" for kind in ("search", "ismcts") for number in SIMULATIONS]
    wanted = [(name, among) for among in (bots[-1], "champion") for name in (*bots, "champion", *searches)]
    rows = kept(args)
    missing = [pair for pair in wanted if pair[0] != pair[1] and pair not in rows]
    tasks = ((args.game, *pair, args.seconds) for pair in missing)
    with (
        only_writer(ROOT / "runs" / "strength" / args.game),
        progress_bar(len(rows) + len(missing), args.game, len(rows), " rows") as bar,
        open_workers(measured, args.threads, threads=False, apart=True) as workers,
    ):
        for row in workers.in_order(tasks):
            rows[row["agent"], row["among"]] = row
            minutes = sum(each["cpu_seconds"] for each in rows.values()) / 60
            facts: dict[str, Any] = {"seed": SEED, "weights": ["champion"], "minutes": minutes}
            save("strength", [*rows.values()], game=args.game, settings={"seconds": args.seconds}, **facts)
            bar.update()


def kept(args: Args) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The rows of an interrupted measurement by agent and copies; none if anything has changed since."""
    try:
        result = load("strength", args.game)
    except ValueError:  # other weights
        return {}
    if not result or result["settings"] != {"seconds": args.seconds} or any(run["earlier"] for run in result["runs"]):
        return {}
    return {(row["agent"], row["among"]): row for row in result["rows"]}


def measured(game: str, name: str, among: str, seconds: float) -> dict[str, Any]:
    """The row of an agent among copies of another; without a win rate if its moves take too long for the seconds."""
    begun, own, other = time.process_time(), make_compiled_agent(name, game), make_compiled_agent(among, game)
    players = get_game(game).default_players
    observations, masks, decisions = positions(other, players)
    own.reset(0)
    move = seconds_per_move(own, observations, masks, _TIMED * seconds)
    row: dict[str, Any] = {"agent": name, "among": among, "players": players, "seconds_per_move": float(f"{move:.3g}")}
    row["deals"] = 0
    if FEWEST * players * decisions * move <= seconds:
        found = play(own, other, players, seconds)
        shares, copies = found.T
        row |= {"deals": len(found), "win_rate": float(shares.mean()), "difference": asdict(of_deals(shares, copies))}
    return {**row, "cpu_seconds": round(time.process_time() - begun, 1)}


def positions(agent: CompiledAgent, players: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], float]:
    """Observations and masks of decisions with a choice in its games, in random order, and how many a seat has."""
    batch, found, ended = make_batch(agent.game, _GAMES, players, seed=SEED), [], 0
    agent.reset(0)
    while ended < 2 * _GAMES:
        several = batch.action_masks.sum(axis=1) > 1
        found.append((batch.observations[several], batch.action_masks[several]))
        batch.step(agent.act_batch(batch.observations, batch.action_masks))
        ended += int(np.sum(batch.terminated))
    observations, masks = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.random.default_rng(0).permutation(len(masks))
    return observations[order], masks[order], len(masks) / ended / players


def seconds_per_move(
    agent: CompiledAgent, observations: npt.NDArray[Any], masks: npt.NDArray[Any], seconds: float
) -> float:
    """Median CPU seconds of a compiled move, where many are made in one call if they are short, without its checks."""

    def timed(first: int, count: int) -> float:
        begun = time.process_time()
        CompiledAgent.act_batch(agent, observations[first : first + count], masks[first : first + count])
        return (time.process_time() - begun) / count

    timed(0, 1)  # compiles
    size = min(max(1, int(_CHUNK / timed(0, 1))), len(masks) // 5)
    found, end = list[float](), time.process_time() + seconds
    while not found or time.process_time() < end:
        found.append(timed(size * len(found) % (len(masks) - size), size))
    return median(found)


def play(own: CompiledAgent, other: CompiledAgent, players: int, seconds: float) -> Floats:
    """Shares of the win in each deal, (D, 2): of the agent over all seats, and of the copies without it."""

    def deals(first: int, count: int) -> Floats:
        shares = []
        for seat in range(players + 1):  # the last one is nobody's
            seating = np.ones((count, players), np.int64)
            seating[:, seat : seat + 1] = 0
            won = play_games([own, other], seating, SEED + first, game=own.game, threads=1)
            shares.append(won[:, seat] if seat < players else won.mean(axis=1))
        return np.column_stack([np.mean(shares[:-1], axis=0), shares[-1]])

    deals(0, 1)  # compiles
    begun, found = time.process_time(), deals(0, FEWEST)
    while (left := seconds / (time.process_time() - begun) - 1) > 0.05 and len(found) < MOST:
        found = np.concatenate([found, deals(len(found), min(int(min(left, 4) * len(found)) + 1, MOST - len(found)))])
    return found


def of_deals(shares: Floats, copies: Floats) -> Estimate:
    """The difference of an agent's win rate and that of the copies in its place, with its interval over deals."""
    size = len(shares)
    expected = float(shares.mean() * (1 - shares.mean())) / size
    return of_values((shares - copies) / size, np.zeros(size, np.int64), expected, -1.0, 1.0)


if __name__ == "__main__":
    main(tyro.cli(Args))
