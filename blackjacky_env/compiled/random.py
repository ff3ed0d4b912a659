"""Random numbers as a pure function of (key, purpose, counters): no state is kept, so every deal can be reproduced.

The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014) used
counter-based: draw number ``i`` of a stream is ``mix64(stream + i * GOLDEN)``.
"""

from __future__ import annotations

import numpy as np

from blackjacky_env.compiled.compiling import PLAIN, inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31, _SHIFT_32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_ONES = np.uint64(0x0101010101010101)  # a 1 in each of eight bytes
_HIGH_BITS = _ONES << np.uint64(7)
_SHIFT_7, _SHIFT_56 = np.uint64(7), np.uint64(56)


@inlined
def draw(stream, index):
    """Draw number ``index`` (>= 0) of ``stream``: a uint64."""
    x = stream + np.uint64(index + 1) * GOLDEN
    x = (x ^ (x >> _SHIFT_30)) * _FIRST_MULTIPLIER
    x = (x ^ (x >> _SHIFT_27)) * _SECOND_MULTIPLIER
    return x ^ (x >> _SHIFT_31)


@inlined
def running_sums(flags):
    """Byte i of the result is the sum of the bytes 0 .. i of ``flags`` (uint64), eight 0s and 1s."""
    return flags * _ONES


if PLAIN:  # plain NumPy scalars warn where compiled code wraps silently
    draw, running_sums = np.errstate(over="ignore")(draw), np.errstate(over="ignore")(running_sums)


@inlined
def game_key(seed):
    """The key (uint64) of the game that ``reset(seed)`` starts; seed: 0 .. 2**63 - 1."""
    return draw(np.uint64(seed), 0)


@inlined
def stream(key, purpose, round_number, repeat):
    """The stream (uint64) for a purpose in a round of the game ``key``. All three counters are >= 0."""
    return draw(draw(draw(key, purpose), round_number), repeat)


@inlined
def start_seat(key, start_player, num_players):
    """``start_player``, or if negative a seat drawn from the key. Its stream has purpose 0."""
    return int(start_player) if start_player >= 0 else below(draw(stream(key, 0, 0, 0), 0), int(num_players))


@inlined
def below(bits, limit):
    """An integer 0 .. limit - 1 from a draw. Multiply-shift (Lemire 2019), off uniform by less than limit / 2**32."""
    return int(((bits >> _SHIFT_32) * np.uint64(limit)) >> _SHIFT_32)


@inlined
def random_flag(words, count, bits):
    """The index of a random 1 among ``count`` bytes that are 0 or 1, at least one of them 1.

    They are held as ``words`` (uint64, little-endian, shape (ceil(count / 8),)); the rest of the last word is ignored.
    Equivalent to skipping a random number of 1s byte by byte, but counts eight bytes at once and has no unpredictable
    branch.
    """
    ones = 0
    for i in range((count + 7) // 8):
        ones += count_ones(flags_at(words, i, count))
    left = np.int64(below(bits, ones))  # this many 1s are skipped
    place, passed, behind = 0, 0, 0
    for i in range((count + 7) // 8):
        if behind <= left:
            place, passed = i, behind
        behind += count_ones(flags_at(words, i, count))
    # Bytes whose sum is at most what is left to skip lie before the one looked for: their high bit stays.
    sums = running_sums(flags_at(words, place, count))
    before = ((np.uint64(left - passed) * _ONES | _HIGH_BITS) - sums) & _HIGH_BITS
    return 8 * place + count_ones(before >> _SHIFT_7)


@inlined
def flags_at(words, i, count):
    """Word i with all bytes from number ``count`` on cleared."""
    foreign = np.uint64(8 * max(0, 8 * (i + 1) - count))  # bits
    return words[i] << foreign >> foreign


@inlined
def count_ones(flags):
    """The number of 1s among eight bytes (uint64) that are 0 or 1."""
    return np.int64(running_sums(flags) >> _SHIFT_56)


@inlined
def shuffle(cards, count, stream):
    """Shuffle the first ``count`` entries of ``cards`` in place. Fisher-Yates, with draws 0 .. of ``stream``."""
    for last in range(count - 1, 0, -1):
        other = below(draw(stream, last), last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
