"""The long attack on saved states: what it counts, and that nothing bad is overlooked."""

import json

import pytest
import torture
from torture import Args, Chunk, attack_apart, chunks, report


def test_every_game_gets_its_part_and_no_two_processes_the_same_seed():
    todo = chunks(Args(states=60_000, seed=7))
    assert sum(chunk.states for chunk in todo) == 60_000
    assert {chunk.game for chunk in todo} == set(torture.NAMES)
    assert sorted(chunk.seed for chunk in todo) == list(range(7, 7 + len(todo)))


@pytest.mark.parametrize(
    ("does", "counted"),
    [
        ("import os; os.abort()", {"crashes": 1}),
        ("raise IndexError('index is out of bounds')", {"errors": 1}),
        ("import time; time.sleep(1000)", {"hangs": 1}),
        ("""print('{"refused": 3, "played to the end": 2}')""", {"refused": 3, "played to the end": 2}),
    ],
)
def test_what_becomes_of_a_process_is_counted(monkeypatch, capfd, does, counted):
    monkeypatch.setattr(torture, "ATTACK", does)
    patience = 0.5 if "hangs" in counted else 600.0
    assert attack_apart(Chunk("black_jacky", 5, 0), patience) == counted
    assert ("Chunk" in capfd.readouterr().err) == ("refused" not in counted)


def test_a_crash_is_reported_and_gives_status_1(monkeypatch, capsys):
    monkeypatch.setattr(torture, "ATTACK", f"print({json.dumps(json.dumps({'refused': 4}))})")
    args = Args(states=16, workers=1)
    assert torture.main(args) == 0
    assert "| Black Jacky | 4 | 4 | 0 | 0 | 0 | 0 |" in capsys.readouterr().out
    monkeypatch.setattr(torture, "ATTACK", "import os; os.abort()")
    assert torture.main(args) == 1
    assert "| Black Jacky | 4 | 0 | 0 | 1 | 0 | 0 |" in capsys.readouterr().out
    assert "`python scripts/proofs/torture.py --states 16 --seed 0`" in report(args, [], 60.0)
