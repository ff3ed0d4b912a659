"""The reference implementation is itself held against the rule sheet."""

import random
from typing import Any

import pytest

from .observation import observations
from .rules import ACTION, ALL_CARDS, BLACK, CALL, COLOUR, COLOURS, KINDS, MYSELF, OTHERS, Player, ReferenceGame, value

TABLES = (3, 4, 5, 6)
HANDS = {3: 20, 4: 15, 5: 12, 6: 10}
FIRST_DEALER = 2  # of `begun`


def shuffled(_number: int) -> list[str]:
    return random.Random(0).sample(ALL_CARDS, len(ALL_CARDS))


def begun(num_players: int, **options: Any) -> ReferenceGame:
    game = ReferenceGame(num_players, **options)
    game.start((FIRST_DEALER + 1) % num_players, shuffled)
    return game


def split(cards: str) -> list[str]:
    return cards.split(", ") if cards else []


def tricks(*hands: str, first: bool = False, **options: Any) -> ReferenceGame:
    """Seat 0 leads a trick, or the first one of a deal; everybody holds nothing else."""
    game = ReferenceGame(len(hands), **{"opener": "left_of_dealer", **options})
    game.start(0, shuffled)
    for player, hand in zip(game.players, hands, strict=True):
        player.hand = split(hand)
    game.trick = 0 if first else 1
    game.rules = game._all_tricks()
    game.question = next(game.rules)
    return game


def play(game: ReferenceGame, cards: str) -> None:
    for card in split(cards):
        game.step(ACTION[card])


def go_on(game: ReferenceGame, phase: str, seed: int = 0) -> None:
    """Play at random until this is asked."""
    rng = random.Random(seed)
    while game.phase != phase:
        game.step(rng.choice(sorted(game.legal_actions())))


def legal(game: ReferenceGame) -> set[str]:
    return {KINDS[action] for action in game.legal_actions()}


def scored(game: ReferenceGame, answer: int | None = None) -> list[int]:
    """The points of a deal by seat; whoever is asked gives this answer."""
    asking = game._points_of_the_deal()
    try:
        question = next(asking)
        asking.send(question.answers[answer])
    except StopIteration as end:
        return end.value
    raise AssertionError("asked more than once")


# -- B1 .. B3: cards and deals ----------------------------------------------------------------------------------------


def test_there_are_60_cards_and_16_are_black() -> None:
    """B1, B7."""
    assert len(ALL_CARDS) == 60
    assert ALL_CARDS.count("black 7") == 6
    assert sum(COLOUR[card] == BLACK for card in ALL_CARDS) == 16
    assert sum(map(value, ALL_CARDS)) == 60


@pytest.mark.parametrize("num_players", TABLES)
def test_all_cards_are_dealt_one_at_a_time_from_the_left_of_the_dealer(num_players: int) -> None:
    """B2."""
    game = begun(num_players)
    deck = shuffled(0)
    first = (FIRST_DEALER + 1) % num_players
    hands = game.snapshot()["hands"]
    assert list(map(len, hands)) == [HANDS[num_players]] * num_players
    assert sorted(hands[first]) == sorted(deck[::num_players])
    assert sorted(hands[(first + 1) % num_players]) == sorted(deck[1::num_players])
    assert (game.snapshot()["dealer"], game.player) == (FIRST_DEALER % num_players, first)


@pytest.mark.parametrize(
    ("num_players", "cycle", "directions"),
    [
        (4, "left_right_across", "left right across left"),
        (4, "left_across_right", "left across right left"),
        (4, "left", "left left left left"),
        (3, "left_right_across", "left right left right"),
        (5, "left_across_right", "left right left right"),
        (6, "left", "left left left left"),
    ],
)
def test_the_direction_changes_from_deal_to_deal_and_so_does_the_dealer(
    num_players: int, cycle: str, directions: str
) -> None:
    """B2, B3."""
    game = begun(num_players, pass_cycle=cycle)
    game.limit = 1000
    seen = []
    for number in range(4):
        seen.append(game.snapshot()["pass_to"])
        assert game.snapshot()["dealer"] == (FIRST_DEALER + number) % num_players
        go_on(game, "play")
        go_on(game, "pass")
    assert " ".join(seen) == directions


@pytest.mark.parametrize(("direction", "away"), [("left", 1), ("right", 3), ("across", 2)])
def test_three_cards_are_passed_in_this_direction(direction: str, away: int) -> None:
    """B3."""
    game = begun(4)
    game.pass_to = direction
    go_on(game, "play")
    passed, received = game.snapshot()["passed"], game.snapshot()["received"]
    assert [len(cards) for cards in passed] == [3] * 4
    assert [received[(seat + away) % 4] for seat in range(4)] == passed
    assert all(set(received[seat]) <= set(game.snapshot()["hands"][seat]) for seat in range(4))


