"""Logs of a training run besides ``progress.jsonl``: TensorBoard, Weights & Biases, or a CSV file."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.reports import in_this_shell
from blackjacky_agents.storage.files import write_file
from blackjacky_env.reading import MAX_DATA, read_file

Write = Callable[[Mapping[str, float], int], object]
"""Adds figures by name, such as ``loss/policy``, after so many training steps."""

_COLUMNS = ("steps", "figure", "value")


@contextmanager
def _csv(folder: Path, settings: TrainingSettings, steps: int) -> Iterator[Write]:
    """``log.csv`` in the run folder, a figure a line; what lies after ``steps`` is removed."""
    path = folder / "log.csv"
    rows = read_file(path, MAX_DATA).decode().splitlines() if path.exists() else []
    kept = [row for row in rows[1:] if row.count(",") == 2 and int(row.split(",")[0]) <= steps]
    write_file(path, "".join(f"{row}\n" for row in [",".join(_COLUMNS), *kept]))
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")

        def write(figures: Mapping[str, float], steps: int) -> None:
            writer.writerows((steps, name, f"{value:.6g}") for name, value in figures.items())
            file.flush()

        yield write


@contextmanager
def _tensorboard(folder: Path, settings: TrainingSettings, steps: int) -> Iterator[Write]:
    """Event files in the folder ``tensorboard`` of the run."""
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(folder / "tensorboard", purge_step=steps + 1 if steps else 0) as writer:

        def write(figures: Mapping[str, float], steps: int) -> None:
            for name, value in figures.items():
                writer.add_scalar(name, value, steps)

        yield write


@contextmanager
def _wandb(folder: Path, settings: TrainingSettings, steps: int) -> Iterator[Write]:
    """A run of Weights & Biases, offline in the run folder unless the variable WANDB_MODE says otherwise.

    Its project is ``blackjacky`` unless WANDB_PROJECT says otherwise; ``wandb sync`` uploads it. A resumed training
    adds a further run.
    """
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    wandb = import_module("wandb")
    run = wandb.init(
        project=os.environ.get("WANDB_PROJECT", "blackjacky"),
        name=folder.name,
        dir=folder,
        config=asdict(settings),
        mode=os.environ.get("WANDB_MODE", "offline"),
        settings=wandb.Settings(silent=True),
    )
    run.define_metric("*", step_metric="steps")
    try:
        yield lambda figures, steps: run.log({"steps": steps, **figures})
    finally:
        run.finish()


LOGS: Mapping[str, Callable[[Path, TrainingSettings, int], AbstractContextManager[Write]]] = {
    "tensorboard": _tensorboard,
    "wandb": _wandb,
    "csv": _csv,
}
"""Logs by their names in `TrainingSettings.log`; called with run folder, settings, and steps made so far."""


def check_logs(names: Sequence[str]) -> None:
    """Raise `ValueError` for an unknown log and for one whose package is not installed."""
    for name in names:
        if name not in LOGS:
            raise ValueError(f"there is no log {name!r}; allowed are {', '.join(map(repr, LOGS))}")
        if name != "csv" and find_spec(name) is None:
            raise ValueError(f"log={name!r} needs the package {name}: {in_this_shell('pip')} install {name}")


@contextmanager
def opened(folder: Path, settings: TrainingSettings, steps: int) -> Iterator[Write]:
    """What writes to all logs of a training that has made so many steps; they are closed at the end of the context."""
    with ExitStack() as stack:
        logs = [stack.enter_context(LOGS[name](folder, settings, steps)) for name in settings.log]

        def write(figures: Mapping[str, float], steps: int) -> None:
            for log in logs:
                log(figures, steps)

        yield write
