"""Targets of tournaments and scores: results files, datasets and cards."""

import copy
from datetime import date
from functools import cache
from hashlib import sha256

import numpy as np

from blackjacky_agents.arena.fixture import LineupFixture
from blackjacky_agents.arena.protocol import ZERO, find_protocol, read_protocol, total, tournaments
from blackjacky_agents.arena.score_card import Circumstances, Entry, check_games, make_card, read_score_card
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.cli import watch
from blackjacky_agents.data import Dataset
from blackjacky_agents.data.writing import Writer
from blackjacky_agents.games import get_kit
from blackjacky_agents.registry import agent_names, make_agent
from blackjacky_env.games import DEFAULT, GAMES, get_game
from tests.fuzzing.target import INPUT_ERRORS, Target, folder, written

_GAMES = 12


class First:
    """An agent in Python, whose actions are therefore kept in results files: the first legal one."""

    name = "first"

    def reset(self, seed=None):
        """Nothing to reset."""

    def act_batch(self, observations, masks):
        return np.argmax(masks, axis=1)


@cache
def _results(compiled):
    path = folder() / f"results_{compiled}.jsonl"
    tournament = Tournament(["random", agent_names(DEFAULT)[1] if compiled else First()], results=path)
    tournament.play(4, threads=1)
    return tournament, path.read_bytes()


def _read_results(data):
    made, _ = _results(b'"actions"' not in data)
    tournament = copy.copy(made)
    file = copy.copy(made._file)
    file.path, tournament._file = written("copy.jsonl", _sealed(data)), file
    tournament._read(file.read())
    tournament.games()
    tournament.replay(0)


def _sealed(data):
    """The lines with the seal that belongs to them: whoever changes one can write that, too."""
    body, end, last = data.rstrip(b"\n").rpartition(b"\n")
    seal = b'{"sha256": "%b"}\n' % sha256(body + end).hexdigest().encode()
    return body + end + seal if b"sha256" in last else data


def _read_head(data):
    _, _, games = _results(True)[1].partition(b"\n")
    watch.from_tournament(written("copy.jsonl", _sealed(data + b"\n" + games)), 0)


def _descriptions():
    game, names = get_game(DEFAULT), ("random", agent_names(DEFAULT)[1])
    size, variant = game.choose_table(2)
    agents = tuple(make_agent(name, DEFAULT) for name in names)
    table = LineupFixture(DEFAULT, variant, size, game.check_options(size, variant, {}), agents, 0, ((0, 1),), False)
    Writer(folder() / "data", table, "blackjacky dataset", "CC0-1.0").write(4, threads=1)
    return [(folder() / "data" / "dataset.json").read_bytes()]


def _read_description(data):
    (folder() / "data" / "dataset.json").write_bytes(data)
    for batch in Dataset(folder() / "data").batches(64, buffer=2**12, transitions=True):
        assert batch["action_mask"][np.arange(len(batch["action"])), batch["action"]].all()


@cache
def _score_cards():
    protocol, agent = find_protocol(DEFAULT), make_agent(ZERO, DEFAULT)
    played = tournaments(protocol, agent)
    for each in played:
        each.play(total(each, _GAMES), threads=1)
    run = Circumstances(command="", date=date(2026, 1, 31), seconds=1.5, move_microseconds=1.5, machine={}, versions={})
    return [make_card(protocol, _GAMES, agent, Entry(), played, run).model_dump_json().encode()]


def _read_score_card(data):
    check_games(read_score_card(written("card.json", data)))


def _protocols():
    return [path.read_bytes() for game in GAMES if (path := get_kit(game).score) is not None]


TARGETS = (
    Target("results", _read_results, (ValueError,), lambda: [_results(True)[1], _results(False)[1]], 0.2),
    Target("results_head", _read_head, INPUT_ERRORS, lambda: [_results(True)[1].partition(b"\n")[0]], 0.1),
    Target("dataset", _read_description, INPUT_ERRORS, _descriptions, 0.2),
    Target("score_card", _read_score_card, (ValueError,), _score_cards, 0.2),
    Target("protocol", lambda data: read_protocol(written("table.json", data)).sha256, (ValueError,), _protocols, 0.5),
)
