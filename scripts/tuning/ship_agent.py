"""Ship a trained agent: put the weights, card and curve of a run among the trained agents of its game.

    blackjacky train --preset champion --game GAME --name champion-GAME
    python -m scripts.tuning.ship_agent --run runs/champion-GAME

Move the weights and card before to held_out.safetensors and held_out.json first, whose name its results then have. The
card has the commit of this tree, so ship an agent from the tree that has trained it.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import tyro

from blackjacky_agents.kit.kit import HELD_OUT
from blackjacky_agents.networks.agent_file import AGENT_FILE, read_card
from blackjacky_agents.storage.files import write_file
from scripts.results import AGENTS, commit


@dataclass(frozen=True)
class Args:
    """Put the agent of a run among those that are shipped."""

    run: Path  # Folder of the run.
    name: str = "champion"  # Name of the agent, in place of the one that had it.
    folder: Path = AGENTS  # Rooms of the games.


def main(args: Args) -> None:
    """Copy three files, the weights last."""
    card = read_card(args.run / AGENT_FILE)
    for row in card["results"]:
        if row["opponents"] == args.name:
            row["opponents"] = HELD_OUT
    path = args.folder / card["game"] / "trained" / f"{args.name}.safetensors"
    write_file(path.with_suffix(".json"), json.dumps({**card, "commit": commit()}, indent=2) + "\n")
    shutil.copy(args.run / "learning_curve.png", path.with_suffix(".png"))
    write_file(path, (args.run / AGENT_FILE).read_bytes())
    print(f"{path} is the agent of {args.run}; python -m scripts.measure --stale says what depends on it")


if __name__ == "__main__":
    main(tyro.cli(Args))
