"""Differential fuzzing: play random games in the environment and in the reference implementation until they differ.

    python scripts/proofs/fuzz.py                        20 million actions
    python scripts/proofs/fuzz.py --game NAME            another game
    python scripts/proofs/fuzz.py --actions 1000000      fewer actions, from the same sequence of games
    python scripts/proofs/fuzz.py --write                write the result into tests/games/GAME/reference/README.md

Games cover every table size, variant and policy, with and without rule options. Games that are steered towards rare
events, if the reference implementation declares any, are played and counted separately. After every action, the
complete snapshot, every player's observation and mask, and the rewards must be equal in both; the views of the
snapshot are compared in a fraction of the games. Finished games are saved in the output file, from which an
interrupted run is resumed. The first difference ends the run and is shrunk to a short game.

Exit status 0: no difference; 1: a difference, or a rare event was not covered often enough; 2: invalid arguments.
"""

from __future__ import annotations

import ast
import hashlib
import json
import platform
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.cluster import ClusterError, ClusterExecutor, joined
from blackjacky_agents.arena.workers import in_order, open_pool
from blackjacky_agents.files import write_file
from blackjacky_agents.reports import machine, markdown_table, workers_used
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.games import DEFAULT, get_game

sys.path.insert(0, str(Path(__file__).parents[2]))  # other libraries (Pgx) install packages called tests, too

from scripts.results import save
from tests.reference.declaration import Kind, Options, Reference
from tests.reference.registry import REFERENCES
from tests.reference.shrinking import shrink
from tests.reference.side_by_side import Difference, SideBySide, play

ROOT = Path(__file__).parents[2]
CODE = (
    *("blackjacky_env/games/__init__.py", "blackjacky_env/games/{game}/*.py", "blackjacky_env/engine/*.py"),
    *("blackjacky_env/envs/aec.py", "blackjacky_env/envs/module.py"),
    *("tests/reference/*.py", "tests/games/{game}/reference/*.py", "scripts/proofs/fuzz.py"),
)
"""Files on which a run depends, except `test_*.py`."""
VIEWED = 1 / 8  # fraction of games in which views are compared, which takes as long as everything else
ALL = "all of them at once"
USUAL_RARITY = 20_000  # maximum number of actions per occurrence of a rare event: 1,000 in 20 million

