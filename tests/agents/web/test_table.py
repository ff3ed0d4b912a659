"""A table without a network: whose turn, what is told to whom, and that it can be put away and taken up again."""

import errno
import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import numpy as np
import pytest

from blackjacky_agents.web import seats as seats_module
from blackjacky_agents.web.messages import MessageError
from blackjacky_agents.web.seats import seats_for
from blackjacky_agents.web.server import Server
from blackjacky_agents.web.table import Table, resumed
from blackjacky_env.envs.aec import TableEnv
from tests.agents.web.tables import as_sent, new_table, play_on

pytestmark = pytest.mark.usefixtures("tiny")


def kept(folder, **options):
    table = new_table(**options)
    table.path = folder / "table.jsonl"
    table.save()
    return table


def test_what_is_not_allowed_is_named_and_changes_nothing():
    table = new_table(people=2, players=2, hints="random")
    turn, before = table.turn, table.env.snapshot()
    other, legal = 1 - turn, [each["action"] for each in table.actions(turn)]
    illegal = next(action for action in range(table.env.game.num_actions) if action not in legal)
    for do, code, *arguments in [
        (table.act, "turn", other, 0, legal[0]),
        (table.act, "stale", turn, -1, legal[0]),
        (table.act, "stale", turn, 1, legal[0]),
        (table.act, "illegal", turn, 0, illegal),
        (table.act, "illegal", turn, 0, -1),
        (table.act, "illegal", turn, 0, 10**4000),
        (table.hint, "turn", other, 0),
        (table.hint, "stale", turn, 1),
        (table.outlook, "turn", other, 0, legal[0]),
        (table.outlook, "illegal", turn, 0, illegal),
        (new_table().hint, "agent", turn, 0),
    ]:
        with pytest.raises(MessageError) as error:
            do(*arguments)
        assert error.value.code == pickle.loads(pickle.dumps(error.value)).code == code
        assert (table.env.snapshot(), table.move) == (before, 0)
    assert table.state(other)["actions"] == []
    assert table.hint(turn, 0)() in legal
    table.act(turn, 0, legal[0])
    with pytest.raises(MessageError, match=r"this was for move 0; now it is move 1"):
        table.act(turn, 0, legal[0])


def test_the_record_is_there_when_the_game_is_over_and_another_game_can_begin(game):
    table = new_table(game.name)
    with pytest.raises(MessageError, match="available after the game"):
        table.record()
    with pytest.raises(MessageError, match="not over yet"):
        table.again()
    play_on(table, np.random.default_rng(3))
    env = TableEnv(game.name, 3, **table.env.options)
    env.replay(as_sent(table.record())["record"])
    assert env.snapshot() == table.env.snapshot()
    last, old = table.move, table.env.record()["key"]
    table.again()
    assert table.move > last
    assert not table.over
    assert table.env.record()["key"] != old
    with pytest.raises(MessageError, match="available after the game"):
        table.record()


def test_a_table_is_taken_up_again_where_it_was(game, tmp_path):
    table, rng = kept(tmp_path, game=game.name, people=2, hints="random"), np.random.default_rng(5)
    table.rename(0, "Zoë")
    play_on(table, rng)
    table.again()
    play_on(table, rng, moves=4)
    assert list(tmp_path.iterdir()) == [tmp_path / "table.jsonl"]
    assert (tmp_path / "table.jsonl").stat().st_mode & 0o077 == 0
    with (tmp_path / "table.jsonl").open("a") as file:
        file.write("1")  # a move that was not written whole
    again = resumed(tmp_path / "table.jsonl")
    os.utime(again.path, (1000, 1000))
    assert resumed(again.path).path.stat().st_mtime == 1000  # so that a finished table is a day old some time
    assert again.people == table.people
    assert (again.move, again.turn, again.over) == (table.move, table.turn, table.over)
    assert again.env.snapshot() == table.env.snapshot()
    for seat in table.people:
        assert as_sent(again.state(seat)) == as_sent(table.state(seat))
    play_on(again, rng)
    assert resumed(again.path).over


def test_a_game_goes_on_when_it_cannot_be_kept_and_is_kept_again_as_soon_as_it_can_be(tmp_path):
    table = new_table(people=2, players=2)
    table.path = tmp_path / "gone" / "table.jsonl"
    with pytest.warns(UserWarning, match=r"gone.*this game continues, and is saved as soon as that is possible"):
        play_on(table, np.random.default_rng(0), moves=2)
    table.path.parent.mkdir()
    for moves in (3, 4):
        play_on(table, np.random.default_rng(0), moves=1)
        assert resumed(table.path).move == table.move == moves


@pytest.mark.parametrize("change", [lambda table: table.again(), lambda table: table.rename(0, "Zoë")])
def test_what_cannot_be_saved_is_not_done(tmp_path, monkeypatch, change):
    """Otherwise the moves of a new game would be added to the file of the old one."""
    table = kept(tmp_path, people=2, players=2)
    play_on(table, np.random.default_rng(0))
    before, written = as_sent(table.state(0)), table.path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(MessageError, match="could not be saved, so nothing has changed: No space left"):
            change(table)
    assert as_sent(table.state(0)) == before
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == {table.path: written}
    change(table)
    assert resumed(table.path).move == table.move


