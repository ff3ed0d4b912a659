"""Measure distillation: how much of what search finds the champion's network learns from it.

    python scripts/documents/measure_distillation.py                     # all games; an hour or two
    python scripts/documents/measure_distillation.py --decisions 5000
    python scripts/documents/generate.py                                 # the tables of the documents

Champions play all seats. At some decisions every plausible action is tried in two halves of sampled positions, as
`search:N` does. Search gains what the action that it prefers after the first half wins more than the champion's in the
second. A copy of the network then learns from some of the games, as expert iteration does, and gains what its
favourites win more in the others, which it has not seen. agents/results/GAME/distillation.json holds the results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import tyro
from parts import RESULTS, ROOMS
from torch import nn
from tqdm import tqdm

from blackjacky_agents.arena.intervals import Estimate, Z
from blackjacky_agents.cli.exploit import CHAMPION
from blackjacky_agents.files import write_json
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.agent_file import read_network
from blackjacky_agents.learning.encoding import Encoding
from blackjacky_agents.learning.modules import mlp, set_layers
from blackjacky_agents.learning.network import Layers, encode_all, network_agent, network_policy, pack
from blackjacky_agents.reports import ready_for_json, typed, where
from blackjacky_agents.search.config import PLAUSIBLE, SearchConfig
from blackjacky_agents.search.guided import (
    ACTIONS,
    HEAD,
    LEAST,
    MOST_ACTIONS,
    PROPOSALS,
    SIMULATIONS,
    guided_parameters,
    make_play,
    make_propose,
    new_trial,
    weigh,
)
from blackjacky_env.engine.backend_cpu import spread
from blackjacky_env.engine.compiling import compiled, entry, zeros
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import begin_all
from blackjacky_env.engine.purposes import FOR_POLICIES, FOR_POSITIONS
from blackjacky_env.engine.random import below, draw, stream
from blackjacky_env.engine.step import NONE, is_running, make_shared_step, only_legal
from blackjacky_env.games import get_game

PARTS = (0.25, 0.5, 1.0)
"""Of the games to learn from."""
_TESTED = 5  # one game of so many is kept to test what was learned from the others
_EPOCHS, _BATCH, _LEARNING_RATE = 4, 1024, 5e-4
_MOST = 32  # decisions of a game
_AT_ONCE = 64  # games


@dataclass(frozen=True)
class Args:
    """Measure distillation: how much of what search finds the champion's network learns from it."""

    games: tuple[str, ...] = tuple(ROOMS)
    """Games by name."""
    agent: str = CHAMPION
    """The trained agent that plays, guides the search and learns: its name, or its weights file."""
    decisions: int = 30_000
    """About how many decisions of each game are studied, those for the test included."""
    one_of: int = 20
    """One of so many decisions of a game is studied."""
    positions: int = 24
    """Sampled positions in each half, in which every plausible action is tried."""
    seed: int = 0
    """Seed of games, positions and learning."""
    threads: int = 2
    """CPU threads."""


class Decisions(NamedTuple):
    """N decisions, with up to K = `MOST_ACTIONS` actions each, the network's favourite first."""

    games: npt.NDArray[np.int64]
    """1 + the number of the game, (N,)."""
    observations: npt.NDArray[Any]
    """(N, size)."""
    masks: npt.NDArray[np.int8]
    """Legal actions, (N, A)."""
    actions: npt.NDArray[np.int64]
    """(N, K); -1: none."""
    gains: npt.NDArray[np.float64]
    """What each wins more than the favourite, in the mean of each half, (N, 2, K)."""
    worth: npt.NDArray[np.float64]
    """What search expects of each after the first half, and after both, (N, 2, K)."""


