"""The reference implementation is itself held against the rule sheet."""

import random
from typing import Any

import pytest

from .observation import observations
from .rules import Card, ReferenceGame, all_cards, deck_of, usual_deals

TABLES = range(3, 11)
TRICKS = {3: 17, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5}


def table(*hands: str, **options: Any) -> ReferenceGame:
    """A deal in which these hands hold at least these cards; seat 0 leads."""
    num_players = len(hands)
    game = ReferenceGame(num_players, **{"deals": 1, **options})
    given = [hand.split() for hand in hands]
    rest = [str(card) for card in game.cards if not any(str(card) in hand for hand in given)]
    full = [[*hand, *(rest.pop() for _ in range(TRICKS[num_players] - len(hand)))] for hand in given]
    game.start(0, lambda _: deck_of(*(" ".join(hand) for hand in full)))
    return game


def play(game: ReferenceGame, cards: str) -> None:
    for card in cards.split():
        game.step(Card.called(card).number)


def legal(game: ReferenceGame) -> set[str]:
    return {str(Card.numbered(action)) for action in game.legal_actions()}


def endgame(hands: tuple[str, ...], **options: Any) -> ReferenceGame:
    """A deal in which everybody holds nothing else; seat 0 leads, and nobody has taken a trick."""
    game = ReferenceGame(len(hands), **{"deals": 1, **options})
    game.start(0, shuffled(game, random.Random(0)))
    for player, hand in zip(game.players, hands, strict=True):
        player.hand = [Card.called(card) for card in hand.split()]
    return game


def shuffled(game: ReferenceGame, rng: random.Random) -> Any:
    return lambda _: [str(card) for card in rng.sample(game.cards, len(game.cards))]


# -- K1, K2: the cards ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "taken_out"),
    [
        (3, "2C"),
        (4, ""),
        (5, "2C 2D"),
        (6, "2C 2D 2S 3C"),
        (7, "2C 2D 2S"),
        (8, "2C 2D 2S 3C"),
        (9, "2C 2D 2S 3C 3D 3S 4C"),
        (10, "2C 2D"),
    ],
)
def test_the_lowest_cards_that_are_not_hearts_are_taken_out(num_players: int, taken_out: str) -> None:
    """K2: the table of the sheet."""
    left = {str(card) for card in all_cards(num_players)}
    everything = {str(Card.numbered(action)) for action in range(52)}
    assert everything - left == set(taken_out.split())
    assert len(all_cards(num_players)) == num_players * TRICKS[num_players]


def test_cards_are_numbered_by_suit_and_then_from_the_2_to_the_ace() -> None:
    """K1."""
    assert [Card.called(text).number for text in ("2C", "AC", "2D", "10D", "2H", "QS", "AS")] == [
        0,
        12,
        13,
        21,
        26,
        49,
        51,
    ]
    assert [Card.numbered(action).number for action in range(52)] == list(range(52))


@pytest.mark.parametrize("num_players", TABLES)
def test_all_cards_are_dealt_one_at_a_time_from_the_leader_on(num_players: int) -> None:
    """K2, K3."""
    game = ReferenceGame(num_players)
    deck = [str(card) for card in game.cards]
    game.start(2, lambda _: deck)
    assert sorted(deck[::num_players]) == sorted(game.snapshot()["hands"][2])
    assert sorted(deck[num_players - 1 :: num_players]) == sorted(game.snapshot()["hands"][1])
    assert (game.snapshot()["leader"], game.snapshot()["dealer"], game.player) == (2, 1, 2)


# -- K3 .. K5: playing ------------------------------------------------------------------------------------------------


def test_any_card_may_be_led() -> None:
    """K3."""
    game = table("AH QS 2C 2D", "", "", "")
    assert legal(game) == set(game.snapshot()["hands"][0])


def test_the_suit_must_be_followed_but_the_trick_need_not_be_taken() -> None:
    """K4."""
    game = table("KH", "AH 2H QS", "", "")
    play(game, "KH")
    hearts = {card for card in game.snapshot()["hands"][1] if card.endswith("H")}
    assert legal(game) == hearts >= {"AH", "2H"}


def test_without_the_suit_any_card_may_be_played() -> None:
    """K4."""
    game = endgame(("AC 2C", "QS 2H", "3C 4C"))
    play(game, "AC")
    assert legal(game) == {"QS", "2H"}


