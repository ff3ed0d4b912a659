"""Hints for people: what the game's strongest agents would do, with estimated odds.

The consequences of an action are estimated from positions with resampled hidden cards, as search does, so a hint uses
nothing that the player cannot know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, recalls, shown_to
from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.intervals import of_values
from blackjacky_agents.registry import make_agent
from blackjacky_agents.search.playing_on import CHANGE, WIN, play_on
from blackjacky_agents.thoughts import explain
from blackjacky_env.envs import Observation, TableEnv

MOST_OPTIONS = 4
_POSITIONS = 400  # sampled positions; a number and no time limit, so that hints do not depend on the load


class Outlook(NamedTuple):
    """An action, and what came of it in sampled positions that a bot played on in all seats."""

    action: int
    win: float
    """Estimated probability of winning the game, 0 .. 1."""
    score: float
    """Mean change of the player's score until the round ends, in units of the game's score reward."""
    setback: float
    """Fraction of the samples in which the score fell until the round ended, 0 .. 1."""
    chosen_by: tuple[str, ...]
    """Names of the agents that would take this action."""
    probability: float | None
    """Probability that a solution of the table, else the trained agent, gives this action; None without either."""
    samples: int
    """Number of positions that were sampled."""
    interval: tuple[float, float]
    """95 % interval of ``win``, 0 .. 1 each, from the spread between the positions."""
    level: bool
    """Whether the estimates do not tell it from the action with the highest ``win``: the interval of the difference,
    which is smaller than both intervals suggest because all actions are tried in the same positions, contains 0."""


class Adviser:
    """Gives hints for one game, from its strongest bot, its first trained agent, and solutions of the table.

    Args:
        game: name of the game.
        solutions: agents that recall and tell their probabilities, such as `solved:NAME`.
    """

    def __init__(self, game: str, solutions: Iterable[Agent] = ()) -> None:
        bot, trained = bot_names(game)[-1], list(get_kit(game).trained)[:1]
        self.agents: dict[str, Agent] = {name: make_agent(name, game) for name in [bot, *trained]}
        self.agents |= {agent.name: agent for agent in solutions}
        """The advising agents by name."""
        search = get_kit(game).search
        parameters = np.array(search.playout_parameters, np.float32)
        self._player = CompiledAgent("playouts", game, search.playout_policy, parameters)

    def look(self, env: TableEnv, seat: str) -> dict[str, npt.NDArray[Any]]:
        """What the seat to act sees, as `hint` needs it."""
        return shown_to(self.agents.values(), env, seat)

    def hint(self, env: TableEnv, observation: dict[str, npt.NDArray[Any]], also: int | None = None) -> list[Outlook]:
        """The most promising actions: first those that an agent would choose, then the likeliest to win.

        Args:
            env: the table, for its size; nothing else is read from it.
            observation: that of the player to act, as by `look`.
            also: an action to be estimated in any case.
        """
        probabilities = self._probabilities(observation)
        choices = {name: _choice(agent, observation) for name, agent in self.agents.items()}
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        likely = legal if probabilities is None else sorted(legal, key=lambda action: -probabilities[action])
        actions = list(dict.fromkeys([*([] if also is None else [also]), *choices.values(), *likely]))[:MOST_OPTIONS]
        found = play_on(self._player, observation["observation"], actions, _POSITIONS, threads=2)
        wins, changes = found[:, :, WIN, 0].T, found[:, :, CHANGE, 0].T
        best = wins[wins.mean(axis=1).argmax()]
        outlooks = [
            Outlook(
                action,
                float(own.mean()),
                float(change.mean()),
                float((change < 0).mean()),
                tuple(name for name, choice in choices.items() if choice == action),
                None if probabilities is None else float(probabilities[action]),
                _POSITIONS,
                _interval(own, env.num_players, 1, 0),
                _interval(best - own, env.num_players, 2, -1)[0] <= 0,
            )
            for action, own, change in zip(actions, wins, changes, strict=True)
        ]
        return sorted(outlooks, key=lambda each: (-len(each.chosen_by), -each.win))

    def _probabilities(self, observation: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64] | None:
        for agent in reversed(self.agents.values()):
            thoughts = explain(agent, observation)
            if thoughts is not None:
                return thoughts.probabilities
        return None


def advise(
    game: str,
    players: int,
    variant: str,
    options: Mapping[str, Any],
    solutions: Iterable[str],
    shown: Observation,
    also: int | None = None,
) -> list[Outlook]:
    """`Adviser.hint` at a table, with the solutions of these names; for another process."""
    adviser = Adviser(game, [make_agent(name, game) for name in solutions])
    return adviser.hint(TableEnv(game, players, variant, **options), shown, also)


def _choice(agent: Agent, observation: dict[str, npt.NDArray[Any]]) -> int:
    """What an agent would do; of a solution, which draws its actions, the likeliest."""
    thoughts = explain(agent, observation) if recalls(agent) else None
    return agent.act(observation) if thoughts is None else int(thoughts.probabilities.argmax())


def _interval(values: npt.NDArray[np.float64], players: int, terms: int, least: float) -> tuple[float, float]:
    """The 95 % interval of the mean of results, or of differences of two, by position."""
    par, count = 1 / players, len(values)
    independent = terms * par * (1 - par) / count
    found = of_values(values / count, np.zeros(count, np.int64), independent, least, 1)
    return found.low, found.high
