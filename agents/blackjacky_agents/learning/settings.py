"""Settings of trainings, their checks, and the presets of a game; nothing here needs torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from blackjacky_agents.games import bot_names, get_kit
from blackjacky_agents.learning.encoding import encodings_of, find_encoding
from blackjacky_env.engine.game import check_integer
from blackjacky_env.games import get_game


@dataclass(frozen=True)
class Settings:
    """Train an agent by self-play and against bots."""

    preset: Literal["quick", "full"] = "quick"
    """Where the defaults of everything below come from: quick takes minutes, full up to an hour."""
    name: str = ""
    """The run is kept in runs/NAME; by default preset and time of day."""
    game: str = "black_jacky"
    """The game to learn."""
    seed: int = 0
    """All random numbers follow from it."""
    steps: int = 3_000_000
    """Decisions of the learner in the whole training."""
    minutes: float = 5.0
    """Training ends after this time even if steps are left; learning rate and entropy bonus fall accordingly."""
    players: tuple[int, ...] = (4, 4, 2, 4, 3, 4, 6, 4, 5, 4)
    """Table sizes; game i has the i-th, over and over."""
    bots: tuple[str, ...] = ("threshold", "trickster", "counter")
    """The bots to play against, beside earlier copies of the learner."""
    copies: int = 6
    """How many earlier copies are kept as opponents."""
    copies_share: float = 0.4
    """How many of the opponents are earlier copies."""
    refresh: int = 250_000
    """Steps from one copy (and checkpoint, and test) to the next."""
    encoding: str = "cards"
    """What the learner is shown, by name (`blackjacky_agents.learning.encoding`). Every game has raw, the observation as it is;
    Black Jacky has cards, the cards and their odds, and advice, also what `counter` thinks of the actions."""
    advice_logit: float = 0.0
    """With an encoding that has the advice of a bot: what the first network adds to the logit of the action that the
    bot would take. 0: it starts from nothing; 4: it starts as good as the bot and learns what to do otherwise
    (residual policy learning, Silver et al. 2018)."""
    hidden: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers of policy and value network."""
    games: int = 256
    """Games played at the same time."""
    rollout: int = 64
    """Steps in each game from one update to the next."""
    batch: int = 2048
    """Steps in a minibatch."""
    epochs: int = 3
    """Passes over the steps of an update."""
    learning_rate: float = 1e-3
    """Of Adam at the start; it falls to 0 in a straight line."""
    entropy: float = 0.01
    """Bonus for entropy at the start; it falls to 0 in a straight line."""
    gamma: float = 1.0
    """Discount."""
    gae_lambda: float = 0.95
    """Of the advantage estimate."""
    score_weight: float = 0.3
    """How much each point of the game's score (a heart in Black Jacky) that is gained or lost adds to the reward of
    winning."""
    threads: int = 2
    """CPU threads."""
    test_games: int = 1000
    """Games against copies of each bot in tests during the training."""
    final_games: int = 4000
    """Games in each cell of the table at the end."""


def check_settings(settings: Settings) -> None:
    """`ValueError` naming the first setting with which no training can run."""
    for name in ("steps", "copies", "refresh", "rollout", "epochs", "test_games", "final_games"):
        check_integer(name, getattr(settings, name), 1, 2**40)
    check_integer("batch", settings.batch, 2, 2**40)
    for units in settings.hidden:
        check_integer("hidden", units, 1, 2**16)
    if not settings.bots:
        raise ValueError("bots=() names nobody to play against")
    if not settings.minutes > 0:
        raise ValueError(f"minutes={settings.minutes} is out of range; allowed is any number above 0")
    find_encoding(settings.encoding, settings.game)
    if settings.advice_logit:
        _check_advice(settings)


def _check_advice(settings: Settings) -> None:
    """`ValueError` unless the first network can pass the advice of a bot on."""
    with_advice = [one.name for one in encodings_of(settings.game).values() if one.advice is not None]
    if not with_advice:
        raise ValueError(
            f"advice_logit={settings.advice_logit} needs advice, and no encoding of {settings.game} has it"
        )
    if settings.encoding not in with_advice:
        allowed = " or ".join(map(repr, with_advice))
        raise ValueError(f"advice_logit={settings.advice_logit} needs encoding={allowed}, not {settings.encoding!r}")
    num_actions = get_game(settings.game).num_actions
    if min(settings.hidden, default=num_actions) < num_actions:
        raise ValueError(
            f"advice_logit={settings.advice_logit} needs hidden layers of {num_actions} units or more, "
            f"not hidden={settings.hidden}"
        )


