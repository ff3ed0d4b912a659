"""Two readings of the rules, one game: environment and second reading must agree after every action."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from .reference.reading import Event, Reading, Setting
from .reference.readings import READINGS
from .reference.side_by_side import SideBySide, play

SETTINGS = [
    pytest.param(reading, setting, id=f"{reading.name}-{setting}")
    for reading in READINGS.values()
    for setting in reading.settings
]
every_reading = pytest.mark.parametrize("reading", READINGS.values(), ids=list(READINGS))


@pytest.mark.parametrize(("reading", "setting"), SETTINGS)
def test_both_readings_agree_after_every_action(reading: Reading, setting: Setting) -> None:
    met: Counter[Event] = Counter()
    for seed in range(setting.games):
        options = {"num_players": setting.num_players, "reward": reading.rewards[seed % 2], **setting.options}
        game = SideBySide(reading.name, seed, options)
        met += play(game, setting.policy, seed).events
    assert [event.__name__ for event in setting.meets if not met[event]] == []


@every_reading
def test_every_rare_event_is_asked_of_some_setting(reading: Reading) -> None:
    asked = {event for setting in reading.settings for event in setting.meets}
    assert asked == set(reading.events)


@every_reading
@pytest.mark.parametrize("seed", range(80))
def test_both_readings_agree_on_any_game_of_the_family(reading: Reading, seed: int) -> None:
    rng = random.Random(seed)
    options = reading.any_options(rng, num_players=rng.choice(reading.tables))
    game = SideBySide(reading.name, seed, {"reward": reading.rewards[seed % 2], **options})
    play(game, rng.choice(reading.all_policies), seed)


@every_reading
@pytest.mark.parametrize("seed", range(6))
def test_rigged_decks_are_dealt_alike(reading: Reading, seed: int) -> None:
    """One card at a time clockwise from the start player."""
    rng = random.Random(seed)
    options = {"num_players": rng.choice(reading.tables)}
    start, cards = rng.randrange(options["num_players"]), reading.all_cards(options)
    rigged = [rng.sample(cards, len(cards)) for _ in range(3)]
    game = SideBySide(reading.name, seed, options, {"start_player": start, "deck": rigged})
    assert reading.start_player(game.second.snapshot()) == start
    play(game, "mixed", seed)
