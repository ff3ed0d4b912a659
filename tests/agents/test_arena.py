"""Tournaments: who plays whom, what duplicate deals are, what is kept, and how it goes on."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest

from blackjacky_agents import CompiledAgent, make_agent
from blackjacky_agents.agent import AgentError
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_agents.arena.standings import stopping_widths
from blackjacky_agents.arena.tournaments import Tournament, copies_lineups, mixed_lineups
from blackjacky_agents.arena.workers import open_workers
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.storage.files import FolderInUseError
from blackjacky_env.declare.game import IllegalActionError
from blackjacky_env.replay import new_table
from tests.policies import at_times_illegal

NAMES = ["random", "threshold", "trickster"]


def from_outside(name, called=None):
    bot = make_agent(name)
    return SimpleNamespace(name=called or f"{name} from outside", reset=bot.reset, act_batch=bot.act_batch)


def rows_of(tournament):
    games = tournament.games()
    return games.seats.tolist(), games.winners.tolist(), games.scores.tolist()


@pytest.mark.parametrize("num_players", range(2, 7))
def test_in_mixed_line_ups_everybody_sits_about_as_often(num_players):
    for agents in range(2, 9):
        lineups = mixed_lineups(agents, num_players)
        assert len(set(lineups)) == len(lineups)
        for lineup in lineups:
            seats = [lineup.count(agent) for agent in range(agents)]
            assert (sum(seats), max(seats) - min(seats) <= 1) == (num_players, True)
        assert len(set(Counter(chain(*lineups)).values())) == 1
        meetings = Counter((a, b) for lineup in lineups for a in lineup for b in lineup if a < b)
        assert len(meetings) == agents * (agents - 1) // 2  # so that the pairwise matrix is filled
    assert copies_lineups(3, 2) == [(a, b) for a in range(3) for b in range(3) if a != b]


@pytest.mark.parametrize(("num_players", "lineups"), [(2, "copies"), (3, "mixed"), (4, "mixed"), (5, "copies")])
def test_each_turn_of_a_deal_has_the_same_key_and_everybody_one_seat_further(num_players, lineups):
    fixture = Tournament(NAMES, num_players, lineups, seed=3).fixture
    seeds, seats = fixture.schedule(0, 20 * num_players)
    for deal in range(20):
        part = slice(deal * num_players, (deal + 1) * num_players)
        first = seats[part][0]
        assert sorted(first.tolist()) == sorted(fixture.lineups[deal % len(fixture.lineups)])
        assert seats[part].tolist() == [np.roll(first, turn).tolist() for turn in range(num_players)]
        assert len(set(seeds[part].tolist())) == 1
    assert len(set(seeds.tolist())) == 20
    assert (seeds >= 0).all()
    again = [fixture.schedule(number, 1) for number in range(20 * num_players)]
    assert [(seed[0], seat[0].tolist()) for seed, seat in again] == list(zip(seeds, seats.tolist(), strict=True))


def test_no_game_is_played_twice_where_copies_make_turns_alike_and_none_without_duplicates():
    seeds, seats = Tournament(["random", "threshold"], 4).fixture.schedule(0, 400)
    games = Counter((int(seed), tuple(row)) for seed, row in zip(seeds, seats.tolist(), strict=True))
    assert max(games.values()) == 1
    alike = [row.tolist() for row in seats[::4] if row[0] == row[2]]
    assert alike  # random, threshold, random, threshold
    assert len(set(seeds.tolist())) == 100 + len(alike)
    seeds, seats = Tournament(NAMES, 3, duplicate=False).fixture.schedule(0, 300)
    assert len(set(seeds.tolist())) == 300
    assert seats.tolist() == Tournament(NAMES, 3).fixture.schedule(0, 300)[1].tolist()
    assert len(set(map(tuple, seats.tolist()))) == 6  # they sit in every order


@pytest.mark.parametrize(
    ("agents", "num_players", "options"),
    [
        (NAMES, 4, {"lineups": "copies"}),
        (NAMES, 3, {"variant": "schnell_duell", "bust_at": 18, "hearts": 1}),
        (["random", "threshold", from_outside("random")], 3, {}),
        ([*NAMES, from_outside("random")], 6, {"hearts": 9, "max_turns_per_round": None}),  # long games
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
        assert (np.array([*env.rewards.values()]) > 0).tolist() == games.winners[deal, turn].tolist()


@pytest.mark.parametrize("lineups", ["mixed", "copies"])
def test_agents_that_are_not_compiled_play_as_if_they_were_in_any_number_of_processes(lineups):
    bot = make_agent("threshold")  # which never chooses at random
    twin = CompiledAgent("twin", "black_jacky", bot.policy, bot.parameters)
    tables = [Tournament([*NAMES, each], 3, lineups, seed=7) for each in (twin, from_outside("threshold", "twin"))]
    tables.append(Tournament([*NAMES, from_outside("threshold", "twin")], 3, lineups, seed=7))
    for tournament, threads in zip(tables, (2, 1, 2 if lineups == "mixed" else 1), strict=True):
        for games in (12, 13, 36):
            tournament.play(games, threads=threads)
    for other in tables[1:]:
        assert rows_of(other) == rows_of(tables[0])
        assert [other.replay(n) for n in (0, 17, 35)] == [tables[0].replay(n) for n in (0, 17, 35)]


class Remembering:
    """Takes the last legal action, and keeps what it was shown in each of its games."""

    games = []  # of all instances

    def reset(self, seed=None):
        self.games.append([])
        self.own = self.games[-1]

    def act(self, observation):
        self.own.append(observation["observation"].tolist())
        return int(observation["action_mask"].nonzero()[0][-1])


@pytest.mark.parametrize("lineups", ["mixed", "copies", [["mine", "random", "mine"]]])
def test_each_seat_has_an_instance_of_its_own_that_sees_one_hand_in_each_game(lineups):
    Remembering.games.clear()
    tournament = Tournament([PythonAgent(Remembering(), "mine", "black_jacky"), "random"], 3, lineups, hearts=1)
    tournament.play(12, threads=1)
    seen = []
    for number in range(tournament.played):
        env, (seeds, seats) = tournament.fixture.env(), tournament.fixture.schedule(number, 1)
        env.reset(seed=int(seeds[0]))
        hands = {f"player_{seat}": [] for seat in np.flatnonzero(seats[0] == 0)}
        for action in tournament.replay(number)["actions"]:
            hands.get(env.agent_selection, []).append(env.observe(env.agent_selection)["observation"].tolist())
            env.step(action)
        seen += hands.values()
    assert Remembering.games == seen


def test_one_object_in_several_seats_of_an_evaluation_is_copied():
    Remembering.games.clear()
    agent = PythonAgent(Remembering(), "mine", "black_jacky")
    play_games([agent, agent, make_agent("random")], np.array([[0, 1, 2], [0, 0, 1]]))
    assert len(Remembering.games) == 5  # one for each of its seats


class Failing:
    """Takes the first legal action, but fails with this error, or illegally, where the sum of what it sees allows."""

    def __init__(self, error=None, modulus=29):
        self.error, self.modulus = error, modulus

    def act(self, observation):
        return self.act_batch(observation["observation"][None], observation["action_mask"][None])[0]

    def act_batch(self, observations, masks):
        fails = observations.astype(int).sum(axis=1) % self.modulus == 0
        if fails.any() and self.error:
            raise self.error
        return np.where(fails, 99, masks.argmax(axis=1))


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("crash", KeyError("x")),
        ("timeout", AgentError("late", "timeout")),
        ("timeout", TimeoutError()),
        ("illegal", 0),
        ("illegal", "compiled"),
    ],
)
def test_an_agent_that_fails_loses_that_game_alone_and_the_match_goes_on(kind, error, path, tmp_path):
    def failing(path, games, **options):
        agent = PythonAgent(Failing(error), "failing", "black_jacky")
        if error == "compiled":
            agent = CompiledAgent("failing", "black_jacky", at_times_illegal)
        tournament = Tournament([agent, "random", "threshold"], 3, results=path)
        tournament.play(games, **{"threads": 1, "on_failure": "lose", **options})
        return tournament

    with pytest.raises((IllegalActionError, AgentError, TimeoutError, KeyError)):
        failing(None, 60, on_failure="stop")
    failing(path, 30)
    tournament = failing(path, 60)  # goes on with the failures in the file
    whole = failing(tmp_path / "whole.jsonl", 60, threads=2)
    assert unsealed(path.read_bytes()) == unsealed((tmp_path / "whole.jsonl").read_bytes())
    failures, games = whole.failures, whole.games()
    (counts,) = whole.count_failures().items()
    assert counts == ("failing", {kind: np.count_nonzero(failures)})
    assert 0 < np.count_nonzero(failures) < 60
    for number, seat in np.argwhere(failures):
        deal, turn = divmod(number, 3)
        assert games.seats[deal, turn, seat] == 0
        assert games.winners[deal, turn].tolist() == [other != seat for other in range(3)]
        assert games.scores[deal, turn, seat] == games.scores[deal, turn].min()
        env = new_table(record := tournament.replay(int(number)))
        env.replay(record)
        assert (env.agent_selection, any(env.terminations.values())) == (f"player_{seat}", False)


def test_of_games_that_an_agent_is_asked_about_together_it_loses_those_alone_in_which_it_fails():
    counted = []
    for wrapped in (PythonAgent(Failing(KeyError("x")), "f", "black_jacky"), from_outside("threshold")):
        failures = {}
        alone = SimpleNamespace(name="f", reset=id, act=Failing(KeyError("x")).act)
        for agent in (wrapped, alone) if wrapped.name == "f" else (wrapped,):
            play_games([agent, make_agent("random")], np.tile([0, 1, 1], (40, 1)), failures=failures)
            counted.append(dict(failures.pop("f", {})))
    assert counted[0] == counted[1] != counted[2] == {}


def test_an_illegal_choice_names_the_agent():
    for choose in (lambda n: np.zeros(n, int), lambda n: np.full(n, 61), np.zeros, lambda n: [30] * 99):
        odd = SimpleNamespace(name="odd", reset=id, act_batch=lambda seen, masks, choose=choose: choose(len(masks)))
        with pytest.raises(IllegalActionError, match=r"agent 'odd' (chose action|returned)"):
            Tournament([odd, from_outside("random")], 2).play(40, threads=1)


def test_an_agent_is_told_no_seed_of_a_deal_and_an_error_inside_it_says_where():
    told, bot = [], make_agent("threshold")
    agent = SimpleNamespace(name="told", one_game_at_a_time=True, reset=told.append, act_batch=bot.act_batch)
    tournament = Tournament([agent, "random"], 2)
    tournament.play(20, threads=1)
    assert len(set(told)) == 20  # also in the games of one deal
    assert not {*told} & {*tournament.fixture.schedule(0, 20)[0].tolist()}
    wrong = SimpleNamespace(name="wrong", reset=id, act_batch=lambda seen, masks: {}["key"])
    with pytest.raises(KeyError) as caught:
        Tournament([wrong, "random"], 2).play(4, threads=1)
    assert caught.value.__notes__ == ["games 0 .. 39 at a table of 2"]


def test_a_tournament_stops_when_the_intervals_are_narrow_enough_or_at_its_last_game():
    played, told = [], []
    for threads in (1, 2):
        tournament = Tournament(NAMES, 2, seed=10)
        tournament.play(20_000, until=0.06, threads=threads)
        played.append(tournament.played)
        assert stopping_widths(tournament.games()).max() <= 0.06
    assert played[0] == played[1]
    assert 400 < played[0] < 8000
    tournament.play(played[0] + 60)
    assert tournament.played == played[0] + 60
    wide = Tournament(NAMES, 2)
    wide.play(401, until=0.001, threads=1, progress=told.append)
    assert wide.played == told[-1] == 402  # whole deals
    assert told == sorted(set(told))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


def kept(path, games=30, **changes):
    tournament = Tournament(**{"agents": NAMES, "num_players": 3, "seed": 4, "results": path, **changes})
    tournament.play(games, threads=1)
    return tournament


def unsealed(content):
    return content[: content.rindex(b"\n", 0, -1) + 1]


def test_a_tournament_goes_on_where_it_stopped_and_its_file_is_the_same_byte_for_byte(tmp_path):
    path = tmp_path / "new" / "games.jsonl"
    kept(path, 30)
    first = path.read_bytes()
    again, whole = kept(path, 60), kept(tmp_path / "other.jsonl", 60)
    assert path.read_bytes().startswith(unsealed(first))
    assert path.read_bytes() == (tmp_path / "other.jsonl").read_bytes()
    assert rows_of(again) == rows_of(whole)
    assert kept(path, 60).played == 60  # the same command once more
    assert path.read_bytes() == (tmp_path / "other.jsonl").read_bytes()


def test_after_a_kill_a_cut_line_is_played_again_and_reading_changes_nothing(path):
    kept(path)
    whole = path.read_bytes()
    for cut in (1, 20):
        path.write_bytes(unsealed(whole)[:-cut])
        read = Tournament(NAMES, 3, seed=4, results=path)  # as `watch` does beside a tournament that is playing
        assert (read.played, path.read_bytes()) == (29, unsealed(whole)[:-cut])
        assert read.replay(28)["actions"]
        kept(path)
        assert path.read_bytes() == whole
    path.write_bytes(b'{"format"')  # killed while it wrote the head
    kept(path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('{"game":7,', '{"game":7;', 9),
        ('{"game":7,', '{"game":8,', 9),
        ('{"game":7,', '{"number":7,', 9),
        ('{"game":7,"seed":', '{"game":7,"seed":1', 9),
        (r'"winners":\[', '"winners":[7,', 2),
        (r'"winners":\[', '"winners":[0,0,', 2),
        (r'"hearts":\[', '"hearts":[0,', 2),
        (r'"hearts":\[.*?\]', f'"hearts":[{10**30},0,0]', 2),
        ("}\n", "}\n\n", 2),
    ],
)
def test_a_damaged_line_is_named_and_the_seal_fits_no_other_lines(path, old, new, line):
    kept(path)
    whole = path.read_bytes()
    for sealed, place in ((whole, 32), (unsealed(whole), line)):
        damaged = re.sub(old, new, sealed.decode(), count=1)
        path.write_text(damaged, "utf-8")
        with pytest.raises(ValueError, match=rf"games.jsonl, line ({place}|{line}): .*; the file is damaged"):
            kept(path)
        assert path.read_text("utf-8") == damaged


def test_games_of_another_tournament_or_version_or_of_a_changed_agent_and_other_files_are_refused(path, tmp_path):
    def refused(named, **changes):
        with pytest.raises(ValueError, match=f"holds games with {named}=.*, not {named}="):
            kept(path, **changes)
        assert path.read_bytes() == before

    kept(path)
    before = path.read_bytes()
    for agents in (["random", "counter", "trickster"], [*NAMES, "counter"]):
        refused("agents", agents=agents)
    refused("options", hearts=2)
    others = {"seed": 5, "lineups": "copies", "num_players": 2, "variant": "schnell_duell", "duplicate": False}
    for name, value in others.items():
        refused(name, **{name: value})
    text = unsealed(before).decode()
    setup = json.loads(text.partition("\n")[0])
    changed = {"versions": setup["versions"]["numba"], "agents": setup["agents"][1]["code"], "rules": setup["rules"]}
    for name, old in changed.items():
        path.write_text(text.replace(f'"{old}"', '"0000000000000000"', 1), "utf-8")
        before = path.read_bytes()
        refused(name)
    for text, said in (("[1]\n", "line 1: it is no JSON object"), ("{}\n", "holds games with format=None")):
        path.write_text(text)
        with pytest.raises(ValueError, match=said):
            kept(path)
    with pytest.raises(ValueError, match=r"is not named NAME\.jsonl"):
        kept(tmp_path / "games.txt")


def test_a_process_that_is_ended_from_outside_is_told_in_a_sentence():
    with pytest.raises(AgentError, match="perhaps for lack of memory"):  # noqa: SIM117  # raised inside
        with open_workers(os._exit, 2, threads=False) as workers:
            workers.submit(9).result()


def test_only_one_process_plays_into_a_folder_which_is_taken_over_from_one_that_was_killed(tmp_path, path):
    one, other = (Tournament(NAMES, 3, seed=4, results=path) for _ in range(2))
    one.play(30, threads=1)
    code = (
        "import sys; from blackjacky_agents.storage.files import only_writer; from pathlib import Path\n"
        "with only_writer(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(FolderInUseError, match="is being written by another process; wait"):
            kept(path, 60)
        process.kill()
    (tmp_path / ".games.json.123.part").write_text("left by a kill")
    other.play(60, threads=1)  # knows what the first has played since
    assert other.played == 60
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": ["random", SimpleNamespace(name="x", reset=None)]}, "has no act_batch"),
        ({"agents": ["random", SimpleNamespace(**vars(from_outside("random")), game="halunken")]}, "plays halunken"),
        ({"duplicate": 1}, "duplicate=1 is not a bool"),
        ({"lineups": "pairs"}, "lineups='pairs' is unknown"),
        ({"lineups": []}, r"line-up \[\] does not have num_players=3"),
        ({"lineups": [["random", "counter", "random"]]}, "does not have num_players=3 of the agents: random"),
        ({"lineups": [["random", "threshold"]]}, "does not have num_players=3 of the agents: random"),
    ],
)
def test_what_cannot_be_played_is_named(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Tournament(**{"agents": NAMES, "num_players": 3, **arguments})
