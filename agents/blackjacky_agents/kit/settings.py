"""Training settings, and presets that games make of them; neither torch nor games are imported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, get_type_hints

from blackjacky_env.checks import check_integer, check_number
from blackjacky_env.compiled import MOST_THREADS, cores
from blackjacky_env.declare import Range
from blackjacky_env.games import DEFAULT, get_game

MAX_UNITS = 2**16
"""The most units of a layer; parameters hold sizes as float32, which is exact up to 2**24."""
Count = Annotated[int, Range(1, 2**40)]
Number = Annotated[int, Range(0, 2**40)]
Fraction = Annotated[float, Range(0, 1)]
Coefficient = Annotated[float, Range(0, 1000)]
FINAL_GAMES_PER_MINUTE = 800  # of the training, so that the final evaluation is the shorter part of the two


def check_ranges(settings: Any) -> None:
    """Raise `TypeError` or `ValueError` for a number that is not in the `Range` declared with its setting."""
    for name, hint in get_type_hints(type(settings), include_extras=True).items():
        value = getattr(settings, name)
        for note in getattr(hint, "__metadata__", ()):
            check = check_number if hint.__origin__ is float else check_integer
            for each in value if isinstance(value, tuple) else (value,):
                check(name, each, note.low, note.high)


@dataclass(frozen=True)
class TrainingSettings:
    """Settings shared by all trainings; the defaults work with any game, presets adapt them to one.

    A setting whose default alone is another in a subclass is described here.
    """

    preset: str = "quick"
    """Preset that sets the defaults of all other settings; docs/train.md compares them."""
    name: str = ""
    """Name of the run folder, runs/NAME; by default the preset and the next free number, such as quick-1."""
    game: str = DEFAULT
    """Game to train on."""
    variant: str | None = None
    """Variant to train on; by default the first one that all table sizes allow, otherwise that of each size."""
    rule_options: Mapping[str, Any] = field(default_factory=dict)
    """Rule options that differ from their defaults, by name."""
    seed: Annotated[int, Range(0, 2**32 - 1)] = 0
    """Seed of all random numbers."""
    steps: Count = 3_000_000
    """Total number of training decisions."""
    minutes: float = 5.0
    """Time limit of the training; annealing follows steps or time, whichever runs out first."""
    players: tuple[int, ...] = ()
    """Table sizes; games cycle through them. Empty: the game's usual size."""
    bots: tuple[str, ...] = ("random",)
    """Bots to play against, besides past versions of the learner; one named twice is drawn twice as often."""
    encoding: str = "raw"
    """Network input by name: raw, the scaled observation, works with every game; some games have others."""
    play_encoding: str = ""
    """Network input of the agent that is tested and saved, which has the same features but may take more time to find
    them; by default that of the training."""
    hidden_sizes: Annotated[tuple[int, ...], Range(1, MAX_UNITS)] = (256, 256)
    """Sizes of the hidden layers of policy and value network."""
    batch_size: Annotated[int, Range(2, 2**40)] = 2048
    """Minibatch size."""
    pool_size: Number = 6
    """Maximum number of past versions of the learner among the opponents."""
    snapshot_every: Count = 250_000
    """Steps between snapshots of the learner, which join the opponents. It is evaluated at each snapshot, at the latest
    after every fifth of the training."""
    threads: Annotated[int, Range(1, MOST_THREADS)] = cores()
    """CPU threads, by default one for each core."""
    log: tuple[Literal["tensorboard", "wandb", "csv"], ...] = ("tensorboard",)
    """Where all figures of the training go: none, one or several of these, in the run folder. wandb is offline unless
    its own variable WANDB_MODE says otherwise."""
    eval_games: Count = 1000
    """Number of games per bot in each evaluation during the training."""
    final_eval_games: Count = 4000
    """Maximum number of games per table size and bot in the final evaluation, of which a training has 800 a minute."""

    def __post_init__(self) -> None:
        """Raise `TypeError` or `ValueError` for a number that is not in the range declared with its setting."""
        check_ranges(self)
        if not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes} is out of range; allowed is any finite number above 0")
        if not self.bots:
            raise ValueError("bots=() is empty; training needs at least one bot")

    @property
    def final_games(self) -> int:
        """Number of games per table size and bot in the final evaluation, which is short after a short training."""
        return max(1, int(min(self.final_eval_games, FINAL_GAMES_PER_MINUTE * self.minutes)))

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
class GradientSettings(TrainingSettings):
    """Settings shared by trainings with PPO."""

    pool_size: Count = 6
    past_self_fraction: Fraction = 0.3
    """Fraction of the opponents that are past versions of the learner; the others are bots."""
    num_envs: Count = 256
    """Number of parallel games."""
    n_steps: Count = 64
    """Decisions of the learner per game and update."""
    n_epochs: Count = 3
    """Epochs per update."""
    learning_rate: Fraction = 1e-3
    """Initial Adam learning rate, annealed linearly to 0."""
    ent_coef: Coefficient = 0.01
    """Initial entropy coefficient, annealed linearly to 0."""
    gamma: Fraction = 1.0
    """Discount factor per decision of a seat."""
    gae_lambda: Fraction = 0.95
    """Lambda of generalized advantage estimation (GAE)."""
    score_weight: Coefficient = 0.0
    """Weight of changes of the score, in self-play less the mean of the table, which are added to the reward for
    winning when they happen. 0: only wins count."""


