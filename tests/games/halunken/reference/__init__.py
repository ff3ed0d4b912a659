"""The reference implementation of Halunken & Spelunken."""

from tests.reference.declaration import Reference

from . import chance, observation, played
from .cases import CASES
from .rules import ReferenceGame

REFERENCE = Reference(
    name="halunken",
    game=ReferenceGame,
    observations=observation.observations,
    num_actions=74,
    deal_number=lambda snapshot: snapshot["game"],
    start_player=lambda snapshot: snapshot["start_player"],
    decks=chance.DECKS,
    policies=played.POLICIES,
    steering=played.STEERING,
    any_options=played.any_options,
    cases=CASES,
    settings=played.SETTINGS,
    told=lambda game: game.told,
)
