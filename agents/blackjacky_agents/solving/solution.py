"""Solutions as files and as agents: what to do in every information state of a table.

A solution is ``NAME.safetensors`` and a card ``NAME.json`` with its table, how it was found, and the checksum of its
arrays; never a pickle. Keys of information states do not name a seat, so that it plays every seat of its table.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from blackjacky_agents.agent import AgentError, check_asked
from blackjacky_agents.solving.game_tree import GameTree
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.strategies import Strategies
from blackjacky_agents.storage.files import next_of, read_by_card, write_with_card
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.play import Keys
from blackjacky_env.reading import parse_json, read_file
from blackjacky_env.replay import Thoughts

SOLUTION_FILE = "solution.safetensors"
FOLDER = Path("runs") / "solved"
"""Where ``blackjacky solve`` writes, by game and name."""
_FORMAT = 1
_MAX_SOLUTION = 2**32  # bytes of its arrays
_HOW = "pass env.information_key(agent) as 'information_key' beside the observation, or as a row of the third argument"


class TabularPolicy(NamedTuple):
    """What to do in I information states, S actions in all."""

    keys: Keys
    """Of the information states, in ascending order, (I, 2)."""
    first: npt.NDArray[np.int64]
    """State i has the actions ``first[i]`` .. ``first[i + 1] - 1``, (I + 1,)."""
    actions: npt.NDArray[np.int16]
    chances: npt.NDArray[np.float32]
    """The probability of each action, (S,)."""


def policy_of(tree: GameTree, strategies: Strategies) -> TabularPolicy:
    """Strategies by the keys of information states."""
    return sorted_policy(
        np.concatenate([states.keys for states in tree.states]),
        np.concatenate([np.diff(seat.first) for seat in tree.seats]),
        np.concatenate([states.actions[1:] for states in tree.states]),
        np.concatenate([strategy[1:] for strategy in strategies]),
    )


def sorted_policy(
    keys: Keys, sizes: npt.NDArray[np.int64], actions: npt.NDArray[np.int16], chances: npt.NDArray[np.float64]
) -> TabularPolicy:
    """A policy of information states in any order: their keys, (I, 2), their numbers of actions, (I,), and these."""
    order, begins = np.lexsort((keys[:, 1], keys[:, 0])), np.cumsum(sizes) - sizes
    first = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int64)
    places = np.repeat(begins[order] - first[:-1], sizes[order]) + np.arange(first[-1])
    return TabularPolicy(keys[order], first, actions[places], chances[places].astype(np.float32))


def look_up(known: Keys, keys: Keys) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The places of keys (N, 2) among those known, which are in ascending order, and whether each is among them."""
    places: npt.NDArray[np.int64] = np.minimum(np.searchsorted(known[:, 0], keys[:, 0]), len(known) - 1)
    return places, (known[places] == keys).all(axis=1)


def save_solution(path: Path, policy: TabularPolicy, table: SmallTable, **facts: Any) -> None:
    """Write a solution to ``path`` (.safetensors) and its card beside it; ``facts`` are added to the card."""
    data = save({name: np.ascontiguousarray(array) for name, array in policy._asdict().items()})
    card = {"format": _FORMAT, **table.identity(), "states": len(policy.keys)}
    write_with_card(path, data, card, facts)


def find_solution(name: str, game: str) -> Path:
    """The arrays of a solution: a file, a folder, or the name of a run of ``blackjacky solve`` for this game.

    Raises `ValueError` if there is none.
    """
    places = [Path(name), FOLDER / game / name]
    for place in places:
        file = place / SOLUTION_FILE if place.is_dir() else place
        if file.suffix == ".safetensors" and (file.is_file() or next_of(file).is_file()):
            return file
    raise ValueError(
        f"there is no solution at {str(places[0])!r} or {str(places[1])!r}: `blackjacky solve --game {game}` makes one"
    )


