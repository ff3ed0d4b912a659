"""Any game of the family, for Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


@st.composite
def options_of_games(draw: st.DrawFn) -> dict[str, Any]:
    """Draw options of a game that can be dealt; those of the sheet, and large tables, come often."""
    players = draw(st.sampled_from([4, 5, 6, 2, 3, 5, 6]))
    max_card = draw(st.just(8) | st.integers(2, 8).filter(lambda v: v * (v + 1) // 2 > players))
    most = min(8, (max_card * (max_card + 1) // 2 - 1) // players)
    return {
        "num_players": players,
        "variant": draw(st.sampled_from(["classic", "classic", "schnell_duell"])),
        "reward": draw(st.sampled_from(["win", "hearts"])),
        "max_card": max_card,
        "hand_size": draw(st.just(min(2, most)) | st.integers(1, most)),
        "bust_at": draw(st.just(21) | st.integers(2, 99)),
        "hearts": draw(st.integers(1, 3) | st.integers(1, 9)),
        "tricks": draw(st.just(list(range(1, 9))) | st.lists(st.integers(1, 8), unique=True)),
        "max_turns_per_round": draw(st.just(100) | st.none() | st.integers(1, 127)),
    }
