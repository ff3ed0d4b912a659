"""RLlib with many games in each environment runner, and self-play against a pool of opponents; needs `ray[rllib]`.

`GamesRunner` is RLlib's environment runner for one learning agent, except that it plays all its games at once: the
other seats are played in compiled code by bots and by earlier versions of the policy, which `SelfPlay`, RLlib's
callbacks, sends to all runners. `policy_layers` are what an agent of the arena needs of the trained module.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import ray
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.metrics import EPISODE_LEN_MEAN, EPISODE_RETURN_MEAN

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.games import bot_names
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.lineups import as_lists, draw_lineups
from blackjacky_agents.learning.network import Layers, layers_of, network_agent, pack
from blackjacky_agents.learning.settings import PPOSettings
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_env.envs.vector import SeatVectorEnv

OBSERVATIONS, ACTION_MASK = "observations", "action_mask"  # as RLlib's masking module calls them
_SNAPSHOTS, _EVALUATION = "snapshots", "evaluation_seconds"

Array = npt.NDArray[Any]


def make_games(settings: PPOSettings, num_envs: int, threads: int) -> SeatVectorEnv:
    """Many games with these settings, with random opponents.

    Raises `ValueError` if no variant of the game allows all table sizes.
    """
    return SeatVectorEnv(
        settings.game,
        num_envs,
        num_players=settings.table_sizes,
        autoreset_mode=AutoresetMode.SAME_STEP,
        encoding=find_encoding(settings.encoding, settings.game),
        variant=settings.variant,
        score_weight=settings.score_weight,
        threads=threads,
        **settings.rule_options,
    )


def make_agent(settings: PPOSettings, parameters: npt.NDArray[np.float32]) -> CompiledAgent:
    """A policy as an agent, of its `pack`ed network."""
    return network_agent(settings.game, find_encoding(settings.encoding, settings.game), parameters)


def policy_layers(module: Any) -> Layers:
    """The policy network of RLlib's default module for PPO, with one encoder for policy and one for value."""
    return layers_of(layer for part in (module.encoder.actor_encoder, module.pi) for layer in part.modules())


