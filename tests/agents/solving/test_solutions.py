"""Solutions as files and agents, agents that are asked everywhere, and runs that stop and go on."""

from __future__ import annotations

import copy
import json
import pickle
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest

from blackjacky_agents import files, make_agent
from blackjacky_agents.agent import AgentError, CompiledAgent, asked, shown_to
from blackjacky_agents.arena import table as arena
from blackjacky_agents.arena.evaluation import at_one_table
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.files import next_of
from blackjacky_agents.search.hints import Adviser
from blackjacky_agents.solving import cfr, sampled
from blackjacky_agents.solving.asking import ask_everywhere
from blackjacky_agents.solving.cfr import Solver
from blackjacky_agents.solving.run import Limits, SolveSettings, SolvingRun, read_progress, read_settings
from blackjacky_agents.solving.solution import (
    SolvedAgent,
    find_solution,
    load_solution,
    policy_of,
    save_solution,
    strategies_of,
)
from blackjacky_agents.solving.strategies import Worth, uniform, worth_of
from blackjacky_agents.thoughts import explain
from blackjacky_agents.thoughts import play as play_on
from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.table import Table as WebTable
from blackjacky_env.engine.compiling import compiled
from blackjacky_env.engine.random import below, draw
from tests.agents.solving.tables import SIX_CARDS, environment, table, tree, with_poker


