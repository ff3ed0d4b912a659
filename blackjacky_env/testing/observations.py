"""Observations lie in their spaces, belong to the caller, and observing changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Space, spaces

from blackjacky_env.testing.errors import Skipped, Spot
from blackjacky_env.testing.readouts import Env, arrays, compare, readout, same
from blackjacky_env.testing.trial import Trial, action_mask, check


@check
def check_observations(trial: Trial, spot: Spot) -> None:
    """Every agent's observation lies in its space at every step, on turn or not: keys, dtype, shape and range.

    `last()` returns the same as `observe`. Gymnasium's own `contains` would accept other dtypes, such as int8 in a
    float32 box.
    """
    for seed in trial.seeds:
        env = trial.begin(spot, seed)
        _check_spaces(spot, env)
        for action in trial.moves(env, spot, seed):
            if not same(env.last()[0], env.observe(spot.agent)):
                spot.fail("last() and observe() return different observations")
            env.step(action)
            _check_spaces(spot, env)


@check
def check_off_turn_mask(trial: Trial, spot: Spot) -> None:
    """Masks of agents that are not on turn are all zeros, if that is promised."""
    if trial.off_turn_mask is None:
        raise Skipped("nothing is promised about masks off turn; off_turn_mask='zero' does")
    masks = 0
    for seed in trial.seeds:
        env = trial.begin(spot, seed)
        for action in trial.moves(env, spot, seed):
            for agent in env.agents:
                if agent != env.agent_selection:
                    masks += _check_zero(spot, env, agent)
            env.step(action)
    if not masks:
        raise Skipped("there is no action_mask in the observation or in infos")


def _check_zero(spot: Spot, env: Env, agent: Any) -> bool:
    """Check the masks of one agent; returns whether it has any."""
    masks = [action_mask(env, agent), env.infos[agent].get("action_mask")]
    for mask, place in zip(masks, ("mask", "mask in infos"), strict=True):
        if mask is not None and np.any(mask):
            spot.fail(f"the {place} of {agent}, who is not on turn, allows {np.flatnonzero(mask).tolist()}")
    return masks[0] is not None


@check
def check_looking(trial: Trial, spot: Spot) -> None:
    """Calling `observe`, `state`, `last` and `render` does not change the game."""
    for game in trial.recorded_games(spot):
        env = trial.begin(spot, game.seed)
        seen = []
        for action in game.moves(env, spot):
            seen.append(readout(env))
            env.last()
            if getattr(env, "render_mode", None) is not None:
                env.render()
            compare(spot, seen[-1], readout(env), "at first", "when read again")
            env.step(action)
        for moment in trial.some_moments(game):
            unseen = trial.replay(spot, game, moment)
            compare(spot, readout(unseen), seen[moment], "if nothing was read before", "if everything was read before")


@check
def check_handed_out(trial: Trial, spot: Spot) -> None:
    """Returned arrays are not overwritten later, and writing into an observation does not change the game."""
    for game in trial.recorded_games(spot):
        _check_kept(trial, spot, game.seed)
        scribbled, untouched = trial.begin(spot, game.seed), trial.begin(spot, game.seed)
        for action in game.moves(scribbled, spot):
            for agent in scribbled.agents:
                _scribble(scribbled.observe(agent))
            compare(spot, readout(untouched), readout(scribbled), "normally", "after writing into observations")
            scribbled.step(action)
            untouched.step(action)


def _check_kept(trial: Trial, spot: Spot, seed: int) -> None:
    env = trial.begin(spot, seed)
    handed_out: list[tuple[str, npt.NDArray[Any], bytes]] = []
    for action in trial.moves(env, spot, seed):
        for agent in env.agents:
            for name, array in arrays(f"observe({agent!r})", env.observe(agent)):
                handed_out.append((f"{name} of step {spot.step}", array, array.tobytes()))
        env.step(action)
    for name, array, contents in handed_out:
        if array.tobytes() != contents:
            spot.fail(f"the array returned as {name} was overwritten later")


def _scribble(observation: Any) -> None:
    for _, array in arrays("", observation):
        if array.flags.writeable:
            array[...] = np.where(array == 0, 1, 0).astype(array.dtype)


def _check_spaces(spot: Spot, env: Env) -> None:
    for agent in env.agents:
        wrong = outside(env.observation_space(agent), env.observe(agent), "the observation")
        if wrong:
            spot.fail(f"{agent}: {wrong}")


def outside(space: Space[Any], value: Any, name: str) -> str | None:
    """Why ``value`` is not in ``space``, in words, or None if it is."""
    if isinstance(space, spaces.Dict):
        if not isinstance(value, dict) or value.keys() != space.spaces.keys():
            return f"{name} needs the keys {list(space.spaces)}, but is {str(value)[:200]}"
        parts = (outside(space[key], value[key], f"{name}[{key!r}]") for key in space.spaces)
        return next(filter(None, parts), None)
    if isinstance(space, spaces.Tuple):
        if not isinstance(value, tuple) or len(value) != len(space.spaces):
            return f"{name} needs a tuple of {len(space.spaces)}, but is {str(value)[:200]}"
        parts = (outside(part, entry, f"{name}[{i}]") for i, (part, entry) in enumerate(zip(space, value, strict=True)))
        return next(filter(None, parts), None)
    if isinstance(space, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
        return _outside_array(space, value, name)
    return None if space.contains(value) else f"{name} is outside {space}: {str(value)[:200]}"


def _outside_array(space: Space[Any], value: Any, name: str) -> str | None:
    if not isinstance(value, np.ndarray):
        return f"{name} is not an array, but {type(value).__name__}"
    if value.dtype != space.dtype:
        return f"{name} has dtype {value.dtype}, its space has {space.dtype}"
    if value.shape != space.shape:
        return f"{name} has shape {value.shape}, its space has {space.shape}"
    if space.contains(value):
        return None
    if isinstance(space, spaces.Box):
        entry = int(np.flatnonzero(~((value >= space.low) & (value <= space.high)))[0])
        low, high = space.low.flat[entry], space.high.flat[entry]
        return f"{name} has {value.flat[entry]} in entry {entry}, its space has {low} .. {high}"
    return f"{name} is outside {space}"
