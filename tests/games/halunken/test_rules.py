"""Placing, movement cards, robbing and scoring of Halunken & Spelunken, rule by rule; mostly without Black Jack."""

import numpy as np
import pytest

from blackjacky_env import IllegalActionError, halunken_v0
from tests.envs.playing import fresh
from tests.games.halunken.rigging import CARDS, FIELDS, Table, deck_of


def basic(*captains, **rigged):
    return Table(*captains, variant="basic", **rigged)


def tops(table):
    """Return the top cards of a game in which no captain stands yet."""
    return " ".join(tavern["hidden"][0] for tavern in table["taverns"])


def test_the_42_rogues_lie_in_14_taverns_of_three():
    """H1."""
    taverns = fresh(3, "halunken").snapshot()["taverns"]
    assert [len(tavern["hidden"]) for tavern in taverns] == [3] * FIELDS
    assert sorted(card for tavern in taverns for card in tavern["hidden"]) == sorted(CARDS)
    values = [sum(int(card[1:]) for card in CARDS if card[0] == colour) for colour in "RVGY"]
    assert (values, sum(values)) == ([75, 77, 78, 78], 308)


@pytest.mark.parametrize(("field", "card", "ends"), [(12, 5, 3), (13, 1, 0), (13, 7, 6), (7, 7, 0), (6, 7, 13)])
def test_captains_move_clockwise_around_the_ring(field, card, ends):
    """H1, H6."""
    basic(field, 1, 4).choose(card, "Rum", "Rum").shows(captains=[ends, 1, 4])


def test_a_captain_takes_the_top_card_of_any_free_field_and_all_are_turned_up_when_the_last_one_stands():
    """H2."""
    env = halunken_v0.env(num_players=3)
    env.reset(seed=0, options={"start_player": 0, "deck": deck_of({5: "G13 Y1 R4", 0: "V14"})})
    placed = []
    for field in (5, 0, 1):
        free = [each for each in range(FIELDS) if each not in placed]
        assert np.flatnonzero(env.last()[0]["action_mask"]).tolist() == free
        for action, reason in (*((each, "a figure stands on it") for each in placed), (56, "a field for the captain")):
            with pytest.raises(IllegalActionError, match=reason):
                env.step(action)
        assert all(tavern["top"] is None for tavern in env.snapshot()["taverns"])
        placed.append(field)
        env.step(field)
        now = env.snapshot()
        assert now["captains"] == [*placed, *[None] * (3 - len(placed))]
        assert now["crews"][:2] == [["G13"], ["V14"] if len(placed) > 1 else []]
    assert all(tavern["top"] for tavern in now["taverns"])
    assert now["taverns"][5] == {"top": "Y1", "hidden": ["R4"]}
    assert [len(tavern["hidden"]) for tavern in now["taverns"]] == [1, 1, 2, 2, 2, 1, *[2] * 8]


def test_a_seed_means_the_same_game_for_ever():
    """Results that name a seed can be made again; another meaning of seeds is another version of the game."""
    env = halunken_v0.env(num_players=4)
    starts = [env.reset(seed=seed) or env.snapshot()["start_player"] for seed in range(12)]
    assert starts == [1, 0, 1, 2, 1, 0, 3, 0, 3, 2, 3, 1]
    env = fresh(2026, "halunken", num_players=2, three_games=True)
    first = env.snapshot()
    while env.snapshot()["game"] == 0:
        env.step(int(np.argmax(env.last()[0]["action_mask"])))
    second = env.snapshot()
    assert tops(first) == "Y8 V9 G9 G13 R11 V4 R10 G3 Y1 R4 V6 V7 G6 Y5"
    assert tops(second) == "G4 V9 Y6 R10 G9 R11 V6 G7 R7 R6 V5 G11 G8 V4"
    assert first["black_jack_deck"] == [7, 6, 3, 5, 4, 2, "Rum", 1]
    assert second["black_jack_deck"] == [4, 7, 3, "Rum", 6, 2, 1, 5]


