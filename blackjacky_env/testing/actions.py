"""The mask is exactly what the environment accepts, and refused actions change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from pettingzoo.utils.env_logger import EnvLogger

from blackjacky_env.testing.errors import Skipped, Spot
from blackjacky_env.testing.readouts import Env, compare, readout
from blackjacky_env.testing.trial import RecordedGame, Trial, action_mask, check, is_done

ACCEPTED, RAISED, ENDED = "accepted", "refused by an exception", "refused by ending the game"
_REFUSED = {"any": (RAISED, ENDED), "raise": (RAISED,), "end": (ENDED,)}


@check
def check_mask(trial: Trial, spot: Spot) -> None:
    """At random moments, try every action of the space: those in the mask are accepted, all others refused.

    An action is refused if it raises, or if it ends the game for the agent that took it; ``refusal`` says which is
    promised. Actions just outside the space must be refused, in either way. `TerminateIllegalWrapper` refuses by the
    mask itself, so only the bare environment shows whether its mask is too narrow.
    """
    for game, moment, env in _decisions(trial, spot):
        mask, start = _mask(spot, env)
        if not mask.any():
            spot.fail("the mask of the agent that has to act allows no action")
        for action in range(start - 1, start + len(mask) + 1):
            outcome, _ = _try(trial, spot, game, moment, action)
            if not start <= action < start + len(mask):
                if outcome == ACCEPTED:
                    spot.fail(f"action {action} is outside {env.action_space(spot.agent)}, but it is accepted")
            elif mask[action - start]:
                if outcome == RAISED:
                    spot.fail(f"action {action} is in the mask, but it is {outcome}")
            elif outcome not in _REFUSED[trial.refusal]:
                spot.fail(f"action {action} is not in the mask, but it is {outcome}")


@check
def check_illegal_action(trial: Trial, spot: Spot) -> None:
    """Actions refused by an exception change nothing: neither what can be observed nor how the game continues."""
    raised = 0
    for game, moment, env in _decisions(trial, spot):
        mask, start = _mask(spot, env)
        before = readout(env)
        for action in np.flatnonzero(mask == 0).tolist():
            outcome, tried = _try(trial, spot, game, moment, start + action, env)
            if outcome == RAISED:
                raised += 1
                compare(spot, before, readout(tried), "before", f"after action {start + action} was refused")
            elif outcome == ENDED:
                break
            else:
                spot.fail(f"action {start + action} is not in the mask, but it was executed")
        else:
            _check_continuation(trial, spot, game, moment, env)
    if not raised:
        raise Skipped("no action was refused by an exception: none is illegal, or illegal actions end the game")


def _decisions(trial: Trial, spot: Spot) -> Iterator[tuple[RecordedGame, int, Env]]:
    for game in trial.recorded_games(spot):
        for moment in trial.some_moments(game):
            env = trial.replay(spot, game, moment)
            spot.step, spot.agent = moment, env.agent_selection
            if not is_done(env, spot.agent):
                yield game, moment, env


def _mask(spot: Spot, env: Env) -> tuple[npt.NDArray[Any], int]:
    """The mask of the agent on turn and the number of the first action."""
    space, mask = env.action_space(spot.agent), action_mask(env, spot.agent)
    if not isinstance(space, Discrete):
        raise Skipped(f"actions can only be listed in a Discrete space, not in {space}")
    if mask is None:
        raise Skipped("there is no action_mask in the observation or in infos")
    if np.shape(mask) != (space.n,):
        spot.fail(f"the mask has shape {np.shape(mask)}, but {space} needs ({space.n},)")
    in_info = env.infos[spot.agent].get("action_mask", mask)
    if not np.array_equal(mask, in_info):
        spot.fail("the mask in the observation and the mask in infos differ")
    return mask, int(space.start)


def _try(
    trial: Trial, spot: Spot, game: RecordedGame, moment: int, action: int, env: Env | None = None
) -> tuple[str, Env]:
    """The outcome of an action, and the environment in which it was tried: ``env``, or a new one."""
    env = trial.replay(spot, game, moment) if env is None else env
    agent = env.agent_selection
    spot.step, spot.agent = moment, agent
    logger = EnvLogger.get_logger()
    logger.disabled, before = True, logger.disabled  # PettingZoo warns about every illegal action
    try:
        env.step(action)
    except Exception:  # noqa: BLE001  # environments define their own exceptions
        return RAISED, env
    finally:
        logger.disabled = before
    return (ENDED if agent not in env.agents or is_done(env, agent) else ACCEPTED), env


def _check_continuation(trial: Trial, spot: Spot, game: RecordedGame, moment: int, env: Env) -> None:
    undisturbed = trial.replay(spot, game, moment)
    for action in game.moves(env, spot, moment):
        env.step(action)
        undisturbed.step(action)
        compare(spot, readout(undisturbed), readout(env), "normally", f"if actions were refused before step {moment}")
