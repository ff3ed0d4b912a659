"""PPO in one file: one network learns to play every seat, against itself, in a batch of compiled games.

    python examples/ppo_batch.py                     # minutes on one core; tested against three bots
    python examples/ppo_batch.py --backend cuda --num-envs 65536 --num-steps 32 --seconds 300
    tensorboard --logdir runs
    blackjacky play --opponents ppo:runs/ppo_batch/seed-1*3

It follows CleanRL's ppo.py (Huang et al., JMLR 2022). The difference is what several seats need: a decision leads to
the next decision of the same seat, so rewards, values and advantages are linked seat by seat. That is also why no
library's PPO is used: TorchRL and skrl take tensors from a GPU, but link the steps of a game, or let all players act at
once. With ``--backend cuda`` games, network and all collected data stay on the GPU.
"""

from __future__ import annotations

import csv
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro
from matplotlib import rcParams
from torch import nn
from torch.distributions import Categorical
from torch.utils.tensorboard import SummaryWriter

from blackjacky_agents import make_agent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.games import encodings_of
from blackjacky_agents.learning.curves import Curve, DrawnCurve, draw_curves
from blackjacky_agents.networks.agent_file import load_agent, save_agent
from blackjacky_agents.networks.network import encode_all, layers_of
from blackjacky_agents.reports import percent, processor
from blackjacky_agents.storage.files import write_json
from blackjacky_env import make_batch
from blackjacky_env.games import get_game


@dataclass
class Args:
    """PPO in one file: one network learns to play every seat, against itself, in a batch of compiled games."""

    folder: Path = Path("runs/ppo_batch")  # for agents, TensorBoard's files, and the learning curve of all seeds
    output: Path | None = None  # file for the learning curve of this seed (JSON)
    seed: int = 1  # of the games, the network and the sampled actions
    threads: int = 1  # CPU threads; a network this small gains nothing from more
    game: str = "black_jacky"  # name of the game
    num_players: int = 4  # players at every table
    backend: Literal["cpu", "cuda"] = "cpu"  # where the games are played and the network is trained
    reward: str = "win"  # "win", or the name of the game's score
    rules: dict[str, int] = field(default_factory=dict)  # rule options, such as: max_turns_per_round 20
    encoding: str = ""  # network input, by default the game's own; "raw" is the scaled observation
    opponent: str = "threshold"  # bot in all other seats when the agent is tested
    eval_every: int = 30  # updates between tests
    eval_games: int = 2_000  # games of a test
    final_eval_games: int = 20_000  # games of the last test

    total_timesteps: int = 10_000_000  # decisions in all games
    seconds: int = 0  # training ends after this time if it has not before; 0: no limit
    learning_rate: float = 1e-3  # initial Adam learning rate, annealed linearly to 0 at the end
    num_envs: int = 256  # games played at once
    num_steps: int = 128  # decisions in each game between updates
    gamma: float = 0.99  # discount per decision of a seat
    gae_lambda: float = 0.95  # lambda of generalised advantage estimation
    score_shaping: float | None = None  # weight of the score in potential-based shaping, by default the game's
    num_minibatches: int = 8  # minibatches per epoch
    update_epochs: int = 2  # epochs per update
    clip_coef: float = 0.2  # clipping range of the probability ratio
    ent_coef: float = 0.01  # weight of the entropy bonus
    vf_coef: float = 0.5  # weight of the value loss
    max_grad_norm: float = 0.5  # maximum norm of the gradient


def layer_init(layer, std=2**0.5):
    """Orthogonal weights and zero biases."""
    nn.init.orthogonal_(layer.weight, std)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    """Policy and value of the seat whose view is the input; all seats share the network."""

    def __init__(self, inputs, num_actions, hidden=128):
        super().__init__()
        first, second = layer_init(nn.Linear(inputs, hidden)), layer_init(nn.Linear(hidden, hidden))
        self.body = nn.Sequential(first, nn.ReLU(), second, nn.ReLU())
        self.actor = layer_init(nn.Linear(hidden, num_actions), std=0.01)
        self.critic = layer_init(nn.Linear(hidden, 1), std=1)
        self.policy_layers = [first, second, self.actor]

    def get_value(self, x):
        """Values (N,) of inputs (N, F)."""
        return self.critic(self.body(x))[:, 0]

    def get_action_and_value(self, x, mask, action=None):
        """Actions, sampled unless given, their log probabilities, the policies' entropies, and values, all (N,)."""
        features = self.body(x)
        policy = Categorical(logits=self.actor(features).masked_fill(~mask, -1e8), validate_args=False)
        action = policy.sample() if action is None else action
        return action, policy.log_prob(action), policy.entropy(), self.critic(features)[:, 0]


