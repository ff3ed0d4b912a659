"""Training with MaskablePPO against bots and earlier copies of the learner: settings, opponents, files, results."""

from __future__ import annotations

import json
import platform
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from tqdm import tqdm

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.checkpoint import AGENT_FILE, Arrays, load_checkpoint, save_agent, save_checkpoint, write_aside
from blackjacky_agents.evaluation import Score, against_copies
from blackjacky_agents.features import Encoding, encodings_of, find_encoding
from blackjacky_agents.network import layers_of, network_policy, pack
from blackjacky_agents.sb3 import LearnerVecEnv, Lineup
from blackjacky_env.engine.game import check_integer
from blackjacky_env.games import get_game

CHECKPOINT_SECONDS = 30.0  # a kill loses at most so much work and one update


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
    """What the learner is shown, by name (`blackjacky_agents.features`). Every game has raw, the observation as it is;
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


PRESETS = {
    ("black_jacky", "quick"): Settings(),
    ("black_jacky", "full"): Settings(
        preset="full",
        steps=60_000_000,
        minutes=50,
        encoding="advice",
        advice_logit=4,
        bots=("counter", "counter", "threshold", "trickster"),
        refresh=1_000_000,
        batch=4096,
        epochs=2,
        learning_rate=5e-4,
        entropy=0.003,
        test_games=4000,
        final_games=20_000,
    ),
    ("schwarze_katze", "quick"): Settings(
        game="schwarze_katze", players=(4, 4, 3, 4, 5, 6), bots=("low", "counter"), score_weight=0.01, test_games=400
    ),
    ("schwarze_katze", "full"): Settings(
        preset="full",
        game="schwarze_katze",
        players=(4, 4, 3, 4, 5, 4, 6, 4, 8),
        steps=60_000_000,
        minutes=50,
        encoding="advice",
        advice_logit=4,
        bots=("counter", "counter", "low"),
        refresh=1_000_000,
        batch=4096,
        epochs=2,
        learning_rate=5e-4,
        entropy=0.003,
        score_weight=0.01,
        final_games=10_000,
    ),
}
"""By game and name."""


def presets_of(game: str) -> dict[str, Settings]:
    """The presets of a game by name; a game that has none is learned quickly with what every game has."""
    found = {name: settings for (of, name), settings in PRESETS.items() if of == game}
    return found or {"quick": _usual_settings(game)}


def _usual_settings(game: str) -> Settings:
    """Settings at the game's usual table, against all its bots, with the first of its encodings."""
    players, encoding = (get_game(game).default_players,), next(iter(encodings_of(game)))
    return Settings(game=game, players=players, bots=tuple(bot_names(game)), encoding=encoding)


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


class Clock:
    """How much of a training is left, by steps and by time.

    Args:
        minutes: what the training may take.
    """

    def __init__(self, minutes: float) -> None:
        self._allowed = 60 * minutes
        self.go_on_from(0)

    def go_on_from(self, seconds: float) -> None:
        """Set what the training has taken so far."""
        self._started = time.perf_counter() - seconds
        self._stopped: float | None = None

    def stop(self) -> None:
        """The training has ended."""
        self._stopped = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Training time so far, tests included."""
        return (self._stopped or time.perf_counter()) - self._started

    def left(self, steps_left: float) -> float:
        """The share 0 .. 1 that is left, given the share of steps that is left."""
        return max(0.0, min(steps_left, 1 - self.seconds / self._allowed))


def draw_lineups(
    bots: Sequence[CompiledAgent],
    copies: Sequence[CompiledAgent],
    copies_share: float,
    rng: np.random.Generator,
    others: int,
    count: int = 128,
) -> list[Lineup]:
    """Line-ups of so many ``others``, every second one of one agent alone; ``copies_share`` of all are copies."""

    def draw() -> CompiledAgent:
        group = copies if copies and rng.random() < copies_share else bots
        return group[int(rng.integers(len(group)))]

    return [draw() if i % 2 else [draw() for _ in range(others)] for i in range(count)]


def make_model(settings: Settings, env: LearnerVecEnv, clock: Clock) -> MaskablePPO:
    """A fresh learner."""
    torch.set_num_threads(settings.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # costs a tenth
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda steps_left: settings.learning_rate * clock.left(steps_left),
        n_steps=settings.rollout,
        batch_size=settings.batch,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        ent_coef=settings.entropy,
        policy_kwargs={"net_arch": list(settings.hidden), "activation_fn": torch.nn.ReLU},
        seed=settings.seed,
        device="cpu",
    )


def linears_of(model: MaskablePPO) -> list[torch.nn.Linear]:
    """The layers of the learner's policy network, from what it is shown to the actions."""
    modules = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    return [module for module in modules if isinstance(module, torch.nn.Linear)]


