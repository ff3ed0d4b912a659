"""Functions that begin in plain Python and go on compiled."""

import types

import numpy as np

from blackjacky_env.compiled import tiers
from blackjacky_env.compiled.compiling import compiled, entry, generated, zeros
from blackjacky_env.compiled.tiers import begin_plainly, in_plain_python
from blackjacky_env.declare.fields import Fields, hidden
from blackjacky_env.declare.options import Variant
from blackjacky_env.play.one_game import game_functions
from tests.envs.playing import fingerprint, fresh, play_randomly

POINT = np.dtype([("x", np.int8), ("y", np.int8, 2)])
NUMBERS = types.ModuleType("tests.numbers")
NUMBERS.OFFSET = 3


@compiled
def doubled(s, limit=4):
    return min(2 * s.x + NUMBERS.OFFSET, limit)


def take(points, places):
    total = 0
    for i in range(len(points)):
        points[i].y[0] = doubled(points[i], 100)
        total += sum([points[i].y[place] for place in range(places)])
    return total


def points():
    found = zeros(3, POINT)
    found["x"] = [1, 2, 3]
    return found


def test_a_field_may_be_called_like_an_attribute_of_numpys_records():
    names = sorted({name for name in dir(np.recarray) if name[0] != "_"} - {"view"})
    assert {"all", "field", "round", "size", "sum"} < set(names)
    fields = Fields([Variant("classic", 2, 2, 2)], [hidden(name, 0, 9) for name in names], [])
    lines = "".join(f"    s.{name} = s.{name} + {number % 9}\n" for number, name in enumerate(names, 1))
    write = generated("write", f"def write(states):\n    s = states[0]\n{lines}", {})
    for function in (entry(write), in_plain_python(write)):
        function(states := zeros(1, fields.dtype))
        assert [int(states[name][0]) for name in names] == [number % 9 for number in range(1, len(names) + 1)]


def beginning(**changes):
    return types.SimpleNamespace(**{"take": entry(take), **changes})


def test_the_first_calls_compile_nothing_what_is_compiled_is_used_at_once_and_the_results_are_the_same(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(tiers, "is_cached", lambda function, args: False)
    place = beginning()
    compiled_one = place.take
    begin_plainly(place, "take")
    plain, own = points(), points()
    assert place.take(plain, 2) == 21
    assert not compiled_one.overloads
    monkeypatch.setattr(tiers, "PATIENCE", 0)
    assert place.take(own, 2) == 21
    assert compiled_one.overloads
    assert place.take is compiled_one, "nothing stands between any more"
    assert plain.tobytes() == own.tobytes()
    place = beginning()
    compiled_one = place.take
    compiled_one(points(), 1)
    begin_plainly(place, "take")
    place.take(points(), 1)
    assert place.take is compiled_one


def test_functions_that_begin_together_are_compiled_together(monkeypatch):
    monkeypatch.setattr(tiers, "is_cached", lambda function, args: False)
    place = beginning(other=entry(take))
    compiled_ones = place.take, place.other
    begin_plainly(place, "take", "other")
    place.take(points(), 2)
    place.take._spent[0] = tiers.PATIENCE
    assert place.other(points(), 2) == 21
    assert place.other is compiled_ones[1]


def test_a_game_is_the_same_in_plain_python_and_compiled(game, monkeypatch):
    functions = game_functions(game)
    monkeypatch.setattr(tiers, "PATIENCE", 0)
    expected = fingerprint(play_randomly(fresh(1, game.name), 0, 200))
    for name in ("begin", "step", "look"):
        one = getattr(functions, name)
        monkeypatch.setattr(functions, name, in_plain_python(getattr(one, "_compiled", one)))
    assert fingerprint(play_randomly(fresh(1, game.name), 0, 200)) == expected
