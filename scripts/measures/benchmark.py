"""Run the benchmark of algorithms: first choose the settings of learners, then measure all of them at other tables.

    python -m scripts.measures.benchmark --stage tune          # an hour or two of a CPU; then commit the settings
    python -m scripts.measures.benchmark --stage grid          # some hours
    python -m scripts.measures.benchmark --stage grid --only mini-2 ppo 100 101    # seeds by number
    python -m scripts.measures.benchmark --stage grid --dry    # how much is left

benchmark.toml says what is run. Runs are kept in runs/benchmark_grid: those that have ended are not repeated, nor are
those whose rows a result has that was measured with today's rules and settings. Stage `tune` writes
results/benchmark_tuning.json, benchmark_drawn.jsonl beside this file, and the best settings of learners all of whose
runs have ended: the defaults of `blackjacky benchmark`. Stage `grid` writes results/benchmark.json.
"""

from __future__ import annotations

import json
import random
import tomllib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import geometric_mean
from typing import Any, Literal, NamedTuple

import tyro

from blackjacky_agents.benchmark import algorithms
from blackjacky_agents.benchmark.runs import Runs, run_all
from blackjacky_agents.benchmark.tasks import due_at
from blackjacky_agents.reports import duration, progress_bar, ready_for_json
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solving_run import GIB
from blackjacky_agents.storage.files import only_writer, versions, write_file, write_json
from blackjacky_env.compiled import cores
from scripts.results import ROOT, load, save

PLAN = Path(__file__).with_suffix(".toml")
FOLDER = ROOT / "runs" / "benchmark_grid"
DRAWN = Path(__file__).with_name("benchmark_drawn.jsonl")
CHOSEN = Path(algorithms.__file__).with_name("tuned.json")
KINDS = {"tune": "benchmark_tuning", "grid": "benchmark"}
Plan = Mapping[str, Any]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Args:
    """Run the benchmark of algorithms, or what is left of it."""

    stage: Literal["tune", "grid"]  # Choose settings, or measure all algorithms.
    only: tuple[str, ...] = ()  # Games, tables, algorithms and seeds: runs of any other are left out.
    cores: int = cores()  # Runs at the same time.
    dry: bool = False  # Only say how much is left.
    plan: Path = PLAN  # What is run.


class Job(NamedTuple):
    """A run, what its row says beside the measurements, and about how many CPU seconds it takes."""

    runs: Runs
    seed: int
    facts: dict[str, Any]
    seconds: float


def main(args: Args) -> None:
    """Run what is left of a stage; results are written whenever a run has ended."""
    plan, kind = tomllib.loads(args.plan.read_text("utf-8")), KINDS[args.stage]
    if args.stage == "tune" and not args.dry:
        write_file(DRAWN, "\n".join(as_lines(drawn(plan["tune"]))) + "\n")
    jobs = meant(list((tuning if args.stage == "tune" else grid)(plan)), args.only)
    before = rows_of(kind)
    left = [job for job in jobs if not job.runs.is_done(job.seed) and not any(has(row, job) for row in before)]
    print(f"{len(left)} of {len(jobs)} runs are left: {duration(sum(job.seconds for job in left))} of a CPU")
    if args.dry:
        return
    left += [job for job in jobs if job.runs.is_done(job.seed)]  # their rows may not have been written
    total = round(sum(job.seconds for job in left))
    with only_writer(FOLDER), progress_bar(total, args.stage, unit=" CPU seconds") as bar:
        for job in left:
            job.runs.begin()
        ended = list[Job]()

        def report() -> None:
            new = [job for job in left if job.runs.is_done(job.seed)]
            ended.extend(new)
            left[:] = [job for job in left if job not in new]
            bar.update(round(sum(job.seconds for job in ended) + sum(map(spent, left))) - bar.n)
            if new and (rows := [row for job in ended if (row := row_of(job)) not in before]):
                put(args.stage, rows)

        report()
        run_all([job[:2] for job in left], args.cores, report)
    if args.stage == "tune":
        write_json(CHOSEN, {**algorithms.TUNED, **chosen(plan["tune"], rows_of(kind))})


def spent(job: Job) -> float:
    """About how many CPU seconds a job has taken so far."""
    return job.seconds * min(1.0, job.runs.decisions(job.seed) / job.runs.due[-1])


def meant(jobs: Sequence[Job], only: Sequence[str]) -> list[Job]:
    """Jobs whose game, table, algorithm and seed are among those named; any, if none is. `SystemExit` if unknown."""
    kinds = [[str(job.facts[kind]) for job in jobs] for kind in ("game", "table", "algorithm", "seed")]
    if unknown := set(only).difference(*kinds):
        raise SystemExit(f"error: nothing is called {', '.join(sorted(unknown))}")
    wanted = [{*kind} & {*only} or {*kind} for kind in kinds]
    return [job for job, *names in zip(jobs, *kinds, strict=True) if all(map(set.__contains__, wanted, names))]


def tuning(plan: Plan) -> Iterator[Job]:
    """The runs that settings are chosen by."""
    tune = plan["tune"]
    for algorithm, draws in drawn(tune).items():
        decisions = tune["learners"][algorithm]["decisions"]
        for (draw, settings), table, seed in product(enumerate(draws), tune["tables"], tune["seeds"]):
            facts = {"game": tune["game"], "table": table, "algorithm": algorithm, "draw": draw, "seed": seed}
            yield job_of(plan, facts, settings, decisions)


