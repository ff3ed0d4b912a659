"""Rule options on the command line: each game has a dataclass here, whose docs are `--help`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import tyro

from blackjacky_env.engine.game import check_choice
from blackjacky_env.games import get_game


@dataclass(frozen=True)
class NoRules:
    """A game without rule options, or whose options have no place on the command line yet."""


@dataclass(frozen=True)
class BlackJackyRules:
    """Rule options, by default those of the rule sheet."""

    max_card: int = 8
    """The highest card."""
    bust_at: int = 21
    """Who has this sum or more is bust."""
    hand_size: int = 2
    """Cards dealt to each player."""
    hearts: int | None = None
    """Hearts of each player; None: 3 for up to 3 players, else 2."""
    tricks: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    """Cards that can be laid out as tricks."""
    max_turns_per_round: int | None = 100
    """After so many turns a round is settled; None: never."""


@dataclass(frozen=True)
class SchwarzeKatzeRules:
    """Rule options, by default those of the rule sheet."""

    piatnik_heart_lead: bool = False
    """A heart may be led only by a player who holds nothing else."""
    heart_ace: int = 11
    """Penalty of the ace of hearts."""
    deals: int | None = None
    """Deals of a game; None: the smallest multiple of the number of players that is 5 or more."""


RULES: dict[str, type] = {"black_jacky": BlackJackyRules, "schwarze_katze": SchwarzeKatzeRules}
"""By game; a game without a line is played by its usual rules."""


def read_arguments(kind: Any, arguments: Sequence[str]) -> Any:
    """What a command line says: a ``kind`` (a generic dataclass with ``game``, ``variant``, ``rules``) for its game.

    Without a variant it is the game's first. `ValueError`: there is no such game or variant.
    """
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--game", default=kind.game)
    game = get_game(first.parse_known_args(arguments)[0].game)
    args = tyro.cli(kind[RULES.get(game.name, NoRules)], args=arguments)
    variant = game.variants[0] if args.variant is None else args.variant
    return replace(args, variant=check_choice("--variant", variant, game.variants))
