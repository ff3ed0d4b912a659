"""Train an agent with RLlib's PPO, on one machine or on a Ray cluster, and evaluate it.

    python scripts/train_rllib.py --minutes 30
    python scripts/train_rllib.py --cluster auto --name big        # plays on all nodes; learns on the head
    python scripts/train_rllib.py --sweep 8 --name sweep           # tries eight settings, and keeps the best
    blackjacky evaluate --players 'ppo:runs/rllib,threshold*3'

RLlib pins Gymnasium, so it needs a separate environment: pip install 'blackjacky[rllib]'. A run that was stopped or
killed goes on from its last checkpoint when the command is repeated. Checkpoints are Ray's, which are pickles: resume
your own runs only. The agent is a safetensors file like all others.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # keep torch's threads from spinning while the games use the CPU
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports to its makers unless told not to
os.environ.setdefault("RAY_AUTH_MODE", "token")  # Ray's default, said before it is imported

import json
import platform
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tyro
from ray import tune
from ray.rllib.algorithms.ppo import PPO
from ray.rllib.core.rl_module import RLModule
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search.basic_variant import BasicVariantGenerator

from blackjacky_agents.arena.cluster import ClusterError, joined
from blackjacky_agents.arena.evaluation import results_table
from blackjacky_agents.cli import refuse, train_report
from blackjacky_agents.cli.errors import WrongInputError, checking_input
from blackjacky_agents.cli.options import command_line, named_game
from blackjacky_agents.files import FolderInUseError, only_writer, versions, write_file, write_json
from blackjacky_agents.games import bot_names
from blackjacky_agents.learning.agent_file import AGENT_FILE, load_agent, save_agent
from blackjacky_agents.learning.encoding import find_encoding
from blackjacky_agents.learning.rllib import make_config, make_games, policy_layers
from blackjacky_agents.learning.run import PROGRESS_FILE
from blackjacky_agents.learning.settings import PPOSettings, check_settings, sb3_settings_of
from blackjacky_agents.registry import make_compiled_agent
from blackjacky_agents.reports import duration, machine, markdown_table

STEPS = "env_runners/num_env_steps_sampled_lifetime"
CHECKPOINT_EVERY = 10  # iterations
SWEPT = ("num_epochs", "minibatch_size", "lambda", "clip_param")
"""What a sweep varies besides the learning rate."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train an agent with RLlib's PPO, on one machine or on a Ray cluster, and evaluate it.

    The settings are those of `blackjacky train`, but all annealing goes by --steps. The run folder is runs/NAME.
    """

    settings: Annotated[PPOSettings, tyro.conf.arg(name="")]
    """Settings; by default those of the preset sb3, at tables of the game's usual size."""
    cluster: str = "local"
    """Ray cluster: local (this machine), auto, HOST:PORT or ray://HOST:PORT."""
    env_runners: int | None = None
    """Environment runners, of one CPU each; by default one for each CPU. 0: the learner plays the games itself."""
    sweep: int = 0
    """Number of settings to try, one on each CPU, with Tune; 0: one training with the settings as given."""


class Progress(tune.Callback):  # type: ignore[misc]  # Ray is not followed
    """Prints every evaluation."""

    def on_trial_result(self, iteration: int, trials: list[Any], trial: Any, result: dict[str, Any], **_: Any) -> None:
        """Print steps, time and win rates; in a sweep, also which setting they are of."""
        if result["evaluated"]:
            steps = result["env_runners"]["num_env_steps_sampled_lifetime"]
            rates = ", ".join(f"{rate:.1%} against {name}" for name, rate in result["win_rate"].items())
            which = f"{trial.trial_id}: " * (len(trials) > 1)
            print(f"{which}{steps:>11,.0f} steps, {duration(result['seconds'])}: wins {rates}", flush=True)


