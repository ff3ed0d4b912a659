"""The target of OpenSpiel's observers, where OpenSpiel is installed: who asks for what, after which moves."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from blackjacky_env.engine.reading import parse_json
from blackjacky_env.games import GAMES
from tests.fuzzing.target import Target


@cache
def _game(name: str) -> Any:
    from blackjacky_env.openspiel import load_game

    return load_game(name, chance_outcomes=20)


def _observe(data: bytes) -> None:
    """Follow moves, then ask; another position that the player cannot tell apart must look the same."""
    import pyspiel

    asked = parse_json(data)
    if not isinstance(asked, dict) or asked.keys() != _requests()[0].keys() or asked["game"] not in GAMES:
        raise ValueError("this is no request")
    kinds = pyspiel.PrivateInfoType.__members__
    private = kinds[asked["private"]] if asked["private"] in kinds else asked["private"]
    game = _game(asked["game"])
    observer = game.make_py_observer(pyspiel.IIGObservationType(asked["public"], asked["recall"], private))
    state = game.new_initial_state()
    try:
        for action in asked["actions"]:
            state.apply_action(action)
    except pyspiel.SpielError as error:  # OpenSpiel's own check, of -1
        raise ValueError(str(error)) from error
    player = asked["player"]
    observer.set_from(state, player)
    shown = observer.string_from(state, player), np.array(observer.tensor)
    if state.is_chance_node() or state.is_terminal():
        return
    other = state.resample_from_infostate(player, lambda: 0.5)
    observer.set_from(other, player)
    if observer.string_from(other, player) != shown[0] or not np.array_equal(shown[1], np.array(observer.tensor)):
        raise AssertionError("what is hidden shows")


@cache
def _requests() -> list[dict[str, Any]]:
    """Requests after random games of up to 8 moves."""
    made, rng = [], np.random.default_rng(0)
    for name in GAMES:
        for length in (0, 1, 2, 4, 8):
            state = _game(name).new_initial_state()
            while not state.is_terminal() and len(state.history()) < length:
                state.apply_action(int(rng.choice(state.legal_actions())))
            rest = {"player": length % 2, "actions": state.history(), "game": name}
            made.append({"public": True, "recall": length > 1, "private": "SINGLE_PLAYER", **rest})
    return made


TARGETS = (
    [
        Target(
            "observer",
            "requests to OpenSpiel's observers",
            _observe,
            (ValueError, TypeError),
            lambda: [json.dumps(each).encode() for each in _requests()],
            0.2,
        )
    ]
    if find_spec("pyspiel")
    else []
)
