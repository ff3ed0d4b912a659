"""Two readings of the rules, one game: environment and `reference.black_jacky` must agree after every action."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from .reference.black_jacky import KNOCK, NO_TRICK, deck_with
from .reference.events import (
    EVENTS,
    Event,
    black_heart_lost,
    both_lose_the_last_heart,
    empty_hand,
    everybody_knocked,
    exchange_of_others,
    first_knock_after_a_2,
    knock_cancelled,
    last_turns_cut_off,
    more_than_two_lose_the_last_heart,
    nothing_to_draw,
    plus_one_stuck,
    reshuffle,
    returning_tipper,
    returning_tipper_starts,
    returning_tipper_wins,
    several_eliminated,
    several_winners,
    tie_decided_by_sums,
    trick_3_without_effect,
    trick_4_on_oneself,
    trick_4_without_card,
    trick_7_without_card,
    turn_limit,
    two_tippers,
    wanted_sent_home,
)
from .reference.side_by_side import POLICIES, SideBySide, any_options, play

REWARDS = ("win", "hearts")
SWAPS_WITH_DRAW_PILE = set(range(31, 39))


@dataclass(frozen=True)
class Setting:
    """Some games of one kind, and the rare events that they must meet."""

    policy: str
    num_players: int
    options: dict[str, Any] = field(default_factory=dict)
    games: int = 4
    meets: tuple[Event, ...] = ()

    def __str__(self) -> str:
        return "-".join([f"{self.num_players}p", self.policy, *(f"{k}={v}" for k, v in self.options.items())])


SCHNELL = {"variant": "schnell_duell"}
TINY = {"max_card": 3, "hand_size": 1, "hearts": 1}
TRICKS_MEET = (empty_hand, last_turns_cut_off, knock_cancelled, first_knock_after_a_2, exchange_of_others)
TIPS_MEET = (several_eliminated, returning_tipper, returning_tipper_starts, black_heart_lost, two_tippers)
EMPTY_PILE_MEETS = (reshuffle, nothing_to_draw, trick_4_without_card, trick_7_without_card)
SETTINGS = [
    *(Setting(policy, n) for n in range(2, 7) for policy in ("uniform", "mixed", "knocker")),
    *(Setting(policy, n, SCHNELL) for n in range(2, 7) for policy in ("mixed", "trickster")),
    Setting("trickster", 6, games=10, meets=(*TRICKS_MEET, *TIPS_MEET, plus_one_stuck)),
    Setting("trickster", 3, games=15, meets=(trick_3_without_effect, trick_4_on_oneself)),
    Setting("knocker", 6, games=8, meets=(everybody_knocked, wanted_sent_home)),
    Setting("knocker", 4, TINY, games=120, meets=(returning_tipper_wins, both_lose_the_last_heart)),
    Setting("knocker", 3, {"bust_at": 8}, games=20, meets=(more_than_two_lose_the_last_heart,)),
    Setting("hoard", 2),
    Setting("hoard", 5, games=6, meets=EMPTY_PILE_MEETS),
    Setting("hoard", 4, {"tricks": (), "max_turns_per_round": 9}, meets=(turn_limit,)),
    Setting("knocker", 3, SCHNELL, games=30, meets=(tie_decided_by_sums,)),
    Setting("mixed", 2, {**SCHNELL, "bust_at": 6}, games=8, meets=(several_winners,)),
    Setting("mixed", 6, {"hearts": 9, "max_turns_per_round": None}, games=1),
    Setting("mixed", 2, {"hand_size": 8, "bust_at": 60}),
    Setting("trickster", 4, {"max_card": 7, "hand_size": 6}),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_both_readings_agree_after_every_action(setting: Setting) -> None:
    met: Counter[Event] = Counter()
    for seed in range(setting.games):
        options = {"num_players": setting.num_players, "reward": REWARDS[seed % 2], **setting.options}
        game = SideBySide(seed, options)
        met += play(game, setting.policy, seed).events
    assert [event.__name__ for event in setting.meets if not met[event]] == []


def test_every_rare_event_is_asked_of_some_setting() -> None:
    asked = {event for setting in SETTINGS for event in setting.meets}
    assert asked == set(EVENTS)


@pytest.mark.parametrize("seed", range(80))
def test_both_readings_agree_on_any_game_of_the_family(seed: int) -> None:
    rng = random.Random(seed)
    options = any_options(rng, num_players=rng.randint(2, 6))
    game = SideBySide(seed, {"reward": REWARDS[seed % 2], **options})
    play(game, rng.choice(POLICIES), seed)


@pytest.mark.parametrize("seed", range(6))
def test_rigged_decks_are_dealt_alike(seed: int) -> None:
    """R4: one card at a time clockwise from the start player, then one is turned up."""
    rng = random.Random(seed)
    cards = [value for value in range(1, 9) for _ in range(value)]
    rigged = [rng.sample(cards, len(cards)) for _ in range(3)]
    num_players = rng.randint(2, 6)
    start = rng.randrange(num_players)
    game = SideBySide(seed, {"num_players": num_players}, {"start_player": start, "deck": rigged})
    assert game.second.start_player == start
    play(game, "mixed", seed)


def test_a_round_without_limit_may_have_more_turns_than_a_byte_can_count() -> None:
    """R15: nobody knocks for 300 turns."""
    game = SideBySide(0, {"num_players": 2, "max_turns_per_round": None})
    for _ in range(300):
        game.step(NO_TRICK)
        game.step(min(game.second.legal_actions() & SWAPS_WITH_DRAW_PILE))
    assert game.second.turn == 300
    play(game, "knocker", 0)


def test_in_the_schnell_duell_a_sum_of_nothing_ranks_above_a_bust_one() -> None:
    """Q2: players 0 and 1 are tied at one heart, player 0 with nothing but a laid-out 5."""
    decks = [deck_with(8, 1, 8), deck_with(8, 8, 5)]
    options = {"num_players": 3, "variant": "schnell_duell", "hand_size": 1, "bust_at": 8, "hearts": 2}
    game = SideBySide(0, options, {"start_player": 0, "deck": decks})
    lay_the_5 = 5
    for action in [NO_TRICK, KNOCK] * 5 + [lay_the_5, KNOCK]:
        game.step(action)
    assert game.now["last_settlement"]["sums"] == [0, 80, 80]
    assert game.now["winners"] == [0]
