"""Confidence intervals: exact values, no spread at all, and how often they hold the truth."""

from __future__ import annotations

import math
from pathlib import Path

import measure_coverage
import numpy as np
import pytest
from measure_coverage import ALIKE, BALANCED, GAMES, INDEPENDENT, SHARED, SIZES, Args, Luck, Simulation, coverage

from blackjacky_agents.arena.evaluation import score_of
from blackjacky_agents.arena.intervals import of_games, student, wilson
from blackjacky_agents.arena.scoring import calibrate, score
from blackjacky_agents.arena.standings import Games, standings


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_wilsons(wins: int, games: int, low: float, high: float) -> None:
    """Method 3 in table I of Newcombe, Statistics in Medicine 17 (1998) 857-872."""
    assert wilson(wins / games, games) == pytest.approx((low, high), abs=6e-5)
    mirrored = wilson(1 - wins / games, games)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=6e-5)
    assert all(0 <= end <= 1 for end in mirrored)


@pytest.mark.parametrize(
    ("share", "freedom", "quantile"),
    [
        *((0.975, 1, 12.7062047), (0.975, 2, 4.3026527), (0.975, 20, 2.0859634), (0.975, 36, 2.0280940)),
        *((0.75, 1, 1.0), (0.9999, 2, 70.7000713), (0.99, 1000, 2.3300826), (0.975, 1e9, 1.9599640)),
    ],
)
def test_quantiles_are_students(share: float, freedom: float, quantile: float) -> None:
    assert student(share, freedom) == pytest.approx(quantile, rel=1e-7)


def test_shared_wins_vary_less() -> None:
    low, high = of_games(0.4, 0.2, 1000)
    wide_low, wide_high = of_games(0.4, 0.4, 1000)
    assert (wide_low, wide_high) == wilson(0.4, 1000)
    assert (high - low) / (wide_high - wide_low) == pytest.approx(math.sqrt(0.04 / 0.24), rel=0.02)


# ---------------------------------------------------------------- no spread


