"""Observations lie in their spaces, belong to the caller, and observing changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Space, spaces

from blackjacky_env.testing.readouts import leaves, readout, readout_of
from blackjacky_env.testing.trial import Skipped, Trial, action_mask, check


@check
def check_observations(trial: Trial) -> None:
    """Every agent's observation lies in its space at every step, on turn or not: keys, dtype, shape and range.

    `last()` returns the same as `observe`. Gymnasium's own `contains` would accept other dtypes, such as int8 in a
    float32 box.
    """
    for env, action in trial.plays():
        for agent in env.agents:
            if wrong := outside(env.observation_space(agent), env.observe(agent), "the observation"):
                trial.fail(f"{agent}: {wrong}")
        if readout_of("", env.last()[0]) != readout_of("", env.observe(env.agent_selection)):
            trial.fail("last() and observe() return different observations")
        env.step(action)


@check
def check_off_turn_mask(trial: Trial) -> None:
    """Masks of agents that are not on turn are all zeros, if that is promised."""
    if trial.off_turn_mask is None:
        raise Skipped("nothing is promised about masks off turn; off_turn_mask='zero' does")
    found = 0
    for env, action in trial.plays():
        for agent in env.agents:
            if agent != env.agent_selection:
                masks = {"mask": action_mask(env, agent), "mask in infos": env.infos[agent].get("action_mask")}
                found += masks["mask"] is not None
                for name, mask in masks.items():
                    if mask is not None and np.any(mask):
                        allowed = np.flatnonzero(mask).tolist()
                        trial.fail(f"the {name} of {agent}, who is not on turn, allows {allowed}")
        env.step(action)
    if not found:
        raise Skipped("there is no action_mask in the observation or in infos")


@check
def check_looking(trial: Trial) -> None:
    """Calling `observe`, `state`, `last` and `render` does not change the game."""
    for game in trial.recorded_games():
        env = trial.begin(game.seed)
        seen = []
        for action in trial.again(env, game):
            seen.append(readout(env))
            env.last()
            if getattr(env, "render_mode", None) is not None:
                env.render()
            trial.compare(seen[-1], readout(env), "at first", "when read again")
            env.step(action)
        for moment in trial.some_moments(game):
            unseen = readout(trial.replay(game, moment))
            trial.compare(unseen, seen[moment], "if nothing was read before", "if everything was read before")


@check
def check_handed_out(trial: Trial) -> None:
    """Returned arrays are not overwritten later, and writing into an observation does not change the game."""
    for game in trial.recorded_games():
        _check_kept(trial, game.seed)
        scribbled, untouched = trial.begin(game.seed), trial.begin(game.seed)
        for action in trial.again(scribbled, game):
            for agent in scribbled.agents:
                for array in _arrays("", scribbled.observe(agent)).values():
                    if array.flags.writeable:
                        array[...] = np.where(array == 0, 1, 0).astype(array.dtype)
            trial.compare(readout(untouched), readout(scribbled), "normally", "after writing into observations")
            scribbled.step(action)
            untouched.step(action)


def _check_kept(trial: Trial, seed: int) -> None:
    env = trial.begin(seed)
    handed_out: list[tuple[str, npt.NDArray[Any], bytes]] = []
    for step, action in enumerate(trial.moves(env, seed)):
        for agent in env.agents:
            for name, array in _arrays(f"observe({agent!r})", env.observe(agent)).items():
                handed_out.append((f"{name} of step {step}", array, array.tobytes()))
        env.step(action)
    for name, array, contents in handed_out:
        if array.tobytes() != contents:
            trial.fail(f"the array returned as {name} was overwritten later")


def _arrays(name: str, observation: Any) -> dict[str, npt.NDArray[Any]]:
    return {each: leaf for each, leaf in leaves(name, observation) if isinstance(leaf, np.ndarray)}


def outside(space: Space[Any], value: Any, name: str) -> str | None:
    """Why ``value`` is not in ``space``, in words, or None if it is."""
    if isinstance(space, spaces.Dict):
        if not isinstance(value, dict) or value.keys() != space.spaces.keys():
            return f"{name} needs the keys {list(space.spaces)}, but is {str(value)[:200]}"
        return next(filter(None, (outside(space[key], value[key], f"{name}[{key!r}]") for key in space.spaces)), None)
    if isinstance(space, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
        if not isinstance(value, np.ndarray):
            return f"{name} is not an array, but {type(value).__name__}"
        if (value.dtype, value.shape) != (space.dtype, space.shape):
            return f"{name} is {value.dtype} of shape {value.shape}, its space {space.dtype} of {space.shape}"
    if space.contains(value):
        return None
    if isinstance(space, spaces.Box):
        entry = int(np.flatnonzero(~((value >= space.low) & (value <= space.high)))[0])
        low, high = space.low.flat[entry], space.high.flat[entry]
        return f"{name} has {value.flat[entry]} in entry {entry}, its space has {low} .. {high}"
    return f"{name} is outside {space}: {str(value)[:200]}"
