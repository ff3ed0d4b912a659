"""Self-play by its number of decisions: win rates, and what a best response wins, put into results/GAME/scale.json.

    python -m scripts.measures.scale --game GAME                                  # an hour or two
    python -m scripts.measures.scale --game GAME --decisions 1000000000 --seeds 0

Each training is `blackjacky train --preset scratch` with so many decisions, in a folder below runs/scale, where an
interrupted one is resumed and a finished one kept. Then search, guided by the agent, looks for a best response to it.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from blackjacky_agents import bot_names
from blackjacky_agents.reports import percent
from blackjacky_agents.storage.files import only_writer
from blackjacky_env.games import DEFAULT, get_game
from scripts.measures.training import train
from scripts.results import ROOT, save

FOLDER = ROOT / "runs" / "scale"
HOW = "--minutes 100000 --half-precision --eval-games 400 --snapshot-every 10000000"
RESPONSE = "--learner search --simulations 50 --final-eval-games 400"


@dataclass(frozen=True)
class Args:
    """Train from random weights for ever longer, and measure what comes of it."""

    game: str = DEFAULT  # Name of the game.
    decisions: tuple[int, ...] = (10**6, 10**7, 10**8)  # Decisions of a training.
    seeds: tuple[int, ...] = (0, 1, 2)  # Seeds, one training each.


def main(args: Args) -> None:
    """Measure what is missing, and write each row."""
    with only_writer(FOLDER):
        for decisions in args.decisions:
            for seed in args.seeds:
                add(args.game, measured(args.game, decisions, seed))


def add(game: str, row: dict[str, Any]) -> None:
    """Put a training among the results of its game, in place of the same one before."""
    same, minutes = {name: row[name] for name in ("decisions", "seed")}.items(), row["seconds"] / 60
    save("scale", [row], game=game, seed=row["seed"], minutes=minutes, replaces=lambda other: same <= other.items())
    print(f"{row['command']}: {percent(row['win_rate'])}; a best response: {percent(row['response'])}", flush=True)


def measured(game: str, decisions: int, seed: int) -> dict[str, Any]:
    """The row of a training."""
    name, arguments = f"{decisions}-{seed}", f"--game {game} --preset scratch --seed {seed} --steps {decisions}"
    run = train(FOLDER, game, name, [*shlex.split(arguments), *shlex.split(HOW)])
    card, players = json.loads((run / "weights.json").read_text("utf-8")), get_game(game).default_players
    results = {row["opponents"]: row for row in card["results"] if row["players"] == players}
    response = best_response(run, game, players)
    return {
        "decisions": decisions,
        "seed": seed,
        "command": f"blackjacky train {arguments} {HOW}",
        "seconds": card["seconds"],
        "win_rate": results[bot_names(game)[-1]]["win_rate"],
        "games": results[bot_names(game)[-1]]["games"],
        "response": response["score"]["win_rate"],
        "own": response["own"]["win_rate"],
    }


def best_response(run: Path, game: str, players: int) -> dict[str, Any]:
    """What search wins against copies of the agent that guides it, as `blackjacky exploit` says."""
    output = run / "response.json"
    if not output.exists():
        agent = [f"--agent=ppo:{run.relative_to(FOLDER)}", f"--game={game}", f"--players={players}"]
        command = [sys.executable, "-m", "blackjacky_agents", "exploit", *agent, *RESPONSE.split()]
        subprocess.run([*command, "--output", str(output)], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return found


if __name__ == "__main__":
    main(tyro.cli(Args))
