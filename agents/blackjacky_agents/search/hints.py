"""Hints for people: what the game's strongest agents would do, with estimated odds.

The consequences of an action are estimated from positions with resampled hidden cards, as search does, so a hint uses
nothing that the player cannot know.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent, recalls, shown_to
from blackjacky_agents.arena.intervals import of_values
from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.registry import make_agent
from blackjacky_agents.thoughts import explain
from blackjacky_env import playout
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.play import sample_state
from blackjacky_env.replay import chance_to_win

MOST_OPTIONS = 4
_SECONDS = 1.5  # after which no further position is sampled
_FEWEST, _MOST = 12, 60  # sampled positions
_PLAYOUTS = 8  # of the rest of the game, from each of them
_SEED = 0


class Outlook(NamedTuple):
    """An action, and what came of it in sampled positions that the strongest bot played on in all seats."""

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
        self._game = get_game(game)
        bot, trained = bot_names(game)[-1], list(get_kit(game).trained)[:1]
        self.agents: dict[str, Agent] = {name: make_agent(name, game) for name in [bot, *trained]}
        self.agents |= {agent.name: agent for agent in solutions}
        """The advising agents by name; the first one plays the sampled positions on."""

    def look(self, env: TableEnv, seat: str) -> dict[str, npt.NDArray[Any]]:
        """What the seat to act sees, as `hint` needs it."""
        return shown_to(self.agents.values(), env, seat)

    def hint(self, env: TableEnv, observation: dict[str, npt.NDArray[Any]], also: int | None = None) -> list[Outlook]:
        """The most promising actions: first those that an agent would choose, then the likeliest to win.

        Args:
            env: the table, for its rules; nothing else is read from it.
            observation: that of the player to act, as by `look`.
            also: an action to be estimated in any case.
        """
        probabilities = self._probabilities(observation)
        choices = {name: _choice(agent, observation) for name, agent in self.agents.items()}
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        likely = legal if probabilities is None else sorted(legal, key=lambda action: -probabilities[action])
        actions = list(dict.fromkeys([*([] if also is None else [also]), *choices.values(), *likely]))[:MOST_OPTIONS]
        outcomes = _try_out(env, observation["observation"], actions)
        wins = np.stack([outcome.wins(env.num_players) for outcome in outcomes])
        best = wins[wins.mean(axis=1).argmax()]
        found = [
            Outlook(
                action,
                float(own.mean()),
                float(np.mean(outcome.changes)),
                float(np.mean(np.array(outcome.changes) < 0)),
                tuple(name for name, choice in choices.items() if choice == action),
                None if probabilities is None else float(probabilities[action]),
                len(outcome.changes),
                _interval(own, env.num_players, 1, 0),
                _interval(best - own, env.num_players, 2, -1)[0] <= 0,
            )
            for action, outcome, own in zip(actions, outcomes, wins, strict=True)
        ]
        return sorted(found, key=lambda each: (-len(each.chosen_by), -each.win))

    def _probabilities(self, observation: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.float64] | None:
        for agent in reversed(self.agents.values()):
            thoughts = explain(agent, observation)
            if thoughts is not None:
                return thoughts.probabilities
        return None


def _choice(agent: Agent, observation: dict[str, npt.NDArray[Any]]) -> int:
    """What an agent would do; of a solution, which draws its actions, the likeliest."""
    thoughts = explain(agent, observation) if recalls(agent) else None
    return agent.act(observation) if thoughts is None else int(thoughts.probabilities.argmax())


class _Outcome(NamedTuple):
    """What came of an action in the sampled positions, for the player who took it."""

    states: list[bytes]
    """The positions after the action."""
    changes: list[float]
    """Changes of the score until the round ended."""
    player: CompiledAgent
    """Plays all seats."""

    def wins(self, players: int) -> npt.NDArray[np.float64]:
        """The estimated probability of winning the game from each position, shape (positions,)."""
        rewards = playout(self.states, self.player, _PLAYOUTS, threads=2)
        return np.array([chance_to_win(float(mean), players) for mean in rewards[:, :, 0].mean(axis=1)])


def _interval(values: npt.NDArray[np.float64], players: int, terms: int, least: float) -> tuple[float, float]:
    """The 95 % interval of the mean of estimates, or of differences of two, by position."""
    par, count = 1 / players, len(values)
    independent = terms * par * (1 - par) / (count * _PLAYOUTS)
    found = of_values(values / count, np.zeros(count, np.int64), independent, least, 1)
    return found.low, found.high


def _try_out(table_env: TableEnv, vector: npt.NDArray[Any], actions: Sequence[int]) -> list[_Outcome]:
    """Take each action in the same sampled positions, and play on to the end of the round."""
    game, rng, deadline = table_env.game, np.random.default_rng(_SEED), math.inf
    search = get_kit(game.name).search
    player = CompiledAgent(
        "playouts", game.name, search.playout_policy, np.array(search.playout_parameters, np.float32)
    )
    env = TableEnv(game.name, table_env.num_players, table_env.variant, reward=game.score_reward, **table_env.options)
    env.reset(seed=_SEED)
    outcomes = [_Outcome([], [], player) for _ in actions]
    while len(outcomes[0].changes) < (_FEWEST if time.perf_counter() > deadline else _MOST):
        state = sample_state(game, vector, rng)
        for action, outcome in zip(actions, outcomes, strict=True):
            env.set_state(state)
            this_round = _round(env)
            env.step(action)
            outcome.states.append(env.get_state())
            outcome.changes.append(_finish(env, player, this_round))
        if deadline == math.inf:  # the first sample may have to wait for the compiler
            deadline = time.perf_counter() + _SECONDS
    return outcomes


def _finish(env: TableEnv, player: CompiledAgent, this_round: int) -> float:
    """Play on to the end of the round; returns the change of the first seat's score, the last step's included."""
    me = env.possible_agents[0]  # the observer of a sampled position
    change = env.rewards[me]
    while not any(env.terminations.values()) and _round(env) == this_round:
        env.step(player.act(env.observe(env.agent_selection)))
        change += env.rewards[me]
    return float(change)


def _round(env: TableEnv) -> int:
    return int(env.snapshot()[env.game.words.round_key])