Counts = dict[str, Counter[str]]
Results = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Play random games in the environment and in the reference implementation until they differ."""

    game: str = DEFAULT
    """Name of the game."""
    actions: int = 20_000_000
    """Minimum number of actions; the last games are played to their end."""
    seed: int = 0
    """Random seed of the games."""
    workers: int = 2
    """Number of processes; results do not depend on it. 1: no additional process."""
    cluster: str | None = None
    """Play on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`; results do not depend on it."""
    at_least: int | None = None
    """Fail if a rare event occurred less often; by default once in 20,000 actions."""
    chunk: int = 10_000
    """Actions between two writes of the results; the games depend on it."""
    output: Path | None = None
    """File of the results (JSON); by default runs/fuzz_GAME.json."""
    write: bool = False
    """Write the result to results/GAME/fuzz.json, if the run succeeds."""

    @property
    def reference(self) -> Reference:
        """The reference implementation of the game."""
        return REFERENCES[self.game]

    @property
    def saved(self) -> Path:
        """The file of the results."""
        return self.output or ROOT / "runs" / f"fuzz_{self.game}.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; returns the exit status."""
    args = tyro.cli(Args, args=arguments)
    try:
        check(args)
        results = begin(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        with joined(args.cluster, args.workers, ROOT) as cluster:
            play_all(results, args, cluster)
    except ClusterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Difference as difference:
        return report_difference(difference, results, args)
    except KeyboardInterrupt:
        print(
            f"\nstopped after {results['counts']['total']['actions']:,} actions; repeat the command to resume",
            file=sys.stderr,
        )
        return 130
    print(report(results, args))
    status = judge(results, args)
    if args.write and status == 0:
        write(results, args)
    return status


def check(args: Args) -> None:
    """Raise `ValueError` for an invalid option."""
    if args.game not in REFERENCES:
        raise ValueError(f"--game {args.game!r} has no reference implementation; allowed are {', '.join(REFERENCES)}")
    check_integer("--actions", args.actions, 1, 10**12)
    check_integer("--seed", args.seed, 0, 2**63 - 1)
    check_integer("--workers", args.workers, 1, 256)
    check_integer("--chunk", args.chunk, 1, 10**9)
    if args.at_least is not None:
        check_integer("--at-least", args.at_least, 0, 10**12)


# ---------------------------------------------------------------- games


def kinds(reference: Reference) -> list[Kind]:
    """All kinds of games, which are played in turn, a chunk of each."""
    first = reference.variants[0]
    return [
        *reference.kinds,
        *(
            Kind(n, policy, {} if variant is first else {"variant": variant.name})
            for policy in reference.all_policies
            for variant in reference.variants
            for n in variant.sizes
        ),
        *(Kind(n) for _ in range(4) for n in reference.sizes()),
    ]


def draw(reference: Reference, kind: Kind, rng: random.Random) -> tuple[str, Options]:
    """Policy and options of a game of this kind."""
    options = reference.any_options(rng, kind.num_players) if kind.options is None else kind.options
    reward = {"reward": reference.rewards[1]} if rng.random() < 0.5 else {}
    policy = kind.policy or rng.choice(reference.all_policies)
    return policy, {"num_players": kind.num_players, **options, **reward}


def play_chunk(game: str, seed: int, number: int, actions: int) -> Counts:
    """Play games of one kind for at least ``actions`` actions; raises `Difference`."""
    reference = REFERENCES[game]
    by_chance = kinds(reference)
    turns = [*by_chance, *reference.steered]
    turn, rng = number % len(turns), random.Random(f"{seed} {number}")
    counts, played = no_counts(reference), 0
    while played < actions:
        policy, table = play_one(reference, turns[turn], rng)
        played += len(table.actions)
        add(counts, counts_of(table, policy) if turn < len(by_chance) else counts_of_steered(table, turns[turn]))
    return counts


def play_one(reference: Reference, kind: Kind, rng: random.Random) -> tuple[str, SideBySide]:
    """Play a game of this kind; returns its policy and the finished game."""
    policy, options = draw(reference, kind, rng)
    rigged = kind.rig(rng, options)
    table = SideBySide(reference.name, rng.randrange(2**63), options, rigged.reset, views=rng.random() < VIEWED)
    return policy, play(table, policy, rng.randrange(2**63), rigged.opening)


def no_counts(reference: Reference) -> Counts:
    """Counts of zero for everything that must appear in the report."""
    game = get_game(reference.name)
    counts = {
        "total": Counter(games=0, actions=0),
        "table size": Counter({f"{n} players": 0 for n in reference.sizes()}),
        "variant": Counter(dict.fromkeys((variant.name for variant in reference.variants), 0)),
        "rule options": Counter({"default": 0, "others": 0}),
        "policy": Counter(dict.fromkeys(reference.all_policies, 0)),
        "changed option": Counter({**dict.fromkeys((option.name for option in fields(game.options)), 0), ALL: 0}),
        "event": Counter(dict.fromkeys(reference.events, 0)),
    }
    if reference.steered:
        counts["steered"] = Counter({str(kind): 0 for kind in reference.steered})
        counts["steered event"] = Counter(counts["event"])
    return counts


def counts_of(table: SideBySide, policy: str) -> Counts:
    """The counts of one game: its actions by category, and occurrences of events."""
    actions, options = len(table.actions), table.story.options
    _, variant = get_game(table.story.game).choose_table(options["num_players"], options.get("variant"))
    others = options.keys() - {"num_players", "variant", "reward"}
    return {
        "total": Counter(games=1, actions=actions),
        "table size": Counter({f"{options['num_players']} players": actions}),
        "variant": Counter({variant: actions}),
        "rule options": Counter({"others" if others else "default": actions}),
        "policy": Counter({policy: actions}),
        "changed option": Counter(changed_options(table.story.game, options)),
        "event": Counter(table.events),
    }


def changed_options(name: str, options: Options) -> list[str]:
    """The rule options of a game that are not at their defaults, and `ALL` if none is."""
    game = get_game(name)
    num_players, variant = game.choose_table(options["num_players"], options.get("variant"))
    given = {key: value for key, value in options.items() if key not in ("num_players", "variant", "reward")}
    defaults, chosen = (game.check_options(num_players, variant, options) for options in ({}, given))
    changed = [name for name in defaults if chosen[name] != defaults[name]]
    return [*changed, ALL] if len(changed) == len(defaults) else changed


def counts_of_steered(table: SideBySide, kind: Kind) -> Counts:
    """The counts of one steered game."""
    return {
        "steered": Counter({str(kind): len(table.actions)}),
        "steered event": counts_of(table, kind.policy or "")["event"],
    }


def add(counts: Counts, more: Counts) -> None:
    """Add ``more`` to ``counts`` in place."""
    for group, numbers in more.items():
        counts[group].update(numbers)


def play_all(results: Results, args: Args, cluster: ClusterExecutor | None = None) -> None:
    """Play chunks until there are enough actions, saving the results after each."""
    total = results["counts"]["total"]
    interval = 0.1 if sys.stderr.isatty() else 30
    with tqdm(total=args.actions, initial=total["actions"], unit=" actions", mininterval=interval) as bar:
        if total["actions"] >= args.actions:
            return
        begun = time.perf_counter() - results["seconds"]
        for counts in chunks(args, results["chunks"], cluster):
            add(results["counts"], counts)
            results["chunks"] += 1
            results["seconds"] = round(time.perf_counter() - begun, 1)
            write_file(args.saved, json.dumps(results, indent=1) + "\n")
            bar.update(counts["total"]["actions"])
            if total["actions"] >= args.actions:
                return


def chunks(args: Args, first: int, cluster: ClusterExecutor | None) -> Iterator[Counts]:
    """The counts of all chunks from ``first`` on, in order, without end."""
    if args.workers == 1 and cluster is None:
        yield from (play_chunk(args.game, args.seed, number, args.chunk) for number in count(first))
        return
    with open_pool(play_chunk, args.workers, threads=False, cluster=cluster) as pool:
        played = (pool.submit(args.game, args.seed, number, args.chunk) for number in count(first))
        yield from in_order(played, pool.count_ahead)


# ---------------------------------------------------------------- saved results


def begin(args: Args) -> Results:
    """The saved results of this run, or empty ones; `ValueError` if the file belongs to another run."""
    identity = {"game": args.game, "seed": args.seed, "chunk": args.chunk, "code": code(args.game)}
    if not args.saved.exists():
        args.saved.parent.mkdir(parents=True, exist_ok=True)
        return {**identity, "chunks": 0, "seconds": 0.0, "counts": no_counts(args.reference)}
    results: Results = json.loads(args.saved.read_text(encoding="utf-8"))
    for name, value in identity.items():
        if results.get(name) != value:
            raise ValueError(
                f"{args.saved} contains a run with {name} {results.get(name)!r}, not {value!r}: delete it, or "
                "name another --output"
            )
    results["counts"] = {group: Counter(numbers) for group, numbers in results["counts"].items()}
    return results


def code(game: str) -> str:
    """A hash of the compared and comparing code, independent of comments and formatting."""
    patterns = (pattern.format(game=game) for pattern in CODE)
    files = sorted(file for pattern in patterns for file in ROOT.glob(pattern) if not file.name.startswith("test_"))
    trees = (ast.dump(ast.parse(file.read_text(encoding="utf-8"))) for file in files)
    return hashlib.sha256("\n".join(trees).encode()).hexdigest()[:16]


# ---------------------------------------------------------------- report


def write(results: Results, args: Args) -> None:
    """Write the counts of a run to results/GAME/fuzz.json."""
    counts, total = results["counts"], results["counts"]["total"]
    rows: list[dict[str, Any]] = [
        {"category": group, "value": name, "actions": number}
        for group in ("table size", "variant", "rule options", "policy")
        for name, number in counts[group].items()
    ]
    facts = {"actions": total["actions"], "games": total["games"], "differences": 0}
    rows += [{"rare event": f"`{name}`", "occurrences": number} for name, number in counts["event"].items()]
    if steered := counts.get("steered"):
        facts["steered actions"] = sum(steered.values())
        rows += [{"steered games": name, "actions": number} for name, number in steered.items()]
        events = counts["steered event"].items()
        rows += [{"rare event in steered games": f"`{name}`", "occurrences": number} for name, number in events]
    save(
        "fuzz",
        rows,
        what="Random games in the environment and in the reference implementation, compared after every action.",
        command="-m scripts.proofs.fuzz",
        game=args.game,
        seed=args.seed,
        settings={**facts, "code": results["code"]},
    )


def report_difference(difference: Difference, results: Results, args: Args) -> int:
    """Report a difference, first as found and then shrunk to a short game."""
    print(f"environment and reference implementation differ: {difference}\nlooking for a shorter game", flush=True)
    short = shrink(difference)
    print(f"\nshrunk to {len(short.story.actions)} actions: {short}")
    results["difference"] = {"found": asdict(difference.story), "what": short.what, "short": asdict(short.story)}
    write_file(args.saved, json.dumps(results, indent=1) + "\n")
    return 1


def judge(results: Results, args: Args) -> int:
    """The exit status: 1, with a message, if a rare event occurred too seldom."""
    needed = max(1, args.actions // USUAL_RARITY) if args.at_least is None else args.at_least
    steered = results["counts"].get("steered event", Counter())
    occurred = {name: times + steered[name] for name, times in results["counts"]["event"].items()}
    rare = {name: times for name, times in occurred.items() if times < needed}
    for name, times in rare.items():
        print(f"too rare: {name} occurred {times:,} times, but {needed:,} are required", file=sys.stderr)
    return 1 if rare else 0


def report(results: Results, args: Args) -> str:
    """Numbers, command and speed of the run, and the counts as Markdown tables."""
    counts, total = results["counts"], results["counts"]["total"]
    actions, seconds = total["actions"], results["seconds"]
    steered = sum(counts.get("steered", Counter()).values())
    at_least = "" if args.at_least is None else f" --at-least {args.at_least}"
    shares = (
        [group, name, f"{number:,}", f"{number / actions:.1%}"]
        for group in ("table size", "variant", "rule options", "policy")
        for name, number in counts[group].items()
    )
    events = ([f"`{name}`", f"{times:,}"] for name, times in counts["event"].items())
    facts = (
        f"No difference in {actions:,} actions of {total['games']:,} games.\n"
        f"`python scripts/proofs/fuzz.py --game {args.game} --actions {args.actions} --seed {args.seed}{at_least}`: "
        f"{seconds / 60:.1f} minutes {workers_used(args.workers, args.cluster)} "
        f"({(actions + steered) / max(seconds, 1):,.0f} actions/s), "
        f"code {results['code']}.\n"
        f"{machine()['processor']}, Python {platform.python_version()}, numpy {version('numpy')}, "
        f"numba {version('numba')}."
    )
    changed = (
        [name if name == ALL else f"`{name}`", f"{games:,}", f"{games / total['games']:.1%}"]
        for name, games in counts["changed option"].items()
    )
    tables = (
        markdown_table(["category", "value", "actions", "fraction"], shares),
        markdown_table(["rule option not at its default", "games", "fraction"], changed),
        markdown_table(["rare event", "occurrences"], events),
    )
    return "\n\n".join([facts, *tables, *(report_of_steered(counts) if steered else ())])


def report_of_steered(counts: Counts) -> list[str]:
    """Actions and events of the steered games."""
    kinds, events = (counts[group].items() for group in ("steered", "steered event"))
    total = sum(counts["steered"].values())
    return [
        f"On top of these, {total:,} actions of games that are steered towards rare events, without a difference.",
        markdown_table(["steered games", "actions"], ([name, f"{number:,}"] for name, number in kinds)),
        markdown_table(
            ["rare event in steered games", "occurrences"], ([f"`{name}`", f"{times:,}"] for name, times in events)
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
