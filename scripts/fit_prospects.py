"""Fit the weights of `blackjacky_agents/bots/black_jacky/prospects.py`: how hearts decide who wins Black Jacky.

    python scripts/fit_prospects.py --games 100000

Copies of one bot play games of 2 to 6 players. Each beginning of a round is an example: what everybody holds, and who
has won in the end. The weights are those with the highest likelihood, found by gradient ascent. Prints the two tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tyro
from tqdm import tqdm

from blackjacky_agents import make_agent
from blackjacky_agents.bots.black_jacky.prospects import WEIGHTS
from blackjacky_env import black_jacky_v0, make_batch

SEATS, KINDS = 6, WEIGHTS.shape[1]
NOT_THERE = KINDS  # a player who cannot win any more, or no player
PARTS = {
    part["name"]: slice(part["offset"], part["offset"] + part["length"])
    for part in black_jacky_v0.describe_observation()
}

Examples = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
"""Kinds of the players (E, 6): column of `WEIGHTS` or `NOT_THERE`; shares of the win (E, 7), the last nobody's."""


@dataclass(frozen=True)
class Args:
    """Fit how hearts decide who wins a game of Black Jacky."""

    games: int = 100_000
    """How many games are played."""
    bot: str = "counter"
    """Who plays them."""
    seed: int = 0
    """Seed of the games."""
    steps: int = 400
    """Steps of gradient ascent."""


def main(args: Args) -> None:
    """Play, fit, print."""
    kinds, shares = play(args)
    weights, nobody = fit(kinds, shares, args.steps)
    np.set_printoptions(precision=2, suppress=True)
    print(f"{len(kinds):,} beginnings of rounds\nWEIGHTS\n{weights}\nNOBODY\n{nobody}")


def play(args: Args) -> Examples:
    """Whole games, and what came of the beginnings of their rounds; the first round, which is even, left out."""
    batch = make_batch("black_jacky", 500, num_players=[2, 3, 4, 5, 6], seed=args.seed)
    agent = make_agent(args.bot)
    agent.reset(args.seed)
    running: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(500)]
    rounds = np.zeros(500, np.int64)
    examples: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
    with tqdm(total=args.games, unit=" games") as bar:
        while bar.n < args.games:
            now = batch.observations[:, PARTS["round"]][:, 0].astype(np.int64)
            for i in np.flatnonzero(now > rounds):
                running[i].append(kinds_of(batch.observations[i], int(batch.current_player[i])))
            rounds = now
            batch.step(agent.act_batch(batch.observations, batch.action_masks))
            for i in np.flatnonzero(batch.terminated):
                examples += [(kinds, shares_of(batch.rewards[i])) for kinds in running[i]]
                running[i], rounds[i] = [], 0
                bar.update()
    return np.array([kinds for kinds, _ in examples]), np.array([shares for _, shares in examples])


def kinds_of(observation: npt.NDArray[np.int8], seat: int) -> npt.NDArray[np.int64]:
    """What each player holds, by absolute seat, as a column of `WEIGHTS` or `NOT_THERE`."""
    players = int(observation[PARTS["num_players"]][0])
    hearts, black, wanted = (observation[PARTS[name]][:players] for name in ("hearts", "black_hearts", "wanted"))
    kinds = np.where(hearts > 0, np.where(black > 0, 1, 1 + np.minimum(hearts, 3)), np.where(wanted > 0, 0, NOT_THERE))
    return np.append(np.roll(kinds, seat), [NOT_THERE] * (SEATS - players)).astype(np.int64)


def shares_of(rewards: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Who has won: equal shares of the winners, or all for nobody."""
    won = rewards > 0
    return np.append(won / max(won.sum(), 1), not won.any()).astype(np.float64)


def fit(kinds: npt.NDArray[np.int64], shares: npt.NDArray[np.float64], steps: int) -> Examples:
    """The weights of players and of nobody, that of one heart being 1 in each row."""
    inside, ones = (kinds_in_saloon(kinds)).sum(axis=1), ((kinds == 1) | (kinds == 2)).sum(axis=1)
    logs = [np.zeros((SEATS + 1, KINDS + 1)), np.zeros((SEATS + 1, SEATS + 1))]
    means, squares = ([np.zeros_like(table) for table in logs] for _ in range(2))
    for step in range(1, steps + 1):
        players = np.where(kinds == NOT_THERE, -np.inf, logs[0][inside[:, None], kinds])
        scores = np.exp(np.column_stack([players, logs[1][inside, ones]]))
        errors = shares - scores / scores.sum(axis=1, keepdims=True)
        slopes = [np.zeros_like(table) for table in logs]
        np.add.at(slopes[0], (inside[:, None], kinds), errors[:, :SEATS])
        np.add.at(slopes[1], (inside, ones), errors[:, SEATS])
        for table, slope, mean, square in zip(logs, slopes, means, squares, strict=True):  # Adam (Kingma, Ba 2015)
            mean[:] = 0.9 * mean + 0.1 * slope
            square[:] = 0.99 * square + 0.01 * slope**2
            table[:] += 0.05 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    base = logs[0][:, 2:3]
    return np.exp(logs[0][:, :KINDS] - base), np.exp(logs[1] - base)


def kinds_in_saloon(kinds: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Who has a heart."""
    return (kinds >= 1) & (kinds < NOT_THERE)


if __name__ == "__main__":
    main(tyro.cli(Args))
