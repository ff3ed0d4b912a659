"""The league: one network learns to play at tables of all kinds, against a growing pool of opponents.

It is approximate policy iteration with roll-outs (Tesauro and Galperin 1996; Lagoudakis and Parr 2003), in small
steps: at some decisions of whole games every legal action is tried out to the end of the round (`lookahead.study`),
and the policy moves towards what did better, all actions at once (mean actor-critic; Allen et al. 2017), so that no
luck of the action taken comes in, and no critic is needed but for how the players stand after a round. It begins by
imitating a teacher. The network's weights are averaged over time. Opponents are drawn by how often they win against
the learner (prioritised fictitious self-play; Vinyals et al. 2019): bots, earlier copies of the learner, and
exploiters, which are copies that went on to learn against the learner alone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from tqdm import tqdm

from blackjacky_agents import bot_names
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.arena.evaluation import Score, against_copies
from blackjacky_agents.files import versions
from blackjacky_agents.games import get_kit
from blackjacky_agents.learning.checkpoint import (
    AGENT_FILE,
    Arrays,
    load_checkpoint,
    read_network,
    save_agent,
    save_checkpoint,
)
from blackjacky_agents.learning.encoding import Encoding, find_encoding
from blackjacky_agents.learning.lookahead import Studies, study
from blackjacky_agents.learning.network import (
    Layers,
    encode_all,
    layers_of,
    network_policy,
    pack,
)
from blackjacky_agents.learning.ppo import (
    CHECKPOINT_SECONDS,
    LIBRARIES,
    Clock,
    compiled_agent,
    draw_curve,
    forget_tests_after,
    stop_gently,
)
from blackjacky_agents.learning.settings import LeagueSettings, check_league_settings
from blackjacky_env import make_batch
from blackjacky_env.engine.compiling import zeros
from blackjacky_env.engine.layout import Vector
from blackjacky_env.games import get_game

_STANDING_UNITS = (64, 64)
_NETWORKS = ("policy", "averaged", "standing", "stakes")
_JUDGING_UPDATES = 50  # of the network for standings, before anything is tried out
_SEEDS = 2**40  # of games belong to each seed of a league
_EXPLOITER_SEEDS = 2**62  # of an exploiter's games, beyond those of the league
_WARM_AVERAGE = 0.05
_LESSON_GAMES, _LESSON_MEMORY, _LESSON_UPDATES = 4096, 500_000, 8
_MISTAKES = 0.05  # share of random actions in lessons
_NEVER = -1e9  # logit of an illegal action
_DECAY = 0.99  # of what is remembered of wins, from one batch of games to the next

# ---------------------------------------------------------------- the learner


class Memory:
    """The newest rows of some arrays of one length.

    Args:
        rows: how many are kept.
        shapes: shape and dtype of a row in each array.
    """

    def __init__(self, rows: int, *shapes: tuple[tuple[int, ...], npt.DTypeLike]) -> None:
        self._arrays: list[npt.NDArray[Any]] = [np.zeros((rows, *shape), dtype) for shape, dtype in shapes]
        self._rows, self._added = rows, 0

    def __len__(self) -> int:
        return min(self._rows, self._added)

    def add(self, *rows: npt.NDArray[Any]) -> None:
        """Add rows to each array; the oldest go if there is no room."""
        places = np.arange(self._added, self._added + len(rows[0])) % self._rows
        for array, new in zip(self._arrays, rows, strict=True):
            array[places] = new
        self._added += len(rows[0])

    def draw(self, count: int, rng: np.random.Generator) -> list[npt.NDArray[Any]]:
        """Random rows of each array, the same of all."""
        chosen = rng.integers(len(self), size=count)
        return [array[chosen] for array in self._arrays]


class Learner:
    """A network for the policy and two for standings (worth, and what is at stake), with what they learn from.

    Args:
        settings: sizes and rates.
        seed: of the first weights and of what is drawn from the memory.
        start: layers to begin with instead of random ones.
    """

    def __init__(self, settings: LeagueSettings, seed: int, start: Layers | None = None) -> None:
        self.settings, game = settings, get_game(settings.game)
        self.encoding = find_encoding(settings.encoding, game.name)
        standing = get_kit(game.name).standing_encoding
        assert standing is not None  # as the settings were checked
        self.standing_encoding = standing
        self.rng = np.random.default_rng([seed, 2])
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.policy = perceptron([self.encoding.size, *settings.hidden, game.num_actions])
            self.averaged = perceptron([self.encoding.size, *settings.hidden, game.num_actions])
            self.standing = perceptron([self.standing_encoding.size, *_STANDING_UNITS, 1])
            self.stakes = perceptron([self.standing_encoding.size, *_STANDING_UNITS, 1])
        if start is not None:
            set_layers(self.policy, start)
        self.averaged.load_state_dict(self.policy.state_dict())
        self._optimizers = {
            "policy": torch.optim.Adam(self.policy.parameters()),
            "standing": torch.optim.Adam(self.standing.parameters()),
            "stakes": torch.optim.Adam(self.stakes.parameters()),
        }
        observation = ((game.layout.size,), game.layout.dtype)
        self._decisions = Memory(settings.memory, observation, ((game.num_actions,), np.float16))
        self._standings = Memory(2 * settings.memory, observation, ((), np.float32))

    def agent(self, greedy: bool) -> CompiledAgent:
        """Who plays by the averaged network: its likeliest actions, or (not greedy) samples."""
        parameters = pack(layers_of(linears(self.averaged)), greedy)
        return CompiledAgent("learner", self.settings.game, network_policy(self.encoding), parameters)

    def worth(self) -> tuple[Encoding, npt.NDArray[np.float32]]:
        """What `study` takes to estimate the worth of a standing."""
        return self.standing_encoding, pack(layers_of(linears(self.standing)), True)

    def remember(self, studies: Studies) -> None:
        """Keep what was tried out and how games ended."""
        self._decisions.add(studies.observations, studies.values)
        self._standings.add(studies.standings, studies.shares)

    def learn(self, studied: int, left: float) -> float:
        """Updates for so many new decisions; ``left``: share of the training (0 .. 1). Returns the mean entropy."""
        if not len(self._decisions):  # nothing has been in doubt yet
            return 0.0
        updates = max(1, self.settings.reuse * studied // self.settings.batch)
        self.learn_standings(max(1, updates // 2), left)
        return sum(self._learn_policy(left) for _ in range(updates)) / updates

    def learn_standings(self, updates: int, left: float) -> None:
        """Bring the chance to win that a standing shows closer to who won."""
        for _ in range(updates):
            observations, shares = self._standings.draw(self.settings.batch, self.rng)
            shown = torch.from_numpy(encode_all(self.standing_encoding, observations))
            loss = nn.functional.binary_cross_entropy_with_logits(self.standing(shown)[:, 0], torch.from_numpy(shares))
            self._step("standing", loss, left)

    def _learn_policy(self, left: float) -> float:
        """One update: towards the actions that did better than the policy does, in units of what is at stake.

        A heart is worth little in the first round at a table of six and everything in the last round of a duel. With
        differences divided by their usual size at such standings each decision counts as much as it is free of chance.
        """
        observations, values = self._decisions.draw(self.settings.batch, self.rng)
        target = torch.from_numpy(values.astype(np.float32))
        tried = torch.isfinite(target)
        target = centred(target.masked_fill(~tried, 0), tried)
        advantage = target / self._learn_stakes(observations, target, tried, left)
        shown = torch.from_numpy(encode_all(self.encoding, observations, ~np.isnan(values)))
        logarithm = torch.log_softmax(self.policy(shown).masked_fill(~tried, _NEVER), 1)
        chance = logarithm.exp()
        entropy = -(chance * logarithm).sum(1)
        loss = -((chance * advantage).sum(1) + self.settings.entropy * (0.2 + left) * entropy).mean()
        self._step("policy", loss, left)
        self._average(self.settings.average)
        return float(entropy.mean().detach())

    def imitate(self, lessons: Lessons, left: float) -> float:
        """One update towards what a teacher does; returns the share of actions that were the teacher's already."""
        observations, masks, actions = lessons.draw(self.settings.batch, self.rng)
        legal, wanted = torch.from_numpy(masks > 0), torch.from_numpy(actions)
        logits = self.policy(torch.from_numpy(encode_all(self.encoding, observations, masks))).masked_fill(
            ~legal, _NEVER
        )
        # Illegal actions cannot share in the smoothing, as they have no chance to lower the loss by.
        logarithm, smoothing = torch.log_softmax(logits, 1), self.settings.smoothing
        sure = nn.functional.nll_loss(logarithm, wanted)
        open_minded = -((logarithm * legal).sum(1) / legal.sum(1)).mean()
        self._step("policy", (1 - smoothing) * sure + smoothing * open_minded, left)
        self._average(_WARM_AVERAGE)
        return float((logits.argmax(1) == wanted).float().mean())

    def _average(self, share: float) -> None:
        with torch.no_grad():
            for mean, new in zip(self.averaged.parameters(), self.policy.parameters(), strict=True):
                mean.lerp_(new, share)

    def _learn_stakes(
        self, observations: Vector, target: torch.Tensor, tried: torch.Tensor, left: float
    ) -> torch.Tensor:
        """The usual size of differences at these standings, (N, 1): the spread that makes them likeliest."""
        logarithm = self.stakes(torch.from_numpy(encode_all(self.standing_encoding, observations)))
        variance = target.square().sum(1, keepdim=True) / (tried.sum(1, keepdim=True) - 1)
        self._step("stakes", (variance * torch.exp(-2 * logarithm) / 2 + logarithm).mean(), left)
        return torch.exp(logarithm.detach()).clamp(min=0.01)

    def _step(self, which: str, loss: torch.Tensor, left: float) -> None:
        optimizer = self._optimizers[which]
        for group in optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * (0.05 + 0.95 * left)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    def state(self) -> Arrays:
        """All weights and moments; what is remembered is left out."""
        arrays: Arrays = {}
        for name in _NETWORKS:
            arrays |= {f"{name}.{key}": tensor.numpy() for key, tensor in getattr(self, name).state_dict().items()}
        for name, optimizer in self._optimizers.items():
            for number, moments in optimizer.state_dict()["state"].items():
                arrays |= {f"adam {name}.{number} {key}": tensor.numpy() for key, tensor in moments.items()}
        return arrays

    def set_state(self, groups: Mapping[str, Arrays]) -> None:
        """Go on from what `state` gave, by the first part of the names."""
        for name in _NETWORKS:
            tensors = {key: torch.from_numpy(array.copy()) for key, array in groups[name].items()}
            getattr(self, name).load_state_dict(tensors)
        for name, optimizer in self._optimizers.items():
            moments: dict[int, dict[str, torch.Tensor]] = {}
            for key, array in groups.get(f"adam {name}", {}).items():
                number, _, which = key.partition(" ")
                moments.setdefault(int(number), {})[which] = torch.from_numpy(array.copy())
            optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})


