"""What a refactoring must leave as it is: decisions of all agents and whole games by seed, as hashes."""

import json

import make_fingerprints
import pytest
from golden import FOLDER, Args, write_or_check
from make_fingerprints import fingerprints, makers

from blackjacky_env.games import GAMES


def read(game):
    """The fingerprints of a game by name."""
    return json.loads((FOLDER / game / "fingerprints.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("game", "name"), [(game, name) for game in GAMES for name in makers(game)])
def test_nothing_has_changed(game, name):
    was, now = read(game).get(name), makers(game)[name]()
    assert now == was, (
        f"{game}: {name}: not as written down. A refactoring changes none of this. "
        "If it has to change, run python scripts/proofs/make_fingerprints.py and give the reason in the commit."
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_agent_and_every_table_is_written_down_and_nothing_else(game):
    assert list(read(game)) == list(makers(game))


def test_what_has_changed_is_shown(tmp_path, monkeypatch, capsys):
    made = {"one": "1", "other": "2"}
    monkeypatch.setattr(make_fingerprints, "makers", lambda game: {name: lambda n=name: made[n] for name in made})
    write_or_check(Args(game="some", folder=tmp_path), fingerprints, "a.py")
    write_or_check(Args(game="some", folder=tmp_path, check=True), fingerprints, "a.py")
    made["other"] = "3"
    with pytest.raises(SystemExit, match=r"^some/fingerprints.json out of date; if intended, run: python .*/a.py"):
        write_or_check(Args(game="some", folder=tmp_path, check=True), fingerprints, "a.py")
    assert '-  "other": "2"\n+  "other": "3"' in capsys.readouterr().out
    assert json.loads((tmp_path / "some" / "fingerprints.json").read_text(encoding="utf-8"))["other"] == "2"
