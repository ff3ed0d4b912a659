"""The adapter for OpenSpiel; skipped where OpenSpiel is not installed."""

import base64
import contextlib
from itertools import permutations

import numpy as np
import pytest

from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, get_game

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation  # noqa: E402

from blackjacky_env.openspiel import load_game  # noqa: E402  # needs pyspiel

pytestmark = pytest.mark.prove

SIX_CARDS = {"max_card": 3, "hand_size": 1, "hearts": 1, "bust_at": 5, "max_turns_per_round": 3}
ALL_SIX = [1, 2, 2, 3, 3, 3]


def six_cards(**options):
    return load_game("black_jacky", 2, cards="all", start_player=0, **{**SIX_CARDS, **options})


def played(game, seed, decisions=10**6):
    """A state after random moves, at which a player is to act, or the end."""
    state, rng = game.new_initial_state(), np.random.default_rng(seed)
    while not state.is_terminal() and (decisions or state.is_chance_node()):
        decisions -= not state.is_chance_node()
        legal = state.legal_actions()
        state.apply_action(int(legal[rng.integers(len(legal))]))
    return state


def nodes(state):
    """All nodes of a game."""
    yield state
    if not state.is_terminal():
        for action in state.legal_actions():
            yield from nodes(state.child(action))


def test_openspiels_test_passes_for_every_game_variant_and_size(game):
    for variant in game.variants:
        for players in variant.sizes:
            pyspiel.random_sim_test(
                load_game(game.name, players, variant.name), num_sims=1, serialize=True, verbose=False
            )


def test_a_game_is_loaded_again_by_its_string():
    options = {"hearts": None, "tricks": [1, 3], "max_card": 5}
    game = load_game("black_jacky", 3, "schnell_duell", chance_outcomes=9, **options)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    assert again.num_players() == 3
    assert again.rules.options == game.rules.options
    assert again.rules.options["tricks"] == [1, 3]
    assert again.rules.options["hearts"] == 3
    assert str(played(again, 1)) == str(played(game, 1))
    assert pyspiel.load_game("blackjacky").num_players() == get_game(DEFAULT).default_players


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"game": "chess"}, "unknown game"),
        ({"num_players": 9}, "num_players=9 is out of range"),
        ({"colour": 1}, r"got an unexpected keyword argument 'colour': unknown option colour"),
        ({"chance_outcomes": 0}, "chance_outcomes=0"),
        ({"chance_outcomes": 10**8}, r"chance_outcomes=100000000 is out of range; allowed are 1 \.\. 400000"),
        ({"cards": "1 2 3"}, "cards='1 2 3' is unknown; allowed are '', 'all'"),
        ({"cards": "all"}, "distinct orders; allowed are 400,000"),
        ({"table": "mini-0"}, "table='mini-0' is unknown; allowed are 'mini-1'"),
    ],
    ids=str,
)
def test_what_cannot_be_played_is_refused_with_what_can(options, said):
    with pytest.raises((TypeError, ValueError), match=said):
        load_game(**options)
    with pytest.raises(ValueError, match="options='null' is no JSON object"):
        pyspiel.load_game("blackjacky(options=null)")


def test_openspiels_playthrough_runs_and_what_is_not_offered_is_no_observer():
    from open_spiel.python.algorithms.generate_playthrough import playthrough

    game, kinds = load_game(table="mini-1", chance_outcomes=2), pyspiel.PrivateInfoType
    assert "InformationStateTensorShape() = [1488]" in playthrough(str(game), None, seed=1)
    for public, private in ((True, kinds.NONE), (False, kinds.SINGLE_PLAYER), (True, kinds.ALL_PLAYERS)):
        assert make_observation(game, pyspiel.IIGObservationType(public, False, private)) is None


@pytest.mark.parametrize("options", [{}, {"table": "mini-1", "cards": "all"}, {"table": "mini-3"}], ids=str)
def test_a_state_is_written_as_its_actions_and_both_ways_back_lead_to_the_same_position(options):
    game = load_game("black_jacky", **options)
    for seed, decisions in enumerate((0, 1, 5, 10**6)):
        state = played(game, seed, decisions)
        assert state.serialize() == "".join(f"{action}\n" for action in state.history())
        loaded, other = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        assert str(loaded) == str(game)
        for again in (other, game.deserialize_state(state.serialize())):
            assert (str(again), again.history(), again.returns()) == (str(state), state.history(), state.returns())
            assert again._keys.tobytes() == state._keys.tobytes()
            assert again._records.tobytes() == state._records.tobytes()


