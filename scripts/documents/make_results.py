"""Tables of results, from the cards of shipped agents and from agents/results."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from statistics import mean, median
from typing import Any

from parts import DOCS, RESULTS, ROOMS, ROOT, Part, command_of

from blackjacky_agents import bot_names
from blackjacky_agents.cli.exploit_report import exploit_table
from blackjacky_agents.cli.tournament_report import ladder
from blackjacky_agents.learning.agent_file import read_card
from blackjacky_agents.reports import markdown_table, where_run
from blackjacky_env.games import get_game

CURVE = ROOT / "examples" / "ppo_batch.csv"
"""The learning_curve.csv of examples/ppo_batch.py, with the rows of all seeds."""

SWEEP = ROOT / "examples" / "optuna_sweep.md"
"""The sweep.md of examples/optuna_sweep.py."""

AGENTS = ROOT / "agents" / "blackjacky_agents" / "games"

Cards = dict[str, dict[Path, dict[str, Any]]]
"""Cards of shipped agents, by game and path of the weights."""


def parts() -> Iterator[Part]:
    """The results of trained agents and of the example, and all measurements of all games."""
    yield Part(DOCS / "results.md", "results", results(shipped_cards()))
    yield Part(DOCS / "train.md", "ppo_batch", curve())
    if SWEEP.exists():
        yield Part(DOCS / "train.md", "sweep", SWEEP.read_text("utf-8").strip())
    for game in ROOMS:
        for kind, show in MEASUREMENTS.items():
            path = RESULTS / game / f"{kind}.json"
            if path.exists():
                measured = json.loads(path.read_text(encoding="utf-8"))
                yield Part(DOCS / "results.md", f"{kind}-{game}", show(measured))


# ---------------------------------------------------------------- trained agents


def shipped_cards() -> Cards:
    """The cards of all agents shipped for the games in this repository."""
    trained = {game: sorted((AGENTS / game / "trained").glob("*.safetensors")) for game in ROOMS}
    return {game: {path: read_card(path) for path in paths} for game, paths in trained.items()}


def results(cards: Cards) -> str:
    """A table of the agents of each game, and a note on the training of each agent."""
    tables = [table_of(game, own) for game, own in cards.items() if own]
    notes = [f"- {note(game, path, card)}" for game, own in cards.items() for path, card in own.items()]
    if not tables:
        return "No trained agent is shipped."
    return "\n\n".join([*tables, "Win rates with their 95 % intervals.", "\n".join(notes)])


def table_of(game: str, cards: dict[Path, dict[str, Any]]) -> str:
    """The agents of one game."""
    bots = bot_names(game)
    rows = [row for path, card in cards.items() for row in rows_of(path.stem, card, bots)]
    against = [f"against `{name}`" for name in bots]
    return markdown_table([f"trained agent ({get_game(game).title})", "players", "par", *against], rows)


def rows_of(name: str, card: dict[str, Any], bots: list[str]) -> list[list[str]]:
    """One row for each table size."""
    cells = {(row["players"], row["opponents"]): row for row in card["results"]}
    sizes = dict.fromkeys(row["players"] for row in card["results"])
    return [
        [f"`{name}`", str(size), f"{100 / size:.1f} %", *(rate(cells.get((size, bot))) for bot in bots)]
        for size in sizes
    ]


def rate(row: dict[str, Any] | None) -> str:
    """A win rate with its 95 % interval; a dash where it was not measured, as against a bot newer than the agent."""
    if row is None:
        return "-"
    return f"**{100 * row['win_rate']:.1f} %** ({100 * row['low']:.1f} .. {100 * row['high']:.1f})"


def note(game: str, path: Path, card: dict[str, Any]) -> str:
    """Command, training time and evaluation of an agent, as a sentence."""
    games = " or ".join(f"{count:,}" for count in sorted({row["games"] for row in card["results"]}))
    machine = f"{card['machine']['processor']}, {card['machine']['cores']} cores"
    curve = f"../{path.with_suffix('.png').relative_to(ROOT).as_posix()}"
    return (
        f"`{path.stem}` ({get_game(game).title}): `{card['command']}`, seed {card['seed']}, {card['steps']:,} steps in "
        f"{card['seconds'] / 60:.0f} minutes on {machine} ([learning curve]({curve})); {games} games in each cell."
    ) + (f" It mixes {card['mixes']}." if "mixes" in card else "")


# ---------------------------------------------------------------- the example


def curve() -> str:
    """Win rates of the example over the course of the training, all seeds together."""
    tests: dict[int, list[dict[str, str]]] = {}
    with CURVE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            tests.setdefault(int(row["steps"]), []).append(row)
    shown = [steps for i, steps in enumerate(tests, 1) if i % 2 == 0 or i == len(tests)]
    table = markdown_table(["decisions", "win rate", "CPU time"], [line(steps, tests[steps]) for steps in shown])
    seeds = [row["seed"] for row in tests[shown[-1]]]
    [processor] = {row["processor"] for row in tests[shown[-1]]}
    return (
        f"`python examples/ppo_batch.py --seed SEED` with the seeds {', '.join(seeds)}, on one core of a busy machine "
        f"({processor}): mean, lowest and highest win rate of a seed.\n\n{table}"
    )


def line(steps: int, rows: list[dict[str, str]]) -> list[str]:
    """A line of the table: the tests of all seeds after this many decisions."""
    rates, seconds = [100 * float(row["win_rate"]) for row in rows], mean(float(row["cpu_seconds"]) for row in rows)
    spread = f"**{mean(rates):.1f} %** ({min(rates):.1f} .. {max(rates):.1f})"
    return [f"{steps:,}", spread, f"{seconds:.0f} s"]


# ---------------------------------------------------------------- measurements


def training(rows: list[dict[str, Any]]) -> str:
    """What the presets reach with several seeds: a line for each preset, length and size."""
    others = rows[0]["result"]["players"] - 1
    against = f"{others} `{rows[0]['result']['opponents']}`"
    table = []
    kinds = groupby(rows, key=lambda row: (row["preset"], row["minutes"], tuple(row["hidden_sizes"]), row["options"]))
    for (preset, minutes, sizes, options), own in kinds:
        runs = list(own)
        rates = [row["result"]["win_rate"] for row in runs]
        seeds = "<br>".join(f"{row['seed']}: {rate(row['result']).replace('*', '')}" for row in runs)
        speeds = f"{mean(row['steps'] / max(row['seconds'], 1) for row in runs):,.0f}"
        size = " x ".join(map(str, sizes))
        asked = f"`{' '.join([preset, *(Path(word).name for word in options.split())])}`"
        weaker = ", ".join(
            f"`{name}`: {100 * median(row['weaker'][name] for row in runs):.1f} %" for name in runs[0]["weaker"]
        )
        champion = "<br>".join(rate(row["champion"]) for row in runs if row.get("champion"))
        won = [f"**{100 * median(rates):.1f} %**", seeds, champion or "-", weaker or "-"]
        table.append([asked, f"{minutes:g}", size, *won, speeds])
    best, champions = f"against {against}, median", f"against {others} `champion` at the time"
    heading = ["preset", "minutes", "hidden layers", best, "seeds", champions, "weaker bots", "decisions/s"]
    first, games = rows[0], " or ".join(f"{number:,}" for number in sorted({row["result"]["games"] for row in rows}))
    where = f"{first['machine']['processor']}, {first['machine']['cores']} cores"
    example = rows[-1]["command"]
    return (
        f"{markdown_table(heading, table)}\n\nPar is {100 * first['result']['par']:.1f} %. Each seed is a training, "
        f"such as `{example}`, and {games} games; all by "
        f"`python scripts/documents/learning_curves.py`, on {where}."
    )


def luck(measured: dict[str, Any]) -> str:
    """What seeing all cards wins, and what cards and seats explain, at each table."""
    rows = []
    for table in measured["tables"]:
        sighted, explained = ({"win_rate": table[name]["mean"], **table[name]} for name in ("sighted", "explained"))
        par = f"{100 / table['players']:.1f} %"
        games = f"{table['deals'] * table['players']:,}"
        rows.append([f"{table['players']}, `{table['variant']}`", par, rate(sighted), rate(explained), games])
    heading = ["players", "par", "the oracle wins", "cards and seat explain", "games"]
    return (
        f"{markdown_table(heading, rows)}\n\nAmong copies of `{measured['agent']}`, with {measured['simulations']} "
        f"simulations per decision; what cards and seat explain is from {table['deals_of_copies']:,} deals that "
        f"copies play twice: {command_of(measured)} on {where_run(measured['machine'])}."
    )


def guided(measured: dict[str, Any]) -> str:
    """Search that the champion guides, by budget and without its ingredients, for each table size."""
    players = dict.fromkeys(row["players"] for row in measured["rows"])
    tables = [guided_at([row for row in measured["rows"] if row["players"] == number]) for number in players]
    note = (
        "Every deal is played once in each seat; the last column is CPU time. Last measured by "
        f"{command_of(measured)} on {where_run(measured['machine'])}."
    )
    return "\n\n".join([*tables, note])


def guided_at(measured: list[dict[str, Any]]) -> str:
    """`guided` at one table size."""
    players = measured[0]["players"]
    opponents = list(dict.fromkeys(row["opponent"] for row in measured))
    rows: dict[str, list[str]] = {}
    for agent in sorted(dict.fromkeys(row["agent"] for row in measured), key=by_simulations):
        own = {row["opponent"]: row for row in measured if row["agent"] == agent}
        cells = [rate({"win_rate": own[name]["mean"], **own[name]} if name in own else None) for name in opponents]
        spent = mean(row["decision_seconds"] for row in own.values())
        games = " or ".join(sorted({f"{row['deals'] * players:,}" for row in own.values()}))
        rows[agent] = [f"`{agent}`" if " " not in agent else agent, *cells, games, f"{1000 * spent:,.2f} ms"]
    against = [f"against {'one' if players == 2 else players - 1} `{name}`" for name in opponents]
    table = markdown_table(["agent", *against, "games in each cell", "a decision"], rows.values())
    return f"**{players} players**, par {100 / players:.1f} %:\n\n{table}"


def by_simulations(agent: str) -> int:
    """Simulations per decision, by an agent's name; those of a search that lacks a component come last."""
    simulations = agent.partition(":")[2]
    return 0 if not simulations else int(simulations) if simulations.isdigit() else 10**9


def distillation(measured: dict[str, Any]) -> str:
    """What search gains per decision, and networks that have learned from it."""
    rows = []
    for row in measured["rows"]:
        gain = f"**{row['mean']:+.3%}** ({100 * row['low']:+.3f} .. {100 * row['high']:+.3f})"
        rows.append([row["name"], f"{row['changed']:.1%}", gain, f"{row['tested']:,}"])
    heading = ["who chooses", "another action", "win rate gained per decision", "decisions tested"]
    return (
        f"{markdown_table(heading, rows)}\n\nAmong copies of `{measured['agent']}`, {measured['players']} players, "
        f"twice {measured['positions']} sampled positions: {command_of(measured)} on {where_run(measured['machine'])}."
    )


MEASUREMENTS: dict[str, Callable[[Any], str]] = {
    "training": training,
    "ladder": ladder,
    "exploitability": exploit_table,
    "search": ladder,
    "luck": luck,
    "guided": guided,
    "distillation": distillation,
}
"""(contents of the file) -> Markdown, by name of the file."""