def test_cards_move_after_the_last_seat_has_chosen_and_nothing_shows_before() -> None:
    """O2."""
    game = begun(3)
    before = game.snapshot()["hands"]
    for _ in range(8):
        game.step(min(game.legal_actions()))
        seen = game.snapshot()
        assert (seen["hands"], seen["received"]) == (before, [[], [], []])
        assert game.view(0)["chosen"][1] == len(seen["chosen"][1])
    chosen = [list(cards) for cards in game.snapshot()["chosen"]]
    assert not any(card in legal(game) for card in chosen[game.player] if card != "black 7")
    game.step(max(game.legal_actions()))
    assert game.snapshot()["received"][1] == chosen[0]


# -- B4 .. B6: a trick ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_holder_of_the_red_1_after_passing_leads_but_nothing_black(seed: int) -> None:
    """B4."""
    game = begun(4)
    go_on(game, "play", seed)
    leader = game.snapshot()["leader"]
    hand = game.snapshot()["hands"][leader]
    assert "red 1" in hand
    assert game.snapshot()["red_star"] == leader == game.player
    assert legal(game) == {card for card in hand if not card.startswith("black")}
    play(game, "red 1")
    assert game.snapshot()["red_star"] is None


def test_the_player_left_of_the_dealer_leads_with_the_option() -> None:
    """B4."""
    game = begun(5, opener="left_of_dealer")
    go_on(game, "play")
    assert (game.snapshot()["leader"], game.snapshot()["red_star"]) == (3, None)


def test_with_nothing_but_black_cards_any_may_open_the_deal() -> None:
    """O4."""
    game = tricks("black 1, black 7", "red 1, red 2", "red 3, red 4", first=True)
    assert legal(game) == {"black 1", "black 7"}


def test_black_may_be_led_to_later_tricks() -> None:
    """B4."""
    assert legal(tricks("black 1, red 7", "red 1, red 2", "red 3, red 4")) == {"black 1", "red 7"}


@pytest.mark.parametrize(
    ("led", "hand", "may"),
    [
        ("red 7", "red 2, blue 7, black 7, green 3", "red 2, blue 7, black 7"),
        ("red 7", "black 7, black 8", "black 7"),
        ("black 7", "black 1, green 7, red 3", "black 1, green 7"),
        ("black 3", "black 7, red 3, blue 7", "black 7, red 3"),
        ("red 7", "blue 1, black 8", "blue 1, black 8"),
    ],
)
def test_the_colour_or_the_number_that_was_led_is_followed(led: str, hand: str, may: str) -> None:
    """B5."""
    game = tricks(led, hand, "green 1")
    play(game, led)
    assert legal(game) == set(split(may))


@pytest.mark.parametrize(
    ("played", "winner"),
    [
        ("red 2, red 11, red 3", 1),
        ("red 7, blue 7, black 7", 0),
        ("red 2, black 11, blue 11", 0),
        ("black 3, black 7, black 7", 1),
        ("black 7, black 7, black 7", 0),
        ("black 7, black 7, black 8", 2),
        ("black 2, red 7, black 7", 2),
    ],
)
def test_the_highest_of_the_led_colour_wins_and_of_black_7s_the_first(played: str, winner: int) -> None:
    """B6."""
    game = tricks(*(f"{card}, green {seat + 1}" for seat, card in enumerate(split(played))))
    for card in split(played):
        game.question = game.question._replace(answers={ACTION[card]: card})
        game.step(ACTION[card])
    assert game.snapshot()["leader"] == winner == game.player


# -- B7 .. B9, V1, V2, V6: scoring ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "points"),
    [
        *((f"black {number}", 1) for number in range(1, 7)),
        *(("black 7", 10), ("black 8", 2), ("black 9", 3), ("black 10", 4), ("black 11", 5)),
        *((f"{colour} 7", -5) for colour in COLOURS),
        *(("red 1", 0), ("blue 11", 0)),
    ],
)
def test_what_a_card_counts(card: str, points: int) -> None:
    """B7."""
    assert value(card) == points


@pytest.mark.parametrize(
    ("options", "total"),
    [
        ({}, 60),
        ({"no_good_spies": True}, 80),
        ({"moon_choice": True}, 60),
        ({"moon_choice": True, "moon_choice_spies": "never_scored"}, 80),
        ({"moon_choice_spies": "never_scored"}, 60),
    ],
)
def test_the_points_of_a_deal_add_up(options: dict[str, Any], total: int) -> None:
    """B7, V1, V2."""
    game = begun(4, max_deals=1, **options)
    go_on(game, "over")
    assert sum(game.last_deal) == total


def moon(**options: Any) -> ReferenceGame:
    """Seat 1 has all black cards and two good spies, seat 0 one and seat 3 one."""
    game = begun(4, **options)
    game.players[1].black_taken = 16
    for player, spies in zip(game.players, (1, 2, 0, 1), strict=True):
        player.good_spies_taken = spies
    return game


