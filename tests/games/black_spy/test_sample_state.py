"""`sample_state` of Black Spy: every deal that fits what a player knows, as often as every other, and no others."""

from functools import partial

import numpy as np
import pytest

from blackjacky_env import black_spy_v0
from blackjacky_env.games import get_game
from blackjacky_env.play.states import read_state
from tests.games.black_spy.listing import Listing
from tests.games.black_spy.rigging import CARDS, KINDS, Table, laid_out
from tests.games.sampled import Changes, check_distribution, vector
from tests.games.tables import positions

MOST = 6000  # samples for one list


def deal_of(record, listing):
    """Return the deal of a sampled record, as `Listing.deals` writes it."""
    where, chosen = record["where"], record["passed_by"]
    piles = [where == q for q in listing.others]
    piles.append((where == 16) & (listing.in_pile() > 0))
    piles += [(where == q) & (chosen == q) for q in listing.others]
    return tuple(tuple(sorted(CARDS[card] for card in np.flatnonzero(pile))) for pile in piles)


def samples(env, seat, count):
    rng, seen = np.random.default_rng(seat), vector(env, seat)
    for _ in range(count):
        yield read_state(get_game("black_spy"), black_spy_v0.sample_state(seen, rng))[1][0]


def check_deals(env, seat):
    """Assert that every deal comes as often as assignments of the physical cards look like it."""
    listing = Listing(black_spy_v0.decode(vector(env, seat)))
    deals = listing.deals()
    chances = {deal: ways / deals.total() for deal, ways in deals.items()}
    check_distribution(chances, lambda count: (deal_of(record, listing) for record in samples(env, seat, count)), MOST)


MOLE = {"mole": True, "deal_number": 1, "totals": [30, 20, 10]}
REPLACED = {**MOLE, "mole_replaces_pass": True}

