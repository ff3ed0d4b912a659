"""blackjacky score: the scale, agents of every kind, and cards of others, of which forged ones are refused."""

import copy
import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from blackjacky_agents import cli, make_agent
from blackjacky_agents.arena import protocol as protocols
from blackjacky_agents.arena import score_card
from blackjacky_agents.arena.fixture import decode_actions, encode_actions
from blackjacky_agents.arena.protocol import custom_protocol, find_protocol, score, win_rates, with_references
from blackjacky_agents.arena.score_card import check_games, read_score_card, sampled_games
from blackjacky_agents.arena.tournaments import Tournament
from blackjacky_agents.external.subprocess_agent import SubprocessAgent
from blackjacky_agents.games import get_kit
from blackjacky_agents.intervals import Estimate
from blackjacky_env.games import GAMES, get_game
from scripts.measures import protocol as measures
from scripts.pages import agents

GAME = "black_jacky"
ROOT = Path(__file__).parents[2]
SIZE = get_game(GAME).num_actions
OURS = [name for name, registered in GAMES.items() if registered.target.startswith("blackjacky_env.")]
CARDS = sorted((ROOT / "results").glob("*/scores/*.json"))

pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.fixture(autouse=True)
def small(tmp_path, monkeypatch, request):
    """A published protocol of two small tables, in place of the game's own; it pins nothing but what is installed."""
    if request.node.get_closest_marker("published"):
        return find_protocol(GAME)
    made = custom_protocol(GAME)
    tables = [table for table in made.tables if table.against in ("threshold", "trickster*3")]
    zero, hundred = ([Estimate(rate, rate - 0.002, rate + 0.002) for rate in pair] for pair in ((0, 0.05), (0.9, 0.5)))
    made = with_references(made.model_copy(update={"tables": tuple(tables)}), zero, hundred)
    publish(made, tmp_path.parent / f"{tmp_path.name}.json", monkeypatch)
    return made


def publish(protocol, path, monkeypatch):
    path.write_text(protocol.model_dump_json(), "utf-8")
    kit = replace(get_kit(GAME), score=path)
    monkeypatch.setattr(protocols, "get_kit", lambda game: kit)


@pytest.fixture
def run(typed):
    """Score an agent in a few games; what was printed, if it ended with that status."""

    def score_agent(agent, *options, status=0, out="out"):
        return typed(shlex.join(["score", agent, "--games=12", "--threads=1", f"--output={out}", *options]), status)

    return score_agent


def card(out="out"):
    return json.loads(Path(out, "score.json").read_text("utf-8"))


def without_run(content):
    return {name: value for name, value in content.items() if name != "run"}


def rates_of(protocol, name, games=12):
    played = protocols.tournaments(protocol, make_agent(name))
    for each in played:
        each.play(protocols.total(each, games), threads=1)
    return win_rates(each.games() for each in played)


def program(text):
    """The name of an agent that is a Python program."""
    head = "import json, os, subprocess, sys, time\ndef say(**answer): print(json.dumps(answer), flush=True)\n"
    Path("agent.py").write_text(head + text, "utf-8")
    return f"cmd:{Path(sys.executable).as_posix()} agent.py"


FIRST_LEGAL = """
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(protocol=1)
    if message["type"] == "act":
        {act}
"""


def logging(log, act):
    """A program that acts so, and notes all messages."""
    noted = FIRST_LEGAL.format(act=act).replace("    message", "    log.write(line)\n    log.flush()\n    message", 1)
    return f"log = {log}\n{noted}"


def test_random_has_0_and_the_strongest_bot_100(small):
    results = {name: rates_of(small, name, 60) for name in ("random", "counter")}
    made = with_references(small, *results.values())
    assert [table.against for table in made.tables] == ["threshold", "trickster*3"]
    for name, expected in (("random", 0.0), ("counter", 100.0)):
        mean, tables = score(made, results[name])
        assert [mean.mean, *(each.score.mean for each in tables)] == pytest.approx([expected] * 3, abs=0.001)
    with pytest.raises(ValueError, match="'counter' is nowhere clearly better than 'random'"):
        with_references(small, results["random"], results["random"])


