"""Play a tournament on a Ray cluster whose nodes are killed, and compare its file with that of one process.

    python scripts/proofs/lose_nodes.py                               a small cluster on this machine
    python scripts/proofs/lose_nodes.py --games 20000000 --kills 30   the long run
    python scripts/proofs/lose_nodes.py --write bots                  write the result into a part of docs/scaling.md

The nodes are processes of this machine, as `ray.cluster_utils.Cluster` starts them, with one CPU each and a head that
plays nothing. The games are played in one process without Ray, on one thread, with whose speed the others are compared,
and on as many threads as there are nodes; then on a cluster, and then on one whose nodes are killed with SIGKILL and
replaced, one at random after some seconds each time, as long as there are games to play.

Exit status 0: the files are equal and there were enough kills; 1: they are not, or the games ended too soon.
"""

from __future__ import annotations

import hashlib
import os
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_agents.games import agent_names
from blackjacky_agents.reports import markdown_table, typed
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.games import DEFAULT, get_game
from scripts.results import save

SCRIPT = "scripts/proofs/lose_nodes.py"
ATTEMPTS = 5  # to start a node
HEALTH_CHECK_MS = 1000  # Ray takes five of them to find out that a node is lost


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
    """Write the result into this part of docs/scaling.md."""

    @property
    def names(self) -> tuple[str, ...]:
        """The agents."""
        return self.agents or tuple(agent_names(self.game)[:3])


@dataclass
class Measured:
    """Measurements of one way of playing the games."""

    where: str
    cores: int
    games: int = 0
    seconds: float = 0.0
    driver_seconds: float = 0.0
    """CPU time of the process that holds the file, in the cluster's case the driver."""
    sha: str = ""
    kills: int = 0


def main(args: Args) -> int:
    """Play, compare, print and write; returns the exit status."""
    try:
        for name, minimum in (("games", 1), ("nodes", 1), ("kills", 0)):
            check_integer(f"--{name}", getattr(args, name), minimum, 10**12)
        # Read when Ray is imported: nobody else on this machine may submit tasks, and usage is not reported.
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")
        measured = measure(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows, what = found(args, measured)
    print(f"{markdown_table([*rows[0]], [[*row.values()] for row in rows])}\n\n`{typed(SCRIPT)}`: {what}")
    if args.write:
        save(f"cluster_{args.write}", rows, what=what, command="-m scripts.proofs.lose_nodes", seed=args.seed)
    return int(len({one.sha for one in measured}) > 1 or measured[-1].kills < args.kills)


def measure(args: Args) -> list[Measured]:
    """The games without Ray, on one thread and on as many as there are nodes, on a cluster, and on one losing nodes."""
    alone, threads = Measured("one process without Ray", 1), Measured(f"the same on {args.nodes} threads", args.nodes)
    for measured in (alone, threads):
        play(args, measured, threads=measured.cores)
    calm = Measured(f"{args.nodes} nodes", args.nodes)
    with new_cluster(args) as (_, _, executor):
        play(args, calm, cluster=executor)
    killed = Measured(f"{args.nodes} nodes, one at a time killed and replaced", args.nodes)
    with new_cluster(args) as (cluster, nodes, executor), ThreadPoolExecutor(1) as player:
        # Ray starts nodes from the main thread only.
        kill_nodes(cluster, nodes, args, killed, player.submit(play, args, killed, cluster=executor))
    return [alone, threads, calm, killed]


@contextmanager
def new_cluster(args: Args) -> Iterator[tuple[Any, list[Any], ClusterExecutor]]:
    """A context with a cluster, its nodes, and an executor, which has run a first game."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": {"health_check_period_ms": HEALTH_CHECK_MS}}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        nodes = [add_node(cluster) for _ in range(args.nodes)]
        executor = ClusterExecutor(cluster.address)
        try:
            play(replace(args, games=1), Measured("", 1), cluster=executor)
            yield cluster, nodes, executor
        finally:
            executor.shutdown(cancel_futures=True)
    finally:
        cluster.shutdown()


def add_node(cluster: Any) -> Any:
    """A new node with one CPU; tried again if a busy machine takes more than Ray's 30 seconds."""
    for _ in range(ATTEMPTS - 1):
        try:
            return cluster.add_node(num_cpus=1)
        except Exception as error:  # noqa: BLE001  # Ray raises no other class
            print(f"a node did not start: {str(error).partition(chr(10))[0]}", file=sys.stderr)
    return cluster.add_node(num_cpus=1)


def play(args: Args, measured: Measured, **options: Any) -> None:
    """Play the games into a file and measure it."""

    def show(played: int) -> None:
        measured.games = played
        bar.update(played - bar.n)

    with (
        tempfile.TemporaryDirectory() as folder,
        tqdm(total=args.games, unit=" games", desc=measured.where, disable=not measured.where) as bar,
    ):
        path = Path(folder) / "games.jsonl"
        tournament = Tournament(args.names, seed=args.seed, results=path, game=args.game)
        begun, cpu = time.perf_counter(), time.process_time()
        tournament.play(args.games, progress=show, **options)
        measured.seconds, measured.driver_seconds = time.perf_counter() - begun, time.process_time() - cpu
        with path.open("rb") as file:
            measured.sha = hashlib.file_digest(file, "sha256").hexdigest()


def kill_nodes(cluster: Any, nodes: list[Any], args: Args, measured: Measured, playing: Future[None]) -> None:
    """Kill random nodes at random times and replace them, until all games are played."""
    rng = random.Random(args.seed)
    while args.kills and not wait([playing], rng.uniform(*args.seconds)).done:
        cluster.remove_node(nodes.pop(rng.randrange(len(nodes))), allow_graceful=False)
        measured.kills += 1
        nodes.append(add_node(cluster))
    playing.result()


# ---------------------------------------------------------------- report


def found(args: Args, measured: Sequence[Measured]) -> tuple[list[dict[str, object]], str]:
    """The rows of the measurements, and what they are."""
    alone, _, calm, killed = measured
    base, peak = alone.games / alone.seconds, calm.games / calm.driver_seconds
    rows: list[dict[str, object]] = [
        {
            "played by": one.where,
            "games/s": round(one.games / one.seconds),
            "per core, of one process": round(one.games / one.seconds / one.cores / base, 2),
            "driver per game": f"{1e6 * one.driver_seconds / one.games:.1f} us",
            "file": f"`{one.sha[:16]}`",
        }
        for one in measured
    ]
    return rows, (
        f"{', '.join(f'`{name}`' for name in args.names)} of {get_game(args.game).title}, {alone.games:,} games. The "
        "driver's time is its CPU time, that of a process without Ray includes the games. "
        f"{killed.kills} nodes were killed. A driver with a core of its own takes {peak:,.0f} games per second: 1,000 "
        f"cores saturate it with agents that play more than {peak / 1000:,.0f} games per second and core."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
