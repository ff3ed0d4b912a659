"""Black Spy; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine import trick_taking
from blackjacky_env.engine.game import Examples, Game, Hidden, Position, Preset, Rules, SmallDeck, Words
from blackjacky_env.engine.questions import gets_most
from blackjacky_env.games.black_spy import (
    hidden,
    imagined,
    observation,
    rules,
    scene,
    state,
    words,
)

_EVERYTHING = {
    "moon_choice": True,
    "mole": True,
    "call_colour": True,
    "rank_follow": True,
    "rank_follow_strict": True,
    "exact_limit": True,
}

_MINIATURES = {
    "mini-1": Preset(
        "Three players, three tricks, five black spies",
        3,
        "classic",
        {"max_deals": 1, "deck": ["blue 7", "red 1", "red 7", "red 11", *5 * ["black 7"]]},
    ),
    "mini-2": Preset(
        "Three players, three tricks, two black spies",
        3,
        "classic",
        {
            "max_deals": 1,
            "deck": ["blue 1", "blue 7", "blue 11", "red 1", "red 7", "red 11", "black 7", "black 7", "black 11"],
        },
    ),
}

GAME = Game(
    name="black_spy",
    title="Black Spy",
    version=0,
    num_actions=state.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="points",
    card_names=state.CARD_NAMES,
    small_deck=SmallDeck(trick_taking.leave_out, trick_taking.left_out),
    complete_options=state.complete_options,
    most_actions=state.most_actions,
    rules=Rules.of(trick_taking, rules, observation, imagined),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=words.ACTIONS,
        why_illegal=words.why_illegal,
        scene=scene.scene,
        round_key="deal",
        settlement_key="last_deal",
        phases=state.RECORD.fields["phase"].choices,
        phase_field="phase",
    ),
    state_facts=state.facts,
    observation_facts=state.observation_facts,
    sampled_facts=state.sampled_facts,
    hidden=Hidden(hidden.vary_hidden, hidden.visible),
    presets=_MINIATURES,
    event=gets_most("gets the most points of the deal", rules.points_of_deal),  # B7, B8
    examples=Examples(
        seeds={("classic", 3): 4, ("classic", 4): 9, ("classic", 6): 15},  # black 7s tie, the red 1 is passed
        short={"max_deals": 2, "mole": True, "moon_choice": True},
        tables=(
            {"num_players": 3, **_EVERYTHING, "no_good_spies": True, "max_deals": 3, "reward": "points"},
            {"num_players": 4, **_EVERYTHING, "call_timing": "before_pass", "pass_cycle": "left_across_right"},
            {
                "num_players": 5,
                "mole": True,
                "mole_replaces_pass": True,
                "rank_follow": True,
                "opener": "left_of_dealer",
            },
            {"num_players": 6, "moon_choice": True, "moon_choice_spies": "never_scored", "pass_cycle": "left"},
        ),
        counted={
            "chosen in secret": lambda seen: any(seen["chosen"]),
            "left in the pile": lambda seen: any(seen["left"]),
            "known to lack": lambda seen: any(seen["lacks"]),
            "red 1 known": lambda seen: seen["red_star"] is not None,
        },
        picture=Position(seed=145, moves=35),  # a black spy lies in a trick that the red 7 has led
    ),
)
