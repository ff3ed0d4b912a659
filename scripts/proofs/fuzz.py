"""Differential fuzzing: play random games in the environment and in the reference implementation until they differ.

    python -m scripts.proofs.fuzz --game NAME            20 million actions
    python -m scripts.proofs.fuzz --game NAME --write    write results/NAME/fuzz.json, if there is no difference

Games cover every table size, variant and policy, with and without rule options. The tests' games that meet rare cases
are counted separately. After every action, snapshot, every
player's observation and mask, and the rewards must be equal in both, in a fraction of the games the views too. An
interrupted run is resumed from the output file. The first difference is printed as a program that plays that game.

Exit status 0: no difference; 1: a difference, or a rare case was not covered often enough; 2: invalid arguments.
"""

from __future__ import annotations

import ast
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.arena.workers import open_workers
from blackjacky_agents.storage.files import write_json
from blackjacky_env.checks import check_integer
from blackjacky_env.games import DEFAULT, get_game
from scripts.results import ROOT, save
from tests.reference.declaration import Options, Reference, Setting
from tests.reference.registry import REFERENCES
from tests.reference.side_by_side import Difference, SideBySide, play

CODE = (
    *("blackjacky_env/games/{game}/*.py", "blackjacky_env/games/*.py", "blackjacky_env/compiled/*.py"),
    *("blackjacky_env/declare/*.py", "blackjacky_env/play/*.py"),
    *("blackjacky_env/envs/aec.py", "blackjacky_env/envs/looking.py", "blackjacky_env/envs/module.py"),
    *("tests/reference/*.py", "tests/games/{game}/reference/*.py", "scripts/proofs/fuzz.py"),
)
"""Files on which a run depends."""
VIEWED = 1 / 8  # fraction of games in which views are compared, which takes as long as everything else
USUAL_RARITY = 20_000  # maximum number of actions per occurrence of a rare case: 1,000 in 20 million
CATEGORIES = ("table size", "variant", "rule options", "policy")

