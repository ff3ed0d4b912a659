"""What a game declares so that its environment and its reference implementation can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from blackjacky_env.declare.options import Variant
from blackjacky_env.envs import GameModule
from blackjacky_env.games import get_game

Cards = list[Any]
"""As the environment's snapshot writes them."""
Options = dict[str, Any]
T = TypeVar("T")
Snapshot = dict[str, Any]

Policy = Callable[[set[int]], set[int]]
"""From the legal actions to those that the policy likes; it takes each of these with equal chance."""
Case = Callable[[Snapshot, int, Snapshot], bool]
"""(snapshot before an action, action, snapshot after it, with what the game tells of this step as ``told``)"""


def told(after: Snapshot, kind: type[T]) -> list[T]:
    """What the reference implementation tells of this kind."""
    return [each for each in after["told"] if isinstance(each, kind)]


def tells(kind: type[T], which: Callable[[T], bool] = lambda _: True) -> Case:
    """The case that the reference implementation tells something of this kind."""
    return lambda _before, _action, after: any(map(which, told(after, kind)))


@dataclass(frozen=True)
class Rigged:
    """How a game begins: what `reset` is given, and the first actions."""

    reset: Options
    opening: list[int] = field(default_factory=list)


Rig = Callable[[Any, Options], Rigged]
"""From (random.Random, options of the environment) to how a game begins."""


def by_chance(_rng: Any, _options: Options) -> Rigged:
    """Nothing is rigged."""
    return Rigged({})


@dataclass(frozen=True)
class Setting:
    """Games of one kind, and the rare cases that they must meet; without policy or options each game has its own."""

    policy: str | None
    num_players: int
    options: Options | None = field(default_factory=dict)
    games: int = 4
    """How many the tests play."""
    meets: tuple[str, ...] = ()
    rig: Rig = by_chance

    def __str__(self) -> str:
        rigged = [] if self.rig is by_chance else [self.rig.__name__]
        options = [f"{name}={value}" for name, value in (self.options or {}).items()]
        return "-".join([f"{self.num_players}p", self.policy or "any", *rigged, *options])


@dataclass(frozen=True)
class Deck:
    """A deck of the game, which `reset` can rig."""

    all_cards: Callable[[Options], Cards]
    dealt: Callable[[Snapshot], Cards | None]
    """The deck of the deal that the snapshot shows; None once it is played from."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The reference implementation of a game, and what is played with it."""

    name: str
    """As in the registry of games; the environment is that of its module."""
    game: Callable[..., Any]
    """Made with the rule options of the environment. It offers

    - ``start(start_player, deal)``, where ``deal(number, name="deck")`` gives all cards of a deal, top first;
    - ``legal_actions()``, ``step(action)``, ``snapshot()``, ``view(seat)``, ``player``, ``over``;
    - ``paid``: what the last action has changed of the score, by seat.
    """
    observations: Callable[[Any], list[dict[str, Any]]]
    """The decoded observation of every player, by seat."""
    deal_number: Callable[[Snapshot], int]
    start_player: Callable[[Snapshot], int]
    """Who begins the deal that the snapshot shows before its first action."""
    decks: Mapping[str, Deck]
    """By the name of the option of `reset` that rigs them; ``deck`` is one of them."""

    policies: Mapping[str, Policy]
    """Those of random games."""
    steering: Mapping[str, Policy] = field(default_factory=dict)
    """Further ones, which look for rare cases."""
    any_options: Callable[[Any, int], Options]
    """(random.Random, number of players) to options of a game that can be dealt."""
    cases: Mapping[str, Case]
    """By name: positions or moves that random play seldom meets."""
    settings: tuple[Setting, ...]
    """What the tests play; those that meet rare cases the long run plays too, on top of random games."""
    hurry: Callable[[Any, int], str | None] = lambda _game, _actions: None
    """(game, actions so far) to the policy that brings a game without limit to its end, once that is wanted."""
    attach: Callable[[Any], None] = lambda _table: None
    """Given a `SideBySide` before it starts: tells the reference what else chance decides in the environment."""

    @property
    def environment(self) -> GameModule:
        """The public module of the game."""
        return GameModule(self.name)

    @property
    def rewards(self) -> tuple[str, str]:
        """Values of the environment's option ``reward``."""
        return "win", get_game(self.name).score_reward

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The variants of the game, the default first."""
        return get_game(self.name).variants

    def sizes(self, variant: str | None = None) -> list[int]:
        """The table sizes of a variant, or of any."""
        return sorted({size for each in self.variants if variant in (None, each.name) for size in each.sizes})

    @property
    def all_policies(self) -> tuple[str, ...]:
        """The pure ones, and ``mixed``, which takes another one for every action."""
        return (*self.policies, "mixed")
