"""95 % confidence intervals of means over independent deals, for a few deals as well as for many.

They are Wilson's (JASA 1927) with the effective number of games, which is their number divided by the design effect:
the variance of the mean relative to that of as many independent games, won or lost (Kish, Survey Sampling, 1965).
Franco, Little, Louis and Slud (J. Survey Statistics and Methodology 2019) recommend this, with a good estimate of the
design effect. The spread between a few deals says little about it; so it is averaged with 1, which counts as much as
`PRIOR` further deals (Smyth, Stat. Appl. Genet. Mol. Biol. 2004), and the quantile is Student's with the degrees of
freedom of this average (Satterthwaite, Biometrics Bulletin 1946). So results without any spread have an interval, too.

The coverage of discrete results varies with the true rate; it is 95 % on average over rates, as Wilson's is (Brown, Cai
and DasGupta, Statistical Science 2001). `scripts/proofs/measure_coverage.py` measures it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

Z = 1.96  # standard errors of a 95 % interval
PRIOR = 5  # deals that count for the games of a deal being independent
_NOTHING = 1e-12  # a variance that is only rounding
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval; NaN if unknown."""

    mean: float
    low: float
    high: float


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def shares_of(winners: npt.NDArray[Any]) -> Floats:
    """1 / number of winners for a winner, 0 for the others, of winners (true or 1) along the last axis."""
    shares: Floats = winners / np.maximum(winners.sum(axis=-1, keepdims=True), 1)
    return shares


def wilson(mean: float, games: float, quantile: float = Z) -> tuple[float, float]:
    """Wilson's interval of a proportion ``mean`` (0 .. 1) of ``games``."""
    centre = (mean + quantile**2 / (2 * games)) / (1 + quantile**2 / games)
    spread = math.sqrt(max(mean * (1 - mean), 0) / games + quantile**2 / (4 * games**2))
    half = quantile / (1 + quantile**2 / games) * spread
    return max(min(centre - half, mean), 0.0), min(max(centre + half, mean), 1.0)


def of_games(mean: float, mean_square: float, games: int) -> tuple[float, float]:
    """The interval of a mean share of the win (0 .. 1) in independent games, from the mean of its squares, too.

    Wilson's if every game is won or lost. Shared wins vary less.
    """
    freedom = games - 1
    variance = max(mean_square - mean**2, 0) / max(freedom, 1)
    return wilson(mean, games / _design_effect(mean, variance, games, freedom))


def of_deals(mean: float, parts: Floats, strata: Integers, games: float) -> tuple[float, float]:
    """The interval of a mean of proportions, 0 .. 1, over deals; NaN if a stratum has a single deal.

    Args:
        mean: the mean.
        parts: what each deal adds to it, to first order, shape (D,).
        strata: stratum of each deal, (D,); only the spread within strata counts.
        games: number of games, effective if they have different weights (Kish): the square of the sum of the weights,
            divided by the sum of their squares.
    """
    variance, freedom = _variance(parts, strata)
    if math.isnan(variance):
        return math.nan, math.nan
    return wilson(mean, games / _design_effect(mean, variance, games, freedom), _quantile(freedom))


def of_values(parts: Floats, strata: Integers, expected: float, lowest: float, highest: float) -> Estimate:
    """The mean of values of any kind, which is the sum of the parts of all deals, both (D,): Student's interval.

    Args:
        parts: what each deal adds to the mean.
        strata: stratum of each deal.
        expected: variance of the mean if games were independent and values as different as those of all agents.
        lowest: the lowest value of any agent; no interval goes beyond it.
        highest: the highest.

    The ends are NaN if a stratum has a single deal, or if the values of all agents are equal.
    """
    mean = float(parts.sum())
    variance, freedom = _variance(parts, strata)
    moderated = _moderated(variance, expected, freedom)
    if not moderated > 0:
        return Estimate(mean, math.nan, math.nan)
    half = _quantile(freedom) * math.sqrt(moderated)
    return Estimate(mean, max(mean - half, lowest), min(mean + half, highest))


def of_ratio(counted: Floats, of: Floats, squares: Floats, strata: Integers) -> Estimate:
    """The ratio of two sums over deals, 0 .. 1, shapes (D,).

    Args:
        counted: the numerators.
        of: the denominators.
        squares: sums of the squares of the denominators of a deal's games.
        strata: stratum of each deal.
    """
    total = of.sum()
    if not total:
        return UNKNOWN
    ratio = float(counted.sum() / total)
    low, high = of_deals(ratio, (counted - ratio * of) / total, strata, float(total**2 / squares.sum()))
    return Estimate(ratio, low, high)


def of_difference(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two independent means: Newcombe's hybrid interval (Statistics in Medicine 1998, method 10)."""
    mean = first.mean - second.mean
    low = mean - math.hypot(first.mean - first.low, second.high - second.mean)
    return Estimate(mean, low, mean + math.hypot(first.high - first.mean, second.mean - second.low))


# ---------------------------------------------------------------- variances


def _variance(parts: Floats, strata: Integers) -> tuple[float, int]:
    """The variance of a sum over deals, estimated within strata, and its degrees of freedom."""
    deals = np.bincount(strata)
    means = np.bincount(strata, parts) / np.maximum(deals, 1)
    squares = np.bincount(strata, (parts - means[strata]) ** 2)
    with np.errstate(invalid="ignore"):
        variances = (deals * squares)[deals > 0] / (deals[deals > 0] - 1)
    return float(variances.sum()), int((deals[deals > 0] - 1).sum())


def _design_effect(mean: float, variance: float, games: float, freedom: int) -> float:
    """The variance of the mean relative to that of independent games; 1 if all or none are won."""
    independent = mean * (1 - mean) / max(games - 1, 1)
    return _moderated(variance / independent, 1, freedom) if mean * (1 - mean) > _NOTHING else 1.0


def _moderated(variance: float, expected: float, freedom: int) -> float:
    """The average of an estimated and an expected variance."""
    return (PRIOR * expected + freedom * variance) / (PRIOR + freedom)


def _quantile(freedom: int) -> float:
    """Of a moderated variance, whose degrees of freedom are Satterthwaite's."""
    return student(0.975, (PRIOR + freedom) ** 2 / freedom) if freedom else Z


@cache
def student(share: float, freedom: float) -> float:
    """The quantile of Student's distribution, to six digits.

    Args:
        share: 0.5 .. 0.999999; for a 95 % interval 0.975.
        freedom: degrees of freedom, 1 or more; need not be whole.
    """
    normal = NormalDist().inv_cdf(share)
    if freedom > 1e6:
        return normal
    # With t = tan(angle) * sqrt(freedom) the density is proportional to a power of cos(angle). It falls, so that
    # Newton's method, begun below, at the normal quantile, never goes too far.
    power, angle, step = freedom - 1, math.atan(normal / math.sqrt(freedom)), math.inf
    density = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    while step > 1e-12 * angle:
        area = angle / 2 * float(_WEIGHTS @ np.cos(angle / 2 * (_NODES + 1)) ** power)
        step = ((share - 0.5) / density - area) / math.cos(angle) ** power
        angle += step
    return math.sqrt(freedom) * math.tan(angle)