def load_solution(name: str, game: str = DEFAULT) -> SolvedAgent:
    """The solution at ``name``, see `find_solution`, as an agent called ``solved:NAME``.

    Raises `ValueError` if the files are missing or damaged, or made for another game or version.
    """
    file = find_solution(name, game)
    try:
        card = parse_json(read_file(file.with_suffix(".json")))
        needed = {each: card[each] for each in ("num_players", "variant", "sha256")}
        card |= {**needed, "options": dict(card["options"])}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ValueError(f"the card of the solution {name!r} is missing or damaged: {error}") from None
    for fact, own in {"format": _FORMAT, "game": game, "version": get_game(game).version}.items():
        if card.get(fact) != own:
            raise ValueError(f"the solution {name!r} is for {fact}={card.get(fact)!r}, not for {own!r}")
    try:
        SmallTable.of(game, card["num_players"], card["variant"], **card["options"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"the card of the solution {name!r} is damaged: {error}") from None
    data = read_by_card(file, card, _MAX_SOLUTION)
    if data is None:
        raise ValueError(f"the solution {name!r} is damaged: {file.name} does not match the checksum in its card")
    try:
        policy = TabularPolicy(**load(data))
    except (SafetensorError, TypeError) as error:
        raise ValueError(f"the solution {name!r} is damaged: its arrays cannot be read ({error!r})") from None
    if not _is_sound(policy, get_game(game).num_actions):
        raise ValueError(f"the solution {name!r} is damaged: its arrays contradict each other")
    return SolvedAgent(f"solved:{name}", game, policy, card)


def _is_sound(policy: TabularPolicy, num_actions: int) -> bool:
    """Whether lookups in a policy from outside are safe, and its chances are probabilities."""
    keys, first, actions, chances = policy
    kinds = [(str(each.dtype), each.ndim) for each in policy]
    if kinds != [("uint64", 2), ("int64", 1), ("int16", 1), ("float32", 1)] or keys.shape != (len(first) - 1, 2):
        return False
    if not first[0] == 0 < first[-1] == len(actions) == len(chances):
        return False
    is_sorted = (first[1:] > first[:-1]).all() and (keys[1:, 0] >= keys[:-1, 0]).all()
    if not is_sorted or actions.min() < 0 or actions.max() >= num_actions:
        return False
    sums = np.add.reduceat(chances, first[:-1])
    return bool(np.isfinite(chances).all() and chances.min() >= 0 and (abs(sums - 1) < 1e-3).all())


class SolvedAgent:
    """Plays the solution of a table: in every information state the actions have their probabilities there.

    A solution by sampling, whose card says ``"complete": false``, takes any action where it has never been.

    Args:
        name: name in tables and results.
        game: name of the game.
        policy: what to do.
        card: the solution's card: `SmallTable.identity`, and how it was found.
    """

    recalls = True

    def __init__(self, name: str, game: str, policy: TabularPolicy, card: Mapping[str, Any]) -> None:
        self.name, self.game, self.policy, self.card = name, game, policy, card
        self.reset()

    def __deepcopy__(self, memo: dict[int, Any]) -> SolvedAgent:
        """A copy that shares the policy, which may be large and never changes."""
        twin = copy.copy(self)
        twin._rng = copy.deepcopy(self._rng, memo)
        return twin

    def reset(self, seed: int | None = None) -> None:
        """Reseed the agent; the same seed gives the same choices (None: a seed from the operating system)."""
        self._rng = np.random.default_rng(seed)

    def act(self, observation: dict[str, npt.NDArray[Any]]) -> int:
        """A legal action by the probabilities of the information state.

        ``observation`` needs an entry ``information_key`` (`blackjacky_agents.agent.shown_to`). Raises `ValueError` if
        it is missing, and `AgentError` if the state is not in the solution because it belongs to another table.
        """
        return int(self.act_batch(*_rows(self.name, observation))[0])

    def act_batch(
        self, observations: npt.NDArray[Any], masks: npt.NDArray[Any], keys: Keys | None = None
    ) -> npt.NDArray[np.int64]:
        """Actions (N,) for observations (N, K), masks (N, A) and what the seats recall, (N, 2)."""
        if keys is None:
            raise ValueError(f"{self.name} needs to know what the seats recall: {_HOW}")
        chances = self.probabilities(observations, masks, keys)
        bounds = chances.cumsum(axis=1)
        actions: npt.NDArray[np.int64] = (bounds > self._rng.random((len(chances), 1)) * bounds[:, -1:]).argmax(axis=1)
        return actions

    def probabilities(
        self, observations: npt.NDArray[Any], masks: npt.NDArray[Any], keys: Keys
    ) -> npt.NDArray[np.float64]:
        """Float64 (N, A): the probability of each action."""
        _, masks = check_asked(self.name, self.game, observations, masks)
        states, found = look_up(self.policy.keys, keys)
        if not found.all() and self.card.get("complete", True):
            raise AgentError(f"{self.name} does not know this position: {self._where()}")
        chances, first = np.where(found[:, None], 0.0, masks), self.policy.first
        for row in np.flatnonzero(found):
            places = slice(first[states[row]], first[states[row] + 1])
            chances[row, self.policy.actions[places]] = self.policy.chances[places]
        if (chances[masks == 0] > 0).any():
            raise AgentError(f"{self.name} would choose an action that is not legal: {self._where()}", "illegal")
        chances /= chances.sum(axis=1, keepdims=True)
        return chances

    def explain(self, observation: dict[str, npt.NDArray[Any]]) -> Thoughts:
        """Its probabilities."""
        return Thoughts(self.probabilities(*_rows(self.name, observation))[0])

    def _where(self) -> str:
        card = self.card
        options = " ".join(f"{name}={value}" for name, value in card["options"].items())
        return f"it is for {card['num_players']} players, variant {card['variant']!r}, {options}"


def _rows(name: str, observation: dict[str, npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], ...]:
    if "information_key" not in observation:
        raise ValueError(f"{name} needs to know what its seat recalls: {_HOW}")
    return tuple(observation[part][None] for part in ("observation", "action_mask", "information_key"))