@dataclass(frozen=True)
class LeagueSettings:
    """Train an agent in a league of bots, earlier selves and exploiters."""

    preset: Literal["league"] = "league"
    """Where the defaults of everything below come from."""
    name: str = ""
    """The run is kept in runs/NAME; by default preset and time of day."""
    game: str = "black_jacky"
    """The game to learn."""
    seed: int = 0
    """All random numbers follow from it."""
    steps: int = 100_000_000
    """Decisions that are tried out in the whole training."""
    minutes: float = 80.0
    """Training ends after this time even if steps are left; learning rate and entropy bonus fall accordingly."""
    players: tuple[int, ...] = (4, 2, 4, 3, 4, 6, 4, 2, 5, 4)
    """Table sizes; game i has the i-th, over and over."""
    schnell_duell: float = 0.12
    """Share of the games that are played in the game's second variant, which is Schnell-Duell in Black Jacky."""
    bots: tuple[str, ...] = ("counter", "trickster", "threshold", "random")
    """Bots in the pool from the beginning on."""
    teacher: str = ""
    """Whom the learner imitates before it plays itself; "": nobody."""
    lessons: int = 2_500_000
    """Decisions of the teacher that it imitates; 0: it begins with nothing."""
    encoding: str = "cards"
    """What the learner is shown, by name (`blackjacky_agents.learning.encoding`): in Black Jacky cards, the cards and their
    odds, or advice, also what `counter` thinks of the actions."""
    smoothing: float = 0.05
    """Share of all legal actions alike in what is imitated: the learner stays open to what its teacher never does."""
    start: str = ""
    """"champion", or a run folder or weights file: the learner begins with this network, without lessons."""
    hidden: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers."""
    games: int = 512
    """Games played between two updates."""
    rate: float = 0.3
    """Share of the learner's decisions that are tried out."""
    doubt: float = 0.01
    """Actions that the learner draws more seldom than this are not tried out, nor decisions without doubt."""
    most: int = 24
    """No more than this many of one game."""
    alone: float = 0.25
    """Share of the games in which the learner plays against itself alone."""
    copies_of_one: float = 0.45
    """Share of the games in which one opponent sits in all seats but one; in the others all seats are mixed."""
    bots_share: float = 0.5
    """Share of the bots among the opponents, once there are others."""
    entropy: float = 0.005
    """Bonus for entropy at the start; it falls in a straight line to a sixth. 1: the usual size of what is at stake."""
    refresh: int = 1_000_000
    """Steps from one copy of the learner in the pool (and test) to the next."""
    pool: int = 6
    """The most copies and exploiters in the pool; the one that wins least against the learner leaves. 0: none."""
    exploiter_every: int = 3
    """Every so many refreshes an exploiter is trained; 0: never."""
    exploiter_steps: int = 200_000
    """Decisions that an exploiter tries out."""
    memory: int = 300_000
    """The newest tried decisions are learned from."""
    reuse: int = 2
    """How often each is learned from."""
    batch: int = 1024
    """Decisions in a minibatch."""
    learning_rate: float = 4e-4
    """Of Adam at the start; it falls in a straight line to a twentieth."""
    average: float = 0.003
    """Share of the new weights in the average at every update."""
    threads: int = 2
    """CPU threads."""
    test_games: int = 4000
    """Games against copies of each bot in tests during the training."""
    final_games: int = 20_000
    """Games in each cell of the table at the end."""


AnySettings = Settings | LeagueSettings


def check_league_settings(settings: LeagueSettings) -> None:
    """`ValueError` naming the first setting with which no training can run."""
    for name in ("steps", "games", "most", "refresh", "memory", "reuse", "batch", "test_games", "final_games"):
        check_integer(name, getattr(settings, name), 1, 2**40)
    for name in ("pool", "lessons", "exploiter_every", "exploiter_steps"):
        check_integer(name, getattr(settings, name), 0, 2**40)
    for units in settings.hidden:
        check_integer("hidden", units, 1, 2**16)
    game = get_game(settings.game)
    find_encoding(settings.encoding, settings.game)
    if get_kit(settings.game).standing_encoding is None:
        raise ValueError(
            f"a league of {settings.game} needs to be shown how players stand (`GameKit.standing_encoding`)"
        )
    if settings.schnell_duell and len(game.variants) < 2:
        raise ValueError(f"schnell_duell={settings.schnell_duell} needs a second variant, which {game.name} lacks")
    for number in settings.players:
        check_integer("players", number, game.min_players, game.max_players)
    if not settings.bots or not settings.players:
        raise ValueError(f"bots={settings.bots} and players={settings.players} must both name at least one")
    if not settings.rate:
        raise ValueError("rate=0.0 tries nothing out; allowed is any number above 0, at most 1")
    for name in ("schnell_duell", "rate", "alone", "copies_of_one", "bots_share", "average", "doubt", "smoothing"):
        if not 0 <= getattr(settings, name) <= 1:
            raise ValueError(f"{name}={getattr(settings, name)} is out of range; allowed are 0 .. 1")
    if not settings.minutes > 0:
        raise ValueError(f"minutes={settings.minutes} is out of range; allowed is any number above 0")


# ---------------------------------------------------------------- presets


def presets_of(game: str) -> dict[str, AnySettings]:
    """The presets of a game by name; a game that has none is learned quickly with what every game has."""
    return dict(get_kit(game).presets) or {"quick": _usual_settings(game)}


def _usual_settings(game: str) -> Settings:
    """Settings at the game's usual table, against all its bots, with the first of its encodings."""
    players, encoding = (get_game(game).default_players,), next(iter(encodings_of(game)))
    return Settings(game=game, players=players, bots=tuple(bot_names(game)), encoding=encoding)
