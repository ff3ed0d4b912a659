"""Datasets for Minari, the format of Farama's offline datasets: each episode is what one seat saw, chose and earned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt

from blackjacky_agents.data.loading import Dataset
from blackjacky_agents.data.stored_games import Setup, StoredGames
from blackjacky_env.checks import check_choice
from blackjacky_env.games import seat_id
from blackjacky_env.play import Decisions, batch_functions

if TYPE_CHECKING:
    from minari import MinariDataset
    from minari.data_collector import EpisodeBuffer


def to_minari(
    dataset: Dataset,
    dataset_id: str,
    policy: str,
    reward: str = "win",
    data_format: str = "hdf5",
    **more: Any,
) -> MinariDataset:
    """Write the games of a policy as a Minari dataset, in Minari's folder (``MINARI_DATASETS_PATH``).

    An episode is a game as seen from one seat of the policy: of a game in which it has three seats there are three
    episodes, and a game in which a seat never decides has none, as in the Gymnasium environment of the seat. A step
    goes from a decision to that seat's next one and sums the rewards on the way; the last one ends the game.
    Observations are dicts of ``observation`` and ``action_mask``, as that environment gives them with
    ``observation_format="dict"``; the mask of the final one is all 0. Episodes have no seed:
    the environment's ``reset`` draws seat, opponents and their choices from it, too, so none gives the episode again.

    The environment that the dataset names has the other policies at the table as opponents; where they differ from
    each other, it draws one for every seat, while in the data each of them has its own.

    Args:
        dataset: the dataset.
        dataset_id: ``NAMESPACE/NAME-vN``, as Minari wants it.
        policy: name of the policy.
        reward: ``"win"``, or the game's score reward.
        data_format: Minari's ``"hdf5"``, ``"arrow"`` or ``"parquet"``.
        more: further arguments of ``minari.create_dataset_from_buffers``, such as ``author``.

    Returns:
        The Minari dataset.

    Raises:
        ValueError: the policy is not in the dataset, the id is taken or wrong, or errors as in `Dataset.batches`.
    """
    from minari import create_dataset_from_buffers

    setup, made = dataset.setup, dataset.description
    check_choice("policy", policy, setup.policies)
    others = made.players
    others.remove(policy)
    env = gymnasium.make(
        seat_id(setup.game.name),
        opponents=list(dict.fromkeys(others)),
        num_players=setup.num_players,
        variant=setup.variant,
        reward=reward,
        observation_format="dict",
        **setup.options,
    )
    given = {
        "algorithm_name": policy,
        "description": f"{len(dataset):,} games of {setup.game.title}, as {policy} saw them: {made.command}",
        "requirements": [f"blackjacky=={made.setup['versions']['blackjacky']}"],
        "eval_env": env,
        **more,
    }
    number = setup.policies.index(policy)
    episodes = (
        episode
        for piece in dataset.games()
        for played in setup.played_back(piece, reward)
        for episode in _episodes(setup, number, *played)
    )
    return create_dataset_from_buffers(dataset_id, episodes, env=env, data_format=data_format, **given)


def _episodes(
    setup: Setup, policy: int, games: StoredGames, decisions: Decisions, states: npt.NDArray[Any]
) -> Iterator[EpisodeBuffer]:
    """One episode for each seat of the policy that decides in a game."""
    from minari.data_collector import EpisodeBuffer

    of_game = games.game_of_move
    rows = np.flatnonzero(games.seats[of_game, decisions.seats] == policy)
    if not len(rows):
        return
    places = of_game[rows] * setup.num_players + decisions.seats[rows]
    order = np.argsort(places, kind="stable")
    found, firsts = np.unique(places[order], return_index=True)
    where = found // setup.num_players, found % setup.num_players
    finals = np.empty((len(found), setup.game.layout.size), setup.game.layout.dtype)
    nothing = np.empty((len(found), setup.game.num_actions), np.int8)
    batch_functions(setup.game, True).observe(states, *where, finals, nothing, 0, len(found))
    for number, own in enumerate(np.split(rows[order], firsts[1:])):
        last = np.arange(len(own)) == len(own) - 1
        yield EpisodeBuffer(
            observations={
                "observation": np.concatenate([decisions.observations[own], finals[number : number + 1]]),
                "action_mask": np.concatenate([decisions.masks[own], nothing[number : number + 1]]),
            },
            actions=decisions.actions[own].astype(np.int64),
            rewards=decisions.earned[own].astype(np.float64),
            terminations=last,
            truncations=np.zeros(len(own), np.bool_),
        )
