"""Measure what each format of observations costs: steps per second of the table, the seat and many seats.

    python scripts/speed/time_formats.py
    python scripts/speed/time_formats.py --write    write the table into docs/speed.md

Every round measures all formats one after the other, in CPU seconds of one thread; the table shows medians over the
rounds. Actions are the legal ones with the lowest number, which cost next to nothing to choose.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents.files import write_file
from blackjacky_agents.reports import markdown_table, replace_part, where, where_run
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.formats import DTYPES, FORMATS, MASK_DTYPES, Format
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import DEFAULT

PAGE = Path(__file__).parents[2] / "docs" / "speed.md"
COMBINATIONS = [Format(*each) for each in itertools.product(FORMATS, DTYPES, MASK_DTYPES)]
SEATS = (64, 1024)
_STEPS = 10  # between two looks at the clock


@dataclass(frozen=True)
class Args:
    """Measure what each format of observations costs, in steps per second."""

    game: str = DEFAULT
    """Game to measure."""
    rounds: int = 7
    """Number of measurements of each format."""
    seconds: float = 0.3
    """Approximate length of a measurement."""
    write: bool = False
    """Write the table into docs/speed.md."""


def main(args: Args) -> None:
    """Measure, print, and write if asked to."""
    text = table(measure(args.game, args.rounds, args.seconds)) + f"\n\n{where_run(where())}."
    print(text)
    if args.write:
        write_file(PAGE, replace_part(PAGE.read_text(encoding="utf-8"), "formats", text))


def measure(game: str, rounds: int, seconds: float) -> dict[Format, list[float]]:
    """Median steps per second of each kind of environment, by format."""
    loops = {form: loops_of(game, form) for form in COMBINATIONS}
    found: dict[Format, list[list[float]]] = {form: [] for form in COMBINATIONS}
    for _ in tqdm(range(rounds), unit=" rounds"):
        for form, kinds in loops.items():
            found[form].append([speed(step, count, seconds) for step, count in kinds])
    return {form: [median(kind) for kind in zip(*each, strict=True)] for form, each in found.items()}


def loops_of(game: str, form: Format) -> list[tuple[Callable[[], None], int]]:
    """For each kind of environment: a function that takes one step in each of its games, and their number."""
    many = [SeatVectorEnv(game, count, threads=1, **asdict(form)) for count in SEATS]
    loops = [table_loop(TableEnv(game, **asdict(form))), seat_loop(SeatEnv(game, **asdict(form)))]
    return [*((loop, 1) for loop in loops), *((seats_loop(env), env.num_envs) for env in many)]


def table_loop(env: TableEnv) -> Callable[[], None]:
    """A move at a table of which every seat is played, or the start of the next game."""
    env.reset(seed=0)

    def step() -> None:
        _, _, terminated, _, info = env.last()
        if terminated:
            env.reset()
        else:
            env.step(info["action_mask"].argmax())

    return step


def seat_loop(env: SeatEnv) -> Callable[[], None]:
    """A decision of one seat, or the start of its next game."""
    info: dict[str, Any] = env.reset(seed=0)[1]

    def step() -> None:
        nonlocal info
        mask = info["action_mask"]
        info = env.step(mask.argmax())[4] if mask.any() else env.reset()[1]

    return step


def seats_loop(env: SeatVectorEnv) -> Callable[[], None]:
    """A decision of one seat in each of many games."""
    info: dict[str, Any] = env.reset(seed=0)[1]

    def step() -> None:
        nonlocal info
        info = env.step(info["action_mask"].argmax(axis=1))[4]

    return step


def speed(step: Callable[[], None], count: int, seconds: float) -> float:
    """Steps per CPU second."""
    calls, passed, start = 0, -1.0, time.process_time()
    while passed < seconds:
        for _ in range(_STEPS):
            step()
        calls += _STEPS
        passed = time.process_time() - start
    return calls * count / passed


def table(found: dict[Format, list[float]]) -> str:
    """A row for each format, with steps per second of each kind of environment."""
    kinds = ["table", "seat", *(f"{count} seats" for count in SEATS)]
    rows = [[*asdict(form).values(), *(f"{each:,.0f}" for each in speeds)] for form, speeds in found.items()]
    names = ["`observation_format`", "`observation_dtype`", "`mask_dtype`"]
    return markdown_table([*names, *kinds], rows)


if __name__ == "__main__":
    main(tyro.cli(Args))