def perceptron(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def linears(network: nn.Sequential) -> list[nn.Linear]:
    """The linear layers in order."""
    return [layer for layer in network if isinstance(layer, nn.Linear)]


def read_start(settings: LeagueSettings) -> Layers:
    """The layers that the learner begins with; `ValueError` if they are of another encoding or other sizes."""
    layers, encoding, _ = read_network(
        get_kit(settings.game).trained.get(settings.start, settings.start), settings.game
    )
    sizes = tuple(len(bias) for _, bias in layers[:-1])
    if (encoding.name, sizes) != (settings.encoding, settings.hidden):
        raise ValueError(
            f"start={settings.start!r} has encoding={encoding.name!r} and hidden={sizes}; "
            f"the learner has encoding={settings.encoding!r} and hidden={settings.hidden}"
        )
    return layers


def set_layers(network: nn.Sequential, layers: Layers) -> None:
    """Give a network the weights of layers of the same sizes."""
    for linear, (weight, bias) in zip(linears(network), layers, strict=True):
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(weight.T.copy()))
            linear.bias.copy_(torch.from_numpy(bias.copy()))


def centred(values: torch.Tensor, tried: torch.Tensor) -> torch.Tensor:
    """Values (N, A) of actions that were tried out less their mean; 0 elsewhere."""
    mean = (values * tried).sum(1, keepdim=True) / tried.sum(1, keepdim=True)
    return (values - mean) * tried


