"""``blackjacky train``: train an agent against bots and past versions of itself, and evaluate it."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # keep torch's threads from spinning while the games use the CPU

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import tyro

from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.cli.compare_runs import compare
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.options import R, command_line, given_options, resume_with, with_help
from blackjacky_agents.cli.runs import (
    begin_run,
    check_name,
    continue_run,
    read_command,
    read_settings,
    refuse_others,
    write_settings,
)
from blackjacky_agents.cli.train_report import copies, lesson, next_steps, results_table, standing
from blackjacky_agents.files import only_writer, write_file, write_json
from blackjacky_agents.games import bot_names
from blackjacky_agents.kit.settings import (
    GradientSettings,
    LeagueSettings,
    PPOSettings,
    SelfPlaySettings,
    TrainingSettings,
)
from blackjacky_agents.learning.differences import Difference, Slope, differences, slope
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.ppo import PPORun, time_shares
from blackjacky_agents.learning.run import TrainingRun, final_bar, read_progress
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.settings import presets_of, with_tuples
from blackjacky_agents.registry import display_names
from blackjacky_agents.reports import duration, machine
from blackjacky_env.draw import WIDTH
from blackjacky_env.games import get_game

S = TypeVar("S")
"""`PPOSettings` or `LeagueSettings`."""

_COMPARED_GAMES = 4000  # whose decisions are compared with those of the strongest bot


@dataclass(frozen=True, kw_only=True)
class Args(Generic[S, R]):
    """Train an agent by self-play and against bots, and evaluate it against the bots.

    The preset quick takes five minutes and learns from a bot first; scratch learns by self-play alone; sb3 and full
    train with MaskablePPO; league trains by rollouts in a league of bots, past versions of the learner and exploiters.
    A game may have fewer presets. The defaults below are those of the chosen --preset.

    The run folder runs/NAME holds checkpoints, results and the agent, which is then called `ppo:runs/NAME`. Ctrl-C
    stops after the current update; --resume continues, even a finished training if --steps or --minutes is raised.

    $ blackjacky train --preset quick
    $ blackjacky train --resume runs/quick-1 --minutes 10
    $ blackjacky train --compare runs/quick-1 runs/quick-2
    """

    settings: Annotated[S, tyro.conf.arg(name="")]
    """Settings."""
    rules: Annotated[R, tyro.conf.arg(name="")]
    """Rule options of the game."""
    resume: Path | None = None
    """Resume the run in this folder, with its settings; only --steps and --minutes may differ, to train longer."""
    table: str | None = None
    """One of the game's tables by name, such as mini-1, in place of players, variant and rule options; what --preset is
    for other subcommands."""
    compare: tuple[Path, ...] = ()
    """Train nothing: draw the learning curves of these runs over each other, and print where they stand."""
    cluster: str | None = None
    """Play a league's games on a Ray cluster: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`. The network learns
    here, and what it learns does not depend on the cluster."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    with ExitStack() as held:
        with checking_input():
            settings, resumed, address, compared = read_arguments(arguments, program)
            if compared:
                print(compare(compared))
                return 0
            check_cluster(settings, address)
            cluster = held.enter_context(joined(address, settings.threads))
            command = command_line(program, arguments)
            run = resume(resumed, settings, command, held) if resumed else start(settings, command, held)
            run.cluster = cluster
        minutes = duration(60 * settings.minutes)
        print(f"Training in {run.folder}: {settings.steps:,} steps or {minutes}, whichever ends first.", flush=True)
        print(fill(final_tests(run), WIDTH, break_on_hyphens=False), flush=True)
        if not resumed and (lessons := first_lessons(settings)):
            print(lessons, flush=True)
        if not run.train():
            print(f"Stopped at {run.steps:,} steps; {resume_with('train', run.folder)}")
            return 130
        show_results(run)
    return 0


def final_tests(run: TrainingRun) -> str:
    """What follows the training, in a sentence."""
    games = run.settings.final_games * sum(len(others) for _, others in run.final_tables())
    return (
        f"Then it is tested in {games:,} games, and compared with {run.bots[-1].name} in "
        f"{2 * compared_games(run.settings):,} (--final-eval-games makes both shorter)."
    )


def compared_games(settings: TrainingSettings) -> int:
    """Number of games in which decisions are compared, after as many from which it is learned what they are worth."""
    return min(settings.final_games, _COMPARED_GAMES)


def first_lessons(settings: TrainingSettings) -> str:
    """What the learner is taught before it learns by itself, in a sentence; "" if it is nothing."""
    if isinstance(settings, LeagueSettings) and settings.teacher and settings.imitation_steps:
        (teacher,) = display_names([settings.teacher])
        return f"It first imitates {teacher}; the first line of win rates says what that is worth."
    if isinstance(settings, SelfPlaySettings) and settings.init_from:
        return f"It starts from {settings.init_from}; the first line of win rates says what that is worth."
    if isinstance(settings, GradientSettings) and settings.advice_logit:
        bot = bot_names(settings.game)[-1]
        return f"It starts from the advice of {bot}; the first line of win rates says what that is worth."
    return ""


