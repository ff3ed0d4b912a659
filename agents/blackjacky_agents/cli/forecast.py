"""``blackjacky forecast``: how well an agent forecasts who wins.

The truth is measured: frequencies of wins when a champion plays all seats of the real position, hidden cards included.
A forecast is made from what the player to act observes. It gets the logarithmic score and the Brier score (Monthly
Weather Review 78, 1950). Both are proper: the true probabilities have the best expected score (Gneiting and Raftery,
JASA 2007). The excess of a forecast is how much worse it scores than the truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tyro

from blackjacky_agents.agent import Agent, CompiledAgent, secret_seed
from blackjacky_agents.cli.arguments import GameArgs, R, ThreadsArgs, check_writable, command_line, read_arguments
from blackjacky_agents.cli.errors import checking_input
from blackjacky_agents.games import agent_names
from blackjacky_agents.intervals import Estimate, Floats, of_values
from blackjacky_agents.registry import make_agent, make_compiled_agent
from blackjacky_agents.reports import markdown_table, percent, progress_bar, ready_for_json
from blackjacky_agents.search.playing_on import WIN, play_on
from blackjacky_agents.storage.files import versions, write_json
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import zeros
from blackjacky_env.envs import TableEnv
from blackjacky_env.play import NONE, unpack

FLOOR = 0.001
"""Weight of par in every forecast, so that no logarithm is infinite."""
USUAL = 1000  # playouts of agents that tell no forecast themselves
Observation = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class Args(ThreadsArgs, GameArgs[R]):
    """Score an agent's forecasts of who wins.

    Positions are drawn from games between the game's own agents; the truth is what becomes of them when the strongest
    plays on in all seats. The agent sees what the player to act observes. It tells its own forecast, if it has one, or
    plays out positions with other hidden cards.

    $ blackjacky forecast champion
    $ blackjacky forecast counter --playouts 100 --games 50
    $ blackjacky forecast search:100 --games 50
    """

    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Name, `ppo:PATH`, `package.module:NAME` (your class or function) or `cmd:COMMAND` (a program)."""
    playouts: int | None = None
    """Forecast by this many playouts of each position; by default what the agent says itself, or 1000."""
    players: int | None = None
    """Table size; by default that of the named table, or the variant's."""
    games: int = 100
    """Number of games, each of which gives one position."""
    truth_playouts: int = 1000
    """Playouts of each position for the truth."""
    seed: int = 0
    """Random seed: game i has seed SEED + i."""
    output: Path | None = None
    """Write the results to this file (JSON)."""


def main(arguments: Sequence[str], program: str) -> int:
    """Run the subcommand; returns the exit status."""
    args = read_arguments(Args, arguments, program)
    with checking_input():
        agent, env = check(args)
        champion = agent_names(args.game)[-1]
        plays_on, told, moments = make_compiled_agent(champion, args.game), [], []
        agent.reset(args.seed)
        with progress_bar(args.games) as bar:
            for number, (state, observation) in enumerate(positions(env, args.games, args.seed)):
                shares = playouts(plays_on, state, args.truth_playouts, args.seed + number, args.threads, env)
                if not isinstance(agent, CompiledAgent):
                    agent.reset(secret_seed(args.seed, number))  # it may remember the last position, of another game
                moments.append((shares.mean(axis=0), (shares**2).mean(axis=0)))
                told.append(forecast_of(agent, observation, args, args.seed + number, env))
                bar.update()
    means, squares = np.array(moments).swapaxes(0, 1)
    truth, par = Truth(means, squares, args.truth_playouts), np.full(means.shape, 1 / env.num_players)
    forecasts = {"truth": None, "par": par, args.agent: np.array(told)}
    rows = {name: score(truth, forecast) for name, forecast in forecasts.items()}
    if args.output is not None:
        facts = {"command": command_line(program, arguments), "versions": versions(), "players": env.num_players}
        scored = [
            {"forecast by": name, **{key: asdict(each) for key, each in found.items()}} for name, found in rows.items()
        ]
        write_json(args.output, ready_for_json({**facts, "results": scored}))
    cells = [[name, *_cells(found, "log"), *_cells(found, "Brier")] for name, found in rows.items()]
    heading = ["forecast by", "log score", "excess", "95 % interval", "Brier score", "excess", "95 % interval"]
    error = float(np.sqrt((truth.variances / truth.playouts).mean()))
    print(
        f"{markdown_table(heading, cells)}\n\nStandard error of a true frequency: {percent(error)}.\n\n"
        f"{args.games:,} positions of {env.num_players} players, one from each game. Truth: {truth.playouts:,} "
        f"playouts of each by {champion}. Lower is better; excess: over the truth's own score."
    )
    return 0


def check(args: Args[Any]) -> tuple[Agent, TableEnv]:
    """The agent and its table; `ValueError` for invalid options."""
    check_integer("--games", args.games, 2, 10**6)
    check_integer("--truth-playouts", args.truth_playouts, 2, 10**6)
    check_integer("--seed", args.seed, 0, 2**62)
    check_writable("--output", args.output)
    if args.players is not None:
        args.check_players(args.players)
    agent = make_agent(args.agent, args.game)
    if args.playouts is not None:
        check_integer("--playouts", args.playouts, 1, 10**6)
        if not isinstance(agent, CompiledAgent):
            raise ValueError(f"--playouts {args.playouts}: agent {args.agent!r} is not compiled; leave the option out")
    return agent, TableEnv(args.game, args.players or args.table_players, args.variant, **args.rule_options)


