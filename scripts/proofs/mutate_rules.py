"""Mutation testing: do the tests of the rules detect every small change to the rules?

    make mutants                                                 mutate the rules of all games
    python -m scripts.proofs.mutate_rules --game NAME --write    those of one game; results/NAME/mutants.json

Every mutant is `rules.py` with one small change (an operator, a number, a condition, a loop), made by Cosmic Ray. It is
run in plain Python, first against the tests of the rules except those with random games, then, if none of them fails,
against the reference implementation. A mutant that survives both must be explained in
tests/games/NAME/surviving_mutants.toml; otherwise, or if an explained one does not survive, the exit status is 1.

Finished mutants are saved in runs/mutants-NAME.json, from which an interrupted run is resumed. Survivors are always
tried again, so that a new test is run on them alone; delete the file to try all mutants again.
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
from importlib import import_module
from importlib.metadata import version
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import tyro
from tqdm import tqdm

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "games"
RULES_TESTS, REFERENCE, SURVIVED = "tests of the rules", "reference implementation", "nothing"
EXCLUDED = re.compile("RemoveDecorator|_(Is|IsNot|Div|FloorDiv|Mod|Pow|RShift|LShift|BitOr|BitAnd|BitXor)$")
"""Excluded changes: `compiled` has no effect in plain Python; sums and products are replaced by each other only, not by
powers or bit operations."""
OPTIONS = {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Environment variables of the tests: loading plugins of pytest can take longer than the tests."""
PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "--assert=plain", "-m", "")  # all tests, those of `make prove` too
PER_PROCESS = 4  # mutants
SECONDS = 15  # CPU seconds per test: three times the longest one


class Subject(NamedTuple):
    """A game to be mutated, and the tests to run, as declared in tests/games/NAME/mutation.toml."""

    game: str
    files: tuple[str, ...]  # Files of the tests of its rules, without `test_` and `.py`.
    random: str  # Expression for pytest's `-k` that selects tests with random games, which are left out.
    settings: str  # Expression for `-k` that selects the games played by the reference implementation.

    @property
    def rules(self) -> Path:
        """The file of the rules."""
        return ROOT / "blackjacky_env" / "games" / self.game / "rules.py"

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
    told = {path.parent.name: tomllib.loads(path.read_text("utf-8")) for path in sorted(TESTS.glob("*/mutation.toml"))}
    return {game: Subject(game, tuple(of["files"]), of["random"], of["settings"]) for game, of in told.items()}


@dataclass(frozen=True)
class Args:
    """Mutation testing: do the tests of the rules detect every small change to the rules?"""

    game: str  # Name of the game.
    workers: int = 2  # Number of processes; results do not depend on it.
    sample: float = 1.0  # Fraction of the mutants to try; a hash of their names decides which.
    write: bool = False  # Write results/GAME/mutants.json.


def main(args: Args) -> int:
    """Run the script; returns the exit status."""
    if not hasattr(os, "fork"):
        sys.exit("error: mutants are run in forked processes, which this system does not support: use Linux or macOS")
    subject = subjects().get(args.game)
    if subject is None:
        sys.exit(f"error: --game {args.game} cannot be mutated; allowed are {', '.join(subjects())}")
    began, everything = time.monotonic(), mutants(subject.rules.read_text(encoding="utf-8"))
    chosen = {name: code for name, code in everything.items() if is_sampled(name, args.sample)}
    if not chosen:
        sys.exit(f"error: no mutant is left by --sample {args.sample}")
    found, reasons = try_all(chosen, args.workers, subject), explained(subject)
    print(f"{len(found):,} of {len(everything):,} mutants; killed by", dict(Counter(found.values())))
    if args.write:
        write(found, reasons, args.game, len(everything), (time.monotonic() - began) / 60)
    return judge(found, reasons)


# ---------------------------------------------------------------- the mutants


def mutants(code: str) -> dict[str, str]:
    """The mutants of the code by name, which states place and change."""
    lines = code.splitlines(keepends=True)
    found: dict[str, str] = {}
    for piece in ast.parse(code).body:
        decorators = piece.decorator_list if isinstance(piece, ast.FunctionDef) else []
        first, last = min([piece.lineno, *(node.lineno for node in decorators)]) - 1, piece.end_lineno
        where = piece.name if isinstance(piece, ast.FunctionDef) else "module"
        source = "".join(lines[first:last])
        for mutant in dict.fromkeys(changed(source)):
            found[name_of(where, source, mutant, found)] = "".join([*lines[:first], mutant, *lines[last:]])
    return found


def changed(source: str) -> Iterator[str]:
    """All mutants of a piece of code."""
    trees, mutating = import_module("cosmic_ray.ast"), import_module("cosmic_ray.mutating")  # of an extra
    tree = trees.get_ast(source)
    for operator in operators():
        positions = sum(len(list(operator.mutation_positions(node))) for node in trees.ast_nodes(tree))
        yield from (mutating.mutate_code(source, operator, position) for position in range(positions))


