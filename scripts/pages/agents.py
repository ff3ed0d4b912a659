"""How good agents are: the tables of docs/results.md, of docs/standings.md and of the README."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePath
from statistics import mean, median
from typing import Any

from blackjacky_agents import bot_names
from blackjacky_agents.arena.evaluation import Score, gain
from blackjacky_agents.arena.protocol import ceiling, find_protocol
from blackjacky_agents.arena.score_card import ScoreCard, read_score_card
from blackjacky_agents.cli.tournament import copies_table, cycles
from blackjacky_agents.networks.agent_file import read_card
from blackjacky_agents.reports import markdown_table, percent
from blackjacky_env.games import get_game
from scripts.pages.part import DOCS, MISSING, Part, Row, code, plain_tables, rate, table
from scripts.results import AGENTS, RESULTS, ROOMS, ROOT, Result, load, made_by

FORMER = "former_"  # Begins the names of agents that are only shipped to train others.
PAGE = DOCS / "results.md"

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\.json")  # of a card's file, which is part of an address
_PLAIN = re.compile(r"[^\W_]|[ ,()]")
Cards = dict[Path, ScoreCard]
Columns = Mapping[str, Callable[[Row], object]]


def parts() -> Iterator[Part]:
    """All tables about agents of the whole games."""
    cards = {game: trained_cards(game) for game in ROOMS}
    yield Part(PAGE, "results", trained(cards))
    yield Part(PAGE, "training", of_games("training", training))
    yield Part(PAGE, "ladder", of_games("ladder", ladder))
    yield Part(PAGE, "exploitability", of_games("exploitability", exploitability))
    yield Part(PAGE, "search", searches())
    yield Part(ROOT / "README.md", "results", champions(cards))
    for game in ROOMS:
        yield Part(DOCS / "standings.md", f"standings-{game}", standings(read_cards(RESULTS / game / "scores", game)))


def of_games(kind: str, show: Callable[[str, Result], str]) -> str:
    """A section for each game with such a result."""
    found = {game: result for game in ROOMS if (result := load(kind, game))}
    sections = [f"### {get_game(game).title}\n\n{show(game, result)}" for game, result in found.items()]
    return "\n\n".join(sections) or MISSING


# ---------------------------------------------------------------- trained agents


def trained_cards(game: str) -> dict[str, dict[str, Any]]:
    """The cards of a game's shipped agents, by name, without those that others were only trained from."""
    paths = sorted((AGENTS / game / "trained").glob("*.safetensors"))
    return {path.stem: read_card(path) for path in paths if not path.stem.startswith(FORMER)}


def trained(cards: Mapping[str, dict[str, dict[str, Any]]]) -> str:
    """A table of the agents of each game, and a note on the training of each agent."""
    tables = [trained_table(game, own) for game, own in cards.items() if own]
    notes = [f"- {note(game, name, card)}" for game, own in cards.items() for name, card in own.items()]
    told = "Win rates with their 95 % intervals, over games. Each agent is one run of its command."
    return "\n\n".join([*tables, told, "\n".join(notes)]) if tables else "No trained agent is shipped."


def trained_table(game: str, cards: Mapping[str, dict[str, Any]]) -> str:
    """The agents of one game, a row for each table size."""
    bots, rows = bot_names(game), []
    for name, card in cards.items():
        cells = {(row["players"], row["opponents"]): row for row in card["results"]}
        for size in dict.fromkeys(row["players"] for row in card["results"]):
            rates = (rate(cells.get((size, bot))) for bot in bots)
            rows += [[code(name), size, percent(1 / size), *rates]]
    against = [f"against `{name}`" for name in bots]
    return markdown_table([f"trained agent ({get_game(game).title})", "players", "par", *against], rows)


def note(game: str, name: str, card: Mapping[str, Any]) -> str:
    """Command, training time and evaluation of an agent, as a sentence."""
    games, machine = games_of(card["results"]), f"{card['machine']['processor']}, {card['machine']['cores']} cores"
    curve = f"../{(AGENTS / game / 'trained' / name).relative_to(ROOT).as_posix()}.png"
    return (
        f"`{name}` ({get_game(game).title}): `{card['command']}`, seed {card['seed']}, {card['steps']:,} steps in "
        f"{card['seconds'] / 60:.0f} minutes on {machine} ([learning curve]({curve})); {games} games in each cell."
    ) + (f" It mixes {card['mixes']}." if "mixes" in card else "")


