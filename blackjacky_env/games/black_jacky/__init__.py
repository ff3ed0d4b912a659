"""Black Jacky; `GAME` is its declaration."""

from __future__ import annotations

from typing import Any

from blackjacky_env.compiled import settled_in, share_result
from blackjacky_env.declare import Game, NamedTable, Pile, Reshuffle, Rules, SmallDeck, Words
from blackjacky_env.games.black_jacky import observation, rules, scene, state, words


def _miniature(title: str, turns: int, players: int = 2, **options: Any) -> NamedTable:
    """One round for one heart, with so many turns."""
    return NamedTable(title, players, "classic", {"hearts": 1, **options, "max_turns_per_round": turns})


_NO_TRICKS: dict[str, Any] = {"hand_size": 1, "max_card": 3, "tricks": []}
_SIX_CARDS: dict[str, Any] = {"hand_size": 1, "max_card": 3, "tricks": [1, 2, 3]}
_TEN_CARDS: dict[str, Any] = {"hand_size": 1, "max_card": 4, "tricks": [1, 2, 3, 4]}
_DIFFERENT: dict[str, Any] = {"deck": [1, 2, 3, 4, 5, 6], "bust_at": 10}
_LAID_CARDS: dict[str, Any] = {"deck": [1, 2, 3, 4, 5], "hand_size": 1, "tricks": [1, 3, 4, 5]}
_HELD_CARDS: dict[str, Any] = {"deck": [1, 2, 3, 4, 5], "hand_size": 2, "tricks": [1, 2, 3]}
_MINIATURES = {
    "mini-1": _miniature("Four cards without tricks, two turns", 2, deck=[2, 2, 3, 3], bust_at=5, **_NO_TRICKS),
    "mini-2": _miniature("Six cards, three turns", 3, bust_at=5, **_SIX_CARDS),
    "mini-3": _miniature("Six cards, four turns", 4, bust_at=6, **_SIX_CARDS),
    "mini-4": _miniature("Ten cards, four turns", 4, bust_at=7, **_TEN_CARDS),
    "mini-5": _miniature("Six different cards, hands of two, five turns", 5, **_DIFFERENT),
    "mini-6": _miniature("Six different cards, hands of two, six turns", 6, **_DIFFERENT),
    "mini-3p": _miniature(
        "Three players, five cards without tricks, three turns", 3, 3, deck=[2, 2, 3, 3, 3], bust_at=6, **_NO_TRICKS
    ),
    "tune-1": _miniature("For choosing settings, never reported: five cards, three turns", 3, bust_at=6, **_LAID_CARDS),
    "tune-2": _miniature(
        "For choosing settings, never reported: five cards, hands of two", 4, bust_at=8, **_HELD_CARDS
    ),
}

GAME = Game(
    name="black_jacky",
    title="Black Jacky",
    version=0,
    num_actions=state.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="hearts",
    score_shaping=0.3,
    complete_options=state.complete_options,
    most_actions=state.most_actions,
    card_names=tuple(range(state.VALUES)),
    deck=lambda players, options: state.full_deck(options["max_card"]),
    small_deck=SmallDeck(state.leave_out, state.left_out),
    reshuffle=Reshuffle("reshuffles", rules.stack_discards),
    sample_weight=state.sample_weight,
    pile=Pile("draw_pile", "draw_count"),
    rules=Rules(
        begin=rules.begin,
        redeal=rules.redeal,
        legal=rules.legal,
        apply=rules.apply,
        is_settled=settled_in("phase", state.SETTLEMENT),
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
        round_key="round",
        settlement_key="last_settlement",
        phases=state.RECORD.fields["phase"].choices,
    ),
    tables=_MINIATURES,
)