# ---------------------------------------------------------------- positions and forecasts


def positions(env: TableEnv, games: int, seed: int) -> Iterator[tuple[npt.NDArray[np.void], Observation]]:
    """One position of each game between the game's own agents, every decision being equally likely.

    Yields a record (1,), and what the player to act observes there.
    """
    rng = np.random.default_rng(seed)
    agents = [make_compiled_agent(name, env.game.name) for name in agent_names(env.game.name)]
    for number, agent in enumerate(agents):
        agent.reset(seed + number)
    for game in range(seed, seed + games):
        env.reset(seed=game)
        seated = dict(zip(env.possible_agents, rng.integers(len(agents), size=env.num_players), strict=True))
        decisions = 0
        while not all(env.terminations.values()):
            player, decisions = env.agent_selection, decisions + 1
            observation = env.observe(player)
            if rng.integers(decisions) == 0:
                kept = env.get_state(), observation
            env.step(agents[seated[player]].act(observation))
        state = zeros(1, env.game.state_dtype)
        state[:] = np.frombuffer(unpack(kept[0])[1], state.dtype)[:1]
        yield state, kept[1]


def playouts(
    agent: CompiledAgent, position: npt.NDArray[Any], number: int, seed: int, threads: int, env: TableEnv
) -> Floats:
    """Shares of the win with the agent in all seats, (number, P), from a record or what the player to act knows."""
    return play_on(agent, position, (NONE,), number, seed, threads)[:, 0, WIN, : env.num_players]


def forecast_of(agent: Agent, observation: Observation, args: Args[Any], seed: int, env: TableEnv) -> Floats:
    """What the agent says itself, or finds in playouts, (P,); `ValueError` if it can do neither."""
    speaks = hasattr(agent, "forecast") or hasattr(agent, "explain")
    if not isinstance(agent, CompiledAgent) or (args.playouts is None and speaks):
        return asked(agent, observation, env.num_players)
    number = args.playouts or USUAL
    wins = playouts(agent, observation["observation"], number, seed, args.threads, env).sum(axis=0)
    found: Floats = (wins + 1 / env.num_players) / (number + 1)  # one more, so that all is possible
    return found


def asked(agent: Agent, observation: Observation, players: int) -> Floats:
    """An agent's ``forecast(observation)``, or the win estimate of its thoughts, which leaves the same to all others.

    Where thoughts weigh only one action they may lack it: then the forecast is par.
    """
    if forecast := getattr(agent, "forecast", None):
        told = np.asarray(forecast(observation), np.float64)
        if told.shape != (players,) or not (told >= 0).all() or abs(told.sum() - 1) > 1e-6:
            raise ValueError(f"agent {agent.name!r} forecasts {told}; allowed are {players} probabilities, sum 1")
        return told
    mind = agent.explain(observation) if hasattr(agent, "explain") else None
    if mind is not None and mind.win is not None:
        return np.array([mind.win, *[(1 - mind.win) / (players - 1)] * (players - 1)])
    weighed = observation["action_mask"] if mind is None else mind.probabilities
    if not hasattr(agent, "explain") or np.count_nonzero(weighed) > 1:
        raise ValueError(
            f"agent {agent.name!r} does not say who wins; allowed are agents with forecast(observation), searches that "
            "estimate who wins ('search:N' and 'ismcts:N'), and any compiled agent with a number of playouts"
        )
    return np.full(players, 1 / players)


# ---------------------------------------------------------------- scores


class Truth(NamedTuple):
    """Shares of the win over all playouts of N positions, (N, P), the player to act first and the others clockwise."""

    means: Floats
    squares: Floats
    """Means of the squares."""
    playouts: int

    @property
    def variances(self) -> Floats:
        """Unbiased variances of single outcomes."""
        return np.maximum(self.squares - self.means**2, 0) * (self.playouts / (self.playouts - 1))


def score(truth: Truth, told: Floats | None) -> dict[str, Estimate]:
    """Scores of forecasts (N, P), means over positions, and their excess over the truth's; None: of the truth itself.

    The truth's own log score is its entropy, corrected for being estimated (Miller 1955).
    """
    true, variances = truth.means, truth.variances
    safe = np.where(true > 0, true, 1)
    entropy = (-true * np.log(safe) + np.where(true > 0, variances / truth.playouts / (2 * safe), 0)).sum(axis=-1)
    log, brier = entropy, variances.sum(axis=-1)
    if told is not None:
        mixed = (1 - FLOOR) * told + FLOOR / told.shape[1]
        log, brier = -(true * np.log(mixed)).sum(axis=-1), (mixed**2 - 2 * mixed * true + truth.squares).sum(axis=-1)
    excesses = {"log excess": log - entropy, "Brier excess": brier - variances.sum(axis=-1)}
    return {name: _mean(each) for name, each in {"log score": log, "Brier score": brier, **excesses}.items()}


def _mean(values: Floats) -> Estimate:
    count = len(values)
    return of_values(values / count, np.zeros(count, np.int64), float(values.var(ddof=1)) / count, -np.inf, np.inf)


def _cells(found: dict[str, Estimate], name: str) -> list[str]:
    excess = found[f"{name} excess"]
    interval = f"{excess.low:.4f} .. {excess.high:.4f}" if excess.low < excess.high else "-"
    return [f"{found[f'{name} score'].mean:.3f}", f"{excess.mean:.4f}", interval]