def test_no_way_into_a_state_runs_what_a_text_from_elsewhere_says(tmp_path):
    game, ran = load_game("black_jacky", 2), tmp_path / "ran"
    pickled = base64.b64encode(f"cos\nmkdir\n(V{ran}\ntR.".encode()).decode()  # calls os.mkdir when it is loaded
    attack = f"history=-1:0\nmove_number=1\n__dict__={pickled}"
    for text in (attack, "0", "0\n\n", "0\n99\n", "-1\n", "1000\n", "\u0663\n", "0\n" * 10**4, "9" * 10**4 + "\n"):
        with pytest.raises(ValueError, match=r"is no state|is not legal here|out of range"):
            game.deserialize_state(text)
    for name in (game, f"misere(game={game})"):
        with pytest.raises(ValueError, match="hold no pickle"):
            pyspiel.deserialize_game_and_state(f"[Meta]\nVersion: 1\n\n[Game]\n{name}\n[State]\n{attack}\n")
    assert not ran.exists()
    with contextlib.suppress(TypeError):
        pyspiel.Game.deserialize_state(game, attack)  # OpenSpiel's own, as SECURITY.md says
    assert ran.exists()


def test_states_of_other_games_and_of_games_around_ours_are_openspiels():
    for name in ("kuhn_poker()", f"misere(game={load_game('black_jacky', 2)})"):
        game = pyspiel.load_game(name)
        text = pyspiel.serialize_game_and_state(game, game.new_initial_state().child(1))
        assert pyspiel.deserialize_game_and_state(text)[1].history() == [1]


def test_the_six_card_game_has_17077_nodes_of_which_60_are_deals():
    game = six_cards()
    assert len(game.new_initial_state().chance_outcomes()) == len(set(permutations(ALL_SIX))) == 60
    assert sum(1 for _ in nodes(game.new_initial_state())) == 17_077  # with the chance node


def test_every_outcome_of_a_small_deck_is_the_game_that_reset_rigs():
    game, env = six_cards(), TableEnv("black_jacky", num_players=2, **SIX_CARDS)
    for outcome, deck in enumerate(sorted(set(permutations(ALL_SIX)))):
        state, rng = game.new_initial_state(), np.random.default_rng(outcome)
        state.apply_action(outcome)
        env.reset(seed=0, options={"deck": list(deck), "start_player": 0})
        while not state.is_terminal():
            player = state.current_player()
            seen = env.observe(f"player_{player}")
            np.testing.assert_array_equal(state.observation_tensor(player), seen["observation"])
            for seat, agent in enumerate(env.possible_agents):
                recalled = state.information_state_tensor(seat)
                np.testing.assert_array_equal(recalled, env.information_state_vector(agent))
            assert state.legal_actions() == np.flatnonzero(seen["action_mask"]).tolist()
            action = int(rng.choice(state.legal_actions()))
            assert state.action_to_string(player, action) == env.action_name(action)
            state.apply_action(action)
            env.step(action)
        assert state.returns() == list(env.rewards.values())


def test_nothing_is_shuffled_but_at_chance_nodes(game):
    """With another key every action leads to the same table, unless there is a chance node."""
    rng = np.random.default_rng(1)
    state, chances = load_game(game.name, chance_outcomes=5).new_initial_state(), 0
    while not state.is_terminal():
        chances += state.is_chance_node()
        other = state.clone()
        if not state.is_chance_node():
            other._records["key"] ^= np.uint64(12345)
        action = int(rng.choice(state.legal_actions()))
        state.apply_action(action)
        other.apply_action(action)
        assert str(other) == str(state)
    assert chances > 0


def test_reshuffled_cards_are_equally_likely_to_be_drawn():
    """Also where some of their kind are elsewhere, as at `mini-3`."""
    game, draw, met = load_game(table="mini-3", cards="all", start_player=0), 30, 0
    assert game.rules.game.words.actions.name(draw) == "draw"
    for seed in range(300):
        state, rng = game.new_initial_state(), np.random.default_rng(seed)
        while not state.is_terminal():
            if state.is_chance_node() and state._pending == draw and not state._records["draw_count"][0]:
                before, seat = state._records.copy(), int(state._records["player"][0])
                expected = before["discards"][0].astype(float)
                expected[before["discard_top"][0]] -= 1
                drawn = np.zeros(len(expected))
                for outcome, chance in state.chance_outcomes():
                    drawn += chance * (state.child(outcome)._records["hands"][0] - before["hands"][0])[seat]
                assert drawn == pytest.approx(expected / max(expected.sum(), 1))
                met += np.count_nonzero(expected) > 1
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert met


