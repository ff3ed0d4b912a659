"""Forecasts from a position: who wins, and what the next settlement does to each seat.

The truth is measured: frequencies of outcomes when a champion plays all seats of the real position, hidden cards
included. A forecast is made from what the player to act observes. It gets the logarithmic score and the Brier score
(Monthly Weather Review 78, 1950). Both are proper: the true probabilities have the best expected score (Gneiting and
Raftery, JASA 2007). The excess of a forecast is how much worse it scores than the truth: for the logarithm, the
Kullback-Leibler divergence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import Agent, CompiledAgent
from blackjacky_agents.games import agent_names
from blackjacky_agents.intervals import Estimate, Floats, of_values
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.search.playing_on import CHANGE, WIN, play_on
from blackjacky_agents.thoughts import Thoughts
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import ask, below, draw, entry, game_key, make_cast, spread, stream, zeros
from blackjacky_env.compiled.purposes import FOR_QUESTIONS
from blackjacky_env.declare import Game, Vector
from blackjacky_env.envs import MAX_SEED
from blackjacky_env.games import get_game
from blackjacky_env.play import DRAWN, NONE, is_running, make_choose, make_look, make_shared_step

FLOOR = 0.001
"""Weight of par in every forecast, so that no logarithm is infinite."""
BINS = 10  # of the reliability picture
Track = Callable[[Iterable[int]], Iterable[int]]
"""Passes on the numbers of positions, such as `tqdm`."""


class Truth(NamedTuple):
    """Moments of the outcomes of N positions over all playouts, (N, 2, P): rows `WIN`, `QUESTION`; seats clockwise."""

    means: Floats
    squares: Floats
    """Means of the squares."""
    playouts: int

    @property
    def variances(self) -> Floats:
        """Unbiased variances of single outcomes."""
        return np.maximum(self.squares - self.means**2, 0) * (self.playouts / (self.playouts - 1))


@dataclass(frozen=True)
class Task:
    """Positions to be asked about, with what becomes of them."""

    game: Game
    players: int
    observations: Vector
    """Of the player to act, (N, K)."""
    masks: npt.NDArray[np.int8]
    """Legal actions, (N, A)."""
    truth: Truth
    seed: int
    threads: int

    @property
    def questions(self) -> tuple[str, ...]:
        """What is asked, by row."""
        return ("wins",) if self.game.question is None else ("wins", self.game.question.words)


@dataclass(frozen=True)
class Scored:
    """Scores of a forecaster on one question, means over positions; lower is better."""

    question: str
    log: Estimate
    """In nats."""
    brier: Estimate
    log_excess: Estimate
    """Above the truth's own score."""
    brier_excess: Estimate
    reliability: list[tuple[float, float, int]]
    """By tenth of the forecast probability: mean forecast, mean frequency, number of seats."""


def make_task(
    game: str,
    num_players: int | None = None,
    variant: str | None = None,
    games: int = 100,
    playouts: int = 1000,
    seed: int = 0,
    threads: int = 1,
    track: Track = iter,
    **rule_options: Any,
) -> Task:
    """Draw one position from each game between the game's own agents, and play it out with the strongest in all seats.

    Args:
        game: name of the game.
        num_players: table size; None: the variant's.
        variant: None: the first that allows the size.
        games: number of games and positions, at least 2.
        playouts: of each position, for the truth, at least 2.
        seed: of the games, the seats and the playouts; the same seed gives the same task.
        threads: CPU threads; results do not depend on it.
        track: shows the progress.
        rule_options: the game's own options.

    Raises `TypeError` or `ValueError` for numbers out of range and tables that cannot be played.
    """
    check_integer("games", games, 2, 10**6)
    check_integer("playouts", playouts, 2, 10**6)
    check_integer("seed", seed, 0, MAX_SEED - 10**6)
    declared = get_game(game)
    players, variant = declared.choose_table(num_players, variant)
    agents = [make_compiled_agent(name, game) for name in agent_names(game)]
    states = zeros(games, declared.state_dtype)
    states[:] = declared.new_state(players, variant, declared.check_options(players, variant, rule_options))
    seating = np.random.default_rng(seed).integers(len(agents), size=(games, declared.max_players))
    drawn, seen, masks = draw_positions(declared, states, np.arange(games) + seed, seating, agents, threads)
    moments = [
        _moments(_outcomes(agents[-1], drawn[i : i + 1], playouts, seed + i, threads)[:, :, :players])
        for i in track(range(games))
    ]
    means, squares = np.array(moments).swapaxes(0, 1)
    return Task(declared, players, seen, masks, Truth(means, squares, playouts), seed, threads)


