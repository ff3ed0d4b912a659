"""blackjacky score: the scale, the card, agents of every kind, and what is refused."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from blackjacky_agents import cli, make_agent
from blackjacky_agents.arena.protocol import Protocol, Rate, ScoreTable, check_pins, custom_protocol, read_protocol
from blackjacky_agents.arena.scoring import calibrate, deals_of, jobs, make_table, play_protocol, score
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_agents.files import write_json
from blackjacky_agents.games import get_kit
from blackjacky_env.games import GAMES
from scripts.measures import protocol
from tests.scripts.protocols import GAME, small_protocol

OURS = [name for name, registered in GAMES.items() if registered.target.startswith("blackjacky_env.")]

pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.fixture
def small(publish: Any) -> Protocol:
    """A published protocol of two small tables."""
    made = small_protocol()
    publish(made)
    return made


@pytest.fixture
def run(typed: Any) -> Any:
    """Score an agent in the shortest length; what was printed, if it ended with that status."""

    def score_agent(agent: str, *options: str, status: int = 0, out: str = "out") -> Any:
        return typed(shlex.join(["score", agent, "--protocol=trial", "--threads=1", f"--out={out}", *options]), status)

    return score_agent


def card(out: str = "out") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(out, "score.json").read_text("utf-8"))
    return found


def played(protocol: Protocol, name: str) -> list[Any]:
    """The deals of the agent in the shortest length."""
    return deals_of(protocol, dict(play_protocol(protocol, make_agent(name), jobs(protocol, "trial"), 1)))


def without_run(content: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != "run"}


def program(text: str, name: str = "agent.py") -> str:
    """The name of an agent that is a Python program."""
    head = "import json, sys, time\ndef say(**answer): print(json.dumps(answer), flush=True)\n"
    Path(name).write_text(head + text, "utf-8")
    return f"cmd:{Path(sys.executable).as_posix()} {name}"


FIRST_LEGAL = """
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(protocol=1)
    if message["type"] == "act":
        {act}
