"""`make_batch`: many games at once, by the name of the game; see `blackjacky_env.play.batch.Batch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blackjacky_env.checks import check_choice, check_flag, check_integer, check_number
from blackjacky_env.compiled.threads import check_threads
from blackjacky_env.games import get_game
from blackjacky_env.play.batch import Batch, choose_tables, new_states
from blackjacky_env.play.many_games import new_seat_arrays


def make_batch(
    game: str,
    num_games: int,
    num_players: int | Sequence[int] | None = None,
    seed: int = 0,
    backend: str = "cpu",
    threads: int | None = None,
    variant: str | None = None,
    reward: str = "win",
    copy: bool = False,
    per_seat: bool = False,
    gamma: float = 1.0,
    score_shaping: float = 0.0,
    table: str | None = None,
    **rule_options: Any,
) -> Batch:
    """Make a `Batch`: many games at once, in which the caller plays every seat.

    Args:
        game: name of the game.
        num_games: N, 1 .. 2**24.
        num_players: players at every table, or a list of table sizes that the games take in turn: game i has
            ``num_players[i % len(num_players)]``.
        seed: 0 .. 2**63 - 1; the seed of a game depends only on it, the game's index and the number of games played at
            that index.
        backend: ``"cpu"``, or ``"cuda"`` for the same games on an NVIDIA GPU, with arrays in its memory; see
            `blackjacky_env.play.gpu.CudaBatch`.
        threads: maximum number of threads, 1 .. 1024; None: one per core. Results do not depend on it; ``"cpu"`` only.
        variant: name of the variant; by default the game's first that allows all these table sizes.
        reward: as for the environments.
        copy: write every step into new arrays, so that those of earlier positions can be kept; ``"cpu"``
            only.
        per_seat: keep what each seat has received since its last decision, ``cumulative_rewards``.
        gamma: discount of a seat's next decision as seen from its last one, 0 .. 1; used by ``score_shaping`` alone.
        score_shaping: weight w of a potential-based shaping of ``cumulative_rewards``, which needs ``per_seat=True``:
            between two decisions a seat receives gamma * P(second) - P(first) more, where P is w times its score minus
            the mean score of the table, and 0 at the end of the game. The optimal policies are those without shaping
            (Ng, Harada and Russell, ICML 1999).
        table: name of one of the game's tables, as for the environments.
        rule_options: the game's own options.

    Raises:
        ImportError: ``backend="cuda"`` without numba-cuda.
        RuntimeError: ``backend="cuda"`` without an NVIDIA GPU and its driver.
        TypeError, ValueError: an option is unknown or out of range; the message names it and what is allowed.
    """
    declared, copy, per_seat = get_game(game), check_flag("copy", copy), check_flag("per_seat", per_seat)
    gamma, shaping = check_number("gamma", gamma, 0, 1), check_number("score_shaping", score_shaping, -1e6, 1e6)
    if shaping and not per_seat:
        raise ValueError(f"score_shaping={score_shaping!r} needs per_seat=True: it is added to cumulative_rewards")
    if gamma < 1 and not shaping:
        raise ValueError(f"gamma={gamma!r} needs score_shaping: the discount is that of shaping alone")
    if check_choice("backend", backend, ("cpu", "cuda")) == "cuda" and (copy or threads is not None):
        raise ValueError("copy=True and threads are for backend='cpu'")
    count = check_integer("num_games", num_games, 1, 2**24)
    num_players, variant, rule_options = declared.find_table(table, num_players, variant, rule_options)
    sizes, variant = choose_tables(declared, count, num_players, variant)
    seat_arrays = new_seat_arrays(declared, count, gamma, shaping) if per_seat else None
    paid = check_choice("reward", reward, ("win", declared.score_reward))
    seed = check_integer("seed", seed, 0, 2**63 - 1)
    settings = declared, variant, new_states(declared, sizes, variant, rule_options), paid, seed, seat_arrays
    if backend == "cuda":
        from blackjacky_env.play.gpu import CudaBatch

        return CudaBatch(*settings)
    return Batch(*settings, check_threads(threads), copy)
