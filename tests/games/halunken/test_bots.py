"""The bots of Halunken & Spelunken make the obvious choices, value cards by the rules, and are a ladder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from blackjacky_agents import agent as agent_module
from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.games.halunken.bots.crew import change
from blackjacky_agents.games.halunken.bots.planner import PARAMETERS, estimate
from blackjacky_agents.games.halunken.encodings import ENCODINGS, TO
from blackjacky_agents.games.halunken.prospects import value
from blackjacky_agents.games.halunken.value_network import VALUE_NETWORK
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.network import encode_all
from blackjacky_agents.learning.sb3 import LearnerVecEnv
from blackjacky_env import make_batch
from blackjacky_env.engine.compiling import entry
from blackjacky_env.games.halunken.rules import move_card, present_score
from blackjacky_env.games.halunken.state import CARDS, SEATS, SETTLEMENT, TAVERN
from tests.games.halunken.rigging import Table

pytestmark = pytest.mark.prove
THINKERS = [name for name in bot_names("halunken") if name != "random"]


@pytest.fixture(autouse=True)
def _arranged_positions_are_shown_to_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards that a test does not name lie nowhere, for which agents would refuse the observation."""
    monkeypatch.setattr(agent_module, "check_asked", lambda name, game, observations, masks: (observations, masks))


def choice(name: str, game: Table) -> str:
    """What the bot does in the place of the player to act."""
    agent = make_agent(name, "halunken")
    agent.reset(seed=0)
    return game.env.action_name(agent.act(game.env.observe(game.env.agent_selection)))


def spent_but(*left: int) -> list[int]:
    """The field ``spent`` of a player who has only these movement cards, Rum = 8."""
    return [move not in left for move in range(1, 9)]


def late(*crews: str, left: tuple[int, ...] = (3, 4), **options: Any) -> Table:
    """Three captains on the fields 0, 5 and 10 in the last round of a basic game: the others will move 1 and 2."""
    spent = [spent_but(*left), spent_but(1), spent_but(2), spent_but()]
    return Table(0, 5, 10, variant="basic").arrange(crews, **{"round_number": 7, "spent": spent, **options})


def position(what: str) -> tuple[Table, str, str]:
    """A position, what is asked there, and what brings most."""
    taverns = {6: "G2", 12: "Y1"}
    match what:
        case "moves to the tavern whose card scores most":
            return late("R5 R6", "V5", "V14 V11", taverns={3: "R15", 4: "Y2", **taverns}), "choose", "move 3"
        case "moves elsewhere if that card lies there":
            return late("R5 R6", "V5", "V14 V11", taverns={3: "Y2", 4: "R15", **taverns}), "choose", "move 4"
        case "robs the card that gains most":
            game = late("R5 R6", "R11 Y12 V4 V5", "V14 V6", captains=[0, 3, 10], taverns={4: "Y1"})
            return game.choose(4, 1, 2), "rob", "R11"  # 22 points; Y12 brings 12
        case "gives the card that it misses least":
            game = Table(0, 5, 10, jack=13, jack_deck="4").arrange(["Y1 R9 R8", "G4", "V4"], taverns={1: "R10"})
            return game.nobody_bids().choose(1, 5, 6), "give", "Y1"
    game = late("R5 R6", "V5", "V14 V11", left=(8,), taverns={3: "R15", **taverns})
    return game.choose("Rum", 1, 2), "name", "name 3"


WHAT = ("moves to the tavern whose card scores most", "moves elsewhere if that card lies there")
WHAT += ("robs the card that gains most", "gives the card that it misses least", "names the number that brings most")


@pytest.mark.parametrize("name", THINKERS)
@pytest.mark.parametrize("what", WHAT)
def test_makes_the_obvious_choice(name: str, what: str) -> None:
    game, asked, best = position(what)
    assert game.asked == (asked, 0)
    assert choice(name, game) == best


def test_planner_moves_to_where_it_will_be_able_to_rob() -> None:
    taverns = {3: "Y2", 4: "Y3", 5: "G2", 12: "Y1"}
    game = late("R5", "V4 R15", "V14", captains=[0, 3, 10], left=(2, 4), taverns=taverns)
    assert choice("planner", game) == "move 4"  # where the second captain, moving 1, will stand


