"""Tables of results, from the cards of shipped agents and from agents/results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import Any

from parts import DOCS, ROOMS, ROOT, Part

from blackjacky_agents import bot_names
from blackjacky_agents.cli.exploit_report import exploit_table
from blackjacky_agents.cli.tournament_report import ladder
from blackjacky_agents.learning.agent_file import read_card
from blackjacky_agents.reports import markdown_table, where_run
from blackjacky_env.games import get_game

RESULTS = ROOT / "agents" / "results"
"""Measurements in a folder for each game; `MEASUREMENTS` lists their files."""

AGENTS = ROOT / "agents" / "blackjacky_agents" / "games"

Cards = dict[str, dict[Path, dict[str, Any]]]
"""Cards of shipped agents, by game and path of the weights."""


def parts() -> Iterator[Part]:
    """The results of trained agents, and all measurements of all games."""
    yield Part(DOCS / "results.md", "results", results(shipped_cards()))
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
        [f"`{name}`", str(size), f"{100 / size:.1f} %", *(rate(cells[size, bot]) for bot in bots)] for size in sizes
    ]


def rate(row: dict[str, Any]) -> str:
    """A win rate with its 95 % interval."""
    return f"**{100 * row['win_rate']:.1f} %** ({100 * row['low']:.1f} .. {100 * row['high']:.1f})"


def note(game: str, path: Path, card: dict[str, Any]) -> str:
    """Command, training time and evaluation of an agent, as a sentence."""
    games = " or ".join(f"{count:,}" for count in sorted({row["games"] for row in card["results"]}))
    machine = f"{card['machine']['processor']}, {card['machine']['cores']} cores"
    curve = f"../{path.with_suffix('.png').relative_to(ROOT).as_posix()}"
    return (
        f"`{path.stem}` ({get_game(game).title}): `{card['command']}`, seed {card['seed']}, {card['steps']:,} steps in "
        f"{card['seconds'] / 60:.0f} minutes on {machine} ([learning curve]({curve})); {games} games in each cell."
    )


# ---------------------------------------------------------------- measurements


def speeds(measured: dict[str, Any]) -> str:
    """Decision times of a game's agents."""
    heading = ["agent", "decisions per second in a batch, one core", "one `act`"]
    rows = (
        [f"`{name}`", f"{speed['decisions_per_second']:,}", f"{speed['act_microseconds']} µs"]
        for name, speed in measured["agents"].items()
    )
    check = measured["check_microseconds"]
    return (
        f"{markdown_table(heading, rows)}\n\n"
        "`act` first validates the observation and mask, because compiled policies do not: "
        f"{check['alone']} µs for one observation, {check['in a batch']} µs each in a large batch. Games "
        f"played in compiled code skip this. Measured on {where_run(measured['machine'])}."
    )


def seat_rates(measured: dict[str, Any]) -> str:
    """Win rates by distance from the start player."""
    most = max(table["players"] for table in measured["tables"])
    heading = ["variant", "players", "par", "start player", *(f"left + {i}" for i in range(1, most))]
    rows = []
    for table in measured["tables"]:
        size = table["players"]
        rates = [rate(seat) for seat in table["seats"]] + ["-"] * (most - size)
        rows.append([f"`{table['variant']}`", str(size), f"{100 / size:.1f} %", *rates])
    note = f"`{measured['command']}`: {measured['games']:,} games of copies of `{measured['agent']}` in each row."
    return f"{markdown_table(heading, rows)}\n\n{note}"


def scores(cards: list[dict[str, Any]]) -> str:
    """The scores of a game's agents, best first."""
    rows = []
    for card in sorted(cards, key=lambda card: -card["score"]["mean"]):
        score, times = card["score"], card["run"]["move_microseconds"]
        name, protocol = PurePath(card["agent"]["name"].removeprefix("ppo:")).stem, card["protocol"]
        worst = min(card["tables"], key=lambda table: table["score"]["mean"])
        rows.append(
            [
                f"`{name}`",
                f"**{score['mean']:.1f}**",
                f"{score['low']:.1f} .. {score['high']:.1f}",
                f"`{protocol['name']}` {protocol['length']}",
                f"{card['games']:,}",
                f"{round(worst['score']['mean'])} against `{worst['opponents']}`, {worst['players']} players",
                f"{times['median']:,} µs",
            ]
        )
    heading = ["agent", "score", "95 % interval", "protocol", "games", "weakest table", "time per move"]
    made = cards[0]["run"]
    where = f"{made['machine']['processor']}, {made['machine']['cores']} cores"
    return f"{markdown_table(heading, rows)}\n\nMeasured on {where}."


def stalling(measured: dict[str, Any]) -> str:
    """How many rounds are settled by the limit of their turns, in the course of several trainings."""
    after = [
        f"{decisions / 1e6:.1f} million decisions" if decisions else "untrained" for decisions in measured["decisions"]
    ]
    rows = [
        [row["training"], *(" and ".join(f"{100 * share:.0f} %" for share in shares) for shares in row["stalled"])]
        for row in measured["rows"]
    ]
    table = markdown_table(["training", *after], rows)
    return f"{table}\n\n`{measured['command']}`: each of {measured['seeds']} trainings."


MEASUREMENTS: dict[str, Callable[[Any], str]] = {
    "scores": scores,
    "ladder": ladder,
    "timing": speeds,
    "exploitability": exploit_table,
    "seats": seat_rates,
    "stalling": stalling,
    "search": ladder,
}
"""(contents of the file) -> Markdown, by name of the file."""
