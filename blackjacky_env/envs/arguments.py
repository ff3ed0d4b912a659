"""Errors for unknown options, in Python's wording and ours."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from blackjacky_env.declare.game import Game
from blackjacky_env.declare.options import declared_options


def refuse_unknown(given: Mapping[str, Any], game: Game, *makers: Callable[..., Any]) -> None:
    """Raise `TypeError` for an option that neither the game nor the ``makers`` of its environment have.

    The message begins like Python's own, because callers try again without an option when they read "got an unexpected
    keyword argument": TorchRL does so with its ``frameskip``.
    """
    rules = [option.name for option in declared_options(game.options)]
    own = list(dict.fromkeys(name for maker in makers for name in _parameters(maker)))
    unknown = next((name for name in given if name not in rules and name not in own), None)
    if unknown is None:
        return
    near = difflib.get_close_matches(unknown, [*own, *rules], n=1, cutoff=0.75)
    hint = f" did you mean {near[0]!r}?" if near else ""
    there_are = f"options of {game.name} are {', '.join(rules)}" if rules else f"{game.name} has no options of its own"
    name = makers[0].__name__ + (".__init__" if inspect.isclass(makers[0]) else "")
    raise TypeError(
        f"{name}() got an unexpected keyword argument {unknown!r}: unknown option "
        f"{unknown}={given[unknown]!r};{hint} {there_are}; those of the environment are {', '.join(own)}"
    )


def _parameters(maker: Callable[..., Any]) -> Iterable[str]:
    parameters = inspect.signature(maker).parameters.values()
    return (each.name for each in parameters if each.kind is not each.VAR_KEYWORD and each.name != "game")