def as_agent(model: MaskablePPO, encoding: Encoding, greedy: bool = True, game: str = "black_jacky") -> CompiledAgent:
    """The model as an agent that plays inside batches: its likeliest actions, or (not greedy) samples of its policy."""
    parameters = pack(layers_of(linears_of(model)), greedy)
    return CompiledAgent("learner", game, network_policy(encoding), parameters)


def follow_advice(linears: Sequence[torch.nn.Linear], begins: int, logit: float) -> None:
    """Let the first units of fresh layers pass the advice on to the actions, with this weight at the end.

    ``begins``: where the advice begins in what the first layer is shown.
    """
    units = torch.arange(linears[-1].out_features)
    inputs = units + begins
    with torch.no_grad():
        for linear in linears[:-1]:
            linear.weight[units] = 0
            linear.bias[units] = 0
            linear.weight[units, inputs] = 1
            inputs = units
        linears[-1].weight[units, units] = logit


def compiled_agent(name: str, game: str) -> CompiledAgent:
    """The agent of that name for a game, which must be a compiled one."""
    agent = make_agent(name, game)
    assert isinstance(agent, CompiledAgent)
    return agent


class Run:
    """One training: the learner, its opponents, and the folder in which everything is kept.

    Args:
        settings: what to do.
        folder: runs/NAME; must be there when training begins.
        command: how it was started, for the card.

    Raises `ValueError` for settings with which no training can run.
    """

    def __init__(self, settings: Settings, folder: Path, command: str) -> None:
        check_settings(settings)
        self.settings, self.folder, self.command = settings, folder, command
        self.game = get_game(settings.game)
        self.bots = [compiled_agent(name, settings.game) for name in bot_names(settings.game)]
        self.teachers = [compiled_agent(name, settings.game) for name in settings.bots]
        self.copies: list[CompiledAgent] = []
        self.rng = np.random.default_rng([settings.seed, 1])
        self.clock = Clock(settings.minutes)
        self.encoding = find_encoding(settings.encoding, settings.game)
        self.env = LearnerVecEnv(
            settings.games,
            settings.players,
            self.bots,
            score_weight=settings.score_weight,
            encoding=self.encoding,
            seed=settings.seed,
            threads=settings.threads,
            game=settings.game,
        )
        self.model = make_model(settings, self.env, self.clock)
        if settings.advice_logit and self.encoding.advice is not None:
            follow_advice(linears_of(self.model), self.encoding.advice, settings.advice_logit)
        self.env.set_opponents([*self.bots, self.learner(greedy=False)])  # all kinds that will ever play are compiled

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return int(self.model.num_timesteps)

    def learner(self, greedy: bool) -> CompiledAgent:
        """The learner as it is now; not greedy: as it explores."""
        return as_agent(self.model, self.encoding, greedy, self.game.name)

    # ------------------------------------------------------------ opponents and tests

    def refresh(self) -> dict[str, float]:
        """Take a copy into the opponents, draw their line-ups anew, and test against copies of each bot."""
        self.copies.append(self.learner(greedy=False))
        if len(self.copies) > self.settings.copies:
            del self.copies[self.rng.integers(len(self.copies) - 1)]  # never the newest
        self._seat_opponents()
        return self.test()

    def _seat_opponents(self) -> None:
        self.drawn_from = self.rng.bit_generator.state
        share, others = self.settings.copies_share, self.game.max_players - 1
        self.env.set_opponents(draw_lineups(self.teachers, self.copies, share, self.rng, others))

    def test(self) -> dict[str, float]:
        """Win rates at tables of the usual size against copies of each bot, written to ``progress.jsonl``."""
        scores = self._against_bots(self.settings.test_games)
        rates = {bot.name: score.win_rate for bot, score in zip(self.bots, scores, strict=True)}
        line = {"steps": self.model.num_timesteps, "seconds": round(self.clock.seconds, 1), "win_rate": rates}
        with (self.folder / "progress.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return rates

    def _against_bots(self, games: int) -> list[Score]:
        learner, threads = self.learner(greedy=True), self.settings.threads
        return against_copies(
            learner, self.bots, self.game.default_players, games, threads=threads, game=self.game.name
        )

    # ------------------------------------------------------------ files

    def save(self) -> Path:
        """Write a checkpoint and the agent as it is now; returns the checkpoint."""
        self.save_agent()
        return save_checkpoint(self.folder / "checkpoints", self.model.num_timesteps, self._arrays(), self._state())

    def save_agent(self, **facts: Any) -> None:
        """Write the agent as it is now, with its card; ``facts``: what the card says besides how it was made."""
        save_agent(
            self.folder / AGENT_FILE,
            layers_of(linears_of(self.model)),
            self.game.name,
            self.encoding,
            trained_on={
                "variant": self.game.variants[0],
                "num_players": sorted(set(self.settings.players)),
                "options": {},
            },
            steps=self.model.num_timesteps,
            seconds=round(self.clock.seconds, 1),
            command=self.command,
            seed=self.settings.seed,
            versions=versions(),
            **facts,
        )

    def _arrays(self) -> Arrays:
        """Weights, optimizer, opponents, games and the generators that are arrays."""
        model = self.model
        arrays = {f"policy.{name}": tensor.numpy() for name, tensor in model.policy.state_dict().items()}
        for number, entry in model.policy.optimizer.state_dict()["state"].items():
            arrays |= {f"adam.{number}.{name}": value.numpy() for name, value in entry.items()}
        arrays |= {f"copy.{i}": copy.parameters for i, copy in enumerate(self.copies)}
        arrays |= {f"games.{name}": array for name, array in self.env.get_state().items()}
        arrays["episode_starts"] = np.asarray(model._last_episode_starts)
        arrays["torch"] = torch.get_rng_state().numpy()
        arrays["numpy"] = np.asarray(np.random.get_state(legacy=False)["state"]["key"])  # noqa: NPY002 - SB3 draws from it
        return arrays

    def _state(self) -> dict[str, Any]:
        generator = np.random.get_state(legacy=False)  # noqa: NPY002 - SB3 draws from it
        return {
            "steps": self.model.num_timesteps,
            "updates": self.model._n_updates,
            "seconds": self.clock.seconds,
            "game_seconds": self.env.seconds,
            "drawn_from": self.drawn_from,
            "numpy_position": int(generator["state"]["pos"]),
        }

    def resume(self) -> list[str]:
        """Go on from the newest whole checkpoint; returns a line about each one that is broken."""
        arrays, state, complaints = load_checkpoint(self.folder / "checkpoints")
        groups: dict[str, Arrays] = {}
        for name, array in arrays.items():
            group, _, rest = name.partition(".")
            groups.setdefault(group, {})[rest] = array
        self._restore_learner(groups, state)
        policy = network_policy(self.encoding)
        copies = groups.get("copy", {})
        self.copies = [CompiledAgent("learner", self.game.name, policy, copies[str(i)]) for i in range(len(copies))]
        self.rng.bit_generator.state = state["drawn_from"]
        self._seat_opponents()
        self.model._last_obs = self.env.set_state(groups["games"])
        self.env.seconds = state["game_seconds"]
        self.clock.go_on_from(state["seconds"])
        forget_tests_after(self.folder, state["steps"])
        return complaints

    def _restore_learner(self, groups: Mapping[str, Arrays], state: Mapping[str, Any]) -> None:
        model = self.model
        optimizer = model.policy.optimizer
        weights = {name: torch.from_numpy(array.copy()) for name, array in groups["policy"].items()}
        model.policy.load_state_dict(weights)
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for name, array in groups.get("adam", {}).items():
            number, _, which = name.partition(".")
            moments.setdefault(int(number), {})[which] = torch.tensor(array)
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
        model.num_timesteps, model._n_updates = state["steps"], state["updates"]
        model._last_episode_starts = groups["episode_starts"][""]
        torch.set_rng_state(torch.from_numpy(groups["torch"][""].copy()))
        generator = np.random.get_state(legacy=False)  # noqa: NPY002 - SB3 draws from it
        generator["state"] = {"key": groups["numpy"][""], "pos": state["numpy_position"]}
        np.random.set_state(generator)  # noqa: NPY002

    # ------------------------------------------------------------ training

    def train(self) -> bool:
        """Train to the end, with a progress bar on stderr; False if it was told to stop before (see `stop_gently`)."""
        if not self.copies:
            self._compile()
        trainer = Trainer(self)
        self.model.set_logger(configure(str(self.folder / "tensorboard"), ["tensorboard"]))
        left = self.settings.steps - self.model.num_timesteps
        with stop_gently(trainer):
            self.model.learn(left, callback=trainer, reset_num_timesteps=False)
        trainer.bar.close()
        if not trainer.interrupted:
            self.test()
        self.clock.stop()
        self.save()
        draw_curve(self.folder, self.game.default_players)
        return not trainer.interrupted

    def _compile(self) -> None:
        """Play once what will be played often, so that compiling is no part of the training time."""
        self.env.reset()
        self._against_bots(1)
        self.env.seconds = 0.0
        self.clock.go_on_from(0)


def forget_tests_after(folder: Path, steps: int) -> None:
    """Drop what ``progress.jsonl`` says of steps after a checkpoint, and a line that was cut short."""
    lines = (folder / "progress.jsonl").read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.endswith("\n") and json.loads(line)["steps"] <= steps]
    write_aside(folder / "progress.jsonl", "".join(kept).encode())


