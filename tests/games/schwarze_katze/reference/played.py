"""What is played when the reference implementation of Schwarze Katze is compared with the environment."""

from tests.reference.declaration import Setting
from tests.reference.parts import uniform

from .rules import Card

TABLES = range(3, 11)


def duck(legal):
    return {card for card in legal if card % 13 == min(card % 13 for card in legal)}


def grab(legal):
    return {card for card in legal if card % 13 == max(card % 13 for card in legal)}


def dump(legal):
    """What costs most, in a lead too."""
    worth = {card: Card.numbered(card).penalty(heart_ace=11) for card in legal}
    return {card for card in legal if worth[card] == max(worth.values())}


POLICIES = {"uniform": uniform, "duck": duck, "grab": grab, "dump": dump}


def any_options(rng, num_players):
    return {
        "num_players": num_players,
        "heart_ace": rng.choice([10, 11]),
        "deals": rng.choice([None, 1, 1, 2, 2, 3, 4, 7, rng.randint(1, 50)]),
        "piatnik_heart_lead": rng.random() < 0.5,
    }


PIATNIK = {"piatnik_heart_lead": True}
ONE_DEAL = {"deals": 1}
EVERYWHERE_MET = ("heart_led", "heart_discarded", "ace_loses_off_suit", "nobody_else_follows", "last_deal")
QUEEN_MET = ("queen_led", "queen_discarded", "queen_takes_her_trick", "queen_caught")
SETTINGS = (
    *(Setting("mixed", n, games=2) for n in TABLES),
    *(Setting("mixed", n, {**PIATNIK, **ONE_DEAL}) for n in TABLES),
    Setting("mixed", 3, games=4, meets=(*EVERYWHERE_MET, "nobody_without_a_trick", "won_with_penalties")),
    Setting("mixed", 4, games=6, meets=(*QUEEN_MET, "tricks_without_penalty")),
    Setting("duck", 10, games=4, meets=("queen_in_the_last_trick", "several_without_a_trick", "negative_total")),
    Setting("dump", 9, games=8, meets=("queen_discarded_on_hearts", "all_penalties_to_one")),
    Setting("grab", 9, games=15, meets=("all_tricks_to_one",)),
    Setting("uniform", 4, PIATNIK, meets=("hearts_alone_led",)),
    Setting("dump", 5, {"deals": 2}, games=25, meets=("won_in_the_last_deal",)),
    Setting("uniform", 10, ONE_DEAL, meets=("several_winners",)),
    Setting("uniform", 6, {"heart_ace": 10}),
    Setting("uniform", 3, {"deals": 50}, games=1),
    Setting("duck", 7, {"deals": 50}, games=1),  # totals far below zero
)
