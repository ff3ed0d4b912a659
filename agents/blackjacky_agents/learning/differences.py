"""Where a trained agent differs from a bot, and what the difference is worth, from rollouts of both actions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.intervals import Z, student
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.kit.settings import LeagueSettings
from blackjacky_agents.learning.league.learner import Learner
from blackjacky_agents.learning.lookahead import Studies, study
from blackjacky_env.compiled import zeros
from blackjacky_env.games import get_game

_PER_GAME, _FRACTION = 4, 0.5  # decisions that are studied
_VALUE_UPDATES = 300
_AT_ONCE = 50  # games between two reports of progress


@dataclass(frozen=True)
class Difference:
    """The decisions at which a bot would take an action of one kind."""

    kind: str
    """Of the bot's action, as `ActionInfo.kind`."""
    decisions: int
    """Decisions of the agent that were studied, at which the bot would take such an action."""
    different: int
    """Those of them at which the agent takes another action, of this kind or not."""
    gain: float
    """How much more of a win the agent's action is worth than the bot's, mean of those that differ."""
    low: float
    high: float
    """95 % confidence interval of `gain`."""


def differences(
    agent: CompiledAgent,
    encoding: Encoding,
    bot: CompiledAgent,
    num_players: int,
    variant: str | None,
    rule_options: Mapping[str, Any],
    games: int = 4000,
    threads: int = 2,
    progress: Callable[[int], object] = lambda games: None,
) -> list[Difference]:
    """Where a network decides otherwise than a bot, in a random seat among copies of it; most differences first.

    Both actions are taken in copies of the position and the round is played to its end, where a network that was fitted
    to the outcomes of such games estimates the chance of winning (`lookahead`). ``progress`` is called with a number of
    games whenever that many more have been played: of twice ``games``, as the first half is for that network.
    """
    game = get_game(agent.game)
    players, variant = game.choose_table(num_players, variant)
    record = game.new_state(players, variant, game.check_options(players, variant, rule_options))[0]
    learner = Learner(LeagueSettings(game=game.name, encoding=encoding.name), seed=0)
    learner.remember(_studied(agent, encoding, bot, record, learner, games, 0, threads, progress))
    learner.learn_values(_VALUE_UPDATES, 1.0)
    studies = _studied(agent, encoding, bot, record, learner, games, 1, threads, progress)
    bot.reset(0)
    masks = (~np.isnan(studies.values)).astype(np.int8)
    own, others = (each.act_batch(studies.observations, masks) for each in (agent, bot))
    rows = np.arange(len(masks))
    gains = (studies.values[rows, own] - studies.values[rows, others]).astype(np.float64)
    kinds = np.array([action.kind for action in game.words.actions.infos])[others]
    found = [_of_kind(kind, own != others, gains, kinds == kind) for kind in dict.fromkeys(kinds.tolist())]
    return sorted(found, key=lambda each: -each.different)


def _of_kind(kind: str, differs: Any, gains: Any, chosen: Any) -> Difference:
    some = gains[chosen & differs]
    mean = float(some.mean()) if len(some) else 0.0
    count = len(some)
    half = student(0.975, count - 1) * float(some.std(ddof=1)) / math.sqrt(count) if count > 1 else 1.0
    return Difference(kind, int(chosen.sum()), count, mean, mean - half, mean + half)


def _studied(
    agent: CompiledAgent,
    encoding: Encoding,
    bot: CompiledAgent,
    record: Any,
    learner: Learner,
    games: int,
    part: int,
    threads: int,
    progress: Callable[[int], object],
) -> Studies:
    """Standings with outcomes (part 0), or decisions with the values of all legal actions (part 1), of other games."""
    game = get_game(agent.game)
    states = zeros(games, game.state_dtype)
    states[:] = record
    seeds = np.arange(games) + part * games
    seating = np.ones((games, game.max_players), np.int64)
    seating[np.arange(games), np.random.default_rng(part).integers(int(record["num_players"]), size=games)] = 0
    agents, studied = [(each.policy, each.parameters) for each in (agent, bot)], np.array([True, False])
    how = (part * _FRACTION, _PER_GAME, learner.value_network(), (encoding, 0.0), threads)  # all legal actions
    found = []
    for first in range(0, games, _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        found.append(study(game, states[some], seeds[some], seating[some], agents, studied, *how))
        progress(len(seeds[some]))
    return Studies(*map(np.concatenate, zip(*found, strict=True)))


@dataclass(frozen=True)
class Slope:
    """What twice the time of training would add to a win rate, by a line through it over the logarithm of time."""

    gain: float
    low: float
    high: float
    """95 % confidence interval."""
    since: float
    """Seconds of training at the first test that the line goes through."""


def slope(seconds: Sequence[float], win_rates: Sequence[float], games: int) -> Slope | None:
    """The slope of a learning curve since a quarter of its time; None if it has fewer than three tests since then.

    Args:
        seconds: time of each test, ascending.
        win_rates: result of each test.
        games: number of games in each test.
    """
    times, rates = np.asarray(seconds, float), np.asarray(win_rates, float)
    late = times >= max(times[-1] / 4, 1e-9)
    if late.sum() < 3:
        return None
    x, y = np.log2(times[late]), rates[late]
    if np.ptp(x) <= 0:
        return None
    x -= x.mean()
    gain = float((x * y).sum() / np.square(x).sum())
    misfit = np.square(y - y.mean() - gain * x).sum() / (len(x) - 2)
    chance = float((rates[late] * (1 - rates[late])).mean()) / games
    spread = max(student(0.975, len(x) - 2) * math.sqrt(misfit), Z * math.sqrt(chance))
    half = spread / math.sqrt(np.square(x).sum())
    return Slope(gain, gain - half, gain + half, float(times[late][0]))
