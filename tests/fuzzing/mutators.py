"""Changes to valid input that make garbage of it, most of it still of the right form.

All take their random numbers from a `random.Random`: Hypothesis passes one of its own, and shrinks what fails.
"""

import json
import re
from contextlib import suppress

DEEP, LONG, INFINITE = "@deep@", "@long@", "@infinite@"
"""Strings in place of JSON that Python's encoder does not write."""
_PLACEHOLDERS = re.compile(f'"({DEEP}|{LONG}|{INFINITE})"'.encode())
INTEGERS = (-(2**63) - 1, -129, -1, 0, 1, 2, 3, 7, 100, 127, 128, 255, 256, 32768, 2**31, 2**53, 2**63, 2**64, 10**30)
TEXTS = (
    *("", " ", "0", "-1", "a", "nobody", "player_0", "player_9", "win", "random", "a" * 3000, "\n", "\r\n", "\t", "\0"),
    *("\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\ud800", "\u202eabc", "\u2028", "é", "🂡", "<b>", "'\"", "{0}", "%s"),
    *("../../x", "/", "C:\\x", "http://[", "?", "*", "random*2", "ismcts:1", "ppo:/", "cmd:false", "__class__", "²"),
)
OTHERS = (
    *(None, True, False, 0.5, -0.0, 1e308, 1e-320, float("nan"), float("inf"), 10**400, DEEP, LONG, INFINITE),
    *([], {}, [[]], [None], [-1], [0, 0], [True], ["a"], {"a": [1]}, {"": {}}, [0] * 300, [[0]] * 40),
)


def mutate(seed, other, rng):
    """``seed`` with one to four changes, some of them taken from ``other``, a seed of the same kind."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        change = rng.choice(_WAYS)
        seed = change(seed, other, rng)
    return seed


def _change_json(data, other, rng):
    """One value changed of a JSON text, or if it is none of a line that is one."""
    for parts, others in (([data], [other]), (data.split(b"\n"), other.split(b"\n"))):
        number = rng.randrange(len(parts))
        with suppress(ValueError, RecursionError):
            parts[number] = _written(changed_value(json.loads(parts[number]), _leaf(rng.choice(others), rng), rng))
            return b"\n".join(parts)
    return _change_bytes(data, other, rng)


def _leaf(data, rng):
    """A value somewhere in a JSON text, or the text."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return data[:100].decode(errors="replace")
    while isinstance(value, list | dict) and value and rng.random() < 0.8:
        value = rng.choice(list(value.values()) if isinstance(value, dict) else value)
    return value


def changed_value(value, donor, rng):
    """A value with one change, in it or in a value that it holds."""
    if not (isinstance(value, dict | list) and value) or rng.random() < 0.15:
        return _replaced(value, donor, rng)
    place = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    way = rng.random()
    if way < 0.75:
        value[place] = changed_value(value[place], donor, rng)
    elif way < 0.85:
        del value[place]
    elif isinstance(value, list):
        value[place:place] = [donor] if way < 0.95 else value * rng.choice((1, 2, 20))
    else:
        value[rng.choice(TEXTS)] = donor if way < 0.95 else value.pop(place)
    return value


def _replaced(value, donor, rng):
    way = rng.random()
    if type(value) is int and way < 0.3:
        return value + rng.choice((-1, 1, 1, 2, 10))
    if isinstance(value, str) and way < 0.3:
        i = rng.randrange(len(value) + 1)
        return value[:i] + rng.choice(TEXTS) + value[i + rng.choice((0, 1)) :]
    if way < 0.45:
        return donor
    if way < 0.55:
        return rng.choice(([value], {"a": value}, [value, value], str(value)))
    return rng.choice(rng.choice((INTEGERS, TEXTS, OTHERS)))


def _written(value):
    return _PLACEHOLDERS.sub(_unplaced, json.dumps(value).encode())


def _unplaced(found):
    depth = 50 * (1 + found.start() % 40)  # some that only Python's parser can read, and some that it cannot
    return {DEEP: b"[" * depth + b"]" * depth, LONG: b"9" * 5000, INFINITE: b"1e999"}[found[1].decode()]


def _change_bytes(data, other, rng):
    i = rng.randrange(len(data) + 1)
    j = min(len(data), i + rng.choice((0, 1, 1, 2, 8, 100)))
    way = rng.choice(("cut", "drop", "repeat", "byte", "byte", "text", "splice", "number"))
    if way == "cut":
        return data[:i]
    if way == "splice":
        k = rng.randrange(len(other) + 1)
        return data[:i] + other[k : k + 200]
    middle = {
        "drop": b"",
        "repeat": data[i:j] * rng.choice((2, 3, 50)),
        "byte": bytes([rng.randrange(256)]),
        "text": rng.choice(TEXTS).encode(errors="surrogatepass"),
        "number": str(rng.choice(INTEGERS)).encode(),
    }[way]
    return data[:i] + middle + data[j:]


def _change_order(data, other, rng):
    """A line left out, repeated, or taken from ``other``."""
    lines, i = data.split(b"\n"), rng.randrange(1 + data.count(b"\n"))
    lines[i : i + 1] = rng.choice(([], lines[i : i + 1] * 2, [rng.choice(other.split(b"\n"))]))
    return b"\n".join(lines)


_WAYS = (*(_change_json,) * 7, *(_change_bytes,) * 2, _change_order)
