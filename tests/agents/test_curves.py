"""Learning curves: decisions and minutes, a band over seeds, par of each line; the same runs are drawn the same."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg

from blackjacky_agents.learning.curves import Curve, DrawnCurve, as_svg, draw_curves

DECISIONS = np.array([0.0, 1e6, 2e6])


def run(last):
    return Curve(DECISIONS, np.array([0.0, 60.0, 120.0]), np.array([0.1, last / 2, last]))


def drawn(*lines):
    """The panels of a figure of these lines, laid out."""
    figure = draw_curves(lines, "Black Jacky: quick, 4 players")
    FigureCanvasAgg(figure).draw()
    return figure.axes


def test_a_curve_shows_decisions_minutes_par_and_a_band_over_seeds_and_is_drawn_the_same_again():
    many = DrawnCurve("many", [run(0.3), run(0.5), run(0.4)], 4)
    axes, beside = drawn(many, DrawnCurve("one", [run(0.6)], 2))
    (band,) = axes.collections
    assert (axes.get_xlabel(), beside.get_xlabel()) == ("million decisions", "minutes of training")
    assert (axes.lines[1].get_xdata()[-1], beside.lines[1].get_xdata()[-1]) == (2, 2)
    assert band.get_paths()[0].vertices[:, 1].max() == pytest.approx(0.5)
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(0.4)
    told = {text.get_text() for text in beside.get_legend().get_texts()}
    assert told == {"many, 3 seeds", "one", "par of 4, 25 %", "par of 2, 50 %"}
    first, second = (as_svg(draw_curves([DrawnCurve("a", [run(0.3)], 4)], "a"), "salt") for _ in range(2))
    assert first == second
