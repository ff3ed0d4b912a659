"""Halunken & Spelunken; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.compiled import settled_in, share_result
from blackjacky_env.declare import ExtraDeck, Game, Rules, Words
from blackjacky_env.games.halunken import observation, rules, scene, state, words

GAME = Game(
    name="halunken",
    title="Halunken & Spelunken",
    version=0,
    num_actions=state.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="points",
    score_shaping=0.01,
    card_names=state.CARD_NAMES,
    most_actions=state.most_actions,
    extra_decks={"black_jack_deck": ExtraDeck(state.jack_cards, rules.redeal_jack)},
    rules=Rules(
        begin=rules.begin,
        redeal=rules.redeal,
        legal=rules.legal,
        apply=rules.apply,
        is_settled=settled_in("decision", state.SETTLEMENT),
        settle=rules.settle,
        returns=share_result,
        encode=observation.encode,
        sample=observation.sample,
        score=rules.score,
        deal=rules.deal,
    ),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=words.ACTIONS,
        why_illegal=words.why_illegal,
        scene=scene.scene,
        face=scene.face,
        round_key="game",
        settlement_key="last_game",
        phases=state.DECISIONS,
        beyond_observation=("happened",),
    ),
)
