"""Keys of information states: equal exactly if a seat cannot tell two histories apart."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from blackjacky_env.engine.game import Game
from blackjacky_env.engine.recall import sounds
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game

SMALL = {"num_players": 2, "max_card": 3, "hand_size": 1, "hearts": 1, "bust_at": 5, "max_turns_per_round": 3}


def played(env: TableEnv, seed: int, moves: int, **options: object) -> TableEnv:
    """The environment after random moves."""
    env.reset(seed=seed, options=options)
    rng = np.random.default_rng(seed)
    for _ in range(moves):
        if env.terminations[env.agent_selection]:
            break
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    return env


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


def test_what_a_seat_cannot_see_does_not_change_its_key() -> None:
    """Another draw pile, another opponent's hand: only who holds the other card can tell."""
    env = TableEnv("black_jacky", **SMALL)
    decks = {"one": [1, 2, 3, 2, 3, 3], "pile": [1, 2, 3, 3, 2, 3], "hand": [1, 3, 3, 2, 2, 3]}
    found = {name: keys(played(env, 0, 0, deck=deck, start_player=0)) for name, deck in decks.items()}
    assert found["one"] == found["pile"]
    assert found["one"][0] == found["hand"][0]
    assert found["one"][1] != found["hand"][1]


def test_seats_are_relative() -> None:
    """The same deal and actions with the other seat starting: the keys change places."""
    deck = [1, 2, 3, 2, 3, 3]
    for moves in range(5):
        one, other = (
            keys(played(TableEnv("black_jacky", **SMALL), 3, moves, deck=deck, start_player=start)) for start in (0, 1)
        )
        assert one == other[::-1]


def test_a_card_given_in_secret_is_known_to_its_giver_alone() -> None:
    """T3: others, and whoever has not yet given, hear that a card was given, not which."""
    game, compared = get_game("black_jacky"), 0
    for seed in range(60):
        env = TableEnv("black_jacky", num_players=4)
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not env.terminations[env.agent_selection]:
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            first = env.snapshot()["phase"] == "exchange" and env.snapshot()["exchange"]["given"] == [None, None]
            if first and len(legal) > 1:
                giver = int(env.agent_selection[-1])
                found = []
                for action in legal[:2]:
                    twin = copy.deepcopy(env)
                    twin.step(int(action))
                    found.append(keys(twin))
                assert [one != other for one, other in zip(*found, strict=True)] == [q == giver for q in range(4)]
                compared += 1
            env.step(int(rng.choice(legal)))
        if compared > 3:
            break
    assert compared > 3
    assert sounds(game).shape == (len(game.words.phases), game.num_actions)


def test_a_position_without_history_has_a_key_from_there_on() -> None:
    env = TableEnv("black_jacky", **SMALL)
    played(env, 0, 2)
    other = TableEnv("black_jacky", **SMALL)
    other.set_state(env.get_state())
    assert keys(other) == keys(env)
    with pytest.raises(ValueError, match="unknown agent"):
        env.information_key("player_9")
