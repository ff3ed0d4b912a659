"""Uses a Ray cluster of two nodes, one of which is killed; ends with an error if anything is not as without it."""

import contextlib
import os
import secrets
import shlex
import socket
import subprocess
import sys
from pathlib import Path

os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")
sys.path.insert(0, "")  # agents in the current folder

from ray.cluster_utils import Cluster

from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.registry import make_agent
from blackjacky_env.declare.game import IllegalActionError

AGENTS, GAMES = ["random", "careful:Careful"], 160
COMMAND = str(Path(sys.executable).with_name("blackjacky"))
BRIEF = "--minutes 0.02 --eval-games 20 --final-eval-games 20"
TYPED = (
    "evaluate --agents random,threshold --games 40",
    "score threshold --games 12",
    "tournament --agents random,threshold --players 2 --games 40",
    "dataset --agents random,threshold --games 40 --output data",
    f"train --preset league --games-per-update 16 {BRIEF}",
    f"exploit --agent threshold --games-per-update 16 {BRIEF}",
)


def add_node(cluster):
    """A new node with one CPU; Ray gives up after 30 seconds, which a busy machine may need."""
    for _ in range(4):
        with contextlib.suppress(Exception):  # Ray raises no other class
            return cluster.add_node(num_cpus=1)
    return cluster.add_node(num_cpus=1)


def play_and_kill(cluster, executor, nodes):
    """A tournament here and there, where a node is killed and replaced as soon as the first games are in the file."""

    def kill_one(played):
        if len(nodes) == 2 and played < GAMES:
            cluster.remove_node(nodes[0], allow_graceful=False)
            nodes.append(add_node(cluster))

    Tournament(AGENTS, 2, results=Path("here.jsonl")).play(GAMES, threads=1)
    Tournament(AGENTS, 2, results=Path("there.jsonl")).play(GAMES, progress=kill_one, cluster=executor)
    assert len(nodes) == 3
    assert Path("here.jsonl").read_bytes() == Path("there.jsonl").read_bytes()


def evaluation(*where):
    """What `blackjacky evaluate` writes and prints, but its own command."""
    command = ["evaluate", "--agents", "random,threshold", "--games", "5000", "--output", "found.json", *where]
    printed = subprocess.run([COMMAND, *command], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = Path("found.json").read_text("utf-8")
    return [
        text.replace(f" {shlex.join(where)}", "") if where else text
        for text in (printed, found.partition('"results"')[2])
    ]


def main():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = int(taken.getsockname()[1])
    head = {"num_cpus": 0, "include_dashboard": False, "ray_client_server_port": port}  # it runs no tasks
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        make_agent(AGENTS[1])  # imports the module that is sent along
        nodes = [add_node(cluster) for _ in range(2)]
        with joined(cluster.address) as executor:
            play_and_kill(cluster, executor, nodes)
            with contextlib.suppress(IllegalActionError):
                Tournament(["random", "careful:Wrong"], 2).play(2, cluster=executor)
                raise AssertionError("an illegal action raised nothing")
        assert evaluation("--cluster", f"ray://127.0.0.1:{port}") == evaluation()
        for kind, address in {"there": cluster.address, "local": "local"}.items():
            Path(kind).mkdir()
            for command in TYPED:
                subprocess.run([COMMAND, *command.split(), "--cluster", address], cwd=kind, check=True)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
