"""``blackjacky dataset``: games between agents as a dataset for offline learning, in Parquet files with a data card."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.arena.fixture import LineupFixture
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.cli.arguments import ClusterArgs, GameArgs, R, ThreadsArgs, command_line, read_arguments
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.data.loading import MOST_GAMES, Dataset
from blackjacky_agents.data.writing import CARD, MOST_IN_SHARD, SHARD, Writer
from blackjacky_agents.registry import parse_agents
from blackjacky_agents.reports import markdown_table, progress_bar
from blackjacky_env.checks import check_integer
from blackjacky_env.envs import MAX_SEED


@dataclass(frozen=True, kw_only=True)
class Args(ClusterArgs, ThreadsArgs, GameArgs[R]):
    """Write games between agents as a dataset for offline learning.

    Games are written to OUTPUT/games as Parquet files, with a data card (README.md) and a description (dataset.json)
    beside that folder; agents rotate through the seats. Repeat the command to resume an interrupted one after its last
    whole file, or to add games with a larger --games. `blackjacky_agents.data.Dataset` reads them.

    $ blackjacky dataset --agents 'champion,counter*3' --games 1000000 --output data
    $ blackjacky dataset --verify --output data
    """

    agents: str | None = None
    """Agents, one per seat: `random*2` takes two seats, `ppo:PATH` is a trained agent."""
    games: int = 10_000
    """Number of games."""
    seed: int = 0
    """Random seed of the games and seats."""
    output: Path = Path("runs/dataset")
    """Folder of the dataset."""
    games_per_file: int = SHARD
    """Games of one Parquet file; an interruption costs those of the unfinished one."""
    licence: str = "CC0-1.0"
    """SPDX identifier of the data's licence, for the data card."""
    verify: bool = False
    """Instead of writing, compare the checksums in OUTPUT, play all games again, and say how many are missing."""

    def unused(self) -> dict[str, str]:
        """As `GameArgs.unused`."""
        return {"with --verify": self.all_but("verify output threads")} if self.verify else super().unused()


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    if args.verify:
        print(verify(args))
        return 0
    with checking_input():
        writer = prepare(args, command_line(program, arguments))
    try:
        with progress_bar(args.games) as bar, joined(args.cluster, args.threads) as cluster:
            description = writer.write(args.games, args.threads, lambda played: bar.update(played - bar.n), cluster)
    except KeyboardInterrupt:
        print(f"\nWhole files are kept in {args.output}; repeat the command to resume.", file=sys.stderr)
        raise
    games, size = description.games, sum(shard.bytes for shard in description.shards)
    heading = ["games", "decisions", "files", "bytes", "bytes per game"]
    row = [f"{games:,}", f"{description.decisions:,}", len(description.shards), f"{size:,}", f"{size / games:.1f}"]
    print(f"{markdown_table(heading, [row])}\n\nData card: {args.output / CARD}")
    return 0


def prepare(args: Args[Any], command: str) -> Writer:
    """What writes the dataset; `ValueError` for invalid options."""
    if args.agents is None:
        raise ValueError("--agents is missing: name an agent for each seat, such as 'champion,random*3'")
    check_integer("--games", args.games, 1, MOST_GAMES)
    check_integer("--seed", args.seed, 0, MAX_SEED)
    check_integer("--games-per-file", args.games_per_file, 1, MOST_IN_SHARD)
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,99}", args.licence) is None:
        raise ValueError(f"--licence {args.licence!r} is no SPDX identifier, such as CC0-1.0 or CC-BY-4.0")
    writer = Writer(args.output, make_fixture(args), command, args.licence, args.games_per_file)
    if args.output.exists():
        writer.find(args.games)
    return writer


def make_fixture(args: Args[Any]) -> LineupFixture:
    """The fixture whose games are played; `ValueError` for unknown agents or an impossible table."""
    players = parse_agents(args.agents or "", "--agents")
    args.check_players(len(players))
    names, rules = list(dict.fromkeys(players)), {"variant": args.variant, "game": args.game, **args.rule_options}
    return Tournament(names, len(players), [players], args.seed, duplicate=False, **rules).fixture


def verify(args: Args[Any]) -> str:
    """Check the dataset in the folder; returns what was found to be right."""
    with checking_input():
        dataset = Dataset(args.output)
        with progress_bar(len(dataset)) as bar:
            dataset.verify(bar.update, args.threads)
    found = f"{len(dataset):,} games, {dataset.decisions:,} decisions"
    missing = dataset.description.wanted - len(dataset)
    more = f" {missing:,} more are still to be played." if missing else ""
    return f"{found}: the checksums are right, and all moves can be played.{more}"
