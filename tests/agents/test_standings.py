"""What is said about games: means and intervals of deals, pairs and cycles, ratings."""

from itertools import product

import numpy as np
import pytest

from blackjacky_agents.arena.intervals import Estimate, wilson
from blackjacky_agents.arena.standings import (
    Games,
    Pair,
    deal_means,
    find_cycles,
    normalised_score,
    rate,
    saved_by_duplicates,
    standings,
    stopping_widths,
    win_rates,
)

SURE, UNSURE = Estimate(0.6, 0.51, 0.69), Estimate(0.6, 0.49, 0.71)


def rotated(lineups, orders):
    """The seats of all turns of deals in which the agents sit in these orders."""
    return np.array([[np.roll(order, turn) for turn in range(len(order))] for order in orders]), np.array(lineups)


def games_of(names, lineups, orders, winners):
    """Games in which these agents (a set for each turn of each deal) win wherever they sit; scores: 1 for a winner."""
    seats, lineups = rotated(lineups, orders)
    won = np.array(
        [[np.isin(row, list(who)) for row, who in zip(*deal, strict=True)] for deal in zip(seats, winners, strict=True)]
    )
    return Games(tuple(names), lineups, seats, won, won.astype(np.int64))


def simulated(deals, chances, rng, luck=0.0):
    """Deals of two agents; the first wins the games of a deal with a chance that differs between deals by luck."""
    chance = np.clip(chances + luck * rng.standard_normal((deals, 1)), 0, 1)
    seats = np.tile([[0, 1], [1, 0]], (deals, 1, 1))
    won = (rng.random((deals, 2)) < chance)[..., None] == (seats == 0)
    return Games(("a", "b"), np.array([[0, 1]]), seats, won, won.astype(np.int64))


def test_shares_and_rewards_are_those_of_the_rules():
    games = games_of("abc", [[0, 1, 2]], [[0, 1, 2]] * 2, [[{0}, {0, 1}, set()], [{0, 1, 2}, {2}, {1}]])
    assert games.shares[0, 0].tolist() == [1, 0, 0]
    assert games.shares[0, 1].tolist() == [0, 0.5, 0.5]
    assert games.rewards[0, 0].tolist() == [1, -0.5, -0.5]
    assert games.rewards[0, 1].tolist() == [-1, 0.5, 0.5]
    assert not games.rewards[0, 2].any()
    assert not games.rewards[1, 0].any()


def test_an_agents_means_are_those_of_its_seats_and_every_line_up_counts_the_same():
    # Three deals: the line-ups (a, b), (a, c), (a, b) in turn; a wins all against b and nothing against c.
    names, lineups, orders = "abc", [[0, 1], [0, 2]], [[0, 1], [2, 0], [1, 0], [0, 2]]
    result = standings(games_of(names, lineups, orders, [[{0}, {0}], [{2}, {2}], [{0}, {0}], [{2}, {2}]]))
    a, b, c = result.agents
    assert (a.win_rate.mean, b.win_rate.mean, c.win_rate.mean) == (0.5, 0, 1)
    assert (a.reward.mean, b.reward.mean, c.reward.mean) == (0, -1, 1)
    assert (a.score.mean, a.games, b.games) == (0.5, 8, 4)
    assert (result.games, result.deals, result.nobody.mean) == (8, 4, 0)
    assert [lineup.agents for lineup in result.lineups] == [("a", "b"), ("a", "c")]
    assert [lineup.win_rates["a"].mean for lineup in result.lineups] == [1, 0]


def test_copies_share_one_mean_and_count_by_pairs_of_seats():
    result = standings(games_of("ab", [[0, 1, 1]], [[0, 1, 1]] * 2, [[{0}, {1}, {0}]] * 2))
    a, b = result.agents
    assert a.win_rate.mean == pytest.approx(2 / 3)
    assert b.win_rate.mean == pytest.approx(1 / 6)
    (first, _) = result.pairs
    assert (first.first, first.second, first.games) == ("a", "b", 12)  # two pairs of seats in each game
    assert first.share.mean == pytest.approx(2 / 3)


def test_games_in_which_two_do_equally_well_say_nothing_about_the_pair():
    result = standings(games_of("abc", [[0, 1, 2]], [[0, 1, 2]] * 2, [[{2}, {0}, set()], [{2}, {0}, {1}]]))
    found = {(pair.first, pair.second): pair for pair in result.pairs}
    assert found["a", "b"].games == 3
    assert found["a", "b"].share.mean == pytest.approx(2 / 3)
    assert found["b", "a"].share.mean == pytest.approx(1 / 3)
    assert result.nobody.mean == pytest.approx(1 / 6)


def test_a_line_up_with_one_deal_has_no_interval():
    result = standings(games_of("ab", [[0, 1]], [[0, 1]], [[{0}, {1}]]))
    assert result.agents[0].win_rate.mean == 0.5
    assert np.isnan(result.agents[0].win_rate.low)
    with pytest.raises(ValueError, match="no deal is complete"):
        standings(Games(("a", "b"), np.array([[0, 1]]), *(np.zeros((0, 2, 2), kind) for kind in (int, bool, int))))


def test_certain_results_keep_some_doubt():
    result = standings(games_of("ab", [[0, 1]], [[0, 1]] * 30, [[{0}, {0}]] * 30))
    a, b = result.agents
    assert wilson(1.0, 30)[0] < a.win_rate.low < wilson(1.0, 60)[0]
    assert (a.win_rate.mean, a.win_rate.high) == (1, 1)
    assert (b.win_rate.low, b.win_rate.high) == pytest.approx((0, 1 - a.win_rate.low))
    assert result.pairs[0].share.low == pytest.approx(a.win_rate.low)