def _outcomes(agent: CompiledAgent, known: npt.NDArray[Any], playouts: int, seed: int, threads: int) -> Floats:
    """Rows `WIN` and `QUESTION` of playouts, (playouts, 2, max_players)."""
    found: Floats = play_on(agent, known, (NONE,), playouts, seed, threads)[:, 0, :CHANGE]
    return found


def _moments(outcomes: Floats) -> tuple[Floats, Floats]:
    return outcomes.mean(axis=0), (outcomes**2).mean(axis=0)


def draw_positions(
    game: Game,
    states: npt.NDArray[np.void],
    seeds: npt.NDArray[np.int64],
    seating: npt.NDArray[np.int64],
    agents: Sequence[CompiledAgent],
    threads: int = 1,
) -> tuple[npt.NDArray[np.void], Vector, npt.NDArray[np.int8]]:
    """Play games between compiled agents, and keep one position of each, every decision being equally likely.

    Args:
        game: the game.
        states: records with options written, (N,); left as the games ended.
        seeds: seed of each game as for ``reset``, (N,).
        seating: index of the agent in each seat, (N, max_players).
        agents: the agents.
        threads: CPU threads; results do not depend on it.

    Returns:
        The positions, records (N,), and what the player to act observes in each, (N, K), and may do, (N, A).
    """
    kept, shown = zeros(len(states), game.state_dtype), np.zeros((len(states), game.layout.size), game.layout.dtype)
    may = np.zeros((len(states), game.num_actions), np.int8)
    play, cast = _draw_positions(game), make_cast(game, [(agent.policy, agent.parameters) for agent in agents])
    spread(lambda *part: play(states, kept, shown, may, seeds, seating, cast, *part), len(states), threads)
    return kept, shown, may


@cache
def _draw_positions(game: Game) -> Callable[..., None]:
    choose, step, look, begin = make_choose(game, ask), make_shared_step(game), make_look(game), game.rules.begin
    size, dtype, num_actions = game.layout.size, game.layout.dtype, game.num_actions

    def play(states, kept, shown, may, seeds, seating, cast, first, last):  # type: ignore[no-untyped-def]  # compiled
        observation, mask = np.empty(size, dtype), np.empty(num_actions, np.int8)
        for i in range(first, last):
            s, decision = states[i], 0
            begin(s, game_key(seeds[i]), DRAWN)
            while is_running(s):
                if below(draw(stream(s.key, FOR_QUESTIONS, decision, 0), 0), decision + 1) == 0:
                    kept[i] = states[i]
                step(s, choose(s, seating[i, s.player], decision, cast, observation, mask))
                decision += 1
            look(kept[i], kept[i].player, shown[i], may[i])

    return entry(play)


# ---------------------------------------------------------------- forecasters, which return (N, rows, P)


def par(task: Task) -> Floats:
    """One in the number of players, for every seat and question."""
    return np.full((len(task.observations), len(task.questions), task.players), 1 / task.players)


def by_playouts(task: Task, agent: CompiledAgent, numbers: Sequence[int], track: Track = iter) -> list[Floats]:
    """Frequencies in playouts from positions sampled from the observation, with the agent in all seats.

    One more playout with the result par is counted, so that nothing is taken for impossible. ``numbers``: of playouts,
    one forecast for each; the first of the most are used for the fewer.
    """
    for number in numbers:
        check_integer("playouts", number, 1, 10**6)
    forecasts = [par(task) for _ in numbers]
    for i in track(range(len(task.observations))):
        outcomes = _outcomes(agent, task.observations[i], max(numbers), task.seed + i, task.threads)
        for forecast, number in zip(forecasts, numbers, strict=True):
            found = outcomes[:number, : len(task.questions), : task.players].sum(axis=0)
            forecast[i] = (found + forecast[i]) / (number + 1)
    return forecasts


def by_agent(task: Task, agent: Agent, track: Track = iter) -> Floats:
    """What an agent says about who wins: its ``forecast(observation)``, or the win estimate of its thoughts.

    ``forecast`` returns a probability for each seat, the player to act first and the others clockwise. A win estimate
    leaves the same to all others. Where thoughts weigh only one action, they may lack it: then the forecast is par.

    Raises `ValueError` if the agent has neither, if its thoughts lack the estimate elsewhere, or if it forecasts no
    probabilities.
    """
    own, explain = getattr(agent, "forecast", None), getattr(agent, "explain", None)
    if own is None and explain is None:
        raise _says_nothing(agent)
    agent.reset(task.seed)
    told = par(task)[:, :1]
    for i in track(range(len(told))):
        observation = {"observation": task.observations[i], "action_mask": task.masks[i]}
        if own is not None:
            told[i, WIN] = _checked(own(observation), task.players, agent.name)
            continue
        mind: Thoughts | None = explain(observation)  # type: ignore[misc]  # not None, as own is
        if mind is not None and mind.win is not None:
            told[i, WIN] = (1 - mind.win) / (task.players - 1)
            told[i, WIN, 0] = mind.win
        elif np.count_nonzero(task.masks[i] if mind is None else mind.probabilities) > 1:
            raise _says_nothing(agent)
    return told


