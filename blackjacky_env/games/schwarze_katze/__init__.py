"""Schwarze Katze; `GAME` is its declaration."""

from __future__ import annotations

from blackjacky_env.engine import trick_taking
from blackjacky_env.engine.game import Examples, Game, Hidden, Position, Preset, Rules, SmallDeck, Words
from blackjacky_env.engine.questions import gets_most
from blackjacky_env.games.schwarze_katze import hidden, observation, rules, scene, state, words

_ONE_DEAL = {"deals": 1}
_MINIATURES = {
    "mini-1": Preset(
        "Three players, two tricks: kings and aces of hearts and spades, and two more spades",
        3,
        "classic",
        {**_ONE_DEAL, "deck": ["KH", "AH", "JS", "QS", "KS", "AS"]},
    ),
    "mini-2": Preset(
        "Three players, three tricks: hearts and spades from the queen or jack up, and two diamonds",
        3,
        "classic",
        {**_ONE_DEAL, "deck": ["KD", "AD", "QH", "KH", "AH", "JS", "QS", "KS", "AS"]},
    ),
    "mini-4p": Preset(
        "Four players, two tricks: the four highest hearts and spades",
        4,
        "classic",
        {**_ONE_DEAL, "deck": ["JH", "QH", "KH", "AH", "JS", "QS", "KS", "AS"]},
    ),
}

GAME = Game(
    name="schwarze_katze",
    title="Schwarze Katze",
    version=0,
    num_actions=rules.NUM_ACTIONS,
    fields=state.RECORD,
    score_reward="points",
    complete_options=state.complete_options,
    most_actions=state.most_actions,
    card_names=state.CARD_NAMES,
    deck=state.deck,
    small_deck=SmallDeck(trick_taking.leave_out, trick_taking.left_out),
    rules=Rules.of(trick_taking, rules, observation),
    words=Words(
        snapshot=words.snapshot,
        view=words.view,
        actions=words.ACTIONS,
        why_illegal=words.why_illegal,
        scene=scene.scene,
        round_key="deal",
        settlement_key="last_deal",
        phases=("play", "over"),
    ),
    state_facts=state.facts,
    hidden=Hidden(hidden.vary_hidden, hidden.visible),
    presets=_MINIATURES,
    event=gets_most("gets the most penalty points of the deal", rules.penalties_of_deal),  # K6
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
