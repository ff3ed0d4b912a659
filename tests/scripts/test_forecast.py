"""blackjacky forecast."""

import json
from pathlib import Path

FEW = "--games 6 --truth-playouts 20 --players 3 --hearts 1 --threads"


def test_an_agents_forecasts_are_scored_as_typed(typed, empty_folder):
    told = typed(f"forecast champion --playouts 30 {FEW} 1 --output scores.json").out
    assert told.count("| champion | ") == 1
    assert "6 positions of 3 players, one from each game. Truth: 20 playouts of each by champion." in told
    written = json.loads(Path("scores.json").read_text("utf-8"))
    assert [row["forecast by"] for row in written["results"]] == ["truth", "par", "champion"]
    excesses = [row["log excess"]["mean"] for row in written["results"]]
    assert excesses[0] == 0 < excesses[2] < excesses[1], "playouts foresee more than par, and less than the truth"
    assert written["command"].startswith("blackjacky forecast champion --playouts 30")
    assert typed(f"forecast champion --playouts 30 {FEW} 2").out == told
    assert typed(f"forecast search:10 {FEW} 1").out.count("| search:10 | ") == 1
    assert "agent 'rollout:1' does not say who wins" in typed(f"forecast rollout:1 {FEW} 1", status=2).err
    Path("fresh_agents.py").write_text(
        "class Fresh:\n    act = reset = lambda self, seed: setattr(self, 'fresh', seed)\n"
        "    def forecast(self, seen):\n        assert self.fresh > 10**6, 'it deals'\n        self.fresh = 0\n"
        "        return [1 / 3] * 3\n",
        "utf-8",
    )
    assert "| fresh_agents:Fresh | " in typed(f"forecast fresh_agents:Fresh {FEW} 1").out  # reset before each position
    assert "num_players=9 is out of range" in typed("forecast champion --players 9", status=2).err