def check_cluster(settings: TrainingSettings, address: str | None) -> None:
    """Raise `ValueError` if a cluster is given for a training that does not use one."""
    if address is not None and not isinstance(settings, LeagueSettings):
        leagues = [name for name, each in presets_of(settings.game).items() if isinstance(each, LeagueSettings)]
        advice = f"use --preset {leagues[-1]}" if leagues else f"{settings.game} has no such preset"
        raise ValueError(
            f"--cluster {address} plays the games of a league, but --preset {settings.preset} trains on one machine: "
            f"{advice}"
        )


def start(settings: TrainingSettings, command: str, held: ExitStack) -> TrainingRun:
    """A new run in a folder of its own, whose only writer this process is while the context ``held`` lasts."""
    check_name(settings)
    run = make_run(settings, Path(), command)  # refuses invalid settings before there is a folder
    begin_run(run, held)
    return run


def resume(folder: Path, settings: TrainingSettings, command: str, held: ExitStack) -> TrainingRun:
    """The run in a folder at its newest checkpoint; a ``command`` that makes it longer is kept with it."""
    held.enter_context(only_writer(folder))
    is_longer = settings != read_settings(folder)
    run = make_run(settings, folder, " && ".join([read_command(folder), *[command] * is_longer]))
    continue_run(run)
    if is_longer:
        write_settings(folder, settings, run.command)
    return run


class Arguments(NamedTuple):
    """What a command line asks for."""

    settings: TrainingSettings
    resume: Path | None
    cluster: str | None
    compare: tuple[Path, ...]


def read_arguments(arguments: Sequence[str], program: str) -> Arguments:
    """What was given; `ValueError` if the run to resume has other settings."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--game", default=TrainingSettings.game)
    first.add_argument("--preset", default=TrainingSettings.preset)
    first.add_argument("--resume", type=Path)
    known, _ = first.parse_known_args(arguments)
    stored = read_settings(known.resume) if known.resume else preset_settings(known.game, known.preset)
    rules = with_help(get_game(stored.game).options)
    shown = Args(
        settings=replace(stored, rule_options={}), rules=rules(**with_tuples(stored.rule_options)), resume=None
    )
    kind: Any = Args[type(stored), rules]  # type: ignore[misc]  # the game's options, known only now
    given = tyro.cli(kind, default=shown, args=arguments, prog=program)
    settings = at_table(replace(given.settings, rule_options=given_options(given.rules)), stored, given.table)
    if known.resume:
        refuse_others(known.resume, stored, settings)
    return Arguments(settings, known.resume, given.cluster, given.compare)


def at_table(settings: TrainingSettings, stored: TrainingSettings, name: str | None) -> TrainingSettings:
    """The settings at one of the game's tables, or unchanged without its ``name``.

    Raises `ValueError` for an unknown name, and if settings that differ from those ``stored`` contradict the table.
    """
    if name is None:
        return settings
    choose = partial(get_game(settings.game).choose_preset, called="table")
    for given in settings.players if settings.players != stored.players else ():
        choose(name, given, None, {})
    size, variant, options = choose(name, None, settings.variant, settings.rule_options)
    return replace(settings, players=(size,), variant=variant, rule_options=options)


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
    if isinstance(settings, SelfPlaySettings):
        return SelfPlay(settings, folder, command)
    assert isinstance(settings, PPOSettings)
    return PPORun(settings, folder, command)


def differences_of(run: TrainingRun) -> list[Difference]:
    """Where the agent of a run decides otherwise than the strongest bot."""
    settings = run.settings
    table = (settings.eval_players, settings.variant, settings.rule_options)
    games = compared_games(settings)
    with final_bar(2 * games, f"comparing its decisions with those of {run.bots[-1].name}") as bar:
        return differences(run.agent(True), run.encoding, run.bots[-1], *table, games, settings.threads, bar.update)


def slope_of(run: TrainingRun) -> Slope | None:
    """What twice the time would add to the win rate of a run against the strongest bot."""
    tests = read_progress(run.folder)
    rates = [test["win_rate"][run.bots[-1].name] for test in tests]
    return slope([test["seconds"] for test in tests], rates, run.settings.eval_games)


def show_results(run: TrainingRun) -> None:
    """Evaluate the agent; write results and speed to its run folder and card, and print them with what to do next."""
    rows = run.results()
    found, longer = differences_of(run), slope_of(run)
    opponents = copies(run.bots[-1].name, run.settings.eval_players - 1)
    taught = lesson(run.bots[-1].name, opponents, found, longer)
    said = f"{standing(f'ppo:{run.folder.as_posix()}', rows)} {taught}".strip()
    times = {"steps_per_second": run.steps / run.clock.seconds}
    table = results_table(rows)
    speed = f"{run.steps:,} steps in {run.clock.seconds:.0f} s, {times['steps_per_second']:,.0f} steps/s."
    if isinstance(run, PPORun):
        times = time_shares(run)
        speed += (
            f" The games took {times['games']:.1%} of that time, including the opponents' policies; "
            f"rules, masks and observations alone took {times['environment']:.1%}."
        )
    differences = [asdict(each) for each in found]
    slope = asdict(longer) if longer else None
    write_json(run.folder / "results.json", {"table": rows, "differences": differences, "slope": slope, "times": times})
    write_file(run.folder / "results.md", f"`{run.command}`\n\n{said}\n\n{table}\n\n{speed}\n")
    run.save_agent(results=rows, machine=machine())
    print(f"\n{table}\n\n{fill(speed, WIDTH)}\n\n{fill(said, WIDTH)}\n\n{next_steps(run)}")
