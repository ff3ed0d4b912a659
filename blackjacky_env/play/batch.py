"""Batches: many games stepped at once, all seats played by the caller, finished games restarted in the same step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import random
from blackjacky_env.compiled.compiling import compiled, entry, inlined, zeros
from blackjacky_env.compiled.purposes import FOR_ACTIONS, FOR_GAMES
from blackjacky_env.compiled.results import score_of
from blackjacky_env.compiled.threads import spread
from blackjacky_env.declare.game import Game, IllegalActionError
from blackjacky_env.declare.layout import Vector
from blackjacky_env.play.copies import own_arrays
from blackjacky_env.play.step import DRAWN, NONE, OVER, make_look, make_scored_step, make_step

MOVES_PER_THREAD = 512  # waking a thread takes as long as a few hundred moves
SHOWN = ("observations", "current_player", "seeds", "rewards", "terminated")  # public arrays besides the masks


class Board(NamedTuple):
    """All arrays of N games."""

    states: npt.NDArray[Any]
    observations: Vector
    action_masks: npt.NDArray[np.int8]
    mask_words: npt.NDArray[np.uint64]
    """The masks' memory, eight flags a word, shape (N, ceil(A / 8)); the last word may reach beyond the A flags."""
    current_player: npt.NDArray[np.int64]
    seeds: npt.NDArray[np.int64]
    played: npt.NDArray[np.int64]
    """Number of games started at each index, shape (N,)."""
    moves: npt.NDArray[np.int64]
    """Number of moves made at each index, shape (N,)."""
    rewards: npt.NDArray[np.float64]
    terminated: npt.NDArray[np.bool_]