def test_of_three_games_the_highest_total_wins_after_the_third():
    """C1."""
    table = basic(0, 4, 8, three_games=True)
    for game in (1, 2):
        table.finish("game").shows(game=game, winners=[], captains=[None] * 3)
    totals = table.finish("game").shows(phase="over", game=2).now["totals"]
    table.shows(winners=[p for p in range(3) if totals[p] == max(totals)])


def moves(*cards):
    return {f"move {card}" for card in cards}


def test_each_movement_card_is_used_once_revealed_when_all_have_chosen_and_then_lies_open():
    """H3, H4, H9: the last one is asked for."""
    table = basic(0, 4, 8).shows(legal=moves(*range(1, 8), "Rum"))
    table.choose(3, 3, 3).choose("Rum", "Rum", "Rum")
    table.shows(spent=[[3, "Rum"]] * 3, legal=moves(1, 2, 4, 5, 6, 7))
    table.refuses("move 3", "it has been used in this game (H3)").refuses(
        "pass", "the choice now is a movement card (H4)"
    )
    for card in (1, 2, 4, 5, 6):
        table.choose(card, card, card)
    table.shows(round=7, asked=("choose", 0), legal=moves(7)).choose(7, 7, 7).shows(asked=("over", None))
    table = basic(0, 4, 8).play("move 2", "move 3").shows(choices=[2, 3, None], laid=[None] * 3, spent=[[]] * 3)
    table.play("move 1")
    table.shows(choices=[None] * 3, laid=[2, 3, 1], spent=[[2], [3], [1]], captains=[2, 7, 9])


@pytest.mark.parametrize(
    "cards", [(5, 5, 3), (5, 3, 5), (3, 5, 5), ("Rum", "Rum", 3), (3, "Rum", "Rum"), (1, 1, 1), (2, "Rum", 2, "Rum")]
)
def test_equal_cards_cancel_each_other(cards):
    """H4: also Rum and Rum, three equal cards, and two pairs."""
    fields = (0, 4, 8, 12)[: len(cards)]
    moved = [0 if cards.count(card) > 1 else card for card in cards]
    captains = [field + number for field, number in zip(fields, moved, strict=True)]
    basic(*fields).choose(*cards).shows(captains=captains, round=1)


def names(*numbers):
    return {f"name {number}" for number in numbers}


@pytest.mark.parametrize("owner", range(3))
def test_the_owner_of_a_single_rum_names_a_number_that_nobody_has_laid(owner):
    """H5."""
    cards = [2, 7]
    cards.insert(owner, "Rum")
    table = basic(0, 4, 8).choose(*cards).shows(asked=("name", owner), legal=names(1, 3, 4, 5, 6), numbers=cards)
    assert table.play("name 1").now["captains"][owner] == (0, 4, 8)[owner] + 1


def test_numbers_of_cancelled_cards_may_not_be_named_but_own_spent_ones_may():
    """H5."""
    table = basic(0, 3, 6, 9).choose(6, 1, 2, 3).choose("Rum", 5, 5, 4)
    table.shows(asked=("name", 0), legal=names(1, 2, 3, 6, 7))
    table.refuses("name 5", "the number was laid in this round (H5, D3)").refuses("R4", "a number for Rum (H5)")


def test_standing_captains_take_first_and_the_others_move_in_ascending_order_of_their_numbers():
    """H6: who comes first gets the top card; passing over a captain does nothing."""
    table = basic(0, 4, 8, taverns={0: "R4 R5 R6", 4: "V3 V4 V5", 8: "G2 G3 G4"}).choose(4, 5, 5)
    table.shows(crews=[["R4", "V5"], ["V3", "V4"], ["G2", "G3"]], asked=("rob", 0))
    table = basic(4, 3, 5).arrange(["R4 R5", "V3 V4 V5 V6", ""], taverns={7: "Y1 Y2 Y3"}).choose(3, 4, 2)
    table.shows(crews=[["R4", "R5", "Y2"], ["V3", "V4", "V5", "V6", "Y3"], ["Y1"]], captains=[9, 7, 8])
    table = basic(0, 2, 8).arrange(["R4", "R5 R7", "R6"], taverns={3: "Y1", 2: "", 8: ""}).choose(3, 7, 7)
    table.shows(crews=[["R4", "Y1"], ["R5", "R7"], ["R6"]], captains=[3, 2, 8], round=1)


