"""Train the value network of a game (`GameKit.value_network`) on games of a trained agent.

    python scripts/tuning/train_value_network.py --game GAME --games 60000 --seed 0

The agent's network plays all seats and samples its actions. Each end of a round is an example: what each seat has, and
who won. The network learns to predict the winner; a tenth of the games is kept to test it. It replaces the shipped one,
and its card says how much of the variance of results it explains, beside the formula that it takes the place of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import tyro
from torch import nn
from tqdm import tqdm

from blackjacky_agents.arena.intervals import shares_of
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.modules import mlp
from blackjacky_agents.learning.network import find_network, layers_of
from blackjacky_agents.learning.value_network import ValueNetwork, Weights
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import typed, where
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.engine.compiling import entry, zeros
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import begin_all
from blackjacky_env.engine.policies import Policy
from blackjacky_env.engine.purposes import FOR_MOVES
from blackjacky_env.engine.random import stream
from blackjacky_env.engine.step import NONE, OVER, make_step, only_legal
from blackjacky_env.games import get_game

Floats = npt.NDArray[np.float32]

_AT_ONCE = 1000  # games
_BATCH = 2048


@dataclass(frozen=True)
class Args:
    """Train the value network of a game on games of a trained agent."""

    game: str
    """Name of the game, which must declare a value network."""
    games: int = 60_000
    """Number of games, 100 or more."""
    agent: str = "champion"
    """Trained agent that plays them."""
    hidden: int = 32
    """Units of the hidden layer."""
    epochs: int = 6
    """Passes through all examples."""
    seed: int = 0
    """Seed of games and training."""


class Examples(NamedTuple):
    """Ends of rounds, N, with up to P seats; empty seats are zeros."""

    games: npt.NDArray[np.int64]
    """Number of the game, (N,)."""
    seats: npt.NDArray[np.int64]
    """Number of players, (N,)."""
    features: Floats
    """(N, P, features)."""
    formula: Floats
    """The "win" rewards expected by `ValueNetwork.formula`, (N, P)."""
    shares: Floats
    """1 / number of winners for a winner, else 0, (N, P)."""


def main(args: Args) -> int:
    """Play, train, write; returns the exit status."""
    try:
        for name, least in (("games", 100), ("hidden", 1), ("epochs", 1)):
            check_integer(name, getattr(args, name), least, 10**8)
        network = find(args.game)
        examples = play(args, network)
    except (TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    trained, explained = train(args, examples)
    explained["formula"] = share_explained(examples, examples.formula)
    print({name: round(value, 4) for name, value in explained.items()})
    facts = {"command": typed("scripts/tuning/train_value_network.py"), "examples": len(examples.games)}
    network.save(weights_of(trained), {**facts, "explained": explained, "machine": where()})
    print(f"written to {network.file}")
    return 0


def find(game: str) -> ValueNetwork:
    """The value network declared by the game; `ValueError` if there is none."""
    network = get_kit(game).value_network
    if network is None:
        raise ValueError(f"--game: {game} declares no value network (`GameKit.value_network`)")
    return network


def play(args: Args, network: ValueNetwork) -> Examples:
    """The ends of rounds of all games.

    Raises `TypeError` if the agent is not a network, `ValueError` if it is unknown.
    """
    game, agent = get_game(args.game), find_network(make_compiled_agent(args.agent, args.game))[0]
    parameters = agent.parameters.copy()
    parameters[0] = 0  # samples its actions
    watch = watching(game, network, agent.policy)
    parts, first = [], 0
    with tqdm(total=args.games, unit=" games") as bar:
        for players, variant, options, fraction in network.tables:
            record = game.new_state(players, variant, game.check_options(players, variant, options))[0]
            left = round(args.games * fraction)
            while left:
                count = min(left, _AT_ONCE)
                parts.append(watch(record, np.arange(first, first + count) + args.seed * args.games, parameters))
                first, left = first + count, left - count
                bar.update(count)
    return Examples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def watching(game: Game, network: ValueNetwork, policy: Policy) -> Callable[..., Examples]:
    """(record to start from, seeds, parameters) -> the ends of rounds of these games."""
    watch, begin = make_watch(game, network, policy), begin_all(game)

    def examples(record: Any, seeds: npt.NDArray[np.int64], parameters: Floats) -> Examples:
        states = zeros(len(seeds), game.state_dtype)
        states[:] = record
        begin(states, seeds)
        most, seats = network.most_rounds * len(seeds), game.max_players
        games, values = np.zeros(most, np.int64), np.zeros((most, seats))
        features = np.zeros((most, seats, network.layout.size), np.float32)
        count = watch(states, parameters, games, features, values)
        games, players = games[:count], np.full(count, record["num_players"], np.int64)
        shares = shares_of(states["winners"])[games].astype(np.float32)
        return Examples(seeds[games], players, features[:count], values[:count].astype(np.float32), shares)

    return examples


def make_watch(game: Game, network: ValueNetwork, policy: Policy) -> Callable[..., int]:
    """Entry (states, parameters, games, features, values) -> number of ends of rounds, written into the last three."""
    step, legal, encode = make_step(game), game.rules.legal, game.rules.encode
    formula, stage, write = network.formula, network.stage, network.write
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def watch(states, parameters, games, features, values):
        seen, may, count = np.empty(size, dtype), np.empty(num_actions, np.int8), 0
        for g in range(len(states)):
            s, taken, over = states[g], 0, False
            now = stage(s)
            while not over:
                legal(s, may)
                action = only_legal(may)
                if action == NONE:
                    encode(s, s.player, seen)
                    action = int(policy(seen, may, stream(s.key, FOR_MOVES, taken, 0), parameters))
                over = (step(s, action) & OVER) != 0
                taken += 1
                if not over and stage(s) != now and count < len(games):
                    now = stage(s)
                    games[count] = g
                    write(s, features[count])
                    formula(s, values[count])
                    count += 1
        return count

    return entry(watch)


def train(args: Args, examples: Examples) -> tuple[nn.Sequential, dict[str, float]]:
    """The trained network, and which share of the variance of results it explains in games that it has not seen."""
    torch.manual_seed(args.seed)
    network = mlp([examples.features.shape[2], args.hidden, 1])
    features, shares = torch.from_numpy(examples.features), torch.from_numpy(examples.shares)
    empty = torch.arange(shares.shape[1])[None, :] >= torch.from_numpy(examples.seats)[:, None]
    learned, rng = np.flatnonzero(~is_test(examples)), np.random.default_rng(args.seed)
    batches = max(1, len(learned) // _BATCH)
    updates = args.epochs * batches
    optimizer = torch.optim.Adam(network.parameters(), 2e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda update: 1 - update / (updates + 1))

    def logits(rows: Any) -> torch.Tensor:
        return network(features[rows])[:, :, 0].masked_fill(empty[rows], -np.inf)

    for _ in tqdm(range(args.epochs), unit=" epochs"):
        order = rng.permutation(learned)
        for rows in np.split(order[: batches * _BATCH], batches):
            log_chances = torch.log_softmax(logits(rows), 1).masked_fill(empty[rows], 0.0)
            loss = -(shares[rows] * log_chances).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        chances = torch.softmax(logits(slice(None)), 1).numpy()
    return network, {"network": share_explained(examples, rewards_of(examples, chances))}


def weights_of(network: nn.Sequential) -> Weights:
    """The weights of a trained network; adding the last bias would not change the softmax."""
    (inputs, biases), (outputs, _) = layers_of(network)
    return Weights(inputs, biases, outputs[:, 0])


def rewards_of(examples: Examples, chances: Floats) -> Floats:
    """The expected "win" rewards (N, P) of chances to win."""
    return chances - (1 - chances) / (examples.seats - 1)[:, None]


def is_test(examples: Examples) -> npt.NDArray[np.bool_]:
    """Which examples are of games kept to test the network."""
    return examples.games % 10 == 9


def share_explained(examples: Examples, values: Floats) -> float:
    """1 - (squared error of the expected results / their variance) at the seats of the test's games."""
    seated = np.arange(values.shape[1]) < examples.seats[:, None]
    tested = is_test(examples)[:, None] & seated
    results = rewards_of(examples, examples.shares)[tested]
    return float(1 - np.mean((values[tested] - results) ** 2) / np.mean(results**2))


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Args)))