def test_the_highest_card_of_the_led_suit_takes_the_trick_and_its_player_leads() -> None:
    """K3, K5: neither the ace of another suit nor the queen of spades takes it."""
    game = endgame(("3C 5D", "10C 6D", "AH 7D", "QS 8D"))
    play(game, "3C 10C AH QS")
    seen = game.snapshot()
    assert (seen["leader"], seen["player"], seen["trick"], seen["table"]) == (1, 1, 1, [])
    assert seen["tricks_taken"] == [0, 1, 0, 0]
    assert seen["penalties"] == [0, 51, 0, 0]
    assert legal(game) == {"6D"}


def test_the_queen_of_spades_may_take_her_own_trick() -> None:
    """K5."""
    game = endgame(("3S 5D", "QS 6D", "JS 7D"))
    play(game, "3S QS JS")
    assert game.snapshot()["penalties"] == [0, 40, 0]


def test_the_table_shows_who_played_what_in_order() -> None:
    game = endgame(("3S 5D", "QS 6D", "JS 7D"))
    play(game, "3S QS")
    assert game.snapshot()["table"] == [[0, "3S"], [1, "QS"]]
    assert (game.player, game.snapshot()["leader"]) == (2, 0)


# -- K6: what a deal costs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heart_ace", "worth"), [(11, 135), (10, 134)])
def test_all_cards_together_are_worth_what_the_sheet_says(heart_ace: int, worth: int) -> None:
    """K6."""
    assert sum(Card.numbered(action).penalty(heart_ace) for action in range(52)) == worth
    costs = {
        text: Card.called(text).penalty(heart_ace) for text in ("2H", "9H", "10H", "JH", "KH", "AH", "QS", "KS", "AC")
    }
    assert costs == {"2H": 2, "9H": 9, "10H": 10, "JH": 10, "KH": 10, "AH": heart_ace, "QS": 40, "KS": 0, "AC": 0}


def test_everybody_without_a_trick_gets_50_plus_points_at_the_end_of_the_deal() -> None:
    """K6: both others have none; before the last card nobody has been paid."""
    game = endgame(("AH KH", "2H QS", "3H 9H"))
    play(game, "AH 2H 3H KH QS")
    assert game.rewards("points") == [0, 0, 0]
    assert game.snapshot()["totals"] == [0, 0, 0]
    assert game.snapshot()["last_deal"] is None
    play(game, "9H")
    assert game.last_deal == [75, -50, -50]
    assert game.snapshot()["totals"] == [75, -50, -50]
    assert game.rewards("points") == [-75, 50, 50]


def test_there_is_no_bonus_for_taking_everything() -> None:
    """K6: seat 0 takes all ten tricks, with all hearts and the queen of spades."""
    highest = "AC KC QC JC 10C AD KD QD JD 10D"
    game = table(highest, "", "", "", "")
    for card in highest.split():
        play(game, card)
        while game.player:
            game.step(min(game.legal_actions()))
    assert game.last_deal == [135, -50, -50, -50, -50]
    assert game.snapshot()["penalties"] == [135, 0, 0, 0, 0]


@pytest.mark.parametrize("num_players", TABLES)
@pytest.mark.parametrize("piatnik_heart_lead", [False, True])
def test_random_games_keep_the_figures_of_the_sheet(num_players: int, piatnik_heart_lead: bool) -> None:
    """Penalties sum to 135 - 50k; max(0, n - tricks) <= k <= n - 1."""
    for seed in range(3):
        rng = random.Random(seed)
        worth = rng.choice([134, 135])
        game = ReferenceGame(num_players, heart_ace=worth - 124, piatnik_heart_lead=piatnik_heart_lead)
        for penalties in deals_of_a_random_game(game, rng):
            without = penalties.count(-50)
            assert sum(penalties) == worth - 50 * without
            assert max(0, num_players - TRICKS[num_players]) <= without <= num_players - 1


def deals_of_a_random_game(game: ReferenceGame, rng: random.Random) -> list[list[int]]:
    """Play it, looking at every position; returns the penalties of each deal."""
    found, paid = [], [0.0] * len(game.players)
    game.start(rng.randrange(len(game.players)), shuffled(game, rng))
    while not game.over:
        before = game.last_deal
        game.step(rng.choice(sorted(game.legal_actions())))
        paid = [sum(pair) for pair in zip(paid, game.rewards("points"), strict=True)]
        if game.last_deal is not before:
            assert game.last_deal is not None
            found.append(game.last_deal)
        check_position(game)
    assert len(found) == game.deals
    assert paid == [-player.total for player in game.players]
    assert game.snapshot()["totals"] == [sum(deal) for deal in zip(*found, strict=True)]
    return found


