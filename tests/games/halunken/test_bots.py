"""The bots of Halunken & Spelunken value cards by the rules; what networks are shown; see also ../test_bots.py."""

from dataclasses import replace

import numpy as np
import pytest

from blackjacky_agents.games import find_encoding
from blackjacky_agents.games.halunken.bots.crew import change
from blackjacky_agents.games.halunken.encodings import TO
from blackjacky_agents.games.halunken.prospects import value
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import check_at_game, presets_of
from blackjacky_agents.networks.agent_file import read_card
from blackjacky_agents.networks.network import encode_all, network_policy
from blackjacky_env import make_batch
from blackjacky_env.compiled.compiling import entry
from blackjacky_env.games.halunken.rules import move_card, present_score
from blackjacky_env.games.halunken.state import CARDS, SEATS, SETTLEMENT, TAVERN
from tests.games.halunken.rigging import Table

pytestmark = pytest.mark.prove


def late(*crews, left=(3, 4), **options):
    """Three captains on the fields 0, 5 and 10 in the last round of a basic game: the others will move 1 and 2."""
    spent = [[move not in cards for move in range(1, 9)] for cards in (left, (1,), (2,), range(9))]  # Rum is 8
    return Table(0, 5, 10, variant="basic").arrange(crews, **{"round_number": 7, "spent": spent, **options})


@entry
def _changes(states, p, out):
    """For each card before nobody: what it changes for p by `change`, and by the rules."""
    for card in range(CARDS):
        if states[0].where[card] == TAVERN:
            out[0, card] = change(states[0], p, card, 1)
            before = present_score(states[0], p)
            move_card(states[0], card, p)
            out[1, card] = present_score(states[0], p) - before
            out[2, card] = -change(states[0], p, card, -1)
            move_card(states[0], card, SEATS)  # the harbour


@entry
def _value(states, result):
    value(states[0], result)


@pytest.mark.parametrize("crew", ["", "R5", "R5 V6", "R4 R5 V11", "Y1 Y2 G13 V14", "R4 R5 V9 V10 G2"])
def test_a_card_changes_the_score_by_what_the_rules_count(crew):  # C1
    out = np.zeros((3, CARDS))
    _changes(late(crew, "Y5", "G5").records()[:1], 0, out)
    assert out.any()
    np.testing.assert_array_equal(out[0], out[1])
    np.testing.assert_array_equal(out[0], out[2])


def test_the_value_is_exact_when_the_game_ends():
    states, result = late("R5 R6", "R8 R7", "G5").records()[:1], np.zeros(SEATS)
    states["decision"] = SETTLEMENT
    _value(states, result)
    np.testing.assert_allclose(result[:3], [-0.5, 1.0, -0.5], atol=1e-6)


def test_four_times_the_playouts_halve_the_noise_of_foresight():
    seen = make_batch("halunken", 1, seed=0)
    for _ in range(100):
        if seen.action_masks.sum() == 5:  # movement cards; otherwise the number of playouts is rounded
            break
        seen.step(seen.action_masks.argmax(axis=1))
    noise = []
    for name in ("foresight", "foresight_256"):
        encoding = find_encoding(name, "halunken")
        features = np.zeros((400, encoding.size), np.float32)
        for number, out in enumerate(features):
            encoding.drawn(seen.observations[0], seen.action_masks[0], np.uint64(number), out)
        values = features[:, TO.values : TO.advice][:, seen.action_masks[0] > 0]
        noise.append(values.std(axis=0).mean())
    assert noise[1] == pytest.approx(noise[0] / 2, rel=0.15)


def test_foresight_differs_from_advice_in_what_it_expects_alone():
    seen = make_batch("halunken", 40, seed=0)
    for _ in range(12):
        seen.step(seen.action_masks.argmax(axis=1))
    advice, foresight = (
        encode_all(find_encoding(name, "halunken"), seen.observations, seen.action_masks)
        for name in ("advice", "foresight")
    )
    np.testing.assert_array_equal(advice[:, : TO.prospects], foresight[:, : TO.prospects])
    assert (advice[:, TO.values :] != foresight[:, TO.values :]).any()
    np.testing.assert_array_equal(foresight[:, TO.advice :].sum(axis=1), 1)
    assert (foresight[:, TO.advice :] <= seen.action_masks).all()


def test_a_network_learns_by_few_playouts_and_plays_by_many(tmp_path):
    settings = presets_of("halunken")["champion"]
    run = SelfPlay(settings, tmp_path, "")
    run.save_agent()
    assert read_card(tmp_path)["encoding"] == "foresight_256"
    played, learned = run.agent(greedy=True), run.agent(greedy=False)
    assert (played.policy, learned.policy) == tuple(
        network_policy(find_encoding(name, "halunken")) for name in ("foresight_256", "foresight")
    )
    with pytest.raises(ValueError, match=r"'cards' has not the features of .* allowed are '', 'advice', 'foresight', "):
        check_at_game(replace(settings, play_encoding="cards"))