@pytest.mark.parametrize("number", [-(2**62), -(2**31), -5, 5, 61, 1000, 2**31 - 1, 2**62])
def test_players_actions_and_outcomes_that_do_not_exist_are_refused(number):
    game = load_game("black_jacky", 2)
    start = game.new_initial_state()
    for state in (start, start.child(0), played(game, 0)):
        if number not in state.legal_actions():
            with pytest.raises(ValueError, match=r"out of range|not legal"):
                state.clone().apply_action(number)
        for observer in (game.make_py_observer(), make_observation(game, INFO_STATE_OBS_TYPE)):
            for ask in (observer.set_from, observer.string_from):
                with pytest.raises(ValueError, match=r"allowed are 0 \.\. 1"):
                    ask(state, number)
        assert state.legal_actions(number) == []
        with pytest.raises((ValueError, TypeError)):
            state.resample_from_infostate(number, pyspiel.UniformProbabilitySampler(0.0, 1.0))


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -0.5, 2.0])
def test_a_sampler_that_returns_no_probability_is_refused(number):
    with pytest.raises(ValueError, match=r"sampler\(\)=.* is out of range; allowed are 0 \.\. 1"):
        played(load_game("black_jacky", 2), 0, 1).resample_from_infostate(0, lambda: number)


def test_what_is_resampled_looks_the_same_to_the_player_and_other_cards_differ(game):
    sampler, spiel_game, differ = pyspiel.UniformProbabilitySampler(0.0, 1.0), load_game(game.name), 0
    for seed in range(12):
        state = played(spiel_game, seed, decisions=seed)
        if state.is_terminal():
            continue
        for player in range(spiel_game.num_players()):
            other = state.resample_from_infostate(player, sampler)
            assert other.current_player() == state.current_player()
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            differ += str(other) != str(state)
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
                assert other.clone().child(other.legal_actions()[0]).returns() is not None
    assert differ >= 5  # the tiny game of the tests ends soon


def test_a_resampled_state_recalls_what_its_player_has_heard_and_nothing_that_the_others_have():
    state, size = played(six_cards(), 1, decisions=2), get_game("black_jacky").layout.size
    other = state.resample_from_infostate(0, pyspiel.UniformProbabilitySampler(0.0, 1.0))
    assert other.information_state_tensor(0) == state.information_state_tensor(0)
    assert any(state.information_state_tensor(1)[size:])
    assert not any(other.information_state_tensor(1)[size:])
    with pytest.raises(ValueError, match="a resampled state has no history"):
        other.clone().serialize()


def test_deep_cfr_plays_by_what_a_player_knows_or_is_told_that_the_table_is_too_large():
    from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

    game, large = six_cards(), load_game("black_jacky", 2)
    sizes = {"num_iterations": 1, "num_traversals": 1, "memory_capacity": 100}
    solver = DeepCFRSolver(game, (8,), (8,), **sizes)
    solver.solve()
    one, *_, other = [
        state for state in map(game.new_initial_state().child, range(60)) if state.legal_actions() == [0, 1]
    ]
    assert one.information_state_string(0) != other.information_state_string(0)
    assert solver.action_probabilities(one) != solver.action_probabilities(other)
    ask = large.new_initial_state().child(0).information_state_tensor
    for asked in (large.information_state_tensor_shape, large.information_state_tensor_size, ask):
        with pytest.raises(ValueError, match=r"no information state tensor: .* choose a smaller table"):
            asked()
    with pytest.raises(ValueError, match="no information state tensor"):
        DeepCFRSolver(large, **sizes)


def test_the_example_runs():
    pytest.importorskip("tree")  # of OpenSpiel's NFSP
    from examples import openspiel_algorithms as example

    assert example.solve(1)[-1] < 2.0
    found = example.search(load_game("black_jacky", num_players=2, hearts=1), simulations=20, games=4, seed=0)
    assert list(found) == ["MCTS", "IS-MCTS"]
    assert -1 <= example.learn(example.small_game(), episodes=20, seed=0) <= 1
