"""What ``blackjacky train`` says of trainings: how an agent stands, what to do next, and runs beside each other."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from blackjacky_agents.kit.settings import TrainingSettings
from blackjacky_agents.learning.differences import Difference, count_differences
from blackjacky_agents.learning.training_run import CURVE_FILE, TrainingRun
from blackjacky_agents.registry import display_names, make_agent
from blackjacky_agents.reports import in_this_shell, machine, markdown_table, percent, rate_cells
from blackjacky_agents.search.explaining import play
from blackjacky_agents.storage.files import write_file, write_json
from blackjacky_env import replay_html
from blackjacky_env.draw import WIDTH, listed
from blackjacky_env.envs import TableEnv
from blackjacky_env.games import DEFAULT

GAME_FILE = "game.html"
Row = Mapping[str, Any]
"""A row of `TrainingRun.results`."""


def show_results(run: TrainingRun) -> None:
    """Evaluate the agent; write results and speed to its run folder and card, and print them with what to do next."""
    settings, bot = run.settings, run.bots[-1]
    rows, table = run.results(), (settings.eval_players, settings.variant, settings.rule_options)
    found = count_differences(run.agent(True), bot, *table)
    said = f"{standing(f'ppo:{run.folder.as_posix()}', rows)} {lesson(bot.name, found)}".strip()
    rate = run.steps / run.clock.seconds
    speed = f"{run.steps:,} steps in {run.clock.seconds:.0f} s, {rate:,.0f} steps/s."
    differences = [each._asdict() for each in found]
    run.save_agent(results=rows, machine=machine())  # before the file that says that all is done
    write_json(run.folder / "results.json", {"table": rows, "differences": differences, "steps_per_second": rate})
    shown = results_table(rows)
    write_file(run.folder / "results.md", f"`{run.command}`\n\n{said}\n\n{shown}\n\n{speed}\n")
    print(f"\n{shown}\n\n{speed}\n\n{fill(said, WIDTH)}\n\n{next_steps(run)}")


def results_table(rows: Sequence[Row]) -> str:
    """The results as a Markdown table."""
    heading = ["players", "against copies of", "win rate", "95 % interval", "par", "no winner", "games"]
    cells = (
        [row["players"], row["opponents"], *rate_cells(row), percent(row["nobody"]), f"{row['games']:,}"]
        for row in rows
    )
    return markdown_table(heading, cells)


def standing(agent: str, rows: Sequence[Row]) -> str:
    """Between which bots and agents an agent stands at the first table size, in a sentence.

    It beats others if the 95 % interval of its win rate against copies of them lies above par, and loses to them if it
    lies below; it stands between those it beats least and those it loses to least.
    """
    players, par = rows[0]["players"], rows[0]["par"]
    own = sorted((row for row in rows if row["players"] == players), key=lambda row: row["win_rate"])
    copies = "" if players == 2 else f"{players - 1} "
    others = [f"{copies}{row['opponents']} ({percent(row['win_rate'])})" for row in own]
    beaten = [name for name, row in zip(others, own, strict=True) if row["low"] > par]
    better = [name for name, row in zip(others, own, strict=True) if row["high"] < par]
    places = []
    if beaten and better:
        places.append(f"between {beaten[0]}, which it beats, and {better[-1]}, to which it loses")
    elif beaten:
        places.append(f"above {beaten[0]}" if len(beaten) < len(own) else f"above all, even {beaten[0]}")
    elif better:
        places.append(f"below {better[-1]}" if len(better) < len(own) else f"below all, even {better[-1]}")
    if level := [name for name in others if name not in beaten + better]:
        places.append(f"level with {listed(level)}")
    return f"At a table of {players}, {agent} stands {', '.join(places)}; par is {percent(par)}."


def lesson(bot: str, found: Sequence[Difference]) -> str:
    """Where an agent differs most from a bot, in a sentence; "" if it does not."""
    if not found or not found[0].different:
        return ""
    share, kind = found[0].different / found[0].decisions, found[0].kind.replace("_", " ")
    return (
        f'It differs most from {bot} where {bot} would choose "{kind}": in {percent(share, 0)} of these decisions it '
        "does something else."
    )


def next_steps(run: TrainingRun) -> str:
    """Commands, as they are typed here, to play against the agent, watch it, train it longer, and open TensorBoard."""
    settings, folder = run.settings, run.folder.as_posix()
    agent, others = f"ppo:{folder}", settings.eval_players - 1
    strongest = f"{run.bots[-1].name}*{others}".removesuffix("*1")
    opponents, options = f"{agent}*{others}".removesuffix("*1"), game_options(settings)
    limits = [] if run.steps < settings.steps else ["--steps", str(2 * settings.steps)]
    limits += ["--minutes", f"{2 * settings.minutes:g}"]
    steps = {
        "play against it": ["blackjacky", "play", *options, "--opponents", opponents],
        "watch it": ["blackjacky", "watch", *options, "--agents", f"{agent},{strongest}", "--output", "game.html"],
        "train it longer": ["blackjacky", "train", "--resume", folder, *limits],
    }
    if (run.folder / "tensorboard").is_dir():
        steps["see all its curves"] = ["tensorboard", "--logdir", (run.folder / "tensorboard").as_posix()]
    width = max(map(len, steps))
    lines = [f"  {what:{width}}  {in_this_shell(name)} {shlex.join(rest)}" for what, (name, *rest) in steps.items()]
    shown = {"Learning curve": run.folder / CURVE_FILE, "Its first game": write_first_game(run)}
    files = [f"{what}: {path.as_posix()}" for what, path in shown.items()]
    return "\n".join([*files, "", "What next?", *lines])


def write_first_game(run: TrainingRun) -> Path:
    """Write the replay of a game of the agent, in the first seat, against the strongest bot, with its thoughts."""
    settings = run.settings
    env = TableEnv(settings.game, settings.eval_players, settings.variant, **settings.rule_options)
    names = [f"ppo:{run.folder.as_posix()}", *[run.bots[-1].name] * (settings.eval_players - 1)]
    agents = {seat: make_agent(name, settings.game) for seat, name in zip(env.possible_agents, names, strict=True)}
    for number, agent in enumerate(agents.values()):
        agent.reset(number)
    env.reset(seed=0)
    thoughts = list(play(env, agents))
    path = run.folder / GAME_FILE
    write_file(path, replay_html(env.record(), names=display_names(names), thoughts=thoughts))
    return path


def game_options(settings: TrainingSettings) -> list[str]:
    """The options of a command line that select the game, variant and rules of a training."""
    options = [] if settings.game == DEFAULT else ["--game", settings.game]
    if settings.variant is not None:
        options += ["--variant", settings.variant]
    for name, value in settings.rule_options.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            options.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            options += [f"--{flag}", *map(str, value if isinstance(value, list | tuple) else [value])]
    return options
