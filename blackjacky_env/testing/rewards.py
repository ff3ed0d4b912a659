"""Rewards belong to one step, are summed correctly, and reach their agents."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from blackjacky_env.testing.readouts import Env
from blackjacky_env.testing.trial import RecordedGame, Skipped, Trial, check, is_done


@check
def check_rewards(trial: Trial) -> None:
    """`rewards` has a finite number for every agent; `_cumulative_rewards` sums them since each agent's last step."""
    for env, action in trial.plays():
        _check_entries(trial, env)
        actor, before = env.agent_selection, dict(env._cumulative_rewards)
        reward = env.last(observe=False)[1]
        if not _equal(reward, before[actor]):
            trial.fail(f"last() returns a reward of {reward}, but _cumulative_rewards is {before[actor]}")
        env.step(action)
        _check_entries(trial, env)
        for agent in env.agents:
            carried = 0 if agent == actor else before.get(agent, 0)
            if not _equal(env._cumulative_rewards[agent], carried + env.rewards[agent]):
                trial.fail(
                    f"_cumulative_rewards[{agent!r}] is {env._cumulative_rewards[agent]} after the step, "
                    f"not {carried} from before + {env.rewards[agent]} from this step"
                )


@check
def check_rewards_cleared(trial: Trial) -> None:
    """Rewards of one step are cleared by the next: they do not depend on the rewards before."""
    tried = 0
    for game in trial.recorded_games():
        for moment in _moments_of_reward(trial, game)[: trial.moments]:
            env, cleared = trial.replay(game, moment), trial.replay(game, moment)
            if not isinstance(getattr(cleared.unwrapped, "rewards", None), dict):
                raise Skipped("rewards cannot be set in this environment")
            cleared.unwrapped.rewards = dict.fromkeys(cleared.unwrapped.rewards, 0)
            for one in (env, cleared):
                for action in trial.again(one, game, moment, moment + 1):
                    one.step(action)
            tried += 1
            if not all(_equal(env.rewards[agent], cleared.rewards[agent]) for agent in env.agents):
                trial.fail(f"rewards of step {moment - 1} were not cleared: {env.rewards} instead of {cleared.rewards}")
    if not tried:
        raise Skipped("no step that paid a reward was followed by another step")


def _moments_of_reward(trial: Trial, game: RecordedGame) -> list[int]:
    """Numbers of actions after which there were rewards and the game was not over."""
    env, found = trial.begin(game.seed), []
    for moment, action in enumerate(trial.again(env, game, end=-1), start=1):
        env.step(action)
        if any(env.rewards.values()):
            found.append(moment)
    return found


@check
def check_last_rewards(trial: Trial) -> None:
    """Every agent gets all its rewards from `last()`, the final ones included, and has a last step when it is done."""
    ended = 0
    for seed in trial.seeds:
        env = trial.begin(seed)
        paid = defaultdict(float, env.rewards)
        returned: dict[Any, float] = defaultdict(float)
        waiting = set(env.agents)
        for action in trial.moves(env, seed):
            actor = env.agent_selection
            returned[actor] += env.last(observe=False)[1]
            waiting = (waiting | set(env.agents)) - ({actor} if is_done(env, actor) else set())
            env.step(action)
            for agent, reward in env.rewards.items():
                paid[agent] += reward
            for agent in sorted(waiting - set(env.agents), key=str):
                trial.fail(f"{agent} has left the game without a last step, in which last() returns its final reward")
        ended += not env.agents
        for agent in () if env.agents else {**paid, **returned}:
            if not _equal(paid[agent], returned[agent]):
                trial.fail(f"{agent} was paid {paid[agent]} in all, but last() returned {returned[agent]}")
    if not ended:
        raise Skipped(f"no game ended within {trial.max_steps} steps")


def _check_entries(trial: Trial, env: Env) -> None:
    for agent in env.agents:
        for name in ("rewards", "_cumulative_rewards"):
            if not math.isfinite(getattr(env, name).get(agent, math.nan)):
                trial.fail(f"{name}[{agent!r}] is {getattr(env, name).get(agent, 'missing')}")


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
