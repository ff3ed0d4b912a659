"""Rewards belong to one step, are summed correctly, and reach their agents."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from blackjacky_env.testing.errors import Skipped, Spot
from blackjacky_env.testing.readouts import Env
from blackjacky_env.testing.trial import RecordedGame, Trial, check, is_done


@check
def check_rewards(trial: Trial, spot: Spot) -> None:
    """`rewards` has a finite number for every agent; `_cumulative_rewards` sums them since each agent's last step."""
    for seed in trial.seeds:
        env = trial.begin(spot, seed)
        _check_entries(spot, env)
        for action in trial.moves(env, spot, seed):
            before = dict(env._cumulative_rewards)
            reward = env.last(observe=False)[1]
            if not _equal(reward, before[spot.agent]):
                spot.fail(f"last() returns a reward of {reward}, but _cumulative_rewards is {before[spot.agent]}")
            env.step(action)
            _check_entries(spot, env)
            _check_sums(spot, env, before)


@check
def check_rewards_cleared(trial: Trial, spot: Spot) -> None:
    """Rewards of one step are cleared by the next: they do not depend on the rewards before."""
    tried = 0
    for game in trial.recorded_games(spot):
        for moment in _moments_of_reward(trial, spot, game)[: trial.moments]:
            env, cleared = trial.replay(spot, game, moment), trial.replay(spot, game, moment)
            if not isinstance(getattr(cleared.unwrapped, "rewards", None), dict):
                raise Skipped("rewards cannot be set in this environment")
            cleared.unwrapped.rewards = dict.fromkeys(cleared.unwrapped.rewards, 0)
            spot.step, spot.agent = moment, env.agent_selection
            for one in (env, cleared):
                one.step(game.actions[moment])
            tried += 1
            if not all(_equal(env.rewards[agent], cleared.rewards[agent]) for agent in env.agents):
                spot.fail(f"rewards of step {moment - 1} were not cleared: {env.rewards} instead of {cleared.rewards}")
    if not tried:
        raise Skipped("no step that paid a reward was followed by another step")


@check
def check_last_rewards(trial: Trial, spot: Spot) -> None:
    """Every agent gets all its rewards from `last()`, the final ones included, and has a last step when it is done."""
    ended = 0
    for seed in trial.seeds:
        env = trial.begin(spot, seed)
        paid = defaultdict(float, env.rewards)
        returned: dict[Any, float] = defaultdict(float)
        waiting = set(env.agents)
        for action in trial.moves(env, spot, seed):
            returned[spot.agent] += env.last(observe=False)[1]
            last_step = is_done(env, spot.agent)
            waiting = (waiting | set(env.agents)) - ({spot.agent} if last_step else set())
            env.step(action)
            for agent, reward in env.rewards.items():
                paid[agent] += reward
            for agent in sorted(waiting - set(env.agents), key=str):
                spot.fail(f"{agent} has left the game without a last step, in which last() returns its final reward")
        if env.agents:
            continue
        ended += 1
        _check_totals(spot, paid, returned)
    if not ended:
        raise Skipped(f"no game ended within {trial.max_steps} steps")


def _check_entries(spot: Spot, env: Env) -> None:
    for agent in env.agents:
        for name in ("rewards", "_cumulative_rewards"):
            if agent not in getattr(env, name):
                spot.fail(f"{name} has no entry for {agent}")
            if not math.isfinite(getattr(env, name)[agent]):
                spot.fail(f"{name}[{agent!r}] is {getattr(env, name)[agent]}")


def _check_sums(spot: Spot, env: Env, before: dict[Any, float]) -> None:
    """Check the sums; that of the agent that acted restarts with the rewards of this step."""
    for agent in env.agents:
        carried = 0 if agent == spot.agent else before.get(agent, 0)
        expected = carried + env.rewards[agent]
        if not _equal(env._cumulative_rewards[agent], expected):
            spot.fail(
                f"_cumulative_rewards[{agent!r}] is {env._cumulative_rewards[agent]} after the step, "
                f"not {carried} from before + {env.rewards[agent]} from this step"
            )


def _moments_of_reward(trial: Trial, spot: Spot, game: RecordedGame) -> list[int]:
    """Numbers of actions after which there were rewards and the game was not over."""
    env, found = trial.begin(spot, game.seed), []
    for moment, action in enumerate(game.moves(env, spot, end=-1), start=1):
        env.step(action)
        if any(env.rewards.values()):
            found.append(moment)
    return found


def _check_totals(spot: Spot, paid: dict[Any, float], returned: dict[Any, float]) -> None:
    for agent in {**paid, **returned}:
        if not _equal(paid[agent], returned[agent]):
            spot.fail(f"{agent} was paid {paid[agent]} in all, but last() returned {returned[agent]}")


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
