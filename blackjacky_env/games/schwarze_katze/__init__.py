"""Schwarze Katze; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine.game import Game, Hidden, Rules, Words
from blackjacky_env.games.schwarze_katze import (
    actions,
    drawing,
    examples,
    hidden,
    observation,
    options,
    rules,
    states,
    terminal,
    words,
)

GAME = Game(
    name="schwarze_katze",
    title="Schwarze Katze",
    version=0,
    variants=options.VARIANTS,
    num_actions=rules.NUM_ACTIONS,
    state_dtype=rules.STATE,
    table_fields=tuple(name for name in rules.STATE.names or () if name != "key"),
    layout=observation.LAYOUT,
    score_reward="points",
    options=options.Options,
    complete_options=options.complete_options,
    write_options=options.write_options,
    read_options=options.read_options,
    card_names=options.CARD_NAMES,
    read_deck=options.read_deck,
    seat_fields=states.SEAT_FIELDS,
    sample_state=observation.sample_state,
    rules=Rules(
        begin=rules.begin,
        redeal=rules.redeal,
        legal=rules.legal,
        apply=rules.apply,
        is_settled=rules.is_settled,
        settle=rules.settle,
        is_over=rules.is_over,
        returns=rules.returns,
        score=rules.score,
        encode=observation.encode,
        sample=observation.sample,
    ),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=actions.ACTIONS,
        why_illegal=words.why_illegal,
        draw_text=terminal.draw_text,
        round_key="deal",
        settlement_key="last_deal",
        phases=("play", "over"),
        draw_svg=drawing.draw_svg,
    ),
    table_low=-2500,  # the total of 50 deals without a trick
    state_ranges=states.RANGES,
    state_facts=states.facts,
    hidden=Hidden(hidden.vary_hidden, hidden.public_variations),
    examples=examples.EXAMPLES,
)
