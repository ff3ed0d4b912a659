"""Hints for people: what the game's strongest agents would do, with estimated odds.

The consequences of an action are estimated from positions with resampled hidden cards, as search does, so a hint uses
nothing that the player cannot know.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, recalls
from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.intervals import of_values
from blackjacky_agents.registry import make_agent
from blackjacky_agents.search.explaining import explain
from blackjacky_agents.search.playing_on import CHANGE, WIN, play_on
from blackjacky_env.envs import Observation

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


def advise(
    game: str, players: int, solutions: Iterable[str], shown: Observation, also: int | None = None
) -> list[Outlook]:
    """The most promising actions: first those that an agent would choose, then the likeliest to win.

    Those who choose are the game's strongest bot, its first trained agent, and solutions of the table by name.
    ``shown``: what the player to act sees, by `shown_to`. ``also``: an action to be estimated in any case.
    """
    names = [bot_names(game)[-1], *list(get_kit(game).trained)[:1], *solutions]
    agents = [make_agent(name, game) for name in names]
    thoughts = (explain(agent, shown) for agent in reversed(agents))
    probabilities = next((each.probabilities for each in thoughts if each is not None), None)
    choices = {agent.name: _choice(agent, shown) for agent in agents}
    legal = np.flatnonzero(shown["action_mask"]).tolist()
    likely = legal if probabilities is None else sorted(legal, key=lambda action: -probabilities[action])
    actions = list(dict.fromkeys([*([] if also is None else [also]), *choices.values(), *likely]))[:MOST_OPTIONS]
    search = get_kit(game).search
    player = CompiledAgent("playouts", game, search.playout_policy, np.array(search.playout_parameters, np.float32))
    found = play_on(player, shown["observation"], actions, _POSITIONS, threads=2)
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
            _interval(own, players, 1, 0),
            _interval(best - own, players, 2, -1)[0] <= 0,
        )
        for action, own, change in zip(actions, wins, changes, strict=True)
    ]
    return sorted(outlooks, key=lambda each: (-len(each.chosen_by), -each.win))


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
