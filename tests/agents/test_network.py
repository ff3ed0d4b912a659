"""Networks as compiled policies, and what they are shown."""

from itertools import pairwise

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.agent import CompiledAgent
from blackjacky_agents.games import find_encoding
from blackjacky_agents.games.black_jacky.encodings import ADVICE_LAYOUT, FEATURES
from blackjacky_agents.networks.network import WIDEST, action_probabilities, encode_all, layers_of, network_policy, pack
from blackjacky_env import black_jacky_v0
from tests.agents.positions import FAMILY, positions

pytestmark = pytest.mark.prove
torch = pytest.importorskip("torch")

GAME = "black_jacky"
NUM_ACTIONS = 61
LAYOUT = FEATURES.layout
CARDS, ADVICE = find_encoding("cards", GAME), find_encoding("advice", GAME)
BOTH = pytest.mark.parametrize("encoding", [CARDS, ADVICE], ids=lambda encoding: encoding.name)


def random_linears(*sizes, spread=2.0):
    """Layers of torch with random weights, so large that the chances of actions differ much."""
    torch.manual_seed(0)
    linears = [torch.nn.Linear(a, b) for a, b in pairwise([*sizes, NUM_ACTIONS])]
    with torch.no_grad():
        linears[-1].weight *= spread
    return linears


def player(linears, encoding, greedy):
    return CompiledAgent("network", GAME, network_policy(encoding), pack(layers_of(linears), greedy))


def part(layout, shown, name):
    """One part of many encoded observations, (N, length)."""
    start = layout.parts[name].offset
    return shown[:, start : start + layout.parts[name].length]


@BOTH
@pytest.mark.parametrize("hidden", [(), (7,), (16, 8, 33)])
def test_the_compiled_network_has_the_probabilities_of_torchs_and_takes_the_likeliest_action(encoding, hidden):
    seen, linears = positions(moves=40), random_linears(encoding.size, *hidden)
    with torch.no_grad():
        values = torch.from_numpy(encode_all(encoding, *seen))
        for linear in linears[:-1]:
            values = torch.relu(linear(values))
        logits = linears[-1](values).double()
    logits[torch.from_numpy(seen.masks) == 0] = -torch.inf
    for greedy in (True, False):
        chances = action_probabilities(player(linears, encoding, greedy), *seen)
        np.testing.assert_allclose(chances, torch.softmax(logits, dim=1).numpy(), rtol=0, atol=1e-4)
        np.testing.assert_array_equal(chances[seen.masks == 0], 0)
        np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-12)
    chosen = player(linears, encoding, greedy=True).act_batch(*seen)
    np.testing.assert_allclose(chances[np.arange(len(chosen)), chosen], chances.max(axis=1), rtol=0, atol=1e-4)
    assert len(set(chosen.tolist())) > 10


def test_equal_logits_are_decided_for_the_first_legal_action_and_any_size_is_sampled_from():
    seen = positions(games=5, moves=20)
    linears = random_linears(CARDS.size, spread=0.0)
    with torch.no_grad():
        linears[-1].bias[:] = -1000.0
    chosen = player(linears, CARDS, greedy=True).act_batch(*seen)
    np.testing.assert_array_equal(chosen, seen.masks.argmax(axis=1))
    with torch.no_grad():
        linears[-1].bias[:] = torch.linspace(-3e4, 3e4, NUM_ACTIONS)
    agent = player(linears, CARDS, greedy=False)
    np.testing.assert_array_equal(agent.act_batch(*seen), NUM_ACTIONS - 1 - seen.masks[:, ::-1].argmax(axis=1))
    np.testing.assert_array_equal(action_probabilities(agent, *seen).max(axis=1), 1)


@BOTH
def test_samples_follow_the_probabilities(encoding):
    seen, draws = positions(games=5, moves=40), 20_000
    agent = player(random_linears(encoding.size, 12), encoding, greedy=False)
    agent.reset(1)
    tried = np.flatnonzero(seen.masks.sum(axis=1) >= 5)[:5]
    for i, chances in zip(tried, action_probabilities(agent, *(array[tried] for array in seen)), strict=True):
        chosen = agent.act_batch(np.tile(seen.observations[i], (draws, 1)), np.tile(seen.masks[i], (draws, 1)))
        shares = np.bincount(chosen, minlength=NUM_ACTIONS) / draws
        assert (np.abs(shares - chances) <= 5 * np.sqrt(chances / draws)).all()  # exactly 0 where nothing is legal
        assert chances.max() < 0.95
    assert len(tried) == 5


@pytest.mark.parametrize("options", FAMILY, ids=lambda options: ",".join(options) or "sheet")
def test_the_advice_beside_the_cards_is_what_counter_does(options):
    seen = positions(games=30, **options)
    shown = encode_all(ADVICE, *seen)
    np.testing.assert_array_equal(encode_all(CARDS, *seen), shown[:, : LAYOUT.size])
    advice, chances = part(ADVICE_LAYOUT, shown, "advice"), part(ADVICE_LAYOUT, shown, "chances")
    np.testing.assert_array_equal(advice.sum(axis=1), 1)
    np.testing.assert_array_equal(advice.argmax(axis=1), make_agent("counter").act_batch(*seen))
    np.testing.assert_array_equal(np.where(seen.masks > 0, chances, np.inf).argmin(axis=1), advice.argmax(axis=1))
    np.testing.assert_array_equal(chances[seen.masks == 0], 0)


def test_what_the_cards_say_is_what_lies_on_the_table():
    seen = positions(games=30)
    shown = encode_all(CARDS, *seen)
    for i in range(0, len(shown), 50):
        told = black_jacky_v0.decode(seen.observations[i])
        for name in ("start_player", "black_hearts", "wanted", "knocked", "first_knocker", "last_turns", "plus_one"):
            assert part(LAYOUT, shown[[i]], name)[0].tolist() == told[name], name
        hearts = part(LAYOUT, shown[[i]], "hearts").reshape(3, 6).sum(axis=0)
        assert hearts.tolist() == [min(number, 3) for number in told["hearts"]]
        assert (2 * part(LAYOUT, shown[[i]], "displays")).reshape(6, 8).tolist() == told["displays"]
        assert (4 * part(LAYOUT, shown[[i]], "hand_counts"))[0].tolist() == told["hand_counts"]


def test_networks_with_wide_layers_are_refused_on_a_gpu():
    check = network_policy(CARDS).check_gpu
    check(pack(layers_of(random_linears(CARDS.size, WIDEST)), True))
    with pytest.raises(ValueError, match=f"a layer of {WIDEST + 1} units; on a GPU at most {WIDEST} are allowed"):
        check(pack(layers_of(random_linears(CARDS.size, 8, WIDEST + 1)), True))