def main(arguments: list[str]) -> int:
    """Train, and evaluate the best agent; returns the exit status."""
    with checking_input():
        args = read_arguments(arguments)
        folder = (Path("runs") / args.settings.name).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        check_same(args, folder)
    with only_writer(folder), joined(args.cluster) as cluster:
        assert cluster is not None
        for answer in [cluster.submit(platform.node) for _ in range(cluster.cores)]:
            answer.result()  # the versions of the nodes are those of this machine
        results = train(args, folder, cluster.cores)
        if results.errors:
            return refuse(f"the training has failed; see {folder}: {results.errors[0]}")
        best = results.get_best_result(metric=metric(args.settings), mode="max")
        if best.checkpoint is None:
            return refuse("the training was stopped before its first checkpoint")
        if args.sweep:
            write_sweep(results, args.settings, folder)
        save(best, args.settings, folder, command_line("python scripts/train_rllib.py", arguments))
    rows = evaluate(args.settings, folder)
    write_progress(best, rows, folder)
    if not best.metrics["done"]:
        print(f"\nStopped after {duration(best.metrics['seconds'])}; repeat the command to go on.")
    return 0


def read_arguments(arguments: list[str]) -> Args:
    """The arguments, on top of the game's preset; `ValueError` if they are invalid."""
    settings = replace(
        sb3_settings_of(named_game(arguments).name), name="rllib", players=(), minutes=30.0, steps=10_000_000
    )
    args = tyro.cli(Args, default=Args(settings=settings), args=arguments)
    if args.settings.preset != "sb3" or args.settings.advice_logit:
        raise ValueError("--preset and --advice-logit are options of `blackjacky train` alone")
    check_settings(args.settings)
    make_games(args.settings, len(args.settings.table_sizes), args.settings.threads)  # refuses what cannot be played
    return args


def check_same(args: Args, folder: Path) -> None:
    """Save the settings of a new run; `ValueError` if there is a run with others."""
    path = folder / "config.json"
    settings = json.loads(json.dumps({**asdict(args.settings), "sweep": args.sweep}))
    if not tune.Tuner.can_restore(str(folder)):
        write_json(path, settings)
    elif (others := json.loads(path.read_text("utf-8"))) != settings:
        differ = ", ".join(name for name in settings if settings[name] != others.get(name))
        raise ValueError(f"{folder} holds a run with other settings ({differ}); choose another --name")


def metric(settings: PPOSettings) -> str:
    """What a sweep maximises: the win rate against copies of the strongest bot."""
    return f"win_rate/{bot_names(settings.game)[-1]}"


