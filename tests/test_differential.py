"""Environment and reference implementation must agree after every action of a game."""

import random
from collections import Counter

import pytest

from .reference.registry import REFERENCES
from .reference.side_by_side import SideBySide, play

VIEWED = 4  # in every so many games the views are compared too, which takes longer than all the rest
FIRST = 2  # cases of each game that `make test` plays; `make prove` plays all


def of_every_game(names, cases):
    """Parametrize with cases of each reference implementation, most of them in `make prove`."""
    told = (
        (reference, number, case) for reference in REFERENCES.values() for number, case in enumerate(cases(reference))
    )
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(reference, case, id=f"{reference.name}-{case}", marks=pytest.mark.prove if i >= FIRST else [])
            for reference, i, case in told
        ],
    )


@of_every_game("reference, setting", lambda reference: reference.settings)
def test_both_agree_after_every_action(reference, setting):
    met = Counter()
    for seed in range(setting.games):
        options = {"num_players": setting.num_players, "reward": reference.rewards[seed % 2], **(setting.options or {})}
        rigged = setting.rig(random.Random(seed), options)
        game = SideBySide(reference.name, seed, options, rigged.reset, views=seed % VIEWED == 0)
        met += play(game, setting.policy or "mixed", seed, rigged.opening).cases
        if seed >= 3 and all(met[case] for case in setting.meets):
            break
    assert [case for case in setting.meets if not met[case]] == []


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=list(REFERENCES))
def test_every_rare_case_is_asked_of_some_setting(reference):
    assert {case for setting in reference.settings for case in setting.meets} == set(reference.cases)


@of_every_game("reference, seed", lambda _: range(24))
def test_both_agree_on_any_game_of_the_family(reference, seed):
    rng = random.Random(seed)
    options = reference.any_options(rng, num_players=rng.choice(reference.sizes()))
    options = {"reward": reference.rewards[seed % 2], **options}
    game = SideBySide(reference.name, seed, options, views=seed % VIEWED == 0)
    play(game, rng.choice(reference.all_policies), seed)


@of_every_game("reference, seed", lambda _: range(6))
def test_rigged_decks_are_dealt_alike(reference, seed):
    rng = random.Random(seed)
    options = reference.any_options(rng, num_players=rng.choice(reference.sizes()))
    start = rng.randrange(options["num_players"])
    cards = {name: deck.all_cards(options) for name, deck in reference.decks.items()}
    rigged = {name: [rng.sample(deck, len(deck)) for _ in range(3)] for name, deck in cards.items()}
    game = SideBySide(reference.name, seed, options, {"start_player": start, **rigged})
    assert reference.start_player(game.reference_game.snapshot()) == start
    play(game, "mixed", seed)