@dataclass(frozen=True)
class PPOSettings(GradientSettings):
    """Train an agent with MaskablePPO, against bots and past versions of itself."""

    past_self_fraction: Fraction = 0.4


@dataclass(frozen=True)
class MixedTableSettings(TrainingSettings):
    """Settings shared by trainings in any number of seats at a table."""

    init_from: str = ""
    """Initial policy: a shipped agent by name, a run folder or a weights file. Empty: random initialisation."""
    advice_logit: Coefficient = 0.0
    """Initial logit of the advised action, for encodings with a bot's advice. 0: random initialisation; 4: the learner
    starts as strong as the bot and learns to deviate from it (residual policy learning, Silver et al. 2018)."""
    variant_fraction: Fraction = 0.0
    """Fraction of games in other variants, where the table size allows."""
    self_play_fraction: Fraction = 0.6
    """Fraction of games in which the learner has all seats."""
    single_opponent_fraction: Fraction = 0.3
    """Fraction of games with copies of one opponent in all seats but one, at most what `self_play_fraction` leaves; the
    remaining games have mixed tables."""


@dataclass(frozen=True)
class SelfPlaySettings(GradientSettings, MixedTableSettings):
    """Train an agent with PPO in every seat of compiled games, against itself, past versions and bots."""

    preset: str = "scratch"
    steps: Count = 1_000_000_000
    hidden_sizes: Annotated[tuple[int, ...], Range(1, MAX_UNITS)] = (128, 128)
    """Sizes of the hidden layers of the network, which policy and value share."""
    batch_size: Annotated[int, Range(2, 2**40)] = 4096
    snapshot_every: Count = 2_000_000
    num_envs: Count = 1024
    n_epochs: Count = 1
    learning_rate: Fraction = 2e-3
    clip_range: Coefficient = 0.2
    """Clipping range of the probability ratio."""
    gamma: Fraction = 0.99
    annealed: bool = True
    """Whether learning rate and coefficients, those of the magnet and of the rewards too, are annealed linearly to 0;
    otherwise they are constant."""
    magnet_coef: Coefficient = 0.0
    """Coefficient of the KL divergence from the magnet in the loss (magnetic mirror descent, Sokota et al. 2023). The
    magnet is a network that follows the policy, and begins as it does."""
    reward_eta: Coefficient = 0.0
    """Reward regularisation (R-NaD, Perolat et al. 2022): each decision costs this times log policy - log magnet of its
    action, which the other seats receive in equal parts."""
    magnet_rate: Fraction = 0.05
    """Fraction of the way to the policy that the magnet moves at a time. 1: it becomes a copy; 0: it never moves."""
    magnet_every: Count = 1
    """Number of updates between two moves of the magnet."""
    half_precision: bool = False
    """Whether hidden layers learn with bfloat16, which is faster, where a CPU has it (AVX-512 BF16)."""
    device: Literal["cpu", "cuda"] = "cpu"
    """What plays and learns: cuda is an NVIDIA GPU, whose defaults are more games and larger minibatches. The tests
    are played on the CPU."""

    @property
    def has_magnet(self) -> bool:
        """Whether anything holds the policy near a magnet."""
        return bool(self.magnet_coef or self.reward_eta)


