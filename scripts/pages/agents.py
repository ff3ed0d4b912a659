"""How good agents are: the tables of docs/results.md, of docs/standings.md and of the README."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePath
from statistics import mean, median

from blackjacky_agents import bot_names
from blackjacky_agents.arena.evaluation import Score, gain
from blackjacky_agents.arena.protocol import ceiling, find_protocol
from blackjacky_agents.arena.score_card import ScoreCard, read_score_card
from blackjacky_agents.cli.forecast import USUAL
from blackjacky_agents.games import agent_names
from blackjacky_agents.kit.kit import HELD_OUT
from blackjacky_agents.networks.agent_file import read_card
from blackjacky_agents.reports import markdown_table, percent
from blackjacky_env.games import get_game
from scripts.pages.part import DOCS, MISSING, Part, Row, code, plain_tables, rate
from scripts.results import AGENTS, RESULTS, ROOMS, ROOT, Result, load, made_by

PAGE = DOCS / "results.md"
OURS = "The Blackjacky authors"  # Who made the agents of whom the standings name nobody.

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\.json")  # of a card's file, which is part of an address
_PLAIN = re.compile(r"[^\W_]|[ ,()]")
Cards = dict[Path, ScoreCard]


def parts() -> Iterator[Part]:
    """All tables about agents of the whole games."""
    ladders = {game: result for game in ROOMS if (result := load("ladder", game))}
    yield Part(PAGE, "results", trained())
    yield Part(PAGE, "training", of_games("training", trainings))
    yield Part(PAGE, "ladder", "\n\n".join([*(ladder(*each) for each in ladders.items()), other_sizes(ladders)]))
    yield Part(PAGE, "search", of_games("search", searches))
    yield Part(PAGE, "exploitability", of_games("exploitability", responses))
    yield Part(ROOT / "README.md", "results", champions(ladders))
    yield Part(DOCS / "score.md", "forecasts", forecasts())
    for game in ROOMS:
        yield Part(DOCS / "standings.md", f"standings-{game}", standings(read_cards(RESULTS / game / "scores", game)))


def of_games(kind: str, show: Callable[[Result], Iterator[Row]]) -> str:
    """One table with the rows of all games that have such a result, and how each was made."""
    found = {get_game(game).title: result for game in ROOMS if (result := load(kind, game))}
    rows = [{"game": title, **row} for title, result in found.items() for row in show(result)]
    return f"{plain_tables(rows)}\n\n{made(found)}" if rows else MISSING


def made(results: Mapping[str, Result]) -> str:
    """How the results of games were made, by title."""
    return "\n".join(f"- {title}: {made_by(result)}" for title, result in results.items())


# ---------------------------------------------------------------- trained agents


def trained() -> str:
    """How long each champion was trained."""
    rows = []
    for game in ROOMS:
        path = AGENTS / game / "trained" / "champion.safetensors"
        card, curve = read_card(path), f"../{path.relative_to(ROOT).with_suffix('.png').as_posix()}"
        rows.append([f"[{get_game(game).title}]({curve})", f"{card['steps']:,}", f"{card['seconds'] / 60:.0f}"])
    return markdown_table(["champion", "training decisions", "minutes"], rows)


def trainings(result: Result) -> Iterator[Row]:
    """What presets reach from the beginning: a row for each preset and time, over its seeds."""
    for (preset, minutes), group in groupby(result["rows"], key=lambda row: (row["preset"], row["minutes"])):
        runs = list(group)
        rates = [row["result"]["win_rate"] for row in runs]
        yield {
            "preset": code(preset),
            "minutes": round(minutes),
            "median win rate": f"**{percent(median(rates))}**",
            "runs": f"{len(runs)}: {100 * min(rates):.1f} .. {100 * max(rates):.1f}" if len(runs) > 1 else "one run",
            "decisions/s": round(mean(row["steps"] / max(row["seconds"], 1) for row in runs)),
        }


# ---------------------------------------------------------------- against each other


def usual(result: Result, game: str) -> Row:
    """The table of a ladder at the game's usual size."""
    size = get_game(game).default_players
    return next(each for each in result["rows"] if each["num_players"] == size)


