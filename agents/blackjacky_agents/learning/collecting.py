"""Collecting decisions for policy gradients: whole stretches of play in one compiled call, the network included.

Every seat that the learner has in a game learns. A decision leads to the next decision of the same seat, to which
rewards, values and advantages are linked. Forced decisions are played, but neither learned from nor counted.

Rewards are shaped by a potential of each seat (Ng, Harada and Russell, "Policy invariance under reward
transformations", ICML 1999): its score, or what the position is worth with all cards face up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.encoding import Encoding
from blackjacky_agents.learning.lineups import LEARNER
from blackjacky_agents.networks.network import forward, softmax, widest
from blackjacky_env.compiled import (
    ask,
    below,
    compiled,
    copied,
    draw,
    entry,
    game_key,
    make_cast,
    score_of,
    spread,
    stream,
)
from blackjacky_env.compiled.purposes import FOR_LINEUPS, FOR_POLICIES
from blackjacky_env.declare import Game, Vector
from blackjacky_env.play import (
    DRAWN,
    NONE,
    SETTLED,
    check_arrays,
    check_entries,
    checked,
    is_running,
    make_shared_step,
    only_legal,
    read_games,
)

NOT_DECIDED = -1


class Tables(NamedTuple):
    """N games that go on from one stretch to the next, with up to P seats."""

    states: npt.NDArray[Any]
    """Records with their options, (N,)."""
    seating: npt.NDArray[np.int64]
    """Who has each seat, (N, P): `LEARNER`, or 1 + the number of an opponent."""
    decisions: npt.NDArray[np.int64]
    """Decisions in the running game, (N,)."""
    started: npt.NDArray[np.int64]
    """Games started so far, (N,)."""
    stages: npt.NDArray[np.int64]
    """The stage of each game when it was last valued, (N,); see `SearchConfig.stage`."""
    potentials: npt.NDArray[np.float64]
    """What each seat's position was worth then, as a "win" reward, (N, P); zeros if rewards are shaped by the score."""


class Stretch(NamedTuple):
    """T decisions of the learner in each of N games."""

    inputs: npt.NDArray[np.float32]
    """What the network saw, (N, T, F)."""
    masks: npt.NDArray[np.bool_]
    """Legal actions, (N, T, A)."""
    actions: npt.NDArray[np.int64]
    """(N, T)."""
    log_probs: npt.NDArray[np.float32]
    """Of the actions, when they were taken, (N, T)."""
    values: npt.NDArray[np.float32]
    """Of the positions, as the network estimated them, (N, T)."""
    advantages: npt.NDArray[np.float32]
    """Generalised advantage estimates, (N, T); values plus these are what the values should have been."""


class Links(NamedTuple):
    """How the decisions of a stretch are linked, for one game of T decisions and P seats."""

    rewards: npt.NDArray[np.float64]
    """What the decision has earned until the next one of its seat, (T,)."""
    following: npt.NDArray[np.int64]
    """The next decision of the same seat in the stretch, (T,), or `NONE`."""
    last: npt.NDArray[np.int64]
    """The last decision of each seat, (P,), or `NOT_DECIDED`."""
    potentials: npt.NDArray[np.float64]
    """Of each seat at its last decision, (P,)."""


class Seen(NamedTuple):
    """Buffers for what the player to act sees, (K,) and (A,), and for the network's answer."""

    observation: Vector
    mask: npt.NDArray[np.int8]
    values: npt.NDArray[np.float32]
    """Of `forward`, whose first row gets the network's input."""
    rows: npt.NDArray[np.int64]
    """Of `forward`."""
    probabilities: npt.NDArray[np.float64]
    """Of the actions, (A,)."""


class Returns(NamedTuple):
    """How rewards are added up."""

    gamma: float
    """Discount per decision of a seat."""
    gae_lambda: float
    """Lambda of generalised advantage estimation (Schulman et al., ICLR 2016)."""
    score_shaping: float
    """Weight of the score as a potential."""
    value_shaping: bool
    """Whether the potential is the value (`SearchConfig.value`) where a simulation last might have ended instead."""


