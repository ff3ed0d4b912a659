"""Environment and second reading at one table, compared after every action; and what is played there."""

from __future__ import annotations

import pprint
import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from blackjacky_env import black_jacky_v0

from .black_jacky import DRAW, KNOCK, NO_TRICK, ReferenceGame
from .events import EVENTS, Event
from .observation import observations

Options = dict[str, Any]
TRICK_1 = 1
NUM_ACTIONS = 61
NO_ACTIONS = [0] * NUM_ACTIONS
LONG = 600  # actions in a game without turn limit, enough for more turns than a byte can count

# -- policies: from the legal actions to those the policy likes -------------------------------------------------------


def uniform(legal: set[int]) -> set[int]:
    return legal


def hoard(legal: set[int]) -> set[int]:
    return legal - {TRICK_1, KNOCK} or legal


def trickster(legal: set[int]) -> set[int]:
    return legal - {NO_TRICK} or legal


def knocker(legal: set[int]) -> set[int]:
    return legal & {NO_TRICK, KNOCK} or legal


PURE = {"uniform": uniform, "hoard": hoard, "trickster": trickster, "knocker": knocker}
POLICIES = (*PURE, "mixed")


def choose(policy: str, legal: set[int], rng: random.Random) -> int:
    name = rng.choice(list(PURE)) if policy == "mixed" else policy
    return rng.choice(sorted(PURE[name](legal)))


def any_options(rng: random.Random, num_players: int) -> Options:
    """Options of a game that can be dealt."""
    max_card, hand_size = rng.randint(2, 8), rng.randint(1, 8)
    if num_players * hand_size >= max_card * (max_card + 1) // 2:
        return any_options(rng, num_players)
    return {
        "num_players": num_players,
        "variant": rng.choice(["classic", "schnell_duell"]),
        "max_card": max_card,
        "hand_size": hand_size,
        "bust_at": rng.choice([2, 5, 8, 12, 15, 21, 30, 60, 99]),
        "hearts": rng.choice([None, 1, 2, 3]),
        "tricks": [value for value in range(1, 9) if rng.random() < 0.8],
        "max_turns_per_round": rng.choice([1, 2, 3, 7, 20, 100, 127, None]),
    }


# -- what tells a game ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Round:
    """Where a round of a story begins; the deck is None until it is dealt."""

    start_player: int
    first_action: int
    deck: list[int] | None = None


@dataclass(frozen=True)
class Story:
    """All that is needed to play a game again, and the rounds that it had."""

    seed: int
    options: Options
    rigged: Options | None = None
    actions: list[int] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)

    @property
    def code(self) -> str:
        """A program that plays it."""
        given = [f"{name}={getattr(self, name)!r}" for name in ("seed", "options") + ("rigged",) * bool(self.rigged)]
        arguments = "".join(f"    {argument},\n" for argument in given)
        actions = pprint.pformat(self.actions, width=110, compact=True)
        return (
            "from tests.reference.side_by_side import SideBySide\n\n"
            f"game = SideBySide(\n{arguments})\n"
            f"for action in {actions}:\n    game.step(action)\n"
        )


class Difference(AssertionError):  # noqa: N818 - what it is, not whose error
    """The two readings differ, or one of them broke down."""

    def __init__(self, what: str, story: Story) -> None:
        super().__init__(what, story)
        self.what, self.story = what, story

    def __str__(self) -> str:
        return f"{self.what}\n\n{self.story.code}"


# -- both at one table ------------------------------------------------------------------------------------------------