class Trainer(BaseCallback):
    """What happens between two updates: copies, tests, checkpoints, the end of time, and stopping when asked to."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run
        self.interrupted = False
        self._finished = False
        refreshes = run.model.num_timesteps // run.settings.refresh + 1 if run.copies else 0
        self._next_refresh = refreshes * run.settings.refresh  # as if the training had never been stopped
        self._next_checkpoint = time.perf_counter() + CHECKPOINT_SECONDS
        self.bar = tqdm(
            total=run.settings.steps,
            initial=run.model.num_timesteps,
            unit=" steps",
            unit_scale=True,
            mininterval=0.5 if sys.stderr.isatty() else 15,
        )

    def _on_rollout_start(self) -> None:
        run, model = self.run, self.run.model
        if self.num_timesteps >= self._next_refresh:
            self._next_refresh += run.settings.refresh
            rates = run.refresh()
            self.bar.set_postfix(rates)
            for name, rate in rates.items():
                self.logger.record(f"win_rate/{name}", rate)
        if self.interrupted or time.perf_counter() >= self._next_checkpoint:
            self._next_checkpoint = time.perf_counter() + CHECKPOINT_SECONDS
            run.save()
        left = run.clock.left(1 - self.num_timesteps / run.settings.steps)
        model.ent_coef = run.settings.entropy * left
        self._finished = self.interrupted or left == 0

    def _on_step(self) -> bool:
        self.bar.update(self.training_env.num_envs)
        return not self._finished


class Stoppable(Protocol):
    """What `stop_gently` stops."""

    interrupted: bool
    bar: tqdm[Any]


@contextmanager
def stop_gently(trainer: Stoppable) -> Iterator[None]:
    """Within this block Ctrl-C and SIGTERM end the training after the present update; a second one ends it at once."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: object) -> None:
        trainer.interrupted = True
        trainer.bar.write("stopping after this update; once more stops at once", file=sys.stderr)
        for each in before:
            signal.signal(each, signal.SIG_DFL)

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---------------------------------------------------------------- results


