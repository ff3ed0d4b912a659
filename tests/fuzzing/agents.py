"""Targets of agents: cards, weights, solutions, checkpoints, settings of runs, answers of programs and models."""

import json
from functools import cache
from hashlib import sha256
from queue import SimpleQueue
from types import SimpleNamespace

import numpy as np

from blackjacky_agents.agent import AgentError
from blackjacky_agents.external.subprocess_agent import SubprocessAgent, _Process
from blackjacky_agents.games import encodings_of
from blackjacky_agents.language.answers import answer_in, find_action
from blackjacky_agents.learning.folders import read_config, write_config
from blackjacky_agents.learning.stored_settings import check_at_game, presets_of
from blackjacky_agents.networks.agent_file import read_network, save_agent
from blackjacky_agents.solving.small_table import SmallTable
from blackjacky_agents.solving.solution import TabularPolicy, load_solution, look_up, save_solution
from blackjacky_agents.storage.checkpoint import load_checkpoint, save_checkpoint
from blackjacky_env.games import DEFAULT, get_game
from tests.agents.positions import random_layers
from tests.fuzzing.target import Target, folder, written


@cache
def _agent():
    encoding, path = next(iter(encodings_of(DEFAULT).values())), folder() / "small.safetensors"
    layers = random_layers(encoding.size, 2, outputs=get_game(DEFAULT).num_actions)
    save_agent(path, layers, DEFAULT, encoding)
    return path.read_bytes(), path.with_suffix(".json").read_bytes()


def _sealed(card, weights):
    """The card with the checksum of whatever the weights are: whoever changes them can write that, too."""
    return json.dumps({**json.loads(card), "sha256": sha256(weights).hexdigest()}).encode()


def _load(weights, card):
    written("agent.json", card)
    read_network(written("agent.safetensors", weights), DEFAULT)


@cache
def _solution():
    table, path = SmallTable.of(DEFAULT), folder() / "solved.safetensors"
    keys = np.array([[1, 2], [3, 4]], np.uint64)
    chances = np.array([0.5, 0.5, 1.0], np.float32)
    save_solution(path, TabularPolicy(keys, np.array([0, 2, 3]), np.array([0, 47, 3], np.int16), chances), table)
    return path.read_bytes(), path.with_suffix(".json").read_bytes()


def _load_solution(data):
    """What is loaded is also looked up."""
    written("solution.json", _sealed(_solution()[1], data))
    policy = load_solution(str(written("solution.safetensors", data)), DEFAULT).policy
    look_up(policy.keys, np.array([[3, 4]], np.uint64))


def _load_checkpoint(data):
    """Its checksum is right for whatever it holds, if that is JSON."""
    arrays, state = data.split(b"\n{", 1) if b"\n{" in data else (data, b"")
    try:
        held = json.loads(b"{" + state)
        held["sha256"] = sha256(arrays + json.dumps(held, sort_keys=True).encode()).hexdigest()
        state = json.dumps(held).encode()
    except (ValueError, RecursionError):
        state = b"{" + state
    written("loaded/step_1/arrays.safetensors", arrays)
    written("loaded/step_1/state.json", state)
    load_checkpoint(folder() / "loaded")


def _checkpoints():
    """The arrays of a checkpoint, a line break, and its state without the checksum."""
    arrays = {"a": np.zeros((2, 3), np.float32), "b": np.arange(4)}
    generator = np.random.default_rng(0).bit_generator.state
    state = {"steps": 5, "seconds": 1.5, "pool": [{"name": "a"}], "generator": generator}
    path = save_checkpoint(folder() / "saved", 5, arrays, state)
    return [(path / "arrays.safetensors").read_bytes() + b"\n" + json.dumps(state).encode()]


def _runs():
    run, made = written("settings/config.json", b"").parent, []
    for settings in presets_of(DEFAULT).values():
        write_config(run, settings, "train")
        made.append((run / "config.json").read_bytes())
    return made


def _read_run(data):
    check_at_game(read_config(written("settings/config.json", data).parent)[0])


def _answer(data):
    """A program that has said hello answers the question for a move with this."""
    game, agent, process = get_game(DEFAULT), SubprocessAgent("true", DEFAULT), _Process.__new__(_Process)
    process._name, process._lines, process.end = agent.name, SimpleQueue(), lambda: None
    said = SimpleNamespace(write=lambda _: process._lines.put(data.partition(b"\n")[0]), flush=lambda: None)
    process._program, agent._process = SimpleNamespace(stdin=said, returncode=0), process
    mask = (np.arange(game.num_actions) < 3).astype(np.int8)
    agent.act({"observation": np.zeros(game.layout.size, game.layout.dtype), "action_mask": mask})


def _answers():
    actions = (0, get_game(DEFAULT).words.actions.name(1), 2)
    return [json.dumps({"action": action, "why": [1, {"a": 2}]}).encode() for action in actions]


def _model_reply(data):
    actions = get_game(DEFAULT).words.actions
    choices = {action: actions.name(action) for action in range(0, len(actions), 7)}
    assert 0 <= find_action(answer_in(data.decode()), choices, actions) < len(actions)


def _model_replies():
    actions = get_game(DEFAULT).words.actions
    return [f"I think.\nANSWER: {each}".encode() for each in (3, f"2. {actions.name(7)}", actions.name(30), "swap 5")]


TARGETS = (
    Target("agent_card", lambda data: _load(_agent()[0], data), (ValueError,), lambda: [_agent()[1]]),
    Target("agent_weights", lambda data: _load(data, _sealed(_agent()[1], data)), (ValueError,), lambda: [_agent()[0]]),
    Target("solution", _load_solution, (ValueError,), lambda: [_solution()[0]]),
    Target("checkpoint", _load_checkpoint, (ValueError,), _checkpoints),
    Target("run_settings", _read_run, (ValueError, TypeError), _runs),
    Target("agent_answer", _answer, (AgentError,), _answers),
    Target("model_reply", _model_reply, (ValueError,), _model_replies),
)
