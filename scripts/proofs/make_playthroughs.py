"""Write playthroughs: a human-readable log of one random game for every variant and table size.

    python scripts/proofs/make_playthroughs.py           write tests/games/NAME/playthroughs/*.txt
    python scripts/proofs/make_playthroughs.py --check   write nothing; show differences, and fail if there are any

Any change to rules, random numbers, observations, texts or drawings appears there as a readable difference.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import tyro
from golden import Args, write_or_check

from blackjacky_env.engine.game import Game
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

LOG_VIEW_EVERY = 45  # actions


def playthroughs(name: str) -> Iterator[tuple[str, str]]:
    """Path and text of every playthrough of a game."""
    game = get_game(name)
    for variant in game.variants:
        for players in variant.sizes:
            yield f"{name}/playthroughs/{variant.name}_{players}p.txt", Playthrough(game, variant.name, players).text()


class Playthrough:
    """The log of one random game."""

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
        """Play the game; returns the whole log."""
        self.log_title()
        self.log_table()
        self.update_digest()
        while not self.env.terminations[self.env.agent_selection]:
            self.act()
            self.update_digest()
        self.log(f"winners: {self.table['winners']}", self.digest_line())
        return "\n".join(self.lines) + "\n"

    def log(self, *lines: str) -> None:
        """Add lines to the log."""
        self.lines += lines

    def log_title(self) -> None:
        """Log game, variant, table size, seed and options."""
        game, options = self.env.game, self.env.config_dict()
        self.log(
            f"{game.title}, version {game.version}, {self.env.variant}, {self.env.num_players} players",
            f"One game of random moves, seed {self.seed}; written by scripts/proofs/make_playthroughs.py.",
            *(f"{name}: {value}" for name, value in options.items()),
        )

    def log_table(self) -> None:
        """Log the table as drawn for a spectator, then the hidden cards."""
        seen = self.env.view(None)
        self.log("", *self.drawn(None))
        self.log(*(f"{name}: {self.table[name]}" for name in seen if seen[name] != self.table[name]), "")

    def drawn(self, agent: str | None) -> list[str]:
        """The table as drawn for an agent, None for a spectator."""
        return self.env.draw_text(agent).splitlines()

    def act(self) -> None:
        """Make a random move; log the action and the changes to the table."""
        env, before = self.env, self.table
        self.number += 1
        if self.number % LOG_VIEW_EVERY == 0:
            self.log_view()
        agent, mask = env.agent_selection, env.infos[env.agent_selection]["action_mask"]
        action = self.rng.choice(np.flatnonzero(mask).tolist())
        for each in (env, self.scored):
            each.step(action)
        self.table = env.snapshot()
        over, round_key = env.terminations[agent], self.words.round_key
        if self.table[round_key] == before[round_key] and not over:
            changes = "; ".join(changed(before, self.table))
            self.log(f"{self.number:>3} {agent} {env.action_name(action):33} {changes}".rstrip())
            return
        self.log(f"{self.number:>3} {agent} {env.action_name(action)}")
        self.log_settlement()
        self.log_table()

    def log_settlement(self) -> None:
        """Log the settlement of the round and the rewards."""
        settlement = self.table[self.words.settlement_key]
        parts = settlement if isinstance(settlement, dict) else {self.words.settlement_key: settlement}
        self.log("", *(f"settlement, {name}: {value}" for name, value in parts.items()))
        for env in (self.env, self.scored):
            self.log(f"rewards, {env.reward}: {[round(reward, 4) for reward in env.rewards.values()]}")
        self.log(self.digest_line())

    def log_view(self) -> None:
        """Log the acting player's view: drawing, non-zero observation parts and legal actions."""
        env = self.env
        seen = env.observe(env.agent_selection)
        parts = env.game.layout.decode(seen["observation"])
        self.log("", *self.drawn(env.agent_selection))
        self.log(*(f"{name}: {brief(part)}" for name, part in parts.items() if np.any(part)))
        self.log(f"legal: {', '.join(map(env.action_name, np.flatnonzero(seen['action_mask'])))}", "")

    def update_digest(self) -> None:
        """Add every player's observation, mask and drawing to the digest."""
        for agent in self.env.agents:
            seen = self.env.observe(agent)
            self.digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
            self.digest.update("\n".join(self.drawn(agent)).encode())

    def digest_line(self) -> str:
        """The digest of all observations, masks and drawings so far, as a line of the log."""
        return f"all that was seen until now: {self.digest.hexdigest()[:16]}"


def changed(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """The changes to the table, without whose turn it is, and with only the size of the draw pile."""
    for name, new in after.items():
        old = before[name]
        if old == new or name in ("player", "phase", "turn"):
            continue
        if name == "draw_pile":
            yield f"draw_pile {len(new)} cards"
        elif isinstance(new, list) and new and isinstance(new[0], list | dict) and len(new) == len(old):
            yield from (f"{name}[{q}] {cards}" for q, cards in enumerate(new) if cards != old[q])
        else:
            yield f"{name} {new}"


def brief(part: Any) -> str:
    """An observation part as text, with dots for zeros and bars between rows."""
    if isinstance(part, int):
        return str(part)
    if isinstance(part[0], list):
        return " | ".join(map(brief, part))
    return " ".join(str(number) if number else "." for number in part)


if __name__ == "__main__":
    write_or_check(tyro.cli(Args), playthroughs, "make_playthroughs.py")
