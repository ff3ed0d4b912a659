"""`TrainingRun`, the base class of trainings: evaluation, checkpoints, the agent file, progress and time."""

from __future__ import annotations

import io
import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

from blackjacky_agents.agent import AgentError, CompiledAgent
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.evaluation import Score, against_copies
from blackjacky_agents.games import bot_names, find_encoding, get_kit
from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.learning.curves import Curve, DrawnCurve, draw_curves
from blackjacky_agents.learning.logs import Write, check_logs, opened
from blackjacky_agents.learning.modules import arrays_of, tensors_of
from blackjacky_agents.learning.stored_settings import check_at_game
from blackjacky_agents.learning.tables import possible_variants
from blackjacky_agents.networks.agent_file import AGENT_FILE, save_agent
from blackjacky_agents.networks.network import Layers, check_packed, network_agent, pack
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import duration, percent, progress_bar
from blackjacky_agents.stopping import print_above, stop_gently
from blackjacky_agents.storage.checkpoint import (
    MOST_SECONDS,
    Arrays,
    has_checkpoint,
    load_checkpoint,
    read_count,
    save_checkpoint,
)
from blackjacky_agents.storage.files import versions, write_file
from blackjacky_env.checks import check_number
from blackjacky_env.games import get_game
from blackjacky_env.play import check_arrays
from blackjacky_env.reading import MAX_LIST, parse_json, read_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib", "gymnasium")  # results depend on their versions
CHECKPOINT_SECONDS = 30.0  # between checkpoints: a kill loses at most this much work and one update
EVALUATION_FRACTION = 0.2  # of the training between two evaluations at most, so that a short one has a curve, too
PROGRESS_FILE, CURVE_FILE = "progress.jsonl", "learning_curve.png"


