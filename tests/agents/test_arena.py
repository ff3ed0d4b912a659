"""Tournaments: who plays whom, what duplicate deals are, what is kept, and how it goes on."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import chain
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

from blackjacky_agents import CompiledAgent, make_agent
from blackjacky_agents.arena import results_file
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_agents.arena.standings import deal_means, stopping_widths
from blackjacky_agents.arena.table import decode_actions, encode_actions
from blackjacky_agents.arena.tournament import Tournament, copies_lineups, mixed_lineups
from blackjacky_agents.files import FolderInUseError
from blackjacky_env import black_jacky_v0
from blackjacky_env.engine.compiling import PLAIN
from blackjacky_env.engine.game import IllegalActionError
from blackjacky_env.engine.play import _turn_function
from blackjacky_env.games import get_game
from blackjacky_env.replay import new_table
from tests.policies import last_legal

NAMES = ["random", "threshold", "trickster"]


def from_outside(name, called=None):
    """The bot as an agent that is not compiled."""
    bot = make_agent(name)
    return SimpleNamespace(name=called or f"{name} from outside", reset=bot.reset, act_batch=bot.act_batch)


def rows_of(tournament):
    """All games as plain lists."""
    games = tournament.games()
    return games.seats.tolist(), games.winners.tolist(), games.scores.tolist()


# ---------------------------------------------------------------- line-ups


@pytest.mark.parametrize("agents", range(2, 9))
@pytest.mark.parametrize("num_players", range(2, 7))
def test_in_mixed_line_ups_everybody_sits_about_as_often(agents, num_players):
    lineups = mixed_lineups(agents, num_players)
    assert len(set(lineups)) == len(lineups)
    for lineup in lineups:
        seats = [lineup.count(agent) for agent in range(agents)]
        assert (sum(seats), max(seats) - min(seats) <= 1) == (num_players, True)
    assert len(set(Counter(chain(*lineups)).values())) == 1
    meetings = Counter((a, b) for lineup in lineups for a in lineup for b in lineup if a < b)
    assert len(meetings) == agents * (agents - 1) // 2  # so that the pairwise matrix is filled


def test_copies_are_one_of_each_against_each_other():
    assert copies_lineups(2, 4) == [(0, 1, 1, 1), (1, 0, 0, 0)]
    assert len(copies_lineups(5, 2)) == 20


# ---------------------------------------------------------------- deals


@pytest.mark.parametrize(("num_players", "lineups"), [(2, "copies"), (3, "mixed"), (4, "mixed"), (5, "copies")])
def test_each_turn_of_a_deal_has_the_same_key_and_everybody_one_seat_further(num_players, lineups):
    table = Tournament(NAMES, num_players, lineups, seed=3).table
    seeds, seats = table.schedule(0, 20 * num_players)
    for deal in range(20):
        part = slice(deal * num_players, (deal + 1) * num_players)
        first = seats[part][0]
        assert sorted(first.tolist()) == sorted(table.lineups[deal % len(table.lineups)])
        assert seats[part].tolist() == [np.roll(first, turn).tolist() for turn in range(num_players)]
        assert len(set(seeds[part].tolist())) == 1
    assert len(set(seeds.tolist())) == 20
    assert (seeds >= 0).all()
    again = [table.schedule(number, 1) for number in range(20 * num_players)]
    assert [(seed[0], seat[0].tolist()) for seed, seat in again] == list(zip(seeds, seats.tolist(), strict=True))


def test_agents_sit_in_every_order():
    _, seats = Tournament(NAMES, 3).table.schedule(0, 300)
    assert len(set(map(tuple, seats.tolist()))) == 6


def test_no_game_is_played_twice_where_copies_make_turns_alike():
    seeds, seats = Tournament(["random", "threshold"], 4).table.schedule(0, 400)
    games = Counter((int(seed), tuple(row)) for seed, row in zip(seeds, seats.tolist(), strict=True))
    assert max(games.values()) == 1
    alike = [row.tolist() for row in seats[::4] if row[0] == row[2]]
    assert alike  # random, threshold, random, threshold
    assert len(set(seeds.tolist())) == 100 + len(alike)


def test_without_duplicates_only_the_seats_move_on():
    seeds, seats = Tournament(NAMES, 3, duplicate=False).table.schedule(0, 30)
    assert len(set(seeds.tolist())) == 30
    assert seats.tolist() == Tournament(NAMES, 3).table.schedule(0, 30)[1].tolist()


def test_equal_agents_win_equally_much_of_every_deal():
    twins = [from_outside("threshold", name) for name in "abc"]
    tournament = Tournament(twins, 3)
    tournament.play(30, threads=1)
    by_seat = tournament.games().shares
    assert (by_seat == by_seat[:, :1]).all()  # the seat decides, whoever sits there
    means = deal_means(tournament.games(), by_seat)
    assert means == pytest.approx(np.broadcast_to(means[:, :1], means.shape))


# ---------------------------------------------------------------- games


@pytest.mark.parametrize(
    ("agents", "num_players", "options"),
    [
        (NAMES, 3, {}),
        (NAMES, 4, {"lineups": "copies"}),
        (NAMES, 3, {"variant": "schnell_duell", "bust_at": 18, "hearts": 1}),
        (["random", "threshold", from_outside("random")], 3, {}),
    ],
)
def test_games_are_those_of_the_environment(agents, num_players, options):
    tournament = Tournament(agents, num_players, seed=6, **options)
    tournament.play(48, threads=1)
    games = tournament.games()
    for number in range(0, 48, 5):
        record = tournament.replay(number)
        env = new_table(record)
        env.replay(record)
        deal, turn = divmod(number, num_players)
        assert env.snapshot()["hearts"] == games.scores[deal, turn].tolist()
        assert list(env.rewards.values()) == pytest.approx(games.rewards[deal, turn].tolist())
    if all(agent in NAMES for agent in agents):
        seeds, seats = tournament.table.schedule(0, 48)
        options = {name: value for name, value in options.items() if name != "lineups"}
        shares = [
            play_games([make_agent(name) for name in NAMES], seat[None], int(seed), **options)[0]
            for seed, seat in zip(seeds, seats, strict=True)
        ]
        np.testing.assert_array_equal(games.shares.reshape(48, -1), shares)


@pytest.mark.parametrize("lineups", ["mixed", "copies"])
def test_agents_that_are_not_compiled_play_as_if_they_were(lineups):
    bot = make_agent("threshold")  # which never chooses at random
    twin = CompiledAgent("twin", "black_jacky", bot.policy, bot.parameters)
    compiled = Tournament([*NAMES, twin], 3, lineups, seed=7)
    mixed = Tournament([*NAMES, from_outside("threshold", "twin")], 3, lineups, seed=7)
    for tournament in (compiled, mixed):
        tournament.play(36, threads=1)
    assert rows_of(mixed) == rows_of(compiled)
    assert [mixed.replay(n) for n in (0, 17, 35)] == [compiled.replay(n) for n in (0, 17, 35)]


def test_long_games_are_kept_whole():
    lineups = [["random", *["random from outside"] * 5]]
    tournament = Tournament([*NAMES, from_outside("random")], 6, lineups, hearts=9, max_turns_per_round=None)
    tournament.play(6, threads=1)
    assert max(len(tournament.replay(number)["actions"]) for number in range(6)) > 256


@pytest.mark.parametrize(
    ("num_actions", "actions", "text"),
    [(256, [0, 60, 255], "ADz/"), (4097, [0, 255, 256, 257, 4096], "AAD/AAABAQEAEA==")],
)
def test_actions_are_written_as_text_and_read_again(num_actions, actions, text):
    """A byte each, or two for games with many actions, as files of earlier tournaments hold them."""
    assert encode_actions(np.array(actions, np.int16), num_actions) == text
    assert decode_actions(text, num_actions) == actions


def test_neither_threads_nor_sessions_change_anything():
    whole = Tournament(NAMES, 3, seed=8)
    whole.play(600, threads=1)
    parts = Tournament(NAMES, 3, seed=8)
    for games in (30, 31, 300, 600):
        parts.play(games, threads=3)
    assert (whole.played, parts.played) == (600, 600)
    assert rows_of(whole) == rows_of(parts)


def test_an_agent_that_cannot_be_sent_to_processes_is_named():
    alone = from_outside("threshold")
    alone.reset = lambda seed: None
    tournament = Tournament([alone, from_outside("random")], 2)
    with pytest.raises(TypeError, match=r"cannot be sent to other processes.*use threads=1"):
        tournament.play(2, threads=2)
    tournament.play(2, threads=1)
    assert tournament.played == 2


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (lambda observations, masks: np.zeros(len(masks), np.int64), "agent 'odd' chose action 0, which is not legal"),
        (lambda observations, masks: np.full(len(masks), 61), "agent 'odd' chose action 61, which is not legal"),
        (lambda observations, masks: np.zeros(len(masks)), "agent 'odd' returned float64 of shape"),
        (lambda observations, masks: [30] * 99, r"agent 'odd' returned int64 of shape \(99,\); allowed are"),
    ],
)
def test_an_illegal_choice_names_the_agent(choice, message):
    odd = SimpleNamespace(name="odd", reset=lambda seed: None, act_batch=choice)
    tournament = Tournament([odd, from_outside("random")], 2)
    with pytest.raises(IllegalActionError, match=message):
        tournament.play(40, threads=1)


# ---------------------------------------------------------------- stopping


def test_a_tournament_stops_when_the_intervals_are_narrow_enough():
    played = []
    for threads in (1, 2):
        tournament = Tournament(NAMES, 2, seed=10)
        tournament.play(20_000, until=0.06, threads=threads)
        played.append(tournament.played)
        assert stopping_widths(tournament.games()).max() <= 0.06
    assert played[0] == played[1]
    assert 400 < played[0] < 8000
    tournament.play(20_000, until=0.06)
    assert tournament.played == played[0]
    tournament.play(played[0] + 60)
    assert tournament.played == played[0] + 60


def test_a_tournament_ends_where_it_was_told_to_even_if_intervals_are_wide():
    tournament = Tournament(NAMES, 2)
    told = []
    tournament.play(401, until=0.001, threads=1, progress=told.append)
    assert tournament.played == 402  # whole deals
    assert told[-1] == 402
    assert told == sorted(set(told))


# ---------------------------------------------------------------- the file


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


def kept(path, games=30, **changes):
    """A tournament that is kept at this place."""
    tournament = Tournament(**{"agents": NAMES, "num_players": 3, "seed": 4, "results": path, **changes})
    tournament.play(games, threads=1)
    return tournament


def test_a_tournament_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "new" / "games.jsonl"
    kept(path, 30)
    first = path.read_bytes()
    again = kept(path, 60)
    assert path.read_bytes().startswith(first)
    assert rows_of(again) == rows_of(kept(tmp_path / "other.jsonl", 60))
    assert path.read_bytes() == (tmp_path / "other.jsonl").read_bytes()
    assert path.stat().st_size / 60 < 100  # 100,000 games are kept in 10 megabytes
    assert again.seconds > 0
    read = Tournament(NAMES, 3, seed=4, results=path)
    assert read.played == 60
    assert read.seconds == pytest.approx(again.seconds, abs=0.01)


def test_each_line_is_a_game_that_can_be_played_again(path):
    tournament = kept(path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["game"] for line in lines] == list(range(30))
    for line in lines[::7]:
        env = black_jacky_v0.env(num_players=3)
        env.reset(seed=line["seed"])
        for action in tournament.replay(line["game"])["actions"]:
            env.step(action)
        assert env.snapshot()["winners"] == line["winners"]
        assert env.snapshot()["hearts"] == line["hearts"]
    setup = json.loads(path.with_suffix(".json").read_text("utf-8"))["setup"]
    assert (setup["num_players"], setup["seed"], setup["lineups"]) == (3, 4, [NAMES])


def test_a_tournament_that_was_stopped_between_file_and_card_goes_on_in_the_same_program(path, monkeypatch):
    tournament = kept(path)
    with monkeypatch.context() as patched:
        patched.setattr(results_file, "write_json", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            tournament.play(60, threads=1)
    tournament.play(60, threads=1)
    assert Tournament(NAMES, 3, seed=4, results=path).played == tournament.played == 60


@pytest.mark.parametrize("cut", [1, 20])
def test_a_last_line_that_was_cut_short_is_played_again(path, cut):
    kept(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert Tournament(NAMES, 3, seed=4, results=path).played == 29
    kept(path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('{"game":7,', '{"game":7;', "line 8: it is not JSON"),
        ('{"game":7,', '{"game":8,', "line 8: it holds game 8 instead of 7"),
        ('{"game":7,', '{"number":7,', "line 8: it does not hold game, seed, seats, winners, hearts and sha"),
        ('{"game":7,"seed":', '{"game":7,"seed":1', "line 8: seed and seats are not those of this game"),
        (r'"winners":\[', '"winners":[7,', r"line 1: winners=\[7,.* are not seats in order"),
        (r'"winners":\[', '"winners":[0,0,', "line 1: winners=.* are not seats in order"),
        (r'"winners":\[.*?\]', '"winners":[]', "line 1: its checksum is wrong"),
        (r'"hearts":\[', '"hearts":[0,', "line 1: hearts=.* are not 3 integers"),
        (r'"hearts":\[.*?\]', f'"hearts":[{10**30},0,0]', "line 1: hearts=.* are not 3 integers"),
        (r'"hearts":\[.*?\]', '"hearts":[-5,99,0]', "line 1: its checksum is wrong"),
        ("\n", "\n\n", "line 2: it is not JSON"),
    ],
)
def test_a_damaged_line_is_named(path, old, new, message):
    kept(path)
    damaged = re.sub(old, new, path.read_text("utf-8"), count=1)
    path.write_text(damaged, "utf-8")
    with pytest.raises(ValueError, match=f"games.jsonl, {message}; the file is damaged"):
        kept(path)
    assert path.read_text("utf-8") == damaged


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 5}, "holds games with seed=4, not seed=5"),
        ({"agents": ["random", "counter", "trickster"]}, "with agents=.*'threshold'.*, not agents=.*'counter'"),
        ({"agents": [*NAMES, "counter"]}, "with agents='3 of them', not agents='4 of them'"),
        ({"lineups": "copies"}, r"with lineups=\['random', 'threshold', 'trickster'\], not lineups="),
        ({"hearts": 2}, "with options={'hearts': 3}, not options={'hearts': 2}"),
        ({"num_players": 2}, "with num_players=3, not num_players=2"),
        ({"variant": "schnell_duell"}, "with variant='classic', not variant='schnell_duell'"),
        ({"duplicate": False}, "with duplicate=True, not duplicate=False"),
    ],
)
def test_games_of_another_tournament_are_refused_by_name(path, changes, message):
    kept(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        kept(path, **changes)
    assert path.read_bytes() == before


def test_games_of_other_versions_or_of_a_changed_agent_are_refused(path):
    kept(path)
    card = path.with_suffix(".json")
    text = card.read_text("utf-8")
    setup = json.loads(text)["setup"]
    for old, new, message in [
        (f'"numba": "{setup["versions"]["numba"]}"', '"numba": "0.1"', "versions={'numba': '0.1'}"),
        (setup["agents"][1]["code"], "0" * 16, "agents={'name': 'threshold', 'code': '0000"),
        (setup["rules"], "0" * 16, "rules='0000"),
    ]:
        card.write_text(text.replace(old, new), "utf-8")
        with pytest.raises(ValueError, match=f"holds games with {message}"):
            kept(path)


def test_a_tournament_killed_before_it_wrote_its_card_can_begin_again(tmp_path, path, monkeypatch):
    """What is written first is the games' empty file."""
    with monkeypatch.context() as killed:
        killed.setattr(results_file, "write_json", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            kept(path)
    assert [each.name for each in tmp_path.iterdir() if not each.name.startswith(".")] == ["games.jsonl"]
    kept(path)
    assert path.stat().st_size


def test_a_file_without_its_card_and_a_card_without_its_file_are_refused(tmp_path, path):
    kept(path)
    card = path.with_suffix(".json")
    text = card.read_text("utf-8")
    card.write_text(text[:50], "utf-8")
    with pytest.raises(ValueError, match=r"games.json is not the card of a tournament, or is damaged"):
        kept(path)
    card.unlink()
    with pytest.raises(ValueError, match=r"games.jsonl has no card games.json beside it"):
        kept(path)
    card.write_text(text, "utf-8")
    path.unlink()
    with pytest.raises(ValueError, match="has no games"):
        kept(path)
    with pytest.raises(ValueError, match=r"is not named NAME.jsonl"):
        kept(tmp_path / "games.txt")


def test_a_game_that_cannot_be_replayed_is_named(tmp_path):
    tournament = kept(tmp_path / "games.jsonl")
    tournament._joined().winners[2] ^= True
    with pytest.raises(ValueError, match="game 2 ends differently than recorded"):
        tournament.replay(2)
    with pytest.raises(ValueError, match=r"game=30 is out of range; allowed are 0 .. 29"):
        tournament.replay(30)
    with pytest.raises(ValueError, match="no game has been played yet"):
        Tournament(NAMES, 3).replay(0)


def test_reading_results_changes_nothing(tmp_path, path):
    """As `watch` does beside a tournament that is playing."""
    kept(path)
    path.write_bytes(path.read_bytes() + b'{"game":30,"se')
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    assert Tournament(NAMES, 3, seed=4, results=path).replay(29)["actions"]
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_only_one_process_plays_into_a_folder_and_the_other_is_told_which(tmp_path, path):
    one, other = (Tournament(NAMES, 3, seed=4, results=path) for _ in range(2))

    def meanwhile(played):
        said = rf"is being written by process {os.getpid()} on .*use another folder"
        with pytest.raises(FolderInUseError, match=said):
            other.play(60)

    one.play(30, threads=1, progress=meanwhile)
    other.play(60, threads=1)  # knows what the first has played since
    alone = tmp_path / "alone" / "games.jsonl"
    kept(alone, 60)
    assert path.read_bytes() == alone.read_bytes()


def test_a_folder_is_taken_over_from_a_process_that_was_killed(tmp_path, path):
    code = (
        "import sys; from blackjacky_agents.files import only_writer; from pathlib import Path\n"
        "with only_writer(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        said = rf"process {process.pid} on \S+ \(-c {re.escape(str(tmp_path))}\); wait"
        with pytest.raises(FolderInUseError, match=said):
            kept(path)
        process.kill()
    (tmp_path / ".games.json.123.part").write_text("left by a kill")
    assert kept(path).played == 30
    assert not list(tmp_path.glob("*.part"))


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": ["random"]}, r"agents=\['random'\] are too few; a tournament needs at least 2"),
        ({"agents": ["random", "random"]}, "'random' is named 2 times; copies belong in line-ups"),
        ({"agents": ["random", "cuonter"]}, "did you mean 'counter'"),
        ({"lineups": "pairs"}, "lineups='pairs' is unknown; allowed are 'mixed', 'copies' and a list"),
        ({"lineups": []}, r"lineups=\[\] is empty"),
        ({"lineups": [["random", "counter", "random"]]}, "has 'counter', which is not one of the agents: random, thr"),
        ({"lineups": [["random", "threshold"]]}, "has 2 agents, not num_players=3"),
        ({"num_players": 7}, r"num_players=7 is out of range; allowed are 2 .. 6"),
        ({"seed": -1}, r"seed=-1 is out of range"),
        ({"hearts": 0}, "hearts=0"),
    ],
)
def test_what_cannot_be_played_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Tournament(**{"agents": NAMES, "num_players": 3, **arguments})