def test_planner_does_not_choose_the_card_that_another_must_play() -> None:  # H4
    spent = [spent_but(3, 4), spent_but(3), spent_but(1), spent_but()]
    taverns = {0: "Y1", 3: "R15", 4: "R11", 11: "Y2"}
    game = late("R5 R6", "V5", "V14 V4", spent=spent, taverns=taverns)
    assert choice("planner", game) == "move 4"
    assert choice("greedy", game) == "move 3"


def test_planner_bids_for_black_jack_if_he_will_rob_everybody() -> None:  # J4
    spent, jack_spent = [spent_but(7)] * 3 + [spent_but()], [True] * 11 + [False]
    crews = ["Y1 R4 R5 R6", "R15 R11 V4 V6", "R10 R9 V5 V7"]
    game = Table(0, 1, 2, jack=4).arrange(crews, round_number=7, opener=0, player=0, spent=spent, jack_spent=jack_spent)
    assert choice("planner", game) != "pass"


# ---------------------------------------------------------------- values


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
def test_a_card_changes_the_score_by_what_the_rules_count(crew: str) -> None:  # C1
    out = np.zeros((3, CARDS))
    _changes(late(crew, "Y5", "G5").records()[:1], 0, out)
    assert out.any()
    np.testing.assert_array_equal(out[0], out[1])
    np.testing.assert_array_equal(out[0], out[2])


def test_the_value_is_exact_when_the_game_ends() -> None:
    game = late("R5 R6", "R8 R7", "G5")
    states, result = game.records()[:1], np.zeros(SEATS)
    states["decision"] = SETTLEMENT
    _value(states, result)
    np.testing.assert_allclose(result[:3], [-0.5, 1.0, -0.5], atol=1e-6)


LEARNED = VALUE_NETWORK.value


@entry
def _learned_value(states, result):
    LEARNED(states[0], result)


def learned(game: Table) -> list[float]:
    result = np.zeros(SEATS)
    _learned_value(game.records()[:1], result)
    return result.tolist()


def test_the_value_network_prefers_more_points_and_cards_that_lead_to_more() -> None:
    taverns = {3: "R15", 4: "Y1", 6: "Y2", 12: "Y3"}
    ahead = learned(late("R5 R6 R7", "V5 V6", "G5 G6", taverns=taverns))
    assert ahead[0] > max(ahead[1:])
    able, unable = (learned(late("R5", "V5", "G5", left=(card,), taverns=taverns))[0] for card in (3, 4))
    assert able > unable


def test_foresight_differs_from_advice_in_what_it_expects_alone() -> None:
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


@entry
def _estimate(observation, mask, bits, values, parameters):
    estimate(observation, mask, bits, values, parameters)


def test_planner_values_only_legal_actions() -> None:
    game = Table(0, 4, 8, 11)
    shown = game.env.observe(game.env.agent_selection)
    values = np.empty(len(shown["action_mask"]))
    _estimate(shown["observation"], shown["action_mask"], np.uint64(1), values, PARAMETERS)
    assert (np.isfinite(values) == (shown["action_mask"] > 0)).all()
    assert (np.abs(values[np.isfinite(values)]) <= 1).all()


# ---------------------------------------------------------------- learning


def test_training_mixes_table_sizes_of_different_variants() -> None:
    env = LearnerVecEnv(8, (4, 2, 3), ["greedy"], game="halunken", encoding=ENCODINGS[0], threads=1)
    assert [(batch.variant, batch.num_envs) for batch in env.batches] == [("standard", 5), ("duel", 3)]
    first = env.reset()
    assert first.shape == (8, ENCODINGS[0].size)
    kept, shown = env.get_state(), []
    for _ in range(2):
        rng = np.random.default_rng(0)
        for _ in range(40):
            masks = env.action_masks()
            shown.append(env.step(np.argmax(rng.random(masks.shape) * masks, axis=1))[0])
        np.testing.assert_array_equal(env.set_state(kept), first)
    np.testing.assert_array_equal(shown[:40], shown[40:])
