"""Settings of the checks for the environments of this package: ``check_all(make_env, **PROMISES)``."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.engine import table
from blackjacky_env.engine.compiling import copied
from blackjacky_env.engine.fields import NOBODY, Field, Fields, Visible
from blackjacky_env.engine.game import Hidden, IllegalActionError, State
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.testing.errors import Skipped
from blackjacky_env.testing.readouts import Env
from blackjacky_env.testing.trial import Look

_MOVES_HEARD = 3  # after the variation


def vary_hidden(env: Env, agent: str | None, rng: np.random.Generator) -> TableEnv:
    """A table that is the same as far as ``agent`` (None: a spectator) can know, but differs in everything hidden.

    The game itself varies its state record (`Hidden`), or else its fields say what is hidden; nothing is encoded, or
    sampled from an observation.
    """
    raw = _table(env)

    def change(state: State, settled: State | None) -> None:
        _hidden(raw).vary_hidden(state, settled, _seat(raw, agent), rng)
        for record in (state, settled):
            if record is not None:
                record["key"] = rng.integers(2**64, dtype=np.uint64)

    return _changed(raw, change, np.random.default_rng(rng.integers(2**63)))


def vary_public(env: Env, agent: str, rng: np.random.Generator) -> Iterator[tuple[str, TableEnv]]:
    """For each kind of thing that ``agent`` can see, the same table with one such thing changed."""
    raw = _table(env)
    records = table.read_records(*table.unpack(raw.get_state()), raw.game.state_dtype)
    for name, indices, values in _hidden(raw).visible(records[0], raw.possible_agents.index(agent)):
        if indices:
            index = indices[int(rng.integers(len(indices)))]
            others = [value for value in values if value != records[0][name][index]]
            yield f"{name}{list(index)}", _changed(raw, partial(_set, name, index, int(rng.choice(others))))


def _set(name: str, index: tuple[int, ...], value: int, state: State, settled: State | None) -> None:
    if index:
        state[name][index] = value
    else:
        state[name] = value


def _changed(
    raw: TableEnv,
    change: Callable[[State, State | None], None] = lambda state, settled: None,
    generator: np.random.Generator | None = None,
) -> TableEnv:
    """Another environment in the position that ``change`` makes of this one, without the actions that led there."""
    header, data = table.unpack(raw.get_state())
    records = table.read_records(header, data, raw.game.state_dtype)
    change(records[0], records[1] if len(records) > 1 else None)
    other = copy.copy(raw)
    other._put(records, generator)
    return other


def vary_unseen(env: Env, agent: str | None, rng: np.random.Generator) -> Iterator[tuple[str, TableEnv, TableEnv]]:
    """What has happened, and two tables after it that ``agent`` (None: a spectator) cannot tell apart.

    First another player takes different actions in them, if there are any whose traces the agent does not see. Then
    the tables differ in everything hidden. From both, a few more moves are played as long as the agent's view is the
    same; where an action is secret, others take different ones.
    """
    raw = _table(env)
    unseen = _unseen_actions(raw, agent, rng)
    if unseen:
        games = [_listening(_changed(raw)), _listening(_changed(raw))]
        yield f"{_step(games, unseen)}, which leaves no trace that it sees", games[0], games[1]
        yield from _play_on(games, agent, rng)
    yield from _play_on([_listening(_changed(raw)), _listening(vary_hidden(raw, agent, rng))], agent, rng)


def _play_on(
    games: list[TableEnv], agent: str | None, rng: np.random.Generator
) -> Iterator[tuple[str, TableEnv, TableEnv]]:
    for _ in range(_MOVES_HEARD):
        actions = _indistinguishable_moves(games, agent, rng)
        if actions is None:
            return
        happened = _step(games, actions)
        if games[0].view(agent) != games[1].view(agent):
            return
        yield happened, games[0], games[1]


def _step(games: list[TableEnv], actions: tuple[int, int]) -> str:
    """Take an action in each game; returns who took which."""
    actor, names = games[0].agent_selection, [games[0].action_name(action) for action in actions]
    for game, action in zip(games, actions, strict=True):
        game.step(action)
    return f"{actor} took {' or '.join(map(repr, dict.fromkeys(names)))}"


def _unseen_actions(raw: TableEnv, agent: str | None, rng: np.random.Generator) -> tuple[int, int] | None:
    """Two actions of another player that leave different traces, of which the agent's observation shows none.

    What a settlement lays open is not unseen. A spectator sees no more than a player.
    """
    actor = raw._seats[raw.agent_selection]
    seat = (actor + 1) % raw.num_players if agent is None else raw._seats[agent]
    if seat == actor or raw.terminations[raw.agent_selection]:
        return None
    alike: dict[bytes, list[tuple[int, State]]] = {}
    for action in np.flatnonzero(raw._mask).tolist():
        states, (observation, mask) = copied(raw._states), raw.game.new_arrays()
        if raw._functions.step(states, action, np.zeros_like(raw._paid), observation, mask):
            continue
        raw._functions.look(states, seat, observation, mask)
        alike.setdefault(observation.tobytes() + mask.tobytes(), []).append((action, states[0]))
    fields = [name for name in raw.game.state_dtype.names or () if name != "key"]
    pairs = [
        (a, b)
        for group in alike.values()
        for (a, one), (b, another) in combinations(group, 2)
        if any(np.any(one[name] != another[name]) for name in fields)
    ]
    return pairs[int(rng.integers(len(pairs)))] if pairs else None


def _listening(game: TableEnv) -> TableEnv:
    """The same table, whose infos hold what is heard from now on."""
    game.events_in_infos = True
    game._put(game._states[: 1 + game._has_settled])
    return game


def _indistinguishable_moves(
    games: list[TableEnv], agent: str | None, rng: np.random.Generator
) -> tuple[int, int] | None:
    """A legal action in each game that the agent is not told apart; the two differ if possible."""
    one, another = games
    actor = one.agent_selection
    if one.terminations[actor] or actor != another.agent_selection:
        return None
    phase, known = one.view(None)["phase"], one.game.words.actions.known
    legal = [np.flatnonzero(game._mask).tolist() for game in games]
    pairs = [
        (a, b)
        for a in legal[0]
        for b in legal[1]
        if known(a, phase, is_own=actor == agent) == known(b, phase, is_own=actor == agent)
    ]
    different = [pair for pair in pairs if pair[0] != pair[1]] or pairs
    return different[int(rng.integers(len(different)))] if different else None


def _view(env: Env, agent: str | None) -> dict[str, Any]:
    return _table(env).view(agent)


def _drawing(env: Env, agent: str | None) -> str:
    return _table(env).draw_text(agent)


def _picture(env: Env, agent: str | None) -> str:
    raw = _table(env)
    return raw.draw(agent)


def _last_action(env: Env, agent: str | None) -> str:
    raw = _table(env)
    return raw.last_action(_seat(raw, agent))


def _refusal(env: Env, agent: str | None) -> str:
    raw = _table(env)
    if agent != raw.agent_selection or raw.terminations[agent]:
        return ""
    seen = raw.observe(agent)
    illegal = np.flatnonzero(seen["action_mask"] == 0)
    if not illegal.size:
        return ""
    try:
        raw.step(int(illegal[int(seen["observation"].sum()) % len(illegal)]))
    except IllegalActionError as error:
        return str(error)
    raise AssertionError("an illegal action was accepted")


def _information_vector(env: Env, agent: str | None) -> Any:
    try:
        return None if agent is None else _table(env).information_state_vector(agent)
    except ValueError:  # too long at this table
        return None


_RECALLED: Mapping[str, Look] = {
    "events": lambda env, agent: _table(env).events(agent),
    "information_state": lambda env, agent: _table(env).information_state(agent),
    "information_state_vector": _information_vector,
    "information_key": lambda env, agent: None if agent is None else _table(env).information_key(agent),
}
"""Functions (env, agent) of what an agent has heard."""


def _table(env: Env) -> TableEnv:
    if not isinstance(env, TableEnv):
        raise TypeError(f"{env} is not a PettingZoo environment of this package, or it is wrapped")
    return env


def _seat(raw: TableEnv, agent: str | None) -> int | None:
    return None if agent is None else raw.possible_agents.index(agent)


def _hidden(raw: TableEnv) -> Hidden:
    fields = raw.game.fields
    if raw.game.hidden is not None:
        return raw.game.hidden
    if by_code := [part for part in fields.layout.parts if part not in fields.shown]:
        raise Skipped(f"{raw.game.title} shows {by_code[0]} by code of its own, so it needs `Game.hidden`")
    return Hidden(partial(_vary_fields, fields), partial(_visible_fields, fields))


def _vary_fields(fields: Fields, s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Change the fields that the seat does not see: shuffle arrays, and draw numbers from their range.

    Nothing yet, -1, stays, and so does ``deals``, which everybody can count. What a settlement told is left alone.
    """
    for field in fields.fields.values():
        if field.own or (field.part is None and field.name not in ("deals", "num_players")):
            own, values = seat if field.own else None, np.array(s[field.name])
            for q in range(int(s["num_players"])) if field.axes else [...]:
                if q != own:
                    values[q] = _varied(field, values[q], rng)
            s[field.name] = values


def _varied(field: Field, value: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[Any]:
    varied = np.array(value)
    if varied.ndim:
        varied[..., field.first :] = rng.permutation(varied[..., field.first :].ravel()).reshape(field.seen)
    elif varied != NOBODY:
        varied[...] = rng.integers(max(field.low, 0) if field.low == NOBODY else field.low, field.high + 1)
    return varied


def _visible_fields(fields: Fields, s: State, seat: int) -> Iterator[Visible]:
    yield from fields.visible(s, seat, {"player"} if s["player"] == NOBODY else ())


PROMISES: dict[str, Any] = {
    "refusal": "raise",
    "off_turn_mask": "zero",
    "vary_hidden": vary_hidden,
    "vary_unseen": vary_unseen,
    "vary_public": vary_public,
    "looks": {
        "view": _view,
        "drawing": _drawing,
        "picture": _picture,
        "last_action": _last_action,
        "refusal": _refusal,
    },
    "recalls": _RECALLED,
    "spectator": True,
}
"""Settings for every environment of this package."""
