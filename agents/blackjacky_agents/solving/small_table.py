"""A table that is to be solved: game, table size, variant and rule options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blackjacky_env.declare import Game
from blackjacky_env.games import get_game
from blackjacky_env.play import identity


@dataclass(frozen=True)
class SmallTable:
    """A table; made by `SmallTable.of`, which checks it."""

    game: Game
    num_players: int
    variant: str
    options: Mapping[str, Any]
    """All rule options in force."""

    @classmethod
    def of(
        cls,
        game: str,
        num_players: int | None = None,
        variant: str | None = None,
        table: str | None = None,
        **rule_options: Any,
    ) -> SmallTable:
        """A table with the game's defaults for None, or its ``table``, such as ``"mini-1"``.

        Raises `TypeError` or `ValueError`, which say what is allowed.
        """
        declared = get_game(game)
        chosen_size, chosen_variant, options = declared.find_table(table, num_players, variant, rule_options)
        size, name = declared.choose_table(chosen_size, chosen_variant)
        return cls(declared, size, name, declared.check_options(size, name, options))

    def identity(self) -> dict[str, Any]:
        """The facts that a solution belongs to, JSON-ready."""
        return identity(self.game, self.num_players, self.variant, self.options)
