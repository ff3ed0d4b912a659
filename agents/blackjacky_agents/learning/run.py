"""`TrainingRun`, the base class of trainings: evaluation, checkpoints, the agent file, progress and time."""

from __future__ import annotations

import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from blackjacky_agents.agent import AgentError, CompiledAgent
from blackjacky_agents.arena.cluster import ClusterExecutor
from blackjacky_agents.arena.evaluation import Score, against_copies
from blackjacky_agents.checkpoint import MOST_SECONDS, Arrays, load_checkpoint, read_count, save_checkpoint
from blackjacky_agents.files import versions, write_file
from blackjacky_agents.games import bot_names, find_encoding, get_kit
from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.learning.curves import Line, Run, as_png, draw_curves
from blackjacky_agents.learning.logs import Write, check_logs, opened
from blackjacky_agents.learning.settings import check_settings
from blackjacky_agents.networks.agent_file import AGENT_FILE, save_agent
from blackjacky_agents.networks.network import Layers, network_agent, pack
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import duration, progress_bar
from blackjacky_agents.stopping import print_above, stop_gently
from blackjacky_env.checks import check_number
from blackjacky_env.games import get_game
from blackjacky_env.reading import MAX_LIST, parse_json, read_file

LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib", "gymnasium")  # results depend on their versions
CHECKPOINT_SECONDS = 30.0  # between checkpoints: a kill loses at most this much work and one update
EVALUATION_FRACTION = 0.2  # of the training between two evaluations at most, so that a short one has a curve, too
PROGRESS_FILE, CURVE_FILE = "progress.jsonl", "learning_curve.png"


