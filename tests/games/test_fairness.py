"""Who begins, and deals of trick-taking games, are fair, as players see them: chi-square over many seeds."""

import numpy as np
import pytest

from blackjacky_env import make_batch
from blackjacky_env.games import get_game
from tests.chances import UNLIKELY, fit
from tests.games.sampled import independent
from tests.games.tables import SIZES, seated

pytestmark = pytest.mark.prove
SEEDS = 2000
PLAYERS = 4
GAMES = {"black_spy": {"mole": True, "max_deals": 2}, "schwarze_katze": {"deals": 2}}
HANDS = {"black_spy": 15, "schwarze_katze": 13}
MOLE = 12  # cards of the second deal of Black Spy that are laid aside (V3)
COPIES = {"black 7"}  # of which there are more than one


@pytest.fixture(scope="module", params=GAMES)
def deals(request):
    """Who holds each card, -1 for nobody, in the first two deals (deal, seed, card) of four players, and who deals."""
    game, rng = request.param, np.random.default_rng(0)
    env, cards = (
        seated(game, num_players=PLAYERS, **GAMES[game]),
        [c for c in get_game(game).card_names if c not in COPIES],
    )
    number = {card: i for i, card in enumerate(cards)}
    seats, dealers = np.full((2, SEEDS, len(number)), -1), np.zeros(SEEDS, np.int64)
    for seed in range(SEEDS):
        env.reset(seed=seed)
        dealers[seed] = env.snapshot()["dealer"]
        for deal in range(2):
            for seat, hand in enumerate(env.snapshot()["hands"]):
                seats[deal, seed, [number[card] for card in hand if card in number]] = seat
            while deal == 0 and int(env._states["deals"][0]) == 1:
                env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return game, seats, dealers


@pytest.mark.parametrize("deal", [0, 1])
def test_every_card_and_every_two_cards_go_to_every_seat_as_often_as_sizes_say(deals, deal):
    """K2, B2, V3: and to the pile."""
    game, seats, _ = deals
    aside = MOLE * (deal > 0 and "mole" in GAMES[game])
    there_are = np.array([aside, *[HANDS[game] - aside // PLAYERS] * PLAYERS])
    for places in seats[deal].T:
        counts = np.bincount(places + 1, minlength=PLAYERS + 1)
        assert not counts[there_are == 0].any()
        assert fit(counts[there_are > 0], there_are[there_are > 0] / there_are.sum()) > UNLIKELY
    rng, together = np.random.default_rng(1), (there_are * (there_are - 1)).sum()
    chance = together / (there_are.sum() * (there_are.sum() - 1))
    for _ in range(30):
        one, other = rng.choice(seats.shape[2], 2, replace=False)
        count = (seats[deal, :, one] == seats[deal, :, other]).sum()
        assert fit([count, SEEDS - count], [chance, 1 - chance]) > UNLIKELY


@pytest.mark.parametrize("card", [0, 10, 20, 30, 40, 50])
def test_deals_of_a_game_and_of_successive_seeds_are_independent_and_so_are_deal_and_dealer(deals, card):
    _, (first, second), dealers = deals
    for other, one in ((second, first), (first[1:], first[:-1])):
        assert independent(one[:, card], other[:, card]) > UNLIKELY
    assert independent(first[:, card], dealers) > UNLIKELY


@pytest.mark.parametrize(("game", "options"), SIZES, ids=str)
def test_everybody_begins_equally_often(game, options):
    """R3, K3, H2, B2."""
    batch, players = make_batch(game, 4000, seed=2, **options), options["num_players"]
    assert fit(np.bincount(batch.current_player, minlength=players)) > UNLIKELY
