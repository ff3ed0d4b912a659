"""What is compiled comes to an end in a state that no game reaches: its loops and indices are bounded."""

import numpy as np
import pytest

from blackjacky_env.games import get_game
from blackjacky_env.games.black_jacky import rules as black_jacky
from blackjacky_env.games.black_spy import rules as black_spy
from blackjacky_env.games.halunken import rules as halunken
from tests.games.tables import every_game, seated

pytestmark = pytest.mark.prove


def begun(game):
    env = seated(game)
    env.reset(seed=0)
    return env._states[0]


@every_game
def test_nothing_is_legal_once_a_game_is_over(game):
    s, mask = begun(game), np.ones(get_game(game).num_actions, np.int8)
    s["player"] = -1
    for name in ("phase", "decision"):
        if name in s.dtype.names:
            s[name] = get_game(game).fields.fields[name].high
    get_game(game).rules.legal(s, mask)
    assert not mask.any()


def a_pile_without_cards(s):
    """R14."""
    s["draw_count"], s["discards"][:] = 0, 0
    assert black_jacky.take_from_draw_pile(s) == 0


def a_knock_of_nobody_at_the_table(s):
    """R12."""
    s["first_knocker"] = 5
    game = get_game("black_jacky")
    out = np.empty(game.layout.size, game.layout.dtype)
    game.rules.encode(s, 0, out)
    assert game.layout.decode(out)["num_players"] == s["num_players"]


def a_colour_that_nobody_holds(s):
    """V4."""
    s["where"][:] = s["num_players"]
    s["call_colour"], s["called"] = 1, 0
    black_spy.start_play(s)
    assert 0 <= s["leader"] < s["num_players"]


def a_full_log(s):
    s["happenings"] = len(s["happened"])
    halunken.log(s, 0, 0, 0, 0, 0)
    assert s["happenings"] == len(s["happened"])


def more_hidden_cards_than_are_unseen(s):
    """What is sampled then is some card, not whatever lies in memory."""
    game = get_game("halunken")
    out = np.empty(game.layout.size, game.layout.dtype)
    game.rules.encode(s, 0, out)
    for name, value in (("owners", 1), ("hidden", 2)):
        part = game.layout.parts[name]
        out[part.offset : part.offset + part.length] = value
    game.rules.sample(out, np.uint64(0), s)
    assert set(s["deck"]) <= {-1, *range(42)}


WRONG = {
    "black_jacky": (a_pile_without_cards, a_knock_of_nobody_at_the_table),
    "black_spy": (a_colour_that_nobody_holds,),
    "halunken": (a_full_log, more_hidden_cards_than_are_unseen),
}
CASES = [pytest.param(game, case, id=f"{game} {case.__name__}") for game, cases in WRONG.items() for case in cases]


@pytest.mark.parametrize(("game", "case"), CASES)
def test_a_wrong_state_ends_in_a_wrong_game(game, case):
    case(begun(game))
