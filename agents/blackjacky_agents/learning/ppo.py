"""Training with MaskablePPO (sb3-contrib) against bots and past versions of the learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.checkpoint import MOST_SECONDS, Arrays, grouped, read_count, read_rng
from blackjacky_agents.kit.settings import PPOSettings
from blackjacky_agents.learning.lineups import draw_lineups
from blackjacky_agents.learning.modules import (
    linear_layers,
    moments_of,
    pass_advice_on,
    read_moments,
    read_random_state,
    read_tensors,
    set_moments,
)
from blackjacky_agents.learning.run import Clock, TrainingRun
from blackjacky_agents.learning.sb3 import LearnerVecEnv
from blackjacky_agents.networks.network import Layers, layers_of, network_agent, pack, read_packed
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.checks import check_integer, check_number
from blackjacky_env.play import check_arrays


def make_model(settings: PPOSettings, env: LearnerVecEnv, clock: Clock) -> MaskablePPO:
    """A new MaskablePPO model with the run's settings."""
    torch.set_num_threads(settings.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # costs a tenth
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda steps_left: settings.learning_rate * clock.left(steps_left),
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        ent_coef=settings.ent_coef,
        policy_kwargs={"net_arch": list(settings.hidden_sizes), "activation_fn": torch.nn.ReLU},
        seed=settings.seed,
        device="cpu",
    )


def policy_layers(model: MaskablePPO) -> list[torch.nn.Linear]:
    """The linear layers of the policy network, from input to output."""
    return linear_layers([*model.policy.mlp_extractor.policy_net, model.policy.action_net])


class PPORun(TrainingRun):
    """Training with MaskablePPO; arguments and errors are those of `TrainingRun`."""

    settings: PPOSettings

    def __init__(self, settings: PPOSettings, folder: Path, command: str) -> None:
        super().__init__(settings, folder, command)
        self.opponents = [make_compiled_agent(name, settings.game) for name in settings.bots]
        self.snapshots: list[CompiledAgent] = []
        self.env = LearnerVecEnv(
            settings.num_envs,
            settings.table_sizes,
            self.bots,
            variant=settings.variant,
            score_weight=settings.score_weight,
            encoding=self.encoding,
            seed=settings.seed,
            threads=settings.threads,
            game=settings.game,
            **settings.rule_options,
        )
        self.model = make_model(settings, self.env, self.clock)
        if settings.advice_logit and self.encoding.advice is not None:
            pass_advice_on(
                policy_layers(self.model), self.encoding.advice, self.game.num_actions, settings.advice_logit
            )
        self.env.set_opponents([*self.bots, self.agent(greedy=False)])  # compiles the policies of all future opponents

    @property
    def steps(self) -> int:
        """Number of the learner's decisions so far."""
        return int(self.model.num_timesteps)

    def layers(self) -> Layers:
        """The current policy network."""
        return layers_of(policy_layers(self.model))

    def variants(self) -> list[str]:
        """The variant of each batch of games."""
        return [batch.variant for batch in self.env.batches]

    # ------------------------------------------------------------ training

    def take_snapshot(self) -> None:
        """Add a snapshot to the opponents, draw new line-ups, and evaluate."""
        self.snapshots.append(self.agent(greedy=False))
        if len(self.snapshots) > self.settings.pool_size:
            del self.snapshots[self.rng.integers(len(self.snapshots) - 1)]  # never the newest
        self._seat_opponents()
        self.evaluate()

    def _seat_opponents(self) -> None:
        self.drawn_from = self.rng.bit_generator.state
        fraction, seats = self.settings.past_self_fraction, self.game.max_players - 1
        self.env.set_opponents(draw_lineups(self.opponents, self.snapshots, fraction, self.rng, seats))

    def _prepare(self) -> None:
        """Compile everything before the clock starts, by playing a few games."""
        self.env.reset()
        self._against_bots(1)
        self.env.seconds = 0.0
        self.clock.set(0)

    def _learn(self) -> None:
        self.model.set_logger(Logger(str(self.folder), [_ToLogs(self)]))
        left = self.settings.steps - self.model.num_timesteps
        self.model.learn(left, callback=_BetweenUpdates(self), reset_num_timesteps=False)

    # ------------------------------------------------------------ checkpoints

    def _arrays(self) -> Arrays:
        model = self.model
        arrays = {f"policy.{name}": tensor.numpy() for name, tensor in model.policy.state_dict().items()}
        arrays |= moments_of(model.policy.optimizer, "adam.", ".")
        arrays |= {f"snapshot.{i}": snapshot.parameters for i, snapshot in enumerate(self.snapshots)}
        arrays |= {f"games.{name}": array for name, array in self.env.get_state().items()}
        arrays["episode_starts"] = np.asarray(model._last_episode_starts)
        arrays["torch"] = torch.get_rng_state().numpy()
        arrays["numpy"] = _numpy_state()["state"]["key"]
        return arrays

    def _state(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "updates": self.model._n_updates,
            "seconds": self.clock.seconds,
            "game_seconds": self.env.seconds,
            "drawn_from": self.drawn_from,
            "numpy_position": int(_numpy_state()["state"]["pos"]),
        }

    def _restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        names = ("policy", "adam", "snapshot", "games", "episode_starts", "torch", "numpy")
        groups = grouped(arrays, names)
        like = pack(self.layers(), False)
        snapshots = read_packed("the snapshots", groups["snapshot"], like, self.settings.pool_size)
        rng, seconds = (
            read_rng(state, "drawn_from"),
            check_number("game_seconds", state.get("game_seconds"), 0, MOST_SECONDS),
        )
        restore_learner = self._read_learner(groups, state)
        self.snapshots = [network_agent(self.game.name, self.encoding, each) for each in snapshots]
        self.rng = rng
        self._seat_opponents()
        self.model._last_obs = self.env.set_state(groups["games"])
        self.env.seconds = seconds
        restore_learner()

    def _read_learner(self, groups: Mapping[str, Arrays], state: Mapping[str, Any]) -> Callable[[], None]:
        """Check what the learner consists of; the function that is returned restores it."""
        model, optimizer = self.model, self.model.policy.optimizer
        policy = read_tensors("the policy", groups["policy"], model.policy)
        moments = read_moments("the optimizer", groups["adam"], optimizer, ".")
        starts = check_arrays("episode_starts", groups["episode_starts"], {"": np.ones(self.env.num_envs, np.bool_)})[
            ""
        ]
        steps, updates = read_count(state, "steps"), read_count(state, "updates")
        torch_state, generator = read_random_state(groups["torch"]), _numpy_state()
        key = check_arrays("the generator of NumPy", groups["numpy"], {"": generator["state"]["key"]})[""]
        position = check_integer("numpy_position", state.get("numpy_position"), 0, len(key))

        def restore() -> None:
            model.policy.load_state_dict(policy)
            set_moments(optimizer, moments)
            model.num_timesteps, model._n_updates, model._last_episode_starts = steps, updates, starts
            torch.set_rng_state(torch_state)
            np.random.set_state({**generator, "state": {"key": key, "pos": position}})  # noqa: NPY002

        return restore


