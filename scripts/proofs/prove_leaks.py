"""Check that no hidden information leaks: 200,000 positions, for every player and a spectator.

    python -m scripts.proofs.prove_leaks --game NAME --write    write results/NAME/leaks.json

In each position and for each observer, everything that the observer cannot know is changed: hidden cards, what others
know, the random numbers. The observer's observation, mask, infos, reward, view, drawing and the message about an
illegal action must stay the same byte for byte, also after a few more moves, of which unseen ones are played
differently. The exit status is 1 if there is a leak.
"""

from __future__ import annotations

import functools
import os
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.workers import open_workers
from blackjacky_agents.language.telling import told, told_now
from blackjacky_env.checks import check_integer
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.testing import examine
from scripts.results import save
from tests.games.fixtures import examples_of, promises_of

CHUNK = 200  # positions between two updates of the progress bar; the games depend on it
SEEDS_PER_CHUNK = 1000
MAX_SHOWN = 5  # leaks printed


@dataclass(frozen=True)
class Args:
    """Check that no hidden information leaks."""

    game: str = DEFAULT  # Name of the game.
    positions: int = 200_000  # Number of positions to examine, divided equally among all tables.
    seed: int = 0  # Seed of the first game.
    workers: int = os.cpu_count() or 1  # Number of processes; results do not depend on it.
    told: bool = False  # Also compare the text that language models are told, which takes longer.
    write: bool = False  # Write results/GAME/leaks.json.


def main(args: Args) -> int:
    """Check, print, and write if asked to."""
    try:
        for name in ("positions", "workers"):
            check_integer(f"--{name}", getattr(args, name), 1, 10**12)
        todo = chunks(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    counts, leaks = prove(todo, args)
    rows = rows_of(args.game, counts)
    settings = {name: sum(row[name] for row in rows) for name in ("positions", "comparisons", "leaks")}
    print(settings, *(f"leak: {leak}" for leak in leaks[:MAX_SHOWN]), sep="\n")
    if args.write:
        save("leaks", rows, game=args.game, seed=args.seed, settings=settings)
    return int(bool(leaks))


def tables(name: str) -> list[Mapping[str, Any]]:
    """The tables of a game: every size and variant, and the game's examples; `ValueError` for an unknown game."""
    game = get_game(name)
    usual = sorted((n, place) for place, variant in enumerate(game.variants) for n in variant.sizes)
    named = [{"num_players": n, "variant": game.variants[place].name} for n, place in usual]
    return [*named, *examples_of(name).tables]


def chunks(args: Args) -> list[tuple[int, int, int]]:
    """Table, first seed and number of positions of all parts of the work, with the tables taking turns."""
    count = len(tables(args.game))
    left = [args.positions // count + (i < args.positions % count) for i in range(count)]
    todo: list[tuple[int, int, int]] = []
    while any(left):
        for i in range(count):
            if size := min(CHUNK, left[i]):
                todo.append((i, args.seed + SEEDS_PER_CHUNK * len(todo), size))
                left[i] -= size
    return todo


def prove(todo: list[tuple[int, int, int]], args: Args) -> tuple[dict[int, Counter[str]], list[str]]:
    """The counts of each table and all leaks, with a progress bar."""
    counts: dict[int, Counter[str]] = {}
    leaks: list[str] = []
    with (
        open_workers(functools.partial(examine_chunk, args.game, args.told), args.workers, threads=False) as pool,
        tqdm(total=args.positions, unit="position", smoothing=0.05) as bar,
    ):
        for (table, _, positions), (counted, leaked) in zip(todo, pool.in_order(todo), strict=True):
            counts.setdefault(table, Counter()).update(counted)
            leaks += leaked
            bar.set_postfix_str(f"{len(leaks)} leaks", refresh=False)
            bar.update(positions)
    return counts, leaks


def examine_chunk(game: str, with_told: bool, table: int, seed: int, positions: int) -> tuple[Counter[str], list[str]]:
    """The counts and the leaks of one part of the work."""
    make_env = functools.partial(TableEnv, game, **tables(game)[table])
    counted = examples_of(game).counted
    counts, leaks, promises = Counter[str](), list[str](), promises_of(game)
    if with_told:
        promises["looks"] = {**promises["looks"], "told now": told_now, "told": told}
    for examined in examine(make_env, seed=seed, positions=positions, **promises):
        env: Any = examined.env.unwrapped
        seen = env.view(None)
        found = list(map(str, examined.leaks))
        counts.update({"positions": 1, "comparisons": examined.varied, seen["phase"]: 1, "leaks": len(found)})
        counts.update({what: int(is_so(seen)) for what, is_so in counted.items()})
        leaks += found
    return counts, leaks


def rows_of(name: str, counts: Mapping[int, Counter[str]]) -> list[dict[str, Any]]:
    """The counts of every table."""
    game = get_game(name)
    columns = ["positions", *game.words.phases, *examples_of(game.name).counted, "comparisons", "leaks"]
    rows = []
    for i, options in enumerate(tables(name)):
        told = ", ".join(f"{option}={choice}" for option, choice in options.items())
        found = counts.get(i, Counter())
        rows.append({"table": f"`{told}`", **{column: found[column] for column in columns}})
    return rows


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
