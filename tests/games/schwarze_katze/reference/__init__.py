"""The reference implementation of Schwarze Katze."""

from tests.reference.declaration import Deck, Reference

from . import chance, observation, played
from .cases import CASES
from .rules import ReferenceGame

REFERENCE = Reference(
    name="schwarze_katze",
    game=ReferenceGame,
    observations=observation.observations,
    num_actions=52,
    deal_number=lambda snapshot: snapshot["deal"],
    start_player=chance.start_player,
    decks={"deck": Deck(chance.all_cards, chance.dealt)},
    policies=played.POLICIES,
    any_options=played.any_options,
    cases=CASES,
    settings=played.SETTINGS,
)