def main(args: Args) -> None:
    """Measure every game, and write the results."""
    torch.set_num_threads(args.threads)
    for name in args.games:
        weights = get_kit(name).trained.get(args.agent, Path(args.agent))
        try:
            layers, encoding, greedy = read_network(weights, name)
        except ValueError as error:
            raise SystemExit(f"error: --agent: {error}") from None
        game, config = get_game(name), get_kit(name).whole_rounds._replace(least=PLAUSIBLE)
        decisions = study(game, config, encoding, pack(layers, greedy), args)
        rows = measure(decisions, layers, encoding, config.scale, args.seed)
        scale = (game.default_players - 1) / game.default_players  # of "win" rewards, 1 .. -1 / (players - 1)
        for row in rows:
            row.update({part: scale * row[part] for part in ("mean", "low", "high")})
            print(f"{name}: {row['name']}: {row['mean']:+.3%} ({row['low']:+.3%} .. {row['high']:+.3%})", flush=True)
        facts = {"agent": weights.stem, "players": game.default_players, "positions": args.positions, "seed": args.seed}
        command = typed("scripts/documents/measure_distillation.py")
        write_json(
            RESULTS / name / "distillation.json",
            ready_for_json({"command": command, "machine": where(), **facts, "rows": rows}),
        )


# ---------------------------------------------------------------- search


def study(
    game: Game, config: SearchConfig, encoding: Encoding, network: npt.NDArray[np.float32], args: Args
) -> Decisions:
    """Decisions in games of the network at the usual table, and what search says of them."""
    play, begin = make_study(game, config, encoding), begin_all(game)
    players, variant = game.choose_table(None, None)
    record = game.new_state(players, variant, game.check_options(players, variant, {}))[0]
    guide = guided_parameters(args.positions, config, network_agent(game.name, encoding, network))
    parts, first, count = [], 0, 0
    with tqdm(total=args.decisions, desc=f"{game.name}, after compiling", unit=" decisions") as bar:
        while count < args.decisions:
            states, rows = zeros(_AT_ONCE, game.state_dtype), _rows(game)
            states[:] = record
            begin(states, np.arange(first, first + _AT_ONCE) + args.seed * 10**6)

            def work(low: int, high: int, states: Any = states, rows: Decisions = rows, before: int = first) -> None:
                play(states, network, guide, rows, args.one_of, before, low, high)

            spread(work, _AT_ONCE, args.threads)
            parts.append(Decisions(*(array[rows.games > 0] for array in rows)))
            first, found = first + _AT_ONCE, len(parts[-1].games)
            count += found
            bar.update(found)
    return Decisions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _rows(game: Game) -> Decisions:
    shape = (_AT_ONCE, _MOST)
    return Decisions(
        np.zeros(shape, np.int64),
        np.zeros((*shape, game.layout.size), game.layout.dtype),
        np.zeros((*shape, game.num_actions), np.int8),
        np.full((*shape, MOST_ACTIONS), -1, np.int64),
        np.zeros((*shape, 2, MOST_ACTIONS)),
        np.full((*shape, 2, MOST_ACTIONS), -np.inf),
    )


def make_examine(game: Game, config: SearchConfig, encoding: Encoding) -> Callable[..., None]:
    """Compiled (seen, may, key, guide, actions, gains, worth): try the plausible actions; the last three are filled."""
    propose, play = make_propose(encoding), make_play(game, config, encoding)

    def examine(seen, may, key, guide, actions, gains, worth):
        trial, positions = new_trial(), int(guide[SIMULATIONS])
        propose(trial, seen, may, guide[LEAST], guide[HEAD:])
        count = trial.size[ACTIONS]
        actions[:count] = trial.actions[:count]
        for half in range(2):
            before = trial.sums.copy()
            play(trial, seen, key, guide[PROPOSALS], guide[HEAD:], positions)
            weigh(trial, guide)
            worth[half, :count] = trial.worth[:count]
            gains[half, 1:count] = (trial.sums[1:count] - before[1:count]) / positions

    return compiled(examine)