class Shaping(NamedTuple):
    """How rewards are shaped."""

    appraise: Callable[..., None]
    """Compiled (s, flags, i, tables): value game i in its tables where that is due after a move of these flags."""
    potential: Callable[..., float]
    """Compiled (s, i, seat, tables, returns) -> the potential of a seat in game i."""


class Collector:
    """Plays N games with the learner in some of the seats.

    Args:
        game: the game.
        encoding: the network's input.
        states: records with options written, (N,); the games start in the first stretch.
        length: decisions of the learner in each game in a stretch, T.
        returns: how rewards are added up.
        seed: of the games.
        threads: CPU threads; results do not depend on their number.
    """

    def __init__(
        self,
        game: Game,
        encoding: Encoding,
        states: npt.NDArray[Any],
        length: int,
        returns: Returns,
        seed: int,
        threads: int,
    ) -> None:
        self.game, self.encoding, self.length, self.returns = game, encoding, length, returns
        self.seed, self.threads = seed, threads
        count = len(states)
        self.tables = Tables(
            states,
            seating=np.zeros((count, game.max_players), np.int64),
            decisions=np.zeros(count, np.int64),
            started=np.zeros(count, np.int64),
            stages=np.zeros(count, np.int64),
            potentials=np.zeros((count, game.max_players)),
        )
        states["player"] = -1  # no game is running
        self._play = _make_collect(game, encoding, returns.value_shaping)

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of the arrays of all games."""
        arrays = {name: getattr(self.tables, name).copy() for name in Tables._fields[1:]}
        return {"states": copied(self.tables.states).view(np.uint8).copy(), **arrays}

    def read(self, arrays: Mapping[str, npt.NDArray[Any]], opponents: int) -> Tables:
        """Tables with the arrays of `save` of games with so many opponents; `ValueError` if they are of no such games.

        Games that have not been started are as they are here.
        """
        what, own = "the games", self.tables
        checked = check_arrays(what, arrays, self.save())
        check_entries(f"seating of {what}", checked["seating"], 0, opponents)
        for name in ("decisions", "started"):
            check_entries(f"{name} of {what}", checked[name], 0, 2**62)
        started = checked["started"] > 0
        states = copied(own.states)
        states[started] = read_games(
            self.game, checked["states"].reshape(len(states), -1)[started], own.states[started]
        )
        return Tables(**{**checked, "states": states})

    def restore(self, tables: Tables) -> None:
        """Go on from what `read` has checked."""
        for own, array in zip(self.tables, tables, strict=True):
            own[:] = array

    def collect(
        self,
        network: npt.NDArray[np.float32],
        opponents: Sequence[CompiledAgent],
        lineups: npt.NDArray[np.int64],
    ) -> Stretch:
        """Play until every game has T further decisions of the learner.

        Args:
            network: packed; its outputs are the logits of the actions, then the value.
            opponents: those that line-ups name.
            lineups: who has the seats clockwise of one of the learner's, (L, P - 1); each game draws that seat and a
                row.
        """
        count, length = len(self.tables.states), self.length
        stretch = Stretch(
            np.empty((count, length, self.encoding.size), np.float32),
            np.empty((count, length, self.game.num_actions), np.bool_),
            np.empty((count, length), np.int64),
            np.empty((count, length), np.float32),
            np.empty((count, length), np.float32),
            np.empty((count, length), np.float32),
        )
        cast = make_cast(self.game, [(agent.policy, agent.parameters) for agent in opponents])
        more = (self.returns, np.uint64(self.seed))

        def work(first: int, last: int) -> None:
            self._play(self.tables, stretch, network, cast, lineups, *more, first, last)

        spread(work, count, self.threads)
        return stretch


@cache
def _make_collect(game: Game, encoding: Encoding, value_shaping: bool) -> Callable[..., None]:
    """Entry that plays a stretch of the games first .. last - 1."""
    shaping = (_value_shaping if value_shaping else _score_shaping)(game)
    size, dtype, num_actions, players = game.layout.size, game.layout.dtype, game.num_actions, game.max_players
    start, end = _make_start(game, shaping), _make_end(game)
    decide, look_ahead = _make_decide(game, encoding, shaping), _make_look_ahead(game, encoding, shaping)

    def collect(tables, stretch, network, cast, lineups, returns, seed, first, last):
        length, units = stretch.actions.shape[1], widest(network)
        seen = Seen(
            np.empty(size, dtype),
            np.empty(num_actions, np.int8),
            np.empty((2, units), np.float32),
            np.empty(units + 1, np.int64),
            np.empty(num_actions),
        )
        links = Links(np.empty(length), np.empty(length, np.int64), np.empty(players, np.int64), np.empty(players))
        result = np.empty(players)
        for i in range(first, last):
            s, t = tables.states[i], 0
            links.last[:] = NOT_DECIDED
            while t < length:
                if not is_running(s):
                    start(s, i, tables, lineups, seed)
                t += decide(s, i, t, tables, stretch, network, cast, returns, seen, links)
                if not is_running(s):
                    end(s, result, links)
            if is_running(s):
                look_ahead(s, i, tables, network, returns, seen, links)
            estimate(stretch.values[i], stretch.advantages[i], returns, links)

    return entry(collect)


def _make_decide(game: Game, encoding: Encoding, shaping: Shaping) -> Callable[..., int]:
    """Compiled: play one move of game i; 1 if it was the learner's, with a choice, and is noted at t, else 0."""
    encode, legal, show, features = game.rules.encode, game.rules.legal, encoding.function, encoding.size
    note, move = _make_note(shaping), _make_move(game, shaping)

    def decide(s, i, t, tables, stretch, network, cast, returns, seen, links):
        agent = tables.seating[i, s.player]
        bits = stream(s.key, FOR_POLICIES, tables.decisions[i], 0)
        tables.decisions[i] += 1
        legal(s, seen.mask)
        only = only_legal(seen.mask)
        if only != NONE:
            move(s, only, i, tables)
            return 0
        encode(s, s.player, seen.observation)
        if agent != LEARNER:
            move(s, asked(seen, bits, cast, agent), i, tables)
            return 0
        show(seen.observation, seen.mask, seen.values[0][:features])
        stretch.inputs[i, t] = seen.values[0][:features]
        stretch.masks[i, t] = seen.mask > 0
        outputs = seen.values[forward(seen.values, seen.rows, network)]
        stretch.values[i, t] = outputs[len(seen.mask)]
        action = sampled(outputs, seen, bits)
        stretch.log_probs[i, t] = np.log(seen.probabilities[action])
        stretch.actions[i, t] = action
        note(s, i, t, tables, returns, links)
        move(s, action, i, tables)
        return 1

    return compiled(decide)


