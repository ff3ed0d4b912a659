"""``blackjacky train``: train an agent against bots and past versions of itself, and evaluate it."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # keep torch's threads from spinning while the games use the CPU

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, get_type_hints

import tyro

from blackjacky_agents.arena.cluster import joined
from blackjacky_agents.cli.arguments import (
    ClusterArgs,
    as_option,
    as_options,
    check_lists,
    check_names,
    command_line,
    given_options,
    in_lines,
    resume_with,
    with_help,
)
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.cli.train_report import show_results
from blackjacky_agents.games import bot_names
from blackjacky_agents.kit.settings import (
    GROUPS,
    LeagueSettings,
    MixedTableSettings,
    PPOSettings,
    SelfPlaySettings,
    TrainingSettings,
    on_gpu,
)
from blackjacky_agents.learning.folders import begin_run, check_name, read_config, refuse_others, write_config
from blackjacky_agents.learning.league import League
from blackjacky_agents.learning.sb3 import PPORun
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import presets_of, with_tuples
from blackjacky_agents.learning.training_run import TrainingRun
from blackjacky_agents.reports import duration
from blackjacky_agents.storage.files import only_writer
from blackjacky_env.checks import check_choice
from blackjacky_env.declare import field_docs
from blackjacky_env.draw import WIDTH
from blackjacky_env.games import get_game


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train an agent by self-play and against bots, and evaluate it against the bots.

    The preset quick takes five minutes: self-play from a bot's advice; champion takes an hour or more, by self-play or
    search; scratch learns without that advice; sb3 trains with MaskablePPO; league learns on from the champion, by
    rollouts or search, from bots and past versions of itself. A game may have fewer presets. The defaults below are
    those of the chosen --preset; --help-all lists all settings.

    The run folder runs/NAME holds checkpoints, results and the agent, which is then called `ppo:runs/NAME`. Ctrl-C
    stops after the current update; --resume continues, even a finished training if --steps or --minutes is raised.

    $ blackjacky train --preset quick
    $ blackjacky train --resume runs/quick-1 --minutes 10
    """

    resume: Path | None = None
    """Resume the run in this folder, with its settings; only --steps and --minutes may differ, to train longer."""
    table: str | None = None
    """One of the game's tables by name, such as mini-1, in place of players, variant and rule options."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    with ExitStack() as held:
        with checking_input():
            settings, resumed, address = read_arguments(arguments, program)
            check_cluster(settings, address)
            cluster = held.enter_context(joined(address, settings.threads))
            command = command_line(program, arguments)
            run = resume(resumed, settings, command, held) if resumed else start(settings, command, held)
            run.cluster = cluster
        limits = f"{settings.steps:,} steps or {duration(60 * settings.minutes)}, whichever ends first"
        print(f"Training in {run.folder}: {limits}.", flush=True)
        games = settings.final_games * sum(len(others) for _, others in run.final_tables())
        print(f"Then it is tested in {games:,} games (--final-eval-games makes that shorter).", flush=True)
        if not resumed and (lessons := first_lessons(settings)):
            print(fill(f"{lessons}; the first line of win rates says what that is worth.", WIDTH), flush=True)
        if not run.train():
            print(f"Stopped at {run.steps:,} steps; {resume_with('train', run.folder)}")
            return 130
        show_results(run)
    return 0


def first_lessons(settings: TrainingSettings) -> str:
    """What the learner is taught before it learns by itself, in words; "" if it is nothing."""
    if source := getattr(settings, "init_from", ""):
        return f"It starts from {source}"
    if getattr(settings, "advice_logit", 0):
        return f"It starts from the advice of {bot_names(settings.game)[-1]}"
    return ""


def check_cluster(settings: TrainingSettings, address: str | None) -> None:
    """Raise `ValueError` if a cluster is given for a training that does not use one."""
    if address is not None and not isinstance(settings, LeagueSettings):
        leagues = [name for name, each in presets_of(settings.game).items() if isinstance(each, LeagueSettings)]
        advice = f"; use --preset {' or '.join(leagues)}" if leagues else ""
        raise ValueError(f"--cluster {address}: --preset {settings.preset} trains on one machine{advice}")


def start(settings: TrainingSettings, command: str, held: ExitStack) -> TrainingRun:
    """A new run in a folder of its own, whose only writer this process is while the context ``held`` lasts."""
    check_name(settings)
    run = make_run(settings, Path(), command)  # refuses invalid settings before there is a folder
    begin_run(run, held)
    return run


def resume(folder: Path, settings: TrainingSettings, command: str, held: ExitStack) -> TrainingRun:
    """The run in a folder at its newest checkpoint; a ``command`` that makes it longer is kept with it."""
    held.enter_context(only_writer(folder))
    stored, begun = read_config(folder)
    is_longer = settings != stored
    run = make_run(settings, folder, f"{begun} && {command}" if is_longer else begun)
    run.resume()
    if is_longer:
        write_config(folder, settings, run.command)
    return run


def make_run(settings: TrainingSettings, folder: Path, command: str) -> TrainingRun:
    """The training for these settings."""
    kinds: Mapping[type, Any] = {LeagueSettings: League, SelfPlaySettings: SelfPlay, PPOSettings: PPORun}
    run: TrainingRun = kinds[type(settings)](settings, folder, command)
    return run


# ---------------------------------------------------------------- the command line


def read_arguments(arguments: Sequence[str], program: str) -> tuple[TrainingSettings, Path | None, str | None]:
    """Settings, the run to resume and the cluster's address; `ValueError` if that run has other settings."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("game", "preset"):
        first.add_argument(f"--{name}", default=getattr(TrainingSettings, name))
    first.add_argument("--device", default=SelfPlaySettings.device)
    first.add_argument("--resume", type=Path)
    known, _ = first.parse_known_args(arguments)
    stored = read_config(known.resume)[0] if known.resume else preset_settings(known.game, known.preset, known.device)
    asked = ["--help" if each == "--help-all" else each for each in arguments]
    hidden = [tyro.conf.Suppress] if "--help-all" not in arguments and {"-h", "--help"} & set(arguments) else []
    kind = shown(stored, hidden)
    rules = get_game(stored.game).options
    check_names(arguments, [kind, type(stored), ClusterArgs, rules])
    check_lists(arguments)
    given = tyro.cli(kind, args=asked, prog=program, description=in_lines(Args.__doc__ or ""))
    names = {each.name for each in fields(stored)} - {"rule_options"}
    groups = [given, *filter(is_dataclass, vars(given).values())]
    values = {name: value for group in groups for name, value in vars(group).items() if name in names}
    settings = at_table(replace(stored, **values, rule_options=given_options(given.rules)), stored, given.table)
    if known.resume:
        refuse_others(known.resume, stored, settings)
    return settings, known.resume, given.machines.cluster