def test_the_score_is_the_mean_of_the_tables_and_its_interval_has_the_references_in_it(small):
    results = rates_of(small, "trickster")
    mean, tables = score(small, results)
    assert mean.mean == pytest.approx(np.mean([table.score.mean for table in tables]))
    halves = [table.score.high - table.score.mean for table in tables]
    assert mean.high - mean.mean == pytest.approx(np.hypot(*halves) / 2)
    vague = [
        table.model_copy(update={"hundred": replace(table.hundred, low=table.hundred.mean - 0.3)})
        for table in small.tables
        if table.hundred is not None
    ]
    wider, _ = score(small.model_copy(update={"tables": tuple(vague)}), results)
    assert wider.mean == mean.mean
    assert wider.high - wider.low > mean.high - mean.low


def test_card_games_and_verdict(small, run):
    printed, found = run("threshold").out, card()
    assert found["agent"]["name"] == "threshold"
    assert (found["protocol"], found["games"]) == (small.sha256, 12)
    assert f"threshold scores {found['score']['mean']:.1f} ({found['score']['low']:.1f} .. " in printed
    assert "where random has 0, counter 100, and who wins every game " in printed
    assert {path.name for path in Path("out").iterdir()} == {
        *("score.json", "2_players.jsonl", "4_players.jsonl", ".lock")
    }


def test_the_number_of_threads_changes_nothing(run):
    Path("first_agents.py").write_text(
        "import random\nclass Any:\n    def reset(self, seed): self.rng = random.Random(seed)\n"
        "    def act(self, seen): return self.rng.choice(seen['action_mask'].nonzero()[0])\n",
        "utf-8",
    )
    for threads in ("1", "2"):
        run("first_agents:Any", f"--threads={threads}", out=threads)
    assert without_run(card("1")) == without_run(card("2"))


