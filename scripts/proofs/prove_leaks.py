"""Check that no hidden information leaks: 200,000 positions, for every player and a spectator.

    python scripts/proofs/prove_leaks.py
    python scripts/proofs/prove_leaks.py --write       write the result into tests/games/NAME/README.md

In each position and for each observer, everything that the observer cannot know is changed: hidden cards, what others
know, the random numbers. The observer's observation, mask, infos, reward, view, drawing and the message about an
illegal action must stay the same byte for byte. In each position a few more moves are played in both cases, and unseen
ones of others differently; what one observer is shown, has heard and recalls must be the same. The exit status is 1 if
there is a leak.
"""

from __future__ import annotations

import functools
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.cluster import ClusterError, ClusterExecutor, joined
from blackjacky_agents.arena.workers import in_order, open_pool
from blackjacky_agents.language.telling import told, told_now
from blackjacky_agents.reports import markdown_table, workers_used
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.testing import examine
from blackjacky_env.testing.tables import PROMISES
from scripts.results import save

CHUNK = 200  # positions between two updates of the progress bar; the games depend on it
SEEDS_PER_CHUNK = 1000
MAX_SHOWN = 5  # leaks printed


@dataclass(frozen=True)
class Args:
    """Check that no hidden information leaks."""

    game: str = DEFAULT
    """Name of the game."""
    positions: int = 200_000
    """Number of positions to examine, divided equally among all tables."""
    seed: int = 0
    """Seed of the first game."""
    workers: int = os.cpu_count() or 1
    """Number of processes; results do not depend on it."""
    cluster: str | None = None
    """Examine on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; results do not depend on it."""
    told: bool = False
    """Also compare the text that language models are told, which takes longer."""
    write: bool = False
    """Write the result to results/GAME/leaks.json."""


class Chunk(NamedTuple):
    """A unit of work for one process."""

    game: str
    table: int
    seed: int
    positions: int
    told: bool


class Found(NamedTuple):
    """The result of a chunk."""

    table: int
    counts: Counter[str]
    leaks: list[str]


def main(args: Args) -> int:
    """Check, print, and write if asked to."""
    for name in ("positions", "workers"):
        if getattr(args, name) < 1:
            sys.exit(f"error: --{name} {getattr(args, name)} is too few; allowed is 1 or more")
    began = time.monotonic()
    try:
        with joined(args.cluster, args.workers) as cluster:
            found = prove(chunks(args), args.workers, cluster)
    except ValueError as error:
        sys.exit(f"error: {error}")
    except ClusterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    leaks = [leak for one in found for leak in one.leaks]
    text = f"{table(args.game, found)}\n\n{facts(args, found, len(leaks), time.monotonic() - began)}"
    print(text)
    if args.write:
        counts = total(found)
        save(
            "leaks",
            list(rows(args.game, found)),
            what="Positions in which everything hidden was changed, and observations that changed with it.",
            command="-m scripts.proofs.prove_leaks",
            game=args.game,
            seed=args.seed,
            settings={"positions": counts["positions"], "comparisons": counts["comparisons"], "leaks": len(leaks)},
        )
    for leak in leaks[:MAX_SHOWN]:
        print(f"leak: {leak}")
    return int(bool(leaks))


def tables(name: str) -> list[Mapping[str, Any]]:
    """The tables of a game: every size and variant, and the game's examples.

    Raises `ValueError` for an unknown game.
    """
    game = get_game(name)
    usual = [
        {"num_players": players, "variant": variant.name}
        for players in range(game.min_players, game.max_players + 1)
        for variant in game.variants
        if players in variant.sizes
    ]
    return [*usual, *game.examples.tables]


def chunks(args: Args) -> list[Chunk]:
    """All chunks, with the tables taking turns."""
    count = len(tables(args.game))
    left = [args.positions // count + (i < args.positions % count) for i in range(count)]
    todo: list[Chunk] = []
    while any(left):
        for i in range(count):
            size = min(CHUNK, left[i])
            if size:
                todo.append(Chunk(args.game, i, args.seed + SEEDS_PER_CHUNK * len(todo), size, args.told))
                left[i] -= size
    return todo


def prove(todo: list[Chunk], workers: int, cluster: ClusterExecutor | None = None) -> list[Found]:
    """Examine all chunks with a progress bar."""
    total = sum(chunk.positions for chunk in todo)
    found = []
    with (
        open_pool(examine_chunk, workers, threads=False, cluster=cluster) as pool,
        tqdm(total=total, unit="position", smoothing=0.05) as bar,
    ):
        for one in in_order((pool.submit(chunk) for chunk in todo), pool.count_ahead):
            found.append(one)
            bar.set_postfix_str(f"{sum(len(each.leaks) for each in found)} leaks", refresh=False)
            bar.update(one.counts["positions"])
    return found


def examine_chunk(chunk: Chunk) -> Found:
    """Examine one chunk."""
    make_env = functools.partial(TableEnv, chunk.game, **tables(chunk.game)[chunk.table])
    counted = get_game(chunk.game).examples.counted
    counts: Counter[str] = Counter()
    leaks: list[str] = []
    promises = PROMISES
    if chunk.told:
        looks, recalls = PROMISES["looks"] | {"told now": told_now}, PROMISES["recalls"] | {"told": told}
        promises = {**PROMISES, "looks": looks, "recalls": recalls}
    for examined in examine(make_env, seed=chunk.seed, positions=chunk.positions, **promises):
        seen = examined.env.unwrapped.view(None)
        counts["positions"] += 1
        counts["comparisons"] += examined.varied
        counts[seen["phase"]] += 1
        counts.update({what: int(is_so(seen)) for what, is_so in counted.items()})
        leaks += map(str, examined.leaks)
    return Found(chunk.table, counts, leaks)


def rows(name: str, found: list[Found]) -> Iterator[dict[str, Any]]:
    """The counts of every table."""
    game = get_game(name)
    columns = ["positions", *game.words.phases, *game.examples.counted, "comparisons"]
    for i, options in enumerate(tables(name)):
        counts = total(one for one in found if one.table == i)
        leaks = sum(len(one.leaks) for one in found if one.table == i)
        told = ", ".join(f"{option}={choice}" for option, choice in options.items())
        yield {"table": f"`{told}`", **{column: counts[column] for column in columns}, "leaks": leaks}


def table(name: str, found: list[Found]) -> str:
    """The counts of every table, and of all, as a Markdown table."""
    counted = list(rows(name, found))
    everything = {column: sum(row[column] for row in counted) for column in list(counted[0])[1:]}
    lines = [[each if isinstance(each, str) else f"{each:,}" for each in row.values()] for row in counted]
    return markdown_table([*counted[0]], [*lines, ["all", *(f"{each:,}" for each in everything.values())]])


def total(found: Any) -> Counter[str]:
    """The sum of all counts."""
    return sum((one.counts for one in found), Counter())


def facts(args: Args, found: list[Found], leaks: int, seconds: float) -> str:
    """The result as a sentence, with command, duration and versions."""
    positions = total(found)["positions"]
    command = f"python scripts/proofs/prove_leaks.py --game {args.game} --positions {args.positions} --seed {args.seed}"
    command += " --told" if args.told else ""
    versions = ", ".join(f"{name} {version(name)}" for name in ("blackjacky", "numpy", "numba"))
    return (
        f"{leaks:,} leaks in {positions:,} positions, {total(found)['comparisons']:,} comparisons.\n"
        f"`{command}`: {seconds / 60:.1f} minutes "
        f"{workers_used(args.workers, args.cluster)} ({positions / seconds:.0f} positions/s).\n"
        f"Python {platform.python_version()}, {versions}."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