Counts = dict[str, Counter[str]]
Results = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Play random games in the environment and in the reference implementation until they differ."""

    game: str = DEFAULT  # Name of the game.
    actions: int = 20_000_000  # Minimum number of actions; the last games are played to their end.
    seed: int = 0  # Random seed of the games.
    workers: int = 2  # Number of processes; results do not depend on it. 1: no additional process.
    at_least: int | None = None  # Fail if a rare case occurred less often; by default once in 20,000 actions.
    chunk: int = 10_000  # Actions between two writes of the results; the games depend on it.
    output: Path | None = None  # File of what has been played (JSON); by default runs/fuzz_GAME.json.
    write: bool = False  # Write results/GAME/fuzz.json, if the run succeeds.

    @property
    def saved(self) -> Path:
        """The file of what has been played."""
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
        play_all(results, args)
    except Difference as difference:
        return report_difference(difference, results, args)
    total = results["counts"]["total"]
    print(f"no difference in {total['actions']:,} actions of {total['games']:,} games")
    if rare := too_rare(results["counts"], args):
        print("\n".join(rare), file=sys.stderr)
    elif args.write:
        write(results, args)
    return int(bool(rare))


def check(args: Args) -> None:
    """Raise `ValueError` for an invalid option."""
    if args.game not in REFERENCES:
        raise ValueError(f"--game {args.game!r} has no reference implementation; allowed are {', '.join(REFERENCES)}")
    for name, least, most in (("actions", 1, 10**12), ("seed", 0, 2**63 - 1), ("workers", 1, 256), ("chunk", 1, 10**9)):
        check_integer(f"--{name}", getattr(args, name), least, most)
    if args.at_least is not None:
        check_integer("--at-least", args.at_least, 0, 10**12)


def kinds(reference: Reference) -> list[Setting]:
    """All kinds of random games, which are played in turn, a chunk of each."""
    first = reference.variants[0]
    return [
        *(
            Setting(policy, n, {} if variant is first else {"variant": variant.name})
            for policy in reference.all_policies
            for variant in reference.variants
            for n in variant.sizes
        ),
        *(Setting(None, n, None) for _ in range(4) for n in reference.sizes()),
    ]


def steered(reference: Reference) -> list[Setting]:
    """Games that meet rare cases, as the tests play them; they come after the random ones and are counted apart."""
    return [setting for setting in reference.settings if setting.meets]


def draw(reference: Reference, kind: Setting, rng: random.Random) -> tuple[str, Options]:
    """Policy and options of a game of this kind."""
    options = reference.any_options(rng, kind.num_players) if kind.options is None else kind.options
    reward = {"reward": reference.rewards[1]} if rng.random() < 0.5 else {}
    policy = kind.policy or rng.choice(reference.all_policies)
    return policy, {"num_players": kind.num_players, **options, **reward}


def play_chunk(game: str, seed: int, number: int, actions: int) -> Counts:
    """Play games of one kind for at least ``actions`` actions; raises `Difference`."""
    reference = REFERENCES[game]
    by_chance = kinds(reference)
    turns = [*by_chance, *steered(reference)]
    turn, rng = number % len(turns), random.Random(f"{seed} {number}")
    kind, counts, played = turns[turn], no_counts(reference), 0
    while played < actions:
        policy, options = draw(reference, kind, rng)
        rigged = kind.rig(rng, options)
        table = SideBySide(game, rng.randrange(2**63), options, rigged.reset, views=rng.random() < VIEWED)
        play(table, policy, rng.randrange(2**63), rigged.opening)
        played += len(table.actions)
        if turn < len(by_chance):
            add(counts, counts_of(table, policy))
        else:
            add(counts, {"steered": Counter({str(kind): len(table.actions)}), "steered case": table.cases})
    return counts


def no_counts(reference: Reference) -> Counts:
    """Counts of zero for everything that must appear in the results."""
    return {
        "total": Counter(games=0, actions=0),
        "table size": Counter({f"{n} players": 0 for n in reference.sizes()}),
        "variant": Counter({variant.name: 0 for variant in reference.variants}),
        "rule options": Counter({"default": 0, "others": 0}),
        "policy": Counter(dict.fromkeys(reference.all_policies, 0)),
        "case": Counter(dict.fromkeys(reference.cases, 0)),
        "steered": Counter({str(kind): 0 for kind in steered(reference)}),
        "steered case": Counter(dict.fromkeys(reference.cases, 0)),
    }


def counts_of(table: SideBySide, policy: str) -> Counts:
    """The counts of one game: its actions by category, and occurrences of rare cases."""
    actions, options = len(table.actions), table.story.options
    _, variant = get_game(table.story.game).choose_table(options["num_players"], options.get("variant"))
    others = options.keys() - {"num_players", "variant", "reward"}
    return {
        "total": Counter(games=1, actions=actions),
        "table size": Counter({f"{options['num_players']} players": actions}),
        "variant": Counter({variant: actions}),
        "rule options": Counter({"others" if others else "default": actions}),
        "policy": Counter({policy: actions}),
        "case": table.cases,
    }


def add(counts: Counts, more: Counts) -> None:
    """Add in place."""
    for group, numbers in more.items():
        counts[group].update(numbers)


def begin(args: Args) -> Results:
    """The saved results of this run, or empty ones; `ValueError` if the file belongs to another run."""
    identity = {"game": args.game, "seed": args.seed, "chunk": args.chunk, "code": code(args.game)}
    if not args.saved.exists():
        args.saved.parent.mkdir(parents=True, exist_ok=True)
        return {**identity, "chunks": 0, "counts": no_counts(REFERENCES[args.game])}
    results: Results = json.loads(args.saved.read_text(encoding="utf-8"))
    for name, value in identity.items():
        if results.get(name) != value:
            raise ValueError(f"{args.saved} contains a run with {name} {results.get(name)!r}, not {value!r}: delete it")
    return {**results, "counts": {group: Counter(numbers) for group, numbers in results["counts"].items()}}


def code(game: str) -> str:
    """A hash of the compared and comparing code, independent of comments and formatting."""
    files = sorted(file for pattern in CODE for file in ROOT.glob(pattern.format(game=game)))
    trees = (ast.dump(ast.parse(file.read_text(encoding="utf-8"))) for file in files)
    return hashlib.sha256("\n".join(trees).encode()).hexdigest()[:16]


def play_all(results: Results, args: Args) -> None:
    """Play chunks until there are enough actions, saving the results after each."""
    total = results["counts"]["total"]
    with (
        tqdm(total=args.actions, initial=total["actions"], unit=" actions", mininterval=1) as bar,
        open_workers(play_chunk, args.workers, threads=False) as pool,
    ):
        if total["actions"] >= args.actions:
            return
        chunks = ((args.game, args.seed, number, args.chunk) for number in count(results["chunks"]))
        for counts in pool.in_order(chunks):
            add(results["counts"], counts)
            results["chunks"] += 1
            write_json(args.saved, results)
            bar.update(counts["total"]["actions"])
            if total["actions"] >= args.actions:
                return


def report_difference(difference: Difference, results: Results, args: Args) -> int:
    """Report a difference as a program that plays its game."""
    print(f"environment and reference implementation differ: {difference}")
    results["difference"] = {"what": difference.what, **asdict(difference.story)}
    write_json(args.saved, results)
    return 1


def too_rare(counts: Counts, args: Args) -> list[str]:
    """Rare cases that occurred too seldom, in sentences."""
    needed = max(1, args.actions // USUAL_RARITY) if args.at_least is None else args.at_least
    occurred = {name: times + counts["steered case"][name] for name, times in counts["case"].items()}
    told = "too rare: {} occurred {:,} times, but {:,} are required"
    return [told.format(name, times, needed) for name, times in occurred.items() if times < needed]


def write(results: Results, args: Args) -> None:
    """Write the counts as a result."""
    counts, total = results["counts"], results["counts"]["total"]
    columns = {
        "case": ("rare case", "occurrences"),
        "steered": ("steered games", "actions"),
        "steered case": ("rare case in steered games", "occurrences"),
    }
    rows: list[dict[str, Any]] = [
        {"category": group, "value": name, "actions": n} for group in CATEGORIES for name, n in counts[group].items()
    ]
    for group, (first, second) in columns.items():
        told = "{}" if group == "steered" else "`{}`"
        rows += [{first: told.format(name), second: number} for name, number in counts[group].items()]
    settings = {"actions": total["actions"], "games": total["games"], "differences": 0}
    settings["steered actions"] = counts["steered"].total()
    save("fuzz", rows, game=args.game, seed=args.seed, settings={**settings, "code": results["code"]})


if __name__ == "__main__":
    sys.exit(main())
