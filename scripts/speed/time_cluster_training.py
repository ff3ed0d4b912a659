"""Measure how fast a league learns on a Ray cluster: its decisions per second against threads of one process.

    python scripts/speed/time_cluster_training.py
    python scripts/speed/time_cluster_training.py --write    write the table into docs/scaling.md

The nodes are processes of this machine, as `ray.cluster_utils.Cluster` starts them, with one CPU each and a head that
plays nothing; the process without Ray has as many threads. The learner shares these cores with the games. Every round
measures all ways one after the other; the table shows medians over the rounds, also of the ratios within a round. The
leagues start from the champion of the game, if it has one, since rollouts are longer between strong players.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as `blackjacky train`

import secrets
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.files import write_file
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.settings import LeagueSettings, league_settings_of
from blackjacky_agents.reports import markdown_table, replace_part, where, where_run
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.games import DEFAULT

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
CHAMPION = "champion"


@dataclass(frozen=True)
class Args:
    """Measure how fast a league learns on a Ray cluster, in decisions per second."""

    game: str = DEFAULT
    """Game to measure."""
    nodes: int = 2
    """Number of nodes with one CPU each, and of threads without a cluster."""
    games_per_update: int = 512
    """Number of games per update."""
    updates: int = 10
    """Number of updates in a measurement."""
    rounds: int = 3
    """Number of measurements of each way."""
    write: bool = False
    """Write the table into docs/scaling.md."""


class Pace(NamedTuple):
    """How fast some updates were made."""

    decisions: float
    """Decisions per second."""
    learning: float
    """Milliseconds of an update in which the networks learned."""
    driver: float
    """Milliseconds of CPU time of an update in the process of the learner."""
    studied: float
    """Decisions of an update."""


class MeasuredLeague(League):
    """A league whose updates are timed; it does nothing else."""

    def measure(self, updates: int) -> Pace:
        """The pace of some updates, of which the first has to wait for its games."""
        self._playing.clear()
        self._learning, steps = 0.0, self.steps
        begun, cpu = time.perf_counter(), time.process_time()
        for _ in range(updates):
            self._play_and_update()
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
        for _, results in self._playing:  # which must not take time from the next measurement
            results()
        studied = self.steps - steps
        return Pace(studied / seconds, 1000 * self._learning / updates, 1000 * cpu / updates, studied / updates)

    def begin(self) -> None:
        """Compile and load what is needed, on all nodes."""
        learn = self.learner.learn

        def timed(studied: int, left: float) -> float:
            begun = time.perf_counter()
            entropy = learn(studied, left)
            self._learning += time.perf_counter() - begun
            return entropy

        self.learner.learn = timed  # type: ignore[method-assign]
        self._prepare()
        self.measure(2)


def main(args: Args) -> int:
    """Measure, print, and write if asked to; returns the exit status."""
    try:
        for name in ("nodes", "games_per_update", "updates", "rounds"):
            check_integer(f"--{name.replace('_', '-')}", getattr(args, name), 1, 2**20)
        paces = measure(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = report(paces, args)
    print(text)
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "training", text))
    return 0


def settings_of(args: Args, max_staleness: int) -> LeagueSettings:
    """The settings of a league that has only updates."""
    settings = league_settings_of(args.game)
    return replace(
        settings,
        minutes=1e18,
        steps=2**40,
        snapshot_every=2**40,
        imitation_steps=0,
        init_from=CHAMPION if CHAMPION in get_kit(args.game).trained else "",
        threads=args.nodes,
        games_per_update=args.games_per_update,
        max_staleness=max_staleness,
    )


def measure(args: Args) -> dict[str, list[Pace]]:
    """All measurements of each way to learn."""
    # Read when Ray is imported: nobody else on this machine may submit tasks, and usage is not reported.
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(args.nodes):
            cluster.add_node(num_cpus=1)
        with tempfile.TemporaryDirectory() as folder, ClusterExecutor(cluster.address) as executor:
            return take_turns(leagues(args, Path(folder), executor), args)
    finally:
        cluster.shutdown()


def leagues(args: Args, folder: Path, executor: ClusterExecutor) -> dict[str, MeasuredLeague]:
    """A league for each way, ready to learn."""
    alone = MeasuredLeague(settings_of(args, 0), folder, "")
    found = {f"{args.nodes} threads without Ray": alone}
    for staleness in (0, 1):
        name = f"{args.nodes} nodes, `--max-staleness {staleness}`"
        found[name] = MeasuredLeague(settings_of(args, staleness), folder, "")
        found[name].cluster = executor
    for league in found.values():
        league.begin()
    return found


def take_turns(ways: dict[str, MeasuredLeague], args: Args) -> dict[str, list[Pace]]:
    """Measure all ways in each round."""
    paces: dict[str, list[Pace]] = {name: [] for name in ways}
    with tqdm(total=args.rounds * len(ways), desc="measuring") as bar:
        for _ in range(args.rounds):
            for name, league in ways.items():
                paces[name].append(league.measure(args.updates))
                bar.update()
    return paces


def report(paces: dict[str, list[Pace]], args: Args) -> str:
    """The measurements as Markdown."""
    medians = {name: Pace(*map(median, zip(*each, strict=True))) for name, each in paces.items()}
    alone, rounds = next(iter(medians.values())), next(iter(paces.values()))
    ratios = {
        name: median(pace.decisions / other.decisions for pace, other in zip(each, rounds, strict=True))
        for name, each in paces.items()
    }
    rows = [
        [name, f"{pace.decisions:,.0f}", f"{ratios[name]:.2f}", f"{pace.driver:,.0f} ms"]
        for name, pace in medians.items()
    ]
    table = markdown_table(["league", "decisions/s", "of the threads'", "driver's CPU time per update"], rows)
    most = 1000 * alone.studied / alone.learning
    played = 1 / (1 / alone.decisions - 1 / most) / args.nodes  # decisions per second of a core that does nothing else
    return (
        f"{table}\n\nMedians of {args.rounds} rounds with {args.updates} updates of {args.games_per_update} games of "
        f"{args.game}. The networks learn for {alone.learning:,.0f} ms from the {alone.studied:,.0f} decisions of an "
        f"update: a learner with {args.nodes} cores of its own could take {most:,.0f} decisions per second, from "
        f"{most / played:,.0f} cores that play. {where_run(where())}."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