@compiled
def asked(seen, bits, cast, agent):
    """What an opponent does."""
    own = cast.parameters[cast.offsets[agent - 1] : cast.offsets[agent]]
    return checked(ask(cast.addresses[agent - 1], seen.observation, seen.mask, bits, own), seen.mask)


@compiled
def sampled(outputs, seen, bits):
    """An action sampled from the probabilities, which are left in ``seen``."""
    softmax(outputs, seen.mask, seen.probabilities)
    uniform, chosen = (draw(bits, 0) >> np.uint64(11)) / 2.0**53, -1
    for action in range(len(seen.mask)):
        if seen.mask[action] and uniform >= 0.0:
            chosen = action
            uniform -= seen.probabilities[action]
    return chosen


def _make_start(game: Game, shaping: Shaping) -> Callable[..., None]:
    """Compiled (s, i, tables, lineups, seed): start the next game at index i and seat the players."""
    begin, appraise = game.rules.begin, shaping.appraise

    def start(s, i, tables, lineups, seed):
        draws = stream(seed, FOR_LINEUPS, i, tables.started[i])
        tables.started[i] += 1
        tables.decisions[i] = 0
        begin(s, game_key(draw(draws, 0) >> np.uint64(1)), DRAWN)
        own = np.int64(below(draw(draws, 1), s.num_players))
        lineup = below(draw(draws, 2), len(lineups))
        for relative in range(s.num_players):
            seat = own + relative
            if seat >= s.num_players:
                seat -= s.num_players
            tables.seating[i, seat] = LEARNER if relative == 0 else lineups[lineup, relative - 1]
        appraise(s, SETTLED, i, tables)

    return compiled(start)


