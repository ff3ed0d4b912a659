"""What is said about games: means and intervals of deals, pairs and cycles, ratings."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest

from blackjacky_agents.arena import standings as arena
from blackjacky_agents.arena.protocol import score
from blackjacky_agents.arena.standings import Pair, PlayedDeals, find_cycles, rate, standings, stopping_widths
from blackjacky_agents.intervals import Estimate, of_deals, student, wilson
from scripts.proofs import measure_coverage
from scripts.proofs.measure_coverage import ALIKE, BALANCED, GAMES, INDEPENDENT, SHARED, SIZES, coverage

SURE, UNSURE = Estimate(0.6, 0.51, 0.69), Estimate(0.6, 0.49, 0.71)


def games_of(names, lineups, orders, winners):
    """Games in which these agents (a set for each turn of each deal) win wherever they sit; scores: 1 for a winner."""
    seats = np.array([[np.roll(order, turn) for turn in range(len(order))] for order in orders])
    won = np.array(
        [[np.isin(row, list(who)) for row, who in zip(*deal, strict=True)] for deal in zip(seats, winners, strict=True)]
    )
    return PlayedDeals(tuple(names), np.array(lineups), seats, won, won.astype(np.int64))


def simulated(deals, chance, rng):
    seats = np.tile([[0, 1], [1, 0]], (deals, 1, 1))
    won = (rng.random((deals, 2)) < chance)[..., None] == (seats == 0)
    return PlayedDeals(("a", "b"), np.array([[0, 1]]), seats, won, won.astype(np.int64))


def test_means_are_those_of_seats_and_pairs_that_differ_and_one_deal_has_no_interval():
    # Three deals: the line-ups (a, b), (a, c), (a, b) in turn; a wins all against b and nothing against c.
    names, lineups, orders = "abc", [[0, 1], [0, 2]], [[0, 1], [2, 0], [1, 0], [0, 2]]
    result = standings(games_of(names, lineups, orders, [[{0}, {0}], [{2}, {2}], [{0}, {0}], [{2}, {2}]]))
    assert [agent.win_rate.mean for agent in result.agents] == [0.5, 0, 1]
    assert [agent.games for agent in result.agents] == [8, 4, 4]
    assert (result.agents[0].score.mean, result.games, result.deals, result.nobody.mean) == (0.5, 8, 4, 0)
    assert [lineup.agents for lineup in result.lineups] == [("a", "b"), ("a", "c")]
    assert [lineup.win_rates["a"].mean for lineup in result.lineups] == [1, 0]
    result = standings(games_of("ab", [[0, 1, 1]], [[0, 1, 1]] * 2, [[{0}, {1}, {0}]] * 2))
    a, b = result.agents
    assert a.win_rate.mean == pytest.approx(2 / 3)
    assert b.win_rate.mean == pytest.approx(1 / 6)
    (first, _) = result.pairs
    assert (first.first, first.second, first.games) == ("a", "b", 12)  # two pairs of seats in each game
    assert first.share.mean == pytest.approx(2 / 3)
    result = standings(games_of("abc", [[0, 1, 2]], [[0, 1, 2]] * 2, [[{2}, {0}, set()], [{2}, {0}, {1}]]))
    found = {(pair.first, pair.second): pair for pair in result.pairs}
    assert found["a", "b"].games == 3
    assert found["a", "b"].share.mean == pytest.approx(2 / 3)
    assert found["b", "a"].share.mean == pytest.approx(1 / 3)
    assert result.nobody.mean == pytest.approx(1 / 6)
    result = standings(games_of("ab", [[0, 1]], [[0, 1]], [[{0}, {1}]]))
    assert result.agents[0].win_rate.mean == 0.5
    assert np.isnan(result.agents[0].win_rate.low)
    with pytest.raises(ValueError, match="no deal is complete"):
        standings(
            PlayedDeals(("a", "b"), np.array([[0, 1]]), *(np.zeros((0, 2, 2), kind) for kind in (int, bool, int)))
        )


def test_sequential_stopping_keeps_intervals_honest():
    rng = np.random.default_rng(2)
    held, deals_played = 0, []
    for _ in range(300):
        games = simulated(600, 0.3, rng)
        looks = [100 * 1.2**i for i in range(10)]
        deals = next(int(n) for n in looks if stopping_widths(part(games, int(n))).max() <= 0.1)
        mean = arena.deal_means(part(games, deals), part(games, deals).shares)[:, 0].mean()
        held += abs(mean - 0.3) <= stopping_widths(part(games, deals))[0] / 2
        deals_played.append(deals)
    assert 0.92 <= held / 300 <= 0.99
    assert 100 < np.mean(deals_played) < 300


def part(games, deals):
    return games._replace(seats=games.seats[:deals], winners=games.winners[:deals], scores=games.scores[:deals])


def test_a_width_of_no_spread_is_not_zero():
    games = games_of("ab", [[0, 1]], [[0, 1]] * 100, [[{0}, {0}]] * 100)
    widths = [rate.high - rate.low for rate in arena.win_rates(games)]
    assert stopping_widths(games) == pytest.approx(np.hypot(widths, 2 * 1.96 / 100))
    assert np.isinf(stopping_widths(part(games, 1))).all()


def test_cycles_are_found_where_the_intervals_leave_no_doubt_without_trying_every_path():
    beats = {("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("b", "d"), ("c", "d")}
    pairs = [Pair(x, y, 9, SURE if (x, y) in beats else UNSURE) for x, y in product("abcd", repeat=2) if x != y]
    assert find_cycles(pairs) == (("a", "b", "c"),)
    doubtful = [pair for pair in pairs if (pair.first, pair.second) != ("c", "a")]
    assert find_cycles([*doubtful, Pair("c", "a", 9, UNSURE)]) == ()
    assert find_cycles([Pair(x, y, 9, SURE) for x, y in pairwise("abcda")]) == (("a", "b", "c", "d"),)
    names = [f"agent {number:02}" for number in range(30)]
    pairs = [Pair(x, y, 9, SURE) for x, y in combinations(names, 2)]
    assert find_cycles(pairs) == ()
    turned = [pair for pair in pairs if pair.second != names[29]]
    turned += [Pair(names[28], names[29], 9, SURE), Pair(names[29], names[27], 9, SURE)]
    assert find_cycles(turned) == (tuple(names[27:]),)


def unequal(deals, chances, rng):
    """Deals of as many agents as chances, each of which is one agent's of winning."""
    agents = np.arange(len(chances))
    winner = rng.choice(agents, size=(deals, len(agents), 1), p=chances)
    return games_of(agents.astype(str), agents[None], [agents] * deals, winner.tolist())


