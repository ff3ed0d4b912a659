"""TorchRL: PPO in one seat, three random agents in the others, with `ActionMask` and `MaskedCategorical`.

python examples/torchrl_ppo.py
"""

from __future__ import annotations

import torch
import tyro
from learning_curve import LearningCurve
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.envs import ActionMask, GymEnv, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import blackjacky_env  # noqa: F401  # registers the ids

ENV_ID = "blackjacky/BlackJackySeat-v0"
FRAMES = 2_048
MINIBATCH = 256
EPOCHS = 10


def make_env(seed: int) -> TransformedEnv:
    """One seat; observations and masks are what TorchRL's modules take, so only `ActionMask` is added."""
    env = GymEnv(
        ENV_ID,
        categorical_action_encoding=True,
        num_players=4,
        observation_format="dict",
        observation_dtype="float32",
        mask_dtype="bool",
    )
    env.set_seed(seed)
    return TransformedEnv(env, ActionMask())


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


def main(decisions: int = 100_000, evaluate_every: int = 20_000, games: int = 1_000, seed: int = 0) -> None:
    """Train, and play against random agents now and then."""
    torch.manual_seed(seed)
    env = make_env(seed)
    inputs, num_actions = env.observation_spec["observation"].shape[-1], env.action_spec.space.n
    logits = TensorDictModule(network(inputs, num_actions), in_keys=["observation"], out_keys=["logits"])
    keys = {"logits": "logits", "mask": "action_mask"}
    actor = ProbabilisticActor(logits, in_keys=keys, distribution_class=MaskedCategorical, return_log_prob=True)
    critic = ValueOperator(network(inputs, 1), in_keys=["observation"])
    advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss_module = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss_module.parameters(), lr=3e-4)
    buffer = TensorDictReplayBuffer(
        storage=LazyTensorStorage(FRAMES), sampler=SamplerWithoutReplacement(), batch_size=MINIBATCH
    )
    collector = Collector(
        env, actor, frames_per_batch=FRAMES, total_frames=decisions, auto_register_policy_transforms=True
    )

    @torch.no_grad()
    def choose(vector, mask):
        return MaskedCategorical(logits=logits.module(torch.from_numpy(vector)), mask=torch.from_numpy(mask)).sample()

    curve, played = LearningCurve("torchrl", evaluate_every, games), 0
    curve.add(played, choose)
    for batch in collector:
        for _ in range(EPOCHS):
            advantages(batch)
            buffer.extend(batch.reshape(-1))
            for minibatch in buffer:
                losses = loss_module(minibatch)
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_module.parameters(), 0.5)
                optimizer.step()
        played += batch.numel()
        curve.add(played, choose)
    collector.shutdown()


if __name__ == "__main__":
    tyro.cli(main)
