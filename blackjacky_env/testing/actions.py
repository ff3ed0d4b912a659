"""The mask is exactly what the environment accepts, and refused actions change nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from pettingzoo.utils.env_logger import EnvLogger

from blackjacky_env.testing.readouts import Env, readout
from blackjacky_env.testing.trial import RecordedGame, Skipped, Trial, action_mask, check, is_done

ACCEPTED, RAISED, ENDED = "accepted", "refused by an exception", "refused by ending the game"
_REFUSED = {"any": (RAISED, ENDED), "raise": (RAISED,), "end": (ENDED,)}


@check
def check_mask(trial: Trial) -> None:
    """At random moments, try every action of the space: those in the mask are accepted, all others refused.

    An action is refused if it raises, or if it ends the game for the agent that took it; ``refusal`` says which is
    promised. Actions just outside the space must be refused, in either way. `TerminateIllegalWrapper` refuses by the
    mask itself, so only the bare environment shows whether its mask is too narrow.
    """
    for game, moment, env in _decisions(trial):
        mask, start = _mask(trial, env)
        if not mask.any():
            trial.fail("the mask of the agent that has to act allows no action")
        space = env.action_space(env.agent_selection)
        for action in range(start - 1, start + len(mask) + 1):
            outcome = _try(trial.replay(game, moment), action)
            trial.place.step, trial.place.agent = moment, env.agent_selection
            if not start <= action < start + len(mask):
                if outcome == ACCEPTED:
                    trial.fail(f"action {action} is outside {space}, but it is accepted")
            elif mask[action - start]:
                if outcome == RAISED:
                    trial.fail(f"action {action} is in the mask, but it is {outcome}")
            elif outcome not in _REFUSED[trial.refusal]:
                trial.fail(f"action {action} is not in the mask, but it is {outcome}")


@check
def check_illegal_action(trial: Trial) -> None:
    """Actions refused by an exception change nothing: neither what can be observed nor how the game continues."""
    raised = 0
    for game, moment, env in _decisions(trial):
        mask, start = _mask(trial, env)
        before = readout(env)
        for action in np.flatnonzero(mask == 0).tolist():
            outcome = _try(env, start + action)
            if outcome == ENDED:
                break
            if outcome == ACCEPTED:
                trial.fail(f"action {start + action} is not in the mask, but it was executed")
            raised += 1
            trial.compare(before, readout(env), "before", f"after action {start + action} was refused")
        else:
            undisturbed = trial.replay(game, moment)
            for action in trial.again(env, game, moment):
                env.step(action)
                undisturbed.step(action)
                there = f"if actions were refused before step {moment}"
                trial.compare(readout(undisturbed), readout(env), "normally", there)
    if not raised:
        raise Skipped("no action was refused by an exception: none is illegal, or illegal actions end the game")


def _decisions(trial: Trial) -> Iterator[tuple[RecordedGame, int, Env]]:
    for game in trial.recorded_games():
        for moment in trial.some_moments(game):
            env = trial.replay(game, moment)
            trial.place.step, trial.place.agent = moment, env.agent_selection
            if not is_done(env, env.agent_selection):
                yield game, moment, env


def _mask(trial: Trial, env: Env) -> tuple[npt.NDArray[np.integer], int]:
    """The mask of the agent on turn and the number of the first action."""
    agent = env.agent_selection
    space, mask = env.action_space(agent), action_mask(env, agent)
    if not isinstance(space, Discrete):
        raise Skipped(f"actions can only be listed in a Discrete space, not in {space}")
    if mask is None:
        raise Skipped("there is no action_mask in the observation or in infos")
    if np.shape(mask) != (space.n,):
        trial.fail(f"the mask has shape {np.shape(mask)}, but {space} needs ({space.n},)")
    if not np.array_equal(mask, env.infos[agent].get("action_mask", mask)):
        trial.fail("the mask in the observation and the mask in infos differ")
    return mask, int(space.start)


def _try(env: Env, action: int) -> str:
    """The outcome of an action."""
    agent, logger = env.agent_selection, EnvLogger.get_logger()
    logger.disabled, before = True, logger.disabled  # PettingZoo warns about every illegal action
    try:
        env.step(action)
    except Exception:  # noqa: BLE001  # environments define their own exceptions
        return RAISED
    finally:
        logger.disabled = before
    return ENDED if agent not in env.agents or is_done(env, agent) else ACCEPTED