def test_ratings_are_those_at_which_openskills_changes_cancel_out():
    model = pytest.importorskip("openskill.models").PlackettLuce(tau=0.0)
    rng, sigma = np.random.default_rng(4), 1e-3
    games = unequal(100, [0.5, 0.25, 0.15, 0.1], rng)
    games.winners[rng.random(games.winners.shape) < 0.1] = True  # some win together
    games.winners[:3] = False  # and in some games nobody
    means, changes = np.array([rating.mean for rating in rate(games)]), np.zeros(4)
    for seats, winners in zip(games.seats.reshape(-1, 4), games.winners.reshape(-1, 4), strict=True):
        before = [[model.rating(means[agent], sigma)] for agent in seats]
        after = model.rate(before, ranks=(~winners).astype(float).tolist())
        changes[seats] += [each.mu for (each,) in after] - means[seats]
    scale = 2 * 25 / 6
    strengths = np.exp((means - 25) / scale)
    drawn = 1 / 4 - strengths / strengths.sum()  # the game that is added
    assert changes * scale / sigma**2 + drawn == pytest.approx(np.zeros(4), abs=1e-3)
    assert means.mean() == pytest.approx(25)


def test_equal_agents_that_tie_stay_equal_in_any_order_of_the_games():
    for winners in ({0, 1, 2, 3}, set(), {0, 1}):
        games = games_of("abcd", [[0, 1, 2, 3]], [[0, 1, 2, 3]] * 50, [[winners] * 4] * 50)
        means = [each.mean for each in rate(games)]
        assert means == pytest.approx([means[0]] * 2 + [means[2]] * 2)
        assert means[0] - means[2] > 5 if winners == {0, 1} else means == pytest.approx([25] * 4)
    games = unequal(2000, [0.236, 0.264, 0.25, 0.25], np.random.default_rng(1))
    turned = games._replace(seats=games.seats[::-1], winners=games.winners[::-1])
    for one, other in zip(rate(games), rate(turned), strict=True):
        assert 24 < one.mean < 26
        assert one.mean == pytest.approx(other.mean)


