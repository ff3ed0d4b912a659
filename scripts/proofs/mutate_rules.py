"""Mutation testing: do the tests of the rules detect every small change to the rules?

    make mutants                                        install the requirements, and mutate the rules of all games
    python scripts/proofs/mutate_rules.py --game NAME   mutate those of one game
    ... --write                                         write the result into tests/games/NAME/README.md

Every mutant is `rules.py` with one small change (an operator, a number, a condition, a loop), made by Cosmic Ray. It is
run in plain Python, first against the tests of the rules except those with random games, then, if none of them fails,
against the reference implementation. A mutant that survives both must be explained in
tests/games/NAME/surviving_mutants.toml.

Finished mutants are saved in the output file, from which an interrupted run is resumed. Survivors are always tried
again, so that a new test is run on them alone; delete the file to try all mutants again.

Exit status 0: every survivor is explained; 1: one is not, or an explained mutant does not survive.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.abc
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
import zlib
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import tyro
from tqdm import tqdm

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "games"
RULES_TESTS, REFERENCE = "tests of the rules", "reference implementation"


class Subject(NamedTuple):
    """A game to be mutated, and the tests to run, as declared in tests/games/NAME/mutation.toml."""

    game: str
    files: tuple[str, ...]
    """Files of the tests of its rules, without `test_` and `.py`."""
    random: str
    """Expression for pytest's `-k` that selects tests with random games, which are left out."""
    settings: str
    """Expression for `-k` that selects the games played by the reference implementation."""

    @property
    def module(self) -> str:
        """The name of the rules' module."""
        return f"blackjacky_env.games.{self.game}.rules"

    @property
    def rules(self) -> Path:
        """The file of the rules."""
        return ROOT / "blackjacky_env" / "games" / self.game / "rules.py"

    @property
    def explanations(self) -> Path:
        """The file of explanations for surviving mutants."""
        return TESTS / self.game / "surviving_mutants.toml"

    @property
    def suites(self) -> dict[str, list[str]]:
        """Arguments of pytest for each suite, in order of execution."""
        files = [f"tests/games/{self.game}/test_{name}.py" for name in self.files]
        return {
            RULES_TESTS: [*files, "-k", f"not ({self.random})"],
            REFERENCE: ["tests/test_differential.py", "-k", f"{self.game} and ({self.settings})"],
        }


def subjects() -> dict[str, Subject]:
    """All games that can be mutated, by name."""
    found = {}
    for path in sorted(TESTS.glob("*/mutation.toml")):
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
        found[path.parent.name] = Subject(
            path.parent.name, tuple(declared["files"]), declared["random"], declared["settings"]
        )
    return found