def test_an_interrupted_score_is_resumed_and_begins_anew_without_being_told_to(run, monkeypatch):
    run("threshold", out="whole")
    play = Tournament.play

    def interrupted(tournament, games, *others):
        play(tournament, games // 2, *others)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Tournament, "play", interrupted)
        assert "out; repeat it with --resume" in run("threshold", status=cli.INTERRUPTED).err
    assert "holds games with agents=" in run("random", "--resume", status=cli.WRONG_INPUT).err
    run("threshold", "--resume")
    assert without_run(card()) == without_run(card("whole"))
    run("random")


@pytest.mark.published
@pytest.mark.parametrize("game", [pytest.param(name, marks=[] if name == GAME else pytest.mark.prove) for name in OURS])
def test_the_published_protocol_has_the_bots_of_the_game_and_a_changed_one_is_refused(game, monkeypatch):
    protocol = find_protocol(game)
    assert {name for table in protocol.tables for name in table.opponents} == set(protocol.bots)
    assert get_kit(game).score.exists()
    assert measures.main(measures.Args(game)) == 2  # it never changes
    monkeypatch.setattr(protocols, "decisions_of", mock.Mock(return_value="others"))
    with pytest.raises(ValueError, match="the decisions of 'random', or the rules of "):
        find_protocol(game)


def test_other_rules_have_tables_of_their_own_whose_scale_is_measured_first(run, typed):
    run("trickster", "--table=mini-3")
    assert card()["protocol"] != find_protocol(GAME).sha256
    assert "is not that of black_jacky" in typed("score --check out/score.json", status=2).err


def test_a_function_of_an_observation_is_an_agent(run, typed):
    Path("tenth_agents.py").write_text(
        "def last(seen):\n    return seen['action_mask'].nonzero()[0][-1]\n"
        "def first(seen, game):\n    return seen['action_mask'].argmax()\n",
        "utf-8",
    )
    run("tenth_agents:last")
    assert card()["agent"] == {"name": "tenth_agents:last", "source": make_agent("tenth_agents:first").source()}
    assert "| tenth_agents:last | " in typed("evaluate --agents tenth_agents:last,tenth_agents:first --games 4").out


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
def test_what_is_no_agent_is_refused(text, name, message, run):
    if text is not None:
        Path(f"{name.partition(':')[0]}.py").write_text(text, "utf-8")
    assert message in run(name, status=cli.WRONG_INPUT).err


FAILING = """
class Failing:
    game = 7  # its own, as it names no game

    def act(self, seen):
        if seen["observation"].astype(int).sum() % 29 == 0:
            raise KeyError("x")
        return seen["action_mask"].argmax()
"""


def test_games_lost_by_failing_are_counted_in_report_and_card_which_is_checked_with_them(run, typed):
    Path("failing_agents.py").write_text(FAILING, "utf-8")
    lose, name = "--on-failure=lose", "failing_agents:Failing"
    told, found = run(name, lose, "--games=60").out, card()
    kinds = "".join(each["failures"] for each in found["played"])
    assert f"Games lost by failing: `{name}` {kinds.count('1')} crash." in told
    assert "1" in kinds
    assert "scored again, with the same results" in typed(f"score {name} --check out/score.json --threads 1").out
    for change, why in (
        ("", "is not legal"),
        ("0", "digits are not the failures of 60 games"),
        ("1" * 60, "where the agent failed, all others win"),
    ):
        forged = copy.deepcopy(found)
        forged["played"][1]["failures"] = change
        assert why in refusal(forged)
    lost = next(number for number, kind in enumerate(found["played"][0]["failures"]) if kind == "1")
    watched = typed(f"watch --tournament out/2_players.jsonl --number {lost}").out
    assert "Failing (failed: crash)" in watched
    players = f"--agents {name}*2,random --games 40 {lose} --output kept.json"
    assert f"Games lost by failing: `{name}` " in typed(f"evaluate {players}").out
    assert list(json.loads(Path("kept.json").read_text("utf-8"))["failures"][name]) == ["crash"]
    tables = f"--seats {name},random --games 40 {lose} --threads 1 --output t"
    assert f"Games lost by failing: `{name}` " in typed(f"tournament {tables}").out


def test_a_program_runs_once_for_each_of_its_seats_and_starts_again_after_a_failure():
    act = "os._exit(1) if sum(message['observation']) % 29 == 0 else say(action=message['legal'][0]['action'])"
    name = program(logging("open(f'{os.getpid()}.log', 'a')", act))
    tournament = Tournament([name, "random"], 3, [[name, name, "random"]])
    tournament.play(12, threads=1, on_failure="lose")
    logs = [path.read_text("utf-8") for path in Path().glob("*.log")]
    failed = tournament.count_failures()[name]["crash"]
    assert len(logs) in (failed + 1, failed + 2)  # what failed in the last game has not begun again
    assert sum(log.count('"type":"start"') for log in logs) == 24
    assert all(log.count('"type":"start"') - log.count('"type":"end"') <= 1 for log in logs)


def test_the_messages_of_a_game():
    act = "say(action=message['legal'][0]['name'])"
    agent = make_agent(program(logging("open('log.jsonl', 'w')", act)))
    assert isinstance(agent, SubprocessAgent)
    Tournament([agent, "random"], 2).play(4, threads=1)
    agent.close()
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
        ("subprocess.Popen([sys.executable, '-c', 'input()']); os._exit(4)", "ended, with exit status 4, at move 1"),
        ("sys.stdin.readline(); sys.exit(1)", "ended, with exit status 1, at the message hello"),
    ],
)
def test_a_program_that_fails_is_told_what_it_did_and_when(text, message, run):
    name = program(text if "readline" in text else FIRST_LEGAL.format(act=text))
    limit = "0.2" if "sleep" in text else "3" if "Popen" in text else "60"
    told = run(name, f"--move-timeout={limit}", status=cli.WRONG_INPUT).err
    assert f"error: the agent {name!r} " in told
    assert message in told
    assert not Path("out", "score.json").exists()


@pytest.fixture
def forged(run):
    """The card of `counter`, which is no opponent here, with more games than it has moves of; to be changed."""
    run("counter", "--games=60")
    return card()


def written(content):
    path = Path("card.json")
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def refusal(content):
    try:
        check_games(read_score_card(written(content)))
    except ValueError as error:
        return str(error)
    pytest.fail("the card is accepted")


def with_its_numbers(content):
    """The card with the numbers that follow from its winners, as a careful forger writes them."""
    found = score_card.ScoreCard.model_validate_json(json.dumps(content))
    protocol = score_card.protocol_of(found)
    mean, tables = score(protocol, win_rates(each.games for each in score_card._read(found)))
    return json.loads(found.model_copy(update={"score": mean, "tables": tables}).model_dump_json())


