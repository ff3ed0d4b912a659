"""What is private to Numba: compiled functions and their cache, policies, threads, random numbers."""

from blackjacky_env.compiled.callbacks import address_of, ask, make_cast
from blackjacky_env.compiled.compiling import (
    PLAIN,
    compiled,
    copied,
    entry,
    fingerprint,
    generated,
    inlined,
    record_dtype,
    record_maker,
    scratch,
    zeros,
)
from blackjacky_env.compiled.policies import CompiledPolicy, Policy, PythonPolicy
from blackjacky_env.compiled.random import below, draw, game_key, shuffle, stream
from blackjacky_env.compiled.threads import check_threads, spread

__all__ = [
    "PLAIN",
    "CompiledPolicy",
    "Policy",
    "PythonPolicy",
    "address_of",
    "ask",
    "below",
    "check_threads",
    "compiled",
    "copied",
    "draw",
    "entry",
    "fingerprint",
    "game_key",
    "generated",
    "inlined",
    "make_cast",
    "record_dtype",
    "record_maker",
    "scratch",
    "shuffle",
    "spread",
    "stream",
    "zeros",
]
