"""Logs of a training run besides ``progress.jsonl``: TensorBoard, Weights & Biases, or a CSV file."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from blackjacky_agents.files import write_file
from blackjacky_agents.learning.settings import TrainingSettings


class Log(Protocol):
    """One place where figures go."""

    def write(self, figures: Mapping[str, float], steps: int) -> None:
        """Add figures by name, such as ``loss/policy``, after so many training steps."""

    def close(self) -> None:
        """Called once, at the end or when the training is stopped."""


class CSVLog:
    """``log.csv`` in the run folder, a figure a line; what lies after ``steps`` is removed."""

    _COLUMNS = ("steps", "figure", "value")

    def __init__(self, folder: Path, settings: TrainingSettings, steps: int) -> None:
        path = folder / "log.csv"
        rows = path.read_text("utf-8").splitlines() if path.exists() else []
        kept = [row for row in rows[1:] if row.count(",") == 2 and int(row.split(",")[0]) <= steps]
        write_file(path, "".join(f"{row}\n" for row in [",".join(self._COLUMNS), *kept]))
        self._file = path.open("a", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")

    def write(self, figures: Mapping[str, float], steps: int) -> None:
        """As `Log.write`."""
        self._writer.writerows((steps, name, f"{value:.6g}") for name, value in figures.items())
        self._file.flush()

    def close(self) -> None:
        """As `Log.close`."""
        self._file.close()


class TensorBoardLog:
    """Event files in the folder ``tensorboard`` of the run."""

    def __init__(self, folder: Path, settings: TrainingSettings, steps: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(folder / "tensorboard", purge_step=steps or None)

    def write(self, figures: Mapping[str, float], steps: int) -> None:
        """As `Log.write`."""
        for name, value in figures.items():
            self._writer.add_scalar(name, value, steps)

    def close(self) -> None:
        """As `Log.close`."""
        self._writer.close()


class WandbLog:
    """A run of Weights & Biases, offline in the run folder unless the variable WANDB_MODE says otherwise.

    Its project is ``blackjacky`` unless WANDB_PROJECT says otherwise; ``wandb sync`` uploads it. A resumed training
    adds a further run.
    """

    def __init__(self, folder: Path, settings: TrainingSettings, steps: int) -> None:
        os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
        wandb = import_module("wandb")
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", "blackjacky"),
            name=folder.name,
            dir=folder,
            config=asdict(settings),
            mode=os.environ.get("WANDB_MODE", "offline"),
            settings=wandb.Settings(silent=True),
        )
        self._run.define_metric("*", step_metric="steps")

    def write(self, figures: Mapping[str, float], steps: int) -> None:
        """As `Log.write`."""
        self._run.log({"steps": steps, **figures})

    def close(self) -> None:
        """As `Log.close`."""
        self._run.finish()


LOGS: Mapping[str, Callable[[Path, TrainingSettings, int], Log]] = {
    "tensorboard": TensorBoardLog,
    "wandb": WandbLog,
    "csv": CSVLog,
}
"""Logs by their names in `TrainingSettings.log`; called with run folder, settings, and steps made so far."""


def check_logs(names: Sequence[str]) -> None:
    """Raise `ValueError` for an unknown log and for one whose package is not installed."""
    for name in names:
        if name not in LOGS:
            raise ValueError(f"there is no log {name!r}; allowed are {', '.join(map(repr, LOGS))}")
        if name != "csv" and find_spec(name) is None:
            raise ValueError(f"log={name!r} needs the package {name}: pip install {name}")


class Logs:
    """Several logs as one."""

    def __init__(self, logs: Sequence[Log] = ()) -> None:
        self._logs = logs

    def write(self, figures: Mapping[str, float], steps: int) -> None:
        """As `Log.write`."""
        for log in self._logs:
            log.write(figures, steps)


@contextmanager
def opened(folder: Path, settings: TrainingSettings, steps: int) -> Iterator[Logs]:
    """The logs of a training that has made so many steps, closed at the end of the context."""
    with ExitStack() as stack:
        logs = []
        for name in settings.log:
            log = LOGS[name](folder, settings, steps)
            stack.callback(log.close)
            logs.append(log)
        yield Logs(logs)
