"""Solutions as files and agents, agents that are asked everywhere, and runs that stop and go on."""

import copy
import json
import pickle
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.agent import AgentError, CompiledAgent, asked, shown_to
from blackjacky_agents.arena import fixture as arena
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.search.explaining import explain
from blackjacky_agents.solving.asking import ask_views
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.sampled import SampledSolver
from blackjacky_agents.solving.solution import SolvedAgent, find_solution, load_solution, policy_of, save_solution
from blackjacky_agents.solving.solving_run import Limits, SolveSettings, SolvingRun, read_settings
from blackjacky_agents.solving.strategies import uniform, worth_of
from blackjacky_env.compiled.compiling import compiled
from blackjacky_env.compiled.random import below, draw
from tests.agents.solving.tables import environment, table, tree, views_of, with_examples
from tests.policies import first_legal

pytestmark = pytest.mark.prove


def solution(name, iterations=200):
    solver = Solver(tree(name))
    solver.run(iterations)
    policy = policy_of(tree(name), solver.average())
    return SolvedAgent(f"solved:{name}", table(name).game.name, policy, table(name).identity())


@pytest.fixture
def saved(tmp_path):
    """The arrays of a saved solution."""
    path = tmp_path / "solution.safetensors"
    save_solution(path, solution("six").policy, table("six"), iterations=200)
    return path


def test_a_solution_is_loaded_as_it_was_saved_by_file_folder_and_name(saved, monkeypatch):
    agent = load_solution(str(saved))
    assert (agent.name, agent.card["options"]["max_card"]) == (f"solved:{saved}", 3)
    for one, other in zip(agent.policy, solution("six").policy, strict=True):
        np.testing.assert_array_equal(one, other)
    monkeypatch.chdir(saved.parent)
    folder = Path("runs/solved/black_jacky/six")
    folder.mkdir(parents=True)
    for end in (".safetensors", ".json"):
        saved.with_suffix(end).rename(folder / f"solution{end}")
    for name in ("six", str(folder), str(folder / "solution.safetensors")):
        assert find_solution(name, "black_jacky") == folder / "solution.safetensors"
    with pytest.raises(ValueError, match="there is no solution at 'seven'"):
        make_agent("solved:seven")


def test_a_damaged_solution_one_of_another_game_and_arrays_that_contradict_each_other_are_refused(saved):
    def refused(said, game="black_jacky"):
        with pytest.raises(ValueError, match=said):
            load_solution(str(saved), game)

    refused("is for game='black_jacky', not for 'black_spy'", "black_spy")
    policy = solution("six").policy
    for name, wrong in [
        ("chances", policy.chances * 2),
        ("chances", -policy.chances),
        ("chances", policy.chances * np.float32("nan")),
        ("chances", policy.chances.astype(np.float64)),
        ("actions", policy.actions + np.int16(61)),
        ("actions", policy.actions[:-1]),
        ("first", policy.first[::-1].copy()),
        ("first", policy.first[:-1]),
        ("first", np.array([0, 2**62 + 2, -(2**62) - 2, *policy.first[3:]])),  # whose differences overflow
        ("keys", policy.keys[::-1].copy()),
        ("keys", policy.keys[:, :1].copy()),
    ]:
        save_solution(saved, policy._replace(**{name: wrong}), table("six"))
        refused("its arrays contradict each other")
    path = saved.with_suffix(".json")
    card = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**card, "version": 9}), "utf-8")
    refused("is for version=9, not for 0")
    path.write_text(json.dumps({**card, "num_players": 10**9}), "utf-8")
    refused("the card .* is damaged: num_players=1000000000 is out of range")
    path.write_text(json.dumps(card), "utf-8")
    saved.write_bytes(saved.read_bytes()[:-1])
    refused("is damaged: solution.safetensors does not match the checksum")
    path.unlink()
    refused("the card .* is missing or damaged")


