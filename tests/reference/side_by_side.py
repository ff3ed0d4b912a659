"""Environment and reference implementation of a game at one table, compared after every action."""

from __future__ import annotations

import pprint
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.games.fixtures import check_invariants

from .declaration import Cards, Options, Reference
from .parts import shared_result
from .registry import REFERENCES


@dataclass(frozen=True)
class Story:
    """All that is needed to play a game again."""

    game: str
    seed: int
    options: Options
    rigged: Options | None = None
    actions: list[int] = field(default_factory=list)
    key: int | None = None
    """Of a record, which does not know the seed."""

    @property
    def code(self) -> str:
        """A program that plays it."""
        names = ("game", "seed", "options", *(name for name in ("rigged", "key") if getattr(self, name)))
        arguments = "".join(f"    {name}={getattr(self, name)!r},\n" for name in names)
        actions = pprint.pformat(self.actions, width=110, compact=True)
        return (
            "from tests.reference.side_by_side import SideBySide\n\n"
            f"game = SideBySide(\n{arguments})\n"
            f"for action in {actions}:\n    game.step(action)\n"
        )


class Difference(AssertionError):  # noqa: N818 - what it is, not whose error
    """Environment and reference implementation differ, or one of them broke down."""

    def __init__(self, what: str, story: Story) -> None:
        super().__init__(what, story)
        self.what, self.story = what, story

    def __str__(self) -> str:
        return f"{self.what}\n\n{self.story.code}"


class SideBySide:
    """One game played through the environment and through the reference implementation at once.

    ``options`` are those of the environment, ``rigged`` is what its `reset` is given. ``views`` may be left out, with
    the invariants: they follow from the snapshot alone.
    """

    def __init__(
        self,
        game: str,
        seed: int,
        options: Options,
        rigged: Options | None = None,
        views: bool = True,
        key: int | None = None,
    ) -> None:
        self.reference: Reference = REFERENCES[game]
        self.env = self.reference.environment.env(**options)
        self.reward = self.env.reward
        self.reference_game = self.reference.game(
            **{name: value for name, value in options.items() if name != "reward"}
        )
        self.reference.attach(self)
        self.rigged = rigged or {}
        self.views = views
        self.story = Story(game, seed, options, rigged, key=key)
        self.actions = self.story.actions
        self.cases: Counter[str] = Counter()
        self._together(self._begin)

    def step(self, action: int) -> None:
        """Take a legal action in both; raises `Difference`."""
        self.actions.append(action)
        self._together(self._act)
        after = {**self.now, "told": getattr(self.reference_game, "told", ())}
        self.cases.update(name for name, met in self.reference.cases.items() if met(self.before, action, after))

    def _begin(self) -> None:
        self.env.reset(seed=self.story.seed, options=self.story.rigged)
        if self.story.key is not None:
            self.env.replay({**self.env.record(), "key": self.story.key})
        self.before = self.now = self.env.snapshot()
        self.reference_game.start(self.reference.start_player(self.now), self._dealt)

    def _act(self) -> None:
        action = self.actions[-1]
        self.before = self.now
        self.env.step(action)
        self.now = self.env.snapshot()
        self.reference_game.step(action)

    def _together(self, what: Any) -> None:
        """Do something in both and compare."""
        try:
            what()
        except Exception as error:
            raise Difference(f"{type(error).__name__}: {error}", self.story) from error
        self.legal = self.reference_game.legal_actions()
        self._compare()

    def _dealt(self, number: int, name: str = "deck") -> Cards:
        """The rigged deck, else that which the environment has just dealt."""
        rigged: list[Cards] = self.rigged.get(name, [])
        if number < len(rigged):
            deck: Cards | None = rigged[number]
        else:
            is_this = self.reference.deal_number(self.now) == number
            deck = self.reference.decks[name].dealt(self.now) if is_this else None
        assert deck is not None, f"{name} {number} is dealt here, but the environment has {self.now}"
        return deck

    def _agree(self, what: str, ours: Any, theirs: Any) -> None:
        if ours == theirs:
            return
        if isinstance(ours, dict) and ours.keys() == theirs.keys():
            ours, theirs = ({k: d[k] for k in d if ours[k] != theirs[k]} for d in (ours, theirs))
        raise Difference(f"{what}\nenvironment:              {ours}\nreference implementation: {theirs}", self.story)

    def _compare(self) -> None:
        theirs = self.reference_game.snapshot()
        self._agree("snapshot", self.now, theirs)
        self._agree("order of the snapshot", list(self.now), list(theirs))
        self._compare_observations()
        self._compare_end()
        if self.views:
            if not self.rigged:  # rigged decks may be of cards that a variant does not use
                check_invariants(self.env.game, self.env._states[: 1 + self.env._has_settled])
            self._agree("spectator's view", self.env.view(None), self.reference_game.view(None))
            for seat, agent in enumerate(self.env.possible_agents):
                self._agree(f"view of {agent}", self.env.view(agent), self.reference_game.view(seat))

    def _compare_observations(self) -> None:
        actions = range(self.env.game.num_actions)
        mask, off_turn = [int(action in self.legal) for action in actions], [0 for _ in actions]
        decode = self.reference.environment.decode
        for seat, theirs in enumerate(self.reference.observations(self.reference_game)):
            agent = self.env.possible_agents[seat]
            ours = self.env.observe(agent)
            self._agree(f"observation of {agent}", decode(ours["observation"]), theirs)
            allowed = mask if seat == self.reference_game.player else off_turn
            self._agree(f"mask of {agent}", ours["action_mask"].tolist(), allowed)

    def _compare_end(self) -> None:
        agents, over = self.env.possible_agents, self.reference_game.over
        ours = [round(self.env.rewards[agent], 9) for agent in agents]
        wins = shared_result(len(agents), self.reference_game.snapshot()["winners"])
        theirs = wins if self.reward == "win" else self.reference_game.paid
        self._agree(f"rewards, {self.reward}", ours, [round(paid, 9) for paid in theirs])
        self._agree("terminations", [self.env.terminations[agent] for agent in agents], [over] * len(agents))
        if self.reference_game.player is not None:
            self._agree("agent to act", self.env.agent_selection, agents[self.reference_game.player])


def play(game: SideBySide, policy: str, seed: int, opening: Iterable[int] = ()) -> SideBySide:
    """Play to the end, with these actions first."""
    rng, reference = random.Random(seed), game.reference
    policies = {**reference.policies, **reference.steering}
    for action in opening:
        game.step(action)
    while game.legal:
        name = reference.hurry(game.reference_game, len(game.actions)) or policy
        name = rng.choice(list(policies)) if name == "mixed" else name
        game.step(rng.choice(sorted(policies[name](game.legal))))
    return game


def replay(record: dict[str, Any], options: Options) -> None:
    """Play a record of the environment with both."""
    game = SideBySide(record["game"], 0, options, record["reset_options"], key=record["key"])
    for action in record["actions"]:
        game.step(action)
