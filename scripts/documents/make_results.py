"""Write the results of the trained agents that the package ships into the README, from their cards.

    python scripts/documents/make_results.py           write them
    python scripts/documents/make_results.py --check   write nothing; fail if the README is out of date
    python scripts/documents/make_results.py --games 20000   measure all of them again first, as after a bot has changed

Training writes an agent and its card into its run; to ship one, copy both and its
learning curve into the folder `trained`, under the name that it shall have.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from tqdm import tqdm

from blackjacky_agents import bot_names, make_agent
from blackjacky_agents.arena.evaluation import results_table
from blackjacky_agents.files import write_file, write_json
from blackjacky_agents.learning.checkpoint import read_card
from blackjacky_agents.reports import markdown_table, replace_part
from blackjacky_env.games import get_game

ROOT = Path(__file__).parents[2]
PICTURES = "agents/blackjacky_agents/trained"
TRAINED = ROOT / PICTURES


@dataclass(frozen=True)
class Args:
    """Write the results of the trained agents that the package ships into the README, from their cards."""

    check: bool = False
    """Write nothing; fail if the README is out of date."""
    games: int = 0
    """Play so many games for each cell and write the results into the cards; 0: the cards stay as they are."""
    threads: int = 2
    """CPU threads."""
    readme: Path = ROOT / "README.md"
    """Where they stand between markers."""
    trained: Path = TRAINED
    """The folder with the agents: NAME.safetensors and NAME.json."""


def main(args: Args) -> None:
    """Write or check."""
    old = args.readme.read_text(encoding="utf-8")
    paths = sorted(args.trained.glob("*.safetensors"))
    if args.games:
        for path in tqdm(paths, "measuring", unit="agent"):
            measure(path, args.games, args.threads)
    cards = {path: read_card(path) for path in paths}
    new = replace_part(old, "results", results(cards))
    if new == old:
        return
    if args.check:
        sys.exit(f"{args.readme.name} is out of date; run: python scripts/documents/make_results.py")
    write_file(args.readme, new)
    print(f"{args.readme.name} written")


def measure(path: Path, games: int, threads: int) -> None:
    """Play an agent's games against the bots as they are now and write what comes out into its card."""
    card = read_card(path)
    game = card["game"]
    bots = [make_agent(name, game) for name in bot_names(game)]
    rows = results_table(make_agent(f"ppo:{path.as_posix()}", game), bots, games, threads, game)
    write_json(path.with_suffix(".json"), {**card, "results": rows})


def results(cards: dict[Path, dict[str, Any]]) -> str:
    """One table of the agents of each game, and how each was made."""
    if not cards:
        return "No trained agent is shipped yet."
    games = dict.fromkeys(card["game"] for card in cards.values())
    tables = "\n\n".join(table_of(game, cards) for game in games)
    notes = "\n".join(f"- {note(path.stem, card)}" for path, card in cards.items())
    return f"{tables}\n\nWin rates with their 95 % intervals.\n\n{notes}"


def table_of(game: str, cards: dict[Path, dict[str, Any]]) -> str:
    """The agents of one game."""
    bots = bot_names(game)
    own = {path: card for path, card in cards.items() if card["game"] == game}
    rows = [row for path, card in own.items() for row in rows_of(path.stem, card, bots)]
    heading = ["trained agent", "players", "par", *(f"against `{name}`" for name in bots)]
    return markdown_table(
        [f"{heading[0]} ({get_game(game).title})" if len(own) < len(cards) else heading[0], *heading[1:]], rows
    )


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


def note(name: str, card: dict[str, Any]) -> str:
    """How an agent was made and measured."""
    games = " or ".join(f"{count:,}" for count in sorted({row["games"] for row in card["results"]}))
    training = f"{card['steps']:,} steps in {card['seconds'] / 60:.0f} minutes"
    machine = f"{card['machine']['processor']}, {card['machine']['cores']} cores"
    made = (
        f"`{card['command']}`, seed {card['seed']}, {training} on {machine} ([learning curve]({PICTURES}/{name}.png))"
    )
    return f"`{name}`: {made}; {games} games in each cell."


if __name__ == "__main__":
    main(tyro.cli(Args))
