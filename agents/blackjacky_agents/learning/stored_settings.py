"""Presets of games, settings read from files, and checks of settings; does not import torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from blackjacky_agents.games import agent_names, bot_names, encodings_of, find_encoding, get_kit
from blackjacky_agents.kit.kit import HELD_OUT
from blackjacky_agents.kit.settings import (
    LeagueSettings,
    MixedTableSettings,
    PPOSettings,
    SelfPlaySettings,
    TrainingSettings,
    scratch_preset,
)
from blackjacky_agents.networks.network import WIDEST
from blackjacky_env.checks import check_choice, check_integer
from blackjacky_env.games import get_game

KINDS: Mapping[str, Any] = {"sb3": PPOSettings, "self-play": SelfPlaySettings, "league": LeagueSettings}
"""Settings by the kind of training, as a run's file names it."""


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


def as_stored(settings: TrainingSettings) -> dict[str, Any]:
    """Settings as a run's file has them, JSON-ready, with their kind."""
    kind = next(name for name, kind in KINDS.items() if type(settings) is kind)
    return {"kind": kind, **asdict(settings)}


def settings_from(stored: Mapping[str, Any]) -> TrainingSettings:
    """Settings from what `as_stored` has made; `ValueError` for those of other versions."""
    values = with_tuples(stored)
    kind = KINDS[check_choice("kind", values.pop("kind", None), KINDS)]
    usual = vars(kind())
    for name, value in values.items():
        if name not in usual or not _is_like(value, usual[name]):
            raise ValueError(
                f"{name}={value!r} is no setting of this version. "
                "A run can only be resumed by the version that started it"
            )
    restored: TrainingSettings = kind(**values)
    return restored


def _is_like(value: object, default: object) -> bool:
    """Whether a value has the type of a default; None stands for a text that may be missing."""
    if default is None:
        return value is None or isinstance(value, str)
    return type(value) is type(default) or (isinstance(default, float) and type(value) is int)


def check_at_game(settings: TrainingSettings) -> None:
    """Raise `ValueError` for the first setting that the game, or another setting, does not allow."""
    layout, found = find_encoding(settings.encoding, settings.game).layout, encodings_of(settings.game)
    alike = ["", *(name for name in found if found[name].layout is layout)]
    if settings.play_encoding not in alike:
        told = f"play_encoding={settings.play_encoding!r} has not the features of encoding={settings.encoding!r}"
        raise ValueError(f"{told}; allowed are {', '.join(map(repr, alike))}")
    if any(_is_held_out(name, settings.game) for name in (*settings.bots, getattr(settings, "init_from", ""))):
        others = ", ".join(map(repr, agent_names(settings.game)))
        raise ValueError(f"{HELD_OUT!r} is only measured against, so nothing learns from it; others are {others}")
    game = get_game(settings.game)
    for size in settings.table_sizes:
        players, variant = game.choose_table(size, settings.variant, "players")
        game.check_options(players, variant, settings.rule_options)
    if (fraction := getattr(settings, "variant_fraction", 0)) and len(game.variants) < 2:
        raise ValueError(f"variant_fraction={fraction} needs a second variant of {game.name}")
    if isinstance(settings, MixedTableSettings):
        _check_advice(settings)
    if isinstance(settings, LeagueSettings):
        _check_league(settings)
    elif isinstance(settings, SelfPlaySettings):
        _check_self_play(settings)


def _is_held_out(name: str, game: str) -> bool:
    """Whether an agent is the one that is held out, plays by its network, or is named by its file."""
    network, kept = name.rpartition("+")[2].removeprefix("ppo:"), get_kit(game).held_out
    return network == HELD_OUT or bool(
        network and kept and Path(network).with_suffix(kept.suffix).resolve() == kept.resolve()
    )


def _check_self_play(settings: SelfPlaySettings) -> None:
    if settings.num_envs * settings.n_steps % settings.batch_size == 1:
        raise ValueError(
            f"num_envs={settings.num_envs} times n_steps={settings.n_steps} leaves a last minibatch of one row by "
            f"batch_size={settings.batch_size}, from which nothing can be learned: change one of them"
        )
    if settings.device == "cuda":
        _check_on_gpu(settings)
    for name in () if settings.has_magnet else ("magnet_rate", "magnet_every"):
        if (value := getattr(settings, name)) != (usual := getattr(SelfPlaySettings, name)):
            raise ValueError(
                f"{name}={value} has no effect without a magnet; allowed are a magnet_coef or reward_eta above 0, "
                f"or {name}={usual}"
            )


def _check_advice(settings: MixedTableSettings) -> None:
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
    for name in ("magnet_coef", "reward_eta"):
        if value := getattr(settings, name):
            raise ValueError(f"{name}={value} needs device='cpu'; allowed with device='cuda' is 0: it has no magnet")
    for units in settings.hidden_sizes:
        check_integer("hidden_sizes with device='cuda'", units, 1, WIDEST)
    if settings.num_envs * settings.n_steps % settings.batch_size:
        product = f"num_envs={settings.num_envs} times n_steps={settings.n_steps}"
        raise ValueError(f"{product} is no multiple of batch_size={settings.batch_size}, which device='cuda' needs")


def _check_league(settings: LeagueSettings) -> None:
    if settings.positions and not settings.min_action_prob:
        raise ValueError(f"positions={settings.positions} needs a min_action_prob above 0")
    if settings.bot_playouts and not settings.positions:
        raise ValueError(f"bot_playouts={settings.bot_playouts} needs positions above 0, from which the bot plays on")
    if settings.iterations and settings.ent_coef != (usual := LeagueSettings.ent_coef):
        told = f"ent_coef={settings.ent_coef} has no effect with iterations={settings.iterations}"
        raise ValueError(f"{told}; allowed is ent_coef={usual}")
    if not settings.study_fraction:
        raise ValueError("study_fraction=0.0 is out of range; allowed is any number above 0, at most 1")