def check_position(game: ReferenceGame) -> None:
    """Every card lies in one place, is remembered if it was played, and nobody has what all know to be missing."""
    held = [card for player in game.players for card in player.hand]
    taken = [card for player in game.players for trick in player.taken for card in trick]
    lying = [card for _, card in game.table]
    assert sorted(card.number for card in held + taken + lying) == [card.number for card in game.cards]
    assert set(game.played) == {*taken, *lying}
    assert game.trick == sum(len(player.taken) for player in game.players)
    for player in game.players:
        assert player.void.isdisjoint(card.suit for card in player.hand)


# -- K3, K7, K8: the game ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_players", "deals"), [(3, 6), (4, 8), (5, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10)])
def test_by_default_everybody_deals_equally_often_and_five_times_or_more_in_all(num_players: int, deals: int) -> None:
    """K7."""
    assert usual_deals(num_players) == deals
    assert ReferenceGame(num_players).deals == deals
    assert ReferenceGame(num_players, deals=1).deals == 1


def test_the_deal_goes_round_clockwise_and_the_dealers_left_neighbour_leads() -> None:
    """K3: seen at the first position of every deal."""
    rng = random.Random(0)
    game = ReferenceGame(4, deals=6)
    game.start(3, shuffled(game, rng))
    seen = {}
    while not game.over:
        now = game.snapshot()
        seen.setdefault(now["deal"], (now["dealer"], now["leader"], now["player"]))
        game.step(min(game.legal_actions()))
    assert seen == {0: (2, 3, 3), 1: (3, 0, 0), 2: (0, 1, 1), 3: (1, 2, 2), 4: (2, 3, 3), 5: (3, 0, 0)}


def test_the_next_deal_lies_on_the_table_after_the_last_card() -> None:
    game = endgame(("AH KH", "2H QS", "3H 9H"), deals=2)
    play(game, "AH 2H 3H KH QS 9H")
    seen = game.snapshot()
    assert (seen["phase"], seen["deal"], seen["trick"], seen["dealer"], seen["player"]) == ("play", 1, 0, 0, 1)
    assert [len(hand) for hand in seen["hands"]] == [17, 17, 17]
    assert seen["tricks_taken"] == seen["penalties"] == [0, 0, 0]
    assert seen["totals"] == [75, -50, -50]
    assert all(observation["played"] == [0] * 52 for observation in observations(game))
    assert game.players[1].void == set()


def test_the_lowest_total_wins_and_a_tie_is_shared() -> None:
    """K8: it may be negative."""
    game = endgame(("AH KH", "2H QS", "3H 9H"))
    play(game, "AH 2H 3H KH QS 9H")
    assert game.snapshot()["winners"] == [1, 2]
    assert game.rewards("win") == [-1, 0.5, 0.5]


def test_totals_of_all_deals_decide() -> None:
    """K8: who won the last deal may still lose."""
    game = endgame(("AH KH", "2H QS", "3H 9H"))
    game.players[1].total = 10
    play(game, "AH 2H 3H KH QS 9H")
    assert game.snapshot()["winners"] == [2]
    assert game.rewards("win") == [-0.5, -0.5, 1]


def test_if_everybody_wins_nobody_is_paid() -> None:
    """K8."""
    game = endgame(("AH KH", "2H QS", "3H 9H"))
    game.players[0].total = -125
    play(game, "AH 2H 3H KH QS 9H")
    assert game.snapshot()["winners"] == [0, 1, 2]
    assert game.rewards("win") == [0, 0, 0]


def test_a_game_that_is_over_stays_as_its_last_deal_ended() -> None:
    game = endgame(("AH KH", "2H QS", "3H 9H"))
    play(game, "AH 2H 3H KH QS 9H")
    seen = game.snapshot()
    assert (seen["phase"], seen["player"], seen["deal"], seen["dealer"], seen["leader"]) == ("over", None, 0, 2, 0)
    assert (seen["hands"], seen["table"], seen["trick"]) == ([[], [], []], [], 2)
    assert (seen["tricks_taken"], seen["penalties"]) == ([2, 0, 0], [75, 0, 0])
    assert game.view(1)["hands"] == [0, [], 0]
    assert game.legal_actions() == set()


