"""Analysis of a recorded game: every player's chance of winning at every position, and what moves have cost.

Estimates use what the player in question could know: hidden cards are dealt at random, and the game's strongest agent
plays on in all seats to the end of the round (`blackjacky_agents.search.outcomes`). Nothing depends on the clock, so
the same record always gets the same analysis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import get_kit
from blackjacky_agents.registry import make_agent
from blackjacky_agents.search.outcomes import outcomes
from blackjacky_agents.search.tree import NONE
from blackjacky_agents.thoughts import MOST_PLAYOUTS, explain
from blackjacky_env.engine.backend_cpu import check_threads, spread
from blackjacky_env.engine.checks import check_integer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.replay import Alternative, Thoughts, WinCurve, chance_to_win, new_table

_FOR_WINS, _FOR_MOVES = 24_000, 16_000  # sampled positions in all, unless `playouts` is given
_FEWEST, _MOST_FOR_WINS, _MOST_FOR_MOVES = 8, 64, 256  # for one estimate
_ALTERNATIVES = 2  # actions compared with one that the agent would not have taken
_CONFIDENCE = 0.95
_AT_ONCE = 16

Track = Callable[[Sequence[int]], Iterable[int]]
"""Passes on the numbers of the parts of the work, such as `tqdm`."""


class Analysis(NamedTuple):
    """What `replay_html` shows beside a game."""

    thoughts: list[Thoughts]
    """By move: the player's own or the agent's, with an `Alternative` where the agent would have acted differently."""
    curve: WinCurve


class _Question(NamedTuple):
    """What the observer may expect after each of the actions, from so many samples."""

    vector: npt.NDArray[Any]
    actions: tuple[int, ...]
    samples: int


class _Course(NamedTuple):
    """A game as its players saw it."""

    env: TableEnv
    """At the end of the record."""
    actions: list[int]
    vectors: list[list[npt.NDArray[Any]]]
    """The observation of each seat before each action."""
    seats: list[int]
    """Who took each action."""
    minds: list[Thoughts]
    """What the agent would have done in place of that player."""


def strongest(game: str) -> CompiledAgent | None:
    """The game's last trained agent, if it has any."""
    trained = list(get_kit(game).trained)
    agent = make_agent(trained[-1], game) if trained else None
    return agent if isinstance(agent, CompiledAgent) else None


def analyse(
    record: Any,
    agent: CompiledAgent,
    own: Sequence[Thoughts | None] | None = None,
    playouts: int | None = None,
    threads: int | None = None,
    track: Track = iter,
) -> Analysis:
    """Estimate each player's chance of winning at every position, and find moves that have cost some of it.

    Where the agent would not have taken the action taken, that is compared with the likeliest other ones in the same
    samples. The intervals of all these comparisons together hold with 95 %, so that a long game does not get mistakes
    by chance.

    Args:
        record: from `TableEnv.record`, of a finished or a running game.
        agent: a network; it plays on, and its thoughts stand where ``own`` has none.
        own: the players' own thoughts, by move.
        playouts: sampled positions for each estimate; None: up to 64, and fewer or not at every position in games so
            long that it would take minutes.
        threads: number of threads; None: one per core.
        track: shows the progress.

    Raises `ValueError` if the record cannot be played, ``playouts`` is out of range, or ``own`` has another length.
    """
    if playouts is not None:
        check_integer("playouts", playouts, 1, MOST_PLAYOUTS)
    course = _follow(record, agent)
    own = [None] * len(course.actions) if own is None else own
    places, wins = _win_questions(course, playouts)
    moves, compared = _move_questions(course, playouts)
    answers = _answer(agent, [*wins, *compared], check_threads(threads), track)
    curve = _curve(course, places, answers[: len(wins)], agent.name)
    others = dict(zip(moves, _alternatives(course, compared, answers[len(wins) :]), strict=True))
    thoughts = [
        replace(mine or mind, win=float(curve.wins[step, seat]), alternative=others.get(step))
        for step, (mine, mind, seat) in enumerate(zip(own, course.minds, course.seats, strict=True))
    ]
    return Analysis(thoughts, curve)


def _follow(record: Any, agent: CompiledAgent) -> _Course:
    env = new_table(record)
    course = _Course(env, list(record["actions"]), [], [], [])
    for action in course.actions:
        mind = explain(agent, env.observe(env.agent_selection))
        if mind is None:
            raise TypeError(f"{agent.name} tells no probabilities; an analysis needs a network")
        course.minds.append(replace(mind, by=agent.name))
        course.seats.append(env.possible_agents.index(env.agent_selection))
        course.vectors.append([env.observe(each)["observation"] for each in env.possible_agents])
        env.step(action)
    return course


# ---------------------------------------------------------------- what is estimated