def test_all_black_cards_count_60_for_the_others_less_their_good_spies() -> None:
    """B8."""
    assert scored(moon()) == [55, 0, 60, 55]


def test_without_good_spies_the_others_score_60() -> None:
    """V1."""
    assert scored(moon(no_good_spies=True)) == [60, 0, 60, 60]


@pytest.mark.parametrize(("answer", "points"), [(OTHERS, [60, 0, 60, 60]), (MYSELF, [0, -60, 0, 0])])
def test_a_player_with_all_black_cards_may_choose(answer: int, points: list[int]) -> None:
    """V2."""
    assert scored(moon(moon_choice=True), answer) == points


@pytest.mark.parametrize("num_players", TABLES)
def test_the_game_ends_once_a_total_reaches_the_limit(num_players: int) -> None:
    """B9."""
    limit = {3: 200, 4: 150, 5: 120, 6: 100}[num_players]
    game = begun(num_players)
    go_on(game, "over")
    assert max(game.snapshot()["totals"]) >= limit
    totals = game.snapshot()["totals"]
    assert game.snapshot()["winners"] == [seat for seat in range(num_players) if totals[seat] == min(totals)]


def test_the_game_ends_after_max_deals() -> None:
    """B9."""
    game = begun(3, max_deals=2)
    go_on(game, "over")
    assert (game.deal, max(game.snapshot()["totals"]) < 200) == (1, True)


def after_scoring(total: int, **options: Any) -> ReferenceGame:
    """Seat 0 had 100 points and now has so many; the others score nothing."""
    game = begun(4, **options)
    game.players[0].total, game.last_deal = 100, [total - 100, 0, 0, 0]
    game._score()
    return game


@pytest.mark.parametrize(
    ("options", "total", "kept", "ends"),
    [
        ({}, 149, 149, False),
        ({}, 150, 150, True),
        ({"exact_limit": True}, 150, 75, False),
        ({"exact_limit": True}, 151, 151, True),
    ],
)
def test_a_total_that_is_exactly_the_limit_is_halved(
    options: dict[str, Any], total: int, kept: int, ends: bool
) -> None:
    """B9, V6."""
    game = after_scoring(total, **options)
    assert game.players[0].total == kept
    assert game.rewards("points") == [100 - kept, 0, 0, 0]
    assert game._is_last_deal() == ends


def test_tied_players_share_the_win() -> None:
    """B9."""
    game = begun(4)
    game.winners = game.players[1:3]
    assert game.rewards("win") == [-0.5, 0.5, 0.5, -0.5]
    game.winners = list(game.players)
    assert game.rewards("win") == [0, 0, 0, 0]


# -- V3: the mole's pile ----------------------------------------------------------------------------------------------


def with_pile(totals: list[int], **options: Any) -> ReferenceGame:
    """The second deal of a game with these totals; seat 2 deals."""
    game = ReferenceGame(len(totals), mole=True, **options)
    game.start(2, shuffled)
    assert game.snapshot()["pile"] == []
    for player, total in zip(game.players, totals, strict=True):
        player.total = total
    game.deal, game.dealer = 1, game.players[2]
    game.rules = game._all_deals()
    game.question = next(game.rules)
    return game


@pytest.mark.parametrize("num_players", TABLES)
def test_three_cards_for_each_player_are_laid_aside(num_players: int) -> None:
    """V3."""
    game = with_pile([0] * num_players)
    assert sorted(game.snapshot()["pile"]) == sorted(shuffled(1)[: 3 * num_players])
    assert {len(hand) for hand in game.snapshot()["hands"]} == {HANDS[num_players] - 3}


@pytest.mark.parametrize(
    ("totals", "order"), [([10, 40, 20, 30], [1, 3, 2]), ([0, 0, 0, 0], [3, 0, 1]), ([5, 9, 9, 5], [1, 2, 3])]
)
def test_the_highest_total_takes_first_and_the_last_three_go_to_the_last(totals: list[int], order: list[int]) -> None:
    """V3."""
    game, asked = with_pile(totals), []
    while game.phase == "take":
        asked.append(game.player)
        game.step(min(game.legal_actions()))
    assert asked == [seat for seat in order for _ in range(3)]
    assert game.snapshot()["pile"] == []
    assert {len(hand) for hand in game.snapshot()["hands"]} == {15}


def test_only_who_takes_sees_the_pile_and_remembers_what_was_left_until_cards_are_passed() -> None:
    """O3."""
    game = with_pile([10, 40, 20, 30])
    assert game.view(1)["pile"] == game.snapshot()["pile"]
    assert (game.view(3)["pile"], game.view(None)["pile"]) == (12, 12)
    for _ in range(3):
        game.step(min(game.legal_actions()))
    left = game.snapshot()["pile"]
    assert (game.view(1)["left"][1], game.view(0)["left"][1]) == (left, 9)
    assert sum(observations(game)[1]["pile"]) == 9
    go_on(game, "play")
    assert game.snapshot()["left"] == [[], [], [], []]