def markdown_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of `results_table` as a Markdown table."""
    head = [
        "| players | against copies of | win rate | 95 % interval | par | nobody wins | games |",
        "|--:|:--|--:|:-:|--:|--:|--:|",
    ]
    body = [
        f"| {row['players']} | {row['opponents']} | {row['win_rate']:.1%} | {row['low']:.1%} .. {row['high']:.1%} "
        f"| {row['par']:.1%} | {row['nobody']:.1%} | {row['games']:,} |"
        for row in rows
    ]
    return "\n".join([*head, *body])


def time_shares(run: Run) -> dict[str, float]:
    """Where the training time went: steps per second, and the shares of the games and of the environment in them.

    ``games``: all that happens in `LearnerVecEnv.step`, opponents' thinking included. ``environment``: rules, masks and
    observations alone, measured after the training with opponents that do not think (`random`).
    """
    env, steps, seconds, game_seconds = run.env, run.model.num_timesteps, run.clock.seconds, run.env.seconds
    rng = np.random.default_rng(0)
    env.set_opponents(["random"])
    for _ in range(50):
        masks = env.action_masks()
        env.step(np.argmax(rng.random(masks.shape) * masks, axis=1))
    per_step = (env.seconds - game_seconds) / (50 * env.num_envs)
    return {
        "steps_per_second": steps / seconds,
        "games": game_seconds / seconds,
        "environment": per_step * steps / seconds,
    }


def draw_curve(folder: Path, players: int) -> None:
    """The learning curve, ``learning_curve.png``, from ``progress.jsonl``."""
    from matplotlib.figure import Figure

    lines = [json.loads(line) for line in (folder / "progress.jsonl").read_text("utf-8").splitlines()]
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    millions = [line["steps"] / 1e6 for line in lines]
    for name in lines[0]["win_rate"]:
        axes.plot(millions, [line["win_rate"][name] for line in lines], label=f"against {players - 1} {name}")
    axes.axhline(1 / players, color="grey", linestyle=":", label="par")
    axes.set(xlabel="million decisions learned from", ylabel=f"win rate at a table of {players}", ylim=(0, 1))
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(folder / "learning_curve.png", dpi=120)


def versions() -> dict[str, str]:
    """Versions of everything that decides what a training does."""
    names = ("blackjacky", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}