def names_of(result: Result, game: str) -> list[str]:
    """The agents of a ladder, weakest first, then the held-out one if it is among them."""
    found = {name for each in usual(result, game)["lineups"] for name in each["agents"]}
    return [*agent_names(game), *found & {HELD_OUT}]


def against(found: Row, agent: str, other: str) -> dict[str, float]:
    """The win rate of one agent against copies of another, in a table of a ladder."""
    (rates,) = (each["win_rates"] for each in found["lineups"] if each["agents"][:2] == [agent, other])
    own: dict[str, float] = rates[agent]
    return own


def widest(found: Row) -> float:
    """The wider side of the widest interval of a table, in percentage points."""
    rates: list[dict[str, float]] = [rate for each in found["lineups"] for rate in each["win_rates"].values()]
    return 100 * max(max(each["high"] - each["mean"], each["mean"] - each["low"]) for each in rates)


def ladder(game: str, result: Result) -> str:
    """What each agent (rows) wins in one seat against copies of another (columns), at the game's usual table size."""
    found, names = usual(result, game), names_of(result, game)
    rows = [[code(a), *("" if a == b else f"{100 * against(found, a, b)['mean']:.1f}" for b in names)] for a in names]
    size, title = found["num_players"], get_game(game).title
    head = f"**{title}**, {size} players, par {100 / size:.1f}; {found['games']:,} games"
    return f"{head}, intervals up to ± {widest(found):.1f}:\n\n{markdown_table(['', *map(code, names)], rows)}"


def other_sizes(ladders: Mapping[str, Result]) -> str:
    """Champion and strongest bot among copies of each other at all other table sizes, and how all was made."""
    rows, sides = [], []
    for game, result in ladders.items():
        bot = bot_names(game)[-1]
        for each in result["rows"]:
            if each["num_players"] != get_game(game).default_players:
                first, second = against(each, "champion", bot)["mean"], against(each, bot, "champion")["mean"]
                size = each["num_players"]
                numbers = [f"{100 * number:.1f}" for number in (1 / size, first, second)]
                rows.append([get_game(game).title, size, *numbers])
                sides.append(widest(each))
    heading = ["game", "players", "par", "champion among bots", "bot among champions"]
    told = f"Champion and strongest bot among copies of each other at other tables; intervals up to ± {max(sides):.1f}:"
    results = {get_game(game).title: result for game, result in ladders.items()}
    return f"{told}\n\n{markdown_table(heading, rows)}\n\n{made(results)}"


def searches(result: Result) -> Iterator[Row]:
    """A row for each search: what it wins among copies of another agent, and that among copies of it."""
    for each in result["rows"]:
        for agent, other, *_ in (line["agents"] for line in each["lineups"]):
            if ":" in agent and ":" not in other:
                yield {
                    "players": each["num_players"],
                    "search": code(agent),
                    "other": code(other),
                    "search among others": rate(against(each, agent, other), "mean"),
                    "other among searches": rate(against(each, other, agent), "mean"),
                }


def responses(result: Result) -> Iterator[Row]:
    """A row for each best response: what it wins, and what the agent itself wins among its copies."""
    for row in result["rows"]:
        tests = len(row["curve"])
        yield {
            "agent": code(row["agent"]),
            "learner": f"`{row['learner']}`" + f", best of {tests} checkpoints" * (tests > 0),
            "minutes": round(row["seconds"] / 60),
            "wins": rate(row["score"]),
            "the agent itself": rate(row["own"]),
            "gain": gained(row),
        }


def gained(row: Row) -> str:
    """What a best response wins more than the agent itself, if its interval is above 0."""
    found = gain(Score(**row["score"]), Score(**row["own"]))
    told = f"**{100 * found.mean:+.1f} %** ({100 * found.low:+.1f} .. {100 * found.high:+.1f})"
    return told if found.low > 0 else "nothing found"


