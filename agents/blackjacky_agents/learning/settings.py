"""Presets of games, settings read from files, and checks of settings; does not import torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blackjacky_agents.games import bot_names, encodings_of, find_encoding, get_kit
from blackjacky_agents.kit.settings import (
    GradientSettings,
    LeagueSettings,
    PPOSettings,
    SelfPlaySettings,
    TrainingSettings,
    scratch_preset,
)
from blackjacky_agents.networks.network import MAX_UNITS, WIDEST
from blackjacky_env.checks import check_integer
from blackjacky_env.games import get_game

_MAX_SEED = 2**32 - 1  # of NumPy's global generator, from which SB3 draws
_AT_LEAST = {  # integers
    0: "imitation_steps exploiter_every exploiter_steps max_staleness iterations positions",
    1: "steps snapshot_every eval_games final_eval_games num_envs n_steps n_epochs games_per_update "
    "max_studies_per_game buffer_size replay_ratio",
    2: "batch_size",
}
_FRACTIONS = (
    "past_self_fraction self_play_fraction single_opponent_fraction bot_fraction variant_fraction study_fraction "
    "min_action_prob ema_rate gamma gae_lambda"
)


def presets_of(game: str) -> dict[str, TrainingSettings]:
    """The presets of a game by name; one that declares none has `scratch`, also called `quick`, with all its bots."""
    if declared := dict(get_kit(game).presets):
        return declared
    scratch = _scratch(game)
    return {"quick": replace(scratch, preset="quick"), "scratch": scratch}


def league_settings_of(game: str) -> LeagueSettings:
    """Default league settings of a game: its preset `league`, or else generic settings."""
    league = presets_of(game).get("league")
    return league if isinstance(league, LeagueSettings) else LeagueSettings(game=game, encoding=_first_encoding(game))


def _scratch(game: str) -> SelfPlaySettings:
    return scratch_preset(game, bots=tuple(bot_names(game)), encoding=_first_encoding(game))


def _first_encoding(game: str) -> str:
    return next(iter(encodings_of(game)))


def with_tuples(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Values read from JSON, with lists converted back to tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()}


def settings_from(stored: Mapping[str, Any]) -> TrainingSettings:
    """Settings restored from a run's JSON, as written from `dataclasses.asdict`; `ValueError` for those of others."""
    values = with_tuples(stored)
    kinds: tuple[type[TrainingSettings], ...] = (PPOSettings, SelfPlaySettings, LeagueSettings)
    kind = max(kinds, key=lambda each: len(vars(each()).keys() & values.keys()))
    usual = vars(kind())
    for name, value in values.items():
        if name not in usual or not _is_like(value, usual[name]):
            raise ValueError(
                f"{name}={value!r} is no setting of this version. "
                "A run can only be resumed by the version that started it; CHANGELOG.md lists renamed settings"
            )
    return kind(**values)


def _is_like(value: object, default: object) -> bool:
    """Whether a value has the type of a default; None stands for a text that may be missing."""
    if default is None:
        return value is None or isinstance(value, str)
    return type(value) is type(default) or (isinstance(default, float) and type(value) is int)


def check_settings(settings: TrainingSettings) -> None:
    """Raise `ValueError` for the first invalid setting."""
    given = vars(settings)
    for low, names in _AT_LEAST.items():
        for name in given.keys() & names.split():
            check_integer(name, given[name], low, 2**40)
    for name in given.keys() & _FRACTIONS.split():
        if not 0 <= given[name] <= 1:
            raise ValueError(f"{name}={given[name]} is out of range; allowed are 0 .. 1")
    check_integer("pool_size", settings.pool_size, int(isinstance(settings, GradientSettings)), 2**40)
    check_integer("seed", settings.seed, 0, _MAX_SEED)
    check_integer("threads", settings.threads, 1, 1024)
    for units in settings.hidden_sizes:
        check_integer("hidden_sizes", units, 1, MAX_UNITS)
    if not settings.bots:
        raise ValueError("bots=() is empty; training needs at least one bot")
    if not settings.minutes > 0:
        raise ValueError(f"minutes={settings.minutes} is out of range; allowed is any number above 0")
    find_encoding(settings.encoding, settings.game)
    game = get_game(settings.game)
    for size in settings.table_sizes:
        players, variant = game.choose_table(size, settings.variant, "players")
        game.check_options(players, variant, settings.rule_options)
    if isinstance(settings, LeagueSettings):
        _check_league(settings)
    elif isinstance(settings, SelfPlaySettings):
        _check_self_play(settings)


def _check_self_play(settings: SelfPlaySettings) -> None:
    if settings.device == "cuda":
        _check_on_gpu(settings)
    if not settings.advice_logit:
        return
    advising = [name for name, one in encodings_of(settings.game).items() if one.advice is not None]
    needs = f"advice_logit={settings.advice_logit} needs"
    if not advising:
        raise ValueError(f"{needs} an encoding with advice, but {settings.game} has none")
    if settings.encoding not in advising:
        raise ValueError(f"{needs} encoding={' or '.join(map(repr, advising))}, not {settings.encoding!r}")
    actions = get_game(settings.game).num_actions
    if min(settings.hidden_sizes, default=actions) < actions:
        raise ValueError(f"{needs} hidden layers of {actions} units or more, not hidden_sizes={settings.hidden_sizes}")


def _check_on_gpu(settings: SelfPlaySettings) -> None:
    for units in settings.hidden_sizes:
        check_integer("hidden_sizes with device='cuda'", units, 1, WIDEST)
    if settings.num_envs * settings.n_steps % settings.batch_size:
        product = f"num_envs={settings.num_envs} times n_steps={settings.n_steps}"
        raise ValueError(f"{product} is no multiple of batch_size={settings.batch_size}, which device='cuda' needs")


def _check_league(settings: LeagueSettings) -> None:
    if settings.positions and not settings.min_action_prob:
        raise ValueError(f"positions={settings.positions} needs a min_action_prob above 0")
    if not settings.study_fraction:
        raise ValueError("study_fraction=0.0 is out of range; allowed is any number above 0, at most 1")
    game = get_game(settings.game)
    if settings.variant_fraction and len(game.variants) < 2:
        raise ValueError(f"variant_fraction={settings.variant_fraction} needs a second variant of {game.name}")
