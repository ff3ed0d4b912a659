"""Settings of trainings, their checks, and the presets of a game; nothing here needs torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.learning.encoding import encodings_of, find_encoding
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.games import DEFAULT, get_game


@dataclass(frozen=True)
class TrainingSettings:
    """What every training has; the defaults suit any game, and presets set what suits one."""

    preset: str = "quick"
    """Preset that sets the defaults of all other settings: quick takes minutes, full up to an hour, league longer."""
    name: str = ""
    """The run is kept in runs/NAME; by default preset and time of day."""
    game: str = DEFAULT
    """Game to learn."""
    variant: str | None = None
    """Variant to learn; by default the first one that the table size allows."""
    rule_options: Mapping[str, Any] = field(default_factory=dict)
    """Rule options of the game that differ from their defaults, by name."""
    seed: int = 0
    """Seed of all random numbers."""
    steps: int = 3_000_000
    """Total number of decisions to learn from."""
    minutes: float = 5.0
    """Time limit of the training; annealing goes by steps or time, whichever ends first."""
    players: tuple[int, ...] = ()
    """Table sizes; game i has the i-th, repeated as needed. Empty: the game's usual size."""
    bots: tuple[str, ...] = ("random",)
    """Bots to play against, beside earlier versions of the learner; one named twice is drawn twice as often."""
    encoding: str = "raw"
    """Input of the networks, by name. Every game has raw, the scaled observation; some have features of their own."""
    hidden_sizes: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers of policy and value network."""
    batch_size: int = 2048
    """Minibatch size."""
    pool_size: int = 6
    """The most earlier versions of the learner that are kept as opponents."""
    snapshot_every: int = 250_000
    """Steps between two snapshots of the learner, which join the opponents; it is evaluated as often."""
    threads: int = 2
    """CPU threads."""
    eval_games: int = 1000
    """Games per bot in each evaluation during the training."""
    final_eval_games: int = 4000
    """Games per table size and bot in the final evaluation."""

    @property
    def table_sizes(self) -> tuple[int, ...]:
        """`players`, or the usual table size."""
        return self.players or (get_game(self.game).choose_table(None, self.variant)[0],)

    @property
    def eval_players(self) -> int:
        """Table size of evaluations: the usual one if it is played, else the first of `table_sizes`."""
        usual = get_game(self.game).choose_table(None, self.variant)[0]
        return usual if usual in self.table_sizes else self.table_sizes[0]


@dataclass(frozen=True)
class PPOSettings(TrainingSettings):
    """Train an agent with MaskablePPO, against bots and earlier versions of itself."""

    past_self_fraction: float = 0.4
    """Fraction of the opponents that are earlier versions of the learner; the others are bots."""
    advice_logit: float = 0.0
    """With an encoding that includes a bot's choice: logit that the initial network gives to it. 0: random
    initialisation; 4: the learner starts as strong as the bot and learns to deviate from it (residual policy learning,
    Silver et al. 2018)."""
    num_envs: int = 256
    """Games played in parallel."""
    n_steps: int = 64
    """Steps in each game per update."""
    n_epochs: int = 3
    """Passes over the steps of an update."""
    learning_rate: float = 1e-3
    """Initial Adam learning rate, annealed linearly to 0."""
    ent_coef: float = 0.01
    """Initial entropy coefficient, annealed linearly to 0."""
    gamma: float = 1.0
    """Discount factor."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation."""
    score_weight: float = 0.0
    """Reward shaping: weight of changes in the game's score, which are added to the reward for winning."""