def _numpy_state() -> dict[str, Any]:
    """The state of NumPy's old generator, from which SB3 draws."""
    return dict(np.random.get_state(legacy=False))  # noqa: NPY002


class _ToLogs(KVWriter):
    """What SB3 logs, in the logs of the run."""

    def __init__(self, run: PPORun) -> None:
        self._run = run

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """As `KVWriter.write`."""
        self._run._log({name: float(value) for name, value in key_values.items() if isinstance(value, Real)})

    def close(self) -> None:
        """The run closes its logs."""


class _BetweenUpdates(BaseCallback):
    """SB3 callback: takes snapshots, writes checkpoints and ends the training between updates."""

    def __init__(self, run: PPORun) -> None:
        super().__init__()
        self._run = run
        self._finished = False
        taken = run.steps // run.settings.snapshot_every + 1 if run.snapshots else 0
        self._next_snapshot = taken * run.settings.snapshot_every  # as if training had not been interrupted

    def _on_rollout_start(self) -> None:
        run = self._run
        if self.num_timesteps >= self._next_snapshot:
            self._next_snapshot += run.settings.snapshot_every
            run.take_snapshot()
        elif run._is_evaluation_due:
            run.evaluate()
        run._save_if_due()
        left = run.left
        run.model.ent_coef = run.settings.ent_coef * left
        self._finished = run.interrupted or left == 0

    def _on_step(self) -> bool:
        self._run.show_progress()
        return not self._finished


def time_shares(run: PPORun) -> dict[str, float]:
    """Breakdown of the training time: steps per second, and the fractions spent in games and in the environment.

    ``games``: everything in `LearnerVecEnv.step`, including the opponents' policies. ``environment``: rules, masks and
    observations only, measured after training with `random` opponents.
    """
    env, steps, seconds, game_seconds = run.env, run.steps, run.clock.seconds, run.env.seconds
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
