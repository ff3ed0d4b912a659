"""Train an agent against bots and earlier copies of itself, then show how it does.

    python scripts/train.py --preset quick
    python scripts/train.py --resume runs/NAME

The presets quick and full train with MaskablePPO; league tries out what each action leads to, and trains in a league of
bots, earlier copies of the learner and exploiters. `--preset NAME --help` lists the options of a preset; `--game GAME`
learns another game, which may have fewer presets.
Everything is kept in runs/NAME; the agent is called `ppo:runs/NAME` then. Ctrl-C stops after the present update.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # torch's threads must not spin while the games use the CPU

import argparse
import dataclasses
import json
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from blackjacky_agents.arena.evaluation import results_table
from blackjacky_agents.files import versions, write_json
from blackjacky_agents.learning.checkpoint import identity
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.ppo import LIBRARIES, Run, markdown_table, time_shares
from blackjacky_agents.learning.settings import AnySettings, LeagueSettings, Settings, presets_of
from blackjacky_agents.reports import machine
from blackjacky_env.engine.table import record_layout
from blackjacky_env.games import get_game


@dataclass(frozen=True)
class Arguments(Settings):
    """What the command line says."""

    resume: Path | None = None
    """Go on with the run in this folder (runs/NAME), with its settings."""


@dataclass(frozen=True)
class LeagueArguments(LeagueSettings):
    """What the command line says of a league."""

    resume: Path | None = None
    """Go on with the run in this folder (runs/NAME), with its settings."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        settings, resumed = read_arguments(arguments)
        folder = resumed or new_folder(settings)
        print(f"training in {folder}; the first time, compiling takes a minute", flush=True)
        make = League if isinstance(settings, LeagueSettings) else Run
        command = f"python scripts/train.py {shlex.join(arguments)}".rstrip()
        run = make(settings, folder, read_command(resumed) if resumed else command)
        if not resumed:
            write_settings(folder, settings, command)
        for complaint in run.resume() if resumed else []:
            print(complaint, file=sys.stderr)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not run.train():
        print(f"stopped at {run.steps:,} steps; go on with: python scripts/train.py --resume {folder}")
        return 130
    show_results(run)
    return 0


def read_arguments(arguments: Sequence[str]) -> tuple[AnySettings, Path | None]:
    """Settings, and the folder to resume or None; `ValueError` if that folder was made with other settings."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--game", default=Settings.game)
    first.add_argument("--preset", default=Settings.preset)
    first.add_argument("--resume", type=Path)
    known, _ = first.parse_known_args(arguments)
    stored = read_settings(known.resume) if known.resume else preset_settings(known.game, known.preset)
    kind = type(stored)
    defaults = (LeagueArguments if kind is LeagueSettings else Arguments)(**dataclasses.asdict(stored))
    given = tyro.cli(type(defaults), description=__doc__, default=defaults, args=arguments)
    settings = kind(**{field.name: getattr(given, field.name) for field in dataclasses.fields(kind)})
    if known.resume:
        refuse_others(known.resume, stored, settings)
    return settings, known.resume


def preset_settings(game: str, preset: str) -> AnySettings:
    """The settings of a preset of a game; `ValueError` names those that there are."""
    get_game(game)  # refuses a game that does not exist
    found = presets_of(game)
    if preset not in found:
        raise ValueError(f"there is no preset {preset!r} for {game}; allowed are {', '.join(map(repr, found))}")
    return found[preset]


def refuse_others(folder: Path, stored: AnySettings, given: AnySettings) -> None:
    """`ValueError` naming the first setting that differs."""
    for name, value in dataclasses.asdict(stored).items():
        if getattr(given, name) != value:
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={value!r}, the command line {getattr(given, name)!r}"
            )


def read_settings(folder: Path) -> AnySettings:
    """The settings of the run in a folder; `ValueError` if there is no run, or one of another encoding or version."""
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"there is no run to resume in {str(folder)!r}: {str(path)!r} is missing")
    try:
        config = json.loads(path.read_text("utf-8"))
        stored, made_for = dict(config["settings"]), dict(config["identity"])
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()}
        settings: AnySettings = (LeagueSettings if values.get("preset") == "league" else Settings)(**values)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{str(path)!r} does not hold the settings of a run of this version: {error!r}") from None
    for name, own in run_identity(settings).items():
        if made_for.get(name) != own:
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={made_for.get(name)!r}, now it is {own!r}: "
                "only the version that began it can go on with it"
            )
    return settings


def run_identity(settings: AnySettings) -> dict[str, Any]:
    """What a run must share with the package that goes on with it: its checkpoints keep games in the middle."""
    identity_of_agent = identity(settings.game, find_encoding(settings.encoding, settings.game))
    return {**identity_of_agent, "layout": record_layout(get_game(settings.game).state_dtype)}


def new_folder(settings: AnySettings) -> Path:
    """The path runs/NAME; `ValueError` if it is there already."""
    folder = Path("runs") / (settings.name or time.strftime(f"{settings.preset}-%Y%m%d-%H%M%S"))
    if folder.exists():
        raise ValueError(f"{str(folder)!r} exists: choose another --name, or go on with it by --resume {folder}")
    return folder


def read_command(folder: Path) -> str:
    """How the run in a folder was begun."""
    again = f"python scripts/train.py --resume {folder.as_posix()}"
    return str(json.loads((folder / "config.json").read_text("utf-8")).get("command", again))


def write_settings(folder: Path, settings: AnySettings, command: str) -> None:
    """Make the folder of a new run with its ``config.json``."""
    folder.mkdir(parents=True)
    config = {
        "command": command,
        "settings": dataclasses.asdict(settings),
        "identity": run_identity(settings),
        "versions": versions(*LIBRARIES),
    }
    write_json(folder / "config.json", config)


def show_results(run: Run | League) -> None:
    """Print the table and the times; write them into the run's folder and the agent's card."""
    settings = run.settings
    rows = results_table(run.learner(greedy=True), run.bots, settings.final_games, settings.threads, settings.game)
    times = {"steps_per_second": run.steps / run.clock.seconds}
    table = markdown_table(rows)
    speed = f"{run.steps:,} steps in {run.clock.seconds:.0f} s, {times['steps_per_second']:,.0f} steps/s."
    if isinstance(run, Run):
        times = time_shares(run)
        speed += (
            f" The games took {times['games']:.1%} of that time, opponents' thinking included; "
            f"rules, masks and observations alone {times['environment']:.1%}."
        )
    write_json(run.folder / "results.json", {"table": rows, "times": times})
    (run.folder / "results.md").write_text(f"`{run.command}`\n\n{table}\n\n{speed}\n", "utf-8")
    run.save_agent(results=rows, machine=machine())
    print(f"\n{table}\n\n{speed}\nThe agent is called ppo:{run.folder.as_posix()}")


if __name__ == "__main__":
    sys.exit(main())
