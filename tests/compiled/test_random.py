"""Random numbers: SplitMix64, keyed; nothing is stored, so every deal can be made again."""

import sys
from types import ModuleType

import numpy as np
import pytest

from blackjacky_env.compiled import purposes
from blackjacky_env.compiled.compiling import entry
from blackjacky_env.compiled.random import below, draw, random_flag, stream
from blackjacky_env.games import GAMES, get_game
from tests.chances import UNLIKELY, fit, p_value


@entry
def draws(of, out):
    for i in range(len(out)):
        out[i] = draw(of, i)


@entry
def streams(key, purposes, rounds, repeats, out):
    for i in range(len(out)):
        out[i] = stream(key, purposes[i], rounds[i], repeats[i])


@entry
def numbers_below(bits, limit, out):
    for i in range(len(bits)):
        out[i] = below(bits[i], limit)


@entry
def picks(words, count, bits, out):
    for i in range(len(bits)):
        out[i] = random_flag(words, count, bits[i])


def drawn(of, count):
    out = np.zeros(count, np.uint64)
    draws(np.uint64(of), out)
    return [int(number) for number in out]


def test_the_published_numbers_of_a_seed_are_drawn_and_streams_differ_in_key_purpose_round_and_repeat():
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert drawn(1234567, 4) == published
    purposes, rounds, repeats = (grid.ravel() for grid in np.mgrid[0:20, 0:50, 0:50])
    seen = np.zeros((2, len(purposes)), np.uint64)
    for key in range(2):
        streams(np.uint64(key), purposes, rounds, repeats, seen[key])
    assert len(np.unique(seen)) == seen.size


def test_numbers_below_a_limit_are_uniform():
    bits, out = np.array(drawn(11, 36_000), np.uint64), np.zeros(36_000, np.int64)
    numbers_below(bits, 36, out)
    assert out.min() == 0
    assert out.max() == 35
    assert fit(np.bincount(out, minlength=36)) > UNLIKELY


@pytest.mark.parametrize("size", [1, 7, 8, 9, 61, 128])
def test_a_random_flag_is_the_one_behind_as_many_as_drawn(size):
    rng, bits, out = np.random.default_rng(size), np.array(drawn(size, 200), np.uint64), np.zeros(200, np.int64)
    for share in (0.05, 0.5, 1.0):
        words = np.zeros(-(-size // 8), np.uint64)
        words.view(np.uint8)[size:] = 1  # what follows is ignored
        flags = words.view(np.uint8)[:size]
        flags[:] = rng.random(size) < share
        flags[rng.integers(size)] = 1
        picks(words, size, bits, out)
        passed = np.zeros(200, np.int64)
        numbers_below(bits, flags.sum(), passed)
        np.testing.assert_array_equal(out, np.flatnonzero(flags)[passed])


def test_no_two_purposes_have_the_same_number():
    numbers = [number for name, number in vars(purposes).items() if name.startswith("FOR_")]
    assert len(set(numbers)) == len(numbers) > 10
    assert all(number >= purposes.FIRST_SHARED for number in set(numbers) - {purposes.FOR_DECISIONS})


@pytest.mark.parametrize("name", GAMES)
def test_games_number_their_own_purposes_below_the_shared_ones(name):
    rules = sys.modules[get_game(name).rules.settle.__module__]
    modules = [rules, *(value for value in vars(rules).values() if isinstance(value, ModuleType))]
    numbers = [number for each in modules for key, number in vars(each).items() if key.startswith("FOR_")]
    assert len(set(numbers)) == len(numbers) >= 1
    assert all(0 < number < purposes.FIRST_SHARED for number in numbers)  # 0: who starts


@pytest.mark.parametrize(
    ("statistic", "freedom", "tail"),
    [(3.841, 1, 0.05), (10.828, 1, 0.001), (5.991, 2, 0.05), (46.194, 15, 5e-5), (135.807, 100, 0.01)],
)
def test_the_tail_of_chi_square_that_tests_of_chances_rely_on_is_that_of_printed_tables(statistic, freedom, tail):
    assert p_value(statistic, freedom) == pytest.approx(tail, rel=0.01)
