"""The settings of the checks, how their games are played, and errors that name a place in them."""

from __future__ import annotations

import copy
import functools
import pkgutil
import traceback
import unittest
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from blackjacky_env.checks import check_integer
from blackjacky_env.play.states import NO_POSITION
from blackjacky_env.testing.readouts import Env, Readout, first_difference

VaryHidden = Callable[[Env, Any, np.random.Generator], Iterable[tuple[str, Env, Env]]]
Look = Callable[[Any, Any], Any]


class ConformanceError(AssertionError):
    """A check has failed; the message names the check, the game's seed, the step, the agent and the finding."""


class Skipped(unittest.SkipTest):
    """A check does not apply to this environment, for the reason given; pytest and unittest count it as skipped."""


class RecordedGame(NamedTuple):
    """A game as it was played."""

    seed: int
    actions: list[Any]
    """The actions; None for the last steps of agents that are done."""


def action_mask(env: Env, agent: Any) -> npt.NDArray[Any] | None:
    """The mask in the agent's observation or else in its info; None if there is none."""
    seen, info = env.observe(agent), env.infos.get(agent, {})
    mask: npt.NDArray[Any] | None = seen.get("action_mask") if isinstance(seen, Mapping) else None
    return info.get("action_mask") if mask is None else mask


def is_done(env: Env, agent: Any) -> bool:
    """Whether the agent is terminated or truncated, so that its only step left is None."""
    return bool(env.terminations[agent] or env.truncations[agent])


def find(name: str) -> Callable[..., Any]:
    """The function called ``"module:name"``."""
    found: Callable[..., Any] = pkgutil.resolve_name(name.replace(":", "."))  # modules of games are attributes
    return found


@dataclass
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
    max_steps: int = 1000
    """Maximum number of steps per game."""
    moments: int = 3
    """Number of random moments per game at which it is copied, or at which every action is tried."""
    off_turn_mask: Literal["zero"] | None = None
    """``"zero"``: the masks of agents that are not on turn are promised to be all zeros; None: no promise."""
    positions: int = 100
    """Number of positions examined for leaks."""
    draws: int = 10_000
    """Number of positions sampled at a small table, for observations in random order."""
    vary_hidden: VaryHidden | None = None
    """(env, agent, generator) -> (what happened, such as ``" after a draw"``, environment, another one) for positions
    that differ in everything the agent cannot know and in nothing else. ``env`` must not change."""
    looks: Mapping[str, Look] = field(default_factory=dict)
    """Functions (env, agent) of further things an agent is shown, such as drawings, compared besides observations."""
    spectator: bool = False
    """Whether ``vary_hidden`` and ``looks`` are also called with agent None, for a spectator."""
    where: dict[str, Any] = field(default_factory=dict, init=False)
    """What a check has reached, for its errors: the game's seed, the number of actions so far, the agent."""
    note: str = field(default="", init=False)
    """What is said of a check that has passed."""

    def __post_init__(self) -> None:
        for name in ("games", "max_steps", "moments", "positions", "draws"):
            check_integer(name, getattr(self, name), 1, 10**9)
        if self.off_turn_mask not in ("zero", None):
            raise ValueError(f"off_turn_mask={self.off_turn_mask!r} is unknown; allowed are 'zero' and None")

    # ------------------------------------------------------------ errors

    @contextmanager
    def naming(self, check: str) -> Iterator[None]:
        """Errors name this check; every exception of the environment becomes one."""
        self.check, self.where, self.note = check, {}, ""
        try:
            yield
        except (ConformanceError, unittest.SkipTest):
            raise
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            at = [each for each in frames if Path(each.filename).parent.name != "compiled"][-1]  # not what runs rules
            place = f"{at.name}, line {at.lineno} of {at.filename}: {at.line}"
            hint = "; or a player is shown what only others know" if str(error).startswith(NO_POSITION) else ""
            raise self.error(f"the environment raised {type(error).__name__}: {error}{hint}, in {place}") from error

    def error(self, what: str) -> ConformanceError:
        """The error that names this place."""
        where = ", ".join(f"{name} {place}" for name, place in self.where.items())
        return ConformanceError(f"{self.check} ({where}): {what}" if where else f"{self.check}: {what}")

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
        return find(self.make_env) if isinstance(self.make_env, str) else self.make_env

    @functools.cached_property
    def recorded(self) -> list[RecordedGame]:
        """All games."""
        return [self.record(seed) for seed in range(self.seed, self.seed + self.games)]

    @functools.cached_property
    def another(self) -> RecordedGame:
        """A further game, for environments that have played before."""
        return self.record(self.seed + self.games)

    def record(self, seed: int) -> RecordedGame:
        """Play a game of random legal actions."""
        env, actions = self.begin(seed), list[Any]()
        rng, preferences = np.random.default_rng(seed), dict[int, float]()
        while env.agents and len(actions) < self.max_steps:
            self.where |= {"step": len(actions), "agent": env.agent_selection}
            done = is_done(env, env.agent_selection)
            actions.append(None if done else _random_action(env, rng, preferences))
            env.step(actions[-1])
        return RecordedGame(seed, actions)

    def begin(self, seed: int) -> Env:
        """A new environment at the start of a game."""
        self.where = {"seed": seed}
        env = self.make()
        env.reset(seed=seed)
        return env

    def play(self, game: RecordedGame, *envs: Env, start: int = 0, end: int | None = None) -> Iterator[None]:
        """Take the actions ``start`` .. ``end - 1`` of a game in all ``envs``; pause before each and after the last."""
        last = start + len(game.actions[start:end])
        for step in range(start, last + 1):
            on_turn = {"agent": envs[0].agent_selection} if envs[0].agents else {}
            self.where = {"seed": game.seed, "step": step, **on_turn}
            yield
            if step < last:
                for env in envs:
                    env.step(game.actions[step])

    def replay(self, game: RecordedGame, steps: int | None = None) -> Env:
        """A new environment after the first ``steps`` actions of a game."""
        env = self.begin(game.seed)
        for _ in self.play(game, env, end=steps):
            pass
        return env

    def some_moments(self, game: RecordedGame) -> list[int]:
        """Random moments to examine: numbers of actions played before them, in order."""
        rng = np.random.default_rng([game.seed, len(game.actions)])
        count = min(self.moments, len(game.actions))
        return sorted(rng.choice(len(game.actions), count, replace=False).tolist())


def _random_action(env: Env, rng: np.random.Generator, preferences: dict[int, float]) -> Any:
    """A random legal action, by weights that are drawn anew for each game.

    Games differ more than with uniform actions; in some, for example, actions that would end the game are rare. Spaces
    other than Discrete are sampled uniformly.
    """
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