def test_nobody_at_a_table_has_a_name_that_looks_like_anothers_and_agents_have_names_of_their_own():
    table = Table("black_jacky", seats_for("black_jacky", ["Anna", "Bob"], ["random"]))
    for name in ("Bob", "BOB", "fips", "Bob\ufe0f", "B\u034fob", "\uff22\uff4f\uff42", "B o b"):
        with pytest.raises(MessageError, match="somebody at this table is called"):
            table.rename(0, name)
    table.rename(0, "anna")
    assert table.seats[0].name == "anna"
    with pytest.raises(MessageError, match="somebody at this table is called"):
        Table("black_jacky", seats_for("black_jacky", ["Bob", "b\u3164OB"], ["random"]))
    with pytest.raises(MessageError, match="printable characters"):
        seats_for("black_jacky", ["\u2800"], ["random"])

    def names(people, agents):
        return [seat.name for seat in seats_for("black_jacky", people, agents) if seat.agent]

    once = names(["Anna"], ["counter", "counter", "random", "python:unknown"])
    assert len(set(once)) == 4
    assert names(["Anna"], ["counter"]) == once[:1]
    assert once[0] not in names([once[0].upper()], ["counter"])


@pytest.mark.parametrize(
    ("agents", "adviser"),
    [(["random"] * 2, "counter"), (["threshold", "champion"], "champion"), (["threshold"], "threshold")],
)
def test_hints_come_from_the_strongest_agent_at_the_table(agents, adviser):
    assert Table("black_jacky", seats_for("black_jacky", ["Anna"], agents)).hints == adviser


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"[]\n", b"[" * 100_000 + b"\n", b"null\n3\n", b'{"format": 1}\n'])
def test_garbage_in_the_folder_of_tables_does_not_stop_the_server(tmp_path, content):
    (tmp_path / "garbage.jsonl").write_bytes(content)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.warns(UserWarning, match="holds no table that can be continued") as warned:
        assert Server(tmp_path).tables() == []
    assert len(warned) == 4


def changed(seat, **change):
    seats = [{"name": "Anna", "agent": None, "token": "token-0"}]
    seats += [{"name": name, "agent": "random", "token": None} for name in ("Fips", "Lotte")]
    seats[seat] |= change
    return {"seats": seats}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("60\n", "IllegalActionError"),
        ({"format": 0}, "format=0 is not 2"),
        ({"seats": [{"name": "x"}]}, "num_players"),
        (changed(0, token=None), "a token is 1"),
        (changed(0, token=""), "a token is 1"),
        (changed(1, token="token-1"), "either an agent or a token of its own"),
        (changed(0, name="A" * 100_000), "1 .. 20 printable characters"),
        (changed(0, name="Fip\u034fs"), "somebody at this table is called"),
        (changed(1, agent=None, token="token-0", name="B"), "a token of its own"),
        (changed(0, token="token-0") | {"watch": "token-0"}, "a token of its own"),
        (changed(1, agent="cuonter", name="cuonter"), "unknown agent 'cuonter'"),
        ({"earlier": -1}, "earlier=-1 is out of range"),
    ],
)
def test_a_file_that_holds_no_table_is_refused(tmp_path, change, message):
    """Also one that would be served, and then fail because of a seat that nobody has."""
    saved = kept(tmp_path).path
    first, *_ = saved.read_text("utf-8").splitlines(keepends=True)
    end = change if isinstance(change, str) else ""
    header = first if end else json.dumps({**json.loads(first), **change}) + "\n"
    saved.write_text(header + end, "utf-8")
    with pytest.raises(ValueError, match=f"holds no table that can be continued: .*{message}") as error:
        resumed(saved)
    assert len(str(error.value)) < 1000


class Slow:
    """An agent that thinks until it may go on, and notes when it is reset and whom it was asked by."""

    def __init__(self):
        self.begun, self.may_go_on, self.resets, self.thinks, self.asked_by = Event(), Event(), [], False, set()

    def reset(self, seed=None):
        self.resets.append(self.thinks)

    def act(self, observation):
        self.thinks = True
        self.begun.set()
        assert self.may_go_on.wait(60)
        self.thinks = False
        return int(observation["action_mask"].argmax())


def test_an_agent_is_reset_between_games_but_not_while_it_thinks(monkeypatch):
    agent = Slow()
    monkeypatch.setattr(seats_module, "make_agent", lambda name, game: agent)
    table = next(table for seed in range(20) if (table := new_table(players=2, seed=seed)).turn == 1)
    with ThreadPoolExecutor(1) as pool:
        thinking, late = pool.submit(table.thought()), table.thought()
        assert agent.begun.wait(60)
        table.restart()
        agent.may_go_on.set()
        thinking.result()
        with pytest.raises(MessageError, match="another game has begun"):
            late()
    while table.turn == 0:
        table.restart()
    table.thought()()
    assert agent.resets == [False, False]


def test_an_agent_that_gives_hints_gives_them_to_one_seat(monkeypatch):
    """So it tells nobody what it has heard of another's cards."""
    made = []
    monkeypatch.setattr(seats_module, "make_agent", lambda name, game: made.append(Slow()) or made[-1])
    table = new_table(people=2, players=2, hints="random")
    for agent in made:
        agent.may_go_on.set()
    for _ in range(6):
        seat, hint = table.turn, table.hint(table.turn, table.move)
        for agent in made:
            agent.begun.clear()
        table.play(hint())
        next(agent for agent in made if agent.begun.is_set()).asked_by.add(seat)
    assert sorted(map(sorted, (agent.asked_by for agent in made))) == [[0], [1]]