def test_what_is_no_agent_or_plays_another_game_is_named():
    with pytest.raises(TypeError, match="has no act_batch; agents have name, reset and act_batch"):
        Tournament(["random", SimpleNamespace(name="x", reset=None)])
    elsewhere = from_outside("random")
    elsewhere.game = "halunken"
    with pytest.raises(ValueError, match="plays halunken, not black_jacky"):
        Tournament(["random", elsewhere])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "games=0 is out of range"),
        ({"games": 3, "until": 0.0}, "until=0.0 is out of range; allowed are widths above 0 and below 1"),
        ({"games": 3, "threads": 0}, "threads=0 is out of range"),
    ],
)
def test_wrong_numbers_are_named_before_anything_is_played(arguments, message):
    tournament = Tournament(NAMES, 3)
    with pytest.raises(ValueError, match=message):
        tournament.play(**arguments)
    assert tournament.played == 0


def test_a_table_that_plays_nothing_is_compiled_for_all_threads():
    table = Tournament(NAMES, 3).table
    assert len(table.play(0, 0).seeds) == 0
    assert PLAIN or len(_turn_function(get_game("black_jacky"), False).signatures) == 1


MINE = CompiledAgent("threshold", "black_jacky", last_legal)
"""Not the shipped agent of that name."""


@pytest.mark.parametrize("agents", [[*NAMES, from_outside("threshold")], [MINE, from_outside("trickster")]])
def test_agents_that_are_not_compiled_play_in_processes(agents):
    here, there = (Tournament(agents, 2, seed=9) for _ in range(2))
    here.play(40, threads=1)
    there.play(40, threads=2)
    assert rows_of(here) == rows_of(there)
    assert here.replay(39) == there.replay(39)
