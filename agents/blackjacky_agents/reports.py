"""Helpers for reports: Markdown tables, and facts about the machine."""

from __future__ import annotations

import math
import os
import platform
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [heading, ["--"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def rate_cells(rate: Mapping[str, Any]) -> list[str]:
    """Cells of a table: a win rate, its 95 % interval and par."""
    return [percent(rate["win_rate"]), f"{percent(rate['low'])} .. {percent(rate['high'])}", percent(rate["par"])]


def percent(value: float | None, digits: int = 1, sign: bool = False) -> str:
    """A fraction as a percentage; ``sign``: also that of positive ones."""
    return "?" if value is None else f"{100 * value:{'+' if sign else ''}.{digits}f} %"


def share(estimate: Mapping[str, Any]) -> str:
    """A fraction with its interval, in percent."""
    if estimate["mean"] is None:
        return "?"
    interval = "" if estimate["low"] is None else f" ({100 * estimate['low']:.1f} .. {100 * estimate['high']:.1f})"
    return f"**{percent(estimate['mean'])}**{interval}"


def failures_told(failures: Mapping[str, Mapping[str, int]]) -> str:
    """How many games each agent has lost by failing, by kind, as a paragraph; "" if none has."""
    if not failures:
        return ""
    told = (
        f"`{name}` " + ", ".join(f"{count:,} {kind}" for kind, count in each.items()) for name, each in failures.items()
    )
    return f"Games lost by failing: {'; '.join(told)}.\n\n"


def typed(script: str) -> str:
    """How this process was started: a script, by its path in the repository or as ``-m MODULE``, and its arguments."""
    return shlex.join(["python", *script.split(), *sys.argv[1:]])


def in_this_shell(program: str) -> str:
    """How to type a program of this Python's environment, such as ``blackjacky``, in the shell of this process.

    Its name, if the shell would find this one: the environment is activated, or there is none. Otherwise its path, from
    the current folder if it lies there.
    """
    own, found = shutil.which(program, path=sysconfig.get_path("scripts")), shutil.which(program)
    if own is None or (found is not None and Path(found).parent.resolve() == Path(own).parent.resolve()):
        return program
    path = Path(own).absolute()
    return shlex.quote(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path))


def install(extra: str) -> str:
    """The command that adds an extra of this package to the environment."""
    return f"{in_this_shell('pip')} install 'blackjacky[{extra}]'"


def ready_for_json(value: Any) -> Any:
    """``value`` with floats rounded to 6 decimals and NaN replaced by None."""
    if isinstance(value, dict):
        return {name: ready_for_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [ready_for_json(item) for item in value]
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    return value


def machine() -> dict[str, Any]:
    """Processor name, number of cores and operating system."""
    return {"processor": processor(), "cores": os.cpu_count(), "system": platform.system()}


def processor() -> str:
    """The processor's name."""
    facts = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.+)$", facts.read_text(), re.MULTILINE) if facts.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def where() -> dict[str, Any]:
    """Machine and package versions, on which speed depends."""
    versions = {"Python": platform.python_version(), **{name: version(name.lower()) for name in ("Numba", "NumPy")}}
    return {"processor": processor(), "cores": os.cpu_count(), "versions": versions}


def where_run(facts: dict[str, Any]) -> str:
    """The facts of `where` as one line of text."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return f"{facts['processor']}, {facts['cores']} cores, {versions}"


def duration(seconds: float) -> str:
    """A time span as text, such as ``"47 s"``, ``"3 min 05 s"`` or ``"1 h 02 min"``."""
    minutes = int(seconds) // 60
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes} min {int(seconds) % 60:02d} s" if minutes else f"{int(seconds)} s"


def progress_bar(total: int | None, what: str | None = None, done: int = 0, unit: str = " games") -> tqdm[Any]:
    """A progress bar over games, or what ``unit`` says; without a total it appears after a second."""
    from tqdm import tqdm

    pause = 0.1 if sys.stderr.isatty() else 30
    delay = 1.0 if total is None else 0.0
    return tqdm(
        total=total, initial=done, desc=what, unit=unit, unit_scale=total is None, mininterval=pause, delay=delay
    )