def games_of(rows: Iterable[Row]) -> str:
    """The numbers of games of some rows."""
    return " or ".join(f"{number:,}" for number in sorted({row["games"] for row in rows}))


def training(game: str, result: Result) -> str:
    """What presets reach from the beginning: a row for each preset, length, size and options, over its seeds."""
    own = [row for row in result["rows"] if "--init-from" not in row["options"]]
    kinds = groupby(own, key=lambda row: (row["preset"], row["minutes"], tuple(row["hidden_sizes"]), row["options"]))
    rows = []
    for (preset, minutes, sizes, options), group in kinds:
        runs = list(group)
        rates = [row["result"]["win_rate"] for row in runs]
        told = f"**{percent(median(rates))}**" if len(runs) > 1 else f"{percent(rates[0])}, one run"
        each = ", ".join(rate(row["result"]).replace("*", "") for row in runs)
        speed = f"{mean(row['steps'] / max(row['seconds'], 1) for row in runs):,.0f}"
        rows.append(
            [code(f"{preset} {options}".strip()), f"{minutes:g}", " x ".join(map(str, sizes)), told, each, speed]
        )
    heading, first = ["preset", "minutes", "hidden layers", "median", "each seed", "decisions/s"], own[0]["result"]
    return (
        f"{markdown_table(heading, rows)}\n\nAgainst {first['players'] - 1} `{first['opponents']}`, par "
        f"{percent(first['par'])}, {games_of(row['result'] for row in own)} games for each seed, such as "
        f"`{own[-1]['command']}`. {made_by(result)}"
    )


# ---------------------------------------------------------------- against each other


def ladder(game: str, result: Result) -> str:
    """The table at the game's usual size, and a row for each other one."""
    usual, champion, bot = get_game(game).default_players, "champion", bot_names(game)[-1]
    tables = {each["num_players"]: each for each in result["rows"]}
    shown = tables.get(usual) or next(iter(tables.values()))
    size = shown["num_players"]
    columns: Columns = {
        "players": lambda row: row["num_players"],
        "par": lambda row: percent(1 / row["num_players"]),
        f"`{champion}` among `{bot}`": lambda row: rate(against(row, champion, bot), "mean"),
        f"`{bot}` among champions": lambda row: rate(against(row, bot, champion), "mean"),
        "games": lambda row: f"{row['games']:,}",
    }
    rows = [each for number, each in tables.items() if number != size]
    others = [table(rows, columns)] if rows else []
    head = f"**{size} players**, par {percent(1 / size)}; {shown['games']:,} games, {shown['deals']:,} deals:"
    return "\n\n".join([head, copies_table(shown), cycles(shown), *others, made_by(result)])


def against(found: Row, agent: str, other: str) -> dict[str, float]:
    """The win rate of one agent against copies of another, in a table of a ladder."""
    (rates,) = (each["win_rates"] for each in found["lineups"] if each["agents"][:2] == [agent, other])
    own: dict[str, float] = rates[agent]
    return own


def exploitability(game: str, result: Result) -> str:
    """Best responses to agents; those of search against the champion have all draws of deals together."""

    def gained(row: Row) -> str:
        found = gain(Score(**row["score"]), Score(**row["own"]))
        told = f"**{100 * found.mean:+.1f} %** ({100 * found.low:+.1f} .. {100 * found.high:+.1f})"
        return told if found.low > 0 else "nothing found"

    rows = [row for row in result["rows"] if not row["agent"].startswith(FORMER)]
    columns: Columns = {
        "agent": lambda row: code(row["agent"]),
        "players": lambda row: row["players"],
        "the best response wins": lambda row: rate(row["score"]),
        "the agent itself": lambda row: rate(row["own"]),
        "gain (lower bound)": gained,
        "learner": lambda row: row["learner"],
        "training decisions": lambda row: f"{row['decisions']:,}",
        "minutes": lambda row: f"{row['seconds'] / 60:.0f}",
    }
    draws = [f"{percent(each['mean'])} of {each['games']:,}" for row in rows for each in row.get("draws", ())]
    told = (
        f"The row of `search:100` has several draws of deals together: {' and '.join(draws)} games. " if draws else ""
    )
    return f"{table(rows, columns)}\n\n{told}Each row is one run. {made_by(result)}"


