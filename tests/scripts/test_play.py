"""blackjacky play: a game in the terminal, from scripted input."""

import io
import json
import re

import numpy as np
import pytest

from blackjacky_agents import cli
from blackjacky_agents.cli import compiling, play
from blackjacky_agents.cli.options import read_arguments
from blackjacky_env import black_jacky_v0


@pytest.fixture
def run(monkeypatch, capsys):
    """Play with these lines as input; what was printed."""

    def run(*args, lines=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = cli.run("play", args)
        printed = capsys.readouterr()
        assert (status, printed.err.replace(f"{compiling.WHAT} ...\n", "")) == (0, "")
        return printed.out

    return run


def sitting_with(*args):
    return play.Sitting(read_arguments(play.Args, args, "blackjacky play"))


def test_a_game_is_played_to_its_end_and_kept(run, tmp_path):
    kept = tmp_path / "game.json"
    args = ["--opponents", "random*2", "--seat", "1", "--seed", "4", "--name", "Anna", "--save", str(kept)]
    told = run(*args, lines=["1"] * 200)
    assert "player_0 (random), player_1 (Anna), player_2 (random)" in told
    assert "Settlement of round 1" in told
    assert "seen by player_1" in told
    assert "\x1b" not in told
    assert re.search(r"player_1 \(Anna\) draws an? [1-8]\.", told)
    winner = re.search(r"\n(player_\d|Nobody)[^\n]* won the game\.\nGame saved to", told)[1]
    game = json.loads(kept.read_text(encoding="utf-8"))
    env = black_jacky_v0.env(num_players=3)
    env.unwrapped.replay(game["record"])
    assert [f"player_{seat}" for seat in env.snapshot()["winners"]] == ([winner] if winner != "Nobody" else [])
    assert game["names"]["player_1"] == "Anna"
    assert list(tmp_path.iterdir()) == [kept]


def test_schwarze_katze_is_told_trick_by_trick_and_deal_by_deal(run):
    args = ["--game", "schwarze_katze", "--opponents", "low*2", "--seed", "3"]
    told = run(*args, lines=["help", *["1"] * 200])
    assert "Whoever takes no trick at all in a deal gets 50 points in their favour" in told
    tricks, deals, hand = 17 * 6, 6, 17
    assert len(re.findall(r"  player_\d \(\w+\) leads ", told)) == tricks
    assert len(re.findall(r"  player_\d \(\w+\) plays ", told)) == 2 * tricks
    takers = re.findall(r"  player_(\d) \(\w+\) takes the trick(?:: penalty \d+)?\.", told)
    leaders = re.findall(r"  player_(\d) \(\w+\) leads ", told)
    assert len(takers) == tricks
    for trick in range(1, tricks):  # K3: who takes a trick leads the next, but the first of a deal
        assert trick % hand == 0 or leaders[trick] == takers[trick - 1], trick
    points = re.findall(r"  player_\d \(\w+\) (?:gets (\d+) in this deal|takes no trick in this deal: 50 points)", told)
    assert len(points) == 3 * deals
    for deal in range(deals):  # K6
        assert sum(int(each or 0) for each in points[3 * deal : 3 * deal + 3]) == 135
    assert re.search(r"\nplayer_\d.* won the game\.\n$", told)


def test_mistakes_get_an_answer_and_the_end_of_input_ends_politely(run):
    lines = ["", "help", "77", "shuffle", "lay 4", "no", "swap", "sw 7 dis"]
    told = run("--opponents", "random*3", "--seed", "3", lines=lines)
    for answer in (
        "Type a number or a name",
        "Get as close to 21 as you can without reaching it",
        "There is no choice 77; the numbers are 1 .. 2.",
        "no action is called 'shuffle'",
        "'lay 4' (action 4) is illegal: there is no 4 in the hand",
        "Ambiguous; it could be: swap 7 with the draw pile; swap 7 with the discard pile.",
        "player_0 (you) swaps a 7 for the 3 on the discard pile.",
        "Game abandoned. Goodbye!",
    ):
        assert answer in told


def test_quit_ends_the_game(run):
    told = run("--opponents", "random", "--seed", "1", "--variant", "schnell_duell", lines=["quit", "no trick"])
    assert told.endswith("Goodbye!\n")


def test_rule_options_and_a_variant_are_played(run, tmp_path):
    kept = tmp_path / "game.json"
    options = ["--variant", "schnell_duell", "--hearts", "1", "--tricks", "2", "--max-card", "7"]
    told = run("--opponents", "random", "--seed", "2", *options, "--save", str(kept), lines=["quit"])
    record = json.loads(kept.read_text(encoding="utf-8"))["record"]
    assert "Goodbye!" in told
    assert record["variant"] == "schnell_duell"
    rules = {"hearts": 1, "tricks": [2], "max_card": 7}
    assert {name: record["options"][name] for name in rules} == rules


def test_ctrl_c_ends_the_game_with_status_130_and_keeps_it(monkeypatch, capsys, tmp_path):
    def interrupt(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    kept = tmp_path / "game.json"
    assert cli.run("play", ["--opponents", "random", "--seed", "2", "--save", str(kept)]) == 130
    assert "Interrupted." in capsys.readouterr().err
    assert json.loads(kept.read_text(encoding="utf-8"))["record"]["actions"] == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("--opponents cuonter", "unknown agent 'cuonter'"),
        ("--opponents random*2 --seat 3", "--seat 3 is out of range; allowed with these opponents are 0 .. 2"),
        ("--opponents random*6", "num_players=7 is out of range; allowed are 2 .. 6"),
        ("--opponents random*x", "'random*x' is not NAME or NAME*NUMBER"),
        ("--opponents random --seed -1", "seed=-1 is out of range"),
        ("--opponents random --hand-size 9", "hand_size=9 is out of range"),
        ("--variant short", "variant='short' is unknown; allowed are 'classic', 'schnell_duell'"),
        ("--save nowhere/game.json", "--save nowhere/game.json cannot be written"),
        ("--web --people 7", "--people=7 is out of range; allowed are 1 .. 6"),
        ("--web --opponents random*6", "num_players=7 is out of range; allowed are 2 .. 6"),
        ("--web --host 256.0.0.1", "(--host 256.0.0.1, --port 8021; --port 0 selects a free port)"),
    ],
)
def test_wrong_arguments_are_named(capsys, args, message):
    assert cli.run("play", args.split()) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ")
    assert message in printed.err
    assert printed.err.count("\n") == 1