SURVIVED = "nothing"
EXCLUDED = re.compile("RemoveDecorator|_(Is|IsNot|Div|FloorDiv|Mod|Pow|RShift|LShift|BitOr|BitAnd|BitXor)$")
"""Excluded changes: `compiled` has no effect in plain Python; sums and products are replaced by each other only, not by
powers or bit operations."""
OPTIONS = {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Environment variables of the tests: loading plugins of pytest can take longer than the tests."""
PER_PROCESS = 4  # mutants
SECONDS = 15  # CPU seconds per test: three times the longest one

Results = dict[str, Any]


@dataclass(frozen=True)
class Args:
    """Mutation testing: do the tests of the rules detect every small change to the rules?"""

    game: str
    """Name of the game."""
    workers: int = 2
    """Number of processes; results do not depend on it."""
    cluster: str | None = None
    """Run on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`, to which the repository is sent."""
    only: str = ""
    """Try only mutants whose name contains this text."""
    sample: float = 1.0
    """Fraction of the mutants to try; a hash of their names decides which."""
    output: Path | None = None
    """File of the results (JSON); by default runs/mutants-GAME.json."""
    write: bool = False
    """Write the result to results/GAME/mutants.json."""


def main(args: Args) -> int:
    """Run the script; returns the exit status."""
    if not hasattr(os, "fork"):
        sys.exit("error: mutants are run in forked processes, which this system does not support: use Linux or macOS")
    known = subjects()
    subject = known.get(args.game)
    if subject is None:
        sys.exit(f"error: --game {args.game} cannot be mutated; allowed are {', '.join(known)}")
    from blackjacky_agents.arena.cluster import ClusterError
    from scripts.results import save

    output = args.output or ROOT / "runs" / f"mutants-{args.game}.json"
    everything = mutants(subject.rules.read_text(encoding="utf-8"))
    chosen = {name: code for name, code in everything.items() if args.only in name and is_sampled(name, args.sample)}
    if not chosen:
        sys.exit(f"error: no mutant is left by --only {args.only!r} and --sample {args.sample}")
    results = begin(output, subject)
    try:
        try_all(chosen, results, output, args, subject)
    except ClusterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; repeat the command to resume", file=sys.stderr)
        return 130
    found = {name: results["killed_by"][name] for name in chosen}
    reasons = explained(subject)
    text = report(found, reasons, results["seconds"], args, len(everything))
    print(text)
    if args.write and not args.only:
        counts = Counter(found.values())
        unexplained = sum(by == SURVIVED and name not in reasons for name, by in found.items())
        facts = {"mutants": len(found), "all": len(everything), "survivors": counts[SURVIVED]}
        save(
            "mutants",
            [{"killed by": suite, "mutants": counts[suite]} for suite in (RULES_TESTS, REFERENCE, SURVIVED)],
            what="Small changes of the rules, and what noticed them.",
            command="-m scripts.proofs.mutate_rules",
            game=args.game,
            settings={**facts, "unexplained": unexplained},
            versions={"cosmic-ray": version("cosmic-ray")},
        )
    return judge(found, reasons)


# ---------------------------------------------------------------- the mutants


def mutants(code: str) -> dict[str, str]:
    """The mutants of the code by name, which states place and change."""
    lines, found = code.splitlines(keepends=True), {}
    for piece in ast.parse(code).body:
        decorators = piece.decorator_list if isinstance(piece, ast.FunctionDef) else []
        first, last = min(node.lineno for node in [piece, *decorators]) - 1, piece.end_lineno
        where = piece.name if isinstance(piece, ast.FunctionDef) else "module"
        source = "".join(lines[first:last])
        for mutant in dict.fromkeys(changed(source)):
            found[name_of(where, source, mutant, found)] = "".join([*lines[:first], mutant, *lines[last:]])
    return found


def changed(source: str) -> Iterator[str]:
    """All mutants of a piece of code."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    tree = get_ast(source)
    for operator in operators():
        positions = sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(tree))
        yield from (mutate_code(source, operator, position) for position in range(positions))


@functools.cache
def operators() -> list[Any]:
    """Cosmic Ray's operators, except those with arguments, which change names."""
    from cosmic_ray import plugins

    found = []
    for name in plugins.operator_names():
        with contextlib.suppress(TypeError):
            if not EXCLUDED.search(name):
                found.append(plugins.get_operator(name)())
    return found


def name_of(where: str, source: str, mutant: str, taken: Container[str]) -> str:
    """`WHERE: LINE => CHANGED LINE`, numbered if the name is taken."""
    old, new = next((old, new) for old, new in zip(source.splitlines(), mutant.splitlines(), strict=True) if old != new)
    name = f"{where}: {old.strip()} => {new.strip()}"
    return name if name not in taken else next(f"{name} #{i}" for i in count(2) if f"{name} #{i}" not in taken)


def is_sampled(name: str, fraction: float) -> bool:
    """Whether a mutant belongs to the sample; a larger sample contains every smaller one."""
    return zlib.crc32(name.encode()) < fraction * 2**32


# ---------------------------------------------------------------- running the tests


def begin(output: Path, subject: Subject) -> Results:
    """The saved results for these rules, without survivors; empty if there are none."""
    code = hashlib.sha256(subject.rules.read_bytes()).hexdigest()[:16]
    if output.exists():
        kept: Results = json.loads(output.read_text(encoding="utf-8"))
        if kept["code"] == code:
            kept["killed_by"] = {name: by for name, by in kept["killed_by"].items() if by != SURVIVED}
            return kept
    output.parent.mkdir(parents=True, exist_ok=True)
    return {"code": code, "seconds": 0.0, "killed_by": {}}


def try_all(chosen: dict[str, str], results: Results, output: Path, args: Args, subject: Subject) -> None:
    """Try the remaining mutants, saving results as they are finished."""
    from blackjacky_agents.arena.cluster import joined  # not at the top: it imports the rules, which `answer` must not
    from blackjacky_agents.arena.workers import in_order, open_pool
    from blackjacky_agents.files import write_file

    left = [(name, code) for name, code in chosen.items() if name not in results["killed_by"]]
    if not left:
        return
    begun = time.monotonic() - results["seconds"]
    folder = ROOT if args.cluster is None else Path()  # nodes have a copy of it as their current one
    work = functools.partial(try_some, subject.game, folder)
    parts = [dict(left[first : first + PER_PROCESS]) for first in range(0, len(left), PER_PROCESS)]
    with (
        joined(args.cluster, args.workers, ROOT) as cluster,
        open_pool(work, args.workers, threads=True, cluster=cluster) as pool,
        tqdm(total=len(left), unit=" mutants") as bar,
    ):
        if pool.submit({"": subject.rules.read_text(encoding="utf-8")}).result() != {"": SURVIVED}:
            sys.exit("error: the tests fail with the unchanged rules; see make test")
        for killed_by in in_order((pool.submit(part) for part in parts), pool.count_ahead):
            results["killed_by"] |= killed_by
            results["seconds"] = round(time.monotonic() - begun, 1)
            write_file(output, json.dumps(results, indent=1) + "\n")
            bar.update(len(killed_by))


def try_some(game: str, folder: Path, some: dict[str, str]) -> dict[str, str]:
    """What kills each of these mutants, by name, or `SURVIVED`, found in a new process.

    ``folder`` is the repository or a copy of it. Raises `RuntimeError` if the process fails.
    """
    path = os.pathsep.join([str(folder.resolve() / "scripts" / "proofs"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", "import mutate_rules; mutate_rules.answer()"],
        input=json.dumps([game, some]),
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep), **OPTIONS},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"mutants could not be tried: {done.stderr[-2000:]}")
    killed_by: dict[str, str] = json.loads(done.stdout)
    return killed_by


def answer() -> None:
    """Try the mutants that standard input names, for `try_some`."""
    game, some = json.load(sys.stdin)
    prepare()
    subject = subjects()[game]
    killed_by = {
        name: next((suite for suite, tests in subject.suites.items() if not passes(subject, code, tests)), SURVIVED)
        for name, code in some.items()
    }
    print(json.dumps(killed_by))


def prepare() -> None:
    """Import everything but the rules, so that forked processes of mutants need not."""
    import gymnasium
    import hypothesis.strategies
    import numba
    import pettingzoo.utils.env
    import pytest

    assert all((gymnasium, hypothesis, numba.config.DISABLE_JIT, pettingzoo, pytest))
    assert "blackjacky_env" not in sys.modules
    os.chdir(ROOT)


def passes(subject: Subject, code: str, arguments: Sequence[str]) -> bool:
    """Whether the tests pass with this code as rules, run in a forked process.

    Raises `RuntimeError` if the process was ended by anything but a test or the clock.
    """
    child = os.fork()
    if child == 0:
        run_tests(subject, code, arguments)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGVTALRM:
        raise RuntimeError(f"signal {os.WTERMSIG(status)} killed the process of a mutant: repeat the command to resume")
    return status == 0


def run_tests(subject: Subject, code: str, arguments: Sequence[str]) -> None:
    """Run the tests with this code as rules and end the process; exit status 0: all pass."""
    import pytest

    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.meta_path.insert(0, Mutated(subject, code))
    try:
        os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--assert=plain", *arguments], [Clock()]))
    finally:  # an error not caught by pytest
        os._exit(1)


class Clock:
    """A plugin of pytest that ends the process with a signal if a test takes too long, perhaps in an endless loop."""

    def pytest_runtest_logstart(self) -> None:
        """Restart the clock, which counts CPU time, so that other work on the machine does not matter."""
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import hook that loads a mutant as the rules."""

    def __init__(self, subject: Subject, code: str) -> None:
        self.subject, self.code = subject, code

    def find_spec(self, name: str, *_: Any) -> Any:
        """Find the rules' module only."""
        if name != self.subject.module:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(self.subject.rules))

    def exec_module(self, module: ModuleType) -> None:
        """Execute the mutant's code in the module."""
        exec(compile(self.code, self.subject.rules, "exec"), module.__dict__)


# ---------------------------------------------------------------- report


def explained(subject: Subject) -> dict[str, str]:
    """Explanations of surviving mutants by name."""
    groups = tomllib.loads(subject.explanations.read_text(encoding="utf-8"))["survivors"]
    return {name: group["why"] for group in groups for name in group["mutants"]}


def judge(found: dict[str, str], reasons: dict[str, str]) -> int:
    """The exit status: 1, with messages, if survivors and explanations do not match."""
    survivors = {name for name, by in found.items() if by == SURVIVED}
    for name in sorted(survivors - reasons.keys()):
        print(f"survives without an explanation: {name}", file=sys.stderr)
    gone = sorted(name for name in reasons if found.get(name, SURVIVED) != SURVIVED)
    for name in gone:
        print(f"is explained, but was killed by the {found[name]}: {name}", file=sys.stderr)
    return int(bool(survivors - reasons.keys() or gone))


def report(found: dict[str, str], reasons: dict[str, str], seconds: float, args: Args, total: int) -> str:
    """The numbers of killed and surviving mutants as a Markdown table, with command and duration."""
    from blackjacky_agents.reports import markdown_table, workers_used

    counts = Counter(found.values())
    unexplained = sum(by == SURVIVED and name not in reasons for name, by in found.items())
    rows = [
        [suite, f"{counts[suite]:,}", f"{counts[suite] / len(found):.1%}"]
        for suite in (RULES_TESTS, REFERENCE, SURVIVED)
    ]
    sample, option = (f" of {total:,}", f" --sample {args.sample}") if args.sample < 1 else ("", "")
    return (
        f"{markdown_table(['killed by', 'mutants', 'fraction'], rows)}\n\n"
        f"{len(found):,}{sample} mutants; of {counts[SURVIVED]:,} survivors {unexplained:,} are unexplained.\n"
        f"`python scripts/proofs/mutate_rules.py --game {args.game}{option}`: {seconds / 60:.0f} minutes "
        f"{workers_used(args.workers, args.cluster)}, cosmic-ray {version('cosmic-ray')}."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