def test_it_plays_the_solution_in_every_seat_and_start():
    """Keys are those of the tree although here anybody may start; tables in the terminal ask it with them, too."""
    env, agent = environment("six"), solution("six")
    for seed in range(40):
        env.reset(seed=seed)
        agent.reset(seed)
        while not env.terminations[env.agent_selection]:
            thoughts, action = explain(agent, shown_to([agent], env, env.agent_selection)), asked(agent, env)()
            assert thoughts is not None
            assert thoughts.probabilities.sum() == pytest.approx(1.0)
            assert thoughts.probabilities[action] > 0
            env.step(action)


def test_the_same_seed_gives_the_same_actions_and_copies_are_faithful():
    env, agent = environment("kuhn"), solution("kuhn", 5)
    env.reset(seed=1)
    shown = shown_to([agent], env, env.agent_selection)
    agent.reset(3)
    first = [agent.act(shown) for _ in range(30)]
    agent.reset(3)
    assert [copied.act(shown) for copied in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent)))] == [first[0]] * 2
    assert [agent.act(shown) for _ in range(30)] == first
    assert len(set(first)) > 1
    rows = [np.repeat(shown[name][None], 20_000, axis=0) for name in ("observation", "action_mask", "information_key")]
    chances = agent.probabilities(*rows)[0]
    counts = np.bincount(agent.act_batch(*rows), minlength=len(chances)) / 20_000
    np.testing.assert_allclose(counts, chances, atol=0.015)


def test_it_says_what_it_lacks_and_which_table_it_is_for_and_one_that_was_sampled_plays_anything_elsewhere():
    env, other, agent = environment("six"), environment("reshuffling"), solution("six")
    for each in (env, other):
        each.reset(seed=0)
    with pytest.raises(ValueError, match=r"needs to know what its seat recalls: pass env.information_key\(agent\)"):
        agent.act(env.observe(env.agent_selection))
    shown = shown_to([agent], other, other.agent_selection)
    with pytest.raises(AgentError, match=r"does not know this position: it is for 2 players, .*hand_size=1"):
        agent.act(shown)
    agent.card = {**agent.card, "complete": False}
    mask = shown["action_mask"]
    np.testing.assert_allclose(agent.explain(shown).probabilities, mask / mask.sum())


def test_in_a_batch_of_games_it_is_given_the_keys_of_environments():
    """Also between moves of compiled agents, which are played without returning to Python."""
    agents, options = (solution("six"), make_agent("random")), dict(table("six").options)
    with mock.patch.object(SolvedAgent, "act_batch", autospec=True, side_effect=SolvedAgent.act_batch) as given:
        played = arena.LineupFixture("black_jacky", "classic", 2, options, agents, 3, ((0, 1),), True)
        results = played.play(0, 20)
    env, expected = environment("six"), []
    moves = np.split(results.actions, results.starts[1:-1])
    for seed, seats, actions in zip(*played.schedule(0, 20), moves, strict=True):
        env.reset(seed=int(seed))
        for action in actions.tolist():
            if seats[int(env.agent_selection[-1])] == 0:
                expected.append(env.information_key(env.agent_selection).tobytes())
            env.step(action)
    assert sorted(key.tobytes() for call in given.call_args_list for key in call.args[3]) == sorted(expected)


def test_a_solution_is_as_exploitable_as_its_strategies_and_who_tells_probabilities_is_known_by_them():
    solver = Solver(tree("six"))
    solver.run(50)
    found, exact = ask_views(views_of("six"), solution("six", 50)), worth_of(tree("six"), solver.average())
    assert worth_of(tree("six"), found.strategies).exploitability == pytest.approx(exact.exploitability, abs=1e-6)
    leduc = views_of("leduc")  # which makes the game known
    random = CompiledAgent("random", "leduc_poker", make_agent("random").policy)
    for each in (random, own(chances=even)):
        told = ask_views(leduc, each)
        assert found.how == told.how == "probabilities"
        for one, other in zip(told.strategies, uniform(tree("leduc")), strict=True):
            np.testing.assert_allclose(one, other)


@compiled
def mostly_first(observation, mask, random_state, parameters):
    """The first legal action in three of four decisions, else the last."""
    if below(draw(random_state, 0), 4) > 0:
        return mask.argmax()
    return len(mask) - 1 - mask[::-1].argmax()