class Clock:
    """Elapsed training time, including evaluations."""

    def __init__(self) -> None:
        self.set(0)

    def set(self, seconds: float) -> None:
        """Set the elapsed time to ``seconds`` and start counting."""
        self._started, self._stopped = time.perf_counter() - seconds, 0.0

    def stop(self) -> None:
        """Stop counting."""
        self._stopped = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Elapsed seconds."""
        return (self._stopped or time.perf_counter()) - self._started


class TrainingRun(ABC):
    """A training and its run folder.

    The folder must exist when training begins; ``command`` is the command line, for the agent's card. Raises
    `ValueError` for invalid settings.

    Attributes:
        steps: number of training decisions so far.
        networks: all that learn, and ``optimizers``: theirs, with moments; both by name, for checkpoints.
        snapshots: past versions of the learner among its opponents.
        progress: the evaluations so far, as in ``progress.jsonl``.
        cluster: plays the games, if there is one, instead of this machine.
    """

    settings: TrainingSettings
    networks: dict[str, nn.Module]
    optimizers: dict[str, torch.optim.Optimizer]
    cluster: ClusterExecutor | None = None

    def __init__(self, settings: TrainingSettings, folder: Path, command: str) -> None:
        check_at_game(settings)
        check_logs(settings.log)
        torch.set_num_threads(settings.threads)
        self.settings, self.folder, self.command = settings, folder, command
        self.game = get_game(settings.game)
        self.encoding = find_encoding(settings.encoding, settings.game)
        self._play_encoding = find_encoding(settings.play_encoding or settings.encoding, settings.game)
        self.bots = [make_compiled_agent(name, settings.game) for name in bot_names(settings.game)]
        self.opponents = [make_compiled_agent(name, settings.game) for name in settings.bots]
        self.snapshots: list[CompiledAgent] = []
        self.rng = np.random.default_rng([settings.seed, 1])
        self.clock = Clock()
        self.steps = 0
        self.progress: list[dict[str, Any]] = []
        self.interrupted = self._resumed = self._is_heading_shown = False
        self._write_logs: Write = lambda figures, steps: None  # while nothing is trained
        self.bar: tqdm[Any] = tqdm(disable=True)  # shown while training

    # ------------------------------------------------------------ implemented by subclasses

    @abstractmethod
    def layers(self) -> Layers:
        """The current policy network."""

    @abstractmethod
    def _prepare(self) -> None:
        """Preparation of a new training; skipped when a run is resumed."""

    @abstractmethod
    def _learn(self) -> None:
        """Train until the end or until `interrupted`; calls `_begin_update` and `_end_update` for each update."""

    def _take_snapshot(self) -> None:
        """Add a snapshot to the opponents, in a full pool in place of the oldest."""
        self.snapshots = [*self.snapshots, self.agent(greedy=False)][-self.settings.pool_size :]

    def _state(self) -> dict[str, Any]:
        """What else a checkpoint has, JSON-ready."""
        return {}

    def _restore(self, state: dict[str, Any], snapshots: list[CompiledAgent]) -> None:
        """Go on from a `_state` with these snapshots."""
        self.snapshots = snapshots

    def variants(self) -> list[str]:
        """The variants played in training."""
        played = {name for size in self.settings.table_sizes for name in possible_variants(self.settings, size)}
        return [name for name in self.game.variant_names if name in played]

    # ------------------------------------------------------------ training

    def agent(self, greedy: bool) -> CompiledAgent:
        """The current policy as an agent; if not greedy, it samples its actions as in training, by the same inputs."""
        encoding = self._play_encoding if greedy else self.encoding
        return network_agent(self.game.name, encoding, pack(self.layers(), greedy))

    def train(self) -> bool:
        """Train to the end, with a progress bar on stderr; False if it was interrupted (see `stop_gently`)."""
        if not self._resumed:
            self._prepare()
        self._save_due = time.perf_counter() + CHECKPOINT_SECONDS
        pause = 0.5 if sys.stderr.isatty() else 15
        bar = tqdm(total=1.0, initial=1 - self.left, bar_format="{percentage:3.0f}%|{bar}| {desc}", mininterval=pause)
        with opened(self.folder, self.settings, self.steps) as self._write_logs:
            with bar as self.bar, stop_gently(self, "this update"):
                self._learn()
                self.show_progress()
            if not self.interrupted:
                self.evaluate()
        self.clock.stop()
        self.save()
        if self.progress:
            drawn = io.BytesIO()
            self._learning_curve().savefig(drawn)
            write_file(self.folder / CURVE_FILE, drawn.getvalue())
        return not self.interrupted

    @property
    def left(self) -> float:
        """Remaining fraction of the training, 0 .. 1, by steps or by time, whichever is smaller."""
        return 1 - self._done(self.steps, self.clock.seconds)

    def _done(self, steps: float, seconds: float) -> float:
        by_time = seconds / (60 * self.settings.minutes)
        return min(1.0, max(steps / self.settings.steps, by_time, 0.0))

    @property
    def _goes_on(self) -> bool:
        return self.left > 0 and not self.interrupted

    def _begin_update(self) -> None:
        """Evaluate, and take a snapshot, if it is time.

        A snapshot is due whenever `snapshot_every` steps are full, an evaluation then and after every fifth of the
        training, but not at its end.
        """
        last = self.progress[-1] if self.progress else {"steps": -1, "seconds": 0.0}
        every = self.settings.snapshot_every
        if self.steps // every > last["steps"] // every:
            self.evaluate()
            self._take_snapshot()
        elif self._done(last["steps"], last["seconds"]) + EVALUATION_FRACTION <= 1 - self.left + 1e-9 < 1:
            self.evaluate()

    def _end_update(self, figures: Mapping[str, float]) -> None:
        """Log what an update says of itself, and the speed; save a checkpoint if it is time."""
        self._write_logs({**figures, "steps_per_second": self.steps / self.clock.seconds}, self.steps)
        self.show_progress()
        if time.perf_counter() >= self._save_due:
            self.save()
            self._save_due = time.perf_counter() + CHECKPOINT_SECONDS

    def show_progress(self, doing: str = "") -> None:
        """Update the bar: steps, speed, estimated time left, and the last win rate against the strongest bot.

        ``doing``: what takes its time in place of training steps.
        """
        done, seconds = 1 - self.left, self.clock.seconds
        facts = [f"{short(self.steps)} steps", f"{short(self.steps / seconds)}/s"]
        if 0 < done < 1:
            facts.append(f"{duration(seconds * (1 / done - 1))} left")
        if self.progress:
            name, rate = list(self.progress[-1]["win_rate"].items())[-1]
            facts.append(f"{percent(rate)} against {name}")
        self.bar.set_description_str(", ".join([doing] * bool(doing) + facts), refresh=False)
        self.bar.update(done - self.bar.n)

    # ------------------------------------------------------------ evaluation

    def evaluate(self) -> dict[str, float]:
        """Win rates of the greedy agent against copies of each bot, printed and added to ``progress.jsonl``."""
        if self.progress and self.steps == self.progress[-1]["steps"]:  # as at the end of a training made longer
            return dict(self.progress[-1]["win_rate"])
        line = {"steps": self.steps, "seconds": round(self.clock.seconds, 1), "win_rate": {}, **self._more_progress()}
        scores = self._against_bots(self.settings.eval_games, lambda games: self.show_progress("evaluating"))
        line["win_rate"] = rates = {bot.name: score.win_rate for bot, score in zip(self.bots, scores, strict=True)}
        self.progress.append(line)
        write_file(self.folder / PROGRESS_FILE, "".join(json.dumps(row) + "\n" for row in self.progress))
        self._write_logs({f"win_rate/{name}": rate for name, rate in rates.items()}, self.steps)
        self._print_rates(rates)
        return rates

    def _print_rates(self, rates: Mapping[str, float]) -> None:
        """Print the win rates as a line of a table above the bar, and before the first one its heading."""
        columns = {"steps": short(self.steps), "time": duration(self.clock.seconds)}
        columns |= {name: percent(rate) for name, rate in rates.items()}
        if not self._is_heading_shown:
            self._is_heading_shown, players = True, self.settings.eval_players
            print_above(f"Win rates at a table of {players} against copies of each bot (par: {percent(1 / players)}):")
            print_above("".join(f"{name:>{max(len(name), 12)}}" for name in columns))
        print_above("".join(f"{cell:>{max(len(name), 12)}}" for name, cell in columns.items()))

    def _learning_curve(self) -> Figure:
        """The win rates of all evaluations."""
        players, lines = self.settings.eval_players, []
        for name in self.progress[0]["win_rate"]:
            points = [(row["steps"], row["seconds"], row["win_rate"][name]) for row in self.progress]
            lines.append(DrawnCurve(f"against {players - 1} {name}", [Curve(*np.array(points, float).T)], players))
        return draw_curves(lines, f"{self.game.title}: {self.settings.preset}, {players} players")

    def _more_progress(self) -> dict[str, Any]:
        """Additional entries of an evaluation in ``progress.jsonl``."""
        return {}

    def _against_bots(self, games: int, progress: Callable[[int], object] = lambda games: None) -> list[Score]:
        return self._score(self.agent(greedy=True), self.bots, self.settings.eval_players, games, progress=progress)

    def _score(
        self, agent: CompiledAgent, others: Sequence[CompiledAgent], players: int, games: int, **options: Any
    ) -> list[Score]:
        return against_copies(agent, others, players, games, **options, **self._play_options())

    def _play_options(self) -> dict[str, Any]:
        settings = self.settings
        where = {"threads": settings.threads, "cluster": self.cluster}
        return {"game": settings.game, "variant": settings.variant, **where, **settings.rule_options}

    def results(self) -> list[dict[str, Any]]:
        """Final evaluation, with a progress bar: a score for each table size and opponent of the `final_tables`."""
        tables, agent, games, rows = self.final_tables(), self.agent(greedy=True), self.settings.final_games, []
        with progress_bar(games * sum(len(others) for _, others in tables), "final evaluation") as bar:
            for size, others in tables:
                scores = self._score(agent, others, size, games, progress=bar.update)
                rows += [
                    {"players": size, "opponents": other.name, **asdict(score)}
                    for other, score in zip(others, scores, strict=True)
                ]
        return rows

    def final_tables(self) -> list[tuple[int, list[CompiledAgent]]]:
        """Table sizes of the final evaluation, with the opponents at each.

        The evaluation size, where the shipped trained agents are opponents, too, and the smallest and the largest
        one of the training.
        """
        settings, sizes = self.settings, self.settings.table_sizes
        trained = [make_compiled_agent(name, settings.game) for name in get_kit(settings.game).trained]
        others = dict.fromkeys(size for size in (min(sizes), max(sizes)) if size != settings.eval_players)
        return [(settings.eval_players, [*self.bots, *trained]), *((size, self.bots) for size in others)]

    # ------------------------------------------------------------ files

    def save(self) -> Path:
        """Write a checkpoint and then the current agent, so that a run with an agent can be resumed.

        Returns the checkpoint's folder. Raises `AgentError` and writes nothing if the training has diverged.
        """
        layers = self.layers()
        if not all(np.isfinite(part).all() for layer in layers for part in layer):
            raise AgentError(
                f"the training in {self.folder} has diverged: its weights are not finite numbers any more; "
                "begin another one with a smaller learning rate"
            )
        arrays = arrays_of(self.networks, self.optimizers)
        packed = [snapshot.parameters for snapshot in self.snapshots]
        arrays["snapshots"] = np.reshape(np.array(packed, np.float32), (len(packed), len(pack(layers, False))))
        state = {"steps": self.steps, "seconds": self.clock.seconds, "progress": self.progress, **self._state()}
        path = save_checkpoint(self.folder / "checkpoints", self.steps, arrays, state)
        self.save_agent()
        return path

    def save_agent(self, path: Path | None = None, **facts: Any) -> None:
        """Write the current agent with its card; ``facts`` are added to the card."""
        save_agent(
            path or self.folder / AGENT_FILE,
            self.layers(),
            self.game.name,
            self._play_encoding,
            trained_on={
                "variant": self.variants(),
                "num_players": sorted(set(self.settings.table_sizes)),
                "options": dict(self.settings.rule_options),
            },
            steps=self.steps,
            seconds=round(self.clock.seconds, 1),
            command=self.command,
            seed=self.settings.seed,
            versions=versions(*LIBRARIES),
            **facts,
        )

    def resume(self) -> None:
        """Restore the newest complete checkpoint, and say on stderr which are broken, or that there is none yet.

        Games that were being played are begun anew. Raises `ValueError` if it is not a checkpoint of a training with
        these settings; nothing has changed then.
        """
        if not has_checkpoint(self.folder / "checkpoints"):
            print(f"{self.folder} has no checkpoint yet; the training begins again.", file=sys.stderr)
            return
        arrays, state, complaints = load_checkpoint(self.folder / "checkpoints")
        try:
            self.restore(arrays, state)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"the checkpoint in {self.folder} is of no training with these settings: {error}"
            ) from None
        for complaint in complaints:
            print(complaint, file=sys.stderr)

    def restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        """Go on from a checkpoint; errors as `resume`, or `KeyError` or `TypeError`."""
        own, packed = tensors_of(self.networks, self.optimizers), arrays.pop("snapshots")
        check_packed(packed, pack(self.layers(), False), self.settings.pool_size)
        arrays = check_arrays("the checkpoint", arrays, arrays_of(self.networks, self.optimizers))
        steps, seconds = read_count(state, "steps"), check_number("seconds", state["seconds"], 0, MOST_SECONDS)
        progress = [
            {
                **row,
                "steps": int(row["steps"]),
                "seconds": float(row["seconds"]),
                "win_rate": {bot.name: float(row["win_rate"][bot.name]) for bot in self.bots},
            }
            for row in state["progress"]
        ]
        self._restore(state, [network_agent(self.game.name, self.encoding, each) for each in packed])
        for name, tensor in own.items():
            tensor.copy_(torch.from_numpy(arrays[name]))
        self._resumed, self.steps, self.progress = True, steps, progress
        self.rng = np.random.default_rng([self.settings.seed, 1, steps])
        self.clock.set(seconds)


def short(number: float) -> str:
    """A number in three digits, such as ``"383k"``."""
    return str(tqdm.format_sizeof(number)) if number else "0"


def read_progress(folder: Path) -> list[dict[str, Any]]:
    """The evaluations in ``progress.jsonl``."""
    return [parse_json(line) for line in read_file(folder / PROGRESS_FILE, MAX_LIST).splitlines()]
