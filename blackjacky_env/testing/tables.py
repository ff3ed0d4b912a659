"""Settings of the checks for the environments of this package: ``check_all(make_env, **PROMISES)``."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import copied
from blackjacky_env.declare.fields import NOBODY, Field, Fields, State, Visible
from blackjacky_env.declare.game import Game, IllegalActionError
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.saving import write_past
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.past import Past
from blackjacky_env.play.states import pack, sample_record, unpack
from blackjacky_env.testing.readouts import Env
from blackjacky_env.testing.trial import Look, Skipped

_MOVES_HEARD = 3  # after the variation
_SAMPLES = 20  # until an agent remembers the same


@dataclass(frozen=True)
class Hidden:
    """Functions that vary the hidden and the visible parts of a state record, to prove that nothing hidden leaks.

    They must not use the functions under test: `Rules.encode` and `Rules.sample`.
    """

    vary_hidden: Callable[[State, State | None, int | None, np.random.Generator], None]
    """(state, state at the last settlement or None, seat or None for a spectator, generator): change in place
    everything that the seat cannot know, except the key, to something else that is possible from its view."""
    visible: Callable[[State, int], Iterable[Visible]]
    """(state, seat) -> (field, indices of entries, which may be none, and () for a number, possible values) for each
    kind of thing that the seat can see now. With one entry changed the position may be impossible, but it can be
    encoded."""


def vary_hidden(env: Env, agent: str | None, rng: np.random.Generator, hidden: Hidden | None = None) -> TableEnv | None:
    """A table that is the same as far as ``agent`` (None: a spectator) can know, but differs in everything hidden.

    ``hidden`` says what that is; None: the fields of the game do. Where code of the game shows parts of the
    observation, they cannot: then the hidden fields are those of a position sampled from the agent's observation, in
    which it remembers the same. None is returned if there is no such position, and for a spectator.
    """
    raw = table_of(env)
    vary = partial(_vary_fields, raw.game.fields) if hidden is None else hidden.vary_hidden
    if samples := hidden is None and bool(_shown_by_code(raw)):
        if agent is None:
            return None
        vary = partial(_sample_fields, raw.game)

    def change(state: State, settled: State | None) -> None:
        vary(state, settled, None if agent is None else raw._seats[agent], rng)
        for record in (state, settled):
            if record is not None:
                record["key"] = rng.integers(2**64, dtype=np.uint64)

    for _ in range(_SAMPLES):
        other = arranged(raw, change, np.random.default_rng(rng.integers(2**63)))
        if not samples or _remembered(other, agent) == _remembered(raw, agent):
            return other
    return None


def _remembered(raw: TableEnv, agent: str | None) -> list[Any]:
    view = raw.view(agent)
    return [view[key] for key in raw.game.words.beyond_observation]


def vary_public(
    env: Env, agent: str, rng: np.random.Generator, hidden: Hidden | None = None
) -> Iterator[tuple[str, TableEnv]]:
    """For each kind of thing that ``agent`` can see, the same table with one such thing changed.

    ``hidden`` says what that is; None: the fields of the game do, unless code of the game shows parts of the
    observation.
    """
    raw = table_of(env)
    if hidden is None and (by_code := _shown_by_code(raw)):
        raise Skipped(f"{raw.game.title} shows {by_code[0]} by code of its own, so it needs a `Hidden`")
    state, seat = raw._states[0].copy(), raw._seats[agent]
    over = {"player"} if state["player"] == NOBODY else ()
    seen: Iterable[Visible] = (
        raw.game.fields.visible(state, seat, over) if hidden is None else hidden.visible(state, seat)
    )
    for name, indices, values in seen:
        if indices:
            index = indices[int(rng.integers(len(indices)))]
            others = [value for value in values if value != state[name][index]]
            try:
                other = arranged(raw, partial(_set, name, index, int(rng.choice(others))))
            except ValueError:  # nothing is legal there
                continue
            yield f"{name}{list(index)}", other


def _shown_by_code(raw: TableEnv) -> list[str]:
    """The parts of the observation that code of the game shows."""
    return [part for part in raw.game.layout.parts if part not in raw.game.fields.shown]


def _set(name: str, index: tuple[int, ...], value: int, state: State, settled: State | None) -> None:
    if index:
        state[name][index] = value
    else:
        state[name] = value


def arranged(
    raw: TableEnv,
    change: Callable[[State, State | None], None] = lambda state, settled: None,
    generator: np.random.Generator | None = None,
) -> TableEnv:
    """Another environment in the position that ``change`` makes of this one, without the actions that led there.

    ``change`` gets the record and that of the last settlement, or None, and may make an impossible position of it.

    Raises `ValueError` if that is no state, for example because no action is legal.
    """
    records = raw._states[: 1 + raw._has_settled].copy()
    change(records[0], records[1] if raw._has_settled else None)
    other = copy.copy(raw)
    other.set_state(state_with(raw, records, generator))
    return other


def state_with(raw: TableEnv, records: npt.NDArray[Any], generator: np.random.Generator | None = None) -> bytes:
    """The state of a table with other records, shape (1,) or (2,), and without the actions that led there."""
    header, _ = unpack(raw.get_state())
    history, player = header["history"], int(records["player"][0])
    past = Past.of_position(records, history["last_move"])
    history |= write_past(past, raw.game, raw.num_players, raw.options)
    if player != NOBODY:
        history["agent_selection"] = raw.possible_agents[player]
    if generator is not None:
        history["generator"] = generator.bit_generator.state
    return pack(header, records)


def vary_unseen(
    env: Env, agent: str | None, rng: np.random.Generator, hidden: Hidden | None = None
) -> Iterator[tuple[str, TableEnv, TableEnv]]:
    """What has happened, and two tables after it that ``agent`` (None: a spectator) cannot tell apart.

    First another player takes different actions in them, if there are any whose traces the agent does not see. Then
    the tables differ in everything hidden. From both, a few more moves are played as long as the agent's view is the
    same; where an action is secret, others take different ones.
    """
    raw = table_of(env)
    unseen = _unseen_actions(raw, agent, rng)
    if unseen:
        games = [_listening(arranged(raw)), _listening(arranged(raw))]
        yield f"{_step(games, unseen)}, which leaves no trace that it sees", games[0], games[1]
        yield from _play_on(games, agent, rng)
    if (other := vary_hidden(raw, agent, rng, hidden)) is not None:
        yield from _play_on([_listening(arranged(raw)), _listening(other)], agent, rng)


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
    return arranged(game)


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


def _refusal(env: Env, agent: str | None) -> str:
    raw = table_of(env)
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
        return None if agent is None else table_of(env).information_state_vector(agent)
    except ValueError:  # too long at this table
        return None


_LOOKS: Mapping[str, Look] = {
    "view": lambda env, agent: table_of(env).view(agent),
    "drawing": lambda env, agent: table_of(env).draw_text(agent),
    "picture": lambda env, agent: table_of(env).draw(agent),  # which tells the last action
    "refusal": _refusal,
}
"""Functions (env, agent) of what an agent is shown."""
_RECALLED: Mapping[str, Look] = {
    "events": lambda env, agent: table_of(env).events(agent),
    "information_state": lambda env, agent: table_of(env).information_state(agent),
    "information_state_vector": _information_vector,
    "information_key": lambda env, agent: None if agent is None else table_of(env).information_key(agent),
}
"""Functions (env, agent) of what an agent has heard."""


def table_of(env: Env) -> TableEnv:
    """The environment, if it is one of this package."""
    if not isinstance(env, TableEnv):
        raise TypeError(f"{env} is not a PettingZoo environment of this package, or it is wrapped")
    return env


def _hidden_fields(fields: Fields) -> list[Field]:
    each = fields.fields.values()
    return [f for f in each if f.own or (f.part is None and f.name not in ("deals", "num_players"))]


def _vary_fields(fields: Fields, s: State, settled: State | None, seat: int | None, rng: np.random.Generator) -> None:
    """Change the fields that the seat does not see: shuffle arrays, and draw numbers from their range.

    Nothing yet, -1, stays, and so does ``deals``, which everybody can count. What a settlement told is left alone.
    """
    for field in _hidden_fields(fields):
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


def _sample_fields(game: Game, s: State, settled: State | None, seat: int, rng: np.random.Generator) -> None:
    """Change the fields that the seat does not see to those of a position sampled from its observation."""
    observation, mask = game.new_arrays()
    game_functions(game).look(s[None], seat, observation, mask)
    other = sample_record(game, observation, rng, seat)[0][0]
    for field in _hidden_fields(game.fields):
        s[field.name] = other[field.name]


def promises(hidden: Hidden | None = None) -> dict[str, Any]:
    """Settings for the environments of a game; ``hidden`` varies what its agents see; None: derived from its fields."""
    return {
        "refusal": "raise",
        "off_turn_mask": "zero",
        "vary_hidden": partial(vary_hidden, hidden=hidden),
        "vary_unseen": partial(vary_unseen, hidden=hidden),
        "vary_public": partial(vary_public, hidden=hidden),
        "looks": _LOOKS,
        "recalls": _RECALLED,
        "spectator": True,
    }


PROMISES = promises()
"""Settings for every environment of this package."""