class GamesRunner(SingleAgentEnvRunner):  # type: ignore[misc]  # Ray is not installed where this is checked
    """RLlib's environment runner for one learning agent, with all games played at once.

    ``env_config`` must be ``{"settings": PPOSettings(...)}``; ``num_envs_per_env_runner`` is the number of games.
    Observations are dicts of the encoded observation and the mask, as RLlib's `ActionMaskingTorchRLModule` needs them.
    Connectors between environment and module are not applied. Games that a sample leaves unfinished are continued in
    the next one.
    """

    def __init__(self, *, config: Any, **options: Any) -> None:
        self.snapshots: list[npt.NDArray[np.float32]] = []
        super().__init__(config=config, **options)

    # ------------------------------------------------------------ games and opponents

    def make_env(self) -> None:
        """Make the games, and seat their opponents."""
        self.settings: PPOSettings = self.config.env_config["settings"]
        threads = 1 if self.worker_index else self.settings.threads  # a runner of its own has one CPU
        self.env = make_games(self.settings, self.config.num_envs_per_env_runner, threads)
        self.num_envs = self.env.num_envs
        self._bots = [make_compiled_agent(name, self.settings.game) for name in self.settings.bots]
        self._rng = np.random.default_rng([self._seed or 0, 1])
        self._returns, self._lengths = np.zeros(self.num_envs), np.zeros(self.num_envs, np.int64)
        self._needs_initial_reset = True
        self._seat_opponents()
        self.env.reset(seed=0)  # compiles what was not yet, which may take longer than RLlib waits for a sample

    def get_spaces(self) -> dict[str, tuple[spaces.Space[Any], spaces.Space[Any]]]:
        """Spaces of all games, of one game, and of the module."""
        if self.env is None:
            found: dict[str, tuple[spaces.Space[Any], spaces.Space[Any]]] = self.spaces
            return found
        actions = self.env.single_action_space
        masks = spaces.Box(0, 1, (self.env.game.num_actions,), np.float32)
        seen = spaces.Dict({OBSERVATIONS: self.env.single_observation_space, ACTION_MASK: masks})
        every = (batch_space(seen, self.num_envs), self.env.action_space)
        return {INPUT_ENV_SPACES: every, INPUT_ENV_SINGLE_SPACES: (seen, actions), DEFAULT_MODULE_ID: (seen, actions)}

    def set_snapshots(self, snapshots: Sequence[npt.NDArray[np.float32]]) -> None:
        """Replace the earlier versions of the policy among the opponents, each a `pack`ed network."""
        self.snapshots = list(snapshots)
        if self.env is not None:
            self._seat_opponents()

    def _seat_opponents(self) -> None:
        past = [make_agent(self.settings, parameters) for parameters in self.snapshots]
        seats = self.env.game.max_players - 1
        lineups = draw_lineups(self._bots, past, self.settings.past_self_fraction, self._rng, seats)
        self.env.set_opponents(as_lists(lineups))

    def get_state(self, components: Any = None, *, not_components: Any = None, **options: Any) -> dict[str, Any]:
        """RLlib's state with the snapshots, so that checkpoints and runners that replace lost ones have them."""
        state: dict[str, Any] = super().get_state(components, not_components=not_components, **options)
        if self._check_component(_SNAPSHOTS, components, not_components):
            state[_SNAPSHOTS] = self.snapshots
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a `get_state`, or a part of it."""
        super().set_state(state)
        if _SNAPSHOTS in state:
            self.set_snapshots(state[_SNAPSHOTS])

    # ------------------------------------------------------------ sampling

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[Any]:
        """Play steps of all games, at least ``num_timesteps`` in total; returns the parts of games, as episodes."""
        if num_timesteps is None or random_actions:
            raise NotImplementedError('games are sampled by steps of the policy, batch_mode="truncate_episodes"')
        if force_reset or self._needs_initial_reset:
            self._begin()
        steps = -(-num_timesteps // self.num_envs)
        rollout = _Rollout.empty(steps, self.num_envs, self._shown.shape[1], self.env.game.num_actions)
        for step in range(steps):
            self._step(rollout, step, explore)
        rollout.observations[-1], rollout.masks[-1] = self._shown, self.env.action_masks()
        self._log(rollout)
        return list(rollout.episodes())

    def _begin(self) -> None:
        """Start all games; those of a restored runner are not those that it has played before."""
        seeds = np.random.default_rng([self._seed or 0, self.num_env_steps_sampled_lifetime])
        self._shown, _ = self.env.reset(seed=int(seeds.integers(2**63)))
        self._returns[:], self._lengths[:] = 0, 0
        self._needs_initial_reset = False

    @torch.no_grad()
    def _step(self, rollout: _Rollout, step: int, explore: bool) -> None:
        rollout.observations[step], rollout.masks[step] = self._shown, self.env.action_masks()
        seen = {
            OBSERVATIONS: torch.from_numpy(rollout.observations[step]),
            ACTION_MASK: torch.from_numpy(rollout.masks[step]),
        }
        module = self.module
        made = (module.forward_exploration if explore else module.forward_inference)({Columns.OBS: seen})
        logits = made[Columns.ACTION_DIST_INPUTS]
        policy = module.get_exploration_action_dist_cls().from_logits(logits)
        actions = policy.sample() if explore else logits.argmax(dim=1)
        rollout.logits[step], rollout.actions[step] = logits, actions
        rollout.log_probabilities[step] = policy.logp(actions)
        self._shown, rollout.rewards[step], rollout.ended[step], _, info = self.env.step(rollout.actions[step])
        for game in np.flatnonzero(rollout.ended[step]).tolist():
            rollout.last[step, game] = info["final_obs"][game]

    def _log(self, rollout: _Rollout) -> None:
        returns, lengths = [], []
        for rewards, ended in zip(rollout.rewards, rollout.ended, strict=True):
            self._returns += rewards
            self._lengths += 1
            returns += self._returns[ended].tolist()
            lengths += self._lengths[ended].tolist()
            self._returns[ended], self._lengths[ended] = 0, 0
        self._increase_sampled_metrics(rollout.actions.size, len(returns))
        if returns:
            self.metrics.log_value(EPISODE_RETURN_MEAN, np.mean(returns), window=1)
            self.metrics.log_value(EPISODE_LEN_MEAN, np.mean(lengths), window=1)


@dataclass
class _Rollout:
    """Steps of all games: arrays (T, N, ...), those of what is seen (T + 1, N, ...)."""

    observations: Array
    masks: Array
    actions: Array
    logits: Array
    log_probabilities: Array
    rewards: Array
    ended: Array
    last: dict[tuple[int, int], Array] = field(default_factory=dict)
    """What the learner saw at the end of the game that ended in a step."""

    @classmethod
    def empty(cls, steps: int, games: int, inputs: int, num_actions: int) -> _Rollout:
        """Room for so many steps."""
        return cls(
            observations=np.empty((steps + 1, games, inputs), np.float32),
            masks=np.empty((steps + 1, games, num_actions), np.float32),
            actions=np.empty((steps, games), np.int64),
            logits=np.empty((steps, games, num_actions), np.float32),
            log_probabilities=np.empty((steps, games), np.float32),
            rewards=np.empty((steps, games), np.float32),
            ended=np.empty((steps, games), np.bool_),
        )

    def episodes(self) -> Iterator[Any]:
        """The games that have ended, or their last part, and what there is of the others."""
        for game in range(self.actions.shape[1]):
            ends = [0, *(np.flatnonzero(self.ended[:, game]) + 1).tolist(), len(self.actions)]
            for start, end in pairwise(ends):
                if start < end:
                    yield self._episode(game, slice(start, end))

    def _episode(self, game: int, part: slice) -> Any:
        """Steps of one game; the observation after the last step is part of it."""
        after = slice(part.start, part.stop + 1)
        seen, masks = self.observations[after, game], self.masks[after, game]
        if terminated := bool(self.ended[part.stop - 1, game]):
            seen, masks = seen.copy(), masks.copy()
            seen[-1], masks[-1] = self.last[part.stop - 1, game], 1
        columns = {
            Columns.ACTION_DIST_INPUTS: self.logits[part, game],
            Columns.ACTION_LOGP: self.log_probabilities[part, game],
        }
        return SingleAgentEpisode(
            observations=InfiniteLookbackBuffer({OBSERVATIONS: seen, ACTION_MASK: masks}),
            infos=[{}] * len(seen),
            actions=InfiniteLookbackBuffer(self.actions[part, game]),
            rewards=InfiniteLookbackBuffer(self.rewards[part, game]),
            terminated=terminated,
            extra_model_outputs={name: InfiniteLookbackBuffer(values) for name, values in columns.items()},
            len_lookback_buffer=0,
        )


class SelfPlay(RLlibCallback):  # type: ignore[misc]  # see above
    """RLlib's callbacks for self-play: snapshots of the policy join the opponents in all runners, and it is evaluated.

    Both happen after the first iteration and then every ``snapshot_every`` steps, rounded to whole iterations. The
    results of all iterations have ``win_rate``, those of the last evaluation: of the greedy policy, by name of the bots
    that were its opponents; ``evaluated``, whether it took place now; and ``seconds``, evaluations included.
    """

    def __init__(self, settings: PPOSettings) -> None:
        self.settings = settings
        self.every = max(1, settings.snapshot_every // (settings.num_envs * settings.n_steps))
        self.bots = [make_compiled_agent(name, settings.game) for name in bot_names(settings.game)]
        self.rates: dict[str, float] = {}

    def on_algorithm_init(self, *, algorithm: Any, **_: Any) -> None:
        """Let the learner use its threads."""
        torch.set_num_threads(self.settings.threads)

    def on_checkpoint_loaded(self, *, algorithm: Any, **_: Any) -> None:
        """Send the snapshots of the checkpoint, which the learner's own runner has, to all runners."""
        self._send(algorithm, algorithm.env_runner.snapshots)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        """Take a snapshot and evaluate, if it is time."""
        iteration = result["training_iteration"]
        is_due = iteration == 1 or iteration % self.every == 0
        if is_due:
            self._take_snapshot(algorithm)
        if is_due or not self.rates:  # after a restart there are none
            self._evaluate(algorithm)
        seconds = result["time_total_s"] + algorithm.metrics.peek(_EVALUATION, default=0.0)
        result.update(win_rate=self.rates, evaluated=is_due, seconds=seconds)

    def _take_snapshot(self, algorithm: Any) -> None:
        """Send all runners the new pool of snapshots; a full one loses a random one, never the newest."""
        snapshots = [*algorithm.env_runner.snapshots, pack(policy_layers(algorithm.get_module()), greedy=False)]
        if len(snapshots) > self.settings.pool_size:
            del snapshots[np.random.default_rng([self.settings.seed, algorithm.iteration]).integers(len(snapshots) - 1)]
        self._send(algorithm, snapshots)

    def _send(self, algorithm: Any, snapshots: Sequence[npt.NDArray[np.float32]]) -> None:
        sent = ray.put(snapshots)
        algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_snapshots(ray.get(sent)))

    def _evaluate(self, algorithm: Any) -> None:
        settings, started = self.settings, time.perf_counter()
        agent = make_agent(settings, pack(policy_layers(algorithm.get_module()), greedy=True))
        tables = {"game": settings.game, "variant": settings.variant, **settings.rule_options}
        scores = against_copies(
            agent, self.bots, settings.eval_players, settings.eval_games, threads=settings.threads, **tables
        )
        self.rates = {bot.name: score.win_rate for bot, score in zip(self.bots, scores, strict=True)}
        algorithm.metrics.log_value(_EVALUATION, time.perf_counter() - started, reduce="lifetime_sum")


