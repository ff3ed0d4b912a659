"""Luck: the win rate of a perfect-information oracle, and how much of the results cards and seats decide.

The oracle (here: the sighted player) searches as `search:N` does, but whole rounds and from the state itself: it knows
all hidden cards and the order of the draw pile, though not what others will choose, and tries improbable actions in all
games. Its win rate against copies of a network shows roughly what that knowledge is worth; it is no proven upper bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.intervals import Estimate, Floats, of_deals, shares_of, student
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.encoding import Encoding
from blackjacky_agents.learning.network import find_network, network_policy
from blackjacky_agents.search.guided import LEAST, best_of, guided_parameters, make_search
from blackjacky_agents.search.searchers import MOST
from blackjacky_env.engine.backend_cpu import spread
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.engine.compiling import entry, zeros
from blackjacky_env.engine.game import Game
from blackjacky_env.engine.play import DRAWN
from blackjacky_env.engine.purposes import FOR_POLICIES
from blackjacky_env.engine.random import game_key, stream
from blackjacky_env.engine.step import NONE, is_running, make_shared_step, only_legal
from blackjacky_env.games import get_game


@dataclass(frozen=True)
class Luck:
    """Results of copies of a network at one table, and of a sighted player among them."""

    players: int
    variant: str
    deals: int
    """Each played with the sighted player in every seat."""
    deals_of_copies: int
    """Each played twice by copies of the network."""
    sighted: Estimate
    """Win rate of the sighted player among copies of the network; par is 1 / players."""
    explained: Estimate
    """Share of the variance of who wins that the cards and the seat explain, 0 .. 1, among copies that sample their
    actions: the rest is what they choose."""


def measure_luck(
    network: CompiledAgent,
    num_players: int,
    variant: str | None = None,
    deals: int = 1000,
    deals_of_copies: int = 10_000,
    simulations: int = 400,
    seed: int = 0,
    threads: int = 2,
    **rule_options: Any,
) -> Luck:
    """Play deals with a sighted player in each seat in turn, and twice with copies that sample their actions.

    Args:
        network: a trained agent, whose most probable action the other players take.
        num_players: table size.
        variant: name of the variant; None: the usual one of the size.
        deals: number of deals with the sighted player, at least 2.
        deals_of_copies: number of deals without, at least 2.
        simulations: of the sighted player's decisions, 1 .. 1,000,000.
        seed: of the deals.
        threads: CPU threads; results do not depend on their number.
        rule_options: the game's own options.

    Raises `TypeError` if the agent is not a network, `ValueError` for numbers out of range and options that cannot be
    played.
    """
    check_integer("deals", deals, 2, 2**31)
    check_integer("deals_of_copies", deals_of_copies, 2, 2**31)
    check_integer("simulations", simulations, 1, MOST)
    players, variant = get_game(network.game).choose_table(num_players, variant)
    table = (players, variant, get_game(network.game).check_options(players, variant, rule_options))
    numbers = np.repeat(np.arange(deals), players) + seed
    seats = np.tile(np.arange(players), deals)
    shares = _play(network, table, numbers, seats, np.zeros(len(numbers), np.int64), simulations, threads, greedy=True)
    own = shares[np.arange(len(shares)), seats].reshape(deals, players).mean(axis=1)
    mean = float(own.mean())
    low, high = of_deals(mean, own / deals, np.zeros(deals, np.int64), deals * players)
    twice, nobody = np.repeat(np.arange(deals_of_copies), 2) + seed, np.full(2 * deals_of_copies, NONE)
    again = _play(network, table, twice, nobody, np.tile([0, 1], deals_of_copies), 1, threads, greedy=False)
    explained = _explained(again.reshape(deals_of_copies, 2, -1)[:, :, :players])
    return Luck(players, variant, deals, deals_of_copies, Estimate(mean, low, high), explained)


def _explained(shares: Floats) -> Estimate:
    """The share of the variance that deal and seat explain, from two games of each deal, (deals, 2, players).

    It is the intraclass correlation of the two results of a seat; the interval is that of the jackknife over deals.
    """
    centred = shares - shares.mean()
    together = (centred[:, 0] * centred[:, 1]).mean(axis=1)
    alone = (np.square(centred).mean(axis=1)).mean(axis=1)
    ratio = float(together.sum() / alone.sum())
    without = (together.sum() - together) / (alone.sum() - alone)
    count = len(shares)
    half = student(0.975, count - 1) * float(np.sqrt((count - 1) / count * np.square(without - without.mean()).sum()))
    return Estimate(ratio, ratio - half, ratio + half)


def _play(
    network: CompiledAgent,
    table: tuple[int, str, Any],
    seeds: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    repeats: npt.NDArray[np.int64],
    simulations: int,
    threads: int,
    *,
    greedy: bool,
) -> Floats:
    """Shares of the win (N, max_players) of games with these seeds and the sighted player in these seats, or `NONE`."""
    game, (packed, encoding) = get_game(network.game), find_network(network)
    states = zeros(len(seeds), game.state_dtype)
    states[:] = game.new_state(*table)
    parameters = packed.parameters.copy()
    parameters[0] = greedy
    guide = guided_parameters(simulations, get_kit(game.name).whole_rounds, packed)
    guide[LEAST] = 0.0  # what the network does not see may make improbable actions good
    play = _make_play(game, encoding)

    def work(first: int, last: int) -> None:
        play(states, seeds, seats, repeats, parameters, guide, first, last)

    spread(work, len(seeds), threads)
    return shares_of(states["winners"] > 0)


@cache
def _make_play(game: Game, encoding: Encoding) -> Callable[..., None]:
    search = make_search(game, get_kit(game.name).whole_rounds, encoding, True)
    policy, step = network_policy(encoding), make_shared_step(game)
    begin, encode, legal = game.rules.begin, game.rules.encode, game.rules.legal
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def play(states, seeds, seats, repeats, network, guide, first, last):  # type: ignore[no-untyped-def]  # compiled
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for i in range(first, last):
            s, decision = states[i], 0
            begin(s, game_key(seeds[i]), DRAWN)
            while is_running(s):
                legal(s, mask)
                action = only_legal(mask)
                if action == NONE:
                    encode(s, s.player, observation)
                    bits = stream(s.key, FOR_POLICIES, decision, repeats[i])
                    if s.player == seats[i]:
                        action = best_of(search(observation, mask, s, bits, guide))
                    else:
                        action = np.int64(policy(observation, mask, bits, network))
                step(s, action)
                decision += 1

    return entry(play)