def champions(cards: Mapping[str, dict[str, dict[str, Any]]]) -> str:
    """The shipped champion of each game against `random` and the strongest bot, at the game's usual table size."""
    rows, better = [], []
    for game, own in cards.items():
        card, result = own.get("champion"), load("ladder", game)
        if card is None or result is None:
            continue
        size, strongest = get_game(game).default_players, bot_names(game)[-1]
        cells = {row["opponents"]: row for row in card["results"] if row["players"] == size}
        bots = [rate(cells["random"]), f"{rate(cells[strongest])} `{strongest}`"]
        (usual,) = (each for each in result["rows"] if each["num_players"] == size)
        alone = against(usual, strongest, "champion")
        rows.append([get_game(game).title, f"{100 / size:.0f} %", *bots, rate(alone, "mean")])
        if alone["low"] > 1 / size:
            better.append(f"In {get_game(game).title} a single `{strongest}` among champions wins above par.")
    heading = ["game", "par", "against `random`", "against the strongest bot", "that bot alone among champions"]
    return "\n\n".join([markdown_table(heading, rows), *better])


def searches() -> str:
    """A row for each agent of the tournaments with search, against each other one, and how they were made."""
    rows, made = [], []
    for game in ROOMS:
        if result := load("search", game):
            made.append(f"- {get_game(game).title}: {made_by(result)}")
            for each in result["rows"]:
                for line in each["lineups"]:
                    players, (agent, other, *_) = each["num_players"], line["agents"]
                    who = {"game": get_game(game).title, "players": players, "agent": code(agent)}
                    found = {"against copies of": code(other), "win rate": line["win_rates"][agent]}
                    rows.append({**who, **found, "par": 1 / players, "games": line["deals"] * players})
    return f"{plain_tables(rows)}\n\n" + "\n".join(made) if rows else MISSING


# ---------------------------------------------------------------- standings


def read_cards(folder: Path, game: str) -> Cards:
    """All cards in a game's folder; `ValueError` names one that is refused, of another game, or badly named."""
    cards = {}
    for path in sorted(folder.glob("*")):
        if not _NAME.fullmatch(path.name):
            raise ValueError(f"{path}: a card is named NAME.json, with a NAME of small letters, digits and . _ -")
        cards[path] = read_score_card(path)
        if cards[path].game != game:
            raise ValueError(f"{path} is a card of {cards[path].game}: move it to the folder of that game")
    return cards


def standings(cards: Cards) -> str:
    """A game's cards as a table, best first, and the ceiling.

    A card may come from anybody: its texts become plain text, whatever they look like.
    """
    if not cards:
        return "No agent has a card yet."
    best = sorted(cards.items(), key=lambda item: (-item[1].score.mean, item[0].name))
    rows = [[rank, *row_of(path, card)] for rank, (path, card) in enumerate(best, 1)]
    heading = ["rank", "agent", "score", "95 % interval", "weakest against", "time of a move", "games"]
    table = markdown_table([*heading, "kind", "by", "date", "more"], rows)
    return f"{table}\n\nWho wins every game has {ceiling(find_protocol(best[0][1].game)):.0f}."


def row_of(path: Path, card: ScoreCard) -> Sequence[object]:
    """The cells of a card, without its rank."""
    worst = min(card.tables, key=lambda table: table.score.mean)
    link = f", [link]({card.entry.link})" if card.entry.link else ""
    name = PurePath(card.name.removeprefix("ppo:")).stem if card.name.startswith("ppo:") else card.name
    time = card.run.move_microseconds
    return [
        plain(name),
        f"**{card.score.mean:.1f}**",
        f"{card.score.low:.1f} .. {card.score.high:.1f}",
        f"`{worst.opponents}`: {worst.score.mean:.0f}",
        f"{time:,.0f} µs" if time < 1000 else f"{time / 1000:,.1f} ms",
        f"{sum(table.players * -(-card.games // table.players) for table in card.tables):,}",
        plain(card.entry.kind),
        plain(card.entry.by),
        card.run.date,
        f"[card](../results/{card.game}/scores/{path.name}){link}",
    ]


def plain(text: str) -> str:
    """A stranger's text as plain text in Markdown: all but letters, digits, spaces, commas, parentheses as numbers."""
    return "".join(each if _PLAIN.fullmatch(each) else f"&#{ord(each)};" for each in text) or "-"