def drawn(tune: Plan) -> dict[str, list[dict[str, Any]]]:
    """The settings that are tried, by learner: random, and spread over each range (Latin hypercube sampling)."""
    found, count = {}, tune["draws"]
    for algorithm, ranges in tune["learners"].items():
        rng, lists = random.Random(f"{tune['seed']} {algorithm}"), {}  # so that no learner's depend on those of others
        for name in [name for name in ranges if name != "decisions"]:
            order = sorted(range(count), key=lambda _: rng.random())
            lists[name] = [at(ranges[name], (place + rng.random()) / count) for place in order]
        found[algorithm] = [{name: values[number] for name, values in lists.items()} for number in range(count)]
    return found


def as_lines(found: Mapping[str, Sequence[Row]]) -> list[str]:
    """JSON, a line for each settings."""
    return [json.dumps({"algorithm": name, **settings}) for name, draws in found.items() for settings in draws]


def at(wanted: Any, place: float) -> Any:
    """What is at a place, 0 .. 1, in a list or in a log-uniform distribution, with three digits."""
    if isinstance(wanted, list):
        return wanted[int(place * len(wanted))]
    low, high = wanted["log"]
    return float(f"{low * (high / low) ** place:.3g}")


def grid(plan: Plan) -> Iterator[Job]:
    """The runs that are reported."""
    for part in plan["grid"]["parts"]:
        for table, names, seed in product(part["tables"], part["algorithms"], range(part["seeds"])):
            algorithm = min(names.split("|"), key=lambda name: algorithms.TUNED.get(name, {}).get("exploitability", 1))
            facts = {"game": part["game"], "table": table, "algorithm": algorithm}
            facts["seed"] = plan["grid"]["first_seed"] + seed
            settings = algorithms.settings_of(algorithm, {})
            if "like" in part:
                facts["like"], others = part["like"], algorithms.settings_of(part["like"], {})
                settings |= {name: others[name] for name in settings if name in others}
            yield job_of(plan, facts, settings, part["decisions"])


def job_of(plan: Plan, facts: dict[str, Any], settings: dict[str, Any], decisions: int) -> Job:
    """A job; runs of other settings are in another folder."""
    game, name, algorithm, seed = (facts[each] for each in ("game", "table", "algorithm", "seed"))
    table, due = SmallTable.of(game, table=name), due_at(decisions, plan["points"])
    place = table.num_players, table.variant, table.options
    hashed = zlib.crc32(json.dumps([settings, due, table.game.version]).encode())
    folder = FOLDER / f"{game}-{name}-{algorithm}-{hashed:08x}"
    runs = Runs(game, *place, algorithm, settings, due, plan["memory"] * GIB, folder)
    seconds = plan["seconds"].get(algorithm, 10) * (1 + settings.get("n_epochs", 1)) / 2 * decisions / 1e6
    return Job(runs, seed, facts, seconds)


def row_of(job: Job) -> dict[str, Any]:
    """What a run that has ended has found: lists by decisions, and the gains and the average at the end."""
    rows = job.runs.rows(job.seed)
    lists = {name: [row[name] for row in rows] for name in ("decisions", "cpu_seconds", "exploitability")}
    last = {name: rows[-1][name] for name in ("gains", "averaged") if name in rows[-1]}
    found: dict[str, Any] = ready_for_json({**job.facts, "settings": dict(job.runs.settings), **lists, **last})
    return found


def put(stage: str, rows: Sequence[Row]) -> None:
    """Write rows in place of those of the same runs."""
    new, libraries = {key(row) for row in rows}, {"torch": versions("torch")["torch"]}
    command = f"python -m scripts.measures.benchmark --stage {stage}"
    save(KINDS[stage], rows, command=command, versions=libraries, replaces=lambda row: key(row) in new)


def key(row: Row) -> tuple[Any, ...]:
    """What is run once."""
    return tuple(row.get(name) for name in ("game", "table", "algorithm", "like", "draw", "seed"))


def has(row: Row, job: Job) -> bool:
    """Whether a row is what a job would find."""
    same = key(row) == key(job.facts) and row["settings"] == ready_for_json(dict(job.runs.settings))
    return same and len(row["decisions"]) == len(job.runs.due) and row["decisions"][-1] >= job.runs.due[-1]


def rows_of(kind: str) -> list[Row]:
    """The rows of a result, measured with today's rules, of which there may be none."""
    return [row for run in (load(kind) or {"runs": []})["runs"] if not run["earlier"] for row in run["rows"]]


def chosen(tune: Plan, rows: Sequence[Row]) -> dict[str, Any]:
    """By learner whose runs have all ended: the best settings, and their exploitability, the geometric mean of runs."""
    best: dict[str, Any] = {}
    for algorithm, draws in drawn(tune).items():
        kept = ready_for_json(draws)  # as rows have them
        whole = [row for row in rows if row["decisions"][-1] >= tune["learners"][algorithm]["decisions"]]
        found = [[row for row in whole if (row["algorithm"], row["settings"]) == (algorithm, own)] for own in kept]
        if all(len(own) == len(tune["tables"]) * len(tune["seeds"]) for own in found):
            means = [geometric_mean([max(row["exploitability"][-1], 1e-9) for row in own]) for own in found]
            lowest = min(means)
            settings = draws[means.index(lowest)]
            best[algorithm] = {"settings": settings, "exploitability": float(f"{lowest:.6g}")}
    return best


if __name__ == "__main__":
    main(tyro.cli(Args))
