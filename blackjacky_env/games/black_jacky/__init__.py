"""Black Jacky; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine.game import Game, Hidden, Rules, Words
from blackjacky_env.games.black_jacky import (
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
    name="black_jacky",
    title="Black Jacky",
    version=0,
    variants=options.VARIANTS,
    num_actions=rules.NUM_ACTIONS,
    state_dtype=rules.STATE,
    table_fields=tuple(name for name in rules.STATE.names or () if name not in ("key", "reshuffles", "known")),
    layout=observation.LAYOUT,
    score_reward="hearts",
    options=options.Options,
    complete_options=options.complete_options,
    write_options=options.write_options,
    read_options=options.read_options,
    card_names=tuple(range(rules.VALUES)),
    read_deck=options.read_deck,
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
        round_key="round",
        settlement_key="last_settlement",
        phases=("tip", "trick", "exchange", "zock", "over"),
        draw_svg=drawing.draw_svg,
    ),
    state_ranges=states.RANGES,
    state_facts=states.facts,
    hidden=Hidden(hidden.vary_hidden, hidden.public_variations),
    examples=examples.EXAMPLES,
)
