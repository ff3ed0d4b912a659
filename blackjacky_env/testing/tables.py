"""Settings of the checks for the environments of this package: ``check_all(make_env, **PROMISES)``."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from blackjacky_env.engine import table
from blackjacky_env.engine.game import Hidden, IllegalActionError, State
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.testing.errors import Skipped
from blackjacky_env.testing.readouts import Env, as_readout, first_difference, same
from blackjacky_env.testing.trial import Look

_MOVES_HEARD = 3  # after the variation


def vary_hidden(env: Env, agent: str | None, rng: np.random.Generator) -> TableEnv:
    """A table that is the same as far as ``agent`` (None: a spectator) can know, but differs in everything hidden.

    The game itself varies its state record (`Hidden`); nothing is encoded, or sampled from an observation.
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
    raw: TableEnv, change: Callable[[State, State | None], None], generator: np.random.Generator | None = None
) -> TableEnv:
    """Another environment in the position that ``change`` makes of this one, without the actions that led there."""
    header, data = table.unpack(raw.get_state())
    records = table.read_records(header, data, raw.game.state_dtype)
    change(records[0], records[1] if len(records) > 1 else None)
    other = copy.copy(raw)
    other._put(records, generator)
    return other


def find_leaking_events(
    env: Env, agent: str | None, rng: np.random.Generator, looks: Mapping[str, Look] | None = None
) -> Iterator[str]:
    """Play on from two games that look the same to ``agent`` (None: a spectator); yield events that tell them apart.

    The games differ in everything hidden, and where an action is secret, others take different ones in them. They are
    compared as long as the agent's view is the same. Information states and ``looks``, functions of further things that
    may depend on what was heard, are compared as well.
    """
    games = [_changed(_table(env), lambda state, settled: None), vary_hidden(env, agent, rng)]
    for game in games:
        game.events_in_infos = True
        game._put(game._states[: 1 + game._has_settled])
    for _ in range(_MOVES_HEARD):
        actions = _indistinguishable_moves(games, agent, rng)
        if actions is None:
            return
        for game, action in zip(games, actions, strict=True):
            game.step(action)
        if games[0].view(agent) != games[1].view(agent):
            return
        one, another = (game.events(agent) for game in games)
        if one != another or (agent and not same(*(game.infos[agent] for game in games))):
            heard = f"{one[-1]} in one case, {another[-1]} in the other"
            yield f"what is hidden is heard by {agent or 'a spectator'}: {heard}"
        for name, look in {**_RECALLED, **(looks or {})}.items():
            one, another = (look(game, agent) for game in games)
            if not same(one, another):
                readouts = as_readout(name, one), as_readout(name, another)
                difference = first_difference(*readouts, "in one case", "in the other") or f"{name} differs"
                yield f"what is hidden is shown to {agent or 'a spectator'}: {difference}"


def _indistinguishable_moves(
    games: list[TableEnv], agent: str | None, rng: np.random.Generator
) -> tuple[int, int] | None:
    """A legal action in each game that the agent cannot tell apart; the two differ if possible."""
    one, another = games
    actor = one.agent_selection
    if one.terminations[actor] or actor != another.agent_selection:
        return None
    phase, known = one.view(None)["phase"], one.game.words.actions.known
    legal = [np.flatnonzero(game.observe(actor)["action_mask"]).tolist() for game in games]
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


def _drawing(env: Env, agent: str | None) -> Any:
    shown = copy.copy(_table(env))
    shown.render_mode, shown.render_as = "ansi", agent
    return shown.render()


def _picture(env: Env, agent: str | None) -> str:
    raw = _table(env)
    return "" if raw.game.words.draw_svg is None else raw.draw(agent)


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
    "information_state": lambda env, agent: _table(env).information_state(agent),
    "information_state_vector": _information_vector,
    "information_key": lambda env, agent: None if agent is None else _table(env).information_key(agent),
}
"""Functions (env, agent) of what an agent recalls."""


def _table(env: Env) -> TableEnv:
    if not isinstance(env, TableEnv):
        raise TypeError(f"{env} is not a PettingZoo environment of this package, or it is wrapped")
    return env


def _seat(raw: TableEnv, agent: str | None) -> int | None:
    return None if agent is None else raw.possible_agents.index(agent)


def _hidden(raw: TableEnv) -> Hidden:
    if raw.game.hidden is None:
        raise Skipped(f"{raw.game.title} does not declare what is hidden (`Game.hidden`)")
    return raw.game.hidden


PROMISES: dict[str, Any] = {
    "refusal": "raise",
    "off_turn_mask": "zero",
    "vary_hidden": vary_hidden,
    "vary_public": vary_public,
    "looks": {"view": _view, "drawing": _drawing, "picture": _picture, "refusal": _refusal},
    "spectator": True,
}
"""Settings for every environment of this package."""
