"""The variants of Black Spy, each a switch of its own, and how they go together (V1 .. V6, O1 .. O4)."""

from collections import Counter

import pytest

from tests.games.black_spy import rigging
from tests.games.black_spy.rigging import MYSELF, OTHERS, Table, dealt, laid_out, last_card, moon, second_deal


def test_coloured_7s_count_nothing_without_good_spies():
    """V1, B8: a deal has 80 points; the 7s are still counted."""
    game = dealt(4, no_good_spies=True, max_deals=1).finish("deal")
    assert (sum(game.now["last_deal"]), sum(game.now["good_spies_taken"])) == (80, 4)
    assert min(game.now["points"]) >= 0
    moon((1, 2, 1), no_good_spies=True).shows(last_deal=[0, 60, 60])


@pytest.mark.parametrize("shooter", range(3))
@pytest.mark.parametrize("spies", ["moon_deal_only", "never_scored"])
@pytest.mark.parametrize(("choice", "mine", "theirs"), [(OTHERS, 0, 60), (MYSELF, -60, 0)])
def test_who_has_taken_all_black_cards_chooses(shooter, spies, choice, mine, theirs):
    """V2: 60 for each of the others, or 60 off their own total; coloured 7s do not count, though player_1 has three."""
    game = moon((1, 3, 0), shooter, moon_choice=True, moon_choice_spies=spies)
    game.shows(asked=("choose", shooter), last_deal=None, good_spies_taken=[1, 3, 0])
    assert game.legal == {OTHERS, MYSELF}
    game.refuses("r1", "the choice now is who gets the points of all black cards (V2)")
    points = [mine if p == shooter else theirs for p in range(3)]
    game.take(choice).shows(last_deal=points, totals=points, deal=1)
    assert game.rewards() == [-each for each in points]


@pytest.mark.parametrize(
    ("options", "points"),
    [
        ({"moon_choice": True}, -5),
        ({"moon_choice": True, "moon_choice_spies": "moon_deal_only"}, -5),
        ({"moon_choice": True, "moon_choice_spies": "never_scored"}, 0),
        ({"moon_choice_spies": "never_scored"}, -5),  # without its parent it has no effect
        ({"moon_choice": True, "no_good_spies": True}, 0),
    ],
)
def test_coloured_7s_of_deals_without_a_moon_count_as_the_option_says(options, points):
    """V2 [J]."""
    laid_out("b7", "b2", "b1", **options).play("b7 b2 b1").shows(last_deal=[points, 0, 0])


@pytest.mark.parametrize("players", rigging.SIZES)
def test_from_the_second_deal_on_three_cards_for_each_player_are_laid_aside(players):
    """V3, O3: 17, 12, 9 or 7 cards each are dealt, and after taking everybody has the usual number.

    Who took which place is known until cards are passed.
    """
    dealt(players, mole=True).shows(pile=[], phase="pass")
    game = second_deal(players)
    now = game.now
    assert (now["phase"], len(now["pile"])) == ("take", 3 * players)
    assert [len(hand) for hand in now["hands"]] == [{3: 17, 4: 12, 5: 9, 6: 7}[players]] * players
    assert sorted(map(rigging.short, sum(now["hands"], now["pile"]))) == sorted(rigging.DECK)
    game.first_legal(3 * (players - 1)).shows(phase="pass", pile=[])
    assert [len(hand) for hand in game.now["hands"]] == [rigging.SIZES[players]] * players
    taken_at = Counter(game.records()[0]["taken_at"].tolist())
    assert taken_at == {0: 60 - 3 * players, **{1 + place: 3 for place in range(players)}}
    assert not game.first_legal(3 * players).shows(phase="play").records()[0]["taken_at"].any()


@pytest.mark.parametrize(
    ("totals", "first"),
    [
        ([10, 0, 0], 0),
        ([0, 60, 0, -40], 1),
        ([5, 60, 5, 60, 5], 4),
        ([0, 0, 0, 0, 0, 0], 2),
        ([-3, 30, 30, -3, 30, 0], 5),
    ],
)
def test_the_players_take_in_the_order_of_their_totals_ties_clockwise_from_the_dealers_left(totals, first):
    """V3, B9: the highest total after the first deal first; the last three go to the last player without a decision."""
    players = len(totals)
    points = last_card(players).first_legal().now["last_deal"]
    before = [total - each for total, each in zip(totals, points, strict=True)]
    game = last_card(players, mole=True).arrange(totals=before, dealer=(first - 2) % players).first_legal()
    game.shows(totals=totals, dealer=(first - 1) % players)
    for place, p in enumerate(sorted(range(players), key=lambda p: (-totals[p], (p - first) % players))[:-1]):
        for picks in range(3):
            assert (game.asked, game.seen(p)["picks"]) == (("take", p), picks)
            assert len(game.now["pile"]) == 3 * (players - place) - picks
            game.first_legal()
    game.shows(phase="pass")


