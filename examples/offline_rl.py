"""Offline reinforcement learning from a dataset: behaviour cloning, then discrete CQL of TorchRL, tested in the arena.

    pip install -r examples/requirements/torchrl.txt -e '.[data]'
    blackjacky dataset --agents 'champion,counter*3' --games 1000000 --output data
    python examples/offline_rl.py --data data
    blackjacky play --opponents ppo:runs/offline_rl/cql.safetensors*3

Cloning learns which action a player chose. Conservative Q-learning (Kumar et al., NeurIPS 2020) learns what actions are
worth, with a penalty on those that nobody chose. It goes on from the hidden layers of the cloned network, with a new
last one, since logits are no values. Nothing is played until both are tested.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
import tyro
from tensordict import TensorDict
from torch import nn
from torch.nn.functional import cross_entropy
from torchrl.modules import QValueActor
from torchrl.objectives import DiscreteCQLLoss, SoftUpdate

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import against_copies
from blackjacky_agents.data import Dataset
from blackjacky_agents.games import encodings_of
from blackjacky_agents.networks.agent_file import load_agent, save_agent
from blackjacky_agents.networks.network import encode_all, layers_of
from blackjacky_agents.reports import markdown_table, rate_cells
from blackjacky_agents.storage.files import write_json

ILLEGAL = -1e8  # value of an illegal action


@dataclass
class Args:
    """Behaviour cloning, then conservative Q-learning, from a dataset of `blackjacky dataset`."""

    data: Path = Path("runs/dataset")  # folder of the dataset
    folder: Path = Path("runs/offline_rl")  # for the agents
    policies: tuple[str, ...] = ()  # whose decisions are learned from, by default everybody's
    encoding: str = ""  # network input, by default the game's own; "raw" is the scaled observation
    opponent: str = ""  # bot in all other seats of the test, by default the strongest
    games: int = 20_000  # of each test
    output: Path | None = None  # file for the results (JSON)
    seed: int = 1
    threads: int = 1

    clone_decisions: int = 4_000_000  # learned from by cloning
    cql_decisions: int = 3_000_000  # and by CQL
    batch_size: int = 2048
    learning_rate: float = 1e-3  # initial Adam learning rate, annealed linearly to 0 in each of both
    hidden: int = 256  # units of each of two hidden layers
    reward: str = "win"  # "win", or the name of the game's score
    gamma: float = 0.99  # discount per decision of a seat
    alpha: float = 0.1  # weight of CQL's penalty
    tau: float = 0.005  # of the target network's moving average


class Network(nn.Module):
    """A number for every action: a logit when cloning, a Q-value later."""

    def __init__(self, inputs, num_actions, hidden):
        super().__init__()
        sizes = [inputs, hidden, hidden, num_actions]
        self.layers = nn.ModuleList(map(nn.Linear, sizes[:-1], sizes[1:]))

    def forward(self, observation, action_mask):
        """Numbers (N, A) for features (N, F) and masks (N, A); illegal actions have `ILLEGAL`."""
        first, second, last = self.layers
        return last(second(first(observation).relu()).relu()).masked_fill(~action_mask, ILLEGAL)


class Learner:
    """A dataset, and a network that learns from it."""

    def __init__(self, args):
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        self.args, self.dataset = args, Dataset(args.data)
        game = self.dataset.setup.game
        encodings = encodings_of(game.name)
        self.encoding = encodings[args.encoding or next(iter(encodings))]
        self.network = Network(self.encoding.size, game.num_actions, args.hidden)

    def batches(self, decisions: int, transitions: bool) -> Iterator[TensorDict]:
        """Shuffled batches with so many decisions, over as many epochs as that takes."""
        done, epoch = 0, 0
        options = {"policies": self.args.policies or None, "transitions": transitions, "reward": self.args.reward}
        while done < decisions:
            for batch in self.dataset.batches(self.args.batch_size, (self.args.seed, epoch), **options):
                if done >= decisions:
                    return
                done += len(batch["action"])
                yield self.tensors(batch, transitions)
            epoch += 1

    def tensors(self, batch: dict[str, np.ndarray], transitions: bool) -> TensorDict:
        """A batch as TorchRL has it, with features for observations."""
        found = TensorDict(self.seen(batch, ""), len(batch["action"]))
        found["action"] = torch.from_numpy(batch["action"])
        if transitions:
            ended = torch.from_numpy(batch["terminated"])[:, None]
            reward = torch.from_numpy(batch["reward"])[:, None]
            after = {**self.seen(batch, "next_"), "reward": reward, "terminated": ended, "done": ended}
            found["next"] = TensorDict(after, len(ended))
        return found

    def seen(self, batch: dict[str, np.ndarray], when: str) -> dict[str, torch.Tensor]:
        """Features and masks, now or at the next decision."""
        observations, masks = batch[f"{when}observation"], batch[f"{when}action_mask"]
        features = torch.from_numpy(encode_all(self.encoding, observations, masks))
        return {"observation": features, "action_mask": torch.from_numpy(masks).bool()}

    def learn(self, name, decisions, loss_of, transitions, after_step=lambda: None):
        """Minimise a loss over batches."""
        optimizer = torch.optim.Adam(self.network.parameters(), self.args.learning_rate)
        steps = max(1, -(-decisions // self.args.batch_size))
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
        begun, losses = time.perf_counter(), []
        for batch in self.batches(decisions, transitions):
            loss = loss_of(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            after_step()
            losses.append(loss.item())
            if len(losses) % 500 == 0:
                done, seconds = len(losses) * self.args.batch_size, time.perf_counter() - begun
                print(f"{name}: {done:,} decisions, {seconds:.0f} s, loss {np.mean(losses[-500:]):.3f}", flush=True)

    def clone(self):
        """Learn which actions were chosen."""

        def loss(batch):
            return cross_entropy(self.network(batch["observation"], batch["action_mask"]), batch["action"])

        self.learn("cloning", self.args.clone_decisions, loss, transitions=False)

    def conservative_q_learning(self):
        """Learn what actions are worth; Q-values of actions that were not chosen are kept low."""
        for numbers in self.network.layers[-1].parameters():
            nn.init.zeros_(numbers)
        seen = ["observation", "action_mask"]
        losses = DiscreteCQLLoss(
            QValueActor(self.network, in_keys=seen, action_space="categorical"), action_space="categorical"
        )
        losses.make_value_estimator(gamma=self.args.gamma)
        target = SoftUpdate(losses, tau=self.args.tau)

        def loss(batch):
            found = losses(batch)
            return found["loss_qvalue"] + self.args.alpha * found["loss_cql"]

        self.learn("CQL", self.args.cql_decisions, loss, transitions=True, after_step=target.step)

    def save(self, name: str) -> Path:
        """Write the agent that takes the action with the largest number."""
        path = self.args.folder / f"{name}.safetensors"
        path.parent.mkdir(parents=True, exist_ok=True)
        save_agent(path, layers_of(self.network.layers), self.dataset.setup.game.name, self.encoding)
        return path


def main(args: Args) -> None:
    """Learn, test, and print the results."""
    learner = Learner(args)
    learner.clone()
    paths = {"behaviour cloning": learner.save("clone")}
    learner.conservative_q_learning()
    paths["then CQL"] = learner.save("cql")
    rows = results(args, learner.dataset, paths)
    print(markdown_table(rows[0], [row.values() for row in rows]))
    if args.output is not None:
        write_json(args.output, rows)


def results(args: Args, dataset: Dataset, paths: dict[str, Path]) -> list[dict[str, str]]:
    """Win rates in a random seat against copies of a bot, of the agents learned and of those in the data."""
    setup = dataset.setup
    opponent = make_agent(args.opponent or bot_names(setup.game.name)[-1], setup.game.name)
    test = partial(against_copies, opponents=[opponent], num_players=setup.num_players, games=args.games, seed=10**6)
    options = {"game": setup.game.name, "variant": setup.variant, "threads": args.threads, **setup.options}
    agents = {f"`{name}`, in the data": make_agent(name, setup.game.name) for name in setup.policies}
    agents |= {name: load_agent(path, setup.game.name) for name, path in paths.items()}
    heading = ["agent", "win rate", "95 % interval", "par"]
    return [
        dict(zip(heading, [name, *rate_cells(asdict(test(agent, **options)[0]))], strict=True))
        for name, agent in agents.items()
    ]


if __name__ == "__main__":
    main(tyro.cli(Args))