"""


def test_random_has_0_and_the_champion_100(small: Protocol) -> None:
    results = {name: played(small, name) for name in ("random", "champion")}
    made = calibrate(small, results)
    assert made.tables == small.tables
    for name, expected in (("random", 0.0), ("champion", 100.0)):
        found = score(made, results[name])
        assert [each.score.mean for each in (found, *found.tables)] == pytest.approx([expected] * 3)


def test_the_score_is_the_mean_of_the_tables_and_its_interval_has_the_references_in_it(small: Protocol) -> None:
    results = played(small, "trickster")
    found = score(small, results)
    assert found.score.mean == pytest.approx(np.mean([table.score.mean for table in found.tables]))
    halves = [table.score.high - table.score.mean for table in found.tables]
    assert found.score.high - found.score.mean == pytest.approx(np.hypot(*halves) / 2)
    vague = {name: tuple(Rate(rate.win_rate, 0.1) for rate in rates) for name, rates in small.references.items()}
    wider = score(replace(small, references=vague), results)
    assert wider.score.mean == found.score.mean
    assert wider.score.high - wider.score.low > found.score.high - found.score.low


def test_a_shorter_protocol_is_the_beginning_of_a_longer_one(small: Protocol) -> None:
    longer = jobs(small, "quick")
    assert sum(job.deals for job in longer if job.table == 0) == 800
    short = dict(play_protocol(small, make_agent("threshold"), jobs(small, "trial"), 1))
    (first,) = [played for job, played in short.items() if job.table == 0]
    (start,) = dict(play_protocol(small, make_agent("threshold"), jobs(small, "quick")[:1], 1)).values()
    assert start.wins[: len(first.wins)] == first.wins
    assert start.moves[: len(first.moves)] == first.moves


def test_card_badge_and_verdict(small: Protocol, run: Any) -> None:
    printed, found = run("threshold").out, card()
    assert found["agent"]["name"] == "threshold"
    assert found["protocol"] == {"name": "black_jacky/7", "length": "trial", "sha256": small.sha256}
    assert found["games"] == sum(table["games"] for table in found["tables"]) == 24
    assert {"command", "date", "machine", "versions", "seconds", "move_microseconds"} == set(found["run"])
    assert f"threshold scores {found['score']['mean']:.1f} (95 % interval " in printed
    drawn = ElementTree.fromstring(Path("out", "badge.svg").read_text("utf-8"))
    mean, low, high = (f"{found['score'][name]:.1f}" for name in ("mean", "low", "high"))
    assert drawn.get("aria-label") == f"black_jacky/7 trial: {mean} ({low} .. {high})"
    assert {path.name for path in Path("out").iterdir()} == {"badge.svg", "score.json", ".lock"}


def test_the_score_does_not_depend_on_the_number_of_threads(small: Protocol, run: Any) -> None:
    Path("first_agents.py").write_text(
        "import random\nclass Any:\n    def reset(self, seed): self.rng = random.Random(seed)\n"
        "    def act(self, seen): return self.rng.choice(seen['action_mask'].nonzero()[0])\n",
        "utf-8",
    )
    for name in ("trickster", "first_agents:Any"):
        for threads in ("1", "2"):
            run(name, f"--threads={threads}", out=threads)
        assert without_run(card("1")) == without_run(card("2"))


def test_an_interrupted_score_is_resumed(small: Protocol, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run("threshold", out="whole")
    score_module = sys.modules["blackjacky_agents.cli.score"]

    def interrupted(*arguments: Any) -> Any:
        yield next(iter(play_protocol(*arguments)))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(score_module, "play_protocol", interrupted)
        assert "repeat the command with --resume" in run("threshold", status=cli.INTERRUPTED).err
    assert "holds a score with agent=" in run("random", "--resume", status=cli.WRONG_INPUT).err
    with Path("out", "deals.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"job": [1')  # cut off in the middle of a line
    run("threshold", "--resume")
    assert without_run(card()) == without_run(card("whole"))
    refused = run("threshold", "--resume", status=cli.WRONG_INPUT).err
    assert "there is no interrupted score to resume" in refused


@pytest.mark.parametrize("game", [pytest.param(name, marks=[] if name == GAME else pytest.mark.prove) for name in OURS])
def test_the_published_protocol_has_the_shipped_agents(game: str) -> None:
    path = get_kit(game).score
    assert path is not None
    protocol = read_protocol(path)
    check_pins(protocol)
    assert {name for table in protocol.tables for name in table.opponents} <= set(protocol.agents)


@pytest.mark.parametrize(("name", "what"), [("champion", "weights"), ("threshold", "decisions, or the rules,")])
def test_changed_agents_are_refused(name: str, what: str, small: Protocol, run: Any, publish: Any) -> None:
    publish(replace(small, agents={**small.agents, name: "0" * 64}))
    assert f"the {what} of {name!r} have the hash {small.agents[name][:16]}" in run("random", status=2).err
    assert not Path("out").exists()


def test_a_function_of_an_observation_is_an_agent(small: Protocol, run: Any, typed: Any) -> None:
    Path("tenth_agents.py").write_text(
        "def last(seen):\n    return seen['action_mask'].nonzero()[0][-1]\n"
        "def first(seen, game):\n    return seen['action_mask'].argmax()\n",
        "utf-8",
    )
    run("tenth_agents:last")
    assert card()["agent"] == {"name": "tenth_agents:last", "source": make_agent("tenth_agents:first").source()}
    assert "| tenth_agents:last | " in typed("evaluate --players tenth_agents:last,tenth_agents:first --games 4").out


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (None, "nowhere_at_all:Agent", "error: there is no module 'nowhere_at_all' in "),
        ("", "third_agents:Agent", "error: agent 'third_agents:Agent': the module 'third_agents' has no 'Agent'"),
        ("A = 1", "fourth_agents:A", "error: agent 'fourth_agents:A' is 1, which cannot be called"),
        ("def a(b, c): pass", "ninth_agents:a", "agent 'ninth_agents:a' needs b and c; allowed are a class that "),
        ("class A: pass", "fifth_agents:A", "which has no method act(observation) -> action"),
        ("class A:\n  act = lambda self, o: 'x'", "sixth_agents:A", "agent 'sixth_agents:A' returned 'x'"),
        ("class A:\n  act = lambda self, o: -1", "seventh_agents:A", "chose action -1, which is not legal; legal are "),
    ],
)
def test_what_is_no_agent_is_refused(text: str | None, name: str, message: str, small: Protocol, run: Any) -> None:
    if text is not None:
        Path(f"{name.partition(':')[0]}.py").write_text(text, "utf-8")
    assert message in run(name, status=cli.WRONG_INPUT).err


def test_an_error_inside_an_agent_is_raised_with_the_place_where_it_happened(small: Protocol, run: Any) -> None:
    Path("eighth_agents.py").write_text("def act(seen): return {}['key']\n", "utf-8")
    with pytest.raises(KeyError) as caught:
        run("eighth_agents:act")
    assert caught.value.__notes__ == ["a table of 2 against threshold, game 0, after 0 of its moves"]


def test_an_agent_is_not_told_the_seed_of_the_deal(small: Protocol) -> None:
    told: list[Any] = []
    agent = PythonAgent(SimpleNamespace(reset=told.append, act=lambda seen: seen["action_mask"].argmax()), "told", GAME)
    list(play_protocol(small, agent, jobs(small, "trial", agent), 1))
    deals = [make_table(small, number, make_agent("random")).schedule(0, 12)[0].tolist() for number in (0, 1)]
    assert len(set(told)) == 24  # also in the games of one deal
    assert not {*told} & {seed for table in deals for seed in table}


def test_the_messages_of_a_game() -> None:
    act = "say(action=message['legal'][0]['name'])"
    name = program(
        "log = open('log.jsonl', 'w')\n"
        + FIRST_LEGAL.format(act=act).replace("    message", "    log.write(line)\n    log.flush()\n    message", 1)
    )
    agent = make_agent(name)
    assert isinstance(agent, SubprocessAgent)
    places = (ScoreTable(2, "classic", ("random",)),)
    protocol = replace(custom_protocol(GAME), tables=places, games={"one": 1})
    list(play_protocol(protocol, agent, jobs(protocol, "one"), 1))
    hello, *lines = [json.loads(line) for line in Path("log.jsonl").read_text("utf-8").splitlines()]
    assert hello["type"] == "hello"
    assert {"game", "title", "version", "num_actions", "actions", "observation"} < set(hello)
    starts = [(line["game"], line["players"], line["variant"]) for line in lines if line["type"] == "start"]
    assert starts == [(number, 2, "classic") for number in range(1, 5)]
    start, *messages, end = [line for line in lines if line["game"] == 2]
    assert (start["type"], start["options"]["bust_at"], end["type"]) == ("start", 21, "end")
    assert 0 <= end["share"] <= 1
    for message in messages:
        assert message["type"] == "act"
        assert [each["action"] for each in message["legal"]] == np.flatnonzero(message["action_mask"]).tolist()
        assert len(message["observation"]) == sum(part["length"] for part in hello["observation"])
        assert message["view"]["num_players"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("say(action=999)", "answered the action 999 at move 1 of game 1, which is not legal; legal are "),
        ("say(action=True)", "answered the action True at move 1 of game 1, which is not legal"),
        ("say(move=1)", "answered the action None at move 1 of game 1"),
        ("sys.exit(3)", "ended, with exit status 3, at move 1 of game 1"),
        ("print('knock!', flush=True)", "wrote 'knock!' at move 1 of game 1; expected one line with"),
        ("time.sleep(1000)", "did not answer in 0.2 s at move 1 of game 1"),
        ("sys.stdin.readline(); say(protocol=2)", 'answered hello with protocol=2; expected {"protocol": 1}'),
        ("sys.stdin.readline(); sys.exit(1)", "ended, with exit status 1, at the message hello"),
    ],
)
def test_a_program_that_fails_is_told_what_it_did_and_when(text: str, message: str, small: Protocol, run: Any) -> None:
    name = program(text if "readline" in text else FIRST_LEGAL.format(act=text))
    limit = "0.2" if "sleep" in text else "60"
    told = run(name, f"--move-timeout={limit}", status=cli.WRONG_INPUT).err
    assert f"error: the agent {name!r} " in told
    assert message in told
    assert not Path("out", "score.json").exists()


def test_the_next_version_of_a_protocol_keeps_the_one_before_and_replaces_none(
    small: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(GAME).mkdir()
    write_json(Path(GAME, "score.json"), asdict(small))
    assert protocol.main(protocol.Args(GAME, 7, folder=Path())) == 2
    monkeypatch.setattr(protocol, "measure_references", lambda made, *_: replace(small, name=made.name))
    assert protocol.main(protocol.Args(GAME, 8, folder=Path())) == 0
    found = {path.name: read_protocol(path).name for path in Path(GAME).iterdir()}
    assert found == {"score.json": f"{GAME}/8", "score-7.json": f"{GAME}/7"}
