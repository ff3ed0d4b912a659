"""Agents written in Python, named ``package.module:Class`` or ``package.module:function``."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import check_plays, one_by_one, recalls
from blackjacky_env.checks import read_integer
from blackjacky_env.declare import IllegalActionError
from blackjacky_env.draw import listed

_PLACE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)")


class PythonAgent:
    """An object with a method ``act``, completed to an `Agent`; ``reset``, ``act_batch`` and all else are optional.

    Attributes that an `Agent` does not have, and those that are no methods where it has methods, are the object's own.

    Args:
        inner: the object, or a function (observation) -> action.
        name: name in tables and results.
        game: name of the game it plays.
        place: ``package.module:Class`` that made it, by which another process makes its own; None: it is pickled.

    Raises `TypeError` if it has no ``act``, `ValueError` if it plays another game.
    """

    def __init__(self, inner: Any, name: str, game: str, place: str | None = None) -> None:
        if callable(inner) and not hasattr(inner, "act"):
            inner = SimpleNamespace(act=inner)
        if not callable(getattr(inner, "act", None)):
            raise TypeError(f"agent {name!r} is {inner!r}, which has no method act(observation) -> action")
        check_plays(inner, name, game)
        self.name, self.game, self.recalls = name, game, recalls(inner)
        self.one_game_at_a_time = not callable(getattr(inner, "act_batch", None))
        """Whether a score plays its games one after the other, so that it may remember the game since ``reset``."""
        self._inner, self._place = inner, place
        for optional in ("explain", "hear", "forecast", "probabilities"):
            if callable(getattr(inner, optional, None)):
                setattr(self, optional, getattr(inner, optional))

    def reset(self, seed: int | None = None) -> None:
        """Reseed the agent, if it has a ``reset``."""
        if callable(getattr(self._inner, "reset", None)):
            self._inner.reset(seed)

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """Its action; `IllegalActionError` if it is not an integer."""
        action = self._inner.act(observation)
        try:
            return read_integer("action", action, "those of the mask")
        except TypeError:
            raise IllegalActionError(f"agent {self.name!r} returned {action!r}; an action is an integer") from None

    def act_batch(
        self, observations: npt.NDArray[Any], masks: npt.NDArray[Any], *recalled: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """Actions (N,) for observations (N, K) and masks (N, A), asked for one by one if it has no ``act_batch``."""
        if not self.one_game_at_a_time:
            return np.asarray(self._inner.act_batch(observations, masks, *recalled))
        return one_by_one(self.act, observations, masks, *recalled)

    def source(self) -> str | None:
        """The SHA-256 of the file with the object's class or the function; None if there is none, as in a console."""
        code = self._inner.act if isinstance(self._inner, SimpleNamespace) else type(self._inner)
        try:
            file = inspect.getsourcefile(code.func if isinstance(code, partial) else code)
        except (TypeError, OSError):
            return None
        return None if file is None or not Path(file).is_file() else sha256(Path(file).read_bytes()).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again from its place, since connections, for example, cannot be pickled; otherwise pickled whole."""
        if self._place is not None:
            return load_python_agent, (self._place, self.game)
        return PythonAgent, (self._inner, self.name, self.game)


def is_place(name: str) -> bool:
    """Whether a name looks like ``package.module:Class`` or ``package.module:function``."""
    return _PLACE.fullmatch(name) is not None


def find_object(place: str, what: str) -> Callable[..., Any]:
    """What can be called at ``package.module:NAME``; the module may be in the current folder.

    Raises `ValueError` if there is no such module or name, `TypeError` if it cannot be called; ``what`` names it there.
    """
    module, _, path = place.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that nothing in this folder hides an installed package
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # a module that this one imports
        raise ValueError(f"there is no module {error.name!r} in {here!r} or among the installed packages") from None
    try:
        make: Callable[..., Any] = attrgetter(path)(imported)
    except AttributeError:
        raise ValueError(f"{what} {place!r}: the module {module!r} has no {path!r}") from None
    if not callable(make):
        raise TypeError(f"{what} {place!r} is {make!r}, which cannot be called; name a class or a function")
    return make


def load_python_agent(place: str, game: str) -> PythonAgent:
    """The agent made by calling ``package.module:Class``, with ``game`` if it has a parameter of that name.

    A function that needs no other argument is called likewise and returns the agent; one that needs a single other
    argument is the agent, (observation) -> action. The module may be in the current folder. Errors inside the module or
    the constructor are raised as they are. Raises `ValueError` if there is no such module or class, or if it needs
    other arguments, `TypeError` if the object is no agent.
    """
    make = find_object(place, "agent")
    found = inspect.signature(make).parameters
    parameters = {
        name: each for name, each in found.items() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }
    called = partial(make, game=game) if "game" in parameters else make
    needed = [name for name, each in parameters.items() if each.default is each.empty and name != "game"]
    is_policy = len(needed) == 1 and not inspect.isclass(make)
    if needed and not is_policy:
        raise ValueError(
            f"agent {place!r} needs {listed(needed)}; allowed are a class that needs no argument other than game, and "
            "a function (observation) -> action"
        )
    return PythonAgent(called if is_policy else called(), place, game, place)
