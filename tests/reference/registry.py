"""The reference implementations, found by the names of the registry: each in ``tests/games/NAME/reference``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from blackjacky_env.games import GAMES

from .declaration import Reference

MODULES = ("rules", "observation", "chance", "cases", "played")


def reference_of(name: str) -> Reference:
    """What these modules declare; some fields have defaults, and modules may leave them out."""
    rules, observation, chance, cases, played = (import_module(f"tests.games.{name}.reference.{m}") for m in MODULES)
    given = {**vars(chance), **vars(played)}
    return Reference(
        name=name,
        game=rules.ReferenceGame,
        observations=observation.observations,
        deal_number=lambda snapshot: int(snapshot[chance.DEAL]),
        start_player=chance.start_player,
        decks=chance.DECKS,
        policies=played.POLICIES,
        cases=cases.CASES,
        settings=played.SETTINGS,
        any_options=played.any_options,
        steering=given.get("STEERING", {}),
        **{field: given[field] for field in ("hurry", "attach") if field in given},
    )


REFERENCES: dict[str, Reference] = {
    name: reference_of(name) for name in GAMES if (Path(__file__).parents[1] / "games" / name / "reference").is_dir()
}
