"""Training with MaskablePPO (sb3-contrib) against bots and past versions of the learner."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.learning.checkpoint import Arrays, grouped
from blackjacky_agents.learning.lineups import draw_lineups
from blackjacky_agents.learning.modules import linear_layers, moments_of, pass_advice_on, set_moments, tensors
from blackjacky_agents.learning.network import Layers, layers_of, network_agent
from blackjacky_agents.learning.run import Clock, TrainingRun
from blackjacky_agents.learning.sb3 import LearnerVecEnv
from blackjacky_agents.learning.settings import PPOSettings
from blackjacky_agents.registry import make_compiled_agent


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
        arrays["numpy"] = np.asarray(np.random.get_state(legacy=False)["state"]["key"])  # noqa: NPY002 - SB3 draws from it
        return arrays

    def _state(self) -> dict[str, Any]:
        generator = np.random.get_state(legacy=False)  # noqa: NPY002 - SB3 draws from it
        return {
            "steps": self.steps,
            "updates": self.model._n_updates,
            "seconds": self.clock.seconds,
            "game_seconds": self.env.seconds,
            "drawn_from": self.drawn_from,
            "numpy_position": int(generator["state"]["pos"]),
        }

    def _restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        groups = grouped(arrays)
        self._restore_learner(groups, state)
        snapshots = groups.get("snapshot", {})
        parameters = [snapshots[str(i)] for i in range(len(snapshots))]
        self.snapshots = [network_agent(self.game.name, self.encoding, each) for each in parameters]
        self.rng.bit_generator.state = state["drawn_from"]
        self._seat_opponents()
        self.model._last_obs = self.env.set_state(groups["games"])
        self.env.seconds = state["game_seconds"]

    def _restore_learner(self, groups: Mapping[str, Arrays], state: Mapping[str, Any]) -> None:
        model = self.model
        model.policy.load_state_dict(tensors(groups["policy"]))
        set_moments(model.policy.optimizer, groups.get("adam", {}), ".")
        model.num_timesteps, model._n_updates = state["steps"], state["updates"]
        model._last_episode_starts = groups["episode_starts"][""]
        torch.set_rng_state(torch.from_numpy(groups["torch"][""].copy()))
        generator = np.random.get_state(legacy=False)  # noqa: NPY002 - SB3 draws from it
        generator["state"] = {"key": groups["numpy"][""], "pos": state["numpy_position"]}
        np.random.set_state(generator)  # noqa: NPY002


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
