"""What holds at every step: masks, rewards and observations are as declared, and looking or failing changes nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Space, spaces
from pettingzoo.utils.env_logger import EnvLogger

from blackjacky_env.testing.readouts import Env, leaves, readout, readout_of
from blackjacky_env.testing.trial import RecordedGame, Skipped, Trial, action_mask, is_done

_ACCEPTED, _RAISED, _ENDED = "accepted", "refused by an exception", "refused by ending the game"
_NO_MASK = "there is no action_mask in the observation or in infos"


# ---------------------------------------------------------------- actions


def check_mask(trial: Trial) -> None:
    """At random moments, try every action of the space: those in the mask are accepted, all others refused.

    An action is refused if it raises, or if it ends the game for the agent that took it; actions just outside the space
    have to be, too. `TerminateIllegalWrapper` refuses by the mask itself, so only the bare environment shows whether
    its mask is too narrow.
    """
    for game, moment, env, mask, start in _decisions(trial):
        space = env.action_space(env.agent_selection)
        for action in range(start - 1, start + len(mask) + 1):
            outcome = _try(trial.replay(game, moment), action)
            inside = start <= action < start + len(mask)
            if inside and mask[action - start]:
                if outcome == _RAISED:
                    trial.fail(f"action {action} is in the mask, but it is {outcome}")
            elif outcome == _ACCEPTED:
                where = "not in the mask" if inside else f"outside {space}"
                trial.fail(f"action {action} is {where}, but it is accepted")


def check_illegal_action(trial: Trial) -> None:
    """Actions refused by an exception change nothing: neither what can be observed nor how the game continues."""
    raised = 0
    for game, moment, env, mask, start in _decisions(trial):
        before = readout(env)
        for action in np.flatnonzero(mask == 0).tolist():
            outcome = _try(env, start + action)
            if outcome == _ENDED:
                break
            if outcome == _ACCEPTED:
                trial.fail(f"action {start + action} is not in the mask, but it was executed")
            raised += 1
            trial.compare(before, readout(env), "before", f"after action {start + action} was refused")
        else:
            undisturbed, there = trial.replay(game, moment), f"if actions were refused before step {moment}"
            for _ in trial.play(game, env, undisturbed, start=moment):
                trial.compare(readout(undisturbed), readout(env), "normally", there)
    if not raised:
        raise Skipped("no action was refused by an exception: none is illegal, or illegal actions end the game")


def _decisions(trial: Trial) -> Iterator[tuple[RecordedGame, int, Env, npt.NDArray[Any], int]]:
    """Random moments: game, number of actions so far, environment, mask of the agent on turn, first action."""
    for game in trial.recorded:
        for moment in trial.some_moments(game):
            env = trial.replay(game, moment)
            agent = env.agent_selection
            if is_done(env, agent):
                continue
            space, mask = env.action_space(agent), action_mask(env, agent)
            if not isinstance(space, spaces.Discrete):
                raise Skipped(f"actions can only be listed in a Discrete space, not in {space}")
            if mask is None:
                raise Skipped(_NO_MASK)
            if np.shape(mask) != (space.n,):
                trial.fail(f"the mask has shape {np.shape(mask)}, but {space} needs ({space.n},)")
            if not np.array_equal(mask, env.infos[agent].get("action_mask", mask)):
                trial.fail("the mask in the observation and the mask in infos differ")
            yield game, moment, env, mask, int(space.start)


def _try(env: Env, action: int) -> str:
    """The outcome of an action."""
    agent, logger = env.agent_selection, EnvLogger.get_logger()
    logger.disabled, before = True, logger.disabled  # PettingZoo warns about every illegal action
    try:
        env.step(action)
    except Exception:  # noqa: BLE001  # environments define their own exceptions
        return _RAISED
    finally:
        logger.disabled = before
    return _ENDED if agent not in env.agents or is_done(env, agent) else _ACCEPTED


# ---------------------------------------------------------------- rewards


def check_rewards(trial: Trial) -> None:
    """Every agent has a finite reward at every step, and `last()` returns to each the sum since its last step.

    Nobody leaves without a last step, so `last()` returns all that was paid.
    """
    for game in trial.recorded:
        env, carried = trial.begin(game.seed), None
        waiting = set(env.agents)
        for _ in trial.play(game, env):
            for agent in sorted(waiting - set(env.agents), key=str):
                trial.fail(f"{agent} has left the game without a last step, in which last() returns its final reward")
            for agent in env.agents:
                _check_sum(trial, env, agent, carried)
            if env.agents:
                sums, actor, reward = env._cumulative_rewards, env.agent_selection, env.last(observe=False)[1]
                if not _equal(reward, sums[actor]):
                    trial.fail(f"last() returns a reward of {reward}, but _cumulative_rewards is {sums[actor]}")
                carried = {**sums, actor: 0}
                waiting = set(env.agents) - ({actor} if is_done(env, actor) else set())


def _check_sum(trial: Trial, env: Env, agent: Any, carried: dict[Any, float] | None) -> None:
    sums = env._cumulative_rewards
    for name, paid in (("rewards", env.rewards), ("_cumulative_rewards", sums)):
        if not math.isfinite(paid.get(agent, math.nan)):
            trial.fail(f"{name}[{agent!r}] is {paid.get(agent, 'missing')}")
    before = sums[agent] - env.rewards[agent] if carried is None else carried.get(agent, 0)
    if not _equal(sums[agent], before + env.rewards[agent]):
        trial.fail(
            f"_cumulative_rewards[{agent!r}] is {sums[agent]} after the step, "
            f"not {before} from before + {env.rewards[agent]} from this step"
        )


def check_rewards_cleared(trial: Trial) -> None:
    """Rewards of one step are cleared by the next: they do not depend on the rewards before."""
    tried = 0
    for game in trial.recorded:
        env = trial.begin(game.seed)
        paid = [moment for moment, _ in enumerate(trial.play(game, env, end=-1)) if any(env.rewards.values())]
        for moment in paid[: trial.moments]:
            env, cleared = trial.replay(game, moment), trial.replay(game, moment)
            if not isinstance(getattr(cleared.unwrapped, "rewards", None), dict):
                raise Skipped("rewards cannot be set in this environment")
            cleared.unwrapped.rewards = dict.fromkeys(cleared.unwrapped.rewards, 0)
            for one in (env, cleared):
                one.step(game.actions[moment])
            tried += 1
            if not all(_equal(env.rewards[agent], cleared.rewards[agent]) for agent in env.agents):
                trial.fail(f"rewards of step {moment - 1} were not cleared: {env.rewards} instead of {cleared.rewards}")
    if not tried:
        raise Skipped("no step that paid a reward was followed by another step")


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


# ---------------------------------------------------------------- observations


def check_observations(trial: Trial) -> None:
    """Every agent's observation lies in its space at every step, on turn or not: keys, dtype, shape and range.

    `last()` returns the same as `observe`. Gymnasium's own `contains` would accept other dtypes, such as int8 in a
    float32 box.
    """
    for env in _positions(trial):
        for agent in env.agents:
            if wrong := _outside(env.observation_space(agent), env.observe(agent), "the observation"):
                trial.fail(f"{agent}: {wrong}")
        if readout_of("", env.last()[0]) != readout_of("", env.observe(env.agent_selection)):
            trial.fail("last() and observe() return different observations")


def check_off_turn_mask(trial: Trial) -> None:
    """Masks of agents that are not on turn are all zeros, if that is promised."""
    if trial.off_turn_mask is None:
        raise Skipped("nothing is promised about masks off turn; off_turn_mask='zero' does")
    for env in _positions(trial):
        for agent in env.agents:
            shown = action_mask(env, agent)
            if shown is None:
                raise Skipped(_NO_MASK)
            for name, mask in (("mask", shown), ("mask in infos", env.infos[agent].get("action_mask", 0))):
                if agent != env.agent_selection and np.any(mask):
                    allowed = np.flatnonzero(mask).tolist()
                    trial.fail(f"the {name} of {agent}, who is not on turn, allows {allowed}")


def _positions(trial: Trial) -> Iterator[Env]:
    """All games, before every action."""
    for game in trial.recorded:
        env = trial.begin(game.seed)
        for _ in trial.play(game, env):
            if env.agents:
                yield env


def check_looking(trial: Trial) -> None:
    """Calling `observe`, `state`, `last` and `render` does not change the game."""
    for game in trial.recorded:
        env = trial.begin(game.seed)
        seen = []
        for _ in trial.play(game, env):
            seen.append(readout(env))
            if env.agents:
                env.last()
                if getattr(env, "render_mode", None) is not None:
                    env.render()
            trial.compare(seen[-1], readout(env), "at first", "when read again")
        for moment in trial.some_moments(game):
            unseen = readout(trial.replay(game, moment))
            trial.compare(unseen, seen[moment], "if nothing was read before", "if everything was read before")


def check_handed_out(trial: Trial) -> None:
    """Returned arrays are not overwritten later, and writing into an observation does not change the game."""
    for game in trial.recorded:
        scribbled, untouched = trial.begin(game.seed), trial.begin(game.seed)
        handed_out: list[tuple[str, npt.NDArray[Any], bytes]] = []
        for _ in trial.play(game, scribbled, untouched):
            for agent in untouched.agents:
                for name, array in _arrays(f"observe({agent!r})", untouched.observe(agent)):
                    handed_out.append((f"{name} of step {trial.where.get('step')}", array, array.tobytes()))
                for _, array in _arrays("", scribbled.observe(agent)):
                    if array.flags.writeable:
                        array[...] = np.where(array == 0, 1, 0).astype(array.dtype)
            trial.compare(readout(untouched), readout(scribbled), "normally", "after writing into observations")
        for name, array, contents in handed_out:
            if array.tobytes() != contents:
                trial.fail(f"the array returned as {name} was overwritten later")


def _arrays(name: str, observation: Any) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    return ((each, leaf) for each, leaf in leaves(name, observation) if isinstance(leaf, np.ndarray))


def _outside(space: Space[Any], value: Any, name: str) -> str | None:
    """Why ``value`` is not in ``space``, in words, or None if it is."""
    if isinstance(space, spaces.Dict):
        if not isinstance(value, dict) or value.keys() != space.spaces.keys():
            return f"{name} needs the keys {list(space.spaces)}, but is {str(value)[:200]}"
        return next(filter(None, (_outside(space[key], value[key], f"{name}[{key!r}]") for key in space.spaces)), None)
    if isinstance(space, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
        found = (value.dtype, value.shape) if isinstance(value, np.ndarray) else type(value).__name__
        if found != (space.dtype, space.shape):
            return f"{name} is {found}, its space {space.dtype} of {space.shape}"
    if space.contains(value):
        return None
    if isinstance(space, spaces.Box):
        entry = int(np.flatnonzero(~((value >= space.low) & (value <= space.high)))[0])
        low, high = space.low.flat[entry], space.high.flat[entry]
        return f"{name} has {value.flat[entry]} in entry {entry}, its space has {low} .. {high}"
    return f"{name} is outside {space}: {str(value)[:200]}"
