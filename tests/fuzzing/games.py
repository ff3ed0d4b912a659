"""Targets of the environments: records, states and observations, of all games."""

import hashlib
import json
from functools import cache
from random import Random
from types import SimpleNamespace

import numpy as np

from blackjacky_agents.cli import watch
from blackjacky_agents.registry import agent_names, bot_names, make_agent
from blackjacky_env import playout
from blackjacky_env.games import GAMES
from blackjacky_env.play.states import pack, read_records, unpack
from blackjacky_env.reading import parse_json
from blackjacky_env.replay import new_table
from tests.envs.playing import fresh, play_randomly
from tests.fuzzing.mutators import changed_value
from tests.fuzzing.target import INPUT_ERRORS, Target, written
from tests.games.fixtures import examples_of

NO_CHANGE = bytes(range(32))
_HEAD = len(pack({}, np.zeros(0, np.dtype([("a", "i1")])))) - len(json.dumps({"layout": "0" * 16})) - 4


@cache
def played_games():
    """The beginning of a game at the usual table of each game and at every table that it declares as an example."""
    envs = []
    for name in GAMES:
        for number, options in enumerate([{}, *examples_of(name).tables]):
            envs.append(play_randomly(fresh(number, name, **options), number, 12))
    return envs


def make_records():
    """Records, one of them of a whole game, some with rigged deals and some with names."""
    records = [env.record() for env in (play_randomly(fresh(), 0), *played_games())]
    rigged = [{**record, "reset_options": {"start_player": 1}, "actions": []} for record in records]
    named = [{"names": _names(env), "record": env.record()} for env in played_games()]
    return [json.dumps(each).encode() for each in (*records, *rigged, *named)]


def _names(env):
    return {agent: f"Ada {agent[-1]}" for agent in env.possible_agents}


def _replay(data):
    record = parse_json(data)
    record = record.get("record", record) if isinstance(record, dict) else record
    env = new_table(record)
    env.replay(record)
    for agent in (None, *env.possible_agents):
        env.view(agent)


def _watch(data):
    in_terminal = SimpleNamespace(output=None, playouts=0)
    show = watch.kept_game(in_terminal, *watch.read_record(written("record.json", data)))
    if any(not each.isprintable() for each in (show.headline, *show.names)):
        raise AssertionError("what is printed has control characters")
    for _ in show.moves:
        pass


def _load(data):
    header, _ = unpack(state := _sealed(data))
    table_of = {(env.game.name, env.num_players, env.variant, str(env.options)): env for env in played_games()}
    asked = tuple(str(header.get(name)) for name in ("game", "num_players", "variant", "options"))
    env = next((env for key, env in table_of.items() if tuple(map(str, key)) == asked), played_games()[0])
    env.set_state(state)
    env.view(None)


def _sealed(data):
    """A state with the checksum that belongs to it: whoever changes one can write that, too."""
    body = data[_HEAD:]
    return data[: _HEAD - 32] + hashlib.sha256(body).digest() + body


def _load_changed(data):
    """A state of one of the games with changes drawn from ``data``; what is taken is played to its end."""
    rng = Random(data)
    env = rng.choice(played_games())
    header, content = unpack(kept := env.get_state())
    records = read_records(env.game, header, content).copy()
    for _ in range(0 if data == NO_CHANGE else rng.choice((1, 1, 2, 4))):
        if rng.random() < 0.85:
            change_field(records[0], rng)
        else:
            header = changed_value(header, None, rng)
    if not isinstance(header, dict):
        raise ValueError("this is no state")
    header.pop("layout", None)
    state = pack(header, records)
    try:
        env.set_state(state)
    except (TypeError, ValueError):
        if env.get_state() != kept:
            raise AssertionError("a refused state has changed the running game") from None
        raise
    for agent in (None, *env.possible_agents):
        env.view(agent)
    if rng.random() < 0.1:
        playout(state, rng.choice(bot_names(env.game.name)), games=2)
    play_randomly(env, rng.randrange(2**32), 20_000)
    assert env.terminations[env.agent_selection], "the game does not end"
    env.set_state(kept)


def change_field(record, rng):
    name = rng.choice(record.dtype.names)
    values = np.array(record[name])
    change_entry(values, rng)
    record[name] = values if values.shape else values.item()


def change_entry(values, rng):
    """Change an entry of an array that is not empty, or swap two."""
    flat = (values.view(np.uint8) if values.dtype == np.bool_ else values).reshape(-1)
    i, k = rng.randrange(max(len(flat), 1)), rng.randrange(max(len(flat), 1))
    if not len(flat):
        return
    old, flat[i] = flat[i], flat[k]
    if flat.dtype.kind == "f":
        flat[k] = rng.choice((old, 1 + old, -old, 0.5, 1e30, np.nan, np.inf))
    else:
        info, near = np.iinfo(flat.dtype), int(old) + rng.choice((-1, 1))
        value = rng.choice((int(old), near, near, rng.randint(-1, 60), rng.randint(info.min, info.max)))
        flat[k] = min(max(value, info.min), info.max)


@cache
def _agents(name):
    return [make_agent(each, name) for each in (*agent_names(name), "ismcts:20")]


def _show(data):
    """Show a changed observation to an agent, which refuses it or chooses some action."""
    rng = Random(data)
    env = rng.choice([env for env in played_games() if not env.terminations[env.agent_selection]])
    seen, layout = env.observe(env.agent_selection), env.game.layout
    observation, mask = seen["observation"].copy(), seen["action_mask"].copy()
    many = rng.choice((1, 2, 4, len(observation)))
    for i in () if data == NO_CHANGE else rng.sample(range(len(observation)), many):
        observation[i] = rng.randint(int(layout.low[i]), int(layout.high[i]))
    if data != NO_CHANGE and rng.random() < 0.5:
        mask[rng.randrange(len(mask))] ^= 1
    agent = rng.choice(_agents(env.game.name))
    actions = agent.act_batch(observation[None], mask[None])
    if actions.shape != (1,) or not 0 <= actions[0] < len(mask):
        raise AssertionError(f"{agent.name} chose {actions} from {observation.tolist()} and {mask.tolist()}")


TARGETS = (
    Target("record", _replay, (ValueError, TypeError), make_records),
    Target("watch_record", _watch, INPUT_ERRORS, make_records, 0.5),
    Target("state", _load, (ValueError, TypeError), lambda: [env.get_state() for env in played_games()]),
    Target("changed_state", _load_changed, (ValueError, TypeError), lambda: [NO_CHANGE], 8.0),
    Target("observation", _show, (ValueError,), lambda: [NO_CHANGE], 8.0),
)
