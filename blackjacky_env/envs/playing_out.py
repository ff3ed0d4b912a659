"""Playouts: running games played to their end many times by compiled agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.checks import check_choice, check_integer, check_list
from blackjacky_env.compiled.compiling import zeros
from blackjacky_env.compiled.policies import CompiledOpponent
from blackjacky_env.compiled.threads import check_threads
from blackjacky_env.declare.game import Game
from blackjacky_env.envs.aec import MAX_SEED
from blackjacky_env.envs.opponents import find_compiled
from blackjacky_env.games import get_game
from blackjacky_env.play.playouts import play_copies
from blackjacky_env.play.states import read_state, unpack

Member = str | CompiledOpponent

_STATES = "a state of get_state() or sample_state(), or a list of them"
_GAMES_PER_THREAD = 8  # waking a thread takes as long as playing one or two


def playout(
    states: bytes | Sequence[bytes],
    policies: Member | Sequence[Member],
    games: int,
    seed: int = 0,
    threads: int | None = None,
    backend: str = "cpu",
) -> npt.NDArray[np.float64]:
    """Let compiled agents play running games to their end many times, without returning to Python.

    Everything on the table, including the order of the draw pile, stays as it is in the state; what is random later
    (reshuffles, next deals, choices of agents) differs between playouts. A finished game returns its result. To keep
    hidden cards out of an agent's estimates, play out states from ``sample_state``.

    Examples:
        >>> from blackjacky_env import black_jacky_v0, playout
        >>> env = black_jacky_v0.env(num_players=3)
        >>> env.reset(seed=0)
        >>> playout(env.get_state(), "threshold", games=64).shape
        (1, 64, 6)

    Args:
        states: from ``get_state`` or ``sample_state``, a single one or a sequence of S, all of one game; table sizes,
            variants and rule options may differ.
        policies: a compiled agent for all seats, or one for each seat from ``player_0`` on, at least as many as the
            largest table has players; names, or objects with ``policy`` and ``parameters``.
        games: playouts of each state, G, 1 or more.
        seed: 0 .. 2**63 - 1. Playout g of state i depends only on the seed, i, g and the state.
        threads: maximum number of threads, 1 .. 1024; None: one per core. Results do not depend on it; ``"cpu"`` only.
        backend: ``"cpu"``, or ``"cuda"`` for an NVIDIA GPU, with the results in its memory, as
            `blackjacky_env.play.gpu.CudaBatch` has them.

    Returns:
        The zero-sum "win" rewards of all seats, 0 for seats that do not exist, float64, (S, G, P).

    Raises:
        IllegalActionError: an agent chose an illegal action; the message names it.
        ImportError: ``backend="cuda"`` without numba-cuda.
        RuntimeError: ``backend="cuda"`` without an NVIDIA GPU and its driver.
        TypeError, ValueError: the states are damaged, or of another game or version; an agent is unknown, not compiled
            or missing; a number is out of range. The message says what is allowed.
    """
    game, records = _read(
        [bytes(states)] if isinstance(states, bytes | bytearray | memoryview) else check_list("states", states, _STATES)
    )
    count = check_integer("games", games, 1, 2**31)
    agents = [find_compiled(game.name, member) for member in _members(policies, game, records)]
    numbers = np.arange(game.max_players) if len(agents) > 1 else np.zeros(game.max_players, np.int64)
    seating = np.tile(numbers, (len(records), 1))
    seed = check_integer("seed", seed, 0, MAX_SEED)
    if check_choice("backend", backend, ("cpu", "cuda")) == "cuda":
        if threads is not None:
            raise ValueError("threads are for backend='cpu'")
        from blackjacky_env.play import gpu

        on_gpu: npt.NDArray[np.float64] = gpu.play_copies(game, records, count, seating, agents, seed)
        return on_gpu
    threads = max(1, min(check_threads(threads), len(records) * count // _GAMES_PER_THREAD))
    return play_copies(game, records, count, seating, agents, seed, threads)


def _read(states: Sequence[bytes]) -> tuple[Game, Any]:
    """The game of the first state, and the records of all, (S,)."""
    header, _ = _with_index(0, unpack, states[0])
    game: Game = _with_index(0, get_game, header.get("game"))
    records = zeros(len(states), game.state_dtype)
    for i, state in enumerate(states):
        records[i] = _with_index(i, read_state, game, state)[1][0]
    return game, records


def _with_index(number: int, read: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except (TypeError, ValueError) as error:
        raise type(error)(f"states[{number}]: {error}") from None


def _members(policies: Member | Sequence[Member], game: Game, records: Any) -> Sequence[Member]:
    """One agent for all seats, or one for each seat."""
    if isinstance(policies, str | CompiledOpponent) or not isinstance(policies, Sequence):
        return [policies]
    players = int(records["num_players"].max())
    if not players <= len(policies) <= game.max_players:
        raise ValueError(
            f"policies={policies!r} are {len(policies)} agents for the {players} players of states"
            f"[{np.argmax(records['num_players'])}]; allowed are one agent, in no list, for all, and "
            f"{players} .. {game.max_players} in one"
        )
    return policies
