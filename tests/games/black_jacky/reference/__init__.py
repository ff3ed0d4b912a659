"""The reference implementation of Black Jacky."""

from tests.reference.declaration import Deck, Reference

from . import chance, observation, played
from .cases import CASES
from .rules import ReferenceGame

REFERENCE = Reference(
    name="black_jacky",
    game=ReferenceGame,
    observations=observation.observations,
    num_actions=61,
    deal_number=lambda snapshot: snapshot["round"],
    start_player=lambda snapshot: snapshot["start_player"],
    decks={"deck": Deck(chance.all_cards, chance.dealt)},
    policies=played.POLICIES,
    any_options=played.any_options,
    cases=CASES,
    settings=played.SETTINGS,
    hurry=played.hurry,
    attach=chance.attach,
)