@dataclass(frozen=True)
class LeagueSettings(TrainingSettings):
    """Train an agent by roll-outs in a league of bots, earlier versions of itself and exploiters."""

    preset: str = "league"
    """Preset that sets the defaults of all other settings: quick takes minutes, full up to an hour, league longer."""
    steps: int = 100_000_000
    """Total number of decisions to learn from."""
    minutes: float = 80.0
    """Time limit of the training; annealing goes by steps or time, whichever ends first."""
    batch_size: int = 1024
    """Minibatch size."""
    pool_size: int = 6
    """The most snapshots and exploiters in the pool; the one that wins least against the learner leaves. 0: none."""
    snapshot_every: int = 1_000_000
    """Steps between two snapshots of the learner, which join the pool; it is evaluated as often."""
    eval_games: int = 4000
    """Games per bot in each evaluation during the training."""
    final_eval_games: int = 20_000
    """Games per table size and bot in the final evaluation."""
    init_from: str = ""
    """Initial network: a shipped agent by name, a run folder or a weights file. Empty: random initialisation."""
    teacher: str = ""
    """Agent to imitate before the training; empty: none. Ignored with init_from."""
    imitation_steps: int = 2_500_000
    """Decisions of the teacher to imitate."""
    label_smoothing: float = 0.05
    """Label smoothing of the imitation loss over the legal actions."""
    games_per_update: int = 512
    """Games played between two updates."""
    variant_fraction: float = 0.0
    """Fraction of the games played in other variants, where the table size allows."""
    self_play_fraction: float = 0.25
    """Fraction of the games in which the learner plays all seats."""
    single_opponent_fraction: float = 0.45
    """Fraction of the games in which copies of one opponent fill all seats but one; the others have mixed tables."""
    bot_fraction: float = 0.5
    """Fraction of bots among the opponents, once there are others."""
    study_fraction: float = 0.3
    """Fraction of the learner's decisions whose actions are rolled out."""
    min_action_prob: float = 0.01
    """Actions that the policy gives a lower probability are not rolled out; 0: all legal actions are."""
    max_studies_per_game: int = 24
    """The most decisions of one game whose actions are rolled out."""
    buffer_size: int = 300_000
    """Capacity of the replay buffer, in decisions."""
    replay_ratio: int = 2
    """How often each decision is learned from, on average."""
    learning_rate: float = 4e-4
    """Initial Adam learning rate, annealed linearly to 5 % of it."""
    ent_coef: float = 0.005
    """Entropy coefficient, annealed linearly from 1.2 times this to 0.2 times this; advantages are of size 1."""
    ema_rate: float = 0.003
    """Step of the exponential moving average of the weights per update; the agent plays by the average."""
    exploiter_every: int = 3
    """Snapshots between two exploiters, which join the pool; 0: none are trained."""
    exploiter_steps: int = 200_000
    """Decisions that an exploiter learns from."""


def settings_from(stored: Mapping[str, Any]) -> TrainingSettings:
    """The settings of a run as `dataclasses.asdict` and JSON have them.

    Raises `ValueError` naming the settings that this version lacks or adds.
    """
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
    }
    kinds: dict[type[TrainingSettings], set[str]] = {
        kind: {one.name for one in fields(kind)} for kind in (PPOSettings, LeagueSettings)
    }
    kind, names = max(kinds.items(), key=lambda each: len(each[1] & values.keys()))
    unknown, missing = sorted(values.keys() - names), sorted(names - values.keys())
    if unknown or missing:
        raise ValueError(
            f"unknown settings: {', '.join(unknown) or 'none'}; missing settings: {', '.join(missing) or 'none'}. "
            "Only the version that began the run can go on with it; CHANGELOG.md lists settings that were renamed"
        )
    return kind(**values)


# ---------------------------------------------------------------- checks


def check_settings(settings: TrainingSettings) -> None:
    """`ValueError` naming the first setting with which no training can run."""
    _check_integers(settings, 1, "steps", "snapshot_every", "eval_games", "final_eval_games")
    for units in settings.hidden_sizes:
        check_integer("hidden_sizes", units, 1, 2**16)
    if not settings.bots:
        raise ValueError("bots=() names nobody to play against")
    if not settings.minutes > 0:
        raise ValueError(f"minutes={settings.minutes} is out of range; allowed is any number above 0")
    find_encoding(settings.encoding, settings.game)
    _check_tables(settings)
    if isinstance(settings, LeagueSettings):
        _check_league(settings)
    elif isinstance(settings, PPOSettings):
        _check_ppo(settings)