RIGGED = {
    "hands without any knowledge": (["b1 b2", "y1 k7", "g1 r2", "k3 y5"], {}),
    "look-alike 7s": (["b1 b2 b3", "k7 k7 y1", "k7 k7 g1"], {}),
    "voids in colours": (["b1 b2 b3", "y1 y2 k1", "g1 g2 k2", "r1 r2 y3"], {"lacks": [(1, "r"), (2, "y"), (3, "k g")]}),
    "voids in numbers": (["b1 b2 b3", "y1 k7 k7", "g7 g2 k3", "r4 r2 y3"], {"lacks": [(1, "2"), (2, "4 1"), (3, "7")]}),
    "almost every card is restricted": (["b1 b2 b3", "y1 y2 k7", "g1 y3 k2", "r1 r2 k7"],
     {"lacks": [(1, "r g"), (2, "r 7"), (3, "y g")]}),
    "only one deal fits": (["b1 b2", "y1 y2", "g1 g2", "r1 r2"], {"lacks": [(1, "r g"), (2, "r y"), (3, "y g")]}),
    "only one deal fits, though no card has a single place": (["b1", "y1", "g1", "r2"],
     {"lacks": [(1, "r"), (2, "y 2"), (3, "1 b")]}),
    "cards passed": (["b1 b2 b3", "y1 k7 g2", "k7 g1 k2", "r3 r2 k1"],
     {"passed": [(0, 1, "y1 k7")], "lacks": [(2, "r")]}),
    "two black 7s passed, of which one may have been played": (["b1 b2 b3", "y1 k7 g2", "k7 g1 k7"],
     {"passed": [(0, 1, "k7 k7 y1")], "played": [(1, "k7")]}),
    "the only black 7 passed may have been played": (["b1 b2 b3", "y1 k7 g2", "k7 g1 k7"],
     {"passed": [(0, 1, "k7")], "played": [(1, "k7")]}),
    "the red star": (["b1 b2 b3", "r1 y2 k7", "k7 y1 g1"], {"star": 1}),
    "the red star that I hold": (["r1 b2 b3", "b1 y2 k7", "k7 y1 g1"], {"star": 0}),
    "the red star that I passed": (["b1 b2", "r1 y2", "k7 y1"], {"star": 1, "passed": [(0, 1, "r1")]}),
    "an unequal trick": (["b1 b2 b3", "y1 k7 g2", "k7 g1", "r3 r2"],
     {"player": 0, "leader": 2, "table": [-1, -1, 20, 21, -1, -1], "trick": 12, "played": [(2, "y10"), (3, "y11")]}),
    "others are passing": (["b1 b2 b3", "y1 k7 g2", "k7 g1 y2"],
     {"phase": "pass", "player": 2, "dealer": 2, "picks": 2,
      "passed": [(0, 0, "b1 b2 b3"), (1, 1, "y1 k7 g2"), (2, 2, "k7 y2")]}),
    "passing with much to choose from": (["b1 b2 b3 b4", "y1 k7 g2 k7", "g1 k7 y2 k7"],
     {"phase": "pass", "player": 0, "dealer": 0, "picks": 1,
      "passed": [(0, 0, "b1"), (1, 1, "y1 k7 k7"), (2, 2, "k7 g1 k7")]}),
    "my first place at the pile, while passing": (["b1 b2 b3 b4", "y1 k7 g2 k7", "g1 k7 y2 k3"],
     {**MOLE, "phase": "pass", "dealer": 2, "taken": [(0, 0, "b1 b2 b3"), (1, 1, "y1 k7 g2"), (2, 2, "g1 k7 y2")]}),
    "the second at the pile, while a colour is called": (["b1 b2 b3 b4", "y1 k7 g2 k7", "g1 k7 y2 k3", "r1 r2 r3 r4"],
     {**MOLE, "totals": [20, 30, 10, 0], "phase": "call", "player": 2, "dealer": 2, "call_colour": True,
      "call_timing": "before_pass",
      "taken": [(0, 1, "y1 k7 g2"), (1, 0, "b1 b2 b3"), (2, 2, "g1 k7 y2"), (3, 3, "r1 r2 r3")]}),
    "the last at the pile": (["", "y1 g2 b9", "g1"],
     {**MOLE, "totals": [0, 30, 10], "phase": "take", "player": 2, "picks": 1, "trick": 17, "pile": "k2 b8 k7 r1 r2",
      "taken": [(0, 1, "y1 g2 b9"), (1, 2, "g1")]}),
    "another takes from what I have left": (["b1 b2 b3 b4", "y1 k7", "g1"],
     {**MOLE, "phase": "take", "player": 1, "picks": 1, "trick": 16, "pile": "k7 y2 k7 r1 r2",
      "taken": [(0, 0, "b1 b2 b3"), (1, 1, "y1")]}),
    "another takes before me": (["b1", "y1 k7", "g1"],
     {**MOLE, "totals": [0, 30, 10], "phase": "take", "player": 1, "picks": 1, "trick": 16,
      "pile": "k7 k7 k7 k7 k7 r1 r2 r3", "taken": [(0, 1, "y1")]}),
    "I take": (["b1 b2", "k7", "g2"],
     {**MOLE, "phase": "take", "player": 0, "picks": 1, "trick": 16, "dealer": 2, "pile": "k7 k7 r1 r2 r3 r4 r5 r6",
      "taken": [(0, 0, "b1")]}),
    "the mole replaces passing": (["b1 b2 b3", "y1 k7 g2", "k7 g1 y2"],
     {**REPLACED, "taken": [(0, 0, "b1 b2 b3"), (1, 1, "y1 k7 y11"), (2, 2, "g1 y2 y10")],
      "played": [(1, "y11"), (2, "y10")]}),
    "a black 7 left in the pile may have been played": (["b1 b2 b3", "y1 k7 g2", "k7 g1 y2"],
     {**REPLACED, "taken": [(0, 0, "b1 b2 b3"), (1, 1, "y1 k7 k7"), (2, 2, "g1 y2 y10")],
      "played": [(1, "k7"), (2, "y10")]}),
    "all black 7s left in the pile may have been played": (["b1 b2 b3", "y1 k7 g2", "k7 g1 y2"],
     {**REPLACED, "taken": [(0, 0, "b1 b2 b3"), (1, 1, "y1 k7 g2"), (2, 2, "g1 y2 y10")],
      "played": [(1, "k7"), (2, "y10")]}),
    "voids of those who took after me": (["b1 b2 b3", "y1 k7 g2", "b9 g1 y2"],
     {**REPLACED, "taken": [(0, 0, "b1 b2 b3"), (1, 1, "y1 k7 y11"), (2, 2, "g1 y2 y10")],
      "played": [(1, "y11"), (2, "y10")], "lacks": [(2, "7"), (1, "9")]}),
}  # fmt: skip


