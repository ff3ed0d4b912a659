"""The reference implementation of Black Spy."""

from tests.reference.declaration import Reference

from . import chance, observation, played
from .cases import CASES
from .rules import ReferenceGame

REFERENCE = Reference(
    name="black_spy",
    game=ReferenceGame,
    observations=observation.observations,
    num_actions=61,
    deal_number=lambda snapshot: snapshot["deal"],
    start_player=chance.start_player,
    decks=chance.DECKS,
    policies=played.POLICIES,
    any_options=played.any_options,
    cases=CASES,
    settings=played.SETTINGS,
    told=lambda game: game.told,
)