def test_the_interval_of_unequal_line_ups_is_that_of_their_mean():
    rng = np.random.default_rng(0)
    names, lineups = "abc", [[0, 1], [0, 2]]
    orders = [lineups[deal % 2] for deal in range(401)]
    winners = [[{0} if rng.random() < (0.2, 0.7)[deal % 2] else {1, 2} for _ in range(2)] for deal in range(401)]
    games = games_of(names, lineups, orders, winners)
    parts = [deal_means(games, games.shares)[number::2, 0] for number in (0, 1)]
    error = np.sqrt(sum(own.var(ddof=1) / len(own) for own in parts)) / 2
    rate = win_rates(games)[0]
    assert rate.mean == pytest.approx(sum(own.mean() for own in parts) / 2)
    assert rate.high - rate.low == pytest.approx(2 * 1.96 * error, rel=0.02)


def test_copies_have_the_interval_of_what_they_win_together():
    rng = np.random.default_rng(1)
    winners = [[{int(rng.random() < 0.7)} for _ in range(3)] for _ in range(100)]
    a, b = win_rates(games_of("ab", [[0, 1, 1]], [[0, 1, 1]] * 100, winners))
    assert (2 * b.low, 2 * b.high) == pytest.approx((1 - a.high, 1 - a.low))


def test_sequential_stopping_keeps_intervals_honest():
    rng = np.random.default_rng(2)
    held, deals_played = 0, []
    for _ in range(300):
        games = simulated(600, 0.3, rng)
        looks = [100 * 1.2**i for i in range(10)]
        deals = next(int(n) for n in looks if stopping_widths(part(games, int(n))).max() <= 0.1)
        mean = deal_means(part(games, deals), part(games, deals).shares)[:, 0].mean()
        held += abs(mean - 0.3) <= stopping_widths(part(games, deals))[0] / 2
        deals_played.append(deals)
    assert 0.92 <= held / 300 <= 0.99
    assert 100 < np.mean(deals_played) < 300


def part(games, deals):
    """The first deals."""
    return games._replace(seats=games.seats[:deals], winners=games.winners[:deals], scores=games.scores[:deals])


def test_a_width_of_no_spread_is_not_zero():
    games = games_of("ab", [[0, 1]], [[0, 1]] * 100, [[{0}, {0}]] * 100)
    widths = [rate.high - rate.low for rate in win_rates(games)]
    assert stopping_widths(games) == pytest.approx(np.hypot(widths, 2 * 1.96 / 100))
    assert np.isinf(stopping_widths(part(games, 1))).all()


def test_duplicates_save_what_their_games_balance_and_cost_what_they_repeat():
    rng = np.random.default_rng(3)
    seat_wins = rng.random((400, 1)) < 0.5  # the first or the second seat wins both games, whoever sits there
    balanced = [[{0}, {1}] if first else [{1}, {0}] for first in seat_wins[:, 0]]
    repeated = [[{0}, {0}] if first else [{1}, {1}] for first in seat_wins[:, 0]]
    alone = [[{a}, {b}] for a, b in rng.integers(2, size=(400, 2)).tolist()]
    orders = [[0, 1]] * 400
    assert np.isnan(saved_by_duplicates(games_of("ab", [[0, 1]], orders, balanced))).all()  # no spread is left
    assert saved_by_duplicates(games_of("ab", [[0, 1]], orders, repeated)) == pytest.approx([0.5] * 2, rel=0.01)
    assert saved_by_duplicates(games_of("ab", [[0, 1]], orders, alone)) == pytest.approx([1] * 2, rel=0.2)
    mixed = balanced[:200] + alone[200:]
    assert saved_by_duplicates(games_of("ab", [[0, 1]], orders, mixed)) == pytest.approx([2] * 2, rel=0.2)


def test_cycles_are_found_where_the_intervals_leave_no_doubt():
    beats = {("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("b", "d"), ("c", "d")}
    pairs = [Pair(x, y, 9, SURE if (x, y) in beats else UNSURE) for x, y in product("abcd", repeat=2) if x != y]
    assert find_cycles(pairs) == (("a", "b", "c"),)
    doubtful = [pair for pair in pairs if (pair.first, pair.second) != ("c", "a")]
    assert find_cycles([*doubtful, Pair("c", "a", 9, UNSURE)]) == ()
    longer = {("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")}
    assert find_cycles([Pair(x, y, 9, SURE) for x, y in longer]) == (("a", "b", "c", "d"),)


def test_ratings_follow_strength_and_tell_equals_apart_from_others():
    rng = np.random.default_rng(4)
    orders = [rng.permutation(3).tolist() for _ in range(200)]
    winners = [[{int(rng.choice(3, p=[0.6, 0.2, 0.2]))} for _ in range(3)] for _ in range(200)]
    strong, first, second = rate(games_of("abc", [[0, 1, 2]], orders, winners), replicates=8)
    assert strong.low > max(first.high, second.high)
    assert first.low < second.high
    assert second.low < first.high
    copies = games_of("ab", [[0, 1, 1]], [[0, 1, 1]] * 100, [[{0}, {0}, {1}]] * 100)
    one, other = rate(copies, replicates=3)
    assert one.mean > other.mean


def test_the_same_games_say_the_same_again():
    games = simulated(50, 0.4, np.random.default_rng(5))
    assert standings(games, seed=1) == standings(games, seed=1)
    assert standings(games, seed=1).agents[0].rating != standings(games, seed=2).agents[0].rating


def test_the_normalised_score_is_0_at_its_begin_and_1_at_its_end():
    assert [normalised_score(rate, 0.1, 0.9) for rate in (0.1, 0.5, 0.9)] == pytest.approx([0, 0.5, 1])
    assert normalised_score(0.5, 0.25, 0.25) is None
