"""Changed states: loaded with array bounds checked in compiled code, they must be refused by name, or be playable."""

from __future__ import annotations

import copy
import importlib
import random
from collections import Counter
from typing import Any

import numpy as np

from scripts.proofs.attacks.common import REFUSED, SURVIVED, Task, tasks_for_games
from blackjacky_env import playout
from blackjacky_env.engine import table
from blackjacky_env.games import get_game

TRIES = 1_000_000
_CHUNK = 5000  # states for each process
MAX_MOVES = 20_000
GARBAGE = (None, True, -1, 2**31, 2**70, 1.5, float("nan"), "", "player_9", "\x1b[2J", [], [[]], {}, {"a": [1]})


def tasks(tries: int, seed: int) -> list[Task]:
    """The work of all processes."""
    return tasks_for_games("changed states of {}", "attacks.states:attack_states", tries, seed, _CHUNK)


def make_states(name: str, count: int, rng: random.Random) -> list[bytes]:
    """States from ``count`` random games of all table sizes, variants and example options; some games are finished."""
    game, module = get_game(name), importlib.import_module(f"blackjacky_env.{name}_v0")
    tables = [{"variant": variant.name, "num_players": size} for variant in game.variants for size in variant.sizes]
    tables += [dict(options) for options in game.examples.tables]
    states = []
    for number in range(count):
        env = module.env(**tables[number % len(tables)])
        env.reset(seed=number)
        _play(env, rng, rng.choice((0, 3, 10, 30, 100, 300, 1000)))
        states.append(env.get_state())
    return states


def _play(env: Any, rng: random.Random, moves: int) -> bool:
    """Play at random; returns whether the game has ended."""
    for _ in range(moves):
        if env.terminations[env.agent_selection]:
            return True
        legal = np.flatnonzero(env.last()[0]["action_mask"]).tolist()
        if not legal:
            raise AssertionError(f"{env.agent_selection} has no legal action")
        env.step(rng.choice(legal))
    return bool(env.terminations[env.agent_selection])


# ---------------------------------------------------------------- mutations


def mutate(state: bytes, other: bytes, rng: random.Random) -> bytes:
    """``state`` with a valid checksum and one to four changes, some of them taken from ``other``, of the same game."""
    header, data = table.unpack(state)
    dtype = get_game(header["game"]).state_dtype
    records, donors = table.read_records(header, data, dtype), table.read_records(*table.unpack(other), dtype)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        kind = rng.random()
        if kind < 0.8:
            _change_record(records[rng.randrange(len(records))], donors[0], rng)
        else:
            history = header.get("history")
            _change_mapping(history if kind < 0.9 and isinstance(history, dict) and history else header, rng)
    if rng.random() < 0.02:
        records = records[rng.choices(range(len(records)), k=rng.choice((0, 1, 2, 3)))]
    header.pop("layout", None)
    packed = table.pack(header, records)
    return packed[: rng.randrange(len(packed))] if rng.random() < 0.01 else packed


def _change_record(record: Any, donor: Any, rng: random.Random) -> None:
    """Change one field: an entry, two entries swapped, or all of it as in ``donor``."""
    name = rng.choice(record.dtype.names)
    values = np.array(record[name])
    flat = values.reshape(-1)
    way = rng.random()
    if way < 0.15:
        values = np.array(donor[name])
    elif way < 0.3:
        i, k = rng.randrange(len(flat)), rng.randrange(len(flat))
        flat[i], flat[k] = int(flat[k]), int(flat[i])
    else:
        i, info = rng.randrange(len(flat)), np.iinfo(values.dtype)
        near = int(flat[i]) + rng.choice((-1, 1))
        value = rng.choice((near, near, rng.randint(-1, 9), rng.randint(-1, 60), rng.randint(info.min, info.max)))
        flat[i] = min(max(value, info.min), info.max)
    record[name] = values if values.shape else values.item()


def _change_mapping(mapping: dict[str, Any], rng: random.Random) -> None:
    """Change, add or remove a value, or one within it."""
    name = rng.choice([*mapping, "more"])
    value = mapping.get(name)
    if isinstance(value, dict) and value and rng.random() < 0.6:
        _change_mapping(value, rng)
    elif isinstance(value, list) and value and rng.random() < 0.6:
        value[rng.randrange(len(value))] = copy.deepcopy(rng.choice((*GARBAGE, rng.randint(-1, 99))))
    elif rng.random() < 0.3:
        mapping.pop(name, None)
    else:
        mapping[name] = copy.deepcopy(rng.choice(GARBAGE))


# ---------------------------------------------------------------- trials


def attack_states(name: str, count: int, seed: int) -> Counter[str]:
    """Try ``count`` mutated states; how many were refused, and how many played to the end.

    Raises `AssertionError` if a refused state changes the running game or an accepted one cannot be played; errors of
    any other kind than `TypeError` and `ValueError` pass through.
    """
    rng = random.Random(seed)
    states, found = make_states(name, 60, rng), Counter[str]()
    envs = [_environment_of(state) for state in states]
    for _ in range(count):
        i = rng.randrange(len(states))
        found[_try(envs[i], mutate(states[i], rng.choice(states), rng), states[i], rng)] += 1
    return found


def _environment_of(state: bytes) -> Any:
    header, _ = table.unpack(state)
    module = importlib.import_module(f"blackjacky_env.{header['game']}_v0")
    env = module.env(num_players=header["num_players"], variant=header["variant"], **header["options"])
    env.set_state(state)
    return env


def _try(env: Any, mutated: bytes, original: bytes, rng: random.Random) -> str:
    try:
        env.set_state(mutated)
    except (TypeError, ValueError):
        if env.get_state() != original:
            raise AssertionError("a refused state has changed the running game") from None
        return REFUSED
    for agent in (None, *env.possible_agents):
        env.view(agent)
    if rng.random() < 0.1:
        playout(mutated, "random", games=2)
    if not _play(env, rng, MAX_MOVES):
        raise AssertionError(f"the game goes on after {MAX_MOVES} moves")
    env.set_state(original)
    return SURVIVED
