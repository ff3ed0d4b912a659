"""Play a tournament on a Ray cluster whose nodes are killed, and compare its file with that of one process.

    python scripts/proofs/lose_nodes.py                               a small cluster on this machine
    python scripts/proofs/lose_nodes.py --games 10000000 --kills 30   the long run
    python scripts/proofs/lose_nodes.py --write                       write the result into docs/scaling.md

The nodes are processes of this machine, as `ray.cluster_utils.Cluster` starts them, with one CPU each and a head that
plays nothing. They are killed with SIGKILL, one at random after some seconds each time, and replaced. The games are
first played in one process without Ray, whose speed is the measure of the cluster's.

Exit status 0: the files are equal and all kills took place; 1: they are not, or the games were over too soon.
"""

from __future__ import annotations

import os
import pickle
import random
import secrets
import shlex
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.tournament import Tournament
from blackjacky_agents.files import write_file
from blackjacky_agents.games import agent_names
from blackjacky_agents.reports import markdown_table, processor, replace_part
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.games import DEFAULT

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


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
    """Number of nodes that are killed and replaced."""
    seconds: tuple[float, float] = (5.0, 15.0)
    """Shortest and longest time between two kills."""
    seed: int = 0
    """Random seed of the games and of the kills."""
    write: bool = False
    """Write the result into docs/scaling.md."""


@dataclass
class Measured:
    """What one way of playing the games took."""

    where: str
    cores: int
    games: int = 0
    seconds: float = 0.0
    chunks: int = 0
    driver_seconds: float = 0.0
    """CPU time of the process that holds the file, in the cluster's case the driver."""
    sha: str = ""
    kills: list[tuple[float, int]] = field(default_factory=list)
    """When nodes were killed, in seconds from the start, and the number of games in the file at that time."""


def main(args: Args) -> int:
    """Play, compare, print and write; returns the exit status."""
    try:
        for name, least in (("games", 1), ("nodes", 1), ("kills", 0)):
            check_integer(f"--{name}", getattr(args, name), least, 10**12)
        # Read when Ray is imported: nobody else on this machine may submit tasks, and usage is not reported.
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")
        with tempfile.TemporaryDirectory() as folder:
            alone = play_alone(args, Path(folder) / "alone.jsonl")
            calm = play_on_cluster(args, Path(folder) / "calm.jsonl", kills=0)
            killed = play_on_cluster(args, Path(folder) / "killed.jsonl", args.kills)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = report(args, [alone, calm, killed])
    print(text)
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "cluster", text))
    return int(len({alone.sha, calm.sha, killed.sha}) > 1 or len(killed.kills) < args.kills)


def play_alone(args: Args, path: Path) -> Measured:
    """The games in this process, on one thread."""
    measured = Measured("one process without Ray", 1)
    play(args, path, measured, threads=1)
    return measured


def play_on_cluster(args: Args, path: Path, kills: int) -> Measured:
    """The games on a new cluster, some of whose nodes are killed meanwhile."""
    from ray.cluster_utils import Cluster

    where = f"{args.nodes} nodes" + (f", {kills} killed and replaced" if kills else "")
    measured = Measured(where, args.nodes)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        nodes = [cluster.add_node(num_cpus=1) for _ in range(args.nodes)]
        executor = ClusterExecutor(cluster.address)
        try:
            play(Args(**{**vars(args), "games": 1}), path.with_stem("first"), Measured("", 1), cluster=executor)
            with ThreadPoolExecutor(1) as player:  # Ray starts nodes from the main thread only
                playing = player.submit(play, args, path, measured, cluster=executor)
                kill_nodes(cluster, nodes, args, kills, measured, playing)
                playing.result()
        finally:
            executor.shutdown(cancel_futures=True)
    finally:
        cluster.shutdown()
    return measured


def play(args: Args, path: Path, measured: Measured, **options: Any) -> None:
    """Play the games into a file and measure it."""
    names = args.agents or agent_names(args.game)[:3]
    tournament = Tournament(names, seed=args.seed, results=path, game=args.game)

    def show(played: int) -> None:
        measured.chunks += 1
        measured.games = played
        bar.update(played - bar.n)

    with tqdm(total=args.games, unit=" games", desc=measured.where, disable=not measured.where) as bar:
        begun, cpu = time.perf_counter(), time.process_time()
        tournament.play(args.games, progress=show, **options)
        measured.seconds, measured.driver_seconds = time.perf_counter() - begun, time.process_time() - cpu
    measured.sha = sha256(path.read_bytes()).hexdigest()


def kill_nodes(
    cluster: Any, nodes: list[Any], args: Args, kills: int, measured: Measured, playing: Future[None]
) -> None:
    """Kill random nodes at random times and replace them, until all games are played."""
    rng, begun = random.Random(args.seed), time.perf_counter()
    while len(measured.kills) < kills and not wait([playing], rng.uniform(*args.seconds)).done:
        cluster.remove_node(nodes.pop(rng.randrange(len(nodes))), allow_graceful=False)
        measured.kills.append((time.perf_counter() - begun, measured.games))
        nodes.append(cluster.add_node(num_cpus=1))


# ---------------------------------------------------------------- report


def report(args: Args, all_measured: list[Measured]) -> str:
    """The measurements as Markdown."""
    pace = all_measured[0].games / all_measured[0].seconds
    rows = [
        [
            one.where,
            f"{one.games / one.seconds:,.0f}",
            f"{one.games / one.seconds / one.cores / pace:.2f}",
            f"{one.chunks:,}",
            f"{1000 * one.driver_seconds / max(one.chunks, 1):.1f} ms",
            f"{1e6 * one.driver_seconds / one.games:.1f} us",
            f"`{one.sha[:16]}`",
        ]
        for one in all_measured
    ]
    columns = ["played by", "games/s", "per core, of one process", "chunks", "driver per chunk", "per game", "file"]
    names = args.agents or agent_names(args.game)[:3]
    command = f"python scripts/proofs/lose_nodes.py {shlex.join(sys.argv[1:])}".rstrip()
    kills = "; ".join(f"{seconds:.0f} s ({games:,})" for seconds, games in all_measured[-1].kills)
    return (
        f"{markdown_table(columns, rows)}\n\n"
        f"`{command}`: {', '.join(f'`{name}`' for name in names)} of {args.game} on {processor()}. The driver's time "
        "is its CPU time, that of a process without Ray includes the games. Nodes send it "
        f"{bytes_per_game(args):.0f} bytes per game.\n"
        f"Nodes were killed after, with the number of games played by then: {kills or 'none'}."
    )


def bytes_per_game(args: Args, games: int = 1000) -> float:
    """Size of a game's result as it is sent."""
    table = Tournament(args.agents or agent_names(args.game)[:3], seed=args.seed, game=args.game).table
    return len(pickle.dumps(table.play(0, games), protocol=5)) / games


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
