"""scripts/play.py: a game in the terminal, from scripted input."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from blackjacky_env import black_jacky_v0

SCRIPT = Path(__file__).parents[2] / "scripts" / "play.py"


def run(*args, lines=()):
    """Run the script with these lines as its input."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *args],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def play():
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("play_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_a_game_is_played_to_its_end_and_kept(tmp_path):
    kept = tmp_path / "game.json"
    args = ["--opponents", "random*2", "--seat", "1", "--seed", "4", "--name", "Anna", "--save", str(kept)]
    done = run(*args, lines=["1"] * 200)
    assert (done.returncode, done.stderr) == (0, "")
    assert "player_0 (random), player_1 (Anna), player_2 (random)" in done.stdout
    assert "Settlement of round 1" in done.stdout
    assert "seen by player_1" in done.stdout
    assert "\x1b" not in done.stdout
    assert re.search(r"player_1 \(Anna\) draws an? [1-8]\.", done.stdout)
    winner = re.search(r"\n(player_\d|Nobody)[^\n]* won the game\.\nThe game is kept in", done.stdout)[1]
    game = json.loads(kept.read_text(encoding="utf-8"))
    env = black_jacky_v0.env(num_players=3)
    env.unwrapped.replay(game["record"])
    assert [f"player_{seat}" for seat in env.snapshot()["winners"]] == ([winner] if winner != "Nobody" else [])
    assert game["names"]["player_1"] == "Anna"
    assert list(tmp_path.iterdir()) == [kept]


def test_schwarze_katze_is_told_trick_by_trick_and_deal_by_deal():
    args = ["--game", "schwarze_katze", "--opponents", "low*2", "--seed", "3"]
    done = run(*args, lines=["help", *["1"] * 200])
    assert (done.returncode, done.stderr) == (0, "")
    assert "who has no trick at all in a deal gets -50" in done.stdout
    tricks, deals, hand = 17 * 6, 6, 17
    assert len(re.findall(r"  player_\d \(\w+\) leads ", done.stdout)) == tricks
    assert len(re.findall(r"  player_\d \(\w+\) plays ", done.stdout)) == 2 * tricks
    takers = re.findall(r"  player_(\d) \(\w+\) takes the trick\.", done.stdout)
    leaders = re.findall(r"  player_(\d) \(\w+\) leads ", done.stdout)
    assert len(takers) == tricks
    for trick in range(1, tricks):  # K3: who takes a trick leads the next, but the first of a deal
        assert trick % hand == 0 or leaders[trick] == takers[trick - 1], trick
    points = [int(each) for each in re.findall(r"gets (-?\d+) in this deal", done.stdout)]
    assert len(points) == 3 * deals
    for deal in range(deals):  # K6
        without = sum(each == -50 for each in points[3 * deal : 3 * deal + 3])
        assert sum(points[3 * deal : 3 * deal + 3]) == 135 - 50 * without
    assert re.search(r"\nplayer_\d.* won the game\.\n$", done.stdout)


def test_mistakes_get_an_answer_and_the_end_of_input_ends_politely():
    lines = ["", "help", "77", "shuffle", "lay 4", "no", "swap", "sw 7 dis"]
    done = run("--opponents", "random*3", "--seed", "3", lines=lines)
    assert (done.returncode, done.stderr) == (0, "")
    for answer in (
        "Type a number or a name",
        "Come close to 21 without reaching it",
        "There is no choice 77; the numbers are 1 .. 2.",
        "no action is called 'shuffle'",
        "'lay 4' (action 4) is illegal: there is no 4 in the hand",
        "That could be: swap 7 with the draw pile; swap 7 with the discard pile.",
        "player_0 (you) swaps a 7 for the 3 on the discard pile.",
        "The game ends here. Goodbye!",
    ):
        assert answer in done.stdout


def test_quit_ends_the_game():
    done = run("--opponents", "random", "--seed", "1", "--variant", "schnell_duell", lines=["quit", "no trick"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Goodbye!\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"opponents": "cuonter"}, "unknown agent 'cuonter'"),
        ({"opponents": "random*2", "seat": 3}, "--seat 3 is not at the table; with these opponents it is 0 .. 2"),
        ({"opponents": "random*6"}, "num_players=7 is out of range; allowed are 2 .. 6"),
        ({"opponents": "random*x"}, "'random*x' is not NAME or NAME*NUMBER"),
        ({"opponents": "random", "seed": -1}, "seed=-1 is out of range"),
        ({"web": True, "people": 7}, "--people=7 is out of range; allowed are 1 .. 6"),
        ({"web": True, "opponents": "random*6"}, "num_players=7 is out of range; allowed are 2 .. 6"),
        ({"web": True, "host": "256.0.0.1"}, "(--host 256.0.0.1, --port 8021; port 0 is any that is free)"),
    ],
)
def test_wrong_arguments_are_named(play, args, message):
    with pytest.raises(SystemExit, match=re.escape(message)):
        play.main(play.Args(**args))


def test_words_may_be_shortened(play):
    assert play.is_short_for("kn", "knock")
    assert play.is_short_for("SW 5 dis", "swap 5 with the discard pile")
    assert play.is_short_for("lay 3: player_2", "lay 3: player_0 and player_2 exchange")
    assert not play.is_short_for("sw 5 dis", "swap 5 with the draw pile")
    assert not play.is_short_for("draw", "swap 5 with the draw pile")
    assert not play.is_short_for(":", "draw")


def moves_and_their_story(play, seed, players):
    """Yield (actor, story) of a random game as seat 0 is told it."""
    sitting = play.Sitting(play.Args(opponents=f"random*{players - 1}", seed=seed))
    rng = np.random.default_rng(seed)
    while sitting.view["phase"] != "over":
        before = sitting.view
        action = int(rng.choice(np.flatnonzero(sitting.env.last()[0]["action_mask"])))
        sitting.env.step(action)
        yield before, sitting.view, play.story(sitting, before, sitting.env.action_name(action))


def test_what_is_secret_is_not_told(play):
    told = set()
    for seed in range(12):
        for before, _, story in moves_and_their_story(play, seed, players=2 + seed % 5):
            told.update(re.sub(r"\d", "N", sentence) for sentence in story)
            if before["player"] != 0 and story and re.search(r" \(random\) (draws|gives)|from the draw pile", story[0]):
                assert re.search(r"draws a card$|gives a card$|for a card from the draw pile$", story[0])
    assert "player_N (you) draws a N" in told
    assert "player_N (random) draws a card" in told
    assert "player_N (random) gives a card" in told
    assert "player_N (you) gets a N" in told
    assert "player_N (random) lays a N: player_N (random) draws a card" in told
    assert "player_N (random) lays a N: player_N (you) draws a N" in told


def test_an_own_card_is_told_as_it_came(play):
    for before, after, story in moves_and_their_story(play, 2, 3):
        drawn = story and re.search(r"\(you\) draws an? (\d)", story[0])
        if drawn and before["round"] == after["round"]:
            assert sorted([*before["hands"][0], int(drawn[1])]) == after["hands"][0]
