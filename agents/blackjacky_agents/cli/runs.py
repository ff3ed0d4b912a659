"""Folders of trainings, runs/NAME: their settings and the command that began them, in ``config.json``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from blackjacky_agents.files import versions, write_json
from blackjacky_agents.learning.agent_file import identity
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.run import LIBRARIES
from blackjacky_agents.learning.settings import TrainingSettings, settings_from
from blackjacky_env.engine.table import record_layout
from blackjacky_env.games import get_game


def refuse_others(folder: Path, stored: TrainingSettings, given: TrainingSettings) -> None:
    """`ValueError` naming the first setting that differs."""
    for name, value in asdict(stored).items():
        if getattr(given, name) != value:
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={value!r}, the command line {getattr(given, name)!r}"
            )


def read_settings(folder: Path) -> TrainingSettings:
    """The settings of the run in a folder; `ValueError` if there is no run, or one of another encoding or version."""
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"there is no run to resume in {str(folder)!r}: {str(path)!r} is missing")
    try:
        config = json.loads(path.read_text("utf-8"))
        stored, made_for = dict(config["settings"]), dict(config["identity"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{str(path)!r} does not hold the settings of a run: {error!r}") from None
    try:
        settings = settings_from(stored)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} holds settings of another version: {error}") from None
    for name, own in run_identity(settings).items():
        if made_for.get(name) != own:
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={made_for.get(name)!r}, now it is {own!r}: "
                "only the version that began it can go on with it"
            )
    return settings


def run_identity(settings: TrainingSettings) -> dict[str, Any]:
    """What a run must share with the package that resumes it: its checkpoints keep unfinished games."""
    identity_of_agent = identity(settings.game, find_encoding(settings.encoding, settings.game))
    return {**identity_of_agent, "layout": record_layout(get_game(settings.game).state_dtype)}


def new_folder(name: str) -> Path:
    """The path runs/NAME; `ValueError` if it is there already."""
    folder = Path("runs") / name
    if folder.exists():
        raise ValueError(f"{str(folder)!r} exists: choose another --name, or go on with it by --resume {folder}")
    return folder


def read_command(folder: Path) -> str:
    """How the run in a folder was begun."""
    return str(json.loads((folder / "config.json").read_text("utf-8"))["command"])


def write_settings(folder: Path, settings: TrainingSettings, command: str) -> None:
    """Make the folder of a new run with its ``config.json``."""
    folder.mkdir(parents=True)
    config = {
        "command": command,
        "settings": asdict(settings),
        "identity": run_identity(settings),
        "versions": versions(*LIBRARIES),
    }
    write_json(folder / "config.json", config)
