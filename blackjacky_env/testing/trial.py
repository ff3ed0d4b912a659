"""The settings of the checks, how their games are played, and errors that name a place in them."""

from __future__ import annotations

import copy
import functools
import pkgutil
import unittest
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NoReturn, cast

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from blackjacky_env.testing.readouts import Env, Readout, first_difference, readout

Act = Callable[[Env], Any]
"""An action for the agent whose turn it is."""
Policy = Callable[[np.random.Generator], Act]
"""Makes the policy of one game, with that game's generator."""
VaryHidden = Callable[[Env, Any, np.random.Generator], Env | None]
VaryPublic = Callable[[Env, Any, np.random.Generator], Iterable[tuple[str, Env]]]
VaryUnseen = Callable[[Env, Any, np.random.Generator], Iterable[tuple[str, Env, Env]]]
Look = Callable[[Env, Any], Any]


class ConformanceError(AssertionError):
    """A check has failed; the message names the check, the game's seed, the step, the agent and the finding.

    Args:
        check: name of the check.
        what: the finding.
        seed: seed of the game; None: not about a single game.
        step: number of the action in the game, from 0; None: before the first.
        agent: the agent that acted, or that is concerned.
    """

    def __init__(
        self, check: str, what: str, seed: int | None = None, step: int | None = None, agent: Any = None
    ) -> None:
        super().__init__(check, what, seed, step, agent)
        self.check, self.what, self.seed, self.step, self.agent = check, what, seed, step, agent

    def __str__(self) -> str:
        places = {"seed": self.seed, "step": self.step, "agent": self.agent}
        where = ", ".join(f"{name} {place}" for name, place in places.items() if place is not None)
        return f"{self.check} ({where}): {self.what}" if where else f"{self.check}: {self.what}"


class Skipped(unittest.SkipTest):
    """A check does not apply to this environment, for the reason given; pytest and unittest count it as skipped."""


class RecordedGame(NamedTuple):
    """A game as it was played."""

    seed: int
    actions: list[Any]
    """The actions; None for the last steps of agents that are done."""


def random_preferences(rng: np.random.Generator) -> Act:
    """Random legal actions, with action weights drawn anew for each game.

    Games differ more than with uniform actions; in some, for example, actions that would end the game are rare. Spaces
    other than Discrete are sampled uniformly.
    """
    preferences: dict[int, float] = {}

    def act(env: Env) -> Any:
        agent = env.agent_selection
        space, mask = env.action_space(agent), action_mask(env, agent)
        if not isinstance(space, Discrete):
            sampler = copy.deepcopy(space)  # the environment's own space keeps its generator
            sampler.seed(int(rng.integers(2**31)))
            return sampler.sample(mask)
        legal = range(space.n) if mask is None else np.flatnonzero(mask).tolist()
        if not legal:
            raise ValueError(f"the mask of {agent}, whose turn it is, allows no action")
        weights = np.array([preferences.setdefault(action, rng.lognormal(sigma=1.5)) for action in legal])
        return int(space.start) + int(legal[rng.choice(len(legal), p=weights / weights.sum())])

    return act


def action_mask(env: Env, agent: Any) -> npt.NDArray[Any] | None:
    """The mask in the agent's observation or else in its info; None if there is none."""
    for place in (env.observe(agent), env.infos.get(agent, {})):
        if isinstance(place, Mapping) and "action_mask" in place:
            return cast("npt.NDArray[Any]", place["action_mask"])
    return None


def is_done(env: Env, agent: Any) -> bool:
    """Whether the agent is terminated or truncated, so that its only step left is None."""
    return bool(env.terminations[agent] or env.truncations[agent])


def find(name: str) -> Any:
    """The object called ``"module:name"``; `ValueError` for text of another form."""
    module, colon, function = name.partition(":")
    if not colon or not function:
        raise ValueError(f"{name!r} is not of the form 'module:function'")
    return pkgutil.resolve_name(f"{module}.{function}")  # a foreign game's module is an attribute of its package


@dataclass
class Place:
    """What a check has reached: the game's seed, the number of an action, and the agent."""

    check: str = ""
    seed: int | None = None
    step: int | None = None
    agent: Any = None


