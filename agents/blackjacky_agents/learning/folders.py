"""Run folders, runs/NAME: the settings and the command of a training, in ``config.json``."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack, suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from blackjacky_agents.checkpoint import has_checkpoint
from blackjacky_agents.files import only_writer, versions, write_json
from blackjacky_agents.games import find_encoding
from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.learning.run import LIBRARIES, PROGRESS_FILE, TrainingRun
from blackjacky_agents.learning.settings import settings_from
from blackjacky_agents.networks.agent_file import AGENT_FILE, identity
from blackjacky_env.games import get_game
from blackjacky_env.play import record_layout
from blackjacky_env.reading import read_file

RUNS = Path("runs")
_LIMITS = ("steps", "minutes")


def refuse_others(folder: Path, stored: TrainingSettings, given: TrainingSettings) -> None:
    """Raise `ValueError` for the first setting that differs from the stored one and does not make the run longer."""
    for name, value in asdict(stored).items():
        new = getattr(given, name)
        if new != value and not (name in _LIMITS and new > value):
            raise ValueError(f"the run in {str(folder)!r} has {name}={value!r}, not {new!r}")


def read_settings(folder: Path) -> TrainingSettings:
    """The settings of the run in a folder; `ValueError` if there is none, or if this version cannot resume it."""
    settings, made_for = read_config(folder)
    for name, own in run_identity(settings).items():
        if made_for.get(name) != own:
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={made_for.get(name)!r}, this version has {own!r}: "
                "a run can only be resumed by the version that started it"
            )
    return settings


def read_config(folder: Path) -> tuple[TrainingSettings, dict[str, Any]]:
    """The settings of the run in a folder and its identity; `ValueError` if there is no run that this version knows."""
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"there is no run in {str(folder)!r}: {str(path)!r} is missing")
    try:
        config = json.loads(read_file(path))
        stored, made_for, _ = dict(config["settings"]), dict(config["identity"]), config["command"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{str(path)!r} does not hold the settings of a run: {error!r}") from None
    try:
        settings = settings_from(stored)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} holds settings of another version: {error}") from None
    return settings, made_for


def run_identity(settings: TrainingSettings) -> dict[str, Any]:
    """What must match for a run to be resumed; includes the state layout, since checkpoints hold unfinished games."""
    identity_of_agent = identity(settings.game, find_encoding(settings.encoding, settings.game))
    return {**identity_of_agent, "layout": record_layout(get_game(settings.game).state_dtype)}


def check_name(settings: TrainingSettings) -> None:
    """Raise `ValueError` if the settings name a folder with a run, unless that was killed before it saved anything."""
    folder = RUNS / settings.name
    if settings.name and folder.exists() and not is_unsaved(folder):
        raise ValueError(f"{str(folder)!r} exists: choose another --name, or resume it with --resume {folder}")


def is_unsaved(folder: Path) -> bool:
    """Whether the run in a folder has written no checkpoint and no agent, so that it can only begin again."""
    is_new = all(path.name.startswith(".") for path in folder.iterdir())  # but for the files of its writer
    ours = is_new or (folder / "config.json").is_file()
    return ours and not has_checkpoint(folder / "checkpoints") and not (folder / AGENT_FILE).exists()


def begin_run(run: TrainingRun, held: ExitStack) -> None:
    """Give a new run a folder, whose only writer this process is while the context ``held`` lasts.

    Raises `ValueError` if there is a run already, perhaps one that another process has just finished.
    """
    run.folder = make_folder(run.settings)
    held.enter_context(only_writer(run.folder))
    check_name(run.settings)
    (run.folder / PROGRESS_FILE).unlink(missing_ok=True)
    write_settings(run.folder, run.settings, run.command)


def make_folder(settings: TrainingSettings) -> Path:
    """Create the folder of a new run: runs/NAME, or runs/PRESET-NUMBER with the next free number if it has no name."""
    if settings.name:
        check_name(settings)
        (RUNS / settings.name).mkdir(parents=True, exist_ok=True)
        return RUNS / settings.name
    for number in count(1):
        folder = RUNS / f"{settings.preset}-{number}"
        with suppress(FileExistsError):  # perhaps made by a training that began at the same time
            folder.mkdir(parents=True)
            break
    return folder


def continue_run(run: TrainingRun) -> None:
    """Restore a run from its newest checkpoint; one that was killed before its first begins again."""
    if is_unsaved(run.folder):
        print(f"{run.folder} has no checkpoint yet; the training begins again.", file=sys.stderr)
        (run.folder / PROGRESS_FILE).unlink(missing_ok=True)
        return
    for complaint in run.resume():
        print(complaint, file=sys.stderr)


def read_command(folder: Path) -> str:
    """The command that started the run in a folder."""
    return str(json.loads(read_file(folder / "config.json"))["command"])


def write_settings(folder: Path, settings: TrainingSettings, command: str) -> None:
    """Write the ``config.json`` of a run."""
    config = {
        "command": command,
        "settings": asdict(settings),
        "identity": run_identity(settings),
        "versions": versions(*LIBRARIES),
    }
    write_json(folder / "config.json", config)
