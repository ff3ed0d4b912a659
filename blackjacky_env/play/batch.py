"""Batches: many games stepped at once, all seats played by the caller, finished games restarted in the same step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_integer
from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.compiled.threads import spread
from blackjacky_env.declare.game import Game
from blackjacky_env.declare.layout import Vector
from blackjacky_env.play.many_games import SeatArrays, batch_functions, new_batch_arrays, new_masks
from blackjacky_env.play.states import own_arrays
from blackjacky_env.play.step import NONE, check_actions, check_integers, first_illegal

MOVES_PER_THREAD = 512  # waking a thread takes as long as a few hundred moves
SHOWN = ("observations", "current_player", "seeds", "rewards", "terminated")  # public arrays besides the masks


class Batch:
    """N games in which the caller plays every seat; made by `make_batch` and ready to step.

    The arrays below are overwritten by the next step: copy what you keep, or pass ``copy=True``; do not write to them.
    ``rewards``, ``cumulative_rewards`` and ``terminated`` belong to the last step, everything else to the current
    position.

    Attributes:
        observations: what the player to act sees, int8 or int16 (`Layout.dtype`), (N, K).
        action_masks: 1 for the legal actions of the player to act, int8, (N, A).
        current_player: seat of the player to act, int64, (N,).
        seeds: of the running games: ``env.reset(seed=int(batch.seeds[i]))`` starts the same game as game i, int64,
            (N,).
        rewards: of all seats, 0 for seats that do not exist, float64, (N, P).
        terminated: whether the step ended the game, so that the next one has started, bool, (N,).
        num_players: table size of each game, int64, (N,).
    """

    def __init__(
        self,
        game: Game,
        variant: str,
        states: npt.NDArray[Any],
        reward: str,
        seed: int,
        seat_arrays: SeatArrays | None,
        threads: int = 1,
        copy: bool = False,
    ) -> None:
        self.game, self.variant, self.reward, self.seed = game, variant, reward, seed
        self.threads, self.copy = threads, copy
        self.num_players = states["num_players"].astype(np.int64)
        self._seat_arrays = seat_arrays
        self._allocate(states)
        self._functions = self._make_functions()
        self._show()
        self.reset()

    def _make_functions(self) -> Any:
        return batch_functions(self.game, self.reward == "win", self._seat_arrays is not None)

    def _allocate(self, states: npt.NDArray[Any]) -> None:
        self._arrays = new_batch_arrays(self.game, states)

    @property
    def cumulative_rewards(self) -> npt.NDArray[np.float64]:
        """The reward of each seat since its last decision, as in PettingZoo, float64, (N, P); needs ``per_seat=True``.

        It is complete, all that the decision has earned, for the player to act and, when the game has ended, for every
        seat. It has no meaning for a seat that has not decided yet in this game.
        """
        if self._seat_arrays is None:
            raise AttributeError("cumulative_rewards needs a batch made with per_seat=True")
        return self._seat_arrays.cumulative_rewards

    def reset(self) -> None:
        """Start over with the same games."""
        self._move(self._functions.start)

    def step(self, actions: npt.ArrayLike) -> None:
        """Take one action in every game and restart the games that end.

        Args:
            actions: legal by ``action_masks``, integers, shape (N,).

        Raises:
            IllegalActionError: the action of a game is not legal (the message names the first such game and says why);
                nothing has changed in any game.
            TypeError, ValueError: the actions are not integers, or have the wrong shape.
        """
        checked = self._check_actions(actions)
        illegal = self._find_illegal(checked)
        if illegal != NONE:
            state, mask = (self._on_cpu(array)[illegal] for array in (self._arrays.states, self.action_masks))
            raise self.game.refusal(state, mask, int(actions[illegal]), f"game {illegal}: ")  # type: ignore[arg-type, index]
        self._move(self._functions.step, checked)

    def observe(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> tuple[Vector, npt.NDArray[np.int8]]:
        """What any seats of any games see, on turn or off, in new arrays.

        ``observe(np.arange(N)[:, None], np.arange(4))`` shows all seats of all games of four players.

        Args:
            games: indices of games, integers, of any shape that broadcasts with ``seats`` to a shape S.
            seats: seats at these tables, integers.

        Returns:
            Observations (*S, K) and action masks (*S, A), with the dtypes of ``observations`` and ``action_masks``. A
            mask is all 0 off turn.

        Raises:
            TypeError: the indices are not integers.
            ValueError: a game or a seat does not exist, or the indices do not broadcast.
        """
        rows, places = self._check_seats(games, seats)
        shape, count = rows.shape, rows.size
        observations = self._new_array((count, self.game.layout.size), self.game.layout.dtype)
        masks = self._new_array((count, self.game.num_actions), np.int8)
        if count:
            given = rows.ravel(), places.ravel()
            self._run(self._functions.observe, count, self._arrays.states, *given, observations, masks)
        return observations.reshape(*shape, observations.shape[1]), masks.reshape(*shape, self.game.num_actions)

    def random_actions(self) -> npt.NDArray[np.int64]:
        """A uniformly random legal action for every game, int64, (N,); the same actions until the next step."""
        actions: npt.NDArray[np.int64] = self._new_array(len(self.seeds), np.int64)
        self._run_games(self._functions.draw_actions, actions)
        return actions

    def run_random(self, steps: int) -> None:
        """Take ``steps`` (0 or more) random legal actions in every game without returning to Python.

        Equivalent to that many calls of ``step(random_actions())``: every position is observed and its mask written;
        the arrays show the last one.
        """
        self._move(self._functions.run_random, steps := check_integer("steps", steps, 0, 2**31), moves=steps)

    def _find_illegal(self, actions: Any) -> int:
        return int(first_illegal(actions, self.action_masks, np.zeros(len(actions), np.bool_)))

    def _move(self, function: Callable[..., None], *arguments: Any, moves: int = 1) -> None:
        if self.copy:
            self._renew()
        self._run_games(function, *arguments, moves=moves)

    def _renew(self) -> None:
        """Continue in copies of the public arrays, so that the caller's arrays stay unchanged."""
        masks, words = new_masks(self.game, len(self.seeds))
        masks[:] = self.action_masks
        copies = {name: getattr(self._arrays, name).copy() for name in SHOWN}
        self._arrays = self._arrays._replace(action_masks=masks, mask_words=words, **copies)
        if self._seat_arrays is not None:
            gathered = self._seat_arrays.cumulative_rewards.copy()
            self._seat_arrays = self._seat_arrays._replace(cumulative_rewards=gathered)
        self._show()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copied or unpickled batch; its masks and mask words must share memory again."""
        self.__dict__.update(own_arrays(state))
        self._renew()

    def _run_games(self, function: Callable[..., None], *arguments: Any, moves: int = 1) -> None:
        self._run(function, len(self.seeds), self._arrays, self._seat_arrays, self.seed, *arguments, moves=moves)

    def _run(self, function: Callable[..., None], count: int, *arguments: Any, moves: int = 1) -> None:
        """Call a function for ``count`` games or rows, with so many moves in each."""
        threads = max(1, min(self.threads, count, count * moves // MOVES_PER_THREAD))
        spread(lambda first, last: function(*arguments, first, last), count, threads)

    def _new_array(self, shape: Any, dtype: Any) -> Any:
        return np.empty(shape, dtype)

    def _show(self) -> None:
        self.observations, self.action_masks = self._arrays.observations, self._arrays.action_masks
        self.current_player, self.seeds = self._arrays.current_player, self._arrays.seeds
        self.rewards, self.terminated = self._arrays.rewards, self._arrays.terminated

    def _check_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        return check_actions(actions, len(self.seeds))

    def _check_seats(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        rows, places = check_integers("games", games), check_integers("seats", seats)
        try:
            rows, places = np.broadcast_arrays(rows, places)
        except ValueError:
            shapes = f"{rows.shape} and {places.shape}"
            raise ValueError(f"games and seats are of shapes {shapes}; allowed are shapes that broadcast") from None
        if ((rows < 0) | (rows >= len(self.seeds))).any():
            raise ValueError(f"games={games!r} are out of range; allowed are 0 .. {len(self.seeds) - 1}")
        if ((places < 0) | (places >= self.num_players[rows])).any():
            raise ValueError(f"seats={seats!r} are out of range; allowed are 0 .. num_players - 1 of the game")
        return rows.astype(np.int64), places.astype(np.int64)

    def _on_cpu(self, array: Any) -> Any:
        """Batches on a GPU copy the array here."""
        return array


def choose_tables(
    game: Game, num_games: int, num_players: int | Sequence[int] | None, variant: str | None
) -> tuple[list[int], str]:
    """The table size of each game, and the variant that all of them play.

    Raises `TypeError` or `ValueError` for table sizes that the game, or one variant alone, does not allow.
    """
    if not isinstance(num_players, Sequence | np.ndarray):
        size, variant = game.choose_table(num_players, variant)
        return [size] * num_games, variant
    if not len(num_players):
        raise ValueError(f"num_players={num_players!r} is empty; allowed are a table size and a list of table sizes")
    sizes = [game.choose_table(size, label="each of num_players")[0] for size in num_players]
    chosen = game.choose_variant(sizes, variant, "each of num_players")
    return [sizes[i % len(sizes)] for i in range(num_games)], chosen.name


def new_states(game: Game, num_players: Sequence[int], variant: str, options: dict[str, Any]) -> Any:
    """State records for these table sizes, no game started; `TypeError`, `ValueError` for impossible options."""
    sizes = np.array(num_players)
    states = zeros(len(sizes), game.state_dtype)
    for size in set(num_players):
        states[sizes == size] = game.new_state(size, variant, game.check_options(size, variant, options))
    return states
