"""Options of all games, at the table and of a reset: wrong ones are refused by name, value and what is allowed."""

import re

import pytest

from blackjacky_env.declare import describe_options
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from tests.envs.playing import fingerprint
from tests.games.tables import every_game, seated

FLAG = "False and True"
ALLOWED = {
    "black_jacky": {  # R2, R15
        "num_players": "2 .. 6",
        "variant": "'classic', 'schnell_duell'",
        "reward": "'win', 'hearts'",
        "max_card": "2 .. 8",
        "bust_at": "2 .. 99",
        "hand_size": "1 .. 8",
        "hearts": "1 .. 9 and None",
        "tricks": "1 .. 8",
        "max_turns_per_round": "1 .. 127 and None",
    },
    "schwarze_katze": {  # K1, K6, K7, K9
        "num_players": "3 .. 10",
        "variant": "'classic'",
        "reward": "'win', 'points'",
        "heart_ace": "10 .. 11",
        "deals": "1 .. 50 and None",
        "piatnik_heart_lead": FLAG,
    },
    "halunken": {  # H7, C1, D4
        "num_players": "3 .. 4 ('standard', 'basic'), 2 ('duel')",
        "variant": "'standard', 'basic', 'duel'",
        "reward": "'win', 'points'",
        "rob_count": "'after_pick', 'before_pick'",
        "three_games": FLAG,
        "duel_black_jack": "'captain', 'standard'",
    },
    "black_spy": {  # B1, B3, B4, B9, V1 .. V6
        "num_players": "3 .. 6",
        "variant": "'classic'",
        "reward": "'win', 'points'",
        **dict.fromkeys(("no_good_spies", "moon_choice", "mole", "mole_replaces_pass", "call_colour"), FLAG),
        **dict.fromkeys(("rank_follow", "rank_follow_strict", "exact_limit"), FLAG),
        "moon_choice_spies": "'moon_deal_only', 'never_scored'",
        "call_timing": "'after_pass', 'before_pass'",
        "pass_cycle": "'left_right_across', 'left_across_right', 'left'",
        "opener": "'red_star', 'left_of_dealer'",
        "max_deals": "1 .. 127",
    },
}


def wrong_values(name, allowed):
    """Values beside what is allowed, and of other types."""
    numbers = [int(number) for number in re.findall(r"\d+", allowed)]
    if not numbers:
        return [2, "nothing"]
    beyond = [min(numbers) - 1, max(numbers) + 1]
    return [[beyond[0]], [1, beyond[1]], ["3"], 3, "123"] if name == "tricks" else [*beyond, -21, 2.5, "four"]


@pytest.mark.parametrize("game", GAMES)
def test_a_wrong_option_is_refused_by_name_value_and_what_is_allowed(game):
    declared = {option["name"] for option in describe_options(get_game(game).options) if option["kind"] != "cards"}
    assert ALLOWED[game].keys() == declared | {"num_players", "variant", "reward"}
    for name, allowed in ALLOWED[game].items():
        for value in wrong_values(name, allowed):
            with pytest.raises((TypeError, ValueError), match=f"{name}.*{re.escape(allowed)}") as caught:
                TableEnv(game, **{name: value})
            assert repr(value) in str(caught.value) or str(value[-1]) in str(caught.value)


@every_game
def test_a_reset_option_that_is_wrong_is_refused_and_changes_nothing(game):
    env = seated(game)
    deck = [env.game.card_names[card] for card in env.game.whole_deck(env.num_players, env.options)]
    env.reset(seed=1)
    before, first, last = fingerprint(env), re.escape(repr(deck[0])), re.escape(repr(deck[-1]))
    refused = [
        *(("start_player", seat, rf"0 \.\. {env.num_players - 1}") for seat in (env.num_players, -1, 1.5, "player_1")),
        ("deck", deck[1:], rf"missing \[{first}\], too many \[\]; allowed are all {len(deck)} cards, top first"),
        ("deck", [*deck, deck[-1]], rf"missing \[\], too many \[{last}\]"),
        ("deck", [deck, deck[:-1]], rf"missing \[{last}\]"),
        ("deck", [*deck[1:], "nothing"], f"'nothing' is not a card; allowed are {re.escape(str(deck[0]))}, "),
        ("deck", [0] * len(deck), "0 is not a card"),
        ("deck", deck[:1] * 10**5, "is not the whole deck: .{1,2000}$"),  # no more is read than the message says
        ("deck", [deck] * 128, "there are more decks than deals; allowed are at most"),
        ("deck", "all", "'a' is not a card"),
        ("deck", iter(deck), "is neither a list of all cards"),  # which can be read only once
        ("deck", 36, "=36 is neither a list of all cards, top first, nor a list of such lists"),
    ]
    for name, value, said in refused:
        with pytest.raises((TypeError, ValueError), match=f"{name}.*{said}"):
            env.reset(seed=1, options={name: value})
        assert fingerprint(env) == before