@pytest.mark.published
@pytest.mark.prove
@pytest.mark.parametrize("path", CARDS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_the_cards_of_this_repository_can_be_played_again(path):
    found = read_score_card(path)
    assert check_games(found) == sum(len(each.moves) for each in found.played)


def test_cards_are_checked_by_the_command(run, typed):
    run("trickster", "--games=60", "--by=Ada", "--link=https://example.org/a")
    told = typed("score --check out/score.json").out
    assert "Played again from their moves: 24 games. The agent was scored again, with the same results." in told
    assert card()["entry"] == {"kind": "bot", "by": "Ada", "link": "https://example.org/a"}
    for text in ("", "[]", "null", '{"format": NaN}', "[" * 10_000, '{"format": "\\ud800"}'):
        refused = typed(f"score --check {written(text)}", status=cli.WRONG_INPUT).err
        assert refused.startswith("error: the card 'card.json' is refused: ")


def test_an_agent_that_is_not_shipped_is_compared_if_it_is_named_in_the_batches_in_which_it_has_played(run, typed):
    source = "class Last:\n    def act(self, seen): return seen['action_mask'].nonzero()[0][{}]\n"
    Path("twelfth_agents.py").write_text(source.format(-1), "utf-8")
    run("twelfth_agents:Last")
    check = "--check out/score.json --threads 1"
    assert "it is not a shipped one; name it to do so" in typed(f"score {check}").out
    assert "scored again, with the same results" in typed(f"score twelfth_agents:Last {check}").out
    Path("thirteenth_agents.py").write_text(source.format(0), "utf-8")
    said = typed(f"score thirteenth_agents:Last {check}", status=cli.WRONG_INPUT).err
    assert "'thirteenth_agents:Last' plays other games than those of the card" in said
    Path("batched_agents.py").write_text(
        "import numpy as np\nclass Drawn:\n    def reset(self, seed): self.rng = np.random.default_rng(seed)\n"
        "    def act(self, seen): return self.act_batch(None, seen['action_mask'][None])[0]\n"
        "    def act_batch(self, seen, masks): return (self.rng.random(masks.shape) * masks).argmax(axis=1)\n",
        "utf-8",
    )
    run("batched_agents:Drawn", "--games=60", out="batched")
    assert "with the same results" in typed("score batched_agents:Drawn --check batched/score.json --threads 1").out


@pytest.mark.parametrize("name", ["cmd:touch loaded", "evil_agents:Agent", "ppo:/dev/zero", "ismcts:1000000"])
def test_nothing_that_a_card_names_is_loaded(name, forged, typed):
    Path("evil_agents.py").write_text("open('loaded', 'w')\n", "utf-8")
    forged["agent"] = {"name": name}
    found = read_score_card(written(forged))
    assert check_games(found) == 24
    assert "it is not a shipped one" in typed("score --check card.json").out
    assert not Path("loaded").exists()


def test_the_sample_depends_on_every_winner(small, forged):
    winners = [each["winners"] for each in forged["played"]]
    sample = sampled_games(small, 60, winners)
    assert [len(games) for games in sample] == [12, 12]
    assert sampled_games(small, 60, winners) == sample
    last = winners[1][:-1] + ("1" if winners[1][-1] != "1" else "2")
    changed = sampled_games(small, 60, [winners[0], last])
    assert all(new != old for new, old in zip(changed, sample, strict=True))


def test_forged_winners_games_of_other_deals_and_of_another_agent_are_refused(
    run, typed, small, forged, tmp_path, monkeypatch
):
    for each in forged["played"]:
        each["winners"] = each["winners"].replace("2", "1", 3)
    why = refusal(with_its_numbers(forged))
    assert "bots choose other moves than the card says" in why or "is not legal" in why
    run("counter")
    few = card()
    winners = few["played"][0]["winners"]
    few["played"][0]["winners"] = ("1" if winners[0] == "2" else "2") + winners[1:]
    assert "game 0 of 2 players: others win after its moves than the card says" in refusal(with_its_numbers(few))
    run("random")
    lent = card()
    lent["agent"]["name"] = "counter"
    said = typed(f"score --check {written(lent)} --threads 1", status=cli.WRONG_INPUT).err
    assert "'counter' plays other games than those of the card" in said
    publish(small.model_copy(update={"seed": 99}), tmp_path.parent / "other.json", monkeypatch)
    run("counter")
    others = {**card(), "protocol": small.sha256}
    publish(small, tmp_path.parent / "other.json", monkeypatch)
    assert "players: " in refusal(with_its_numbers(others))


def test_an_agent_at_hand_has_to_play_all_games_as_the_card_says(small, forged, monkeypatch, typed):
    """Also those whose moves are not in the card."""
    found = read_score_card(written(forged))
    kept = sampled_games(small, 60, [each.winners for each in found.played])
    two = forged["played"][0]
    two["winners"] = "".join(won if game in kept[0] else str(3 - int(won)) for game, won in enumerate(two["winners"]))
    monkeypatch.setattr(score_card, "sampled_games", lambda *_: kept)  # as if the forger had found such winners
    written(with_its_numbers(forged))
    said = typed("score --check card.json --threads 1", status=cli.WRONG_INPUT).err
    assert "'counter' plays other games than those of the card" in said


def test_changed_illegal_missing_and_additional_moves_are_refused(forged):
    moves = decode_actions(forged["played"][0]["moves"][0], SIZE)

    def refused(changed):
        content = copy.deepcopy(forged)
        content["played"][0]["moves"][0] = encode_actions(np.array(changed), SIZE)
        return refusal(content)

    changes = [(number, other) for number in range(6) for other in range(number, SIZE, 3) if other != moves[number]]
    said = "\n".join(refused([*moves[:number], other, *moves[number + 1 :]]) for number, other in changes)
    assert "bots choose other moves than the card says" in said
    assert re.search(r"chose action \d+, which is not legal", said)
    for wrong in (moves[:-1], [*moves, 0], [*moves[:-1], 255], []):
        assert re.search(r"or it ends elsewhere|chose action (-1|255), which is not legal", refused(wrong))
    forged["played"][0]["moves"].pop()
    assert "played.0: 11 games have moves; these winners need the moves of 12" in refusal(forged)


def put(*path, to):
    def change(content):
        place = content
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (put("format", to=1), "format: Input should be 3"),
        (put("protocol", to="0" * 64), "protocol: 0000000000000000 is not that of black_jacky"),
        (put("game", to="no_game"), "'no_game'"),
        (put("games", to=10**9), "games: Input should be less than"),
        (put("games", to=600), "played.0: its 60 digits are not the winners of 600 games"),
        (put("tables", to=[]), "these numbers do not follow from the winners"),
        (put("tables", 0, "opponents", to="random"), "these numbers do not follow from the winners"),
        (put("played", to=[]), "it has 0 tournaments, not 2"),
        (put("played", 0, "winners", to="4" * 60), "winners sit in the seats 0 .. 1"),
        (put("played", 0, "winners", to="x" * 60), "played.0.winners: String should match"),
        (put("played", 0, "moves", 0, to="?"), "played.0: "),
        (put("score", "mean", to=99), "these numbers do not follow from the winners"),
        (put("agent", "name", to="x" * 121), "agent.name: String should have at most 120 characters"),
        (put("agent", "name", to="\u202egnorw"), "agent.name: String should match"),
        (put("agent", to={}), "agent: it has no name"),
        (put("entry", "by", to="a\nb"), "entry.by: String should match"),
        (put("entry", "link", to="https://a.org/)](x"), "entry.link: String should match"),
        (put("run", "date", to="yesterday"), "run.date: "),
        (put("more", to=1), "more: Extra inputs are not permitted"),
        (lambda content: content.pop("run"), "run: Field required"),
    ],
)
def test_cards_that_are_not_what_they_should_be_are_refused(change, why, forged):
    change(forged)
    said = refusal(forged)
    assert said.startswith("the card 'card.json' is refused: ")
    assert why in said


NASTY = "<b>|`x`|[a](javascript:b) ![i](//h) &lt; www.x.org @y #1"


def test_strange_texts_are_plain_text_on_the_page(forged):
    forged["agent"]["name"] = NASTY
    forged["entry"] |= {"by": NASTY, "link": "https://example.org/a_b?c=d#e"}
    folder = Path(GAME)
    folder.mkdir()
    written(forged).rename(folder / "nasty.json")
    line = agents.standings(agents.read_cards(folder, GAME)).splitlines()[2]
    links = re.findall(r"\]\([^)]*\)", line)
    assert links == [f"](../results/{GAME}/scores/nasty.json)", "](https://example.org/a_b?c=d#e)"]
    said = re.sub(r"&#\d+;", "", line)
    for sign in ("<", "javascript:", "![", "www.", "@", "&"):
        assert sign not in said
    shown = agents.plain(NASTY)
    assert re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), shown) == NASTY
