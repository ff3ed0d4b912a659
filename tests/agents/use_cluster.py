"""Uses a Ray cluster of two nodes, one of which is killed, and prints what happened as JSON."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, "")  # agents in the current folder

from blackjacky_agents.arena.cluster import ClusterExecutor, joined
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_agents.registry import make_agent
from blackjacky_env.declare.game import IllegalActionError
from tests.agents.clusters import Cluster, add_node, new_cluster, replace_node

AGENTS = {"compiled": ["random", "threshold"], "in Python": ["random", "careful:Careful"]}
GAMES = {"compiled": 6000, "in Python": 160}
COMMAND = str(Path(sys.executable).with_name("blackjacky"))
BRIEF = "--minutes 0.02 --eval-games 20 --final-eval-games 20"
TYPED = {
    "evaluate": "--players random,threshold --games 40",
    "score": "threshold --games 12",
    "tournament": "--agents random,threshold --players 2 --games 40",
    "dataset": "--players random,threshold --games 40 --out data",
    "train": f"--preset league --games-per-update 16 {BRIEF}",
    "exploit": f"--agent threshold --games-per-update 16 {BRIEF}",
}
"""Options of the subcommands that take a cluster."""


def main() -> None:
    """Play everything here and on the cluster."""
    told: dict[str, Any] = {"games": {}, "killed": {}, "evaluation": {}}
    for name in AGENTS["in Python"]:
        make_agent(name)  # imports the modules that are sent along
    with new_cluster() as (cluster, client):
        nodes = [add_node(cluster) for _ in range(2)]
        with joined(cluster.address) as executor:
            for kind, agents in AGENTS.items():
                here, there = Path(f"here {kind}.jsonl"), Path(f"there {kind}.jsonl")
                Tournament(agents, 2, results=here).play(GAMES[kind], threads=1)
                tournament = Tournament(agents, 2, results=there)
                told["killed"][kind] = play_and_kill(tournament, kind, executor, cluster, nodes)
                told["games"][kind] = {"here": hash_of(here), "cluster": hash_of(there)}
            told["error"] = error_of(executor)
        for place, address in {"here": None, "cluster": client}.items():
            told["evaluation"][place] = evaluation(address)
        addresses = {"HOST:PORT": cluster.address, "local": "local"}
        told["typed"] = {kind: typed(kind, address) for kind, address in addresses.items()}
    print("\n" + json.dumps(told))


def play_and_kill(
    tournament: Tournament, kind: str, executor: ClusterExecutor, cluster: Cluster, nodes: list[Any]
) -> int:
    """Play, and kill and replace a node as soon as the first games are in the file; returns the number of kills."""
    killed = []

    def kill_one(played: int) -> None:
        if not killed and played < GAMES[kind]:
            killed.append(nodes[0])
            replace_node(cluster, nodes)

    tournament.play(GAMES[kind], progress=kill_one, cluster=executor)
    return len(killed)


def evaluation(address: str | None) -> Any:
    """What `blackjacky evaluate` writes and prints, but its own command."""
    output = Path("evaluation.json")
    where = [] if address is None else ["--cluster", address]
    command = ["evaluate", "--players", "random,threshold", "--games", "5000", "--output", str(output), *where]
    printed = subprocess.run([COMMAND, *command], check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output.read_text("utf-8"))["results"], printed.replace(f" {shlex.join(where)}`", "`")


def typed(kind: str, address: str) -> dict[str, list[Any]]:
    """Exit status and errors of the installed command in an empty folder, by subcommand."""
    folder = Path(f"typed {kind.replace('/', '')}")
    folder.mkdir()
    told = {}
    for name, options in TYPED.items():
        command = [COMMAND, name, *options.split(), "--cluster", address]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        told[name] = [done.returncode, done.stderr]
    return told


def hash_of(path: Path) -> str:
    """The SHA-256 of a results file."""
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