class SideBySide:
    """One game played through the environment and through the second reading at once.

    ``options`` are those of the environment, ``rigged`` is what its `reset` is given. ``views`` may be left out: they
    follow from the snapshot alone.
    """

    def __init__(self, seed: int, options: Options, rigged: Options | None = None, views: bool = True) -> None:
        self.env = black_jacky_v0.env(**options)
        self.reward = self.env.reward
        self.second = ReferenceGame(**{name: value for name, value in options.items() if name != "reward"})
        self.second.reshuffle = self._reshuffled
        self.rigged: list[list[int]] = (rigged or {}).get("deck", [])
        self.views = views
        self.story = Story(seed, options, rigged)
        self.actions = self.story.actions
        self.events: Counter[Event] = Counter()
        self._together(self._begin)

    def step(self, action: int) -> None:
        """Take a legal action in both; raises `Difference`."""
        self.actions.append(action)
        self._together(self._act)
        self.events.update(event for event in EVENTS if event(self.before, action, self.now))

    def _begin(self) -> None:
        self.env.reset(seed=self.story.seed, options=self.story.rigged)
        self.before = self.now = self.env.snapshot()
        self._note_round()
        self.second.start(self.now["start_player"], self._dealt)

    def _act(self) -> None:
        action = self.actions[-1]
        self.before = self.now
        self.env.step(action)
        self.now = self.env.snapshot()
        if self.now["round"] > self.before["round"]:
            self._note_round()
        self.second.step(action)

    def _together(self, what: Any) -> None:
        """Do something in both and compare."""
        try:
            what()
        except Exception as error:
            raise Difference(f"{type(error).__name__}: {error}", self.story) from error
        self.legal = self.second.legal_actions()
        self._compare()

    # -- chance: the cards of the environment are given to the second reading ------------------------------------------

    def _note_round(self) -> None:
        self.story.rounds.append(Round(self.now["start_player"], len(self.actions)))

    def _dealt(self, round_: int) -> list[int]:
        """The rigged deck, else that which the environment has just dealt (R4)."""
        deck = self.rigged[round_] if round_ < len(self.rigged) else self._deck_on_the_table(round_)
        self.story.rounds[-1] = replace(self.story.rounds[-1], deck=deck)
        return deck

    def _deck_on_the_table(self, round_: int) -> list[int]:
        where = (self.now["phase"], self.now["round"], self.now["turn"])
        assert where == ("trick", round_, 0), f"round {round_} is dealt here, but the environment is in {where}"
        start, hands = self.now["start_player"], self.now["hands"]
        dealt_in = [hand for hand in hands[start:] + hands[:start] if hand]
        one_at_a_time = [card for cards in zip(*dealt_in, strict=True) for card in cards]
        return [*one_at_a_time, self.now["discard_top"], *self.now["draw_pile"]]

    def _reshuffled(self, cards: list[int]) -> list[int]:
        """The new draw pile (R14): the card drawn from it at once, then what is left of it."""
        drawn, action = Counter(cards), self.actions[-1]
        if self.now["round"] == self.before["round"]:
            drawn.subtract(self.now["draw_pile"])
            return [*drawn.elements(), *self.now["draw_pile"]]
        player = self.before["player"]  # the pile is gone, but not the hand that drew
        drawn = Counter(self.now["last_settlement"]["hands"][player]) - Counter(self.before["hands"][player])
        top = list(drawn.elements()) or [action - DRAW]  # a swap for the same value
        rest = Counter(cards) - Counter(top)
        return [*top, *rest.elements()]

    # -- comparing ----------------------------------------------------------------------------------------------------

    def _agree(self, what: str, ours: Any, theirs: Any) -> None:
        if ours == theirs:
            return
        if isinstance(ours, dict) and ours.keys() == theirs.keys():
            ours, theirs = ({k: d[k] for k in d if ours[k] != theirs[k]} for d in (ours, theirs))
        raise Difference(f"{what}\nenvironment:    {ours}\nsecond reading: {theirs}", self.story)

    def _compare(self) -> None:
        self._agree("snapshot", self.now, self.second.snapshot())
        self._compare_observations()
        self._compare_end()
        if self.views:
            self._compare_views()

    def _compare_observations(self) -> None:
        mask = [int(action in self.legal) for action in range(NUM_ACTIONS)]
        for seat, theirs in enumerate(observations(self.second)):
            agent = self.env.possible_agents[seat]
            ours = self.env.observe(agent)
            self._agree(f"observation of {agent}", black_jacky_v0.decode(ours["observation"]), theirs)
            allowed = mask if seat == self.second.player else NO_ACTIONS
            self._agree(f"mask of {agent}", ours["action_mask"].tolist(), allowed)

    def _compare_end(self) -> None:
        agents, over = self.env.possible_agents, self.second.over
        ours = [round(self.env.rewards[agent], 9) for agent in agents]
        self._agree(f"rewards, {self.reward}", ours, [round(paid, 9) for paid in self.second.rewards(self.reward)])
        self._agree("terminations", [self.env.terminations[agent] for agent in agents], [over] * len(agents))
        if self.second.player is not None:
            self._agree("agent to act", self.env.agent_selection, agents[self.second.player])

    def _compare_views(self) -> None:
        self._agree("spectator's view", self.env.view(None), self.second.view(None))
        for seat, agent in enumerate(self.env.possible_agents):
            self._agree(f"view of {agent}", self.env.view(agent), self.second.view(seat))


def play(game: SideBySide, policy: str, seed: int) -> SideBySide:
    """Play to the end; in a long game that may have none, everybody knocks."""
    rng, limit = random.Random(seed), game.second.max_turns
    while game.legal:
        long = limit is None and len(game.actions) >= LONG
        game.step(choose("knocker" if long else policy, game.legal, rng))
    return game