def _says_nothing(agent: Agent) -> ValueError:
    return ValueError(
        f"agent {agent.name!r} does not say who wins; allowed are agents with forecast(observation), searches that "
        "estimate who wins ('search:N' and 'ismcts:N'), and any compiled agent with a number of playouts"
    )


def _checked(told: npt.ArrayLike, players: int, name: str) -> Floats:
    given = np.asarray(told, np.float64)
    if given.shape != (players,) or not (given >= 0).all() or abs(given.sum() - 1) > 1e-6:
        raise ValueError(f"agent {name!r} forecasts {given}; allowed are {players} probabilities, whose sum is 1")
    return given


# ---------------------------------------------------------------- scores


def score(task: Task, forecasts: Floats | None) -> list[Scored]:
    """Scores of forecasts (N, rows, P), for the questions of the first rows; None: of the truth itself."""
    rows = len(task.questions) if forecasts is None else forecasts.shape[1]
    return [_score_row(task, row, None if forecasts is None else forecasts[:, row]) for row in range(rows)]


def _score_row(task: Task, row: int, told: Floats | None) -> Scored:
    true, squares, variances = (
        moment[:, row] for moment in (task.truth.means, task.truth.squares, task.truth.variances)
    )
    weighted = None if told is None else (1 - FLOOR) * told + FLOOR / task.players
    if row != WIN:  # yes or no for each seat
        true, squares = np.stack([true, 1 - true], axis=-1), np.stack([squares, 1 - 2 * true + squares], axis=-1)
        variances = np.stack([variances, variances], axis=-1)
        weighted = None if weighted is None else np.stack([weighted, 1 - weighted], axis=-1)
    own_log, own_brier = entropy(true, variances / task.truth.playouts), variances.sum(axis=-1)
    log, brier = (
        (own_log, own_brier) if weighted is None else (log_score(weighted, true), brier_score(weighted, true, squares))
    )
    frequencies = task.truth.means[:, row]
    return Scored(
        task.questions[row],
        log=_mean(log),
        brier=_mean(brier),
        log_excess=_mean(log - own_log),
        brier_excess=_mean(brier - own_brier),
        reliability=reliability(frequencies if told is None else told, frequencies),
    )


def log_score(told: Floats, true: Floats) -> Floats:
    """Expected negative logarithm of the probability of what happens, in nats; categories along the last axis."""
    scores: Floats = -(true * np.log(told)).sum(axis=-1)
    return scores


def brier_score(told: Floats, true: Floats, squares: Floats) -> Floats:
    """Expected sum of the squares of (forecast - outcome), from means and mean squares of the outcomes."""
    scores: Floats = (told**2 - 2 * told * true + squares).sum(axis=-1)
    return scores


def entropy(true: Floats, errors: Floats) -> Floats:
    """The log score of the truth: its entropy, corrected for being estimated (Miller 1955), from squared errors."""
    safe = np.where(true > 0, true, 1)
    scores: Floats = (-true * np.log(safe) + np.where(true > 0, errors / (2 * safe), 0)).sum(axis=-1)
    return scores


def _mean(values: Floats) -> Estimate:
    """The mean over positions, the first axis, and over the questions of a position."""
    each = values.reshape(len(values), -1).mean(axis=1)
    count = len(each)
    expected = float(each.var(ddof=1)) / count
    return of_values(each / count, np.zeros(count, np.int64), expected, -np.inf, np.inf)


def reliability(told: Floats, true: Floats) -> list[tuple[float, float, int]]:
    """Mean forecast, mean frequency and number of seats in each tenth of the forecast probability that occurs."""
    bins = np.minimum((told * BINS).astype(np.int64), BINS - 1)
    return [
        (float(told[chosen].mean()), float(true[chosen].mean()), int(chosen.sum()))
        for number in range(BINS)
        if (chosen := bins == number).any()
    ]


def truth_error(task: Task, row: int) -> float:
    """Root mean square standard error of the true frequencies of a question."""
    return float(np.sqrt((task.truth.variances[:, row] / task.truth.playouts).mean()))
