"""Analysis of a recorded game: every player's chance of winning at every position, and what moves have cost.

Estimates use what the player in question could know: the cards hidden from that player are dealt at random, and an
agent plays on in all seats to the end of the round (`search.playing_on`). Nothing depends on the clock, so the same
record always gets the same analysis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.intervals import student
from blackjacky_agents.search.playing_on import WIN, play_on
from blackjacky_env.checks import check_integer
from blackjacky_env.compiled import check_threads, spread
from blackjacky_env.declare import Vector
from blackjacky_env.draw import Say, say
from blackjacky_env.envs import TableEnv
from blackjacky_env.play import NONE
from blackjacky_env.replay import Thoughts, WinCurve, new_table

MOST_PLAYOUTS = 100_000
_FOR_WINS = 24_000, 8, 64  # samples of a game, and the fewest and the most for one estimate
_FOR_MOVES = 16_000, 32, 256  # the same for the costs of moves
_CONFIDENCE = 0.95
_AT_ONCE = 16


class Analysis(NamedTuple):
    """What `blackjacky_env.replay_html` shows beside a game."""

    thoughts: list[Thoughts | None]
    """The given thoughts, with estimates and costs."""
    curve: WinCurve


class _Question(NamedTuple):
    """What ``seat`` may expect before the move number ``step``, or after each of the actions in its place."""

    step: int
    seat: int
    actions: tuple[int, ...]


Answers = list[tuple[_Question, npt.NDArray[np.float64]]]
"""The chances of winning in each sample after each action, (samples, actions), by question."""
Section = Sequence[tuple[Vector, tuple[int, ...], int]]
"""Some of the questions, as whoever answers them needs them: the observation, the actions, and how many samples."""


Track = Callable[[Sequence[Section]], Iterable[Section]]
"""Passes on the parts of the work, such as `tqdm`."""


def analyse(
    record: Mapping[str, Any],
    agent: CompiledAgent,
    thoughts: Sequence[Thoughts | None],
    playouts: int | None = None,
    threads: int | None = None,
    track: Track = iter,
) -> Analysis:
    """Estimate each player's chance of winning at every position, and what moves that surprise have cost.

    A move that is not the most probable one in ``thoughts`` is compared with that one, in the same samples. The
    intervals of all these costs of a player hold together with 95 %, so that a long game has no mistakes by chance.

    Args:
        record: from `TableEnv.record`, of a finished or a running game.
        agent: plays on in all seats.
        thoughts: before each move, as from `blackjacky_agents.search.explaining.play`; None where unknown.
        playouts: sampled positions for each estimate and each cost; None: 64 and 256, or fewer in long games, down to 8
            and 32.
        threads: number of threads; None: one per core.
        track: shows the progress.

    Raises `ValueError` if the record cannot be played or ``playouts`` is out of range.
    """
    inquiry = Inquiry(record, thoughts, playouts)
    threads = check_threads(threads)
    for part in track(inquiry.parts):
        inquiry.answers += answer(agent, part, threads)
    return inquiry.analysis(agent.name)


class Inquiry:
    """An analysis in parts; arguments and errors are those of `analyse`.

    ``answers``: those that `answer` has given to the first of the ``parts``.
    """

    def __init__(
        self, record: Mapping[str, Any], thoughts: Sequence[Thoughts | None], playouts: int | None = None
    ) -> None:
        if playouts is not None:
            playouts = check_integer("playouts", playouts, 2, MOST_PLAYOUTS)
        env, vectors, self._seats = new_table(record), [], list[int]()
        for action in record["actions"]:
            self._seats.append(env.possible_agents.index(env.agent_selection))
            vectors.append([env.observe(each)["observation"] for each in env.possible_agents])
            env.step(action)
        self._env, self._thoughts = env, thoughts
        for_wins = [
            _Question(step, seat, (NONE,)) for step in range(len(self._seats)) for seat in range(env.num_players)
        ]
        for_moves = []
        for step, (seat, action, mind) in enumerate(zip(self._seats, record["actions"], thoughts, strict=True)):
            if mind is not None and (best := int(mind.probabilities.argmax())) != action:
                for_moves.append(_Question(step, seat, (action, best)))
        samples = {1: _samples(len(for_wins), _FOR_WINS), 2: _samples(2 * len(for_moves), _FOR_MOVES)}
        self._questions, self._estimates = [*for_wins, *for_moves], len(for_wins)
        asked = [
            (vectors[step][seat], actions, playouts or samples[len(actions)]) for step, seat, actions in self._questions
        ]
        self.parts: list[Section] = [asked[start : start + _AT_ONCE] for start in range(0, len(asked), _AT_ONCE)]
        self.answers: list[npt.NDArray[np.float64]] = []

    def analysis(self, player: str) -> Analysis:
        """The analysis, once all parts are answered; ``player``: the name of the agent that has answered."""
        answers, players = list(zip(self._questions, self.answers, strict=True)), self._env.num_players
        answers = [(each, (1 + (players - 1) * rewards) / players) for each, rewards in answers]
        curve = _curve(self._env, answers[: self._estimates], len(self._seats), player)
        costs = _costs(answers[self._estimates :], players)
        judged = [
            mind and replace(mind, win=float(curve.wins[step, seat]), cost=costs.get(step))
            for step, (mind, seat) in enumerate(zip(self._thoughts, self._seats, strict=True))
        ]
        return Analysis(judged, curve)


def answer(agent: CompiledAgent, part: Section, threads: int) -> list[npt.NDArray[np.float64]]:
    """The "win" rewards of the player to whom each question is put, after each action in each sample."""
    answers = [np.empty((0, 0))] * len(part)

    def work(first: int, last: int) -> None:
        for number in range(first, last):
            answers[number] = play_on(agent, *part[number], ends=False)[:, :, WIN, 0]

    spread(work, len(part), threads)
    return answers


def _samples(estimates: int, budget: tuple[int, int, int]) -> int:
    total, fewest, most = budget
    return min(max(total // max(estimates, 1), fewest), most)


def _curve(env: TableEnv, answers: Answers, moves: int, player: str) -> WinCurve:
    """``env``: the table after all moves."""
    players = env.num_players
    wins = np.full((moves + 1, players), np.nan)
    for (step, seat, _), chances in answers:
        wins[step, seat] = np.clip(chances.mean(), 0, 1)
    if any(env.terminations.values()):
        winners = env.snapshot()["winners"] or range(players)
        wins[-1] = [(seat in winners) / len(winners) for seat in range(players)]
    return WinCurve(wins, _note([chances for _, chances in answers], player) if answers else "")


def _note(answers: Sequence[npt.NDArray[np.float64]], player: str) -> Say:
    quantile = student((1 + _CONFIDENCE) / 2, len(answers[0]) - 1)
    margin = quantile * np.mean([_error(chances[:, 0]) for chances in answers])
    told = (
        "From what each player could know: {samples} samples of the hidden cards, in which {player} plays on in all "
        "seats. The 95 % intervals are ± {margin} % on average."
    )
    return say(told, samples=len(answers[0]), player=player, margin=f"{100 * margin:.1f}")


def _costs(answers: Answers, players: int) -> dict[int, tuple[float, float, float]]:
    """What moves have cost, with intervals that hold together for all moves of a player (Bonferroni)."""
    costs, moves = {}, np.bincount([question.seat for question, _ in answers], minlength=players)
    for (step, seat, _), chances in answers:
        differences = chances[:, 1] - chances[:, 0]
        cost = differences.mean()
        half = student(1 - (1 - _CONFIDENCE) / 2 / moves[seat], len(differences) - 1) * _error(differences)
        mean, low, high = np.clip([cost, cost - half, cost + half], -1, 1).tolist()
        costs[step] = (mean, low, high)
    return costs


def _error(values: npt.NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values))
