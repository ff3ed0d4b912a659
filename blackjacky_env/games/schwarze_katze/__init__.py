"""Schwarze Katze; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.compiled import settled_in, share_result
from blackjacky_env.declare import Game, NamedTable, Rules, SmallDeck, Words
from blackjacky_env.games import trick_taking
from blackjacky_env.games.schwarze_katze import imagined, observation, rules, scene, state, words


def _miniature(title: str, players: int, deck: str) -> NamedTable:
    return NamedTable(title, players, "classic", {"deals": 1, "deck": deck.split()})


_MINIATURES = {
    "mini-1": _miniature(
        "Three players, two tricks: kings and aces of hearts and spades, and two more spades", 3, "KH AH JS QS KS AS"
    ),
    "mini-2": _miniature(
        "Three players, three tricks: hearts and spades from the queen or jack up, and two diamonds",
        3,
        "KD AD QH KH AH JS QS KS AS",
    ),
    "mini-4p": _miniature("Four players, two tricks: the four highest hearts and spades", 4, "JH QH KH AH JS QS KS AS"),
}

GAME = Game(
    name="schwarze_katze",
    title="Schwarze Katze",
    version=0,
    num_actions=rules.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="points",
    score_shaping=0.005,
    complete_options=state.complete_options,
    most_actions=state.most_actions,
    card_names=state.CARD_NAMES,
    deck=rules.deck,
    small_deck=SmallDeck(trick_taking.leave_out, trick_taking.left_out),
    rules=Rules(
        begin=rules.begin,
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
        phases=("play", "over"),
    ),
    tables=_MINIATURES,
)
