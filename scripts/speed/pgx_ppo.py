"""PPO on Pgx's largest card game, bridge bidding, as a comparison for `scripts/speed/time_training.py`.

    python scripts/speed/pgx_ppo.py --seconds 60

It follows Pgx's own PPO example (examples/minatar-ppo, after PureJaxRL): thousands of games step in one compiled
function with the network, which then learns from the rollout. Its network is an MLP of the sizes of our preset, its
rollouts and epochs are those of the example. All four seats learn; a decision earns what its seat earns in the end.
Double-dummy results would be a large download, so deals have random ones: nothing can be learned from them, but only
speed is measured.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tyro
from pgx.bridge_bidding import BridgeBidding
from pgx.experimental import auto_reset

DEALS = 10_000


@dataclass
class Args:
    """PPO on Pgx's largest card game, as a comparison."""

    seconds: float = 60  # of training, after one update that compiles
    seed: int = 0  # of deals, network and actions
    num_envs: int = 4096  # games played at once
    num_steps: int = 128  # decisions in each game between updates
    num_minibatches: int = 128  # per epoch, of 4,096 decisions
    update_epochs: int = 3  # epochs per update
    hidden: tuple[int, ...] = (128, 128)  # hidden layers, shared by policy and value
    learning_rate: float = 3e-4  # of Adam
    clip_eps: float = 0.2  # clipping range of the probability ratio
    ent_coef: float = 0.01  # weight of the entropy bonus
    vf_coef: float = 0.5  # weight of the value loss
    max_grad_norm: float = 0.5  # maximum norm of the gradient


class Rollout(NamedTuple):
    """Decisions of all games, each (T, N, ...)."""

    obs: Any
    mask: Any
    action: Any
    log_prob: Any
    value: Any
    seat: Any
    rewards: Any
    done: Any


def bridge(seed: int) -> BridgeBidding:
    """The game with random deals and results."""
    rng = np.random.default_rng(seed)
    owners = rng.permuted(np.tile(np.repeat(np.arange(4), 13), (DEALS, 1)), axis=1).reshape(DEALS, 4, 13)
    keys = (owners << (2 * np.arange(13))).sum(axis=2)
    values = rng.integers(0, 2**20, size=(DEALS, 4))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.npy"
        np.save(path, np.stack([keys, values]).astype(np.int32))
        return BridgeBidding(str(path))


def new_network(sizes: list[int], key: Any) -> list[tuple[Any, Any]]:
    """Weights and biases of an MLP."""
    keys = jax.random.split(key, len(sizes) - 1)
    start = jax.nn.initializers.orthogonal(2**0.5)
    return [(start(k, (a, b)), jnp.zeros(b)) for k, a, b in zip(keys, sizes, sizes[1:], strict=False)]


def forward(network: Any, obs: Any, mask: Any) -> tuple[Any, Any]:
    """Logits of legal actions, and values."""
    x = obs.astype(jnp.float32)
    for weights, bias in network[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    out = x @ network[-1][0] + network[-1][1]
    return jnp.where(mask, out[..., :-1], -1e9), out[..., -1]


def returns_of(rollout: Rollout, last: Any) -> Any:
    """What each decision's seat earns when its game ends, or the value at the end of the rollout, (T, N)."""

    def back(earned: Any, step: Rollout) -> tuple[Any, Any]:
        earned = jnp.where(step.done[:, None], step.rewards, earned)
        return earned, jnp.take_along_axis(earned, step.seat[:, None], 1)[:, 0]

    return jax.lax.scan(back, last, rollout, reverse=True)[1]


def make_update(args: Args, env: BridgeBidding, optimizer: Any) -> Any:
    """One compiled update: collect a rollout, then learn from it."""
    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def collect(carry: Any, _: None) -> tuple[Any, Rollout]:
        network, state, key = carry
        key, drawn, reset = jax.random.split(key, 3)
        logits, value = forward(network, state.observation, state.legal_action_mask)
        action = jax.random.categorical(drawn, logits)
        log_prob = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
        after = step(state, action, jax.random.split(reset, args.num_envs))
        decided = (state.observation, state.legal_action_mask, action, log_prob, value, state.current_player)
        return (network, after, key), Rollout(*decided, after.rewards / 7600, after.terminated)

    def loss(network: Any, batch: Rollout, earned: Any) -> Any:
        logits, value = forward(network, batch.obs, batch.mask)
        log_probs = jax.nn.log_softmax(logits)
        ratio = jnp.exp(jnp.take_along_axis(log_probs, batch.action[:, None], 1)[:, 0] - batch.log_prob)
        advantage = earned - batch.value
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        clipped = jnp.clip(ratio, 1 - args.clip_eps, 1 + args.clip_eps)
        policy = -jnp.minimum(ratio * advantage, clipped * advantage).mean()
        entropy = -(jnp.exp(log_probs) * jnp.where(batch.mask, log_probs, 0)).sum(1).mean()
        return policy + args.vf_coef * jnp.square(value - earned).mean() - args.ent_coef * entropy

    def learn(carry: Any, rows: Any) -> tuple[Any, None]:
        network, moments, batch, earned = carry
        some = jax.tree.map(lambda each: each[rows], batch)
        gradient = jax.grad(loss)(network, some, earned[rows])
        change, moments = optimizer.update(gradient, moments, network)
        return (optax.apply_updates(network, change), moments, batch, earned), None

    def update(network: Any, moments: Any, state: Any, key: Any) -> tuple[Any, ...]:
        (_, state, key), rollout = jax.lax.scan(collect, (network, state, key), None, args.num_steps)
        value = forward(network, state.observation, state.legal_action_mask)[1]
        last = jnp.zeros((args.num_envs, 4)).at[jnp.arange(args.num_envs), state.current_player].set(value)
        earned = returns_of(rollout, last).reshape(-1)
        batch = jax.tree.map(lambda each: each.reshape(-1, *each.shape[2:]), rollout)
        for _ in range(args.update_epochs):
            key, shuffle = jax.random.split(key)
            rows = jax.random.permutation(shuffle, len(earned)).reshape(args.num_minibatches, -1)
            (network, moments, _, _), _ = jax.lax.scan(learn, (network, moments, batch, earned), rows)
        return network, moments, state, key

    return init, jax.jit(update)


def main(args: Args) -> None:
    """Train, and print decisions per second."""
    env = bridge(args.seed)
    optimizer = optax.chain(optax.clip_by_global_norm(args.max_grad_norm), optax.adam(args.learning_rate, eps=1e-5))
    init, update = make_update(args, env, optimizer)
    key, start, deal = jax.random.split(jax.random.PRNGKey(args.seed), 3)
    network = new_network([env.observation_shape[0], *args.hidden, env.num_actions + 1], start)
    learned = (network, optimizer.init(network), jax.jit(init)(jax.random.split(deal, args.num_envs)), key)
    learned = jax.block_until_ready(update(*learned))
    updates, started = 0, time.perf_counter()
    while (seconds := time.perf_counter() - started) < args.seconds:
        learned = jax.block_until_ready(update(*learned))
        updates += 1
    print(f"{updates * args.num_envs * args.num_steps / seconds:.0f} decisions per second")


if __name__ == "__main__":
    main(tyro.cli(Args))