class Clock:
    """Elapsed training time, and remaining fraction of a training of so many minutes."""

    def __init__(self, minutes: float) -> None:
        self._allowed = 60 * minutes
        self.set(0)

    def set(self, seconds: float) -> None:
        """Set the elapsed time to ``seconds`` and start counting."""
        self._started = time.perf_counter() - seconds
        self._stopped: float | None = None

    def stop(self) -> None:
        """Stop counting."""
        self._stopped = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Elapsed training time, including evaluations."""
        return (time.perf_counter() if self._stopped is None else self._stopped) - self._started

    def left(self, steps_left: float) -> float:
        """Remaining fraction of the training, 0 .. 1, by steps or by time, whichever is smaller."""
        return max(0.0, min(steps_left, 1 - self.seconds / self._allowed))


class TrainingRun(ABC):
    """A training and its run folder.

    The folder must exist when training begins; ``command`` is the command line, for the agent's card. Raises
    `ValueError` for invalid settings.
    """

    settings: TrainingSettings
    cluster: ClusterExecutor | None = None
    """Plays the games, if there is one, instead of this machine."""

    def __init__(self, settings: TrainingSettings, folder: Path, command: str) -> None:
        check_settings(settings)
        check_logs(settings.log)
        self.settings, self.folder, self.command = settings, folder, command
        self.game = get_game(settings.game)
        self.encoding = find_encoding(settings.encoding, settings.game)
        self.bots = [make_compiled_agent(name, settings.game) for name in bot_names(settings.game)]
        self.rng = np.random.default_rng([settings.seed, 1])
        self.clock = Clock(settings.minutes)
        self.interrupted = self._resumed = self._is_heading_shown = False
        self._write_logs: Write = lambda figures, steps: None  # while nothing is trained
        self.bar: tqdm[Any] = tqdm(disable=True)  # shown while training
        self._rates: dict[str, float] = {}  # of the last evaluation
        self._evaluated = 0.0  # the fraction of the training done by then
        self._evaluated_steps = -1

    # ------------------------------------------------------------ implemented by subclasses

    @property
    @abstractmethod
    def steps(self) -> int:
        """Number of training decisions so far."""

    @abstractmethod
    def layers(self) -> Layers:
        """The current policy network."""

    @abstractmethod
    def _prepare(self) -> None:
        """Preparation of a new training; skipped when a run is resumed."""

    @abstractmethod
    def _learn(self) -> None:
        """Train until the end or until `interrupted`; updates `bar` and calls `_save_if_due`."""

    @abstractmethod
    def _arrays(self) -> Arrays:
        """All arrays of a checkpoint."""

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Everything else in a checkpoint, JSON-ready."""

    @abstractmethod
    def _restore(self, arrays: Arrays, state: dict[str, Any]) -> None:
        """Restore what `_arrays` and `_state` returned; `TypeError` or `ValueError` if no such training wrote it."""

    def variants(self) -> list[str]:
        """The variants played in training."""
        played = {self.game.choose_table(size, self.settings.variant)[1] for size in self.settings.table_sizes}
        return [name for name in self.game.variant_names if name in played]

    # ------------------------------------------------------------ training

    def agent(self, greedy: bool) -> CompiledAgent:
        """The current policy as an agent; if not greedy, it samples its actions as in training."""
        return network_agent(self.game.name, self.encoding, pack(self.layers(), greedy))

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
            if not self.interrupted and self.steps > self._evaluated_steps:
                self.evaluate()
        self.clock.stop()
        self.save()
        draw_learning_curve(self.folder, self.settings)
        return not self.interrupted

    @property
    def left(self) -> float:
        """Remaining fraction of the training, by steps or by time."""
        return self.clock.left(1 - self.steps / self.settings.steps)

    def show_progress(self, doing: str = "") -> None:
        """Update the bar: steps, speed, estimated time left, and the last win rate against the strongest bot.

        ``doing``: what takes its time in place of training steps.
        """
        done, seconds = 1 - self.left, self.clock.seconds
        facts = [f"{short(self.steps)} steps", f"{short(self.steps / seconds)}/s"]
        if 0 < done < 1:
            facts.append(f"{duration(seconds / done - seconds)} left")
        if self._rates:
            facts.append(f"{self._rates[self.bots[-1].name]:.1%} against {self.bots[-1].name}")
        self.bar.set_description_str(", ".join([doing] * bool(doing) + facts), refresh=False)
        self.bar.update(done - self.bar.n)

    def _log(self, figures: Mapping[str, float]) -> None:
        """Log what an update says of itself, and the speed."""
        self._write_logs({**figures, "steps_per_second": self.steps / self.clock.seconds}, self.steps)

    def _save_if_due(self) -> None:
        if time.perf_counter() >= self._save_due:
            self.save()
            self._save_due = time.perf_counter() + CHECKPOINT_SECONDS

    # ------------------------------------------------------------ evaluation

    def evaluate(self) -> dict[str, float]:
        """Win rates of the greedy agent against copies of each bot, printed and appended to ``progress.jsonl``."""
        if self.steps == self._evaluated_steps:  # as at the end of a training that is made longer
            return self._rates
        self._evaluated, self._evaluated_steps = 1 - self.left, self.steps
        line = {"steps": self.steps, "seconds": round(self.clock.seconds, 1), "win_rate": {}, **self._progress()}
        scores = self._against_bots(self.settings.eval_games, lambda games: self.show_progress("evaluating"))
        line["win_rate"] = rates = {bot.name: score.win_rate for bot, score in zip(self.bots, scores, strict=True)}
        with (self.folder / PROGRESS_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self._write_logs({f"win_rate/{name}": rate for name, rate in rates.items()}, self.steps)
        self._print_rates(line, rates)
        return rates

    @property
    def _is_evaluation_due(self) -> bool:
        """Whether a fifth of the training has passed since the last evaluation; not at the end."""
        return self._evaluated + EVALUATION_FRACTION <= 1 - self.left + 1e-9 < 1

    def _print_rates(self, line: dict[str, Any], rates: dict[str, float]) -> None:
        """Print the win rates as a line of a table above the bar, and before the first one its heading."""
        columns = {"steps": short(line["steps"]), "time": duration(line["seconds"])}
        columns |= {name: f"{rate:.1%}" for name, rate in rates.items()}
        if not self._is_heading_shown:
            self._is_heading_shown, players = True, self.settings.eval_players
            print_above(f"Win rates at a table of {players} against copies of each bot (par: {1 / players:.1%}):")
            print_above("".join(f"{name:>{max(len(name), 12)}}" for name in columns))
        print_above("".join(f"{cell:>{max(len(name), 12)}}" for name, cell in columns.items()))
        self._rates = rates

    def _progress(self) -> dict[str, Any]:
        """Additional entries of an evaluation in ``progress.jsonl``."""
        return {}

    def _against_bots(self, games: int, progress: Callable[[int], object] = lambda games: None) -> list[Score]:
        return self._score(self.agent(greedy=True), self.settings.eval_players, games, progress=progress)

    def _score(self, agent: CompiledAgent, players: int, games: int, seed: int = 0, **options: Any) -> list[Score]:
        options = {**self._rules, "cluster": self.cluster, **options}
        return against_copies(agent, self.bots, players, games, seed, self.settings.threads, **options)

    @property
    def _rules(self) -> dict[str, Any]:
        return {"game": self.settings.game, "variant": self.settings.variant, **self.settings.rule_options}

    def results(self) -> list[dict[str, Any]]:
        """Final evaluation, with a progress bar: a score for each table size and opponent of the `final_tables`."""
        settings, tables = self.settings, self.final_tables()
        agent, games, rows = self.agent(greedy=True), settings.final_games, []
        with progress_bar(games * sum(len(others) for _, others in tables), "final evaluation") as bar:
            options = {"progress": bar.update, "cluster": self.cluster, **self._rules}
            for size, others in tables:
                scores = against_copies(agent, others, size, games, threads=settings.threads, **options)
                rows += [
                    {"players": size, "opponents": other.name, **asdict(score)}
                    for other, score in zip(others, scores, strict=True)
                ]
        return rows

    def final_tables(self) -> list[tuple[int, list[CompiledAgent]]]:
        """Table sizes of the final evaluation, with the opponents at each.

        The evaluation size, where the shipped trained agents are opponents, too, and the smallest and the largest
        possible one.
        """
        settings, possible = self.settings, self._possible_sizes()
        usual, more = settings.eval_players, dict.fromkeys((possible[0], possible[-1]))
        trained = [make_compiled_agent(name, settings.game) for name in get_kit(settings.game).trained]
        return [(usual, [*self.bots, *trained]), *((size, self.bots) for size in more if size != usual)]

    def _possible_sizes(self) -> list[int]:
        """The table sizes of the variants played that are possible with the rule options."""
        game, settings, sizes = self.game, self.settings, set()
        usual = {game.choose_table(size, settings.variant)[1] for size in settings.table_sizes}
        for variant in usual:
            for size in game.choose_variant((), variant).sizes:
                with suppress(ValueError):
                    game.check_options(size, variant, settings.rule_options)
                    sizes.add(size)
        return sorted(sizes)

    # ------------------------------------------------------------ files

    def save(self) -> Path:
        """Write a checkpoint and then the current agent, so that a run with an agent can be resumed.

        Returns the checkpoint's folder. Raises `AgentError` and writes nothing if the training has diverged.
        """
        if not all(np.isfinite(part).all() for layer in self.layers() for part in layer):
            raise AgentError(
                f"the training in {self.folder} has diverged: its weights are not finite numbers any more; "
                "begin another one with a smaller learning rate"
            )
        path = save_checkpoint(self.folder / "checkpoints", self.steps, self._arrays(), self._state())
        self.save_agent()
        return path

    def save_agent(self, path: Path | None = None, **facts: Any) -> None:
        """Write the current agent with its card; ``facts`` are added to the card."""
        save_agent(
            path or self.folder / AGENT_FILE,
            self.layers(),
            self.game.name,
            self.encoding,
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

    def resume(self) -> list[str]:
        """Restore the newest complete checkpoint; returns a warning for each broken one.

        Raises `ValueError` if it is not one of a training with these settings; its files are not changed then.
        """
        arrays, state, complaints = load_checkpoint(self.folder / "checkpoints")
        try:
            steps, seconds = read_count(state, "steps"), check_number("seconds", state.get("seconds"), 0, MOST_SECONDS)
            self._restore(arrays, state)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the checkpoint in {self.folder} is of no training with these settings: {error}"
            ) from None
        self.clock.set(seconds)
        self._resumed = True
        last = truncate_progress(self.folder, steps)
        self._evaluated = max(last["steps"] / self.settings.steps, last["seconds"] / 60 / self.settings.minutes)
        self._evaluated_steps, self._rates = last["steps"], last["win_rate"]
        return complaints


def short(number: float) -> str:
    """A number in three digits, such as ``"383k"``."""
    return str(tqdm.format_sizeof(number)) if number else "0"


def truncate_progress(folder: Path, steps: int) -> dict[str, Any]:
    """Remove evaluations after ``steps`` steps, and a cut last line, from ``progress.jsonl``; returns the last one.

    Raises `ValueError` if another line is damaged.
    """
    kept = [row for row in read_progress(folder) if row["steps"] <= steps]
    write_file(folder / PROGRESS_FILE, "".join(json.dumps(row) + "\n" for row in kept))
    return kept[-1] if kept else {"steps": -1, "seconds": 0, "win_rate": {}}


def read_progress(folder: Path) -> list[dict[str, Any]]:
    """The evaluations in ``progress.jsonl`` but for a cut last line; `ValueError` if another line is damaged."""
    path, rows = folder / PROGRESS_FILE, []
    for number, line in enumerate(read_file(path, MAX_LIST).split(b"\n")[:-1], 1):
        try:
            rows.append(row := dict(parse_json(line)))
            figures = [row["steps"], row["seconds"], *row["win_rate"].values()]
            if not all(isinstance(each, int | float) for each in figures):
                raise TypeError("steps, seconds and win rates are numbers")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}, line {number} is damaged: {error!r}") from None
    return rows


def learning_curve(tests: Sequence[Mapping[str, Any]], bot: str) -> Run:
    """The win rates against a bot of `read_progress`, as they are drawn."""
    return Run(*np.array([(test["steps"], test["seconds"], test["win_rate"][bot]) for test in tests], float).T)


def draw_learning_curve(folder: Path, settings: TrainingSettings) -> None:
    """Draw ``learning_curve.png`` from ``progress.jsonl``."""
    tests, players = read_progress(folder), settings.eval_players
    curves = [
        Line(f"against {players - 1} {name}", [learning_curve(tests, name)], players) for name in tests[0]["win_rate"]
    ]
    title = f"{get_game(settings.game).title}: {settings.preset}, {players} players"
    write_file(folder / CURVE_FILE, as_png(draw_curves(curves, title)))