def test_the_players_take_any_card_of_the_pile_and_no_other():
    """V3."""
    game = second_deal(4)
    taker, pile = game.now["player"], game.now["pile"]
    assert game.legal == set(map(rigging.short, pile))
    own = next(card for card in game.hand(taker) if card not in game.legal)
    game.refuses(own, "it is not in the mole's pile (V3)")
    game.refuses("call red", "the choice now is a card of the mole's pile (V3)")
    card, hand = min(game.legal), game.hand(taker)
    assert sorted(game.play(card).hand(taker)) == sorted([*hand, card])


BLUE, YELLOW, GREEN = (" ".join(f"{colour}{rank}" for rank in range(1, 12)) for colour in "byg")


@pytest.mark.parametrize("colour", ["blue", "yellow", "green", "red"])
def test_the_colour_called_by_the_dealer_must_be_led_by_the_left_neighbour(colour):
    """V4: instead of B4."""
    game = Table("r1 b1 y1 g1 k1", "", "", "", call_colour=True).shows(asked=("call", 3))
    assert game.legal == {f"call {each}" for each in ("blue", "yellow", "green", "red")}
    game.take(f"call {colour}").shows(asked=("play", 0), called=colour, red_star=None)
    assert game.legal == {card for card in game.hand(0) if card[0] == colour[0]}
    game.refuses("k1", f"{colour} was called and must be led (V4)")


def test_who_cannot_lead_the_colour_is_skipped_and_known_to_lack_it():
    """V4, O3: the dealer leads if nobody else can; the call binds the first trick only; `opener` has no effect."""
    game = Table("r1", f"{BLUE} k1 k2 k3 k4", f"{YELLOW} k5 k6 k7 k7", "r5 k11", first=1, call_colour=True)
    game.take("call red").shows(asked=("play", 3), lacks=[[], ["red"], ["red"], []])
    assert game.legal == {card for card in game.hand(3) if card[0] == "r"}
    game = Table(f"{BLUE} k1 k2 k3 k4 k5 k6 k7 k8 k9", f"{YELLOW} {GREEN[:-8]}", "r1", call_colour=True)
    game.take("call red").shows(asked=("play", 2), lacks=[["red"], ["red"], []])
    game = Table("b11 b10 k1", "b1", "b2", "b3", call_colour=True).take("call blue").play("b11 b1 b2 b3")
    assert game.shows(asked=("play", 0)).legal == set(game.hand(0))
    game = Table("r1", "", "", "", first=1, call_colour=True, opener="left_of_dealer").shows(asked=("call", 0))
    game.take("call blue")
    assert game.now["player"] == next(p for p in (1, 2, 3, 0) if any(card[0] == "b" for card in game.hand(p)))
    game = Table("r1 b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 b11 k1 k2 k3", "r2", "", "y1 y2 y3",
                 passed=False, call_colour=True, call_timing="before_pass").take("call red")  # fmt: skip
    for cards in ("r1 b1 b2", "r2", "", "y1 y2 y3"):
        seat = game.now["player"]
        game.play(" ".join([*cards.split(), *(card for card in game.hand(seat) if card not in cards.split())][:3]))
    game.shows(asked=("play", 1), lacks=[["red"], [], [], []])


def phases(game):
    """What is asked before the first trick, in order."""
    met = []
    while game.now["trick"] == 0:
        met += [game.now["phase"]] * (game.now["phase"] not in met)
        if met[-1] == "call":
            assert game.now["player"] == game.now["dealer"]
        game.first_legal()
    return met


@pytest.mark.parametrize(("timing", "order"), [("after_pass", ["pass", "call"]), ("before_pass", ["call", "pass"])])
def test_mole_call_and_passing_come_in_this_order(timing, order):
    """V4, O1."""
    options = {"call_colour": True, "call_timing": timing}
    assert phases(dealt(4, first=2, **options)) == [*order, "play"]
    assert phases(second_deal(3, **options)) == ["take", *order, "play"]
    assert phases(second_deal(3, mole_replaces_pass=True, **options)) == ["take", "call", "play"]


HAND = "b1 b2 b3 b4 y1 y2 y3 y4 k1 k2 k3 k4 g1 g2 g3"  # neither red nor 5 nor 9
STRICT, NOT_AT_ALL = {"rank_follow_strict": True}, {"rank_follow": False}


