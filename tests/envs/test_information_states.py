"""Information states as text, vector and key: the same partition of histories, with perfect recall, and nothing hidden.

Whole miniatures are walked where they are small, and random games elsewhere.
"""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, permutations
from typing import Any

import numpy as np
import pytest

from blackjacky_env import make_batch
from blackjacky_env.engine import event_rows, recall
from blackjacky_env.engine.game import Game
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, get_game
from tests.envs.playing import legal, play_randomly

pytestmark = pytest.mark.prove

WALKED = [("black_jacky", "mini-1", 9, 99), ("schwarze_katze", "mini-1", 9, 99), ("black_spy", "mini-1", 2, 2)]
"""Miniatures that are walked: how many deals that look the same to player_0, and how many actions of a decision."""
MINIATURES = [(name, preset) for name in GAMES for preset in get_game(name).presets]
Past = dict[str, tuple[Any, ...]]
"""By agent, everything that it has observed and heard, in order: the reference that information states are held to."""


def played(env: TableEnv, seed: int, moves: int | None = None, **options: Any) -> TableEnv:
    """The environment after random moves."""
    env.reset(seed=seed, options=options)
    return play_randomly(env, seed, moves)


def deals(env: TableEnv) -> Iterator[TableEnv]:
    """The environment after different deals that look the same to player_0, who starts."""
    cards = [env.game.card_names[card] for card in env.game.whole_deck(env.num_players, env.options)]
    known: set[bytes] = set()
    first = None
    for deck in dict.fromkeys(permutations(cards)):
        env.reset(seed=0, options={"deck": list(deck), "start_player": 0})
        seen = env.view("player_0")
        first = seen if first is None else first
        if seen == first and env.state().tobytes() not in known:
            known.add(env.state().tobytes())
            yield env


def continued(env: TableEnv, past: Past) -> Past:
    """The past of all agents after the last action."""
    return {
        agent: (
            *past[agent],
            env.last_action(seat),
            json.dumps(env.view(agent)),
            env.observe(agent)["action_mask"].tobytes(),
        )
        for seat, agent in enumerate(env.possible_agents)
    }


def positions(env: TableEnv, width: int, before: Past | None = None) -> Iterator[tuple[TableEnv, Past]]:
    """This position and those that follow, each with its past; the environment moves on with the next item."""
    past = continued(env, before or dict.fromkeys(env.possible_agents, ()))
    yield env, past
    if env.terminations[env.agent_selection]:
        return
    here = env.get_state()
    for action in legal(env)[:width]:
        env.set_state(here)
        env.step(action)
        yield from positions(env, width, past)


def one_to_one(pairs: set[tuple[Any, Any]]) -> bool:
    """Whether neither side of a pair stands in two pairs."""
    return len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)


# ---------------------------------------------------------------- what a player can tell apart


@pytest.mark.parametrize(("game", "preset", "count", "width"), WALKED)
def test_text_vector_and_key_are_the_same_for_two_histories_exactly_if_the_player_cannot_tell_them_apart(
    game: str, preset: str, count: int, width: int
) -> None:
    """So they recall all that the player has seen, heard and done; at the end only the text shows what is laid open."""
    env, pairs, told = TableEnv(game, preset=preset), defaultdict[str, set[tuple[Any, Any]]](set), 0
    for dealt in islice(deals(env), count):
        for here, past in positions(dealt, width):
            for agent in here.possible_agents:
                told += 1
                pairs[f"text of {agent}"].add((past[agent], here.information_state(agent)))
                if not here.terminations[agent]:
                    pairs[f"vector of {agent}"].add((past[agent], here.information_state_vector(agent).tobytes()))
                    pairs[f"key of {agent}"].add((past[agent], here.information_key(agent).tobytes()))
    assert [name for name, each in pairs.items() if not one_to_one(each)] == []
    assert len(pairs["text of player_0"]) < told / env.num_players  # some histories look the same


# ---------------------------------------------------------------- vectors


