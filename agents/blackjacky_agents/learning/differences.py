"""How often a trained agent decides otherwise than a bot, by the kind of action that the bot would take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from blackjacky_agents.agent import CompiledAgent
from blackjacky_env import make_batch
from blackjacky_env.games import get_game

_GAMES, _DECISIONS = 256, 20_000


class Difference(NamedTuple):
    """The decisions at which a bot would take an action of one kind."""

    kind: str  # of the bot's action, as `ActionInfo.kind`
    decisions: int  # decisions of the agent, with a choice, at which the bot would take such an action
    different: int  # those of them at which the agent takes another action, of this kind or not


def count_differences(
    agent: CompiledAgent, bot: CompiledAgent, players: int, variant: str | None, rule_options: Mapping[str, Any]
) -> list[Difference]:
    """What an agent does otherwise than a bot, in one seat among copies of it; most differences first."""
    batch = make_batch(agent.game, _GAMES, players, variant=variant, seed=0, **rule_options)
    seats, found = np.arange(_GAMES) % players, np.zeros((0, 2), np.int64)
    agent.reset(0)
    bot.reset(0)
    while len(found) < _DECISIONS:
        observations, masks = batch.observations, batch.action_masks
        own, other = (each.act_batch(observations, masks) for each in (agent, bot))
        is_own = batch.current_player == seats
        found = np.concatenate([found, np.column_stack([own, other])[is_own & (masks.sum(axis=1) > 1)]])
        batch.step(np.where(is_own, own, other))
    kinds = np.array([action.kind for action in get_game(agent.game).words.actions.infos])[found[:, 1]]
    differs = found[:, 0] != found[:, 1]
    rows = [Difference(kind, int((kinds == kind).sum()), int(differs[kinds == kind].sum())) for kind in set(kinds)]
    return sorted(rows, key=lambda row: (-row.different, row.kind))
