"""The points of a deal add up as the rules say, whatever the options, table size and course of the deal."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blackjacky_env import black_spy_v0
from tests.games.black_spy.options import options_of_games
from tests.games.black_spy.rigging import laid_out

LIMITS = {3: 200, 4: 150, 5: 120, 6: 100}  # B9
MYSELF = "minus 60 points for me"


def good_spies_count(options: dict[str, Any]) -> bool:
    """V1, V2: whether coloured 7s count in a deal without a moon."""
    never = options["moon_choice"] and options["moon_choice_spies"] == "never_scored"
    return not options["no_good_spies"] and not never


def expected(options: dict[str, Any], spies: int, myself: bool) -> int:
    """Return the points of a deal with a moon; ``spies``: coloured 7s of the player with all black cards."""
    if myself:
        return -60
    others = 60 * (options["num_players"] - 1)
    return others if options["no_good_spies"] or options["moon_choice"] else others - 5 * (4 - spies)


@settings(max_examples=30)
@given(options=options_of_games(), seed=st.integers(0, 2**32 - 1))
def test_the_points_of_random_deals_add_up(options, seed):
    """B7: 60, or 80 where coloured 7s count nothing; a player without a moon scores -20 .. 79."""
    env, rng = black_spy_v0.env(**options), np.random.default_rng(seed)
    env.reset(seed=seed)
    after = before = env.snapshot()
    while after["last_deal"] is None:
        before, mask = after, env.infos[env.agent_selection]["action_mask"]
        action = int(rng.choice(np.flatnonzero(mask)))
        env.step(action)
        after = env.snapshot()
    assume(max(before["black_taken"]) < 16 - options["num_players"])  # no moon, not even by the last trick
    assert sum(after["last_deal"]) == (60 if good_spies_count(options) else 80)
    assert min(after["last_deal"]) >= -20
    assert max(after["last_deal"]) <= 79
    check_totals(options, before["totals"], after, env)


@settings(max_examples=60)
@given(options=options_of_games(), spies=st.permutations([4, 0, 0]) | st.permutations([2, 1, 1]), myself=st.booleans(),
       totals=st.lists(st.integers(-60, 199), min_size=6, max_size=6))  # fmt: skip
def test_the_points_of_a_moon_add_up(options, spies, myself, totals):
    """B8, V1, V2: one card of each player is left when player_0 has taken all black ones."""
    options = {**options, "reward": "points"}
    n = options.pop("num_players")
    spies, totals = [*spies, 0, 0, 0][:n], [min(total, LIMITS[n] - 1) for total in totals[:n]]
    cards = ["b6", "b5", "b4", "b3", "b2", "b1"][:n]
    points = [80 - 5 * spies[0], *(-5 * count for count in spies[1:])]
    game = laid_out(
        *cards, black_taken=[16, *[0] * (n - 1)], spies_taken=spies, points=points, totals=totals, **options
    )
    game.play(" ".join(cards))
    assert (game.now["phase"] == "choose") == options["moon_choice"]
    if options["moon_choice"]:
        game.say(MYSELF if myself else "60 points for each of the others")
    now = game.now
    assert sum(now["last_deal"]) == expected({**options, "num_players": n}, spies[0], myself and options["moon_choice"])
    assert now["last_deal"][0] == (-60 if myself and options["moon_choice"] else 0)
    check_totals({**options, "num_players": n}, totals, now, game.env)


def check_totals(options: dict[str, Any], before: list[int], after: dict[str, Any], env: Any) -> None:
    """B9, V6: totals change by the points; one exactly at the limit is halved; the rewards are the changes."""
    limit, totals = LIMITS[options["num_players"]], []
    for old, points in zip(before, after["last_deal"], strict=True):
        halved = options["exact_limit"] and old + points == limit
        totals.append(limit // 2 if halved else old + points)
    assert after["totals"] == totals
    assert (after["phase"] == "over") == (max(totals) >= limit or options["max_deals"] == 1)
    if options["reward"] == "points":
        changes = [old - new for old, new in zip(before, totals, strict=True)]
        assert [env.rewards[agent] for agent in env.possible_agents] == changes