@functools.cache
def operators() -> list[Any]:
    """Cosmic Ray's operators, except those with arguments, which change names."""
    plugins, found = import_module("cosmic_ray.plugins"), []
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


def try_all(chosen: dict[str, str], workers: int, subject: Subject) -> dict[str, str]:
    """What killed each mutant; those of an earlier run with these rules that were killed are not tried again."""
    from blackjacky_agents.arena.workers import open_workers  # not at the top: `answer` must not import rules
    from blackjacky_agents.storage.files import write_json

    output = ROOT / "runs" / f"mutants-{subject.game}.json"
    results: dict[str, Any] = {"code": hashlib.sha256(subject.rules.read_bytes()).hexdigest()[:16], "killed_by": {}}
    if output.exists() and (kept := json.loads(output.read_text("utf-8")))["code"] == results["code"]:
        results["killed_by"] = {name: by for name, by in kept["killed_by"].items() if by != SURVIVED}
    left = [(name, code) for name, code in chosen.items() if name not in results["killed_by"]]
    parts = [dict(left[first : first + PER_PROCESS]) for first in range(0, len(left), PER_PROCESS)]
    output.parent.mkdir(parents=True, exist_ok=True)
    with (
        open_workers(functools.partial(try_some, subject.game), workers, threads=True) as pool,
        tqdm(total=len(left), unit=" mutants") as bar,
    ):
        if left and pool.submit({"": subject.rules.read_text(encoding="utf-8")}).result() != {"": SURVIVED}:
            sys.exit("error: the tests fail with the unchanged rules; see make test")
        for killed_by in pool.in_order((part,) for part in parts):
            results["killed_by"] |= killed_by
            write_json(output, results)
            bar.update(len(killed_by))
    return {name: results["killed_by"][name] for name in chosen}


def try_some(game: str, some: dict[str, str]) -> dict[str, str]:
    """What kills each of these mutants, by name, or `SURVIVED`, found in a new process.

    Raises `RuntimeError` if the process fails.
    """
    done = subprocess.run(
        [sys.executable, "-c", "from scripts.proofs.mutate_rules import answer; answer()"],
        input=json.dumps([game, some]),
        env={**os.environ, **OPTIONS},
        cwd=ROOT,
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
    for name in ("gymnasium", "hypothesis.strategies", "numba", "pettingzoo.utils.env", "pytest"):
        import_module(name)  # all but the rules, so that forked processes of mutants need not
    assert os.environ["NUMBA_DISABLE_JIT"] == "1"
    assert "blackjacky_env" not in sys.modules
    game, some = json.load(sys.stdin)
    subject = subjects()[game]
    killed_by = {
        name: next((suite for suite, tests in subject.suites.items() if not passes(subject, code, tests)), SURVIVED)
        for name, code in some.items()
    }
    print(json.dumps(killed_by))


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
        os._exit(pytest.main([*PYTEST, *arguments], [Clock()]))
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
        if name != f"blackjacky_env.games.{self.subject.game}.rules":
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(self.subject.rules))

    def exec_module(self, module: ModuleType) -> None:
        """Execute the mutant's code in the module."""
        exec(compile(self.code, self.subject.rules, "exec"), module.__dict__)


# ---------------------------------------------------------------- results


def explained(subject: Subject) -> dict[str, str]:
    """Explanations of surviving mutants by name."""
    file = TESTS / subject.game / "surviving_mutants.toml"
    groups = tomllib.loads(file.read_text(encoding="utf-8"))["survivors"]
    return {name: group["why"] for group in groups for name in group["mutants"]}


def judge(found: dict[str, str], reasons: dict[str, str]) -> int:
    """The exit status: 1, with messages, if survivors and explanations do not match."""
    new = sorted(name for name, by in found.items() if by == SURVIVED and name not in reasons)
    gone = sorted(name for name in reasons if found.get(name, SURVIVED) != SURVIVED)
    for name in new:
        print(f"survives without an explanation: {name}", file=sys.stderr)
    for name in gone:
        print(f"is explained, but was killed by the {found[name]}: {name}", file=sys.stderr)
    return int(bool(new or gone))


def write(found: dict[str, str], reasons: dict[str, str], game: str, total: int, minutes: float) -> None:
    """Write the numbers of killed and surviving mutants as a result; ``minutes``: of this run, resumed or not."""
    from scripts.results import save

    counts = Counter(found.values())
    unexplained = sum(by == SURVIVED and name not in reasons for name, by in found.items())
    settings = {"mutants": len(found), "all": total, "survivors": counts[SURVIVED], "unexplained": unexplained}
    rows = [{"killed by": by, "mutants": counts[by]} for by in (RULES_TESTS, REFERENCE, SURVIVED)]
    versions = {"cosmic-ray": version("cosmic-ray")}
    save("mutants", rows, game=game, settings=settings, versions=versions, minutes=round(minutes, 1))


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