def champions(ladders: Mapping[str, Result]) -> str:
    """Each game's champion at the usual table: among bots, the strongest bot among champions, and a best response."""
    rows = []
    for game, result in ladders.items():
        found, strongest = usual(result, game), bot_names(game)[-1]
        size, exploited = found["num_players"], load("exploitability", game)
        rates = [rate(against(found, "champion", bot), "mean") for bot in ("random", strongest)]
        alone = rate(against(found, strongest, "champion"), "mean")
        tried = [row for row in (exploited or {"rows": ()})["rows"] if row["agent"] == "champion"]
        best = max(tried, key=lambda row: row["score"]["win_rate"], default=None)
        rows.append(
            [
                get_game(game).title,
                f"{100 / size:.0f} %",
                rates[0],
                f"{rates[1]} `{strongest}`",
                alone,
                gained(best) if best else "not yet measured",
                rate(against(found, "champion", HELD_OUT), "mean"),
            ]
        )
    heading = ["game", "par", "against `random`", "against the strongest bot", "that bot among champions"]
    heading += ["a best response gains", "against earlier champions"]
    told = (
        "Intervals are over deals; each champion is one network, chosen by us. What a best response gains "
        "over a champion's own rate is the most of [those tried](docs/results.md#exploitability); others may gain more."
        " Earlier champions are the agents `held_out`, from whom no champion has learned."
    )
    return f"{markdown_table(heading, rows)}\n\n{told}"


def forecasts() -> str:
    """How much worse forecasts score than the truth, by game: the excess of the logarithmic score."""
    found = {get_game(game).title: (game, result) for game in ROOMS if (result := load("forecasts", game))}
    cells: dict[str, dict[str, str]] = {}
    for title, (game, result) in found.items():
        for run in result["runs"]:
            for row in run["rows"]:
                name = forecaster(row["forecast by"], run["command"]).replace(bot_names(game)[-1], "the strongest bot")
                excess = row.get("excess") or row["log excess"]
                told = (
                    f"**{excess['mean']:.2f}** ({excess['low']:.2f} .. {excess['high']:.2f})" if excess["mean"] else ""
                )
                cells.setdefault(name, {})[title] = told
    cells.pop("truth", None)
    rows = [[name, *(own.get(title, "") for title in found)] for name, own in cells.items()]
    return f"{markdown_table(['excess of', *found], rows)}\n\n{made({title: found[title][1] for title in found})}"


def forecaster(name: str, command: str) -> str:
    """A forecaster with the number of playouts that the command asks for, if it plays any."""
    if name in ("truth", "par") or ":" in name or "playouts" in name:
        return name
    number = re.search(r"--playouts (\d+)", command)
    return f"{int(number[1]) if number else USUAL:,} playouts by {name}"


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

    A rank is one more than the number of agents whose whole interval is above, so agents that cannot be told apart tie.
    A card may come from anybody: its texts become plain text, whatever they look like.
    """
    if not cards:
        return "No agent has a card yet."
    best = sorted(cards.items(), key=lambda item: (-item[1].score.mean, item[0].name))
    ranks = [1 + sum(other.score.low > card.score.high for other in cards.values()) for _, card in best]
    rows = [[rank, *row_of(path, card)] for rank, (path, card) in zip(ranks, best, strict=True)]
    table = markdown_table(["rank", "agent", "score", "a move"], rows)
    return f"{table}\n\nAn agent that won every game would score {ceiling(find_protocol(best[0][1].game)):.0f}."


def row_of(path: Path, card: ScoreCard) -> Sequence[object]:
    """The cells of a card, without its rank."""
    by = "" if card.entry.by == OURS else f" by {plain(card.entry.by)}"
    link = f", [link]({card.entry.link})" if card.entry.link else ""
    name = PurePath(card.name.removeprefix("ppo:")).stem if card.name.startswith("ppo:") else card.name
    time = card.run.move_microseconds
    return [
        f"[{plain(name)}](../results/{card.game}/scores/{path.name}){by}{link}",
        f"**{card.score.mean:.1f}** ({card.score.low:.1f} .. {card.score.high:.1f})",
        f"{time:,.0f} µs" if time < 1000 else f"{time / 1000:,.1f} ms",
    ]


def plain(text: str) -> str:
    """A stranger's text as plain text in Markdown: all but letters, digits, spaces, commas, parentheses as numbers."""
    return "".join(each if _PLAIN.fullmatch(each) else f"&#{ord(each)};" for each in text) or "-"
