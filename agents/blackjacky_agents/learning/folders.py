"""Run folders, runs/NAME: the settings and the command of a training, in ``config.json``."""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path

from blackjacky_agents.games import find_encoding
from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.learning.stored_settings import as_stored, settings_from
from blackjacky_agents.learning.training_run import LIBRARIES, TrainingRun
from blackjacky_agents.networks.agent_file import identity
from blackjacky_agents.storage.files import only_writer, versions, write_json
from blackjacky_env.reading import read_file

RUNS = Path("runs")
_LIMITS = ("steps", "minutes")


def check_name(settings: TrainingSettings) -> None:
    """Raise `ValueError` if the settings name the folder of a run."""
    folder = RUNS / settings.name
    if settings.name and (folder / "config.json").exists():
        raise ValueError(f"{str(folder)!r} exists: choose another --name, or resume it with --resume {folder}")


def begin_run(run: TrainingRun, held: ExitStack) -> None:
    """Give a new run a folder, runs/NAME, or runs/PRESET-NUMBER with the next free number if it has no name.

    This process is its only writer while the context ``held`` lasts. Raises `ValueError` if there is a run already,
    perhaps one that another process has just begun.
    """
    settings = run.settings
    run.folder = RUNS / settings.name if settings.name else _new_folder(settings.preset)
    held.enter_context(only_writer(run.folder))
    check_name(settings)
    write_config(run.folder, settings, run.command)


def _new_folder(preset: str) -> Path:
    for number in count(1):
        folder = RUNS / f"{preset}-{number}"
        with suppress(FileExistsError):  # perhaps made by a training that began at the same time
            folder.mkdir(parents=True)
            break
    return folder


def write_config(folder: Path, settings: TrainingSettings, command: str) -> None:
    """Write the ``config.json`` of a run."""
    made_for = identity(settings.game, find_encoding(settings.encoding, settings.game))
    config = {
        "command": command,
        "settings": as_stored(settings),
        "identity": made_for,
        "versions": versions(*LIBRARIES),
    }
    write_json(folder / "config.json", config)


def read_config(folder: Path) -> tuple[TrainingSettings, str]:
    """The settings of the run in a folder and its command.

    Raises `ValueError` if there is none, or if this version cannot resume it.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"there is no run in {str(folder)!r}: {str(path)!r} is missing")
    try:
        config = json.loads(read_file(path))
        stored, made_for, command = dict(config["settings"]), dict(config["identity"]), str(config["command"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{str(path)!r} does not hold the settings of a run: {error!r}") from None
    try:
        settings = settings_from(stored)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} holds settings of another version: {error}") from None
    for name, own in identity(settings.game, find_encoding(settings.encoding, settings.game)).items():
        if made_for.get(name) != own:
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={made_for.get(name)!r}, this version has {own!r}: "
                "a run can only be resumed by the version that started it"
            )
    return settings, command


def refuse_others(folder: Path, stored: TrainingSettings, given: TrainingSettings) -> None:
    """Raise `ValueError` for the first setting that differs from the stored one and does not make the run longer."""
    for name, value in asdict(stored).items():
        new = getattr(given, name)
        if new != value and not (name in _LIMITS and new > value):
            raise ValueError(f"the run in {str(folder)!r} has {name}={value!r}, not {new!r}")