def test_words_may_be_shortened():
    assert play.is_short_for("kn", "knock")
    assert play.is_short_for("SW 5 dis", "swap 5 with the discard pile")
    assert play.is_short_for("lay 3: player_2", "lay 3: player_0 and player_2 exchange")
    assert not play.is_short_for("sw 5 dis", "swap 5 with the draw pile")
    assert not play.is_short_for("draw", "swap 5 with the draw pile")
    assert not play.is_short_for(":", "draw")


def moves_and_their_story(seed, players):
    """Yield (actor, story) of a random game as seat 0 is told it."""
    sitting = sitting_with("--opponents", f"random*{players - 1}", "--seed", str(seed))
    rng = np.random.default_rng(seed)
    while sitting.view["phase"] != "over":
        before = sitting.view
        action = int(rng.choice(np.flatnonzero(sitting.env.last()[0]["action_mask"])))
        sitting.env.step(action)
        yield before, sitting.view, play.story(sitting, before, action)


def test_what_is_secret_is_not_told():
    told = set()
    for seed in range(12):
        for before, _, story in moves_and_their_story(seed, players=2 + seed % 5):
            told.update(re.sub(r"\d", "N", sentence) for sentence in story)
            if before["player"] != 0 and story and re.search(r" \(random\) (draws|gives)|from the draw pile", story[0]):
                assert re.search(r"draws a card$|gives a card$|for a card from the draw pile$", story[0])
    assert "player_N (you) draws a N" in told
    assert "player_N (random) draws a card" in told
    assert "player_N (random) gives a card" in told
    assert "player_N (you) gets a N" in told
    assert "player_N (random) lays a N: player_N (random) draws a card" in told
    assert "player_N (random) lays a N: player_N (you) draws a N" in told


def test_an_own_card_is_told_as_it_came():
    for before, after, story in moves_and_their_story(2, 3):
        drawn = story and re.search(r"\(you\) draws an? (\d)", story[0])
        if drawn and before["round"] == after["round"]:
            assert sorted([*before["hands"][0], int(drawn[1])]) == after["hands"][0]
