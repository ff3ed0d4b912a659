"""The option `deck`: cards that are left out are nowhere, in any deal, position or sample."""

from collections import Counter

import numpy as np
import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.module import GameModule

pytestmark = pytest.mark.prove
TABLES = {
    "black_jacky": {"num_players": 3, "hearts": 2, "deck": [1, 2, 3, 3, 4, 5, 6, 6, 7, 8], "bust_at": 10},
    "schwarze_katze": {"num_players": 4, "deals": 3, "deck": ["KC", "AC", "10H", "JH", "AH", "2S", "QS", "KS"]},
    "black_spy": {
        "num_players": 3,
        "max_deals": 3,
        "mole": True,
        "moon_choice": True,
        "deck": ["blue 3", "blue 7", "green 2", "green 7", "red 1", "red 7", "black 7", "black 7", "black 11"],
    },
}


def cards_of(snapshot):
    places = [*snapshot["hands"], *snapshot.get("displays", [])]
    places += [snapshot.get(name, []) for name in ("draw_pile", "discards", "pile")]
    return Counter(card for place in places for card in place)


@pytest.mark.parametrize("game", TABLES)
def test_every_deal_is_from_the_small_deck_and_so_is_every_sample(game):
    env, other = TableEnv(game, **TABLES[game]), TableEnv(game, **TABLES[game])
    whole, dealt = Counter(TABLES[game]["deck"]), 0
    for seed in range(5):
        env.reset(seed=seed)
        rng, deals = np.random.default_rng(seed), 0
        while not env.terminations[env.agent_selection]:
            state = env._states[0]
            assert env.game.read_options(state)[2] == env.options
            if state["deals"] > deals:
                deals = int(state["deals"])
                dealt += 1
                assert cards_of(env.snapshot()) == whole
            seat = int(rng.integers(env.num_players))
            seen = env.observe(f"player_{seat}")["observation"]
            other.set_state(GameModule(game).sample_state(seen, rng, seat))
            assert cards_of(other.snapshot()) == cards_of(env.snapshot())
            np.testing.assert_array_equal(other.observe(f"player_{seat}")["observation"], seen)
            env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    assert dealt > 5


@pytest.mark.parametrize("game", TABLES)
def test_a_small_deck_is_given_in_any_order_and_rigged_and_the_whole_deck_is_no_option(game):
    table = {**TABLES[game], "deck": TABLES[game]["deck"][::-1]}
    env = TableEnv(game, **table)
    assert env.options["deck"] == TABLES[game]["deck"]
    env.reset(seed=0, options={"deck": table["deck"]})
    assert cards_of(env.snapshot()) == Counter(table["deck"])
    with pytest.raises(ValueError, match="not the whole deck"):
        env.reset(options={"deck": table["deck"][1:]})
    whole = TableEnv(game, **{**table, "deck": None})
    names = [whole.game.card_names[card] for card in whole.game.whole_deck(whole.num_players, whole.options)]
    assert TableEnv(game, **{**table, "deck": names}).config_dict() == whole.config_dict()
    assert "deck" not in whole.options


@pytest.mark.parametrize(
    ("game", "players", "deck", "said"),
    [
        ("black_jacky", 4, [1, 9], "deck has 9, which is not a card; allowed are collections of the 36 cards"),
        ("black_jacky", 4, [1, 1, 2], "deck has 2 copies of 1; the whole deck has 1"),
        ("black_jacky", 4, 5, "deck=5 is not a collection"),
        ("black_jacky", 4, "123", "deck='123' is not a collection"),
        ("black_jacky", 4, [True, 2, 3], "deck has True, which is not a card"),
        ("black_jacky", 4, [], "hand_size=2 cannot be dealt"),
        ("black_jacky", 2, [2, 2, 3], r"deck=\[2, 2, 3\]: 5 cards are needed"),
        ("black_jacky", 6, [2] * 2 + [8] * 8 + [7] * 7, "needs an empty seat"),
        ("schwarze_katze", 4, ["QS", "KS"], "without a rest; allowed are multiples of 4"),
        ("schwarze_katze", 10, ["QS", "KS"] * 5, "deck has 5 copies of 'QS'; the whole deck has 1"),
        ("schwarze_katze", 4, ["QS"] * 60, "deck has 53 copies of 'QS'"),  # no more is read of a longer deck
        ("schwarze_katze", 10, ["QS", "KS"], "needs an empty seat, and num_players=10 leaves"),
        ("schwarze_katze", 3, ["2C", "KS", "AS"], "deck has '2C', which is not in the game at"),
        ("black_spy", 3, ["pink 7"], "deck has 'pink 7', which is not a card"),
    ],
    ids=str,
)
def test_a_deck_that_cannot_be_played_is_refused(game, players, deck, said):
    """And a card that an option leaves out."""
    with pytest.raises((TypeError, ValueError), match=said):
        TableEnv(game, num_players=players, deck=deck)
    with pytest.raises(ValueError, match="deck has 4, which is not in the game"):
        TableEnv("black_jacky", max_card=3, deck=[1, 2, 2, 3, 3, 3, 4, 4, 4])
