"""Black Spy; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.compiled import settled_in, share_result
from blackjacky_env.declare import Game, NamedTable, Rules, SmallDeck, Words
from blackjacky_env.games import trick_taking
from blackjacky_env.games.black_spy import imagined, observation, rules, scene, state, words

_MINIATURES = {
    "mini-1": NamedTable(
        "Three players, three tricks, five black spies",
        3,
        "classic",
        {"max_deals": 1, "deck": ["blue 7", "red 1", "red 7", "red 11", *5 * ["black 7"]]},
    ),
    "mini-2": NamedTable(
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
    score_shaping=0.02,
    card_names=state.CARD_NAMES,
    small_deck=SmallDeck(trick_taking.leave_out, trick_taking.left_out),
    sample_weight=state.sample_weight,
    complete_options=state.complete_options,
    most_actions=state.most_actions,
    rules=Rules(
        begin=trick_taking.start_game,
        redeal=rules.redeal,
        legal=rules.legal,
        apply=rules.apply,
        is_settled=settled_in("phase", state.SETTLEMENT),
        settle=rules.settle,
        returns=share_result,
        encode=observation.encode,
        sample=imagined.sample,
        score=trick_taking.score,
        deal=rules.deal,
    ),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=words.ACTIONS,
        why_illegal=words.why_illegal,
        scene=scene.scene,
        face=scene.face,
        round_key="deal",
        settlement_key="last_deal",
        phases=state.RECORD.fields["phase"].choices,
        phase_field="phase",
        beyond_observation=("passed", "left"),  # O3
    ),
    tables=_MINIATURES,
)