def per_seat_gae(rewards, terminated, seats, values, last_values, gamma, gae_lambda):
    """Advantages (T, N) of the decisions in T steps of N games, each linked to the next decision of the same seat.

    Args:
        rewards: the batch's cumulative rewards after each step, (T, N, P).
        terminated: whether the step ended the game, (T, N).
        seats: the seat that decided, (T, N).
        values: of the positions decided in, for that seat, (T, N).
        last_values: of the positions after the last step, for every seat, (N, P).
        gamma: discount per decision of a seat.
        gae_lambda: lambda of generalised advantage estimation.
    """
    advantages = torch.zeros_like(values)
    reward, next_value, next_advantage = rewards[-1].clone(), last_values.clone(), torch.zeros_like(last_values)
    for t in reversed(range(len(values))):
        ended, own = terminated[t, :, None], seats[t, :, None]
        reward = torch.where(ended, rewards[t], reward)  # for every seat
        next_value, next_advantage = next_value.masked_fill(ended, 0), next_advantage.masked_fill(ended, 0)
        delta = reward.gather(1, own)[:, 0] + gamma * next_value.gather(1, own)[:, 0] - values[t]
        advantages[t] = delta + gamma * gae_lambda * next_advantage.gather(1, own)[:, 0]
        # What the previous decision of this seat led to; before t = 0 there is none in this rollout.
        reward.scatter_(1, own, rewards[t - 1].gather(1, own))
        next_value.scatter_(1, own, values[t, :, None])
        next_advantage.scatter_(1, own, advantages[t, :, None])
    return advantages


def as_tensor(array):
    """A tensor with the memory of an array of the batch, on the CPU or the GPU."""
    return torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.as_tensor(array, device="cuda")


class Trainer:
    """The network, the games, and the last ``num_steps`` decisions in each game."""

    def __init__(self, args):
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        self.args, encodings = args, encodings_of(args.game)
        self.encoding = encodings[args.encoding or next(iter(encodings))]
        shaping = get_game(args.game).score_shaping if args.score_shaping is None else args.score_shaping
        options = {"reward": args.reward, "gamma": args.gamma, "score_shaping": shaping, **args.rules}
        tables = args.num_envs, args.num_players, args.seed, args.backend
        self.batch = make_batch(args.game, *tables, per_seat=True, **options)
        shape, num_actions = (args.num_steps, args.num_envs), self.batch.action_masks.shape[1]
        self.device = as_tensor(self.batch.observations).device
        self.agent = Agent(self.encoding.size, num_actions).to(self.device)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=args.learning_rate, eps=1e-5)
        zeros = partial(torch.zeros, device=self.device)
        self.obs, self.masks = zeros(*shape, self.encoding.size), zeros(*shape, num_actions, dtype=torch.bool)
        self.actions, self.logprobs = zeros(shape, dtype=torch.long), zeros(shape)
        self.seats, self.values = zeros(shape, dtype=torch.long), zeros(shape)
        self.rewards, self.terminated = zeros(*shape, args.num_players), zeros(shape, dtype=torch.bool)

    @torch.no_grad()
    def collect(self):
        """Play ``num_steps`` decisions in every game; returns their advantages and returns."""
        args, batch, num_players = self.args, self.batch, self.args.num_players
        trusted = {"check": False} if args.backend == "cuda" else {}  # checking them waits for the GPU
        for t in range(args.num_steps):
            self.obs[t] = as_tensor(encode_all(self.encoding, batch.observations, batch.action_masks))
            self.masks[t], self.seats[t] = as_tensor(batch.action_masks), as_tensor(batch.current_player)
            self.actions[t], self.logprobs[t], _, value = self.agent.get_action_and_value(self.obs[t], self.masks[t])
            self.values[t] = value
            batch.step(self.actions[t], **trusted)
            self.rewards[t] = as_tensor(batch.cumulative_rewards)[:, :num_players]
            self.terminated[t] = as_tensor(batch.terminated)
        # A seat off turn has not reached its next decision; its current view stands in for it.
        games, seats = np.indices((args.num_envs, num_players)).reshape(2, -1)
        last_obs = encode_all(self.encoding, *batch.observe(games, seats))
        last_values = self.agent.get_value(as_tensor(last_obs)).reshape(-1, num_players)
        rollout = self.rewards, self.terminated, self.seats, self.values
        advantages = per_seat_gae(*rollout, last_values, args.gamma, args.gae_lambda)
        return advantages.flatten(), (advantages + self.values).flatten()

    def update(self, advantages, returns):
        """Train on the collected decisions; returns the losses of the last minibatch by name."""
        args, rollout = self.args, (self.obs, self.masks, self.actions, self.logprobs)
        obs, masks, actions, logprobs = (array.flatten(0, 1) for array in rollout)
        for _ in range(args.update_epochs):
            for rows in torch.randperm(len(obs), device=self.device).chunk(args.num_minibatches):
                _, logprob, entropy, value = self.agent.get_action_and_value(obs[rows], masks[rows], actions[rows])
                ratio = (logprob - logprobs[rows]).exp()
                advantage = (advantages[rows] - advantages[rows].mean()) / (advantages[rows].std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
                value_loss = 0.5 * (value - returns[rows]).square().mean()
                loss = policy_loss - args.ent_coef * entropy.mean() + args.vf_coef * value_loss
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), args.max_grad_norm)
                self.optimizer.step()
        return {"policy": policy_loss.item(), "value": value_loss.item(), "entropy": entropy.mean().item()}

    def test(self, folder, games):
        """Save the agent, and score it in a random seat against copies of the opponent."""
        args = self.args
        save_agent(folder / "weights.safetensors", layers_of(self.agent.policy_layers), args.game, self.encoding)
        agent, opponents = load_agent(folder, args.game), [make_agent(args.opponent, args.game)]
        return against_copies(agent, opponents, args.num_players, games, seed=10**6, game=args.game)[0]