@pytest.mark.prove
@pytest.mark.parametrize(("hands", "fields"), RIGGED.values(), ids=RIGGED)
def test_all_deals_that_fit_come_equally_often(hands, fields):
    """O3."""
    check_deals(laid_out(*hands, **fields).env, 0)


@pytest.mark.parametrize(("hands", "fields"), RIGGED.values(), ids=RIGGED)
def test_samples_of_rigged_positions_have_the_own_hand(hands, fields):
    env = laid_out(*hands, **fields).env
    for seat in range(2):
        for record in samples(env, seat, 3):
            assert sum(record["where"] == 0) == len(hands[seat].split())


FEW_CARDS = ["blue 1", "yellow 1", "green 1", "red 1", *(f"black {number}" for number in range(1, 12))]


@pytest.mark.parametrize("seed", range(4))
def test_who_has_to_lead_the_called_colour_has_it(seed):
    """O3, V4: others know that, and how many cards of it they do not see."""
    env = black_spy_v0.env(num_players=3, call_colour=True, deck=FEW_CARDS)
    now = next(env.snapshot() for env in positions(env, seed) if env.snapshot()["phase"] == "play")
    leader, colour = now["leader"], now["called"]
    for seat in {0, 1, 2} - {leader}:
        for record in samples(env, seat, 50):
            held = np.flatnonzero(record["where"] == (leader - seat) % 3)
            assert any(CARDS[card][0] == colour[0] for card in held)


ANY = [
    {"num_players": 3, "mole": True, "rank_follow": True, "rank_follow_strict": True, "call_colour": True},
    {"num_players": 3, "mole": True, "mole_replaces_pass": True, "moon_choice": True},
    {"num_players": 4, "mole": True, "call_colour": True, "call_timing": "before_pass", "pass_cycle": "left"},
    {"num_players": 4, "mole": True, "mole_replaces_pass": True, "rank_follow": True, "call_colour": True},
    {"num_players": 5, "mole": True, "opener": "left_of_dealer", "exact_limit": True},
    {"num_players": 6, "mole": True, "mole_replaces_pass": True, "rank_follow": True, "rank_follow_strict": True},
]


@pytest.mark.prove
@pytest.mark.parametrize("options", ANY, ids=str)
def test_all_deals_that_fit_come_equally_often_at_the_end_of_random_deals(options):
    """Every seat, as soon as few enough deals are left to list them all."""
    for seed in range(2):
        env = next(
            env
            for env in positions(black_spy_v0.env(**options), seed)
            if (now := env.snapshot())["deal"] and sum(map(len, now["hands"])) <= 12 - env.num_players - seed
        )
        for seat in range(2):
            check_deals(env, seat)


CHANGES = [
    Changes(
        lambda: Table("r1 r5", "r6", "r7 k7", "").play("r5 r6"),
        2,
        refused=[
            [("phase", 3, 0)],
            [("dealer", 0, 1)],
            [("pass_to", 0, 4)],
            [("pass_to", 0, 2)],
            [("table", 4, 1)],
            [("played", KINDS.index("r6"), 6)],  # at an empty seat
            [("played", KINDS.index("k7"), 1)],
            [("my_hand", KINDS.index("r7"), 2)],
            [("my_hand", KINDS.index("r5"), 1)],
            [("black_7s_played", 1, 6)],
            [("my_hand", KINDS.index("b1"), 1)],
        ],
        shown=[[("to_act", 0, 0)], [("leader", 2, 0)], [("played", KINDS.index("r5"), 1)], [("trick", 0, 1)]],
    ),
    *(  # voids leave nobody to hold a card
        Changes(partial(laid_out, "b1 b2", *hands, lacks=lacks), 0, refused=[[]])
        for hands, lacks in (
            (["y1 y2", "r1 r2"], [(1, "r"), (2, "r")]),  # nobody may have red
            (["y1 y2", "y3 r2"], [(1, "y")]),  # three yellow cards for two places
            (["y1 y2", "r1 r2", "y3 g2"], [(3, "y r")]),  # five cards for four places
        )
    ),
]