@dataclass(frozen=True)
class LeagueSettings(MixedTableSettings):
    """Train an agent by rollouts or search in a league of bots and past versions of itself."""

    preset: str = "league"
    steps: Count = 100_000_000
    minutes: float = 80.0
    hidden_sizes: Annotated[tuple[int, ...], Range(1, MAX_UNITS)] = (256, 256)
    """Sizes of the hidden layers of the policy network."""
    batch_size: Annotated[int, Range(2, 2**40)] = 1024
    pool_size: Number = 6
    """Maximum number of snapshots in the pool; the one with the fewest wins against the learner is replaced. 0: bots
    only."""
    snapshot_every: Count = 1_000_000
    eval_games: Count = 4000
    final_eval_games: Count = 20_000
    games_per_update: Count = 512
    """Number of games per update."""
    max_staleness: Number = 0
    """Number of updates by which the weights that play are behind those that learn. 0: games and updates take turns.
    Otherwise a cluster keeps playing while the learner learns."""
    iterations: Number = 0
    """Number of equal parts of the training for expert iteration: in each of them the agent of the part before plays,
    and the learner learns its probabilities, improved by what the rollouts say. 0: policy gradients instead."""
    positions: Number = 0
    """Number of positions that the player may be in, in which each action is tried as in search (`search:N`). 0: the
    true position, with what the player cannot see."""
    bot_playouts: Fraction = 0.0
    """Fraction of the training, from its beginning, in which a bot plays on from these positions, as in search
    without a network (`rollout:N`). It is faster than the learner, who plays on afterwards."""
    self_play_fraction: Fraction = 0.25
    single_opponent_fraction: Fraction = 0.45
    bot_fraction: Fraction = 0.5
    """Fraction of bots among the opponents, once the pool contains snapshots."""
    study_fraction: Fraction = 0.3
    """Fraction of the learner's decisions at which actions are rolled out."""
    min_action_prob: Fraction = 0.01
    """Minimum probability for an action to be rolled out; 0: all legal actions."""
    max_studies_per_game: Count = 24
    """Maximum number of decisions per game at which actions are rolled out."""
    buffer_size: Count = 300_000
    """Capacity of the replay buffer, in decisions."""
    replay_ratio: Count = 2
    """Mean number of updates each decision is used for."""
    learning_rate: Fraction = 4e-4
    """Initial Adam learning rate, annealed linearly to 5 % of it."""
    ent_coef: Coefficient = 0.005
    """Entropy coefficient, annealed linearly from 1.2 to 0.2 times this; advantages are scaled to unit variance."""
    ema_rate: Fraction = 0.003
    """Update rate of the exponential moving average of the weights, with which the agent plays."""


GROUPS: Mapping[str, str] = {
    "": "preset game name seed minutes steps players",
    "opponents": "variant bots pool_size snapshot_every past_self_fraction self_play_fraction single_opponent_fraction "
    "bot_fraction variant_fraction",
    "network": "encoding play_encoding hidden_sizes init_from advice_logit ema_rate",
    "rewards": "gamma gae_lambda score_weight reward_eta",
    "tests_and_logs": "eval_games final_eval_games log",
    "learning": "",
}
"""Names of settings in the groups in which they are shown, the first alone unless all are asked for; the last group has
all others."""


def on_gpu(settings: SelfPlaySettings) -> SelfPlaySettings:
    """The settings for a GPU, which plays many more games at once than a CPU."""
    many = replace(settings, device="cuda", num_envs=16_384, n_steps=16, batch_size=8192)
    return replace(many, n_epochs=2, steps=10**12, snapshot_every=500_000_000)


def scratch_preset(game: str, **changes: Any) -> SelfPlaySettings:
    """The preset ``scratch`` of a game: self-play for wins and score, with ``changes``."""
    weighted = SelfPlaySettings(game=game, encoding="cards", score_weight=get_game(game).score_shaping)
    return replace(weighted, **changes)


def sb3_preset(scratch: SelfPlaySettings, **changes: Any) -> PPOSettings:
    """The preset ``sb3`` of a game: MaskablePPO against the bots of ``scratch`` at several tables, with ``changes``."""
    usual: dict[str, Any] = {"players": (4, 4, 3, 4, 5, 6), "encoding": "cards", "eval_games": 400}
    return PPOSettings(game=scratch.game, preset="sb3", bots=scratch.bots, **{**usual, **changes})


def quick_preset(scratch: SelfPlaySettings, **changes: Any) -> SelfPlaySettings:
    """The preset ``quick`` of a game: self-play for minutes, from the advice of its best bot, with ``changes``."""
    advised = replace(scratch, preset="quick", encoding="advice", advice_logit=3, gamma=1, ent_coef=0.003)
    steady = replace(advised, num_envs=512, batch_size=2048, n_epochs=2, learning_rate=7e-4, half_precision=True)
    return replace(steady, **changes)


def search_preset(game: str, **changes: Any) -> LeagueSettings:
    """The preset ``league`` of a game whose champion learns on from search at all its decisions, with ``changes``."""
    searched = LeagueSettings(game=game, encoding="advice", init_from="champion", iterations=10, positions=32)
    often = replace(searched, study_fraction=1, max_studies_per_game=400, games_per_update=64, self_play_fraction=0.6)
    learned = replace(often, batch_size=512, replay_ratio=8, learning_rate=1e-3, buffer_size=600_000)
    return replace(learned, **{"minutes": 60, "snapshot_every": 200_000, **changes})


def champion_preset(quick: SelfPlaySettings, **changes: Any) -> SelfPlaySettings:
    """The preset ``champion`` of a game, from random weights: ``quick`` at all tables for longer, with ``changes``."""
    longer = replace(quick, preset="champion", players=(4, 4, 3, 4, 5, 4, 6), minutes=80.0)
    tested = replace(longer, snapshot_every=10_000_000, eval_games=4000, final_eval_games=20_000)
    return replace(tested, **changes)
