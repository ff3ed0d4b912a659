"""Schwarze Katze; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine.game import Examples, Game, Hidden, Position, Rules, Words
from blackjacky_env.games.schwarze_katze import drawing, hidden, observation, rules, state, terminal, words

GAME = Game(
    name="schwarze_katze",
    title="Schwarze Katze",
    version=0,
    num_actions=rules.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="points",
    complete_options=state.complete_options,
    card_names=state.CARD_NAMES,
    deck=state.deck,
    rules=Rules(
        begin=rules.begin,
        redeal=rules.redeal,
        legal=rules.legal,
        apply=rules.apply,
        is_settled=rules.is_settled,
        settle=rules.settle,
        returns=rules.returns,
        score=rules.score,
        encode=observation.encode,
        sample=observation.sample,
    ),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=words.ACTIONS,
        why_illegal=words.why_illegal,
        draw_text=terminal.draw_text,
        round_key="deal",
        settlement_key="last_deal",
        phases=("play", "over"),
        draw_svg=drawing.draw_svg,
    ),
    state_facts=state.facts,
    hidden=Hidden(hidden.vary_hidden, hidden.visible),
    examples=Examples(
        short={"deals": 2},
        tables=(
            *({"num_players": players, "piatnik_heart_lead": True} for players in (3, 4, 10)),  # more known voids
            {"num_players": 5, "deals": 2, "heart_ace": 10, "reward": "points"},
        ),
        counted={"trick begun": lambda seen: bool(seen["table"])},
        picture=Position(seed=12, moves=63),  # the black cat lies on the table
    ),
)