# ---------------------------------------------------------------- games


class Played(NamedTuple):
    """A batch of games: who sat where, and what each seat won."""

    seating: npt.NDArray[np.int64]
    """Number of the agent in each seat, (N, P); -1: no such seat."""
    shares: npt.NDArray[np.float64]
    """1 / number of winners for a winner, else 0, (N, P)."""
    studies: Studies


def play_tables(
    learner: Learner,
    agents: Sequence[CompiledAgent],
    seating: npt.NDArray[np.int64],
    first_seed: int,
    rate: float | None = None,
) -> Played:
    """Play whole games and try out decisions of agent 0.

    Game i has seed ``first_seed + i``, the i-th table size of the settings, and agents ``seating[i]`` (N, P). ``rate``
    instead of that of the settings.
    """
    settings, game, count = learner.settings, get_game(learner.settings.game), len(seating)
    sizes = table_sizes(settings, count)
    quick = np.random.default_rng([first_seed, 3]).random(count) < settings.schnell_duell
    states = zeros(count, game.state_dtype)
    for i in range(count):
        states[i] = template(game.name, int(sizes[i]), game.variants[int(quick[i])].name)
    studied = np.arange(len(agents)) == 0
    studies = study(
        game,
        states,
        np.arange(first_seed, first_seed + count),
        seating,
        [(agent.policy, agent.parameters) for agent in agents],
        studied,
        settings.rate if rate is None else rate,
        settings.most,
        learner.worth(),
        (learner.encoding, settings.doubt) if settings.doubt else None,
        settings.threads,
    )
    winners = states["winners"].astype(float)
    shares = winners / np.maximum(winners.sum(axis=1, keepdims=True), 1)
    return Played(np.where(np.arange(game.max_players) < sizes[:, None], seating, -1), shares, studies)