class SeatArrays(NamedTuple):
    """What a batch with ``per_seat=True`` keeps besides its `Board`."""

    cumulative_rewards: npt.NDArray[np.float64]
    final_states: npt.NDArray[Any]
    """Each game as the last one at its index ended, shape (N,)."""
    gamma: float
    score_shaping: float


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
        num_players: Sequence[int],
        variant: str,
        reward: str,
        seed: int,
        threads: int,
        copy: bool,
        seat_arrays: SeatArrays | None,
        options: dict[str, Any],
    ) -> None:
        self.game, self.variant, self.reward, self.seed = game, variant, reward, seed
        self.threads, self.copy = threads, copy
        self.num_players = np.array(num_players, np.int64)
        self._seat_arrays = seat_arrays
        self._functions = self._make_functions()
        self._allocate(new_states(game, num_players, variant, options))
        self._show()
        self.reset()

    def _make_functions(self) -> Any:
        return batch_functions(self.game, self.reward == "win", self._seat_arrays is not None)

    def _allocate(self, states: npt.NDArray[Any]) -> None:
        self._board = make_board(self.game, len(states))._replace(states=states)

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
            raise IllegalActionError(f"game {illegal}: {self._explain(illegal, int(checked[illegal]))}")
        self._move(self._functions.step, checked)

    def observe(
        self, games: npt.ArrayLike, seats: npt.ArrayLike, final: bool = False
    ) -> tuple[Vector, npt.NDArray[np.int8]]:
        """What any seats of any games see, on turn or off, in new arrays.

        ``observe(np.arange(N)[:, None], np.arange(4))`` shows all seats of all games of four players.

        Args:
            games: indices of games, integers, of any shape that broadcasts with ``seats`` to a shape S.
            seats: seats at these tables, integers.
            final: show the games that ended in the last step as they ended; needs ``per_seat=True``.

        Returns:
            Observations (*S, K) and action masks (*S, A), with the dtypes of ``observations`` and ``action_masks``. A
            mask is all 0 off turn and at the end of a game.

        Raises:
            TypeError: the indices are not integers.
            ValueError: a game or a seat does not exist, the indices do not broadcast, or ``final=True`` is asked of a
                game that the last step has not ended, or without ``per_seat=True``.
        """
        rows, places = self._check_seats(games, seats)
        states = self._final_states(rows) if final else self._board.states
        observations, masks = self._look(states, rows.ravel(), places.ravel())
        shape = rows.shape
        return observations.reshape(*shape, observations.shape[1]), masks.reshape(*shape, self.game.num_actions)

    def _look(self, states: Any, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> tuple[Any, Any]:
        count = len(games)
        observations = np.empty((count, self.game.layout.size), self.game.layout.dtype)
        masks = np.empty((count, self.game.num_actions), np.int8)

        def work(first: int, last: int) -> None:
            self._functions.observe(states, games, seats, observations, masks, first, last)

        if count:
            spread(work, count, self._threads_for(count))
        return observations, masks

    def random_actions(self) -> npt.NDArray[np.int64]:
        """A uniformly random legal action for every game, int64, (N,); the same actions until the next step."""
        actions = np.empty(len(self.seeds), np.int64)
        self._spread(self._functions.draw_actions, actions)
        return actions

    def run_random(self, steps: int) -> None:
        """Take ``steps`` (0 or more) random legal actions in every game without returning to Python.

        Equivalent to that many calls of ``step(random_actions())``: every position is observed and its mask written;
        the arrays show the last one.
        """
        self._move(self._functions.run_random, check_integer("steps", steps, 0, 2**31), moves=steps)

    def _find_illegal(self, actions: Any) -> int:
        return int(self._functions.find_illegal(self._board, actions, 0, len(actions)))

    def _move(self, function: Callable[..., None], *arguments: Any, moves: int = 1) -> None:
        if self.copy:
            self._renew()
        self._spread(function, *arguments, moves=moves)

    def _renew(self) -> None:
        """Continue in copies of the public arrays, so that the caller's arrays stay unchanged."""
        masks, words = _make_masks(self.game, len(self.seeds))
        masks[:] = self.action_masks
        copies = {name: getattr(self._board, name).copy() for name in SHOWN}
        self._board = self._board._replace(action_masks=masks, mask_words=words, **copies)
        if self._seat_arrays is not None:
            gathered = self._seat_arrays.cumulative_rewards.copy()
            self._seat_arrays = self._seat_arrays._replace(cumulative_rewards=gathered)
        self._show()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copied or unpickled batch; its masks and mask words must share memory again."""
        self.__dict__.update(own_arrays(state))
        self._renew()

    def _spread(self, function: Callable[..., None], *arguments: Any, moves: int = 1) -> None:
        games = len(self.seeds)

        def work(first: int, last: int) -> None:
            function(self._board, self._seat_arrays, self.seed, *arguments, first, last)

        spread(work, games, min(games, self._threads_for(games * moves)))

    def _threads_for(self, moves: int) -> int:
        return max(1, min(self.threads, moves // MOVES_PER_THREAD))

    def _show(self) -> None:
        self.observations, self.action_masks = self._board.observations, self._board.action_masks
        self.current_player, self.seeds = self._board.current_player, self._board.seeds
        self.rewards, self.terminated = self._board.rewards, self._board.terminated

    def _check_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        given, needed = np.asarray(actions), self.seeds.shape
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions are of dtype {given.dtype}; allowed are integers")
        if given.shape != needed:
            raise ValueError(f"actions are of shape {given.shape}; allowed is {needed}, one for each game")
        return np.ascontiguousarray(given, np.int64)

    def _check_seats(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        indices = {"games": np.asarray(games), "seats": np.asarray(seats)}
        for name, array in indices.items():
            if array.dtype.kind not in "iu":
                raise TypeError(f"{name} are of dtype {array.dtype}; allowed are integers")
        try:
            rows, places = np.broadcast_arrays(*indices.values())
        except ValueError:
            shapes = " and ".join(str(array.shape) for array in indices.values())
            raise ValueError(f"games and seats are of shapes {shapes}; allowed are shapes that broadcast") from None
        if ((rows < 0) | (rows >= len(self.seeds))).any():
            raise ValueError(f"games={games!r} are out of range; allowed are 0 .. {len(self.seeds) - 1}")
        if ((places < 0) | (places >= self.num_players[rows])).any():
            raise ValueError(f"seats={seats!r} are out of range; allowed are 0 .. num_players - 1 of the game")
        return rows.astype(np.int64), places.astype(np.int64)

    def _final_states(self, games: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        if self._seat_arrays is None:
            raise ValueError("final=True needs a batch made with per_seat=True")
        ended = self._on_cpu(self.terminated)[games]
        if not ended.all():
            running = games[~ended].flat[0]
            raise ValueError(f"game {running} was not ended by the last step; final=True is for games that were")
        return self._seat_arrays.final_states

    def _explain(self, i: int, action: int) -> str:
        if not 0 <= action < self.game.num_actions:
            return f"action {action} is out of range; allowed are 0 .. {self.game.num_actions - 1}"
        words, shown = self.game.words, (self._board.states, self.action_masks, self.current_player)
        state, mask, player = (self._on_cpu(array)[i] for array in shown)
        legal = ", ".join(f"{a} '{words.actions.name(int(a))}'" for a in np.flatnonzero(mask))
        return f"{words.why_illegal(state, action)}. Legal for player_{player} are {legal}"

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


def make_board(game: Game, num_games: int) -> Board:
    """Zeroed arrays for ``num_games`` games."""
    masks, words = _make_masks(game, num_games)
    return Board(
        states=zeros(num_games, game.state_dtype),
        observations=np.zeros((num_games, game.layout.size), game.layout.dtype),
        action_masks=masks,
        mask_words=words,
        current_player=np.zeros(num_games, np.int64),
        seeds=np.zeros(num_games, np.int64),
        played=np.zeros(num_games, np.int64),
        moves=np.zeros(num_games, np.int64),
        rewards=np.zeros((num_games, game.max_players)),
        terminated=np.zeros(num_games, np.bool_),
    )


def make_seat_arrays(game: Game, num_games: int, gamma: float, score_shaping: float) -> SeatArrays:
    """Zeroed arrays for ``num_games`` games."""
    rewards, states = np.zeros((num_games, game.max_players)), zeros(num_games, game.state_dtype)
    return SeatArrays(rewards, states, gamma, score_shaping)


def _make_masks(game: Game, num_games: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint64]]:
    """Zeroed masks, and the same memory as words of eight flags."""
    size = game.num_actions
    memory = np.zeros(num_games * size + 7, np.int8)
    words = np.ndarray((num_games, -(-size // 8)), np.uint64, memory, strides=(size, 8))
    return memory[: num_games * size].reshape(num_games, size), words


class BatchFunctions(NamedTuple):
    """The compiled entries of a batch, which work on the games ``first`` .. ``last - 1``.

    On a GPU they are kernels, which take no ``first`` and ``last``. ``seat_arrays``: `SeatArrays`, or None; there, an
    empty tuple.
    """

    start: Any
    """(board, seat_arrays, seed, first, last)."""
    find_illegal: Any
    """(board, actions, first, last): the first game whose action is illegal, or NONE. On a GPU (board, actions, found):
    lower ``found`` (int64 (1,)) to it."""
    step: Any
    """(board, seat_arrays, seed, actions, first, last)."""
    draw_actions: Any
    """(board, seat_arrays, seed, actions, first, last): write a random legal action for each game."""
    run_random: Any
    """(board, seat_arrays, seed, steps, first, last)."""
    observe: Any
    """(states, games, seats, observations, masks, first, last): write what ``seats[j]`` of ``games[j]`` sees."""


@cache
def batch_functions(game: Game, pays_result: bool, per_seat: bool = False) -> BatchFunctions:
    """The functions for rewards that pay the result, or else score changes.

    Args:
        game: the game.
        pays_result: whether the result is paid.
        per_seat: with `SeatArrays`.
    """
    num_actions, game_key, look = game.num_actions, random.game_key, make_look(game)
    begin_next, observe = _make_begin_next(game), _make_observe(game)
    clear, before_move, after_move = _make_credit(game) if per_seat else (_no_credit, _no_credit, _no_credit)
    move = _make_move(game, pays_result, before_move, after_move, begin_next, observe)

    def start(board, seat_arrays, seed, first, last):
        for i in range(first, last):
            board.played[i] = 0
            board.moves[i] = 0
            board.rewards[i] = 0.0
            board.terminated[i] = False
            clear(board, seat_arrays, i)
            begin_next(board, game_key(seed), i)
            observe(board, i)

    def find_illegal(board, actions, first, last):
        for i in range(first, last):
            if actions[i] < 0 or actions[i] >= num_actions or not board.action_masks[i, actions[i]]:
                return i
        return NONE

    def step(board, seat_arrays, seed, actions, first, last):
        for i in range(first, last):
            move(board, seat_arrays, game_key(seed), i, actions[i])

    def observe_seats(states, games, seats, observations, masks, first, last):
        for j in range(first, last):
            look(states[games[j]], seats[j], observations[j], masks[j])

    functions: tuple[Any, ...] = (start, find_illegal, step, *_make_random_play(game, move), observe_seats)
    return BatchFunctions(*map(entry, functions))


def _make_move(
    game: Game,
    pays_result: bool,
    before_move: Callable[..., None],
    after_move: Callable[..., None],
    begin_next: Callable[..., None],
    observe: Callable[..., None],
) -> Callable[..., None]:
    """Inlined (board, seat_arrays, key, i, action): take the action, start the next game if it is over, and observe."""
    step_and_pay, pay_result = make_step_and_pay(game, pays_result)

    def move(board, seat_arrays, key, i, action):
        s = board.states[i]
        before_move(board, seat_arrays, i)
        board.moves[i] += 1
        board.rewards[i] = 0.0
        is_over = step_and_pay(s, action, board.rewards, i) & OVER != 0
        board.terminated[i] = is_over
        if is_over:
            pay_result(s, board.rewards, i)
        after_move(board, seat_arrays, i)
        if is_over:
            begin_next(board, key, i)
        observe(board, i)

    return inlined(move)


@inlined
def _no_credit(board, seat_arrays, i):
    """In place of `_make_credit` in a batch without `SeatArrays`."""


def _make_credit(game: Game) -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    """Three inlined functions (board, seat_arrays, i), called at the start of all games, before and after each move.

    They keep the sum, over the moves since a seat's last decision, of its rewards and of the shaping term
    gamma * potential(now) - potential(then); the potential of a finished game is 0.
    """
    add_potentials, potential, max_players = _make_add_potentials(game), _make_potential(game), game.max_players

    def clear(board, seat_arrays, i):
        seat_arrays.cumulative_rewards[i] = 0.0

    def before_move(board, seat_arrays, i):
        s, sums, weight = board.states[i], seat_arrays.cumulative_rewards[i], seat_arrays.score_shaping
        if board.terminated[i]:
            sums[:] = 0.0
        if weight != 0.0:
            add_potentials(s, sums, -seat_arrays.gamma * weight)
            sums[s.player] = -weight * potential(s, s.player)
        else:
            sums[s.player] = 0.0

    def after_move(board, seat_arrays, i):
        s, sums, weight = board.states[i], seat_arrays.cumulative_rewards[i], seat_arrays.score_shaping
        for seat in range(max_players):
            sums[seat] += board.rewards[i, seat]
        if board.terminated[i]:
            seat_arrays.final_states[i] = s
        elif weight != 0.0:
            add_potentials(s, sums, seat_arrays.gamma * weight)

    return inlined(clear), inlined(before_move), inlined(after_move)


def _make_potential(game: Game) -> Callable[..., float]:
    """Compiled (s, seat) -> the seat's score minus the mean score of the table."""
    score = score_of(game.rules)

    def potential(s, seat):
        total = 0
        for other in range(s.num_players):
            total += score(s, other)
        return score(s, seat) - total / s.num_players

    return compiled(potential)


def _make_add_potentials(game: Game) -> Callable[..., None]:
    """Compiled (s, sums, weight): add ``weight`` times the potential of each seat."""
    potential = _make_potential(game)

    def add_potentials(s, sums, weight):
        for seat in range(s.num_players):
            sums[seat] += weight * potential(s, seat)

    return compiled(add_potentials)


def _make_random_play(game: Game, move: Callable[..., None]) -> tuple[Callable[..., None], Callable[..., None]]:
    """`BatchFunctions.draw_actions` and `BatchFunctions.run_random`, still to be compiled.

    Each game has a stream of random numbers, of which every action takes the one of its move count.
    """
    num_actions, game_key, stream = game.num_actions, random.game_key, random.stream
    draw, random_flag = random.draw, random.random_flag

    def draw_actions(board, seat_arrays, seed, actions, first, last):
        for i in range(first, last):
            draws = stream(game_key(seed), FOR_ACTIONS, i, 0)
            actions[i] = random_flag(board.mask_words[i], num_actions, draw(draws, board.moves[i]))

    def run_random(board, seat_arrays, seed, steps, first, last):
        key = game_key(seed)
        for i in range(first, last):
            draws = stream(key, FOR_ACTIONS, i, 0)
            for _ in range(steps):
                action = random_flag(board.mask_words[i], num_actions, draw(draws, board.moves[i]))
                move(board, seat_arrays, key, i, action)

    return draw_actions, run_random


def _make_begin_next(game: Game) -> Callable[..., None]:
    """Inlined (board, key, i): start the next game at index i."""
    begin, game_key, stream, draw = game.rules.begin, random.game_key, random.stream, random.draw

    def begin_next(board, key, i):
        seed = draw(stream(key, FOR_GAMES, i, board.played[i]), 0) >> np.uint64(1)
        board.seeds[i] = seed
        board.played[i] += 1
        begin(board.states[i], game_key(seed), DRAWN)

    return inlined(begin_next)


def _make_observe(game: Game) -> Callable[..., None]:
    """Inlined (board, i): write observation and mask of the player to act in game i."""
    encode, legal = game.rules.encode, game.rules.legal

    def observe(board, i):
        s = board.states[i]
        board.current_player[i] = s.player
        legal(s, board.action_masks[i])
        encode(s, s.player, board.observations[i])

    return inlined(observe)


def make_step_and_pay(game: Game, pays_result: bool) -> tuple[Callable[..., int], Callable[..., None]]:
    """Two inlined functions: step, (s, action, rewards, i) -> flags, and end, (s, rewards, i); one of them pays game i.

    Row i of ``rewards`` (N, P) is zeros. Either the step writes the score changes, or the end of a game writes its
    result, just before the next game starts; a separate check after each step would take longer than the step.
    """
    step, scored_step, returns = make_step(game), make_scored_step(game), game.rules.returns

    def plain_step(s, action, rewards, i):
        return step(s, action)

    def pay_result(s, rewards, i):
        returns(s, rewards[i])

    def step_and_pay(s, action, rewards, i):
        return scored_step(s, action, rewards[i])

    def pay_nothing(s, rewards, i):
        pass

    return (inlined(plain_step), inlined(pay_result)) if pays_result else (inlined(step_and_pay), inlined(pay_nothing))