def test_no_cards_are_passed_in_deals_with_a_pile_with_the_option() -> None:
    """V3."""
    game = with_pile([10, 40, 20, 30], mole_replaces_pass=True)
    assert game.snapshot()["pass_to"] is None
    go_on(game, "play")
    assert game.snapshot()["passed"] == [[], [], [], []]
    assert list(map(len, game.snapshot()["left"])) == [0, 9, 3, 6]


# -- V4: calling ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("timing", "phases"), [("after_pass", ["pass", "call"]), ("before_pass", ["call", "pass"])])
def test_the_dealer_calls_before_or_after_passing(timing: str, phases: list[str]) -> None:
    """V4, O1."""
    game, seen = begun(3, call_colour=True, call_timing=timing), list[str]()
    while game.phase != "play":
        if game.phase not in seen:
            seen.append(game.phase)
        assert game.phase == "pass" or game.player == FIRST_DEALER
        game.step(min(game.legal_actions()))
    assert seen == phases


def test_who_cannot_lead_the_colour_called_is_skipped() -> None:
    """V4."""
    game = tricks("blue 1", "green 1", "red 2", first=True)
    game.called = "red"
    game.rules = game._all_tricks()
    game.question = next(game.rules)
    assert (game.player, legal(game)) == (2, {"red 2"})
    assert game.snapshot()["lacks"] == [["red"], ["red"], []]


def test_the_colour_called_must_be_led() -> None:
    """V4."""
    game = begun(4, call_colour=True)
    go_on(game, "call")
    assert game.legal_actions() == set(range(CALL, CALL + 4))
    game.step(CALL + COLOURS.index("green"))
    assert {COLOUR[card] for card in legal(game)} == {"green"}


# -- V5: the number of the last card ----------------------------------------------------------------------------------

LAST = {"rank_follow": True}
STRICT = {"rank_follow": True, "rank_follow_strict": True}


@pytest.mark.parametrize(
    ("options", "hand", "may"),
    [
        ({}, "red 1, blue 9, green 3", "red 1"),
        (LAST, "red 1, blue 9, green 3", "red 1, blue 9"),
        (LAST, "blue 9, green 3", "blue 9, green 3"),
        (STRICT, "red 1, blue 9, green 3", "red 1, blue 9"),
        (STRICT, "blue 9, green 3", "blue 9"),
        (STRICT, "blue 8, green 3", "blue 8, green 3"),
        ({"rank_follow_strict": True}, "blue 9, green 3", "blue 9, green 3"),
    ],
)
def test_the_number_of_the_last_card_may_be_followed(options: dict[str, Any], hand: str, may: str) -> None:
    """V5: red 5 is led, and red 9 follows."""
    game = tricks("red 5", "red 9", hand, **options)
    play(game, "red 5, red 9")
    assert legal(game) == set(split(may))


# -- O3: what is known ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "card", "lacks"),
    [
        ({}, "green 3", ["red", 5]),
        (LAST, "green 3", ["red", 5]),
        (STRICT, "green 3", ["red", 5, 9]),
        (LAST, "blue 9", []),
        (STRICT, "blue 9", []),
        ({}, "blue 9", ["red", 5]),
        ({}, "red 1", []),
        ({}, "blue 5", []),
    ],
)
def test_who_does_not_follow_shows_what_is_lacking(options: dict[str, Any], card: str, lacks: list[Any]) -> None:
    """O3: red 5 is led, and red 9 follows."""
    game = tricks("red 5, blue 1", "red 9, blue 2", f"{card}, blue 3", **options)
    play(game, f"red 5, red 9, {card}")
    assert game.snapshot()["lacks"][2] == lacks


def test_of_black_7s_that_i_passed_one_fewer_is_left_for_each_that_is_played() -> None:
    """O3."""
    game = tricks("black 7, black 7, black 7, red 1", "red 2", "red 3")
    giver, receiver = game.players[2], game.players[0]
    giver.passed = receiver.received = ["red 1", "black 7", "black 7"]
    held = []
    for _ in range(3):
        receiver.played = [*receiver.played, "black 7"]
        held.append(observations(game)[2]["passed"][ACTION["black 7"]])
    assert held == [1, 0, 0]
    assert observations(game)[2]["passed"][ACTION["red 1"]] == 1


def test_a_deal_begins_with_nothing_but_the_total() -> None:
    player = Player(3, 40, hand=["red 1"], lacks={"red"}, black_taken=4)
    player.clear()
    assert player.__dict__ == Player(3, 40).__dict__