def test_intervals_of_ratings_narrow_as_games_are_added():
    rng = np.random.default_rng(4)
    few, many = (rate(unequal(deals, [0.6, 0.2, 0.2], rng)) for deals in (100, 10_000))
    for wide, narrow in zip(few, many, strict=True):
        assert narrow.high - narrow.low == pytest.approx((wide.high - wide.low) / 10, rel=0.25)
    assert many[0].low > max(many[1].high, many[2].high)
    one, other = rate(games_of("ab", [[0, 1, 1]], [[0, 1, 1]] * 100, [[{0}, {0}, {1}]] * 100))  # with copies
    assert one.low > other.high
    always, never, absent = rate(games_of("abc", [[0, 1]], [[0, 1]] * 9, [[{0}, {0}]] * 9))
    assert never.low < never.high < 25 < always.low < always.mean < 50
    assert np.isnan(absent.mean)


WILSON = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
"""Wins, games and interval: method 3 in table I of Newcombe, Statistics in Medicine 17 (1998) 857-872."""
STUDENT = [
    *((0.975, 1, 12.7062047), (0.975, 2, 4.3026527), (0.975, 20, 2.0859634), (0.975, 36, 2.0280940)),
    *((0.75, 1, 1.0), (0.9999, 2, 70.7000713), (0.99, 1000, 2.3300826), (0.975, 1e9, 1.9599640)),
]
"""Share, degrees of freedom, quantile."""


def test_intervals_are_wilsons_and_quantiles_students():
    for wins, games, low, high in WILSON:
        assert wilson(wins / games, games) == pytest.approx((low, high), abs=6e-5)
        mirrored = wilson(1 - wins / games, games)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=6e-5)
        assert all(0 <= end <= 1 for end in mirrored)
    for share, freedom, quantile in STUDENT:
        assert student(share, freedom) == pytest.approx(quantile, rel=1e-7)


@pytest.mark.parametrize("share", [0.0, 0.25, 1 / 3, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("size", SIZES)
def test_a_score_without_spread_has_an_interval(share, size):
    protocol = measure_coverage.protocol((size,), np.random.default_rng(0))
    for deals in (2, 3, 6, 500):
        low, high = of_deals(share, np.full(deals, share / deals), np.zeros(deals, np.int64), deals * size)
        assert low <= share <= high
        assert high - low > 1 / (deals * size)
        found, _ = score(protocol, [Estimate(share, low, high)])
        assert found.high - found.low > 100 / (deals * size)


USUAL = (0.97, 0.97, 0.97)
CASES = [
    (measure_coverage.whole_score, 0, INDEPENDENT, USUAL),
    *((measure_coverage.tournament, 4, luck, USUAL) for luck in (INDEPENDENT, ALIKE)),
    *((measure_coverage.pair, size, INDEPENDENT, USUAL) for size in SIZES),
    (measure_coverage.pair, 4, SHARED, USUAL),
    *((measure_coverage.rating, size, INDEPENDENT, USUAL) for size in SIZES),
    (measure_coverage.rating, 4, ALIKE, USUAL),
    # A few deals do not prove that all are nearly equal, nor do their means show how many wins were shared.
    (measure_coverage.tournament, 4, SHARED, (0.98, 0.97, 0.97)),
    (measure_coverage.tournament, 4, BALANCED, (0.99, 0.98, 0.97)),
]
REPEATS = dict(zip(GAMES, (160, 100, 40), strict=True))  # the least room is left at 12 games


@pytest.mark.prove
@pytest.mark.parametrize(("simulate", "size", "luck", "most"), CASES)
def test_intervals_hold_the_truth_in_93_to_97_of_100_cases(simulate, size, luck, most):
    for games, highest in zip(GAMES, most, strict=True):
        assert 0.93 <= coverage(simulate, luck, size, games, REPEATS[games], seed=1).mean() <= highest