@dataclass(frozen=True)
class Trial:
    """An environment and the settings of all checks.

    Raises:
        TypeError, ValueError: a setting is unknown or out of range.
    """

    make_env: Callable[[], Env] | str
    """The function that makes the environment, or its name, ``"module:function"``. New processes can import a name, a
    function at the top level of a module, and a `functools.partial` of one."""
    games: int = 10
    """Number of games per check."""
    seed: int = 0
    """Seed of the first game; the next ones have seed + 1, seed + 2, ..."""
    policy: Policy = random_preferences
    """Policy that plays the games."""
    max_steps: int = 1000
    """Maximum number of steps per game."""
    moments: int = 3
    """Number of random moments per game at which it is copied, or at which every action is tried."""
    refusal: Literal["any", "raise", "end"] = "any"
    """How illegal actions are refused: by an exception, or by ending the game for the agent that took it."""
    off_turn_mask: Literal["zero"] | None = None
    """``"zero"``: the masks of agents that are not on turn are promised to be all zeros; None: no promise."""
    hash_seeds: Sequence[int] = (1, 2)
    """PYTHONHASHSEED of the new processes in which the games are repeated."""
    positions: int = 300
    """Number of positions examined by the checks of what is hidden and what is public."""
    vary_hidden: VaryHidden | None = None
    """(env, agent, generator) -> another environment that differs from env in everything the agent cannot know and in
    nothing else; None if nothing is hidden from the agent now. ``env`` must not change."""
    vary_public: VaryPublic | None = None
    """(env, agent, generator) -> (name, environment that differs in that thing) for things that the agent can see."""
    vary_unseen: VaryUnseen | None = None
    """(env, agent, generator) -> (what happened, environment, another one) in which others have done different things
    that the agent cannot tell apart. ``env`` must not change."""
    looks: Mapping[str, Look] = field(default_factory=dict)
    """Functions (env, agent) of further things an agent is shown, such as drawings, compared besides observations."""
    recalls: Mapping[str, Look] = field(default_factory=dict)
    """Functions (env, agent) of what an agent has heard so far, compared in the environments of ``vary_unseen``."""
    spectator: bool = False
    """Whether ``vary_hidden``, ``vary_unseen``, ``looks`` and ``recalls`` are also called with agent None, for a
    spectator."""
    place: Place = field(default_factory=Place, init=False)
    """Where a check is, for its errors."""

    def __post_init__(self) -> None:
        for name in ("games", "max_steps", "moments", "positions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} is too few; allowed is 1 or more")
        for name, allowed in (("refusal", ("any", "raise", "end")), ("off_turn_mask", ("zero", None))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} is unknown; allowed are {allowed}")

    # ------------------------------------------------------------ errors

    @contextmanager
    def naming(self, check: str) -> Iterator[None]:
        """Turn every exception of the environment into a `ConformanceError` of this check."""
        self.place.check = check
        try:
            yield
        except (ConformanceError, unittest.SkipTest):
            raise
        except Exception as error:
            raise self.error(f"the environment raised {type(error).__name__}: {error}") from error

    def error(self, what: str) -> ConformanceError:
        """The error that names this place."""
        place = self.place
        return ConformanceError(place.check, what, place.seed, place.step, place.agent)

    def fail(self, what: str) -> NoReturn:
        """Raise a `ConformanceError` that names this place."""
        raise self.error(what)

    def compare(self, expected: Readout, found: Readout, here: str, there: str) -> None:
        """Fail unless both readouts are the same; ``here`` and ``there`` say where they are from ("in the copy")."""
        if difference := first_difference(expected, found, here, there):
            self.fail(difference)

    # ------------------------------------------------------------ games

    @functools.cached_property
    def make(self) -> Callable[[], Env]:
        """Makes the environment."""
        make: Callable[[], Env] = find(self.make_env) if isinstance(self.make_env, str) else self.make_env
        return make

    @property
    def seeds(self) -> range:
        """The seeds of the games."""
        return range(self.seed, self.seed + self.games)

    def begin(self, seed: int) -> Env:
        """A new environment at the start of a game."""
        self.place.seed, self.place.step, self.place.agent = seed, None, None
        env = self.make()
        env.reset(seed=seed)
        return env

    def _at(self, step: int, env: Env) -> None:
        self.place.step, self.place.agent = step, env.agent_selection

    def moves(self, env: Env, seed: int) -> Iterator[Any]:
        """The actions of a game, each chosen when it is needed; the caller takes it."""
        act = self.policy(np.random.default_rng(seed))
        for step in range(self.max_steps):
            if not env.agents:
                return
            self._at(step, env)
            yield None if is_done(env, env.agent_selection) else act(env)

    def plays(self) -> Iterator[tuple[Env, Any]]:
        """All games, before every action: the environment, and the action, which the caller takes."""
        for seed in self.seeds:
            env = self.begin(seed)
            for action in self.moves(env, seed):
                yield env, action

    def again(self, env: Env, game: RecordedGame, start: int = 0, end: int | None = None) -> Iterator[Any]:
        """The actions ``start`` .. ``end - 1`` of a game; the caller takes each."""
        for step, action in enumerate(game.actions[start:end], start):
            self._at(step, env)
            yield action

    def recorded_games(self) -> Iterator[RecordedGame]:
        """Play all games."""
        for seed in self.seeds:
            env, actions = self.begin(seed), []
            for action in self.moves(env, seed):
                env.step(action)
                actions.append(action)
            yield RecordedGame(seed, actions)

    def replay(self, game: RecordedGame, steps: int | None = None) -> Env:
        """A new environment after the first ``steps`` actions of a game."""
        env = self.begin(game.seed)
        for action in self.again(env, game, end=steps):
            env.step(action)
        return env

    def readouts(self, env: Env, moves: Iterable[Any]) -> list[Readout]:
        """What ``env`` shows after each move."""
        seen = []
        for action in moves:
            env.step(action)
            seen.append(readout(env))
        return seen

    def some_moments(self, game: RecordedGame) -> list[int]:
        """Random moments to examine: numbers of actions played before them, in order."""
        rng = np.random.default_rng([game.seed, len(game.actions)])
        count = min(self.moments, len(game.actions))
        return sorted(rng.choice(len(game.actions), count, replace=False).tolist())


Check = Callable[..., None]
"""(make_env, **settings of `Trial`): raises `ConformanceError` or `Skipped`."""


def check(function: Callable[[Trial], None]) -> Check:
    """Turn a function of a `Trial` into a check that takes an environment and settings."""

    def run(make_env: Callable[[], Env] | str, **settings: Any) -> None:
        trial = Trial(make_env, **settings)
        with trial.naming(run.__name__.removeprefix("check_")):
            function(trial)

    run.__name__ = run.__qualname__ = function.__name__
    run.__doc__, run.__module__ = function.__doc__, function.__module__
    return run
