"""Measure how many calls and tokens a game takes with a language model, for docs/language_models.md.

    python scripts/documents/measure_language_models.py --write

A stand-in for a model, which chooses at random, plays whole games behind a local endpoint against the game's usual
opponents. A token is counted for every four letters of prompts and answers.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from tqdm import tqdm

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))

from language_model import LETTERS, LanguageModel, Settings, open_transcript  # noqa: E402  # from the folder just added
from stand_in_model import StandIn, serving  # noqa: E402

from blackjacky_agents import make_agent  # noqa: E402
from blackjacky_agents.arena.evaluation import play_games  # noqa: E402
from blackjacky_agents.external.python_agent import PythonAgent  # noqa: E402
from blackjacky_agents.registry import usual_opponents  # noqa: E402
from blackjacky_agents.reports import markdown_table, show_part  # noqa: E402
from blackjacky_env.games import GAMES, get_game  # noqa: E402

PAGE = ROOT / "docs" / "language_models.md"
OURS = [name for name, registered in GAMES.items() if registered.target.startswith("blackjacky_env.")]


@dataclass(frozen=True)
class Args:
    """Measure how many calls and tokens a game takes with a language model."""

    games: int = 5
    """Number of games of each kind."""
    seed: int = 0
    """Seed of the first game, and of the stand-in."""
    write: bool = False
    """Write the table into docs/language_models.md."""


def main(args: Args) -> None:
    """Play, print the table, and write it if asked to."""
    rows = [measure(game, args) for game in tqdm(OURS, unit="game")]
    heading = ["game", "players", "decisions", "calls", "tokens of prompts", "tokens of answers"]
    made = f"`python scripts/documents/measure_language_models.py --games {args.games} --seed {args.seed}`"
    table = markdown_table(heading, rows)
    text = f"{table}\n\nMeans of {args.games} games, at {LETTERS} letters a token: {made}."
    show_part(PAGE, "tokens", text, args.write)


def measure(game: str, args: Args) -> list[str]:
    """The row of a game: means of whole games."""
    opponents = usual_opponents(game)
    agents = [make_agent(name, game) for name in opponents]
    players = len(agents) + 1
    with tempfile.TemporaryDirectory() as folder, serving(StandIn(seed=args.seed)) as endpoint:
        transcript = Path(folder) / "games.jsonl"
        settings = Settings(model="stand-in", transcript=transcript, calls=np.inf, tokens=np.inf)
        model = LanguageModel(game, settings, endpoint.url)
        seating = np.tile(np.arange(players), (args.games, 1))
        play_games([PythonAgent(model, "model", game), *agents], seating, args.seed, game=game)
        calls = open_transcript(transcript, model.head).calls
    prompts = sum(len(message["content"]) for call in calls for message in call.messages) / LETTERS
    answers = sum(len(call.reply) for call in calls) / LETTERS
    sums = [sum(bool(call.played) for call in calls), len(calls), prompts, answers]
    return [get_game(game).title, str(players), *(f"{total / args.games:,.0f}" for total in sums)]


if __name__ == "__main__":
    main(tyro.cli(Args))
