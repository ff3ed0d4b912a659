"""Decisions of a dataset in random order, across shards, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_integer
from blackjacky_env.play import NONE, Decisions, new_decisions

if TYPE_CHECKING:
    from blackjacky_agents.data.dataset import Dataset
    from blackjacky_agents.data.games import Games

Batch = dict[str, npt.NDArray[Any]]
"""Arrays by name, as `Dataset.batches` yields them."""

_ORDER, _WITHIN = 0, 1  # what random numbers are drawn for


class _Window(NamedTuple):
    """Decisions that are shuffled together, whole games."""

    decisions: Decisions
    policies: npt.NDArray[np.int64]
    episodes: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]


def shuffled(
    dataset: Dataset,
    size: int,
    seed: int | Sequence[int],
    policies: Sequence[str] | None,
    reward: str,
    transitions: bool,
    buffer: int,
    part: tuple[int, int],
    threads: int,
) -> Iterator[Batch]:
    """What `Dataset.batches` yields."""
    check_integer("size", size, 1, 2**31)
    check_integer("buffer", buffer, 1, 2**40)
    wanted = None if policies is None else [_index(name, dataset.setup.policies) for name in policies]
    own, parts = check_integer("part", part[0], 0, part[1] - 1), part[1]
    entropy = [check_integer("seed", each, 0, 2**63 - 1) for each in (seed if isinstance(seed, Sequence) else [seed])]
    pieces = dataset.pieces()
    order = np.random.default_rng([*entropy, _ORDER]).permutation(len(pieces))[own::parts]
    rng = np.random.default_rng([*entropy, _WITHIN, own, parts])
    left: Batch = {}
    for window in _windows(dataset, (dataset.read_games(*pieces[i]) for i in order), reward, buffer, threads):
        rows = rng.permutation(len(window.steps))
        if wanted is not None:
            rows = rows[np.isin(window.policies[rows], wanted)]
        while len(rows) >= (room := size - _length(left)):
            yield _joined(left, _taken(window, rows[:room], transitions))
            left, rows = {}, rows[room:]
        if len(rows):
            left = _joined(left, _taken(window, rows, transitions))
    if left:
        yield left


def _index(name: str, policies: Sequence[str]) -> int:
    if name not in policies:
        raise ValueError(f"policies has {name!r}; the dataset's are {', '.join(map(repr, policies))}")
    return policies.index(name)


def _windows(dataset: Dataset, every: Iterator[Games], reward: str, buffer: int, threads: int) -> Iterator[_Window]:
    """Whole games, as many as fit into the buffer, whose memory is used again."""
    setup = dataset.setup
    memory = new_decisions(setup.game, buffer)
    numbers = np.empty((3, buffer), np.int64)
    policies, episodes, steps = numbers
    used = 0
    for games in every:
        first = 0
        while first < len(games.seeds):
            last = games.fitting(first, buffer - used)
            if last > first:
                some = games.part(first, last)
                place = slice(used, used + len(some.moves))
                setup.play_back(some, memory.part(place.start, place.stop), reward, threads)
                of_game = some.game_of_move
                policies[place] = some.seats[of_game, memory.seats[place]]
                episodes[place] = some.episodes[of_game]
                steps[place] = np.arange(len(of_game)) - some.starts[of_game]
                memory.following[place] += np.where(memory.following[place] == NONE, 0, used)
                used, first = place.stop, last
            elif used:
                yield _Window(memory.part(0, used), *numbers[:, :used])
                used = 0
            else:
                needed = int(games.starts[first + 1] - games.starts[first])
                raise ValueError(f"buffer={buffer} is too small for a game of {needed} decisions")
    if used:
        yield _Window(memory.part(0, used), *numbers[:, :used])


def _taken(window: _Window, rows: npt.NDArray[np.int64], transitions: bool) -> Batch:
    """A batch of some rows of a window, copied."""
    decisions = window.decisions
    batch = {
        "observation": decisions.observations[rows],
        "action_mask": decisions.masks[rows],
        "action": decisions.actions[rows].astype(np.int64),
        "reward": decisions.earned[rows],
        "terminated": decisions.following[rows] == NONE,
        "seat": decisions.seats[rows],
        "policy": window.policies[rows],
        "episode": window.episodes[rows],
        "step": window.steps[rows],
    }
    if transitions:
        following = np.where(batch["terminated"], rows, decisions.following[rows])
        batch["next_observation"] = decisions.observations[following]
        batch["next_action_mask"] = decisions.masks[following]
    return batch


def _length(batch: Batch) -> int:
    return len(batch["action"]) if batch else 0


def _joined(first: Batch, second: Batch) -> Batch:
    return {name: np.concatenate([first[name], second[name]]) for name in second} if first else second