# -- K9: Piatnik's heart lead -----------------------------------------------------------------------------------------


def test_piatnik_a_heart_is_led_only_by_a_player_who_holds_nothing_else() -> None:
    """K9."""
    game = endgame(("AH 2C", "2H QS", "3H 4H"), piatnik_heart_lead=True)
    assert legal(game) == {"2C"}
    play(game, "2C")
    assert legal(game) == {"2H", "QS"}  # it is about leads alone


def test_piatnik_hearts_alone_may_be_led() -> None:
    """K9."""
    game = endgame(("AH 2H", "3C QS", "3H 4H"), piatnik_heart_lead=True)
    assert legal(game) == {"AH", "2H"}


def test_piatnik_holds_in_every_trick_also_after_hearts_were_played() -> None:
    """K9: no breaking of hearts."""
    game = endgame(("2C KC 3D", "AC 6D 5H", "JH 7D 9H"), piatnik_heart_lead=True)
    play(game, "2C AC JH")
    assert legal(game) == {"6D"}


@pytest.mark.parametrize(("piatnik_heart_lead", "shown"), [(True, {"C", "D", "S"}), (False, set())])
def test_a_heart_lead_shows_voids_only_under_piatniks_rule(piatnik_heart_lead: bool, shown: set[str]) -> None:
    """K9: it had nothing else."""
    game = endgame(("AH 2H", "3C QS", "3H 4H"), piatnik_heart_lead=piatnik_heart_lead)
    play(game, "AH")
    assert game.players[0].void == shown


# -- what is seen -----------------------------------------------------------------------------------------------------


def test_others_hands_are_numbers_of_cards() -> None:
    game = table("AH", "2H", "3H", "4H")
    play(game, "AH")
    view, hands = game.view(1), game.snapshot()["hands"]
    assert view["hands"] == [12, hands[1], 13, 13]
    assert game.view(None)["hands"] == [12, 13, 13, 13]
    assert list(view) == list(game.snapshot())


def test_an_observation_is_seen_from_its_players_seat() -> None:
    """Seat 2 of 4: his left neighbour is seat 3, seat 0 sits opposite and has led the 3 of clubs."""
    game = endgame(("3C 5D", "AH 6D", "9H 7D", "QS 8D"))
    play(game, "3C AH")
    seen = observations(game)[2]
    assert seen["to_act"] == [1] + [0] * 9
    assert seen["leader"] == [0, 0, 1] + [0] * 7
    assert seen["dealer"] == [0, 1] + [0] * 8
    assert seen["table"] == [0, 0, 2, 1 + 38] + [0] * 6
    assert [(card, seat) for card, seat in enumerate(seen["played"]) if seat] == [(1, 3), (38, 4)]
    assert [card for card, held in enumerate(seen["my_hand"]) if held] == [18, 33]
    assert seen["voids"][3] == [1, 0, 0, 0]
    assert sum(map(sum, seen["voids"])) == 1


def test_who_does_not_follow_is_known_to_be_void_also_to_himself() -> None:
    game = endgame(("3C 5D", "AH 6D", "9H 7D"))
    play(game, "3C AH")
    assert [seen["voids"][(1 - me) % 3] for me, seen in enumerate(observations(game))] == [[1, 0, 0, 0]] * 3


def test_the_parts_of_an_observation_have_their_shapes() -> None:
    game = ReferenceGame(3)
    game.start(0, shuffled(game, random.Random(1)))
    sizes = {name: len(part) for name, part in observations(game)[0].items() if isinstance(part, list)}
    by_seat = ("to_act", "dealer", "leader", "table", "voids", "tricks_taken", "penalties", "totals", "winners")
    assert sizes == {**dict.fromkeys(by_seat, 10), "phase": 2, "my_hand": 52, "played": 52}


def test_an_illegal_card_changes_nothing() -> None:
    game = endgame(("AC 2C", "QS 2H", "3C 4C"))
    before = game.snapshot()
    with pytest.raises(ValueError, match="is not legal"):
        play(game, "QS")
    assert game.snapshot() == before
