"""Tunable parts of Black Spy: the parameters of `counter`, and the value of points between deals."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from blackjacky_agents.games.black_spy.bots import counter
from blackjacky_agents.learning.tuning import LOW_TABLES, BotTuning, Floats, Integers, Tuning, ValueFit
from blackjacky_env.games.black_spy.rules import LIMITS
from blackjacky_env.games.black_spy.state import SEATS


def totals_and_deals(parts: dict[str, Any], seat: int) -> list[int]:
    """Number of players, deals allowed, totals by seat."""
    totals = np.roll(parts["totals"][: int(parts["num_players"])], seat).tolist()
    return [len(totals), int(parts["max_deals"] - parts["deal"]), *totals, *[0] * (SEATS - len(totals))]


def fit_tables(standings: Integers, shares: Floats) -> str:
    """The maximum-likelihood spread and points per deal for each number of players, out of the integers 4 .. 60."""
    best = np.zeros((2, SEATS + 1))
    for n in np.unique(standings[:, 0]):
        rows = standings[:, 0] == n
        pairs = product(range(4, 61), repeat=2)
        best[:, n] = max(pairs, key=lambda pair: _log_likelihood(standings[rows], shares[rows, :n], *pair))
    return f"SPREAD\n{best[0]}\nPER_DEAL\n{best[1]}"


def _log_likelihood(standings: Integers, shares: Floats, spread: int, per_deal: int) -> float:
    """The log-likelihood of the wins by `prospects.value`."""
    n = shares.shape[1]
    totals, allowed = standings[:, 2 : 2 + n], standings[:, 1:2]
    deals = np.clip((LIMITS[n] - totals.max(axis=1, keepdims=True)) / per_deal, 1, allowed)
    logits = -totals / (spread * np.sqrt(deals))
    logits -= logits.max(axis=1, keepdims=True)
    return float((shares * (logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))).sum())


TUNING = Tuning(
    bots={
        "counter": BotTuning(
            tables=LOW_TABLES,
            probabilities=(
                counter.PROTECTION,
                counter.ALONE,
                counter.WILLING,
                counter.EAGER,
                counter.VOIDS,
                counter.RELIEF,
                counter.CATCH,
            ),
        )
    },
    value=ValueFit("deal", totals_and_deals, fit_tables),
)
