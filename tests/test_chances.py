"""The chi-square tests that other tests rely on: known critical values, and what they do to fair and unfair counts."""

import pytest

from tests.chances import p_value


@pytest.mark.parametrize(
    ("statistic", "freedom", "tail"),
    [(3.841, 1, 0.05), (10.828, 1, 0.001), (5.991, 2, 0.05), (46.194, 15, 5e-5), (135.807, 100, 0.01)],
)
def test_the_tail_is_that_of_printed_tables(statistic, freedom, tail):
    assert p_value(statistic, freedom) == pytest.approx(tail, rel=0.01)
