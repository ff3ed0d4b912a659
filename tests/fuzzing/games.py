"""Targets of the environments: records, states and names of actions, of all games."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from blackjacky_agents.cli import watch
from blackjacky_env import replay_html
from blackjacky_env.engine import table
from blackjacky_env.engine.actions import Actions
from blackjacky_env.engine.reading import parse_json
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT, GAMES, get_game
from blackjacky_env.replay import new_table
from tests.fuzzing.target import INPUT_ERRORS, Target, written

_HEAD = len(table.pack({}, np.zeros(0, np.dtype([("a", "i1")])))) - len(json.dumps({"layout": "0" * 16})) - 4


@cache
def played_games() -> list[TableEnv]:
    """The beginning of a game at the usual table of each game and at every table that it declares as an example."""
    envs = []
    for name in GAMES:
        game = get_game(name)
        for number, options in enumerate([{}, *game.examples.tables]):
            env = TableEnv(name, **options)
            env.reset(seed=number)
            play_on(env, 12, Random(number))
            envs.append(env)
    return envs


def play_on(env: TableEnv, moves: int, rng: Random) -> None:
    """Make random moves, until the game is over."""
    for _ in range(moves):
        if env.terminations[env.agent_selection]:
            return
        env.step(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()))


def make_records() -> list[bytes]:
    """Records, one of them of a whole game, some with rigged deals and some with names."""
    whole = TableEnv(DEFAULT)
    whole.reset(seed=0)
    play_on(whole, 10_000, Random(0))
    records = [env.record() for env in (whole, *played_games())]
    rigged: list[dict[str, Any]] = [
        {**record, "reset_options": {"start_player": 1}, "actions": []} for record in records
    ]
    named = [{"names": _names(env), "record": env.record()} for env in played_games()]
    return [json.dumps(each).encode() for each in (*records, *rigged, *named)]


def _one_of_each() -> list[bytes]:
    firsts = {env.game.name: env for env in reversed(played_games())}
    return [json.dumps({"names": _names(env), "record": env.record()}).encode() for env in firsts.values()]


def _names(env: TableEnv) -> dict[str, str]:
    return {agent: f"Ada {agent[-1]}" for agent in env.possible_agents}


def _replay(data: bytes) -> None:
    record = parse_json(data)
    record = record.get("record", record) if isinstance(record, dict) else record
    env = new_table(record)
    env.replay(record)
    for agent in (None, *env.possible_agents):
        env.view(agent)


def _watch(data: bytes) -> None:
    in_terminal: Any = SimpleNamespace(out=None, playouts=0)
    show = watch.kept_game(in_terminal, *watch.read_record(written("record.json", data)))
    if any(not each.isprintable() for each in (show.headline, *show.names.values())):
        raise AssertionError("what is printed has control characters")
    for _ in show.moves:
        pass
    assert show.picture


def _draw(data: bytes) -> None:
    record = parse_json(data)
    if isinstance(record, dict) and isinstance(record.get("names"), dict):
        page = replay_html(json.dumps(record.get("record")), names=list(record["names"].values()))
    else:
        page = replay_html(data.decode())
    page.encode()


def _load(data: bytes) -> None:
    header, _ = table.unpack(state := _sealed(data))
    table_of = {(env.game.name, env.num_players, env.variant, str(env.options)): env for env in played_games()}
    asked = tuple(str(header.get(name)) for name in ("game", "num_players", "variant", "options"))
    env = next((env for key, env in table_of.items() if tuple(map(str, key)) == asked), played_games()[0])
    env.set_state(state)
    env.view(None)


def _sealed(data: bytes) -> bytes:
    """A state with the checksum that belongs to it: whoever changes one can write that, too."""
    body = data[_HEAD:]
    return data[: _HEAD - 32] + hashlib.sha256(body).digest() + body


def _all_actions() -> list[Actions]:
    return [get_game(name).words.actions for name in GAMES]


def _parse_action(data: bytes) -> None:
    text = data.decode(errors="surrogateescape")
    errors = []
    for actions in _all_actions():
        try:
            actions.parse(text)
        except ValueError as error:
            errors.append(error)
    if len(errors) == len(_all_actions()):
        raise errors[0]


TARGETS = (
    Target("record", "records of games", _replay, (ValueError, TypeError), make_records),
    Target("watch_record", "records to watch in the terminal", _watch, INPUT_ERRORS, make_records, 0.5),
    Target("replay_page", "records to be drawn as a page", _draw, INPUT_ERRORS, _one_of_each, 0.05),
    Target(
        "state", "saved states", _load, (ValueError, TypeError), lambda: [env.get_state() for env in played_games()]
    ),
    Target(
        "action_name",
        "names of actions",
        _parse_action,
        (ValueError,),
        lambda: [actions.name(i).encode() for actions in _all_actions() for i in range(0, len(actions), 5)],
        0.2,
    ),
)
