"""Training with MaskablePPO against bots and earlier copies of the learner: settings, opponents, files, results."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from tqdm import tqdm

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import Score, against_copies
from blackjacky_agents.files import versions, write_file
from blackjacky_agents.learning.checkpoint import (
    AGENT_FILE,
    Arrays,
    load_checkpoint,
    save_agent,
    save_checkpoint,
)
from blackjacky_agents.learning.encoding import Encoding, find_encoding
from blackjacky_agents.learning.network import layers_of, network_policy, pack
from blackjacky_agents.learning.sb3 import LearnerVecEnv, Lineup
from blackjacky_agents.learning.settings import Settings, check_settings
from blackjacky_env.games import get_game

LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib", "gymnasium")  # whose versions decide what a training does
CHECKPOINT_SECONDS = 30.0  # a kill loses at most so much work and one update


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
            versions=versions(*LIBRARIES),
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
    write_file(folder / "progress.jsonl", "".join(kept).encode())


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