def main(args: Args) -> None:
    """Train, test now and then, and write the learning curve."""
    folder = args.folder / f"seed-{args.seed}"
    writer, trainer, curve = SummaryWriter(folder), Trainer(args), []
    started, cpu_started, size = time.perf_counter(), time.process_time(), args.num_steps * args.num_envs
    num_updates, update, seconds = max(1, args.total_timesteps // size), 0, 0.0
    while (done := max(update / num_updates, seconds / args.seconds if args.seconds else 0.0)) < 1:
        trainer.optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - done)
        update += 1
        losses, steps = trainer.update(*trainer.collect()), update * size
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
        ended = update == num_updates or 0 < args.seconds <= seconds
        charts = {
            "steps_per_second": steps / seconds,
            "decisions_per_game": size / max(1, int(trainer.terminated.sum())),
        }
        for name, value in {**charts, **losses}.items():
            writer.add_scalar(f"{'losses' if name in losses else 'charts'}/{name}", value, steps)
        if update % args.eval_every and not ended:
            continue
        games = args.final_eval_games if ended else args.eval_games
        score = trainer.test(folder, games)
        writer.add_scalar("charts/win_rate", score.win_rate, steps)
        curve.append({"seed": args.seed, "steps": steps, "seconds": round(seconds), "cpu_seconds": round(cpu_seconds)})
        rates = {"win_rate": score.win_rate, "low": score.low, "high": score.high}
        curve[-1] |= {"games": games, **{name: round(rate, 4) for name, rate in rates.items()}}
        curve[-1] |= {"decisions_per_game": round(charts["decisions_per_game"]), "processor": processor()}
        write_curve(args, curve)
        if args.output is not None:
            write_json(args.output, curve)
        won = f"{percent(score.win_rate)} ({percent(score.low)} .. {percent(score.high)})"
        print(
            f"{steps:,} decisions, {seconds:.0f} s: wins {won} of {games:,} games against {args.opponent}", flush=True
        )
    writer.close()


CURVE = ("steps", "seconds", "win_rate")
"""Columns of the learning curve that are drawn."""


def write_curve(args: Args, curve: list[dict[str, Any]]) -> None:
    """Write learning_curve.csv, in which the rows of other seeds are kept, and draw learning_curve.svg."""
    file = args.folder / "learning_curve.csv"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    rows = [row for row in csv.DictReader(lines) if row["seed"] != str(args.seed)] + curve
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, curve[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    rcParams["svg.hashsalt"] = "learning_curve"  # makes the SVG reproducible
    runs = [
        Curve(*(np.array([float(row[name]) for row in rows if row["seed"] == seed]) for name in CURVE))
        for seed in dict.fromkeys(row["seed"] for row in rows)
    ]
    line = DrawnCurve(f"against {args.num_players - 1} {args.opponent}", runs, args.num_players)
    seeds = f"{len(runs)} seed{'s' * (len(runs) > 1)}"
    figure = draw_curves([line], f"{get_game(args.game).title}: ppo_batch.py, {args.num_players} players, {seeds}")
    figure.savefig(file.with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main(tyro.cli(Args))