def _win_questions(course: _Course, playouts: int | None) -> tuple[list[tuple[int, int]], list[_Question]]:
    """Positions with seats, and the questions for their chances of winning.

    In games that are too long for all of them, the players who are not to act are asked at every k-th position.
    """
    players, moves = course.env.num_players, len(course.actions)
    stride, samples = 1, playouts or 0
    if playouts is None:
        stride = max(1, math.ceil(moves * players * _FEWEST / _FOR_WINS))
        samples = _share(_FOR_WINS * stride, moves * players, _MOST_FOR_WINS)
    places = [
        (step, seat)
        for step in range(moves)
        for seat in range(players)
        if step % stride == 0 or seat == course.seats[step]
    ]
    return places, [_Question(course.vectors[step][seat], (NONE,), samples) for step, seat in places]


def _move_questions(course: _Course, playouts: int | None) -> tuple[list[int], list[_Question]]:
    """The moves at which the agent would have acted differently, and the questions for what that had changed."""
    minds = zip(course.actions, course.minds, strict=True)
    moves = [step for step, (action, mind) in enumerate(minds) if int(mind.probabilities.argmax()) != action]
    samples = playouts or _share(_FOR_MOVES, len(moves) * (1 + _ALTERNATIVES), _MOST_FOR_MOVES)
    questions = []
    for step in moves:
        taken, probabilities = course.actions[step], course.minds[step].probabilities
        likely = [action for action in np.argsort(-probabilities, kind="stable").tolist() if probabilities[action] > 0]
        others = [action for action in likely if action != taken][:_ALTERNATIVES]
        questions.append(_Question(course.vectors[step][course.seats[step]], (taken, *others), samples))
    return moves, questions


def _share(samples: int, estimates: int, most: int) -> int:
    return min(max(samples // max(estimates, 1), _FEWEST), most)


def _answer(
    agent: CompiledAgent, questions: Sequence[_Question], threads: int, track: Track
) -> list[npt.NDArray[np.float64]]:
    """The `outcomes` of all questions."""
    answers: list[npt.NDArray[np.float64]] = [np.empty((0, 0))] * len(questions)

    def work(start: int, first: int, last: int) -> None:
        for number in range(start + first, start + last):
            answers[number] = outcomes(agent, *questions[number])

    for start in track(range(0, len(questions), _AT_ONCE)):
        spread(partial(work, start), min(_AT_ONCE, len(questions) - start), threads)
    return answers


# ---------------------------------------------------------------- what follows from it


def _curve(
    course: _Course, places: Sequence[tuple[int, int]], answers: Sequence[npt.NDArray[np.float64]], player: str
) -> WinCurve:
    players = course.env.num_players
    wins = np.full((len(course.actions) + 1, players), np.nan)
    for (step, seat), rewards in zip(places, answers, strict=True):
        wins[step, seat] = chance_to_win(rewards.mean(), players)
    if any(course.env.terminations.values()):
        winners = course.env.snapshot()["winners"] or range(players)
        wins[-1] = [(seat in winners) / len(winners) for seat in range(players)]
    return WinCurve(wins, _note(answers, players, player) if answers else "")


def _note(answers: Sequence[npt.NDArray[np.float64]], players: int, player: str) -> str:
    error = _of_rewards(players) * np.mean([_standard_error(rewards[:, 0]) for rewards in answers])
    margin = 100 * NormalDist().inv_cdf((1 + _CONFIDENCE) / 2) * error
    return (
        f"From what each player knows: {len(answers[0])} samples of the cards hidden from that player, with {player} "
        f"playing on in all seats. The 95 % intervals are ± {margin:.1f} % on average."
    )


def _of_rewards(players: int) -> float:
    """The factor from differences of "win" rewards to those of chances of winning."""
    return (players - 1) / players


def _alternatives(
    course: _Course, questions: Sequence[_Question], answers: Sequence[npt.NDArray[np.float64]]
) -> list[Alternative]:
    """The best of the other actions in each question, with intervals that hold together."""
    scale = _of_rewards(course.env.num_players)
    comparisons = sum(len(question.actions) - 1 for question in questions)
    width = NormalDist().inv_cdf(1 - (1 - _CONFIDENCE) / 2 / max(comparisons, 1))
    found = []
    for question, rewards in zip(questions, answers, strict=True):
        gains = scale * (rewards[:, 1:] - rewards[:, :1])
        best = int(gains.mean(axis=0).argmax())
        gain, margin = gains[:, best].mean(), width * _standard_error(gains[:, best])
        found.append(Alternative(question.actions[1 + best], float(np.clip(gain, -1, 1)), float(margin)))
    return found


def _standard_error(values: npt.NDArray[np.float64]) -> float:
    """Of the mean; of a single value it is unknown, taken as 1."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 1.0