def make_study(game: Game, config: SearchConfig, encoding: Encoding) -> Callable[..., None]:
    """Entry (states, network, guide, rows, one_of, before, low, high): play the games low .. high - 1, and study.

    ``before``: number of games before these states.
    """
    policy, examine = network_policy(encoding), make_examine(game, config, encoding)
    step, legal, encode = make_shared_step(game), game.rules.legal, game.rules.encode
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def study(states, network, guide, rows, one_of, before, low, high):
        seen, may = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for g in range(low, high):
            s, taken, found = states[g], 0, 0
            while is_running(s):
                legal(s, may)
                action = only_legal(may)
                if action == NONE:
                    encode(s, s.player, seen)
                    bits = stream(s.key, FOR_POLICIES, taken, 0)
                    action = policy(seen, may, bits, network)
                    if found < _MOST and below(draw(bits, 2), one_of) == 0:
                        key = stream(s.key, FOR_POSITIONS, taken, 0)
                        actions, gains, worth = rows.actions[g, found], rows.gains[g, found], rows.worth[g, found]
                        examine(seen, may, key, guide, actions, gains, worth)
                        rows.games[g, found] = 1 + before + g
                        rows.observations[g, found] = seen
                        rows.masks[g, found] = may
                        found += 1
                step(s, action)
                taken += 1

    return entry(study)


# ---------------------------------------------------------------- learning


def measure(decisions: Decisions, layers: Layers, encoding: Encoding, scale: float, seed: int) -> list[dict[str, Any]]:
    """What search gains at the tested decisions, and networks that have learned from parts of the others."""
    tested = decisions.games % _TESTED == 0
    test = Decisions(*(array[tested] for array in decisions))
    others = np.unique(decisions.games[~tested])
    rows = [{"name": "search", **_row(test, test.worth[:, 0].argmax(1), test.gains[:, 1])}]
    for part in PARTS:
        chosen = np.isin(decisions.games, others[: round(part * len(others))]) & ~tested
        network = learn(Decisions(*(array[chosen] for array in decisions)), layers, encoding, scale, seed)
        with torch.no_grad():
            favourites = _logits(network, test, encoding).argmax(1).numpy()
        learned = {"learned": int(chosen.sum()), **_row(test, favourites, test.gains.mean(1))}
        rows.append({"name": f"network, {chosen.sum():,} decisions", **learned})
    return rows


def _row(test: Decisions, favourites: npt.NDArray[np.int64], gains: npt.NDArray[np.float64]) -> dict[str, Any]:
    """What other favourites gain in the mean, with its interval, in which games are independent."""
    own, count = gains[np.arange(len(gains)), favourites], len(gains)
    by_game = np.bincount(np.unique(test.games, return_inverse=True)[1], own - own.mean())
    mean, half = float(own.mean()), Z * float(np.sqrt(np.square(by_game).sum())) / count
    return {
        "tested": count,
        "changed": float((favourites > 0).mean()),
        **asdict(Estimate(mean, mean - half, mean + half)),
    }


def learn(decisions: Decisions, layers: Layers, encoding: Encoding, scale: float, seed: int) -> nn.Sequential:
    """A copy of the network that has learned the probabilities that search makes of its own."""
    torch.manual_seed(seed)
    network = mlp([len(layers[0][0]), *(len(bias) for _, bias in layers)])
    set_layers(network, layers)
    targets = torch.softmax(torch.from_numpy(decisions.worth[:, 1]).float() / scale, 1)
    optimizer = torch.optim.Adam(network.parameters(), _LEARNING_RATE)
    updates = _EPOCHS * -(-len(targets) // _BATCH)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, updates)
    for _ in range(_EPOCHS):
        for rows in torch.split(torch.randperm(len(targets)), _BATCH):
            chosen = Decisions(*(array[rows.numpy()] for array in decisions))
            log_probs = torch.log_softmax(_logits(network, chosen, encoding), 1).clamp(min=-20)
            loss = -(targets[rows] * log_probs).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return network


def _logits(network: nn.Sequential, decisions: Decisions, encoding: Encoding) -> torch.Tensor:
    """Of the actions that were tried, (N, K)."""
    inputs = torch.from_numpy(encode_all(encoding, decisions.observations, decisions.masks))
    actions = torch.from_numpy(decisions.actions)
    logits: torch.Tensor = network(inputs).gather(1, actions.clamp(min=0))
    return logits.masked_fill(actions < 0, -torch.inf)


if __name__ == "__main__":
    main(tyro.cli(Args))
