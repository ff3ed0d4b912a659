"""``blackjacky train``: train an agent against bots and past versions of itself, and evaluate it."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # keep torch's threads from spinning while the games use the CPU

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import tyro

from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.options import R, command_line, given_options, values_of, with_help
from blackjacky_agents.cli.runs import new_folder, read_command, read_settings, refuse_others, write_settings
from blackjacky_agents.files import write_file, write_json
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.ppo import PPORun, time_shares
from blackjacky_agents.learning.run import TrainingRun
from blackjacky_agents.learning.settings import LeagueSettings, PPOSettings, TrainingSettings, presets_of
from blackjacky_agents.reports import machine, markdown_table
from blackjacky_env.games import get_game

S = TypeVar("S")
"""`PPOSettings` or `LeagueSettings`."""


@dataclass(frozen=True, kw_only=True)
class Args(Generic[S, R]):
    """Train an agent by self-play and against bots, and evaluate it against the bots.

    The presets quick and full train with MaskablePPO; league trains by rollouts in a league of bots, past versions of
    the learner and exploiters. A game may have fewer presets. The defaults below are those of the chosen --preset.

    The run folder runs/NAME holds checkpoints, results and the agent, which is then called `ppo:runs/NAME`. Ctrl-C
    stops after the current update; --resume continues.

    $ blackjacky train --preset quick
    $ blackjacky train --resume runs/NAME
    """

    settings: Annotated[S, tyro.conf.arg(name="")]
    """Settings."""
    rules: Annotated[R, tyro.conf.arg(name="")]
    """Rule options of the game."""
    resume: Path | None = None
    """Resume the run in this folder, with its settings."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    with checking_input():
        settings, resumed = read_arguments(arguments, program)
        folder = resumed or new_folder(settings.name or time.strftime(f"{settings.preset}-%Y%m%d-%H%M%S"))
        print(f"training in {folder}; compiling takes about a minute the first time", flush=True)
        command = command_line(program, arguments)
        run = make_run(settings, folder, read_command(resumed) if resumed else command)
        if not resumed:
            write_settings(folder, settings, command)
        for complaint in run.resume() if resumed else []:
            print(complaint, file=sys.stderr)
    if not run.train():
        print(f"stopped at {run.steps:,} steps; resume with: {program} --resume {folder}")
        return 130
    show_results(run)
    return 0


def read_arguments(arguments: Sequence[str], program: str) -> tuple[TrainingSettings, Path | None]:
    """Settings, and the folder to resume or None; `ValueError` if that run has other settings."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--game", default=TrainingSettings.game)
    first.add_argument("--preset", default=TrainingSettings.preset)
    first.add_argument("--resume", type=Path)
    known, _ = first.parse_known_args(arguments)
    stored = read_settings(known.resume) if known.resume else preset_settings(known.game, known.preset)
    rules = with_help(get_game(stored.game).options)
    shown = Args(settings=replace(stored, rule_options={}), rules=rules(**values_of(stored.rule_options)), resume=None)
    kind: Any = Args[type(stored), rules]  # type: ignore[misc]  # the game's options, known only now
    given = tyro.cli(kind, default=shown, args=arguments, prog=program)
    settings: TrainingSettings = replace(given.settings, rule_options=given_options(given.rules))
    if known.resume:
        refuse_others(known.resume, stored, settings)
    return settings, known.resume


def preset_settings(game: str, preset: str) -> TrainingSettings:
    """The settings of a preset of a game; the `ValueError` for an unknown preset lists the game's presets."""
    get_game(game)  # raises for an unknown game
    found = presets_of(game)
    if preset not in found:
        raise ValueError(f"there is no preset {preset!r} for {game}; allowed are {', '.join(map(repr, found))}")
    return found[preset]


def make_run(settings: TrainingSettings, folder: Path, command: str) -> TrainingRun:
    """The training for these settings."""
    if isinstance(settings, LeagueSettings):
        return League(settings, folder, command)
    assert isinstance(settings, PPOSettings)
    return PPORun(settings, folder, command)


def show_results(run: TrainingRun) -> None:
    """Evaluate the agent; print results and speed, and write them to the run folder and the agent's card."""
    rows = run.results()
    times = {"steps_per_second": run.steps / run.clock.seconds}
    table = results_table(rows)
    speed = f"{run.steps:,} steps in {run.clock.seconds:.0f} s, {times['steps_per_second']:,.0f} steps/s."
    if isinstance(run, PPORun):
        times = time_shares(run)
        speed += (
            f" The games took {times['games']:.1%} of that time, including the opponents' policies; "
            f"rules, masks and observations alone took {times['environment']:.1%}."
        )
    write_json(run.folder / "results.json", {"table": rows, "times": times})
    write_file(run.folder / "results.md", f"`{run.command}`\n\n{table}\n\n{speed}\n")
    run.save_agent(results=rows, machine=machine())
    print(f"\n{table}\n\n{speed}\nThe agent is called ppo:{run.folder.as_posix()}")


def results_table(rows: Sequence[dict[str, Any]]) -> str:
    """Rows of `TrainingRun.results` as a Markdown table."""
    heading = ["players", "against copies of", "win rate", "95 % interval", "par", "no winner", "games"]
    cells = (
        [
            row["players"],
            row["opponents"],
            f"{row['win_rate']:.1%}",
            f"{row['low']:.1%} .. {row['high']:.1%}",
            f"{row['par']:.1%}",
            f"{row['nobody']:.1%}",
            f"{row['games']:,}",
        ]
        for row in rows
    )
    return markdown_table(heading, cells)