def search_space(settings: PPOSettings) -> dict[str, Any]:
    """The values that a sweep draws from."""
    sizes = [settings.batch_size // 2, settings.batch_size, 2 * settings.batch_size]
    return {
        "lr": [[0, tune.loguniform(1e-4, 3e-3)], [settings.steps, 0.0]],
        "num_epochs": tune.choice([1, 2, 3, 4]),
        "minibatch_size": tune.choice([size for size in sizes if size <= settings.num_envs * settings.n_steps]),
        "lambda_": tune.choice([0.9, 0.95, 1.0]),
        "clip_param": tune.choice([0.1, 0.2, 0.3]),
    }


def train(args: Args, folder: Path, cores: int) -> tune.ResultGrid:
    """Train with Tune, or go on with the training in the folder."""
    settings = args.settings
    runners = cores if args.env_runners is None else args.env_runners
    config = make_config(settings, 0 if args.sweep else runners)
    if args.sweep:
        config.training(**search_space(settings))
    if tune.Tuner.can_restore(str(folder)):
        return tune.Tuner.restore(str(folder), trainable=PPO, param_space=config, restart_errored=True).fit()
    iterations = max(1, settings.steps // config.train_batch_size_per_learner)
    halving = ASHAScheduler(max_t=iterations, grace_period=max(1, iterations // 8))
    tuning = tune.TuneConfig(
        metric=metric(settings),
        mode="max",
        num_samples=max(1, args.sweep),
        search_alg=BasicVariantGenerator(random_state=settings.seed),
        scheduler=halving if args.sweep else None,
    )
    return tune.Tuner(PPO, param_space=config, tune_config=tuning, run_config=run_config(settings, folder)).fit()


def run_config(settings: PPOSettings, folder: Path) -> tune.RunConfig:
    """When a training ends, and what it keeps in the folder."""
    return tune.RunConfig(
        name=folder.name,
        storage_path=str(folder.parent),
        stop={STEPS: settings.steps, "seconds": 60 * settings.minutes},
        checkpoint_config=tune.CheckpointConfig(
            checkpoint_frequency=CHECKPOINT_EVERY, checkpoint_at_end=True, num_to_keep=2
        ),
        failure_config=tune.FailureConfig(max_failures=3),
        callbacks=[Progress()],
        verbose=0,
    )


def write_progress(best: tune.Result, rows: list[dict[str, Any]], folder: Path) -> None:
    """Write all evaluations, the final one as the last, to ``progress.jsonl``, as `blackjacky train` does."""
    frame = best.metrics_dataframe.drop_duplicates("training_iteration", keep="last")  # repeated after a restart
    final = {row["opponents"]: row["win_rate"] for row in rows}
    lines = [
        {
            "steps": int(line[STEPS]),
            "seconds": round(line["seconds"], 1),
            "win_rate": {bot: line[f"win_rate/{bot}"] for bot in final},
        }
        for _, line in frame[frame["evaluated"] | (frame.index == frame.index[-1])].iterrows()
    ]
    lines[-1]["win_rate"] = final
    write_file(folder / PROGRESS_FILE, "".join(f"{json.dumps(line)}\n" for line in lines))


def write_sweep(results: tune.ResultGrid, settings: PPOSettings, folder: Path) -> None:
    """Print the settings that were tried and how they did, best first, and write them to ``sweep.md``."""
    bot = bot_names(settings.game)[-1]
    cells = [
        [
            f"{result.config['lr'][0][1]:.1e}",
            *[result.config[name] for name in SWEPT],
            f"{result.metrics['env_runners']['num_env_steps_sampled_lifetime']:,.0f}",
            f"{result.metrics['win_rate'][bot]:.1%}",
        ]
        for result in sorted(results, key=lambda result: -result.metrics["win_rate"][bot])
    ]
    table = markdown_table(["lr", *SWEPT, "decisions", f"wins against {bot}"], cells)
    write_file(folder / "sweep.md", f"{table}\n")
    print(table)


def save(best: tune.Result, settings: PPOSettings, folder: Path, command: str) -> None:
    """Write the agent of a training's last checkpoint."""
    with best.checkpoint.as_directory() as where:
        module = RLModule.from_checkpoint(Path(where, "learner_group", "learner", "rl_module", "default_policy"))
    save_agent(
        folder / AGENT_FILE,
        policy_layers(module),
        settings.game,
        find_encoding(settings.encoding, settings.game),
        trained_on={"num_players": sorted(set(settings.table_sizes)), "options": dict(settings.rule_options)},
        steps=int(best.metrics["env_runners"]["num_env_steps_sampled_lifetime"]),
        seconds=round(best.metrics["seconds"], 1),
        command=command,
        seed=settings.seed,
        versions=versions("torch", "ray", "gymnasium"),
        machine=machine(),
    )


def evaluate(settings: PPOSettings, folder: Path) -> list[dict[str, Any]]:
    """Print win rates of the agent against copies of each bot, write them to ``results.json``, and return them."""
    bots = [make_compiled_agent(name, settings.game) for name in bot_names(settings.game)]
    tables = {"game": settings.game, "variant": settings.variant, **settings.rule_options}
    agent, sizes = load_agent(folder, settings.game), (settings.eval_players,)
    rows = results_table(agent, bots, settings.final_eval_games, settings.threads, sizes=sizes, **tables)
    write_json(folder / "results.json", {"table": rows})
    name = f"ppo:runs/{folder.name}"
    print(f"\n{train_report.results_table(rows)}\n\n{train_report.standing(name, rows)}")
    return rows


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ClusterError, FolderInUseError, WrongInputError) as wrong:
        sys.exit(refuse(str(wrong)))
