"""What is private to Numba: compiled functions and their cache, policies, threads, random numbers."""

from blackjacky_env.compiled.callbacks import address_of, ask, make_cast, make_guarded
from blackjacky_env.compiled.compiling import (
    PLAIN,
    compiled,
    copied,
    entry,
    generated,
    inlined,
    scratch,
    set_zero,
    zeros,
)
from blackjacky_env.compiled.fingerprints import fingerprint
from blackjacky_env.compiled.policies import (
    CompiledOpponent,
    Policy,
    PythonPolicy,
    check_own,
    checked_parameters,
    takes,
)
from blackjacky_env.compiled.random import below, draw, game_key, shuffle, start_seat, stream
from blackjacky_env.compiled.results import deal_nothing, score_of, settled_in, share_result
from blackjacky_env.compiled.shown import make_clear, make_encode, make_sample, marked, seen_from
from blackjacky_env.compiled.threads import MOST_THREADS, check_threads, cores, spread
from blackjacky_env.compiled.tiers import in_plain_python
