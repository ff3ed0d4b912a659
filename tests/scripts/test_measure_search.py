"""scripts/tuning/measure_search.py: budgets against bots, compared with an oracle."""

import json

import measure_search
import tyro

from tests.every_game import TINY, with_tiny


def run(*args):
    """The exit status of the script, for the game that is compiled most quickly."""
    with with_tiny():
        return measure_search.main(tyro.cli(measure_search.Args, args=["--game", TINY, *map(str, args)]))


def test_who_thinks_longer_plays_fewer_games_and_what_is_kept_is_not_played_again(tmp_path, capsys):
    kept = tmp_path / "search.json"
    asked = ["--agents", "rollout:5", "rollout:10", "--opponents", "random", "--players", 2, "--output", kept]
    asked += ["--games", 8, "--simulations", 40, "--speed-seconds", 0.1, "--oracle-playouts", 1, "--oracle-games", 3]
    assert run(*asked) == 0
    games = {name.split(" | ")[0]: cell["games"] for name, cell in json.loads(kept.read_text("utf-8")).items()}
    assert games == {"random": 8, "oracle": 3, "rollout:5": 8, "rollout:10": 4}
    assert "| `rollout:10` | 4 | **" in capsys.readouterr().out
    changed = kept.read_text("utf-8").replace('"games": 4', '"games": 5')
    kept.write_text(changed, "utf-8")
    assert run(*asked) == 0
    assert kept.read_text("utf-8") == changed


def test_what_cannot_be_measured_is_refused(tmp_path, capsys):
    for asked, words in ((["--games", 0], "--games"), (["--agents", "ismcts:1s"], "not compiled")):
        assert run(*asked, "--output", tmp_path / "search.json") == 2
        assert words in capsys.readouterr().err