def table_sizes(settings: LeagueSettings, count: int) -> npt.NDArray[np.int64]:
    """The table size of each game of a batch, (N,)."""
    return np.resize(np.array(settings.players, np.int64), count)


@cache
def template(name: str, num_players: int, variant: str) -> Any:
    """A record of the game of that name with options written."""
    game = get_game(name)
    return game.new_state(num_players, variant, game.check_options(num_players, variant, {}))[0]


def seat_among(
    settings: LeagueSettings, weights: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Who sits where in a batch of games, (N, P): 0 is the learner, and 1 + i opponent i, drawn by its weight.

    The learner alone, in one seat among copies of one opponent, or in one seat and some others at a mixed table.
    """
    count, seats = settings.games, get_game(settings.game).max_players
    rows = np.arange(count)
    own = rng.integers(table_sizes(settings, count))
    seating = 1 + rng.choice(len(weights), (count, seats), p=weights / weights.sum())
    kind = rng.random((count, 1))
    mixed = kind >= settings.alone + settings.copies_of_one
    seating = np.where(mixed, seating, seating[:, :1])
    seating[mixed & (rng.random((count, seats)) < settings.alone)] = 0
    seating[kind[:, 0] < settings.alone] = 0
    seating[rows, own] = 0
    return seating


# ---------------------------------------------------------------- the pool


@dataclass
class Opponent:
    """One of the pool, and how the learner fared at tables with it."""

    name: str
    agent: CompiledAgent
    won: float = 1.0
    """What the learner won there lately, per seat of its own; older games count less and less."""
    lost: float = 1.0
    """What this opponent won, per seat."""

    @property
    def weight(self) -> float:
        """How often it is played: the more, the more it wins."""
        return (self.lost / (self.won + self.lost)) ** 2 + 0.02


def count_wins(pool: Sequence[Opponent], played: Played) -> None:
    """Note for each opponent what it and the learner won where both sat."""
    seating, shares = played.seating, played.shares
    own = seating == 0
    for number, opponent in enumerate(pool, start=1):
        theirs = seating == number
        both = own.any(axis=1) & theirs.any(axis=1)
        won, lost = ((shares * of)[both].sum(axis=1) / of[both].sum(axis=1) for of in (own, theirs))
        opponent.won = _DECAY * opponent.won + float(won.sum())
        opponent.lost = _DECAY * opponent.lost + float(lost.sum())


# ---------------------------------------------------------------- lessons


class Lessons:
    """Games of a teacher in all seats, with a random action now and then, so that mistakes are met as well.

    Args:
        settings: table sizes, seed and so on.
    """

    def __init__(self, settings: LeagueSettings) -> None:
        self.settings, game = settings, get_game(settings.game)
        self.teacher = compiled_agent(settings.teacher, settings.game)
        self.rng = np.random.default_rng([settings.seed, 5])
        self.teacher.reset(settings.seed)
        self.batch = make_batch(
            settings.game, _LESSON_GAMES, list(settings.players), seed=settings.seed, threads=settings.threads
        )
        self._decisions = Memory(
            _LESSON_MEMORY, ((game.layout.size,), game.layout.dtype), ((game.num_actions,), np.int8), ((), np.int64)
        )

    def go_on(self) -> int:
        """One move in each game; returns how many of the teacher's choices are new."""
        observations, masks = self.batch.observations, self.batch.action_masks
        actions = self.teacher.act_batch(observations, masks)
        open_to_choice = masks.sum(axis=1) > 1
        self._decisions.add(observations[open_to_choice], masks[open_to_choice], actions[open_to_choice])
        at_random = np.argmax(self.rng.random(masks.shape) * masks, axis=1)
        self.batch.step(np.where(self.rng.random(len(actions)) < _MISTAKES, at_random, actions))
        return int(open_to_choice.sum())

    def draw(self, count: int, rng: np.random.Generator) -> list[npt.NDArray[Any]]:
        """Observations, masks and the teacher's actions."""
        return self._decisions.draw(count, rng)


# ---------------------------------------------------------------- best responses


def respond(learner: Learner, opponent: CompiledAgent, steps: int, first_seed: int) -> Iterator[int]:
    """Let the learner learn against copies of one opponent in all other seats; yields steps made, batch by batch."""
    rng = np.random.default_rng([first_seed, 4])
    alone = replace(learner.settings, alone=0.0, copies_of_one=1.0)
    made = 0
    while made < steps:
        seating = seat_among(alone, np.ones(1), rng)
        first_seed += len(seating)
        played = play_tables(learner, [learner.agent(greedy=False), opponent], seating, first_seed)
        if not len(played.studies.values):  # it has no doubts left
            return
        learner.remember(played.studies)
        made += len(played.studies.values)
        learner.learn(len(played.studies.values), max(0.0, 1 - made / steps))
        yield made


def learn_to_judge(learner: Learner, agents: Sequence[CompiledAgent], first_seed: int) -> None:
    """Some games of the first agent in which nothing is tried out, so that standings are not judged at random."""
    seating = np.zeros((learner.settings.games, get_game(learner.settings.game).max_players), np.int64)
    played = play_tables(learner, agents, seating, first_seed, rate=0.0)
    learner.remember(played.studies)
    learner.learn_standings(_JUDGING_UPDATES, 1.0)


# ---------------------------------------------------------------- the training


class League:
    """One training: the learner, its pool, and the folder in which everything is kept.

    Args:
        settings: what to do.
        folder: runs/NAME; must be there when training begins.
        command: how it was started, for the card.

    Raises `ValueError` for settings with which no training can run.
    """

    def __init__(self, settings: LeagueSettings, folder: Path, command: str) -> None:
        check_league_settings(settings)
        torch.set_num_threads(settings.threads)
        self.settings, self.folder, self.command = settings, folder, command
        self.game = get_game(settings.game)
        self.bots = [compiled_agent(name, settings.game) for name in bot_names(settings.game)]
        self.student = Learner(settings, settings.seed, read_start(settings) if settings.start else None)
        self.pool = [Opponent(name, compiled_agent(name, settings.game)) for name in settings.bots]
        self.rng = np.random.default_rng([settings.seed, 1])
        self.clock = Clock(settings.minutes)
        self.steps = self.batches = self.refreshes = 0
        self.interrupted = False
        self.test_players = self.game.default_players

    @property
    def left(self) -> float:
        """Share of the training that is left, by steps or time."""
        return self.clock.left(1 - self.steps / self.settings.steps)

    def learner(self, greedy: bool) -> CompiledAgent:
        """The learner as it is now; not greedy: as it explores."""
        return self.student.agent(greedy)

    # ------------------------------------------------------------ training

    def train(self) -> bool:
        """Train to the end, with a progress bar on stderr; False if it was told to stop before (see `stop_gently`)."""
        self._begin()
        checkpoint_due = time.perf_counter() + CHECKPOINT_SECONDS
        with self._bar() as self.bar, stop_gently(self):
            while self.left > 0 and not self.interrupted:
                if self.steps >= self.refreshes * self.settings.refresh:
                    self.refresh()
                self._play_batch()
                if time.perf_counter() >= checkpoint_due:
                    self.save()
                    checkpoint_due = time.perf_counter() + CHECKPOINT_SECONDS
        if not self.interrupted:
            self.test()
        self.clock.stop()
        self.save()
        draw_curve(self.folder, self.test_players)
        return not self.interrupted

    def _bar(self) -> tqdm[Any]:
        return tqdm(
            total=self.settings.steps,
            initial=self.steps,
            unit=" decisions",
            unit_scale=True,
            mininterval=0.5 if sys.stderr.isatty() else 15,
        )

    def _begin(self) -> None:
        """Compile what will be played often, which is no part of the training time, and learn to judge standings."""
        if self.steps:
            return
        self._against_bots(1)
        play_tables(self.student, self._agents(), np.zeros((1, self.game.max_players), np.int64), 0)
        self.clock.go_on_from(0)
        self._take_lessons()
        learn_to_judge(self.student, self._agents(), self.settings.seed)

    def _agents(self) -> list[CompiledAgent]:
        """The learner as it explores, and the pool."""
        return [self.learner(greedy=False), *(opponent.agent for opponent in self.pool)]

    def _take_lessons(self) -> None:
        """Imitate the teacher."""
        wanted, student, given = self.settings.lessons, self.student, 0
        if not wanted or self.settings.start:
            return
        lessons = Lessons(self.settings)
        with tqdm(total=wanted, desc=f"imitating {self.settings.teacher}", unit_scale=True, mininterval=5) as bar:
            while given < wanted:
                new = lessons.go_on()
                given += new
                for _ in range(_LESSON_UPDATES):
                    alike = student.imitate(lessons, max(0.0, 1 - given / wanted))
                bar.update(new)
                bar.set_postfix(alike=f"{alike:.1%}")

    def _play_batch(self) -> None:
        """Play games, count who won, and learn from what was tried out."""
        seating = seat_among(self.settings, self._weights(), self.rng)
        first_seed = self.settings.seed * _SEEDS + self.batches * self.settings.games
        played = play_tables(self.student, self._agents(), seating, first_seed % 2**62)
        count_wins(self.pool, played)
        self.student.remember(played.studies)
        studied = len(played.studies.values)
        self.student.learn(studied, self.left)
        self.steps += studied
        self.batches += 1
        self.bar.update(studied)

    def _weights(self) -> npt.NDArray[np.float64]:
        """How often each of the pool is drawn: the more it wins, and the bots as often as they should."""
        weights, bots = np.array([opponent.weight for opponent in self.pool]), len(self.settings.bots)
        share = self.settings.bots_share if len(self.pool) > bots else 1.0
        weights[:bots] *= share / weights[:bots].sum()
        weights[bots:] *= (1 - share) / max(weights[bots:].sum(), 1e-9)
        return weights

    # ------------------------------------------------------------ pool and tests

    def refresh(self) -> None:
        """Test; take a copy of the learner, and now and then an exploiter of it, into the pool."""
        self.refreshes = self.steps // self.settings.refresh + 1
        self.bar.set_postfix(self.test())
        if not self.settings.pool:
            return
        self._add(Opponent(f"copy {self.refreshes}", self.learner(greedy=False)))
        every = self.settings.exploiter_every
        if every and self.refreshes % every == 0:
            self._add(self._exploiter())

    def _exploiter(self) -> Opponent:
        """A copy of the learner that has gone on to learn against the learner alone."""
        exploiter = Learner(
            self.settings, self.settings.seed + self.refreshes, layers_of(linears(self.student.averaged))
        )
        exploiter.standing.load_state_dict(self.student.standing.state_dict())
        exploiter.stakes.load_state_dict(self.student.stakes.state_dict())
        learner, steps = self._agents()[0], self.settings.exploiter_steps
        for _ in respond(exploiter, learner, steps, _EXPLOITER_SEEDS + self.batches):
            if self.interrupted:
                break
        return Opponent(f"exploiter {self.refreshes}", exploiter.agent(greedy=False))

    def _add(self, opponent: Opponent) -> None:
        """Let one more into the pool; if it is full, the one that is won against most easily leaves, bots excepted."""
        learned = self.pool[len(self.settings.bots) :]
        if len(learned) >= self.settings.pool:
            self.pool.remove(min(learned, key=lambda other: other.weight))
        self.pool.append(opponent)

    def test(self) -> dict[str, float]:
        """Win rates against copies of each bot in all other seats, written to ``progress.jsonl``."""
        scores = self._against_bots(self.settings.test_games)
        rates = {bot.name: score.win_rate for bot, score in zip(self.bots, scores, strict=True)}
        pool = {opponent.name: round(opponent.won / (opponent.won + opponent.lost), 3) for opponent in self.pool}
        line = {"steps": self.steps, "seconds": round(self.clock.seconds, 1), "win_rate": rates, "pool": pool}
        with (self.folder / "progress.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return rates

    def _against_bots(self, games: int) -> list[Score]:
        learner, threads = self.learner(greedy=True), self.settings.threads
        return against_copies(learner, self.bots, self.test_players, games, threads=threads, game=self.game.name)

    # ------------------------------------------------------------ files

    def save(self) -> Path:
        """Write a checkpoint and the agent as it is now; returns the checkpoint."""
        self.save_agent()
        return save_checkpoint(self.folder / "checkpoints", self.steps, self._arrays(), self._state())

    def save_agent(self, path: Path | None = None, **facts: Any) -> None:
        """Write the agent as it is now, with its card; ``facts``: what the card says besides how it was made."""
        save_agent(
            path or self.folder / AGENT_FILE,
            layers_of(linears(self.student.averaged)),
            self.game.name,
            self.student.encoding,
            trained_on={
                "variant": list(self.game.variant_names),
                "num_players": sorted(set(self.settings.players)),
                "options": {},
            },
            steps=self.steps,
            seconds=round(self.clock.seconds, 1),
            command=self.command,
            seed=self.settings.seed,
            versions=versions(*LIBRARIES),
            **facts,
        )

    def _arrays(self) -> Arrays:
        learned = self.pool[len(self.settings.bots) :]
        return {
            **{f"learner/{name}": array for name, array in self.student.state().items()},
            **{f"pool/{i}": opponent.agent.parameters for i, opponent in enumerate(learned)},
        }

    def _state(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "batches": self.batches,
            "refreshes": self.refreshes,
            "seconds": self.clock.seconds,
            "pool": [[opponent.name, opponent.won, opponent.lost] for opponent in self.pool],
            "generator": self.rng.bit_generator.state,
            "student_generator": self.student.rng.bit_generator.state,
        }

    def resume(self) -> list[str]:
        """Go on from the newest whole checkpoint; returns a line about each one that is broken.

        The pool and all weights are as they were. What was tried out is not kept; the memory fills anew.
        """
        arrays, state, complaints = load_checkpoint(self.folder / "checkpoints")
        groups: dict[str, Arrays] = {}
        for name, array in arrays.items():
            if name.startswith("learner/"):
                group, _, rest = name.removeprefix("learner/").partition(".")
                groups.setdefault(group, {})[rest] = array
        self.student.set_state(groups)
        self._restore_pool(arrays, state)
        self._restore(state)
        forget_tests_after(self.folder, self.steps)
        return complaints

    def _restore_pool(self, arrays: Arrays, state: dict[str, Any]) -> None:
        policy = network_policy(self.student.encoding)
        bots = len(self.settings.bots)
        for i in range(len(state["pool"]) - bots):
            self.pool.append(Opponent("", CompiledAgent("learner", self.game.name, policy, arrays[f"pool/{i}"])))
        for opponent, (name, won, lost) in zip(self.pool, state["pool"], strict=True):
            opponent.name, opponent.won, opponent.lost = name, won, lost

    def _restore(self, state: dict[str, Any]) -> None:
        self.steps, self.batches, self.refreshes = state["steps"], state["batches"], state["refreshes"]
        self.rng.bit_generator.state = state["generator"]
        self.student.rng.bit_generator.state = state["student_generator"]
        self.clock.go_on_from(state["seconds"])