def solution(name: str, iterations: int = 200) -> SolvedAgent:
    solver = Solver(tree(name))
    solver.run(iterations)
    policy = policy_of(tree(name), solver.average())
    return SolvedAgent(f"solved:{name}", table(name).game.name, policy, table(name).identity())


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The arrays of a saved solution."""
    path = tmp_path / "solution.safetensors"
    save_solution(path, solution("six").policy, table("six"), iterations=200)
    return path


# ---------------------------------------------------------------- files


def test_a_solution_is_loaded_as_it_was_saved(saved: Path) -> None:
    agent = load_solution(str(saved))
    assert agent.name == f"solved:{saved}"
    assert agent.card["options"]["max_card"] == 3
    for one, other in zip(agent.policy, solution("six").policy, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_solution_is_found_by_file_folder_and_name(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(saved.parent)
    folder = Path("runs/solved/black_jacky/six")
    folder.mkdir(parents=True)
    for end in (".safetensors", ".json"):
        saved.with_suffix(end).rename(folder / f"solution{end}")
    names = ("six", str(folder), str(folder / "solution.safetensors"))
    assert {find_solution(name, "black_jacky") for name in names} == {folder / "solution.safetensors"}
    assert make_agent("solved:six").name == "solved:six"
    with pytest.raises(ValueError, match=r"there is no solution at 'seven' or 'runs/solved/black_jacky/seven'"):
        make_agent("solved:seven")


def test_a_damaged_solution_and_one_of_another_game_are_refused(saved: Path) -> None:
    with pytest.raises(ValueError, match="is for game='black_jacky', not for 'black_spy'"):
        load_solution(str(saved), "black_spy")
    card = json.loads(saved.with_suffix(".json").read_text("utf-8"))
    saved.with_suffix(".json").write_text(json.dumps({**card, "version": 9}), "utf-8")
    with pytest.raises(ValueError, match="is for version=9, not for 0"):
        load_solution(str(saved))
    saved.with_suffix(".json").write_text(json.dumps(card), "utf-8")
    saved.write_bytes(saved.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"is damaged: solution.safetensors does not match the checksum"):
        load_solution(str(saved))
    saved.with_suffix(".json").unlink()
    with pytest.raises(ValueError, match=r"the card .* is missing or damaged"):
        load_solution(str(saved))


@pytest.mark.parametrize("stopped_at", ["write_file", "write_json", "the end"])
def test_a_solution_whose_saving_is_interrupted_is_the_old_one_or_the_new_one(saved: Path, stopped_at: str) -> None:
    old, iterations = saved.read_bytes(), 200
    if stopped_at == "the end":
        save_solution(saved, solution("six", 3).policy, table("six"), iterations=(iterations := 3))
        saved.rename(next_of(saved))
        saved.write_bytes(old)
    else:
        stop = mock.patch.object(files, stopped_at, side_effect=KeyboardInterrupt)
        with stop, pytest.raises(KeyboardInterrupt):
            save_solution(saved, solution("six", 3).policy, table("six"), iterations=3)
    agent = load_solution(str(saved))
    assert agent.card["iterations"] == iterations
    np.testing.assert_array_equal(agent.policy.chances, solution("six", iterations).policy.chances)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("chances", lambda chances: chances * 2),
        ("chances", lambda chances: -chances),
        ("chances", lambda chances: chances * np.float32("nan")),
        ("chances", lambda chances: chances.astype(np.float64)),
        ("actions", lambda actions: actions + np.int16(61)),
        ("actions", lambda actions: actions[:-1]),
        ("first", lambda first: first[::-1].copy()),
        ("first", lambda first: first[:-1]),
        ("keys", lambda keys: keys[::-1].copy()),
        ("keys", lambda keys: keys[:, :1].copy()),
    ],
)
def test_arrays_that_contradict_each_other_are_refused(saved: Path, name: str, change: Any) -> None:
    policy = solution("six").policy
    save_solution(saved, policy._replace(**{name: change(getattr(policy, name))}), table("six"))
    with pytest.raises(ValueError, match="its arrays contradict each other"):
        load_solution(str(saved))


# ---------------------------------------------------------------- an agent like any other


def test_it_plays_the_solution_in_every_seat_and_start() -> None:
    """Keys are those of the tree although here anybody may start; tables in the terminal ask it with them, too."""
    env, agent, decisions = environment("six"), solution("six"), 0
    for seed in range(40):
        env.reset(seed=seed)
        agent.reset(seed)
        while not env.terminations[env.agent_selection]:
            seat = env.agent_selection
            shown = shown_to([agent], env, seat)
            thoughts = explain(agent, shown)
            assert thoughts is not None
            assert thoughts.probabilities.sum() == pytest.approx(1.0)
            action = asked(agent, env)()
            assert thoughts.probabilities[action] > 0
            decisions += 1
            env.step(action)
    assert decisions > 100


def test_the_same_seed_gives_the_same_actions_and_copies_are_faithful() -> None:
    env, agent = environment("leduc"), solution("leduc", 5)
    env.reset(seed=1)
    shown = shown_to([agent], env, env.agent_selection)
    agent.reset(3)
    first = [agent.act(shown) for _ in range(30)]
    agent.reset(3)
    assert [copy.deepcopy(agent).act(shown) for _ in range(30)] == [first[0]] * 30
    assert [pickle.loads(pickle.dumps(agent)).act(shown)] == first[:1]
    assert [agent.act(shown) for _ in range(30)] == first
    assert len(set(first)) > 1


def test_it_takes_its_actions_as_often_as_the_solution_says() -> None:
    env, agent = environment("leduc"), solution("leduc", 5)
    env.reset(seed=1)
    shown = shown_to([agent], env, env.agent_selection)
    rows = [np.repeat(shown[name][None], 20_000, axis=0) for name in ("observation", "action_mask", "information_key")]
    agent.reset(0)
    counts = np.bincount(agent.act_batch(*rows), minlength=3) / 20_000
    np.testing.assert_allclose(counts, agent.probabilities(*rows)[0], atol=0.015)


def test_it_says_what_it_lacks_and_which_table_it_is_for() -> None:
    env, agent = environment("six"), solution("six")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"needs to know what its seat recalls: pass env.information_key\(agent\)"):
        agent.act(env.observe(env.agent_selection))
    with pytest.raises(ValueError, match="needs to know what the seats recall"):
        agent.act_batch(np.zeros((1, 296), np.int8), np.ones((1, 61), np.int8))
    other = environment("reshuffling")
    other.reset(seed=0)
    with pytest.raises(AgentError, match=r"does not know this position: it is for 2 players, .*hand_size=1"):
        agent.act(shown_to([agent], other, other.agent_selection))


def test_one_that_was_sampled_plays_anything_where_it_has_never_been() -> None:
    agent = solution("six")
    agent.card = {**agent.card, "complete": False}
    env = environment("reshuffling")
    env.reset(seed=0)
    shown = shown_to([agent], env, env.agent_selection)
    mask = shown["action_mask"]
    np.testing.assert_allclose(agent.explain(shown).probabilities, mask / mask.sum())


def test_it_plays_in_evaluations_tournaments_and_replays() -> None:
    agent, bot = solution("six"), make_agent("counter")
    scores = at_one_table([agent, bot], 60, **SIX_CARDS)
    assert sum(score.win_rate + score.nobody / 2 for score in scores) == pytest.approx(1.0)
    options = table("six").options
    played = arena.Table("black_jacky", "classic", 2, dict(options), (agent, bot), ((0, 1),), 7, duplicate=True)
    rows = played.play(0, 300)
    assert [played.play(0, 300).actions, rows.actions.count("")] == [rows.actions, 0]
    env = environment("six")
    env.reset(seed=0)
    thoughts = list(play_on(env, {"player_0": agent, "player_1": bot}))
    assert thoughts[0] is not None or thoughts[1] is not None


def test_in_a_batch_of_games_it_is_given_the_keys_of_environments() -> None:
    """Also between moves of compiled agents, which are played without returning to Python."""
    given: list[bytes] = []

    class Noting(SolvedAgent):
        def act_batch(self, observations: Any, masks: Any, keys: Any = None) -> Any:
            given.extend(key.tobytes() for key in keys)
            return super().act_batch(observations, masks, keys)

    agent = Noting("noting", "black_jacky", solution("six").policy, table("six").identity())
    options = dict(table("six").options)
    played = arena.Table("black_jacky", "classic", 2, options, (agent, make_agent("random")), ((0, 1),), 3, True)
    rows, env, expected = played.play(0, 20), environment("six"), []
    for seed, seats, actions in zip(rows.seeds, rows.seats, rows.actions, strict=True):
        env.reset(seed=int(seed))
        for action in arena.decode_actions(actions, 61):
            if seats[int(env.agent_selection[-1])] == 0:
                expected.append(env.information_key(env.agent_selection).tobytes())
            env.step(action)
    assert sorted(given) == sorted(expected)


def test_in_the_browser_it_plays_and_gives_hints_with_its_probabilities(saved: Path) -> None:
    name = f"solved:{saved}"
    played = WebTable("black_jacky", seats_for(["Ann"], [name]), rules=SIX_CARDS, seed=0, hints=[name])
    while played.turn not in played.people:
        played.play(played.thought()())
    hints = played.outlook(0, played.move)()
    assert sum(hint["probability"] for hint in hints) == pytest.approx(1.0)
    assert name in hints[0]["chosen_by"]
    played.act(0, played.move, played.hint(0, played.move, name)())


def test_hints_show_its_probabilities() -> None:
    env, agent = environment("six"), solution("six")
    env.reset(seed=3)
    adviser = Adviser("black_jacky", [agent])
    shown = adviser.look(env, env.agent_selection)
    chances = agent.explain(shown).probabilities
    hints = adviser.hint(env, shown)
    assert {each.action: each.probability for each in hints} == {
        each.action: pytest.approx(chances[each.action]) for each in hints
    }
    likeliest = next(each for each in hints if agent.name in each.chosen_by)
    assert likeliest.action == chances.argmax()


# ---------------------------------------------------------------- asked everywhere


def test_a_solution_is_as_exploitable_as_its_strategies() -> None:
    agent = solution("six", 50)
    found = ask_everywhere(table("six"), agent)
    assert found.how == "probabilities"
    exact = worth_of(tree("six"), strategies_of(tree("six"), agent.policy))
    assert worth_of(tree("six"), found.strategies).exploitability == pytest.approx(exact.exploitability, abs=1e-12)


@compiled
def folds_first(observation, mask, random_state, parameters):  # type: ignore[no-untyped-def]
    """The first legal action."""
    return mask.argmax()


@compiled
def mostly_first(observation, mask, random_state, parameters):  # type: ignore[no-untyped-def]
    """The first legal action in three of four decisions, else the last."""
    if below(draw(random_state, 0), 4) > 0:
        return mask.argmax()
    return len(mask) - 1 - mask[::-1].argmax()


def test_a_deterministic_agent_is_asked_once_and_others_as_often_as_wished() -> None:
    found = ask_everywhere(table("leduc"), CompiledAgent("first", "leduc_poker", folds_first))
    assert found.how == "deterministic"
    assert all(set(own.tolist()) == {0.0, 1.0} for own in found.strategies)
    found = ask_everywhere(table("leduc"), CompiledAgent("mostly", "leduc_poker", mostly_first), samples=400)
    assert found.how == "mean of 400 answers"
    for own, seat in zip(found.strategies, tree("leduc").seats, strict=True):
        np.testing.assert_allclose(own[seat.first[:-1]], 0.75, atol=0.11)


class Stubborn:
    """Always chooses the same action."""

    def __init__(self, action: int) -> None:
        self._action = action

    def act(self, observation: Any) -> int:
        return self._action


class Even(Stubborn):
    """Tells probabilities, which count."""

    def probabilities(self, observations: Any, masks: Any) -> Any:
        return masks / masks.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", ["random", "mine:Even"])
def test_random_and_a_class_of_yours_that_tells_them_are_known_by_their_probabilities(name: str) -> None:
    random = CompiledAgent(name, "leduc_poker", make_agent("random").policy)
    agent = random if name == "random" else PythonAgent(Even(0), name, "leduc_poker")
    found = ask_everywhere(table("leduc"), agent)
    assert found.how == "probabilities"
    for one, other in zip(found.strategies, uniform(tree("leduc")), strict=True):
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("action", [-1, 99])
def test_an_agent_that_chooses_no_action_is_refused(action: int) -> None:
    with pytest.raises(ValueError, match=rf"agent 'my:Own' chooses {action}; allowed are 0 \.\. "):
        ask_everywhere(table("leduc"), PythonAgent(Stubborn(action), "my:Own", "leduc_poker"))


def test_probabilities_that_are_none_are_refused() -> None:
    class Wrong:
        name, game = "wrong", "leduc_poker"

        def __init__(self, chances: Any) -> None:
            self._chances = chances

        def probabilities(self, observations: Any, masks: Any) -> Any:
            return self._chances(masks)

    for chances, said in (
        (lambda masks: masks * 1.0, "do not sum to 1"),
        (lambda masks: np.ones(masks.shape) / 3, "chooses actions that are not legal"),
        (lambda masks: masks[:, :1] * 1.0, "are not numbers from 0 of shape"),
        (lambda masks: masks * np.nan, "are not numbers from 0 of shape"),
        (lambda masks: (masks / masks.sum(axis=1, keepdims=True)).tolist()[:-1], "are not numbers from 0 of shape"),
    ):
        with pytest.raises(ValueError, match=said):
            ask_everywhere(table("leduc"), Wrong(chances))  # type: ignore[arg-type]


# ---------------------------------------------------------------- runs

KUHN = SolveSettings(game="kuhn_poker", players=2, variant="classic")


@pytest.mark.parametrize("algorithm", ["dcfr", "mccfr"])
def test_a_run_that_was_stopped_ends_as_one_that_was_not(algorithm: Any, tmp_path: Path) -> None:
    settings = replace(KUHN, algorithm=algorithm, memory=0.01)
    ends = []
    with with_poker():
        for name, limits in (("whole", [640]), ("parts", [192, 640])):
            for limit in limits:
                (tmp_path / name).mkdir(exist_ok=True)
                run = SolvingRun(settings, tmp_path / name, "command")
                assert run.prepare() == []
                run.solve(Limits(iterations=limit))
            ends.append(load_solution(str(tmp_path / name), "kuhn_poker").policy)
            lines = read_progress(tmp_path / name)
            assert lines[-1]["iterations"] == 640
            assert [line["iterations"] for line in lines] == sorted({line["iterations"] for line in lines})
            assert lines[-1]["exploitability"] < lines[0]["exploitability"]
    for one, other in zip(*ends, strict=True):
        np.testing.assert_array_equal(one, other)
    assert read_settings(tmp_path / "whole") == (settings, "command")


def test_a_run_ends_when_it_is_close_enough(tmp_path: Path) -> None:
    shown: list[Worth | None] = []
    with with_poker():
        run = SolvingRun(KUHN, tmp_path, "command")
        run.prepare()
        run.solve(Limits(exploitability=0.01), lambda run: shown.append(run.worth))
    assert shown[0] is None, "what it does is shown before the first evaluation, which may take minutes"
    assert run.worth is not None
    assert run.worth.exploitability <= 0.01
    card = json.loads((tmp_path / "solution.json").read_text("utf-8"))
    assert (card["nodes"], card["information_states"], card["complete"]) == (54, 12, True)
    assert card["exploitability"] == run.worth.exploitability


@pytest.mark.parametrize(("algorithm", "work"), [("cfr+", (cfr, "_iterate_here")), ("mccfr", (sampled, "add_log"))])
def test_ctrl_c_in_the_middle_of_iterations_leaves_a_checkpoint_after_whole_ones(
    algorithm: Any, work: tuple[ModuleType, str], tmp_path: Path
) -> None:
    settings, ends = replace(KUHN, algorithm=algorithm, memory=0.01), []
    with with_poker():
        for name in ("whole", "parts"):
            (tmp_path / name).mkdir()
            run = SolvingRun(settings, tmp_path / name, "command")
            run.prepare()
            if name == "parts":
                with mock.patch.object(*work, interrupted(getattr(*work))), pytest.raises(KeyboardInterrupt):
                    run.solve(Limits(iterations=320))
                assert 0 < run.solver.iterations < 320
                run = SolvingRun(settings, tmp_path / name, "command")
                run.prepare()
                assert 0 < run.solver.iterations < 320
            run.solve(Limits(iterations=320))
            ends.append(load_solution(str(tmp_path / name), "kuhn_poker").policy)
    for one, other in zip(*ends, strict=True):
        np.testing.assert_array_equal(one, other)


def interrupted(work: Callable[..., object]) -> Callable[..., None]:
    """The signal comes while compiled code is at work, and Python hears of it when that returns."""

    def work_and_stop(*arguments: object) -> None:
        work(*arguments)
        signal.raise_signal(signal.SIGINT)

    return work_and_stop


def test_a_run_whose_limit_has_been_reached_still_knows_how_close_it_is(tmp_path: Path) -> None:
    with with_poker():
        for _ in range(2):
            run = SolvingRun(KUHN, tmp_path, "command")
            run.prepare()
            run.solve(Limits(iterations=8))
            card = json.loads((tmp_path / "solution.json").read_text("utf-8"))
            assert run.worth is not None
            assert (card["iterations"], card["exploitability"]) == (8, run.worth.exploitability)


def test_a_cut_line_of_progress_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "progress.jsonl").write_text('{"iterations": 1}\n{"iterat', "utf-8")
    assert read_progress(tmp_path) == [{"iterations": 1}]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"settings": {"game": "kuhn_poker", "colour": 1}, "command": ""}', "utf-8")
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ValueError, match="there is no run of a solver in"):
            read_settings(folder)
