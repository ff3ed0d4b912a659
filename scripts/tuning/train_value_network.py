"""Train the value network of a game (`GameKit.value_network`) on games of a trained agent.

    python -m scripts.tuning.train_value_network --game GAME --games 60000 --seed 0

The agent's network plays all seats and samples its actions. Each end of a round is an example: what each seat has, and
who won. Where the network values positions within a round, these are the examples, with the formula's value at the end
of the round. A tenth of the games is kept to test the network, whose card says how much of the variance it explains,
beside the formula that it takes the place of.
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

from blackjacky_agents.games import get_kit
from blackjacky_agents.intervals import shares_of
from blackjacky_agents.kit.value_networks import ValueNetwork, Weights
from blackjacky_agents.learning.modules import mlp
from blackjacky_agents.networks.network import find_network, layers_of
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import typed, where
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import Policy, compiled, entry, stream, zeros
from blackjacky_env.compiled.purposes import FOR_MOVES
from blackjacky_env.declare import Game
from blackjacky_env.games import get_game
from blackjacky_env.play import NONE, OVER, SETTLED, make_step, only_legal
from blackjacky_env.play.playouts import begin_all

Floats = npt.NDArray[np.float32]
AT_ONCE = 1000  # games
BATCH = 2048


@dataclass(frozen=True)
class Args:
    """Train the value network of a game on games of a trained agent."""

    game: str  # Name of the game, which must declare a value network.
    games: int = 60_000  # Number of games, 100 or more.
    agent: str = "champion"  # Trained agent that plays them.
    hidden: int = 32  # Units of the hidden layer.
    epochs: int = 6  # Passes through all examples.
    seed: int = 0  # Seed of games and training.


class Examples(NamedTuple):
    """Positions, N, with up to P seats; empty seats are zeros."""

    tested: npt.NDArray[np.bool_]  # whether they are kept for the test, (N,)
    seats: npt.NDArray[np.int64]  # number of players, (N,)
    features: Floats  # (N, P, features)
    formula: Floats  # the "win" rewards expected by `ValueNetwork.formula`, (N, P)
    shares: Floats  # what is learned, (N, P): of a win, or chances by the formula at the end of the round


def main(args: Args) -> int:
    """Play, train, write; returns the exit status."""
    try:
        check_integer("games", args.games, 100, 10**8)
        network = find(args.game)
        examples = play(args, network)
    except (TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    trained, chances = train(args, examples)
    values = {"network": rewards_of(examples, chances), "formula": examples.formula}
    explained = {name: share_explained(examples, value) for name, value in values.items()}
    (inputs, biases), (outputs, _) = layers_of(trained)  # adding the last bias would not change the softmax
    facts = {"command": typed("-m scripts.tuning.train_value_network"), "examples": len(examples.seats)}
    network.save(Weights(inputs, biases, outputs[:, 0]), {**facts, "explained": explained, "machine": where()})
    print(f"written to {network.file}: {explained}")
    return 0


def find(game: str) -> ValueNetwork:
    """The value network declared by the game; `ValueError` if there is none."""
    network = get_kit(game).value_network
    if network is None:
        raise ValueError(f"--game: {game} declares no value network (`GameKit.value_network`)")
    return network


def play(args: Args, network: ValueNetwork) -> Examples:
    """The positions of all games; `TypeError` if the agent is not a network, `ValueError` if it is unknown."""
    game, agent = get_game(args.game), find_network(make_compiled_agent(args.agent, args.game))[0]
    parameters = agent.parameters.copy()
    parameters[0] = 0  # samples its actions
    watch, begin = make_watch(game, network, agent.policy), begin_all(game)
    parts, first = [], 0
    for players, variant, options, fraction in network.tables:
        record = game.new_state(players, variant, game.check_options(players, variant, options))[0]
        last = first + round(args.games * fraction)
        for at in tqdm(range(first, last, AT_ONCE), unit_scale=AT_ONCE, unit=" games"):
            states = zeros(min(last - at, AT_ONCE), game.state_dtype)
            states[:] = record
            seeds = np.arange(at, at + len(states)) + args.seed * args.games
            begin(states, seeds)
            parts.append(examples_of(game, network, watch, parameters, states, seeds))
        first = last
    return Examples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def examples_of(
    game: Game, network: ValueNetwork, watch: Callable[..., int], parameters: Floats, states: Any, seeds: Any
) -> Examples:
    """Play these games; returns their positions."""
    most, n = network.most_stages * len(seeds) + 1, int(states["num_players"][0])
    games, values, results = np.zeros(most, np.int64), *np.zeros((2, most, game.max_players))
    features = np.zeros((most, game.max_players, network.layout.size), np.float32)
    count = watch(states, parameters, games, features, values, results)
    games, players, results = games[:count], np.full(count, n, np.int64), results[:count]
    if network.begins is None:
        shares = shares_of(states["winners"])[games]
    else:
        shares = np.where(np.arange(game.max_players) < n, (results * (n - 1) + 1) / n, 0.0)
    numbers = [array.astype(np.float32) for array in (values[:count], shares)]
    return Examples(seeds[games] % 10 == 9, players, features[:count], *numbers)


def make_watch(game: Game, network: ValueNetwork, policy: Policy) -> Callable[..., int]:
    """Entry (states, parameters, games, features, values, results) -> number of positions, written into the last four.

    ``values``: "win" rewards by the formula there; ``results``: at the end of the round.
    """
    step, legal, encode = make_step(game), game.rules.legal, game.rules.encode
    formula, stage, write, returns = network.formula, network.stage, network.write, game.rules.returns
    begins = network.begins or compiled(lambda s: False)
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def watch(states, parameters, games, features, values, results):  # type: ignore[no-untyped-def]  # compiled
        seen, may, count, first = np.empty(size, dtype), np.empty(num_actions, np.int8), 0, 0
        for g in range(len(states)):
            s, taken, over = states[g], 0, False
            now = stage(s)
            while not over:
                legal(s, may)
                action = only_legal(may)
                if action == NONE:
                    encode(s, s.player, seen)
                    action = int(policy(seen, may, stream(s.key, FOR_MOVES, taken, 0), parameters))
                flags = step(s, action)
                over = (flags & OVER) != 0
                taken += 1
                results[first] = 0.0  # the result of the round, for all its positions; without any the row is free
                if over:
                    returns(s, results[first])
                elif flags & SETTLED:
                    formula(s, results[first])
                if flags & (OVER | SETTLED):
                    results[first + 1 : count] = results[first]
                    first = count
                if not over and stage(s) != now:
                    now = stage(s)
                    if not begins(s) and count < len(games) - 1:
                        games[count] = g
                        write(s, features[count])
                        formula(s, values[count])
                        count += 1
        return count

    return entry(watch)


def train(args: Args, examples: Examples) -> tuple[nn.Sequential, Floats]:
    """The trained network, and what it says of all examples."""
    torch.manual_seed(args.seed)
    network = mlp([examples.features.shape[2], args.hidden, 1])
    features, shares = torch.from_numpy(examples.features), torch.from_numpy(examples.shares)
    empty = torch.arange(shares.shape[1])[None, :] >= torch.from_numpy(examples.seats)[:, None]
    learned, rng = np.flatnonzero(~examples.tested), np.random.default_rng(args.seed)
    batches = max(1, len(learned) // BATCH)
    optimizer = torch.optim.Adam(network.parameters(), 2e-3)
    updates = args.epochs * batches
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda update: 1 - update / (updates + 1))

    def logits(rows: Any) -> torch.Tensor:
        chances: torch.Tensor = network(features[rows])[:, :, 0].masked_fill(empty[rows], -np.inf)
        return chances

    for _ in tqdm(range(args.epochs), unit=" epochs"):
        for rows in np.split(rng.permutation(learned)[: batches * BATCH], batches):
            log_chances = torch.log_softmax(logits(rows), 1).masked_fill(empty[rows], 0.0)
            loss = -(shares[rows] * log_chances).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        return network, torch.softmax(logits(slice(None)), 1).numpy()


def rewards_of(examples: Examples, chances: Floats) -> Floats:
    """The expected "win" rewards (N, P) of chances to win."""
    return chances - (1 - chances) / (examples.seats - 1).astype(np.float32)[:, None]


def share_explained(examples: Examples, values: Floats) -> float:
    """1 - (squared error of the expected results / their variance) at the seats of the test's games."""
    tested = examples.tested[:, None] & (np.arange(values.shape[1]) < examples.seats[:, None])
    results = rewards_of(examples, examples.shares)[tested]
    return float(1 - np.mean((values[tested] - results) ** 2) / np.mean(results**2))


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Args)))
