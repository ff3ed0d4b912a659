"""What is played when the reference implementation of Halunken & Spelunken is compared with the environment."""

from tests.reference.declaration import Rigged, Setting
from tests.reference.parts import uniform

from . import rules
from .rules import CARD, MOVE, NAME, NUMBER, PASS

PLACES = set(range(CARD))
MOVES = set(range(MOVE, NAME))


def bid(legal):
    return legal - {PASS} or legal


def never_bid(legal):
    return legal & {PASS} or legal


def crowd(legal):
    """All figures are placed side by side, from field 0 on."""
    return {min(legal)} if legal <= PLACES else legal


def clash(legal):
    """So they are, and all stay there, because their owners lay the lowest movement card that they have."""
    return {min(legal)} if legal <= MOVES else crowd(legal)


POLICIES = {"uniform": uniform}
STEERING = {"bid": bid, "never_bid": never_bid, "crowd": crowd, "clash": clash}


def any_options(rng, num_players):
    return {
        "num_players": num_players,
        "variant": "duel" if num_players == 2 else rng.choice(["standard", "basic"]),
        "rob_count": rng.choice(["after_pick", "before_pick"]),
        "three_games": rng.random() < 0.3,
        "duel_black_jack": rng.choice(["captain", "standard"]),
    }


def deck_with(rng, columns):
    """A deck with these rogues on the fields 0, 1, ..., top first, and all others anywhere."""
    given = [card for column in columns for card in column]
    others = rng.sample([card for card in rules.ROGUES if card not in given], len(rules.ROGUES) - len(given))
    columns = [*columns, *([] for _ in range(len(rules.FIELDS) - len(columns)))]
    taverns = [[*column, *(others.pop() for _ in range(3 - len(column)))] for column in columns]
    return [card for layer in zip(*taverns, strict=True) for card in layer]


def tied_starts(rng, _options):
    """J1: for `crowd` and `clash`, two lowest and two highest start cards; Black Jack's first card is the 12."""
    low, high = rng.sample(range(4, 12), 2)
    tops = [f"{colour}{number}" for number in (low, high) for colour in rng.sample("RVGY", 2)]
    jack_cards = [12, *rng.sample(range(1, 12), 11)]
    deck = deck_with(rng, [[card] for card in rng.sample(tops, 4)])
    return Rigged({"deck": [deck], "black_jack_deck": [jack_cards]})


def equal_crews(rng, options):
    """C1: for `clash`, everybody's three rogues have the same values in three colours; one may be worse."""
    values, colours = rng.sample(range(4, 12), 3), rng.sample("RVGY", 4)
    columns = [[f"{colours[(seat + i) % 4]}{values[i]}" for i in range(3)] for seat in range(options["num_players"])]
    if rng.random() < 0.5:
        columns[-1][-1] = "Y1"
    return Rigged({"deck": [deck_with(rng, columns)]})


def empty_harbour(rng, _options):
    """D5: the buyer takes the only card from the harbour before the opponent lands on Black Jack too."""
    return duel_opening(rng, jack=2, buyer=1, opponent=3)


def harbour_or_buyer(rng, _options):
    """D5: the opponent lands on Black Jack, and the buyer has as many cards as he had (`rob_count`)."""
    return duel_opening(rng, jack=4, buyer=1, opponent=4)


def duel_opening(rng, jack, buyer, opponent):
    """Black Jack stands so many fields ahead of the opponent, the buyer one; both lay these cards, Black Jack a 7."""
    first = rng.randrange(len(rules.FIELDS))
    poor, rich = (f"{rng.choice('VGY')}{value}" for value in sorted(rng.sample(range(3, 12), 2)))
    deck = turned(deck_with(rng, [[poor], [rich]]), first)
    places = [(first + ahead) % len(rules.FIELDS) for ahead in (0, 1, jack)]
    laid = [MOVE + rules.MOVEMENT.index(card) for card in (7, buyer, opponent)]
    return Rigged({"deck": [deck]}, [*places, CARD + NUMBER[rich], PASS, *laid])


def turned(deck, first):
    """The deck that puts on field `first` what this one puts on field 0, and so on clockwise."""
    places = len(rules.FIELDS)
    return [deck[layer + (place - first) % places] for layer in range(0, len(deck), places) for place in rules.FIELDS]


BASIC = {"variant": "basic"}
BEFORE_PICK = {"rob_count": "before_pick"}
OVERTAKING = {"duel_black_jack": "standard"}

CAPTAINS_MEET = (
    *("rum_against_rum", "rum_named", "empty_tavern", "too_many_cards_to_rob"),
    *("pushed_several_fields", "pushed_before_moving"),
)
BLACK_JACK_MEETS = (*("buyer_lands_on_black_jack", "black_jack_is_moved_on", "black_jack_spares_somebody"),)
STARTS_MEET = (
    *("lowest_start_cards_tie", "highest_start_cards_tie", "start_cards_tie_at_both_ends"),
    "black_jack_comes_all_the_way_round",
)
NOBODY_BIDS_MEETS = ("gives_as_nobody_has_bid", "nothing_in_the_harbour")
DUEL_MEETS = ("bids_after_a_pass", "black_jack_lands_on_his_buyer")
UNBOUGHT_MEETS = (*("card_turned_up_is_cancelled", "gives_as_black_jack_lands", "opener_names_for_black_jack"),)
SETTINGS = (
    Setting("mixed", 3),
    Setting("mixed", 4, BASIC, meets=("two_pairs_cancel",), games=30),
    Setting("uniform", 4, games=12, meets=(*CAPTAINS_MEET, *BLACK_JACK_MEETS)),
    Setting("uniform", 3, {**BASIC, **BEFORE_PICK}, meets=("rob_count_decides",)),
    Setting("mixed", 3, {"three_games": True}, games=20, meets=("third_game", "overtaken_in_the_last_round")),
    Setting("clash", 4, meets=STARTS_MEET, rig=tied_starts),
    Setting("clash", 3, BASIC, meets=("several_winners",), rig=equal_crews),
    Setting("never_bid", 4, games=12, meets=NOBODY_BIDS_MEETS),
    Setting("uniform", 2, games=30, meets=DUEL_MEETS),
    Setting("uniform", 2, OVERTAKING, meets=("overtaking_black_jack_is_cancelled",)),
    Setting("bid", 2, meets=("buyer_must_be_robbed",), rig=empty_harbour),
    Setting("bid", 2, BEFORE_PICK, meets=("takes_rather_than_robs", "robs_the_buyer"), rig=harbour_or_buyer),
    Setting("never_bid", 2, games=20, meets=UNBOUGHT_MEETS),
)