def shown(stored: TrainingSettings, hidden: Sequence[Any]) -> Any:
    """A dataclass of all options: `Args` with the first group of settings, and a field for each other group.

    ``hidden``: annotations of all groups but the first.
    """
    kind, listed = type(stored), " ".join(GROUPS.values()).split()
    hints, told = get_type_hints(kind), field_docs(kind)
    own = [each.name for each in fields(kind) if each.name not in ("threads", "device", "rule_options")]

    def option(name: str) -> tuple[str, Any, Any]:
        return name, as_option(name, hints[name], told[name]), field(default=getattr(stored, name))

    groups: dict[str, list[tuple[str, Any, Any]]] = {}
    for title, names in GROUPS.items():
        chosen = [name for name in own if (name in names.split() if names else name not in listed)]
        groups[title] = list(map(option, chosen))
    nested = {title: make_dataclass(title, each, frozen=True)() for title, each in groups.items() if title and each}
    machines = [option(name) for name in ("threads", "device") if name in hints]
    nested["machines"] = make_dataclass("machines", [*as_options(ClusterArgs), *machines], frozen=True)()
    nested["rules"] = with_help(get_game(stored.game).options)(**with_tuples(stored.rule_options))
    notes = (tyro.conf.OmitArgPrefixes, *hidden)
    others = [(name, Annotated[(type(each), *notes)], field(default=each)) for name, each in nested.items()]
    named = {"__doc__": Args.__doc__}
    return make_dataclass(
        "Args", [*as_options(Args), *groups[""], *others], bases=(Args,), namespace=named, frozen=True, kw_only=True
    )


def at_table(settings: TrainingSettings, stored: TrainingSettings, name: str | None) -> TrainingSettings:
    """The settings at one of the game's tables, or unchanged without its ``name``.

    Raises `ValueError` for an unknown name, and if settings that differ from those ``stored`` contradict the table.
    """
    if name is None:
        return settings
    choose = get_game(settings.game).find_table
    for given in settings.players if settings.players != stored.players else ():
        choose(name, given, None, {})
    size, variant, options = choose(name, None, settings.variant, settings.rule_options)
    mixed: dict[str, Any] = {}
    if isinstance(settings, MixedTableSettings):
        if settings.variant_fraction != getattr(stored, "variant_fraction", 0.0):
            raise ValueError(f"variant_fraction={settings.variant_fraction} contradicts {name}: leave one of them out")
        mixed["variant_fraction"] = 0.0
    return replace(settings, players=(size,), variant=variant, rule_options=options, **mixed)


def preset_settings(game: str, preset: str, device: str) -> TrainingSettings:
    """The settings of a preset of a game; the `ValueError` for an unknown preset lists the game's presets."""
    get_game(game)  # raises for an unknown game
    found = presets_of(game)
    settings = found[check_choice("preset", preset, found)]
    if device != "cuda":
        return settings
    if isinstance(settings, SelfPlaySettings):
        return on_gpu(settings)
    able = [name for name, each in found.items() if isinstance(each, SelfPlaySettings)]
    raise ValueError(f"--device {device}: --preset {preset} trains on a CPU; use --preset {' or '.join(able)}")
