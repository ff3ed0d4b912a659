"""Halunken & Spelunken; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine.game import Examples, ExtraDeck, Game, Hidden, Position, Rules, Words
from blackjacky_env.engine.questions import gets_most
from blackjacky_env.games.halunken import (
    contradictions,
    hidden,
    observation,
    rules,
    scene,
    state,
    words,
)

GAME = Game(
    name="halunken",
    title="Halunken & Spelunken",
    version=0,
    num_actions=state.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="points",
    card_names=state.CARD_NAMES,
    most_actions=state.most_actions,
    extra_decks={
        "black_jack_deck": ExtraDeck(state.read_jack_deck, state.write_jack_deck, rules.redeal_jack),
    },
    rules=Rules.of(rules, observation, contradictions),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=words.ACTIONS,
        why_illegal=words.why_illegal,
        scene=scene.scene,
        round_key="game",
        settlement_key="last_game",
        phases=state.DECISIONS,
    ),
    state_facts=state.facts,
    contradictions=contradictions.CONTRADICTIONS,
    hidden=Hidden(hidden.vary_hidden, hidden.visible),
    event=gets_most("gets the fewest points of the game", rules.present_score, sign=-1),  # C1
    examples=Examples(
        seeds={  # with robberies, cancelled cards, Rum, gifts to the harbour, players with too few cards to be robbed
            ("standard", 3): 52,
            ("standard", 4): 65,
            ("basic", 3): 10,
            ("basic", 4): 55,
            ("duel", 2): 56,
        },
        tables=(
            {"num_players": 4, "rob_count": "before_pick", "reward": "points"},
            {"num_players": 3, "variant": "basic", "rob_count": "before_pick", "three_games": True},
            {"num_players": 2, "duel_black_jack": "standard"},
            {"num_players": 2, "rob_count": "before_pick", "three_games": True, "reward": "points"},
        ),
        counted={
            "card chosen in secret": lambda seen: "hidden" in seen["choices"],
            "card chosen for Black Jack in secret": lambda seen: seen["black_jack_choice"] == "hidden",
            "robbery": lambda seen: seen["victim"] is not None,
        },
        picture=Position(seed=75, moves=67),  # a robbery; three captains are still to move, one of them by Rum
    ),
)
