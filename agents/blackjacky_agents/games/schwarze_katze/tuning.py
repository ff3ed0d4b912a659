"""Tunable parts of Schwarze Katze: the parameters of `counter`, and the value of penalties between deals."""

from __future__ import annotations

from typing import Any

import numpy as np

from blackjacky_agents.games.schwarze_katze.bots import counter
from blackjacky_agents.learning.tuning import LOW_TABLES, BotTuning, Floats, Integers, Tuning, ValueFit

MAX_PLAYERS = 10


def totals_and_deals(parts: dict[str, Any], seat: int) -> list[int]:
    """Number of players, remaining deals, totals by seat."""
    totals = np.roll(parts["totals"][: int(parts["num_players"])], seat).tolist()
    return [len(totals), int(parts["deals"] - parts["deal"]), *totals, *[0] * (MAX_PLAYERS - len(totals))]


def fit_spreads(standings: Integers, shares: Floats) -> str:
    """The maximum-likelihood spread for each number of players, out of the integers 1 .. 150."""
    spreads = np.zeros(MAX_PLAYERS + 1)
    for n in np.unique(standings[:, 0]):
        rows = standings[:, 0] == n
        scaled = -standings[rows, 2 : 2 + n] / np.sqrt(standings[rows, 1:2])
        spreads[n] = max(range(1, 151), key=lambda spread: _log_likelihood(scaled / spread, shares[rows, :n]))
    return f"SPREAD\n{spreads}"


def _log_likelihood(logits: Floats, shares: Floats) -> float:
    """The log-likelihood of the wins under the softmax of the logits."""
    logits = logits - logits.max(axis=1, keepdims=True)
    return float((shares * (logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))).sum())


TUNING = Tuning(
    bots={
        "counter": BotTuning(
            tables=LOW_TABLES,
            probabilities=(counter.PROTECTION, counter.WILLING),
        )
    },
    value=ValueFit("deal", totals_and_deals, fit_spreads),
)
