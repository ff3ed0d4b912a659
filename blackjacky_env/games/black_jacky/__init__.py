"""Black Jacky; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.compiled import settled_in, share_result
from blackjacky_env.declare import Game, Pile, Preset, Reshuffle, Rules, SmallDeck, Words
from blackjacky_env.games.black_jacky import observation, rules, scene, state, words

_ONE_CARD = {"hand_size": 1, "hearts": 1}
_SIX_CARDS = {**_ONE_CARD, "max_card": 3, "tricks": [1, 2, 3]}
_SIX_DIFFERENT = {"hearts": 1, "deck": [1, 2, 3, 4, 5, 6], "bust_at": 10}
_MINIATURES = {
    "mini-1": Preset(
        "Four cards without powers, two turns",
        2,
        "classic",
        {**_ONE_CARD, "deck": [2, 2, 3, 3], "max_card": 3, "bust_at": 5, "tricks": [], "max_turns_per_round": 2},
    ),
    "mini-2": Preset("Six cards, three turns", 2, "classic", {**_SIX_CARDS, "bust_at": 5, "max_turns_per_round": 3}),
    "mini-3": Preset("Six cards, four turns", 2, "classic", {**_SIX_CARDS, "bust_at": 6, "max_turns_per_round": 4}),
    "mini-4": Preset(
        "Ten cards, four turns",
        2,
        "classic",
        {**_ONE_CARD, "max_card": 4, "bust_at": 7, "tricks": [1, 2, 3, 4], "max_turns_per_round": 4},
    ),
    "mini-5": Preset(
        "Six different cards, hands of two, five turns", 2, "classic", {**_SIX_DIFFERENT, "max_turns_per_round": 5}
    ),
    "mini-6": Preset(
        "Six different cards, hands of two, six turns", 2, "classic", {**_SIX_DIFFERENT, "max_turns_per_round": 6}
    ),
    "mini-3p": Preset(
        "Three players, five cards without powers, three turns",
        3,
        "classic",
        {**_ONE_CARD, "deck": [2, 2, 3, 3, 3], "max_card": 3, "bust_at": 6, "tricks": [], "max_turns_per_round": 3},
    ),
}

GAME = Game(
    name="black_jacky",
    title="Black Jacky",
    version=0,
    num_actions=state.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="hearts",
    complete_options=state.complete_options,
    most_actions=state.most_actions,
    card_names=tuple(range(state.VALUES)),
    deck=lambda players, options: state.full_deck(options["max_card"]),
    small_deck=SmallDeck(state.leave_out, state.left_out),
    reshuffle=Reshuffle("reshuffles", rules.stack_discards),
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
    presets=_MINIATURES,
)
