"""The settings of the checks, and how their games are played."""

from __future__ import annotations

import copy
import functools
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from blackjacky_env.testing.errors import Spot
from blackjacky_env.testing.readouts import Env

Act = Callable[[Env], Any]
"""An action for the agent whose turn it is."""
Policy = Callable[[np.random.Generator], Act]
"""Makes the policy of one game, with that game's generator."""
VaryHidden = Callable[[Env, Any, np.random.Generator], Env | None]
VaryPublic = Callable[[Env, Any, np.random.Generator], Iterable[tuple[str, Env]]]
VaryUnseen = Callable[[Env, Any, np.random.Generator], Iterable[tuple[str, Env, Env]]]
Look = Callable[[Env, Any], Any]


class RecordedGame(NamedTuple):
    """A game as it was played."""

    seed: int
    actions: list[Any]
    """The actions; None for the last steps of agents that are done."""

    def moves(self, env: Env, spot: Spot, start: int = 0, end: int | None = None) -> Iterator[Any]:
        """The actions ``start`` .. ``end - 1``; the caller takes each in ``env``."""
        for step, action in enumerate(self.actions[start:end], start):
            spot.step, spot.agent = step, env.agent_selection
            yield action


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

    def __post_init__(self) -> None:
        for name in ("games", "max_steps", "moments", "positions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} is too few; allowed is 1 or more")
        for name, allowed in (("refusal", ("any", "raise", "end")), ("off_turn_mask", ("zero", None))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} is unknown; allowed are {allowed}")

    @functools.cached_property
    def make(self) -> Callable[[], Env]:
        """Makes the environment."""
        make: Callable[[], Env] = find(self.make_env) if isinstance(self.make_env, str) else self.make_env
        return make

    @property
    def seeds(self) -> range:
        """The seeds of the games."""
        return range(self.seed, self.seed + self.games)

    def begin(self, spot: Spot, seed: int) -> Env:
        """A new environment at the start of a game."""
        spot.begin(seed)
        env = self.make()
        env.reset(seed=seed)
        return env

    def moves(self, env: Env, spot: Spot, seed: int) -> Iterator[Any]:
        """The actions of a game, each chosen when it is needed; the caller takes it."""
        act = self.policy(np.random.default_rng(seed))
        for step in range(self.max_steps):
            if not env.agents:
                return
            spot.step, spot.agent = step, env.agent_selection
            yield None if is_done(env, env.agent_selection) else act(env)

    def recorded_games(self, spot: Spot) -> Iterator[RecordedGame]:
        """Play all games."""
        for seed in self.seeds:
            env, actions = self.begin(spot, seed), []
            for action in self.moves(env, spot, seed):
                env.step(action)
                actions.append(action)
            yield RecordedGame(seed, actions)

    def replay(self, spot: Spot, game: RecordedGame, steps: int | None = None) -> Env:
        """A new environment after the first ``steps`` actions of a game."""
        env = self.begin(spot, game.seed)
        for action in game.moves(env, spot, end=steps):
            env.step(action)
        return env

    def some_moments(self, game: RecordedGame) -> list[int]:
        """Random moments to examine: numbers of actions played before them, in order."""
        rng = np.random.default_rng([game.seed, len(game.actions)])
        count = min(self.moments, len(game.actions))
        return sorted(rng.choice(len(game.actions), count, replace=False).tolist())


Check = Callable[..., None]
"""(make_env, **settings of `Trial`): raises `ConformanceError` or `Skipped`."""


def check(function: Callable[[Trial, Spot], None]) -> Check:
    """Turn a function of a `Trial` and a `Spot` into a check that takes an environment and settings."""

    def run(make_env: Callable[[], Env] | str, **settings: Any) -> None:
        trial = Trial(make_env, **settings)
        with Spot(run.__name__.removeprefix("check_")) as spot:
            function(trial, spot)

    run.__name__ = run.__qualname__ = function.__name__
    run.__doc__, run.__module__ = function.__doc__, function.__module__
    return run
