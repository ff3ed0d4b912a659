"""Layouts: the dtype is the narrowest that holds all parts."""

from __future__ import annotations

import numpy as np
import pytest

from blackjacky_env.engine.layout import Layout, Part


def layout(low: int, high: int) -> Layout:
    return Layout([Part("few", (2,), 0, 1, "few"), Part("many", (), low, high, "many")])


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [(0, 127, np.int8), (-128, 0, np.int8), (0, 128, np.int16), (-129, 0, np.int16), (-32768, 32767, np.int16)],
)
def test_the_dtype_is_int8_where_all_parts_fit_else_int16(low: int, high: int, dtype: type) -> None:
    found = layout(low, high)
    assert found.dtype == found.low.dtype == found.high.dtype == dtype
    assert (found.low.tolist(), found.high.tolist()) == ([0, 0, low], [1, 1, high])


@pytest.mark.parametrize(("low", "high"), [(0, 32768), (-32769, 0)])
def test_a_part_that_does_not_fit_is_refused_by_name(low: int, high: int) -> None:
    with pytest.raises(ValueError, match=rf"'many' \({low} .. {high}\) does not fit into int16"):
        layout(low, high)


