"""Play a tournament on a Ray cluster whose nodes are killed, and compare its file with that of one process.

    python -m scripts.proofs.lose_nodes                                             a small cluster on this machine
    python -m scripts.proofs.lose_nodes --games 20000000 --kills 30 --write bots    results/cluster_bots.json

The nodes are processes of this machine with one CPU each. The games are played in one process without Ray, on one
thread and on as many as there are nodes; then on a cluster, and then on one whose nodes are killed with SIGKILL and
replaced, one after some seconds each time, as long as there are games to play.

Exit status 0: the files are equal and there were enough kills; 1: they are not, or the games ended too soon.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

os.environ.update(RAY_health_check_period_ms="1000")  # Ray takes five of them to find out that a node is lost

import tyro

from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_agents.games import agent_names
from blackjacky_env.games import DEFAULT, get_game
from scripts.results import save


@dataclass(frozen=True)
class Args:
    """Play a tournament on a cluster whose nodes are killed, and compare its file with that of one process."""

    game: str = DEFAULT
    """Name of the game."""
    agents: tuple[str, ...] = ()
    """Agents; by default the first three of the game."""
    games: int = 200_000
    """Number of games."""
    nodes: int = 2
    """Number of nodes, with one CPU each."""
    kills: int = 2
    """Minimum number of nodes that are killed and replaced; 0: none."""
    seconds: tuple[float, float] = (5.0, 15.0)
    """Shortest and longest time between two kills."""
    seed: int = 0
    """Random seed of the games and of the kills."""
    write: Literal["", "bots", "search"] = ""
    """Write this result, results/cluster_bots.json or results/cluster_search.json."""

    @property
    def names(self) -> tuple[str, ...]:
        """The agents."""
        return self.agents or tuple(agent_names(self.game)[:3])


@dataclass
class Measured:
    """Measurements of one way of playing the games."""

    where: str
    cores: int
    games: int
    seconds: float
    driver_seconds: float
    """CPU time of the process that holds the file, in the cluster's case the driver."""
    sha: str


def main(args: Args) -> int:
    """Play, compare, print and write; returns the exit status."""
    from tests.agents.clusters import add_node, new_cluster, replace_node  # imports Ray, which is of an extra

    measured = [play(args, "one process without Ray", 1, threads=1)]
    measured.append(play(args, f"the same on {args.nodes} threads", args.nodes, threads=args.nodes))
    kills, rng = 0, random.Random(args.seed)
    for told in (f"{args.nodes} nodes", f"{args.nodes} nodes, one at a time killed and replaced"):
        with new_cluster() as (cluster, _), joined(cluster.address) as executor, ThreadPoolExecutor(1) as player:
            nodes = [add_node(cluster) for _ in range(args.nodes)]
            Tournament(args.names, game=args.game).play(1, cluster=executor)  # compiles
            playing = player.submit(play, args, told, args.nodes, cluster=executor)
            while args.kills and told.endswith("replaced") and not wait([playing], rng.uniform(*args.seconds)).done:
                replace_node(cluster, nodes)  # from the main thread, as Ray wants it
                kills += 1
            measured.append(playing.result())
    report(args, measured, kills)
    return int(len({one.sha for one in measured}) > 1 or kills < args.kills)


def play(args: Args, where: str, cores: int, **options: Any) -> Measured:
    """Play the games into a file and measure it."""
    played: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        tournament = Tournament(args.names, seed=args.seed, results=path, game=args.game)
        begun, cpu = time.perf_counter(), time.process_time()
        tournament.play(args.games, progress=played.append, **options)
        seconds, driver_seconds = time.perf_counter() - begun, time.process_time() - cpu
        return Measured(
            where, cores, played[-1], seconds, driver_seconds, hashlib.sha256(path.read_bytes()).hexdigest()
        )


def report(args: Args, measured: list[Measured], kills: int) -> None:
    """Print the measurements, and write them as a result if asked to."""
    alone, _, calm, _ = measured
    base, peak = alone.games / alone.seconds, calm.games / calm.driver_seconds
    rows = [
        {
            "played by": one.where,
            "games/s": round(one.games / one.seconds),
            "per core, of one process": round(one.games / one.seconds / one.cores / base, 2),
            "driver per game": f"{1e6 * one.driver_seconds / one.games:.1f} us",
            "file": f"`{one.sha[:16]}`",
        }
        for one in measured
    ]
    what = (
        f"{', '.join(f'`{name}`' for name in args.names)} of {get_game(args.game).title}, {alone.games:,} games, "
        f"{kills} nodes killed. The driver's time is its CPU time, that of a process without Ray includes the games. A "
        f"driver with a core of its own takes {peak:,.0f} games per second: 1,000 cores saturate it with agents that "
        f"play more than {peak / 1000:,.0f} games per second and core."
    )
    print(*rows, what, sep="\n")
    if args.write:
        save(f"cluster_{args.write}", rows, what=what, command="-m scripts.proofs.lose_nodes", seed=args.seed)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
