"""Any options of a game of Black Spy, for Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


@st.composite
def options_of_games(draw: st.DrawFn) -> dict[str, Any]:
    """Draw options of a game."""
    switches = (
        "no_good_spies",
        "moon_choice",
        "mole",
        "mole_replaces_pass",
        "call_colour",
        "rank_follow",
        "rank_follow_strict",
        "exact_limit",
    )
    return {
        "num_players": draw(st.integers(3, 6)),
        "reward": draw(st.sampled_from(["win", "points"])),
        **{name: draw(st.booleans()) for name in switches},
        "moon_choice_spies": draw(st.sampled_from(["moon_deal_only", "never_scored"])),
        "call_timing": draw(st.sampled_from(["after_pass", "before_pass"])),
        "pass_cycle": draw(st.sampled_from(["left_right_across", "left_across_right", "left"])),
        "opener": draw(st.sampled_from(["red_star", "left_of_dealer"])),
        "max_deals": draw(st.integers(1, 3)),
    }