@pytest.mark.parametrize(
    ("held", "last", "options", "legal"),
    [
        ("r6 b5 b9", "r9", {}, "r6 b5 b9"),  # beside the led colour and the led number
        ("r6 b5 b9", "r9", NOT_AT_ALL, "r6 b5"),
        ("b9", "r9", {}, "any"),  # holding only the last number binds nobody, unless it is strict
        ("b9", "r9", STRICT, "b9"),
        ("", "r9", STRICT, "any"),
        *((f"{held} b9", "r9", strict, f"{held} b9") for held in ("r6", "b5") for strict in ({}, STRICT)),
        ("b9", "r9", {**NOT_AT_ALL, **STRICT}, "any"),  # strict is without effect
        ("r6 k7", "r7", {}, "r6 k7"),  # black 7s follow a last 7, B5
        ("k7", "r7", STRICT, "k7"),
    ],
)
def test_the_number_of_the_last_card_may_be_followed_too(held, last, options, legal):
    """V5: the red 5 is led; player_2 has these cards, and others that follow nothing."""
    hand = [*held.split(), *HAND.split()][:15]
    game = Table("r1 r5", last, " ".join(hand), "", **{"rank_follow": True, **options}).play(f"r5 {last}")
    assert game.legal == set(hand if legal == "any" else legal.split())


def test_the_last_card_is_that_of_the_player_before():
    """V5: not the led one, nor one of a trick before; it does not win the trick (B6)."""
    rest = "b2 b3 k1 k2 k3 k4 g1 g2 g3 g4 y1 y2 y3"
    for first, legal in (("b9 b4", f"b9 b4 {rest}"), ("b9 r4", "r4 b9")):
        game = Table(f"{first} {rest}", "b6", "r1 r5", "r9", rank_follow=True).play("r5 r9")
        game.shows(player=0, legal=legal)
    game = Table("r1 r5", rigging.COLOURLESS.replace("k1", "b5"), "", "", rank_follow=True)
    game.play("r5").shows(legal="b5")  # a led card is itself the last one
    game = Table("r1 r5", "r9", HAND.replace("b1 b2", "r6 b9"), "r2", rank_follow=True).play("r5 r9")
    game.refuses("b3", "only red cards and 5s and 9s follow (B5, V5)")
    game.play("b9 r2").shows(leader=1)


@pytest.mark.parametrize(("players", "limit"), rigging.LIMITS.items())
@pytest.mark.parametrize("over", [-1, 0, 1])
def test_a_total_of_exactly_the_limit_is_halved_and_only_a_higher_one_ends_the_game(players, limit, over):
    """V6: the reward is the change of the total, halving included."""
    points = last_card(players, exact_limit=True).first_legal().now["last_deal"]
    for p in range(players):
        totals = [0] * players
        totals[p] = limit + over - points[p]
        game = last_card(players, exact_limit=True).arrange(totals=totals).first_legal()
        expected = {-1: limit - 1, 0: limit // 2, 1: limit + 1}[over]
        assert (game.now["totals"][p], game.rewards()[p]) == (expected, totals[p] - expected)
        assert game.now["last_deal"] == points
        assert (game.now["phase"] == "over") == (over == 1)


def test_a_halved_total_counts_in_the_last_deal_too():
    """V6: the game ends by max_deals, and the halved total wins."""
    points = last_card(4).first_legal().now["last_deal"]
    totals = [150 - points[0], 76 - points[1], 140 - points[2], 149 - points[3]]
    game = last_card(4, exact_limit=True, max_deals=1).arrange(totals=totals).first_legal()
    game.shows(totals=[75, 76, 140, 149], winners=[0])


def test_the_pile_lies_on_top_of_a_rigged_deck():
    """V3, O1: the rest is dealt from the dealer's left."""
    pile, first, rest = ["r1", "r2", "r3", "k7", "k7", "k7", "k7", "k7", "k7"], ["b1", "y1", "g1"], list(rigging.DECK)
    for card in (*pile, *first):
        rest.remove(card)
    game, decks = dealt(3, mole=True), [[*map(rigging.full, each)] for each in (rigging.DECK, [*pile, *first, *rest])]
    game.env.reset(seed=0, options={"start_player": 1, "deck": decks})
    game.finish("deal").shows(dealer=1, pile=[*map(rigging.full, pile)])
    assert ["b1" in game.hand(2), "y1" in game.hand(0), "g1" in game.hand(1)] == [True] * 3
