"""Settings of the checks for the environments of this package: ``check_all(make_env, **PROMISES)``."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from blackjacky_env.compiled.compiling import copied
from blackjacky_env.declare.fields import NOBODY, State
from blackjacky_env.declare.game import IllegalActionError
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.saving import write_past
from blackjacky_env.play.past import Past
from blackjacky_env.play.states import pack, sample_record, unpack
from blackjacky_env.testing.trial import Look

_MOVES_HEARD = 3  # after the variation
_SAMPLES = 20  # until an agent remembers the same

VaryRecord = Callable[[State, State | None, int | None, np.random.Generator], None]


def vary_hidden(
    raw: Any, agent: str | None, rng: np.random.Generator, vary_record: VaryRecord | None = None
) -> Iterator[tuple[str, TableEnv, TableEnv]]:
    """What has happened, and two tables that ``agent`` (None: a spectator) cannot tell apart.

    They differ in everything hidden. Then a few moves are played, different ones where the agent observes the same.
    """
    other, happened = vary(raw, agent, rng, vary_record), ""
    if other is None:
        return
    games = [_table(raw, raw._states[: 1 + raw._has_settled]), other]
    for _ in range(1 + _MOVES_HEARD):
        yield happened, games[0], games[1]
        pairs = _indistinguishable_moves(games, agent)
        if not pairs:
            return
        actions = pairs[int(rng.integers(len(pairs)))]
        names = dict.fromkeys(games[0].action_name(action) for action in actions)
        happened = f" after {games[0].agent_selection} took {' or '.join(map(repr, names))}, which it observes alike"
        for game, action in zip(games, actions, strict=True):
            game.step(action)
        one, another = (game.view(None) if agent is None else _remembered(game, agent) for game in games)
        if one != another:
            return


def vary(
    raw: Any, agent: str | None, rng: np.random.Generator, vary_record: VaryRecord | None = None
) -> TableEnv | None:
    """A table that is the same as far as ``agent`` can know, but differs in everything hidden; None: none was found.

    Without ``vary_record``, its position is sampled from what the agent, for a spectator any agent, observes and
    remembers.
    """
    seat = None if agent is None else raw._seats[agent]
    sampled_for = int(rng.integers(raw.num_players)) if seat is None else seat
    for _ in range(_SAMPLES):
        records = raw._states[: 1 + raw._has_settled].copy()
        if vary_record is None:
            records[:1] = sample_record(raw.game, raw._look(f"player_{sampled_for}")[0], rng, sampled_for)[0]
            records["deals"][0] = raw._states["deals"][0]
        else:
            vary_record(records[0], records[1] if raw._has_settled else None, seat, rng)
        records["key"] = rng.integers(2**64, size=len(records), dtype=np.uint64)
        other = _table(raw, records, np.random.default_rng(rng.integers(2**63)))
        if vary_record is not None or _remembered(other, agent) == _remembered(raw, agent):
            return other
    return None


def _remembered(table: TableEnv, agent: str | None) -> list[Any]:
    """What the agent's view shows beyond its observation."""
    view, words = table.view(agent), table.game.words
    return [view[key] for key in (*words.beyond_observation, words.settlement_key)]


def _table(raw: TableEnv, records: npt.NDArray[Any], generator: np.random.Generator | None = None) -> TableEnv:
    """Another environment with these records, without the actions that led there, whose infos hold what is heard."""
    other = copy.copy(raw)
    other.events_in_infos = True
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


def _indistinguishable_moves(games: list[TableEnv], agent: str | None) -> list[tuple[int, int]]:
    """Legal actions, one in each game, that leave the same trace; two that differ if possible.

    An agent knows what it does itself.
    """
    actor = games[0].agent_selection
    if games[0].terminations[actor] or actor != games[1].agent_selection:
        return []
    first, second = (_traces(game, agent) for game in games)
    pairs = [(a, b) for a, trace in first.items() for b, other in second.items() if trace == other]
    if agent == actor:
        return [pair for pair in pairs if pair[0] == pair[1]]
    return [pair for pair in pairs if pair[0] != pair[1]] or pairs


def _traces(table: TableEnv, agent: str | None) -> dict[int, Any]:
    """What the agent would observe after each legal action, a spectator hear of it; what settles shows more."""
    words, traces = table.game.words, dict[int, Any]()
    for action in np.flatnonzero(table._mask).tolist():
        states, (observation, mask) = copied(table._states), table.game.new_arrays()
        if agent is None:
            traces[action] = words.actions.known(action, words.phases[words.phase_of(table._states)], is_own=False)
        elif not table._functions.step(states, action, np.zeros_like(table._paid), observation, mask):
            table._functions.look(states, table._seats[agent], observation, mask)
            traces[action] = observation.tobytes() + mask.tobytes()
    return traces


def _refusal(raw: Any, agent: str | None) -> str:
    """What the agent on turn is told about an illegal action, which its observation chooses."""
    illegal = np.flatnonzero(raw._mask == 0)
    if agent != raw.agent_selection or raw.terminations[agent] or not illegal.size:
        return ""
    try:
        raw.step(int(illegal[int(raw._observation.sum()) % len(illegal)]))
    except IllegalActionError as error:
        return f"{error} {error.reason}"
    raise AssertionError("an illegal action was accepted")


def _information_vector(raw: Any, agent: str | None) -> Any:
    try:
        return None if agent is None else raw.information_state_vector(agent)
    except ValueError:  # too long at this table
        return None


_LOOKS: Mapping[str, Look] = {
    "view": lambda raw, agent: raw.view(agent),
    "drawing": lambda raw, agent: raw.draw_text(agent),
    "picture": lambda raw, agent: raw.draw(agent),  # which tells the last action
    "refusal": _refusal,
    "events": lambda raw, agent: raw.events(agent),
    "information_state": lambda raw, agent: raw.information_state(agent),
    "information_state_vector": _information_vector,
    "information_key": lambda raw, agent: None if agent is None else raw.information_key(agent),
}
"""Functions (env, agent) of what an agent is shown and has heard."""


def promises(vary_record: VaryRecord | None = None) -> dict[str, Any]:
    """Settings for the environments of a game.

    Args:
        vary_record: (state, state at the last settlement or None, seat or None for a spectator, generator): changes in
            place everything that the seat cannot know, except the key, to something else that is possible from its
            view. It must not use what it is to prove, `Rules.encode` and `Rules.sample`. None: positions are sampled.
    """
    return {
        "off_turn_mask": "zero",
        "vary_hidden": partial(vary_hidden, vary_record=vary_record),
        "looks": _LOOKS,
        "spectator": True,
    }


PROMISES = promises()
"""Settings for every environment of this package."""
