"""The chi-square tests that other tests rely on: known critical values, and what they do to fair and unfair counts."""

import numpy as np
import pytest

from tests.chances import UNLIKELY, fit, fit_of_orders, independence, p_value


@pytest.mark.parametrize(
    ("statistic", "freedom", "tail"),
    [
        (3.841, 1, 0.05),
        (10.828, 1, 0.001),
        (5.991, 2, 0.05),
        (29.588, 10, 0.001),
        (46.194, 15, 5e-5),
        (135.807, 100, 0.01),
    ],
)
def test_the_tail_is_that_of_printed_tables(statistic, freedom, tail):
    assert p_value(statistic, freedom) == pytest.approx(tail, rel=0.01)


def test_fair_counts_have_even_p_values_and_unfair_ones_small():
    """200 experiments: about a tenth of the p-values is below a tenth, for each of the three tests."""
    rng = np.random.default_rng(0)
    low = np.zeros(3)
    for _ in range(200):
        dice = rng.multinomial(600, [1 / 6] * 6)
        orders = rng.permuted(np.tile([0, 1, 1, 2, 2, 2], (300, 1)), axis=1)
        places = np.array([np.bincount(column, minlength=3) for column in orders.T])
        table = rng.multinomial(600, [0.05, 0.15, 0.3, 0.05, 0.15, 0.3]).reshape(2, 3)
        low += [
            fit(dice, [1 / 6] * 6) < 0.1,
            fit_of_orders(places, np.array([1, 2, 3]) / 6) < 0.1,
            independence(table) < 0.1,
        ]
    assert (low > 8).all()
    assert (low < 35).all()
    assert fit(rng.multinomial(6000, [0.21, *[0.79 / 5] * 5]), [1 / 6] * 6) < UNLIKELY