def make_config(settings: PPOSettings, env_runners: int) -> PPOConfig:
    """RLlib's PPO with these settings.

    The learner runs on the head of the cluster, with all threads of ``settings``. It shares its cores with runners
    there, since it waits while they play.

    Args:
        settings: those of `blackjacky train`; ``advice_logit`` has no effect.
        env_runners: number of environment runners of one CPU each, which share the games; 0: the learner plays.
    """
    games = -(-settings.num_envs // max(1, env_runners))
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config={"fcnet_hiddens": list(settings.hidden_sizes), "fcnet_activation": "relu"},
    )
    return (
        PPOConfig()
        .environment("games", env_config={"settings": settings}, disable_env_checking=True)
        .env_runners(
            env_runner_cls=GamesRunner,
            num_env_runners=env_runners,
            num_envs_per_env_runner=games,
            rollout_fragment_length=settings.n_steps,
        )
        .learners(num_learners=0, num_cpus_per_learner=0 if env_runners else 1)
        .resources(
            num_cpus_for_main_process=0 if env_runners else 1,
            custom_resources_for_main_process={"node:__internal_head__": 0.001} if env_runners else {},
        )
        .rl_module(rl_module_spec=module)
        .training(
            lr=[[0, settings.learning_rate], [settings.steps, 0.0]],
            entropy_coeff=[[0, settings.ent_coef], [settings.steps, 0.0]],
            train_batch_size_per_learner=games * max(1, env_runners) * settings.n_steps,
            minibatch_size=settings.batch_size,
            num_epochs=settings.n_epochs,
            gamma=settings.gamma,
            lambda_=settings.gae_lambda,
            clip_param=0.2,
            grad_clip=0.5,
            vf_loss_coeff=0.5,
            use_kl_loss=False,
        )
        .callbacks(partial(SelfPlay, settings))
        .debugging(seed=settings.seed, log_level="ERROR")
    )