@pytest.mark.parametrize("share", [0.0, 0.25, 1 / 3, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("deals", [2, 3, 6, 500])
def test_a_score_without_spread_has_an_interval(share: float, size: int, deals: int) -> None:
    protocol = measure_coverage.protocol((size,), np.random.default_rng(0))
    found = score(protocol, [np.full(deals, share)])
    rate = found.tables[0].win_rate
    assert rate.mean == pytest.approx(share)
    assert rate.low <= rate.mean <= rate.high
    assert rate.high - rate.low > 1 / (deals * size)
    assert found.score.high - found.score.low > 100 / (deals * size)


def test_references_without_spread_have_an_error() -> None:
    protocol = measure_coverage.protocol((4,), np.random.default_rng(0))
    results = {name: [np.full(400, share)] for name, share in (("random", 0.25), ("champion", 0.5))}
    assert all(0 < rates[0].error < 0.01 for rates in calibrate(protocol, results).references.values())


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("games", [1, 12, 1000])
def test_an_evaluation_without_spread_has_an_interval(share: float, games: int) -> None:
    found = score_of(np.full(games, share), np.zeros(games, bool), 2)
    assert found.low <= share <= found.high
    assert found.high - found.low > 1 / games / 2


def test_a_tournament_without_spread_has_intervals() -> None:
    """The first seat wins each game, and so each agent a fourth of each deal; or one agent wins all."""
    seats = np.tile((np.arange(4) + np.arange(4)[:, None]) % 4, (3, 1, 1))
    for winners in (np.tile(np.eye(4, dtype=bool)[:1], (3, 4, 1)), seats == 0):
        result = standings(Games(tuple("abcd"), np.arange(4)[None], seats, winners, winners.astype(np.int64)))
        estimates = [result.nobody, *(pair.share for pair in result.pairs)]
        for agent in result.agents:
            estimates += [agent.win_rate, agent.reward, agent.score, agent.rating]
        estimates += result.lineups[0].win_rates.values()
        known = [each for each in estimates if not math.isnan(each.mean)]
        assert len(known) >= 27 - 6  # some pairs may never have met
        assert all(each.low <= each.mean <= each.high for each in known)
        assert all(each.high - each.low > 1 / 12 for each in known)
        assert all(0 <= agent.score.low < agent.score.high <= 1 for agent in result.agents)


def test_a_tournament_that_nobody_wins_has_intervals() -> None:
    seats = np.tile([[0, 1], [1, 0]], (6, 1, 1))
    result = standings(
        Games(("a", "b"), np.array([[0, 1]]), seats, np.zeros(seats.shape, bool), np.ones(seats.shape, int))
    )
    for each in (result.nobody, result.agents[0].win_rate, result.agents[0].reward, result.agents[0].rating):
        assert each.high - each.low > 1 / 12
    assert (result.nobody.mean, result.nobody.high) == (1, 1)
    assert math.isnan(result.pairs[0].share.low)
    assert math.isnan(result.agents[0].score.low)  # all scores are equal, so nothing says how large they may be


# ---------------------------------------------------------------- coverage

CASES = [
    *((measure_coverage.evaluation, 4, luck) for luck in (INDEPENDENT, SHARED)),
    *((measure_coverage.table_score, size, INDEPENDENT) for size in SIZES),
    (measure_coverage.whole_score, 0, INDEPENDENT),
    *((measure_coverage.tournament, 4, luck) for luck in (INDEPENDENT, ALIKE)),
    *((measure_coverage.pair, size, INDEPENDENT) for size in SIZES),
    (measure_coverage.pair, 4, SHARED),
]


REPEATS = dict(zip(GAMES, (160, 50, 40), strict=True))  # the least room is left at 12 games


@pytest.mark.parametrize("games", GAMES)
@pytest.mark.parametrize(("simulate", "size", "luck"), CASES)
def test_intervals_hold_the_truth_in_93_to_97_of_100_cases(
    simulate: Simulation, size: int, luck: Luck, games: int
) -> None:
    assert 0.93 <= coverage(simulate, luck, size, games, REPEATS[games], seed=1).mean() <= 0.97


@pytest.mark.parametrize(("luck", "most"), [(SHARED, (0.98, 0.97, 0.97)), (BALANCED, (0.99, 0.98, 0.97))])
def test_intervals_of_deals_that_vary_little_are_at_first_too_long(luck: Luck, most: tuple[float, ...]) -> None:
    """A few deals do not prove that all are nearly equal, nor do their means show how many wins were shared."""
    for games, highest in zip(GAMES, most, strict=True):
        assert 0.93 <= coverage(measure_coverage.tournament, luck, 4, games, REPEATS[games], seed=1).mean() <= highest


def test_discrete_results_do_not_allow_a_coverage_of_95_at_every_rate() -> None:
    """What docs/tournaments.md says of an agent that wins 5 % of its games."""
    once, twice = (
        sum(math.comb(12, wins) * 0.05**wins * 0.95 ** (12 - wins) for wins in range(most + 1)) for most in (1, 2)
    )
    page = measure_coverage.PAGE.read_text("utf-8")
    assert f"at most one win in {once:.1%}".replace("%", " %") in " ".join(page.split())
    assert f"at most two in {twice:.1%}".replace("%", " %") in " ".join(page.split())


def test_the_script_writes_its_table_into_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- coverage:begin -->\nold\n<!-- coverage:end -->\nafter\n", "utf-8")
    monkeypatch.setattr(measure_coverage, "PAGE", page)
    monkeypatch.setattr(measure_coverage, "ROWS", measure_coverage.ROWS[:1])
    assert measure_coverage.main(Args(repeats=1, write=True)) == 0
    table = capsys.readouterr().out
    assert "| evaluation: win rate | independent | 4 | " in table
    assert page.read_text("utf-8") == f"before\n<!-- coverage:begin -->\n{table}<!-- coverage:end -->\nafter\n"
    assert measure_coverage.main(Args(repeats=0)) == 2
    assert "--repeats=0 is out of range" in capsys.readouterr().err
