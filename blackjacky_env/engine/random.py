"""Random numbers as a pure function of (key, purpose, counters): nothing is stored, so every deal can be made again.

The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014) used
counter-based: draw number ``i`` of a stream is ``mix64(stream + i * GOLDEN)``.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.engine.compiling import PLAIN, compiled

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31, _SHIFT_32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@compiled
def draw(stream, index):
    """Draw number ``index`` (>= 0) of ``stream``: a uint64; the only place where 64-bit numbers wrap round."""
    x = stream + np.uint64(index + 1) * GOLDEN
    x = (x ^ (x >> _SHIFT_30)) * _FIRST_MULTIPLIER
    x = (x ^ (x >> _SHIFT_27)) * _SECOND_MULTIPLIER
    return x ^ (x >> _SHIFT_31)


if PLAIN:
    draw = np.errstate(over="ignore")(draw)  # plain NumPy scalars warn where compiled code wraps silently


@compiled
def game_key(seed):
    """The key (uint64) of the game that ``reset(seed)`` starts; seed: 0 .. 2**63 - 1."""
    return draw(np.uint64(seed), 0)


@compiled
def stream(key, purpose, round_number, repeat):
    """The stream (uint64) for one purpose in one round of the game ``key``; all three counters are >= 0."""
    return draw(draw(draw(key, purpose), round_number), repeat)


@compiled
def below(bits, limit):
    """An integer 0 .. limit - 1 from a draw; multiply-shift (Lemire 2019), off uniform by less than limit / 2**32."""
    return int(((bits >> _SHIFT_32) * np.uint64(limit)) >> _SHIFT_32)


@compiled
def shuffle(cards, count, stream):
    """Shuffle the first ``count`` entries of ``cards`` in place (Fisher-Yates), with draws 0 .. of ``stream``."""
    for last in range(count - 1, 0, -1):
        other = below(draw(stream, last), last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
