"""Black Spy; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine.game import Game, Hidden, Rules, Words
from blackjacky_env.games.black_spy import (
    actions,
    drawing,
    examples,
    hidden,
    imagined,
    observation,
    options,
    rules,
    states,
    terminal,
    words,
)

GAME = Game(
    name="black_spy",
    title="Black Spy",
    version=0,
    variants=options.VARIANTS,
    num_actions=rules.NUM_ACTIONS,
    state_dtype=rules.STATE,
    table_fields=tuple(name for name in rules.STATE.names or () if name != "key"),
    layout=observation.LAYOUT,
    score_reward="points",
    options=options.Options,
    write_options=options.write_options,
    read_options=options.read_options,
    card_names=options.CARD_NAMES,
    read_deck=options.read_deck,
    seat_fields=states.SEAT_FIELDS,
    sample_state=imagined.sample_state,
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
        sample=imagined.sample,
    ),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=actions.ACTIONS,
        why_illegal=words.why_illegal,
        draw_text=terminal.draw_text,
        draw_svg=drawing.draw_svg,
        round_key="deal",
        settlement_key="last_deal",
        phases=tuple(words.PHASES.values()),
        phase_field="phase",
    ),
    table_low=-7620,  # the total of 127 moons, each 60 off the own total (V2)
    state_ranges=states.RANGES,
    state_facts=states.facts,
    hidden=Hidden(hidden.vary_hidden, hidden.public_variations),
    examples=examples.EXAMPLES,
)