@pytest.mark.parametrize(("number", "first"), [(1, 2), (4, 0)])
def test_rum_moves_with_the_number_that_was_named(number, first):
    """H6: seat 2 plays Rum to field 7, to which seat 0 moves with a 3."""
    table = basic(4, 0, 7 - number, taverns={7: "Y1 Y2 Y3"}).choose(3, 7, "Rum").play(f"name {number}")
    assert "Y1" in table.now["crews"][first]
    assert "Y2" in table.now["crews"][2 - first]


@pytest.mark.parametrize(("tavern", "left"), [("G2 G3 G4", ("G3", ["G4"])), ("G2", (None, [])), ("", (None, []))])
def test_the_top_card_is_taken_and_the_next_one_turned_up(tavern, left):
    """H6: an empty tavern gives nothing to captains who arrive or stand."""
    table = basic(0, 4, 8).arrange(["R4", "R5", "R6"], taverns={4: "", 8: "", 1: tavern}).choose(1, 7, 7)
    table.shows(crews=[["R4", *tavern.split()[:1]], ["R5"], ["R6"]], captains=[1, 4, 8])
    assert table.now["taverns"][1] == {"top": left[0], "hidden": left[1]}


@pytest.mark.parametrize(
    ("rob_count", "mine", "theirs", "robs"),
    [
        *(("after_pick", 1, theirs, theirs > 1) for theirs in (1, 2, 3)),
        ("after_pick", 2, 2, False),
        *(("before_pick", mine, theirs, mine <= theirs) for mine, theirs in ((1, 1), (1, 2), (2, 1), (0, 1))),
    ],
)
def test_the_mover_robs_who_has_as_many_cards_or_more(rob_count, mine, theirs, robs):
    """H7, option `rob_count`: counted after the mover has taken the tavern card, or before."""
    table = basic(0, 3, 8, rob_count=rob_count)
    table.arrange([" ".join(CARDS[:mine]), " ".join(CARDS[5 : 5 + theirs]), ""], taverns={3: "Y1"})
    table.choose(3, 7, 6)
    assert (table.asked == ("rob", 0)) == robs
    assert {*CARDS[:mine], "Y1"} <= set(table.now["crews"][0])
    if robs:
        assert table.now["victim"] == 1
        assert table.legal == set(CARDS[5 : 5 + theirs])


@pytest.mark.parametrize("card", ["V3", "G2", "Y12"])
def test_the_robber_takes_a_card_of_his_choice(card):
    """H7, C1: points pay what the scores change by."""
    table = basic(0, 3, 8).arrange(["R4", "V3 G2 Y12", "R7"], taverns={3: "Y1"}).choose(3, 7, 6)
    before = table.shows(asked=("rob", 0), mover=0, legal="V3 G2 Y12").now["scores"]
    table.refuses("R4", "it is not before player_1").refuses("pass", "a card of the player who is robbed (H7, J4)")
    table.play(card)
    assert set(table.now["crews"][0]) >= {"R4", "Y1", card}
    assert card not in table.now["crews"][1]
    assert table.rewards() == [new - old for old, new in zip(before, table.now["scores"], strict=True)]
    assert table.rewards()[1] != 0