@pytest.mark.parametrize(("game", "preset"), MINIATURES)
def test_a_vector_is_in_its_space_and_shows_the_observation_and_every_action_with_what_was_seen_before(
    game: str, preset: str
) -> None:
    env = TableEnv(game, preset=preset)
    space, size = env.information_state_space, env.game.layout.size
    for seed in range(8):
        env.reset(seed=seed)
        rng, seen = np.random.default_rng(seed), {agent: [] for agent in env.possible_agents}
        while True:
            for agent in env.possible_agents:
                vector = env.information_state_vector(agent)
                assert space.contains(vector)
                observation, rows = vector[:size], vector[size:].reshape(-1, size + 2)
                np.testing.assert_array_equal(observation, env.observe(agent)["observation"])
                np.testing.assert_array_equal(rows[: len(seen[agent])], np.array(seen[agent]).reshape(-1, size + 2))
                assert not rows[len(seen[agent]) :].any()
            if env.terminations[env.agent_selection]:
                break
            actor, action = int(env.agent_selection[-1]), int(rng.choice(legal(env)))
            for seat, agent in enumerate(env.possible_agents):
                heard = recall.sounds(env.game)[env._phase_number(), action]
                row = [1 + (actor - seat) % env.num_players, 1 + (action if seat == actor else heard)]
                seen[agent].insert(0, [*row, *env.observe(agent)["observation"].tolist()])
            env.step(action)


# ---------------------------------------------------------------- keys and seats


def keys(env: TableEnv) -> list[bytes]:
    return [env.information_key(agent).tobytes() for agent in env.possible_agents]


def test_a_key_is_the_same_for_the_same_history_and_changes_with_every_action(game: Game) -> None:
    for seed in range(3):
        env, before = TableEnv(game.name), set()
        for moves in range(12):
            played(env, seed, moves)
            if env.terminations[env.agent_selection]:
                break
            now = keys(env)
            assert now == keys(copy.deepcopy(env)) == keys(played(TableEnv(game.name), seed, moves))
            assert before.isdisjoint(now)
            before |= set(now)


# ---------------------------------------------------------------- many games


def tables_of(game: str, batch: Any, **options: Any) -> list[TableEnv]:
    """Environments in which the batch's games have just begun."""
    envs = []
    for seed, players in zip(batch.seeds, batch.num_players, strict=True):
        envs.append(TableEnv(game, int(players), batch.variant, **options))
        envs[-1].reset(seed=int(seed))
    return envs


def rows_of(env: TableEnv, seat: int, count: int) -> np.ndarray:
    """The last events of a seat, as the environment's replay tells them."""
    size = event_rows.row_size(env.game)
    rows, write = np.zeros((count, size), event_rows.row_dtype(env.game)), event_rows.row_writer(env.game)
    states = [replayed._states[:1].copy() for replayed in env._play_again()]
    for row, action, state in zip(rows, env._actions[::-1], states[-2::-1], strict=False):
        write(state, seat, action, row)
    return rows


@pytest.mark.parametrize("history", [1, 5])
def test_a_batch_with_history_shows_the_last_rows_of_the_player_to_act(game: Game, history: int) -> None:
    sizes = list(game.variants[0].sizes)[:3]
    batch, plain = (
        make_batch(game.name, num_games=6, num_players=sizes, seed=5, history=rows) for rows in (history, 0)
    )
    envs = tables_of(game.name, batch)
    for _ in range(60):
        for i, env in enumerate(envs):
            seat = int(batch.current_player[i])
            expected = event_rows.joined(plain.observations[i], rows_of(env, seat, history))
            np.testing.assert_array_equal(batch.observations[i], expected)
            assert batch.observations.dtype == expected.dtype
            np.testing.assert_array_equal(batch.observe([i], [seat])[0][0], expected)
        np.testing.assert_array_equal(batch.action_masks, plain.action_masks)
        actions = plain.random_actions()
        batch.step(actions)
        plain.step(actions)
        for env, action in zip(envs, actions, strict=True):
            env.step(int(action))
        for i in np.flatnonzero(batch.terminated):
            envs[i].reset(seed=int(batch.seeds[i]))


def test_a_finished_game_of_a_batch_shows_its_last_events_to_every_seat() -> None:
    table = {"preset": "mini-1"}
    batch = make_batch("black_jacky", num_games=3, seed=1, history=4, per_seat=True, **table)
    envs, ended = tables_of("black_jacky", batch, **table), 0
    for _ in range(12):
        actions = batch.random_actions()
        batch.step(actions)
        for i, env in enumerate(envs):
            env.step(int(actions[i]))
            if batch.terminated[i]:
                for seat in range(2):
                    shown, _ = batch.observe([i], [seat], final=True)
                    np.testing.assert_array_equal(shown[0], env.information_state_vector(f"player_{seat}"))
                    assert not batch.observe([i], [seat])[0][0, env.game.layout.size :].any()
                    ended += 1
                env.reset(seed=int(batch.seeds[i]))
    assert ended > 4