def test_a_deterministic_agent_is_asked_once_and_others_as_often_as_wished():
    found = ask_views(views_of("leduc"), CompiledAgent("first", "leduc_poker", first_legal))
    assert found.how == "deterministic"
    assert all(set(own.tolist()) == {0.0, 1.0} for own in found.strategies)
    found = ask_views(views_of("leduc"), CompiledAgent("mostly", "leduc_poker", mostly_first), samples=400)
    assert found.how == "mean of 400 answers"
    for own, seat in zip(found.strategies, tree("leduc").seats, strict=True):
        np.testing.assert_allclose(own[seat.first[:-1]], 0.75, atol=0.11)


def own(act=None, chances=None):
    """An agent that always chooses the same action, or tells probabilities, which count."""
    telling = {} if chances is None else {"probabilities": lambda observations, masks: chances(masks)}
    return PythonAgent(SimpleNamespace(act=lambda observation: act, **telling), "my:Own", "leduc_poker")


def even(masks):
    return masks / masks.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        *((own(action), f"agent 'my:Own' chooses {action}; allowed are 0") for action in (-1, 99)),
        (own(chances=lambda masks: masks * 1.0), "do not sum to 1"),
        (own(chances=lambda masks: np.ones(masks.shape) / 3), "chooses actions that are not legal"),
        (own(chances=lambda masks: masks[:, :1] * 1.0), "are not numbers from 0 of shape"),
        (own(chances=lambda masks: masks * np.nan), "are not numbers from 0 of shape"),
        (own(chances=lambda masks: even(masks).tolist()[:-1]), "are not numbers from 0 of shape"),
    ],
)
def test_what_is_no_action_and_no_probability_is_refused(agent, said):
    with pytest.raises(ValueError, match=said):
        ask_views(views_of("leduc"), agent)


KUHN = SolveSettings(game="kuhn_poker", players=2, variant="classic")


def begun(folder, settings=KUHN):
    folder.mkdir(exist_ok=True)
    run = SolvingRun(settings, folder, "command")
    assert run.begin() == []
    return run


@pytest.mark.parametrize(("algorithm", "solver"), [("cfr+", Solver), ("mccfr", SampledSolver)])
def test_a_run_that_was_stopped_or_interrupted_ends_as_one_that_was_not(algorithm, solver, tmp_path):
    settings, ends = replace(KUHN, algorithm=algorithm, memory=0.01), []
    with with_examples():
        for name, limits in (("whole", [640]), ("parts", [192, 640]), ("interrupted", [640])):
            folder = tmp_path / name
            if name == "interrupted":
                run, real = begun(folder, settings), solver.run

                def run_and_stop(*arguments, real=real):
                    real(*arguments)
                    signal.raise_signal(signal.SIGINT)  # of which Python hears when compiled code returns

                with mock.patch.object(solver, "run", run_and_stop), pytest.raises(KeyboardInterrupt):
                    run.solve(Limits(iterations=640))
                assert 0 < begun(folder, settings).solver.iterations == run.solver.iterations < 640
            for limit in limits:
                begun(folder, settings).solve(Limits(iterations=limit))
            ends.append(load_solution(str(folder), "kuhn_poker").policy)
    for end in ends[1:]:
        for one, other in zip(ends[0], end, strict=True):
            np.testing.assert_array_equal(one, other)
    assert read_settings(tmp_path / "whole") == (settings, "command")


def test_a_run_ends_when_it_is_close_enough(tmp_path):
    shown = []
    with with_examples():
        run = begun(tmp_path)
        run.solve(Limits(exploitability=0.01), lambda run: shown.append(run.worth))
        iterations = run.solver.iterations
        again = begun(tmp_path)  # its limit has been reached; it still knows how close it is
        again.solve(Limits(iterations=iterations))
    assert shown[0] is None, "what it does is shown before the first evaluation, which may take minutes"
    assert run.worth is not None
    assert again.worth == run.worth
    assert run.worth.exploitability <= 0.01
    card = json.loads((tmp_path / "solution.json").read_text("utf-8"))
    assert (card["nodes"], card["information_states"], card["complete"]) == (54, 12, True)
    assert (card["iterations"], card["exploitability"]) == (iterations, run.worth.exploitability)