@pytest.mark.parametrize(("others", "ends"), [((6, 7), 4), ((4, 6), 5), ((4, 5), 6)])
def test_a_captain_landed_on_goes_to_the_next_free_field(others, ends):
    """H8."""
    table = basic(0, 3, *others).arrange([""] * 4, taverns=dict.fromkeys(range(3, 8), ""), captains=[0, 3, *others])
    table.choose(3, 1, 1, 1).shows(captains=[3, ends, *others], mover=None)


def test_the_example_of_a_round_on_the_sheet():
    """H4 .. H8: Blue 5, Red 3, Green 5, Yellow Rum as 1, one field behind Red."""
    table = basic(10, 5, 0, 4)
    table.arrange(
        ["V3 V4", "R4 R5", "G2 G3", "Y1"],
        captains=[10, 5, 0, 4],
        taverns={10: "V10 V11", 0: "G10 G11", 5: "R10 R11", 8: "Y8 Y9", 9: "Y10 Y11"},
    )
    table.choose(5, 3, 5, "Rum").shows(asked=("name", 3)).play("name 1")
    table.shows(crews=[["V3", "V4", "V10"], ["R4", "R5"], ["G2", "G3", "G10"], ["R10", "Y1"]])
    table.shows(asked=("rob", 3), legal="R4 R5").play("R5")
    table.shows(crews=[["V3", "V4", "V10"], ["R4", "Y10"], ["G2", "G3", "G10"], ["R5", "R10", "Y1"]])
    table.shows(captains=[10, 9, 0, 5])  # red goes from field 6 to 9, not 8


@pytest.mark.parametrize(
    ("crew", "score"),
    [
        ("", 0),
        ("G13", 26),
        ("V3 V4 V5 Y11 Y12 G2 G3 G4 G5 G6", 12 + 23 + 2 * 20),  # 3 violet, 2 yellow, 5 grey
        ("R4 R5 Y1 Y2", 2 * 9 + 3),
        ("Y1 Y2 R4 R5 V14", 3 + 2 * 9 + 14),
        ("R4 V3 G2 Y12", 9 + 24),
        ("R15 V14 G13", 30 + 27),
        ("R4 R5 V10 V11 G2 G3 G4", 9 + 21 + 18),
    ],
)
def test_the_colour_of_most_cards_counts_double_and_of_equals_the_best(crew, score):
    """C1."""
    basic(0, 4, 8).arrange([crew, "", ""]).shows(scores=[score, 0, 0])


@pytest.mark.parametrize(
    ("crews", "totals", "winners", "rewards"),
    [
        (["R4", "R15", "V3"], [8, 30, 6], [1], [-0.5, 1, -0.5]),
        (["R4", "V4", "V3"], [8, 8, 6], [0, 1], [0.5, 0.5, -1]),  # tied players share the win
        (["", "", ""], [0, 0, 0], [0, 1, 2], [0, 0, 0]),
    ],
)
def test_the_highest_score_wins(crews, totals, winners, rewards):
    """C1, J6: in round 8."""
    table = basic(0, 4, 8, reward="win").arrange(crews, round_number=7, taverns={0: "", 4: "", 8: ""})
    table.choose(1, 1, 1).shows(asked=("over", None), round=7, game=0, winners=winners)
    table.shows(totals=totals, last_game=totals, scores=totals)
    assert table.rewards() == rewards


TWELVE = list(range(1, 13))
EIGHT = [*range(1, 8), "Rum"]


@pytest.mark.parametrize(
    ("players", "deck"),
    [(3, TWELVE[1:]), (3, [*TWELVE[1:], 2]), (4, [True, *TWELVE[1:]]), (4, EIGHT), (2, TWELVE), (2, [*EIGHT[1:], 8])],
)
def test_a_deck_that_is_not_all_of_black_jacks_cards_is_refused(players, deck):
    """J1, D1."""
    env = halunken_v0.env(num_players=players)
    with pytest.raises(ValueError, match=r"reset option 'black_jack_deck': .* is not (a card|the whole deck)"):
        env.reset(seed=0, options={"black_jack_deck": deck})
