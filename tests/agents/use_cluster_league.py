"""Trains leagues here and on a Ray cluster of two nodes, one of which is killed, and prints what happened as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.modules import arrays_of
from blackjacky_agents.learning.settings import league_settings_of
from blackjacky_env.games import DEFAULT
from tests.agents.clusters import add_node, new_cluster, replace_node

SMALL = replace(
    league_settings_of(DEFAULT), steps=1500, minutes=1e18, games_per_update=32, hidden_sizes=(32,), batch_size=64,
    buffer_size=1000, snapshot_every=400, pool_size=3, exploiter_every=1, exploiter_steps=60, bots=("random",),
    teacher="random", imitation_steps=9000, threads=1, eval_games=20, seed=3,
)  # fmt: skip


def main() -> None:
    """Train everything here and on the cluster."""
    told: dict[str, Any] = {"here": {}, "cluster": {}}
    with new_cluster() as (cluster, _):
        nodes = [add_node(cluster) for _ in range(2)]
        with joined(cluster.address) as executor:
            for name, staleness in {"in turns": 0, "side by side": 2}.items():
                settings = replace(SMALL, max_staleness=staleness)
                told["here"][name] = trained(League(settings, Path("here", name), ""))
                league = LosesNode(settings, Path("cluster", name), "")
                league.cluster, league.ray_cluster, league.nodes = executor, cluster, nodes
                told["cluster"][name] = trained(league)
    print("\n" + json.dumps(told))


class LosesNode(League):
    """A league on a cluster, of which a node is killed and replaced while an exploiter and games are under way."""

    ray_cluster: Any
    nodes: list[Any]

    def _take_snapshot(self) -> None:
        """As `League._take_snapshot`; then kill the node that was added first."""
        super()._take_snapshot()
        if self.steps // self.settings.snapshot_every == 1:
            self._playing.append(self._start_games())
            replace_node(self.ray_cluster, self.nodes)


def trained(league: League) -> dict[str, Any]:
    """What is left of a league's training, as hashes."""
    league.folder.mkdir(parents=True)
    assert league.train()
    lines = [json.loads(line) for line in (league.folder / "progress.jsonl").read_text("utf-8").splitlines()]
    arrays = b"".join(
        name.encode() + array.tobytes() for name, array in sorted(arrays_of(league.networks, league.optimizers).items())
    )
    return {
        "weights": sha256(arrays).hexdigest(),
        "pool": [opponent.name for opponent in league.pool.opponents],
        "progress": [{name: what for name, what in line.items() if name != "seconds"} for line in lines],
    }


if __name__ == "__main__":
    main()
