"""Play one game of random moves for every variant and table size, and write down all that happens.

    python scripts/proofs/make_playthroughs.py           write tests/games/NAME/playthroughs/*.txt
    python scripts/proofs/make_playthroughs.py --check   write nothing; show what would change and fail

Whatever changes in rules, random numbers, observations, words or drawing shows there as a difference that can be read.
"""

from __future__ import annotations

import difflib
import hashlib
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from blackjacky_agents.files import write_file
from blackjacky_env.engine.game import Game
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game

FOLDER = Path(__file__).parents[2] / "tests" / "games"
LOOK_EVERY = 45  # actions
LINES_OF_DIFFERENCE = 30


@dataclass(frozen=True)
class Args:
    """Write one game of random moves for every variant and table size into tests/games/NAME/playthroughs."""

    game: str | None = None
    """This game alone; all by default."""
    check: bool = False
    """Write nothing; say how files would change, and fail if one would."""
    folder: Path = FOLDER
    """Where the games' folders are."""


def main(args: Args) -> None:
    """Write or check all playthroughs of all games."""
    stale = []
    for name, new in playthroughs(GAMES if args.game is None else [args.game]):
        path = args.folder / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if new == old:
            continue
        stale.append(name)
        if args.check:
            print(difference(name, old, new))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, new)
            print(f"{name} written")
    if stale and args.check:
        sys.exit(f"{', '.join(stale)} out of date; run: python scripts/proofs/make_playthroughs.py")


def difference(name: str, old: str, new: str) -> str:
    """The first lines of what has changed in a file."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), name, name, "as written", "as played now", lineterm=""
    )
    return "\n".join(islice(lines, LINES_OF_DIFFERENCE))


def playthroughs(games: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The path, from the games' folders on, and the text of every playthrough of some games."""
    for game in map(get_game, games):
        for variant in game.variants:
            for players in variant.sizes:
                path = f"{game.name}/playthroughs/{variant.name}_{players}p.txt"
                yield path, Playthrough(game, variant.name, players).text()


class Playthrough:
    """One game of random moves, told line by line."""

    def __init__(self, game: Game, variant: str, players: int) -> None:
        rewards, options = ("win", game.score_reward), game.examples.short
        self.env, self.scored = (TableEnv(game.name, players, variant, reward, **options) for reward in rewards)
        self.words = game.words
        self.seed = game.examples.seeds.get((variant, players), 0)
        for env in (self.env, self.scored):
            env.reset(seed=self.seed)
        self.rng = random.Random(self.seed)
        self.digest = hashlib.sha256()
        self.table = self.env.snapshot()
        self.number = 0
        self.lines: list[str] = []

    def text(self) -> str:
        """The whole game."""
        self.tell_title()
        self.tell_table()
        self.look()
        while not self.env.terminations[self.env.agent_selection]:
            self.act()
            self.look()
        self.tell(f"winners: {self.table['winners']}", self.told_of_digest())
        return "\n".join(self.lines) + "\n"

    def tell(self, *lines: str) -> None:
        """Write lines down."""
        self.lines += lines

    def tell_title(self) -> None:
        """What was played and how."""
        game, options = self.env.game, self.env.config_dict()
        self.tell(
            f"{game.title}, version {game.version}, {self.env.variant}, {self.env.num_players} players",
            f"One game of random moves, seed {self.seed}; written by scripts/make_playthroughs.py.",
            *(f"{name}: {value}" for name, value in options.items()),
        )

    def tell_table(self) -> None:
        """The table as a spectator sees it, then what is hidden."""
        seen = self.env.view(None)
        self.tell("", *self.drawn(None))
        self.tell(*(f"{name}: {self.table[name]}" for name in seen if seen[name] != self.table[name]), "")

    def drawn(self, agent: str | None) -> list[str]:
        """The table as this agent sees it."""
        env = self.env
        return self.words.draw_text(env.view(agent), env.config_dict(), False).splitlines()

    def act(self) -> None:
        """A random move, and what it changes."""
        env, before = self.env, self.table
        self.number += 1
        if self.number % LOOK_EVERY == 0:
            self.tell_what_is_seen()
        agent, mask = env.agent_selection, env.infos[env.agent_selection]["action_mask"]
        action = self.rng.choice(np.flatnonzero(mask).tolist())
        for one in (env, self.scored):
            one.step(action)
        self.table = env.snapshot()
        over, round_key = env.terminations[agent], self.words.round_key
        if self.table[round_key] == before[round_key] and not over:
            changes = "; ".join(changed(before, self.table))
            self.tell(f"{self.number:>3} {agent} {env.action_name(action):33} {changes}".rstrip())
            return
        self.tell(f"{self.number:>3} {agent} {env.action_name(action)}")
        self.tell_settlement()
        self.tell_table()

    def tell_settlement(self) -> None:
        """How the round ended, and what it paid."""
        settlement = self.table[self.words.settlement_key]
        parts = settlement if isinstance(settlement, dict) else {self.words.settlement_key: settlement}
        self.tell("", *(f"settlement, {name}: {value}" for name, value in parts.items()))
        for env in (self.env, self.scored):
            self.tell(f"rewards, {env.reward}: {[round(reward, 4) for reward in env.rewards.values()]}")
        self.tell(self.told_of_digest())

    def tell_what_is_seen(self) -> None:
        """The table as the player to act sees it, as a drawing and as an observation without its zeros."""
        env = self.env
        seen = env.observe(env.agent_selection)
        parts = env.game.layout.decode(seen["observation"])
        self.tell("", *self.drawn(env.agent_selection))
        self.tell(*(f"{name}: {brief(part)}" for name, part in parts.items() if np.any(part)))
        self.tell(f"legal: {', '.join(map(env.action_name, np.flatnonzero(seen['action_mask'])))}", "")

    def look(self) -> None:
        """Add what every player sees to the digest."""
        for agent in self.env.agents:
            seen = self.env.observe(agent)
            self.digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
            self.digest.update("\n".join(self.drawn(agent)).encode())

    def told_of_digest(self) -> str:
        """A digest of all observations, masks and drawings until now."""
        return f"all that was seen until now: {self.digest.hexdigest()[:16]}"


def changed(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What is new on the table; whose turn it is goes without saying, and of the draw pile only its size is told."""
    for name, new in after.items():
        old = before[name]
        if old == new or name in ("player", "phase", "turn"):
            continue
        if name == "draw_pile":
            yield f"draw_pile {len(new)} cards"
        elif isinstance(new, list) and new and isinstance(new[0], list) and len(new) == len(old):
            yield from (f"{name}[{q}] {cards}" for q, cards in enumerate(new) if cards != old[q])
        else:
            yield f"{name} {new}"


def brief(part: Any) -> str:
    """A part of an observation, its zeros as dots; rows between bars."""
    if isinstance(part, int):
        return str(part)
    if isinstance(part[0], list):
        return " | ".join(map(brief, part))
    return " ".join(str(number) if number else "." for number in part)


if __name__ == "__main__":
    main(tyro.cli(Args))