def _score_shaping(game: Game) -> Shaping:
    """By the seat's score less the mean score of the table."""
    score = score_of(game.rules)

    def potential(s, i, seat, tables, returns):
        total = 0.0
        for other in range(s.num_players):
            total += score(s, other)
        return returns.score_shaping * (score(s, seat) - total / s.num_players)

    return Shaping(compiled(lambda s, flags, i, tables: None), compiled(potential))


def _value_shaping(game: Game) -> Shaping:
    """By what search would say of the position, hidden cards included, where a simulation last might have ended."""
    config = get_kit(game.name).search
    value, stage = config.value, config.stage or compiled(lambda s: 0)
    assert value is not None  # see `check_settings`

    def appraise(s, flags, i, tables):
        if is_running(s) and (flags & SETTLED or stage(s) != tables.stages[i]):
            tables.stages[i] = stage(s)
            value(s, tables.potentials[i])

    return Shaping(compiled(appraise), compiled(lambda s, i, seat, tables, returns: tables.potentials[i, seat]))


def _make_move(game: Game, shaping: Shaping) -> Callable[..., None]:
    """Compiled (s, action, i, tables): make a move in game i, and appraise where it leads to."""
    step, appraise = make_shared_step(game), shaping.appraise

    def move(s, action, i, tables):
        appraise(s, step(s, action), i, tables)

    return compiled(move)


def _make_note(shaping: Shaping) -> Callable[..., None]:
    """Compiled (s, i, t, tables, returns, links): link the seat's last decision to this one, its number t."""
    potential = shaping.potential

    def note(s, i, t, tables, returns, links):
        seat = s.player
        before, now = links.last[seat], potential(s, i, seat, tables, returns)
        if before != NOT_DECIDED:
            links.rewards[before] = returns.gamma * now - links.potentials[seat]
            links.following[before] = t
        links.last[seat] = t
        links.potentials[seat] = now

    return compiled(note)


def _make_end(game: Game) -> Callable[..., None]:
    """Compiled (s, result, links): pay what the last decisions of the seats have led to; potentials end at 0."""
    pay = game.rules.returns

    def end(s, result, links):
        result[:] = 0.0
        pay(s, result)
        for seat in range(s.num_players):
            before = links.last[seat]
            if before != NOT_DECIDED:
                links.rewards[before] = result[seat] - links.potentials[seat]
                links.following[before] = NONE
            links.last[seat] = NOT_DECIDED

    return compiled(end)


def _make_look_ahead(game: Game, encoding: Encoding, shaping: Shaping) -> Callable[..., None]:
    """Compiled (s, i, tables, network, returns, seen, links): value what seats that have decided see at the end."""
    potential = shaping.potential
    encode, legal, show, features = game.rules.encode, game.rules.legal, encoding.function, encoding.size

    def look_ahead(s, i, tables, network, returns, seen, links):
        for seat in range(s.num_players):
            before = links.last[seat]
            if before == NOT_DECIDED:
                continue
            encode(s, seat, seen.observation)
            seen.mask[:] = 0
            if s.player == seat:
                legal(s, seen.mask)
            show(seen.observation, seen.mask, seen.values[0][:features])
            value = seen.values[forward(seen.values, seen.rows, network), len(seen.mask)]
            now = potential(s, i, seat, tables, returns)
            links.rewards[before] = returns.gamma * (now + value) - links.potentials[seat]
            links.following[before] = NONE

    return compiled(look_ahead)


@compiled
def estimate(values, advantages, returns, links):
    """Fill in the advantages (T,) of the decisions of one game, from the last to the first."""
    for t in range(len(values) - 1, -1, -1):
        following = links.following[t]
        advantages[t] = links.rewards[t] - values[t]
        if following != NONE:
            advantages[t] += returns.gamma * (values[following] + returns.gae_lambda * advantages[following])
