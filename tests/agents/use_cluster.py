"""Uses a Ray cluster of two nodes, one of which is killed, and prints what happened as JSON."""

from __future__ import annotations

import json
import os
import secrets
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")
sys.path.insert(0, "")  # agents in the current folder

from ray.cluster_utils import Cluster

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_agents.cli import evaluate
from blackjacky_agents.registry import make_agent
from blackjacky_env.engine.game import IllegalActionError

AGENTS = {"compiled": ["random", "threshold"], "in Python": ["random", "careful:Careful"]}
GAMES = {"compiled": 6000, "in Python": 160}


def main() -> None:
    """Play everything here and on the cluster."""
    told: dict[str, Any] = {"games": {}, "killed": {}, "evaluation": {}}
    for name in AGENTS["in Python"]:
        make_agent(name)  # imports the modules that are sent along
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    executor = None
    try:
        nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
        executor = ClusterExecutor(cluster.address)
        for kind, agents in AGENTS.items():
            here, there = Path(f"here {kind}.jsonl"), Path(f"there {kind}.jsonl")
            Tournament(agents, 2, results=here).play(GAMES[kind], threads=1)
            tournament = Tournament(agents, 2, results=there)
            told["killed"][kind] = play_and_kill(tournament, kind, executor, cluster, nodes)
            told["games"][kind] = {"here": hash_of(here), "cluster": hash_of(there)}
        told["error"] = error_of(executor)
        executor.shutdown(cancel_futures=True)
        executor = None
        command = ["--players", "random,threshold", "--games", "5000", "--output"]
        evaluate.main([*command, "here.json"], "evaluate")
        evaluate.main([*command, "there.json", "--cluster", cluster.address], "evaluate")
        for place, file in {"here": "here.json", "cluster": "there.json"}.items():
            told["evaluation"][place] = json.loads(Path(file).read_text("utf-8"))["results"]
    finally:
        if executor is not None:
            executor.shutdown(cancel_futures=True)
        cluster.shutdown()
    print("\n" + json.dumps(told))


def play_and_kill(
    tournament: Tournament, kind: str, executor: ClusterExecutor, cluster: Cluster, nodes: list[Any]
) -> int:
    """Play, and kill and replace a node as soon as the first games are in the file; returns the number of kills."""
    killed = []

    def kill_one(played: int) -> None:
        if not killed and played < GAMES[kind]:
            killed.append(nodes.pop(0))
            cluster.remove_node(killed[0], allow_graceful=False)
            nodes.append(cluster.add_node(num_cpus=1))

    tournament.play(GAMES[kind], progress=kill_one, cluster=executor)
    return len(killed)


def hash_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def error_of(executor: ClusterExecutor) -> list[Any]:
    """The name of the error of an agent that chooses an illegal action, and whether it names that agent."""
    try:
        Tournament(["random", "careful:Wrong"], 2).play(2, cluster=executor)
    except IllegalActionError as error:
        return [type(error).__name__, "careful:Wrong" in str(error)]
    return []


if __name__ == "__main__":
    main()
