"""A sweep over three settings of a preset with Optuna: which learning rate, exploration and weight of the score?

    python examples/optuna_sweep.py                       # thirty minutes, in trainings of 90 seconds
    python examples/optuna_sweep.py --minutes 60          # go on for another half hour

Every training is a run of its own, stopped early if its win rate against the strongest bot is below the median of the
others after the same time. Trials are kept in runs/sweep/trials.log, so a sweep that was interrupted goes on, and
several processes can share one. At the end: a table of the best trials, sweep.md, and a picture of all, sweep.svg.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import optuna
import tyro
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, Trial, TrialState

from blackjacky_agents.kit.settings import SelfPlaySettings
from blackjacky_agents.learning.curves import as_svg
from blackjacky_agents.learning.self_play import SelfPlay
from blackjacky_agents.learning.stored_settings import presets_of
from blackjacky_agents.reports import markdown_table, percent, where, where_run


@dataclass
class Args:
    """A sweep over three settings of a preset with Optuna."""

    game: str = "black_jacky"  # name of the game
    preset: str = "scratch"  # a preset that trains by self-play
    minutes: float = 30  # of all trials together, including those of earlier calls
    trial_minutes: float = 1.5  # of a training
    eval_games: int = 2000  # games of each test against each bot
    trials: int | None = None  # of this call, at most
    seed: int = 0  # of the sweep and of every training
    folder: Path = Path("runs/sweep")  # for trials, trainings and the picture


class SweepRun(SelfPlay):
    """A training that reports every win rate to its trial, and stops if the trial is pruned."""

    trial: Trial
    pruned = False
    win_rate = 0.0  # against the strongest bot, at the last test

    def evaluate(self) -> dict[str, float]:
        """As in every training; the trial may be pruned after each tenth of its time."""
        rates = super().evaluate()
        self.win_rate = rates[self.bots[-1].name]
        self.trial.report(self.win_rate, step=round(10 * (1 - self.left)))
        self.pruned = self.left > 0 and self.trial.should_prune()
        self.interrupted |= self.pruned  # Ctrl-C may have come before
        return rates


def train(args: Args, trial: Trial) -> float:
    """The win rate against the strongest bot at the end of a training with suggested settings."""
    preset = presets_of(args.game)[args.preset]
    if not isinstance(preset, SelfPlaySettings):
        raise SystemExit(f"the preset {args.preset!r} of {args.game} does not train by self-play")
    settings = replace(
        preset,
        minutes=args.trial_minutes,
        seed=args.seed,
        eval_games=args.eval_games,
        learning_rate=trial.suggest_float("learning_rate", 3e-4, 1e-2, log=True),
        ent_coef=trial.suggest_float("ent_coef", 1e-3, 3e-2, log=True),
        score_weight=trial.suggest_float("score_weight", 0.0, 0.6),
    )
    folder = args.folder / f"trial-{trial.number}"
    folder.mkdir(parents=True)
    run = SweepRun(settings, folder, f"examples/optuna_sweep.py, trial {trial.number}")
    run.trial = trial
    if not run.train() and not run.pruned:
        raise KeyboardInterrupt  # Ctrl-C
    trial.set_user_attr("decisions", run.steps)
    if run.pruned:
        raise optuna.TrialPruned
    return run.win_rate


def main(args: Args) -> None:
    """Sweep until the time is over, then show what was found."""
    args.folder.mkdir(parents=True, exist_ok=True)
    study = optuna.create_study(
        study_name="sweep",
        storage=JournalStorage(JournalFileBackend(str(args.folder / "trials.log"))),
        sampler=optuna.samplers.TPESampler(seed=args.seed, multivariate=True),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=4),
        direction="maximize",
        load_if_exists=True,
    )
    left = 60 * args.minutes - sum(seconds_of(trial) for trial in study.trials)
    if left > 0:
        study.optimize(lambda trial: train(args, trial), n_trials=args.trials, timeout=left)
    show(args, study)


def seconds_of(trial: FrozenTrial) -> float:
    """How long a finished trial took."""
    return trial.duration.total_seconds() if trial.duration else 0.0


def show(args: Args, study: optuna.Study) -> None:
    """Print the best trials, and draw all."""
    done = [trial for trial in study.trials if trial.state == TrialState.COMPLETE]
    if not done:
        print("No trial has finished yet.")
        return
    done.sort(key=lambda trial: -(trial.value or 0))
    names = list(done[0].params)
    rows = [
        [trial.number, *(f"{trial.params[name]:.3g}" for name in names), percent(trial.value)] for trial in done[:5]
    ]
    minutes = sum(map(seconds_of, study.trials)) / 60
    report = (
        f"{len(done)} trials of {args.trial_minutes:g} minutes to the end, {len(study.trials) - len(done)} stopped "
        f"early, {minutes:.0f} minutes in all, on {where_run(where())}. The best, against the strongest bot:\n\n"
        f"{markdown_table(['trial', *names, 'win rate'], rows)}\n"
    )
    print(report)
    (args.folder / "sweep.md").write_text(report, encoding="utf-8")
    figure = Figure(figsize=(10, 3.6), dpi=160, layout="constrained")
    for axes, name in zip(figure.subplots(1, len(names), sharey=True), names, strict=True):
        axes.scatter([trial.params[name] for trial in done], [trial.value for trial in done], color="#0072b2")
        axes.set_xlabel(name)
        swept = done[0].distributions[name]
        if swept.log:
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(swept.low, swept.high)
        axes.grid(alpha=0.25)
    figure.axes[0].set_ylabel("win rate against the strongest bot")
    (args.folder / "sweep.svg").write_text(as_svg(figure, "sweep"), encoding="utf-8")
    print(f"Picture: {args.folder / 'sweep.svg'}")


if __name__ == "__main__":
    started = time.perf_counter()
    main(tyro.cli(Args))
    print(f"{(time.perf_counter() - started) / 60:.1f} minutes")
