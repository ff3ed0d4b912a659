"""Halunken & Spelunken; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine.game import ExtraDeck, Game, Hidden, Rules, Words
from blackjacky_env.games.halunken import (
    actions,
    contradictions,
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
    name="halunken",
    title="Halunken & Spelunken",
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
    extra_decks={
        "black_jack_deck": ExtraDeck(options.read_jack_deck, options.write_jack_deck, rules.redeal_jack),
    },
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
        contradiction=contradictions.contradiction,
    ),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=actions.ACTIONS,
        why_illegal=words.why_illegal,
        draw_text=terminal.draw_text,
        round_key="game",
        settlement_key="last_game",
        phases=tuple(words.PHASES.values()),
        draw_svg=drawing.draw_svg,
    ),
    state_ranges=states.RANGES,
    state_facts=states.facts,
    contradictions=contradictions.CONTRADICTIONS,
    hidden=Hidden(hidden.vary_hidden, hidden.public_variations),
    examples=examples.EXAMPLES,
)