def _check_tables(settings: TrainingSettings) -> None:
    game = get_game(settings.game)
    for size in settings.table_sizes:
        players, variant = game.choose_table(size, settings.variant, "players")
        game.check_options(players, variant, settings.rule_options)


def _check_integers(settings: TrainingSettings, low: int, *names: str) -> None:
    for name in names:
        check_integer(name, getattr(settings, name), low, 2**40)


def _check_fractions(settings: TrainingSettings, *names: str) -> None:
    for name in names:
        if not 0 <= getattr(settings, name) <= 1:
            raise ValueError(f"{name}={getattr(settings, name)} is out of range; allowed are 0 .. 1")


def _check_ppo(settings: PPOSettings) -> None:
    _check_integers(settings, 1, "pool_size", "n_steps", "n_epochs")
    _check_integers(settings, 2, "batch_size")
    _check_fractions(settings, "past_self_fraction")
    get_game(settings.game).choose_variant(settings.table_sizes, settings.variant, "players")
    if settings.advice_logit:
        _check_advice(settings)


def _check_advice(settings: PPOSettings) -> None:
    """`ValueError` unless the initial network can pass the choice of a bot on."""
    with_advice = [one.name for one in encodings_of(settings.game).values() if one.advice is not None]
    if not with_advice:
        raise ValueError(
            f"advice_logit={settings.advice_logit} needs advice, and no encoding of {settings.game} has it"
        )
    if settings.encoding not in with_advice:
        allowed = " or ".join(map(repr, with_advice))
        raise ValueError(f"advice_logit={settings.advice_logit} needs encoding={allowed}, not {settings.encoding!r}")
    num_actions = get_game(settings.game).num_actions
    if min(settings.hidden_sizes, default=num_actions) < num_actions:
        raise ValueError(
            f"advice_logit={settings.advice_logit} needs hidden layers of {num_actions} units or more, "
            f"not hidden_sizes={settings.hidden_sizes}"
        )


def _check_league(settings: LeagueSettings) -> None:
    _check_integers(
        settings, 1, "games_per_update", "max_studies_per_game", "buffer_size", "replay_ratio", "batch_size"
    )
    _check_integers(settings, 0, "pool_size", "imitation_steps", "exploiter_every", "exploiter_steps")
    _check_fractions(settings, "variant_fraction", "self_play_fraction", "single_opponent_fraction", "bot_fraction")
    _check_fractions(settings, "study_fraction", "min_action_prob", "label_smoothing", "ema_rate")
    if not settings.study_fraction:
        raise ValueError("study_fraction=0.0 leaves nothing to learn from; allowed is any number above 0, at most 1")
    game = get_game(settings.game)
    if settings.variant_fraction and len(game.variants) < 2:
        raise ValueError(f"variant_fraction={settings.variant_fraction} needs a second variant of {game.name}")


# ---------------------------------------------------------------- presets


def presets_of(game: str) -> dict[str, TrainingSettings]:
    """The presets of a game by name; a game without any has quick."""
    return dict(get_kit(game).presets) or {"quick": _neutral_settings(game)}


def league_settings_of(game: str) -> LeagueSettings:
    """The settings of a game's league: those of its preset, or else neutral ones."""
    found = [settings for settings in presets_of(game).values() if isinstance(settings, LeagueSettings)]
    return found[0] if found else LeagueSettings(game=game, encoding=_first_encoding(game))


def _neutral_settings(game: str) -> PPOSettings:
    """Settings at the game's usual table, against all its bots, with the first of its encodings."""
    return PPOSettings(game=game, bots=tuple(bot_names(game)), encoding=_first_encoding(game))


def _first_encoding(game: str) -> str:
    return next(iter(encodings_of(game)))
