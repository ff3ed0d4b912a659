"""Chi-square tests without a library: how likely are counts like these, or worse, if the chances are as stated."""

import math

import numpy as np

UNLIKELY = 1e-5
"""What a test calls unfair. Seeds are fixed, so a test that passes once passes always."""


def p_value(statistic, freedom):
    """The chance that a chi-square variable with so many degrees of freedom is at least this large."""
    half = statistic / 2
    if half <= 0:
        return 1.0
    tail = math.erfc(math.sqrt(half)) if freedom % 2 else math.exp(-half)
    smaller = range(1 if freedom % 2 else 2, freedom, 2)
    return tail + math.fsum(math.exp(k / 2 * math.log(half) - half - math.lgamma(k / 2 + 1)) for k in smaller)


def fit(counts, chances=None):
    """The p-value of counts under these chances (of the same shape, sum 1); by default all are equal."""
    chances = np.full(np.shape(counts), 1 / np.size(counts)) if chances is None else chances
    observed, expected = np.ravel(counts), np.ravel(chances) * np.sum(counts)
    assert math.isclose(np.sum(chances), 1)
    assert expected.min() >= 5, "too few observations for chi-square"
    return p_value(float(((observed - expected) ** 2 / expected).sum()), observed.size - 1)


def fit_outcomes(counts, chances):
    """The p-value of counts by outcome under exact chances by outcome; an outcome that cannot be has p-value 0."""
    if not counts.keys() <= chances.keys():
        return 0.0
    if len(chances) == 1:
        return 1.0
    return fit([counts.get(outcome, 0) for outcome in chances], [float(chance) for chance in chances.values()])


def independence(counts):
    """The p-value of a table of counts (rows, columns) if row and column are independent."""
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    assert expected.min() >= 5, "too few observations for chi-square"
    rows, columns = counts.shape
    return p_value(float(((counts - expected) ** 2 / expected).sum()), (rows - 1) * (columns - 1))


def fit_of_orders(counts, share=None):
    """The p-value of counts (places, kinds) of cards over many orders of n cards, if every order is equally likely.

    ``share`` is each kind's part of the cards, by default the same. Every order has all cards, so places are not
    independent: the statistic times (n - 1) / n has (n - 1) (kinds - 1) degrees of freedom.
    """
    n, kinds = counts.shape
    expected = counts.sum() / n * np.broadcast_to(1 / kinds if share is None else share, kinds)
    assert expected.min() >= 5, "too few observations for chi-square"
    return p_value(float(((counts - expected) ** 2 / expected).sum()) * (n - 1) / n, (n - 1) * (kinds - 1))
